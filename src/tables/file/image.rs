//! The bytes of a table file, mapped or in memory.

use std::path::Path;

use super::mapped::Mapped;

/// Where the bytes are.
#[derive(Debug)]
pub(in crate::tables) enum Image {
    Heap(Vec<u8>),
    File(Mapped),
}

impl Image {
    /// The bytes of a file, mapped where the system can do that; `None` if there is no regular
    /// file (a link to one counts): opening a pipe would wait for ever.
    pub(in crate::tables) fn open(path: &Path) -> Option<Self> {
        if !is_regular(path) {
            return None;
        }
        Mapped::open(path).map(Self::File).or_else(|_| std::fs::read(path).map(Self::Heap)).ok()
    }
}

/// Whether there is a regular file (a link to one counts).
pub(in crate::tables) fn is_regular(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file())
}

impl std::ops::Deref for Image {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Heap(bytes) => bytes,
            Self::File(mapped) => mapped,
        }
    }
}
