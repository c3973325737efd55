//! Memory-mapped files: the one place of the crate that needs `unsafe`.
//!
//! A mapping is only sound while nobody truncates or rewrites the file. Table files are never changed once
//! they carry their name: they are written under a temporary name, renamed into place, and removed or set
//! aside by renaming, which leaves the mapped bytes alone. If another program writes into one all the same,
//! the block checksums catch it; if it truncates one, the system ends the process.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a file, read in as they are needed.
#[derive(Debug)]
pub(super) struct Mapped(Mmap);

impl Mapped {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: see the head of this file; the bytes are only read, and checked before they are believed.
        unsafe { Mmap::map(&file) }.map(Self)
    }
}

impl std::ops::Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
