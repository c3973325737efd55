//! A table file being written: slices are appended in order as they are solved, so that a large
//! table never lies in memory as a whole; header and directory come last.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;

use super::format::{ENTRY, HEADER, Kind, PackedSlice, VERSION};
use crate::tables::TableError;
use crate::tables::index::layout::Layout;

/// Where the bytes go.
enum Output {
    Disk(NamedTempFile),
    Memory(Vec<u8>),
}

/// A file in the making.
pub(in crate::tables) struct Draft {
    output: Output,
    kind: Kind,
    /// The number of the first slice.
    first: usize,
    /// The signature, as printed.
    name: String,
    directory: Vec<u8>,
    /// Bytes of the whole directory.
    directory_len: usize,
    /// Bytes of data so far.
    end: u64,
    longest: u16,
    /// Why the file could not be written.
    failure: Option<io::Error>,
    /// Whether it is too large for memory.
    large: bool,
}

/// A finished file.
pub(in crate::tables) enum Finished {
    /// Under its temporary name.
    Disk(NamedTempFile),
    /// In memory; and why it could not be written, if it was to be.
    Memory(Vec<u8>, Option<io::Error>),
}

impl Draft {
    /// Begins a file: in a temporary file if there is one, else in memory.
    pub(in crate::tables) fn new(
        layout: &Layout,
        kind: Kind,
        file: io::Result<Option<NamedTempFile>>,
    ) -> Self {
        Self::of_slices(layout, kind, 0..layout.slices(), file)
    }

    /// Begins a file of some slices that follow each other.
    pub(in crate::tables) fn group(
        layout: &Layout,
        group: Range<usize>,
        file: Option<NamedTempFile>,
    ) -> Self {
        Self::of_slices(layout, Kind::Group, group, Ok(file))
    }

    fn of_slices(
        layout: &Layout,
        kind: Kind,
        slices: Range<usize>,
        file: io::Result<Option<NamedTempFile>>,
    ) -> Self {
        let head = HEADER + slices.len() * layout.blocks_per_slice() * ENTRY;
        let memory = || Output::Memory(vec![0; head]);
        let (mut output, mut failure) = match file {
            Ok(Some(file)) => (Output::Disk(file), None),
            Ok(None) => (memory(), None),
            Err(error) => (memory(), Some(error)),
        };
        if let Output::Disk(file) = &mut output
            && let Err(error) = file.seek(SeekFrom::Start(head as u64))
        {
            (output, failure) = (memory(), Some(error));
        }
        Self {
            output,
            kind,
            first: slices.start,
            name: layout.material.to_string(),
            directory: Vec::new(),
            directory_len: head - HEADER,
            end: 0,
            longest: 0,
            failure,
            large: false,
        }
    }

    /// Begins a file that is too large for memory: a disk that refuses is an error.
    pub(in crate::tables) fn large(layout: &Layout, kind: Kind, file: NamedTempFile) -> Self {
        Self { large: true, ..Self::new(layout, kind, Ok(Some(file))) }
    }

    /// Appends the next slice; its longest distance is `longest`. If the disk refuses, all goes on
    /// in memory.
    ///
    /// # Errors
    /// When what has been written cannot be read back into memory, or is too large for it.
    pub(in crate::tables) fn push(
        &mut self,
        slice: &PackedSlice,
        longest: u16,
    ) -> Result<(), TableError> {
        if let Output::Disk(file) = &mut self.output
            && let Err(error) = file.write_all(&slice.data)
        {
            self.retreat(error)?;
        }
        if let Output::Memory(bytes) = &mut self.output {
            bytes.extend_from_slice(&slice.data);
        }
        for &(end, sum) in &slice.blocks {
            self.directory.extend_from_slice(&(self.end + end).to_le_bytes());
            self.directory.extend_from_slice(&sum.to_le_bytes());
        }
        self.end += slice.data.len() as u64;
        self.longest = self.longest.max(longest);
        Ok(())
    }

