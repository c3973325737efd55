//! What every certificate begins and ends with: the head, and the checksum.

use crate::chess::{Side, Vector, fen};
use std::io::{self, Write};
use theta_kernel::Claim;
use xxhash_rust::xxh3::Xxh3;

/// What stands before the version.
pub(super) const MAGIC: &str = "theta-certificate ";

/// The first lines of a file of version 4.
pub(super) fn write_head(out: &mut impl Write, root: &Vector, claim: Claim) -> io::Result<()> {
    write!(out, "{MAGIC}4\nroot {}\nclaim {claim}\n", fen(root))
}

/// Writes what `write` does, and the checksum.
pub(super) fn seal<W: Write>(
    out: W,
    write: impl FnOnce(&mut Hashing<W>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = Hashing { inner: out, hash: Xxh3::new() };
    write(&mut out)?;
    let sum = out.hash.digest();
    out.inner.write_all(&sum.to_le_bytes())?;
    out.flush()
}

/// Hashes what passes through it.
pub(super) struct Hashing<T> {
    inner: T,
    hash: Xxh3,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.hash.update(&bytes[..n]);
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The letter of a side.
pub(super) fn side(side: Side) -> u8 {
    if side == Side::White { b'w' } else { b'b' }
}
