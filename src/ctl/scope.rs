//! The names of a text: variables and definitions.

use super::arena::{Id, Symbol};
use super::error::{Fault, Place};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// What a name stands for.
#[derive(Clone, Copy)]
enum Binding {
    Variable(Symbol, Id),
    /// Its definition is being read.
    Open,
    Defined(Id),
}

struct Entry {
    /// Where its text ends in `Scope::text`; it begins where the text of the entry before it ends.
    end: usize,
    binding: Binding,
    /// Of the first use of a variable, or of the definition.
    place: Place,
}

/// All names of a text. Their text once, and about 40 bytes each.
#[derive(Default)]
pub(super) struct Scope {
    entries: Vec<Entry>,
    text: String,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// What the use of a name finds.
pub(super) enum Use {
    Known(Id),
    /// A variable used for the first time: [`Scope::bind`] it.
    New(u32),
}

impl Scope {
    fn name(&self, entry: u32) -> &str {
        let start = entry.checked_sub(1).map_or(0, |before| self.entries[before as usize].end);
        &self.text[start..self.entries[entry as usize].end]
    }

    /// The entry of a name, or the new one made for it.
    fn entry(&mut self, name: &str, place: Place) -> Result<u32, u32> {
        let hash = self.hasher.hash_one(name);
        if let Some(&found) = self.table.find(hash, |&entry| self.name(entry) == name) {
            return Ok(found);
        }
        let new = u32::try_from(self.entries.len()).expect("fewer than 2^32 names");
        self.text.push_str(name);
        self.entries.push(Entry { end: self.text.len(), binding: Binding::Open, place });
        // The table borrows the names while it grows, so it leaves the scope for the insertion.
        let mut table = std::mem::take(&mut self.table);
        table.insert_unique(hash, new, |&entry| self.hasher.hash_one(self.name(entry)));
        self.table = table;
        Err(new)
    }

    /// Looks a used name up.
    pub(super) fn use_name(&mut self, name: &str, place: Place) -> Result<Use, Fault> {
        match self.entry(name, place) {
            Err(new) => Ok(Use::New(new)),
            Ok(entry) => match self.entries[entry as usize].binding {
                Binding::Variable(_, id) | Binding::Defined(id) => Ok(Use::Known(id)),
                Binding::Open => Err(Fault::Cyclic { place, name: name.to_owned() }),
            },
        }
    }

    /// Makes a name that [`Scope::use_name`] found new a variable.
    pub(super) fn bind(&mut self, entry: u32, symbol: Symbol, id: Id) {
        self.entries[entry as usize].binding = Binding::Variable(symbol, id);
    }

    /// Begins the definition of a name.
    pub(super) fn open(&mut self, name: &str, place: Place) -> Result<u32, Fault> {
        self.entry(name, place).map_or_else(Ok, |entry| {
            let Entry { binding, place: first, .. } = self.entries[entry as usize];
            let name = name.to_owned();
            Err(match binding {
                Binding::Variable(..) => Fault::UsedBefore { place, name, first_use: first },
                Binding::Open | Binding::Defined(_) => Fault::Redefined { place, name, first },
            })
        })
    }

    /// Ends the definition of a name.
    pub(super) fn close(&mut self, entry: u32, formula: Id) {
        self.entries[entry as usize].binding = Binding::Defined(formula);
    }

    /// The variables with the places of their first use, in that order.
    pub(super) fn into_variables(self) -> Vec<(Symbol, Place)> {
        self.entries
            .into_iter()
            .filter_map(|entry| match entry.binding {
                Binding::Variable(symbol, _) => Some((symbol, entry.place)),
                Binding::Open | Binding::Defined(_) => None,
            })
            .collect()
    }
}
