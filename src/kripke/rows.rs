//! Compressed rows: a list of `u32` lists in two arrays.

/// Rows of `u32` entries, one after another. 4 bytes per entry and 4 per row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// `starts[r]..starts[r + 1]` are the entries of row `r`.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { starts: vec![0], entries: Vec::new() }
    }
}

impl Rows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of entries of all rows.
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// The entries of a row.
    pub fn row(&self, row: u32) -> &[u32] {
        &self.entries[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        4 * (self.starts.capacity() + self.entries.capacity()) as u64
    }

    /// Adds an entry to the row that is being written.
    pub fn push(&mut self, entry: u32) {
        self.entries.push(entry);
    }

    /// Ends the row that is being written; the next one begins.
    ///
    /// # Panics
    /// When there are 2^32 entries.
    pub fn end_row(&mut self) {
        self.starts.push(u32::try_from(self.entries.len()).expect("fewer than 2^32 edges"));
    }

    /// The rows turned round: row `t` of the result lists, ascending, the rows that have `t` as an
    /// entry. As many rows as this has. O(rows + entries).
    ///
    /// # Panics
    /// When an entry is not the number of a row.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let mut starts = vec![0_u32; self.len() + 1];
        for &entry in &self.entries {
            starts[entry as usize + 1] += 1;
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut at = starts.clone();
        let mut entries = vec![0; self.entries.len()];
        for row in 0..self.len() as u32 {
            for &entry in self.row(row) {
                entries[at[entry as usize] as usize] = row;
                at[entry as usize] += 1;
            }
        }
        Self { starts, entries }
    }
}