    /// Goes on in memory with what has been written so far.
    fn retreat(&mut self, error: io::Error) -> Result<(), TableError> {
        if let Output::Disk(file) = &mut self.output {
            if self.large {
                return Err(refused(file)(error));
            }
            let head = HEADER + self.directory_len;
            let bytes = read_back(file, head, self.end).map_err(refused(file))?;
            self.output = Output::Memory(bytes);
        }
        self.failure = Some(error);
        Ok(())
    }

    /// The header: see [`super::format`].
    fn header(&self) -> [u8; HEADER] {
        let mut head = [0; HEADER];
        head[..8].copy_from_slice(&self.kind.magic());
        head[8..12].copy_from_slice(&VERSION.to_le_bytes());
        head[12..14].copy_from_slice(&self.longest.to_le_bytes());
        head[16..16 + self.name.len()].copy_from_slice(self.name.as_bytes());
        head[24..28].copy_from_slice(&(self.first as u32).to_le_bytes());
        head[32..40].copy_from_slice(&((self.directory_len / ENTRY) as u64).to_le_bytes());
        head[40..48].copy_from_slice(&self.end.to_le_bytes());
        head[48..56].copy_from_slice(&xxh3_64(&self.directory).to_le_bytes());
        let sum = xxh3_64(&head[..56]);
        head[56..64].copy_from_slice(&sum.to_le_bytes());
        head
    }

    /// Writes header and directory, after all slices have been pushed.
    ///
    /// # Errors
    /// When the disk has refused more, and what has been written cannot be read back into memory or
    /// is too large for it.
    pub(in crate::tables) fn finish(mut self) -> Result<Finished, TableError> {
        debug_assert_eq!(self.directory.len(), self.directory_len);
        let header = self.header();
        if let Output::Disk(file) = &mut self.output {
            let written = file
                .rewind()
                .and_then(|()| file.write_all(&header))
                .and_then(|()| file.write_all(&self.directory));
            if let Err(error) = written.and_then(|()| file.as_file().sync_all()) {
                self.retreat(error)?;
            }
        }
        Ok(match self.output {
            Output::Disk(file) => Finished::Disk(file),
            Output::Memory(mut bytes) => {
                bytes[..HEADER].copy_from_slice(&header);
                bytes[HEADER..HEADER + self.directory.len()].copy_from_slice(&self.directory);
                Finished::Memory(bytes, self.failure)
            }
        })
    }
}

/// The data of an unfinished file, after room for header and directory.
fn read_back(file: &mut NamedTempFile, head: usize, data: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; head];
    file.seek(SeekFrom::Start(head as u64))?;
    let read = file.take(data).read_to_end(&mut bytes)?;
    if read as u64 == data { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn refused(file: &NamedTempFile) -> impl FnOnce(io::Error) -> TableError {
    let path = file.path().to_owned();
    move |error| TableError::Cache { path, error }
}

impl Finished {
    /// The bytes of the file, read back if need be.
    ///
    /// # Errors
    /// When they cannot be read back.
    pub(in crate::tables) fn into_bytes(self) -> Result<Vec<u8>, TableError> {
        match self {
            Self::Memory(bytes, _) => Ok(bytes),
            Self::Disk(mut file) => {
                let mut bytes = Vec::new();
                let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
                read.map(|_| bytes).map_err(refused(&file))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that takes no byte.
    fn full() -> NamedTempFile {
        let (_, path) = NamedTempFile::new().unwrap().into_parts();
        NamedTempFile::from_parts(std::fs::File::open(&path).unwrap(), path)
    }

    #[test]
    fn where_the_disk_refuses_a_small_table_goes_on_in_memory_and_a_large_one_ends() {
        let layout = Layout::new("KQvK".parse().unwrap());
        let slice = PackedSlice { data: vec![7; 100], blocks: vec![(100, 0)] };
        let mut small = Draft::new(&layout, Kind::Whole, Ok(Some(full())));
        // Nothing was written, so that there is nothing to read back.
        small.push(&slice, 1).unwrap();
        assert!(matches!(small.output, Output::Memory(_)) && small.failure.is_some());
        let mut large = Draft::large(&layout, Kind::Whole, full());
        assert!(matches!(large.push(&slice, 1), Err(TableError::Cache { .. })));
    }
}
