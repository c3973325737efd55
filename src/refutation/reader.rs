//! The lines of a refutation.

use super::Fault;
use std::io::BufRead;

/// Reads line by line: the letter, and the numbers or the name behind it.
pub(super) struct Reader<R> {
    text: R,
    buffer: Vec<u8>,
    /// The last line read, from 1.
    pub(super) line: u64,
    pub(super) numbers: Vec<i64>,
    pub(super) name: String,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(text: R) -> Self {
        Self { text, buffer: Vec::new(), line: 0, numbers: Vec::new(), name: String::new() }
    }

    /// The next line without its end; false at the end of the text.
    fn read(&mut self) -> Result<bool, Fault> {
        self.buffer.clear();
        let read = self.text.read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(false);
        }
        self.line += 1;
        // A last line without its end is cut.
        match self.buffer.pop() {
            Some(b'\n') => Ok(true),
            _ => Err(Fault::Cut),
        }
    }

    /// Reads the first two lines; answers whether the models meant are total.
    pub(super) fn header(&mut self) -> Result<bool, Fault> {
        if !self.read()? || self.buffer != b"theta refutation 1" || !self.read()? {
            return Err(Fault::Header);
        }
        match self.buffer.as_slice() {
            b"reading total" => Ok(true),
            b"reading any" => Ok(false),
            _ => Err(Fault::Header),
        }
    }

    /// The next line's letter; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<u8>, Fault> {
        if !self.read()? {
            return Ok(None);
        }
        self.numbers.clear();
        let [kind, b' ', rest @ ..] = self.buffer.as_slice() else { return Err(Fault::Malformed) };
        let rest = std::str::from_utf8(rest).map_err(|_| Fault::Malformed)?;
        if *kind == b'p' {
            self.name.clear();
            self.name.push_str(rest);
        } else {
            for word in rest.split(' ') {
                self.numbers.push(word.parse().map_err(|_| Fault::Malformed)?);
            }
        }
        Ok(Some(*kind))
    }
}
