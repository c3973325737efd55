//! Output that cannot steer a terminal, whatever the files say that it was made from.

use std::io::{self, Write};
use theta_kernel::steers;

/// The only sequences that the program itself sends: bold, and plain again.
const OWN: [&str; 2] = ["\x1b[1m", "\x1b[0m"];

/// Passes text on with what might steer a terminal written as `\u001b`, which is right in JSON
/// too. Line ends and tabs pass, and bytes that are no UTF-8: no text from outside holds any.
pub struct Sober<W: Write> {
    inner: W,
    /// The beginning of a character or of a sequence of our own.
    pending: Vec<u8>,
}

impl<W: Write> Sober<W> {
    /// Before this writer.
    pub fn new(inner: W) -> Self {
        Self { inner, pending: Vec::new() }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        let mut rest = text;
        let passes = |c: char| !steers(c) || c == '\n' || c == '\t';
        while let Some(at) = rest.find(|c| !passes(c)) {
            self.inner.write_all(&rest.as_bytes()[..at])?;
            rest = &rest[at..];
            if let Some(own) = OWN.iter().find(|own| rest.starts_with(**own)) {
                self.inner.write_all(own.as_bytes())?;
                rest = &rest[own.len()..];
                continue;
            }
            let c = rest.chars().next().unwrap_or_default();
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(self.inner, "\\u{unit:04x}")?;
            }
            rest = &rest[c.len_utf8()..];
        }
        self.inner.write_all(rest.as_bytes())
    }

    /// Passes on what is whole; of the rest, at the end, everything.
    fn pass(&mut self, end: bool) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.pending);
        if !end {
            let tail = bytes.iter().rev().take(4).position(|&b| b == 0x1b);
            let kept = tail.map_or_else(|| unfinished(&bytes), |back| back + 1);
            self.pending = bytes.split_off(bytes.len() - kept);
        }
        let mut rest = &bytes[..];
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.text(text),
                Err(error) => {
                    let (good, bad) = rest.split_at(error.valid_up_to());
                    let length = error.error_len().unwrap_or(bad.len());
                    self.text(std::str::from_utf8(good).unwrap_or_default())?;
                    self.inner.write_all(&bad[..length])?;
                    rest = &bad[length..];
                }
            }
        }
    }
}

/// Bytes at the end that begin a character.
fn unfinished(bytes: &[u8]) -> usize {
    for (back, &byte) in bytes.iter().rev().take(3).enumerate() {
        let wanted = match byte {
            0x80..=0xbf => continue,
            0xf0.. => 4,
            0xe0.. => 3,
            0xc0.. => 2,
            _ => 1,
        };
        return if wanted > back + 1 { back + 1 } else { 0 };
    }
    0
}

impl<W: Write> Write for Sober<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        self.pass(false)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass(true)?;
        self.inner.flush()
    }
}

impl<W: Write> Drop for Sober<W> {
    fn drop(&mut self) {
        // As a buffered writer does: an error at the end has nowhere to go.
        let _ = self.pass(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut sober = Sober::new(&mut out);
        pieces.iter().for_each(|piece| sober.write_all(piece).unwrap());
        drop(sober);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn what_steers_is_shown() {
        let text = "a\u{1b}[2J\r\n\tb\u{9b}\u{202e}\u{e0041}é\u{7f}";
        let shown = "a\\u001b[2J\\u000d\n\tb\\u009b\\u202e\\udb40\\udc41é\\u007f";
        assert_eq!(through(&[text.as_bytes()]), shown);
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(through(&pieces), shown);
        assert_eq!(through(&[b"\x1b[1mbold\x1b[", b"0m \x1b[5m"]), "\x1b[1mbold\x1b[0m \\u001b[5m");
        assert_eq!(through(&[b"\xff\xfe", b"x"]), "\u{fffd}\u{fffd}x");
    }
}
