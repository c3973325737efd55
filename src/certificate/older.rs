//! Certificates as they arrive, and those of versions 1 to 3 turned into version 4.
//!
//! The kernel reads version 4 alone. The versions differ in their heads: before version 4 an aim
//! stood there as text, `aim AF φ`, which becomes the nodes of φ; the sections are the same. So the
//! head's first lines are replaced, and the checksum, if it was right, is made anew. Nobody has to
//! believe any of this: what is checked is the file of version 4, and what is printed of it is
//! printed from what was checked.

use crate::aim::{Aim, Goal};
use std::borrow::Cow;
use theta_kernel::{Certificate, Claim, FormatError, MAX_LINE, Plain, xxh3_64};
use xxhash_rust::xxh3::Xxh3;

/// The most characters of an aim that is given as text.
pub const MAX_AIM: usize = 16_384;

/// The first line, but for the version's number.
const MAGIC: &str = "theta-certificate ";

/// Lines that tell what there is to change: version, root, claim, and the aim if there is one.
const LINES: usize = 4;

/// What was changed in an older file.
struct Older {
    version: u8,
    /// Of the lines as they were.
    sum: Xxh3,
    /// How long the new lines are.
    lines: usize,
    /// The nodes of the aim.
    nodes: usize,
}

/// A file that is read piece by piece, and refused as soon as no certificate begins like it.
#[derive(Default)]
pub struct Incoming {
    bytes: Vec<u8>,
    begun: bool,
    older: Option<Older>,
    /// The size at which it is looked at again.
    next: usize,
}

impl Incoming {
    /// Takes the next bytes. All calls together look at each byte about twice.
    ///
    /// # Errors
    /// When no certificate begins like this.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), FormatError> {
        self.bytes.extend_from_slice(piece);
        if !self.begun {
            let ends = self.bytes.iter().take(LINES * MAX_LINE).filter(|&&b| b == b'\n').count();
            if ends < LINES && self.bytes.len() < LINES * MAX_LINE {
                return Ok(());
            }
            self.begin()?;
        }
        if self.bytes.len() < self.next {
            return Ok(());
        }
        match Certificate::read(&self.bytes) {
            Err(FormatError::Truncated) => self.next = 2 * self.bytes.len(),
            // Whole; of an older file the checksum is looked at in the end.
            Ok(_) => self.next = self.bytes.len() + 1,
            Err(FormatError::Checksum) if self.older.is_some() => self.next = self.bytes.len() + 1,
            Err(fault) => return Err(fault),
        }
        Ok(())
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing has arrived.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The whole file, in version 4, and the version that it had if it was another. What is wrong
    /// with it is left to whoever reads it, but for what is wrong in older versions only.
    ///
    /// # Errors
    /// A line that the older version did not have, or an aim that cannot be read.
    pub fn finish(mut self) -> Result<(Vec<u8>, Option<u8>), FormatError> {
        if !self.begun {
            self.begin()?;
        }
        let Some(mut older) = self.older.take() else { return Ok((self.bytes, None)) };
        let Some(body) = self.bytes.len().checked_sub(8).filter(|&body| body >= older.lines) else {
            return Ok((self.bytes, Some(older.version)));
        };
        older.sum.update(&self.bytes[older.lines..body]);
        if self.bytes[body..] == older.sum.digest().to_le_bytes() {
            let sum = xxh3_64(&self.bytes[..body]).unwrap_or_default();
            self.bytes[body..].copy_from_slice(&sum.to_le_bytes());
        }
        if let Ok(read) = Certificate::read(&self.bytes) {
            let nodes = read.aim.map_or(0, |aim| aim.nodes().len());
            if nodes != older.nodes || older.version < 3 && !read.rules.is_empty() {
                return Err(FormatError::Header("unknown line".to_string()));
            }
        }
        Ok((self.bytes, Some(older.version)))
    }

    /// Replaces the first lines of an older file.
    fn begin(&mut self) -> Result<(), FormatError> {
        self.begun = true;
        let version = match self.bytes.strip_prefix(MAGIC.as_bytes()) {
            Some([version @ b'1'..=b'3', b'\n', ..]) => version - b'0',
            _ => return Ok(()),
        };
        let ends = self.bytes.iter().enumerate().take(LINES * MAX_LINE);
        let ends: Vec<usize> =
            ends.filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).take(LINES).collect();
        let line = |n: usize| Some(&self.bytes[*ends.get(n - 1)?..*ends.get(n)?]);
        let text = |n: usize| std::str::from_utf8(line(n)?).ok()?.strip_suffix('\n');
        let claim = text(2).and_then(|line| Claim::read(line.strip_prefix("claim ")?));
        let (kept, nodes) = if matches!(claim, Some(Claim::Forces(..))) {
            let aim = text(3).and_then(|line| line.strip_prefix("aim "));
            let aim = aim.ok_or_else(|| FormatError::Header("no `aim` line".to_string()))?;
            (ends[3], read_aim(aim)?.nodes().lines())
        } else {
            (ends[0], Vec::new())
        };
        let mut sum = Xxh3::new();
        sum.update(&self.bytes[..kept]);
        let mut lines = format!("{MAGIC}4\n").into_bytes();
        if !nodes.is_empty() {
            lines.extend_from_slice(&self.bytes[ends[0]..ends[2]]);
            nodes.iter().for_each(|node| lines.extend(format!("{node}\n").into_bytes()));
        }
        self.older = Some(Older { version, sum, lines: lines.len(), nodes: nodes.len() });
        self.bytes.splice(..kept, lines);
        Ok(())
    }
}

/// A whole file in version 4.
///
/// # Errors
/// As [`Incoming::finish`].
pub fn modern(bytes: &[u8]) -> Result<Cow<'_, [u8]>, FormatError> {
    if !matches!(bytes.strip_prefix(MAGIC.as_bytes()), Some([b'1'..=b'3', b'\n', ..])) {
        return Ok(Cow::Borrowed(bytes));
    }
    let incoming = Incoming { bytes: bytes.to_vec(), ..Incoming::default() };
    Ok(Cow::Owned(incoming.finish()?.0))
}

/// The aim of an older certificate.
fn read_aim(text: &str) -> Result<Goal, FormatError> {
    let fault = |error: &dyn std::fmt::Display| {
        let shown: String = text.chars().take(80).collect();
        FormatError::Header(format!("the aim `{}`: {}", Plain(&shown), Plain(&error.to_string())))
    };
    if text.len() > MAX_AIM {
        return Err(fault(&format_args!("it is longer than {MAX_AIM} bytes")));
    }
    let aim = Aim::parse(text).map_err(|e| fault(&e))?;
    Goal::of(aim).map_err(|e| fault(&e))
}
