//! Memory-mapped files: the one place of the crate that needs `unsafe`.
//!
//! A mapping is only sound while nobody truncates or rewrites the file. Table files are never
//! changed once they carry their name: they are written under a temporary name, renamed into place,
//! and removed or set aside by renaming, which leaves the mapped bytes alone. If another program
//! writes into one all the same, the block checksums catch it; if it truncates one, the system ends
//! the process.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a file, read in as they are needed.
#[derive(Debug)]
pub(in crate::tables) struct Mapped(Mmap);

impl Mapped {
    pub(in crate::tables) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: see the head of this file; the bytes are only read, and checked before they are
        // believed.
        unsafe { Mmap::map(&file) }.map(Self)
    }

    /// Lets the system take back the memory of the pages read so far; they are read in anew when
    /// they are needed.
    pub(in crate::tables) fn release(&self) {
        #[cfg(unix)]
        // SAFETY: giving up the pages of a shared, read-only mapping of a file changes no byte that
        // is seen through it. A failure only leaves the pages where they are.
        let _ = unsafe { self.0.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
    }
}

impl std::ops::Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
