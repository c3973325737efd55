//! Sets of positions with one side to move and one king number, a word a row: in memory, or in a
//! file of pages where `--memory` does not allow that.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::chess::board::Bitboard;

/// Rows of a page: those that differ in their last two pieces alone, so that a move leads to the
/// same page or to one of some dozens.
pub(super) const PAGE: usize = 1 << 12;

/// One set.
#[derive(Debug)]
pub(super) enum Plane {
    Memory(Vec<Bitboard>),
    Paged(Pages),
}

impl Plane {
    /// The empty set.
    pub(super) fn in_memory(rows: usize) -> Self {
        Self::Memory(vec![Bitboard::EMPTY; rows])
    }

    /// The empty set, in a file without a name in this directory.
    pub(super) fn paged(rows: usize, directory: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(directory)?;
        file.set_len(rows as u64 * 8)?;
        Ok(Self::Paged(Pages { file: Mutex::new(file), rows }))
    }

    /// Writes rows that stand together.
    pub(super) fn fill(&mut self, first: usize, words: &[Bitboard]) -> io::Result<()> {
        match self {
            Self::Memory(all) => {
                all[first..first + words.len()].copy_from_slice(words);
                Ok(())
            }
            Self::Paged(pages) => pages.write(first, words, &mut Vec::new()),
        }
    }

    /// For changing rows, best in order.
    pub(super) fn editor(&mut self) -> Editor<'_> {
        match self {
            Self::Memory(words) => Editor::Memory(words),
            Self::Paged(pages) => {
                let page = Page { words: Vec::new(), number: None, changed: false };
                Editor::Paged { pages, page, bytes: Vec::new(), failed: None }
            }
        }
    }
}

/// A set in a file.
#[derive(Debug)]
pub(super) struct Pages {
    file: Mutex<File>,
    rows: usize,
}

impl Pages {
    /// The rows of a page.
    fn page(&self, number: usize) -> std::ops::Range<usize> {
        number * PAGE..((number + 1) * PAGE).min(self.rows)
    }

    fn read(&self, first: usize, words: &mut [Bitboard], bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.resize(words.len() * 8, 0);
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(first as u64 * 8))?;
            file.read_exact(bytes)?;
        }
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = Bitboard(u64::from_le_bytes(*bytes));
        }
        Ok(())
    }

    fn write(&self, first: usize, words: &[Bitboard], bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.resize(words.len() * 8, 0);
        for (word, bytes) in words.iter().zip(bytes.as_chunks_mut().0) {
            *bytes = word.0.to_le_bytes();
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(first as u64 * 8))?;
        file.write_all(bytes)
    }
}

/// A page that is being changed.
pub(super) struct Page {
    words: Vec<Bitboard>,
    number: Option<usize>,
    changed: bool,
}

/// Changes rows of a set. [`Editor::finish`] must follow.
pub(super) enum Editor<'a> {
    Memory(&'a mut [Bitboard]),
    Paged { pages: &'a Pages, page: Page, bytes: Vec<u8>, failed: Option<io::Error> },
}

impl Editor<'_> {
    /// Replaces a row's word by what `new` makes of it.
    #[inline]
    pub(super) fn change(&mut self, row: usize, new: impl FnOnce(Bitboard) -> Bitboard) {
        match self {
            Self::Memory(words) => words[row] = new(words[row]),
            Self::Paged { pages, page, bytes, failed } => {
                if page.number != Some(row / PAGE)
                    && let Err(error) = page.turn(pages, Some(row / PAGE), bytes)
                {
                    failed.get_or_insert(error);
                }
                let word = &mut page.words[row % PAGE];
                let old = std::mem::replace(word, new(*word));
                page.changed |= *word != old;
            }
        }
    }

    /// Writes what is not yet written.
    ///
    /// # Errors
    /// The first thing that could not be read or written.
    pub(super) fn finish(self) -> io::Result<()> {
        let Self::Paged { pages, mut page, mut bytes, failed } = self else { return Ok(()) };
        failed.map_or(Ok(()), Err)?;
        page.turn(pages, None, &mut bytes)
    }
}

impl Page {
    /// Writes the page and reads another one.
    fn turn(&mut self, pages: &Pages, to: Option<usize>, bytes: &mut Vec<u8>) -> io::Result<()> {
        let from = std::mem::replace(&mut self.number, to);
        let written = match from.filter(|_| std::mem::take(&mut self.changed)) {
            Some(from) => pages.write(pages.page(from).start, &self.words, bytes),
            None => Ok(()),
        };
        let Some(to) = to else { return written };
        let rows = pages.page(to);
        self.words.resize(rows.len(), Bitboard::EMPTY);
        written.and_then(|()| pages.read(rows.start, &mut self.words, bytes))
    }
}

/// Pages that a thread has read of some sets, which do not change meanwhile; the one that was not
/// asked for since the hand came by makes room (the clock algorithm).
#[derive(Debug)]
pub(super) struct Cache {
    words: Vec<Bitboard>,
    /// By place in `words`: the set and its page, and whether it was asked for lately.
    held: Vec<(u32, u32, bool)>,
    most: usize,
    hand: usize,
    /// By set and page: 1 more than its place, 0 where it is not here.
    places: Vec<Vec<u32>>,
    bytes: Vec<u8>,
    failed: Option<io::Error>,
}

impl Cache {
    /// Room for so many pages, at least one.
    pub(super) fn new(pages: usize) -> Self {
        Self {
            words: Vec::new(),
            held: Vec::new(),
            most: pages.max(1),
            hand: 0,
            places: Vec::new(),
            bytes: Vec::new(),
            failed: None,
        }
    }

    /// Forgets all; from now on there are so many sets of so many rows.
    pub(super) fn reset(&mut self, sets: usize, rows: usize) {
        self.held.clear();
        self.hand = 0;
        self.places.resize_with(sets, Vec::new);
        for places in &mut self.places {
            places.clear();
            places.resize(rows.div_ceil(PAGE), 0);
        }
    }

    /// A row of set number `set`, which is `plane`; anything where it cannot be read:
    /// [`Cache::result`] must be asked before what was made of it counts.
    #[inline]
    pub(super) fn word(&mut self, set: usize, plane: &Plane, row: usize) -> Bitboard {
        match plane {
            Plane::Memory(words) => words[row],
            Plane::Paged(pages) => {
                let place = match self.places[set][row / PAGE] {
                    0 => self.fetch(set, pages, row / PAGE),
                    place => place as usize - 1,
                };
                self.held[place].2 = true;
                self.words[place * PAGE + row % PAGE]
            }
        }
    }

    /// Reads a page; its place.
    #[cold]
    fn fetch(&mut self, set: usize, pages: &Pages, page: usize) -> usize {
        let place = self.free();
        let rows = pages.page(page);
        let words = &mut self.words[place * PAGE..][..rows.len()];
        if let Err(error) = pages.read(rows.start, words, &mut self.bytes) {
            self.failed.get_or_insert(error);
        }
        self.held[place] = (set as u32, page as u32, true);
        self.places[set][page] = place as u32 + 1;
        place
    }

    fn free(&mut self) -> usize {
        if self.held.len() < self.most {
            self.words.reserve_exact(self.most * PAGE - self.words.len());
            self.held.push((0, 0, false));
            if self.words.len() < self.held.len() * PAGE {
                self.words.resize(self.held.len() * PAGE, Bitboard::EMPTY);
            }
            return self.held.len() - 1;
        }
        loop {
            let place = self.hand;
            self.hand = (self.hand + 1) % self.most;
            let (set, page, used) = &mut self.held[place];
            if !std::mem::take(used) {
                self.places[*set as usize][*page as usize] = 0;
                return place;
            }
        }
    }

    /// # Errors
    /// The first page since the last call that could not be read.
    pub(super) fn result(&mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_set_in_a_file_is_the_set_in_memory() {
        const ROWS: usize = 5 * PAGE + 100;
        let directory = tempfile::tempdir().unwrap();
        let mut planes = [Plane::in_memory(ROWS), Plane::paged(ROWS, directory.path()).unwrap()];
        let words: Vec<Bitboard> =
            (0..ROWS as u64).map(|n| Bitboard(n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        for plane in &mut planes {
            plane.fill(10, &words[10..]).unwrap();
            let mut editor = plane.editor();
            for row in (0..ROWS).step_by(77).chain((0..ROWS).step_by(1000)) {
                editor.change(row, |word| Bitboard(!word.0));
            }
            editor.finish().unwrap();
        }
        for pages in [1, 3, 100] {
            let mut cache = Cache::new(pages);
            for _ in 0..2 {
                cache.reset(2, ROWS);
                for row in (0..ROWS).map(|n| n * 4099 % ROWS) {
                    let [memory, paged] = [0, 1].map(|set| cache.word(set, &planes[set], row));
                    assert_eq!(memory, paged, "{row}");
                    let changed = row % 77 == 0 && row % 1000 != 0;
                    assert!(
                        row < 10
                            || changed == (memory == Bitboard(!words[row].0))
                            || row % 1000 == 0
                    );
                }
            }
            cache.result().unwrap();
        }
    }
}
