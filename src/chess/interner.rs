//! Positions interned: a `u32` id for each distinct position, none kept as a board object.

use super::Packed;
use hashbrown::HashTable;

/// A set of positions of at most `men` men, numbered from 0 in order of insertion.
///
/// A position takes [`Packed::bytes`] of `men` (12 bytes for three or four men, 14 for seven, 26
/// for 32) and 5 to 11 bytes of hash table. Look-up and insertion are O(1), about 50–100 ns once
/// the table has outgrown the caches.
#[derive(Debug, Clone)]
pub struct Interner {
    stride: usize,
    bytes: Vec<u8>,
    table: HashTable<u32>,
}

fn hash(p: &Packed) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |h: u64, x: u64| (h ^ x).wrapping_mul(K).rotate_left(29);
    let h = mix(
        mix(p.occupied.wrapping_mul(K), p.men as u64),
        (p.men >> 64) as u64 ^ u64::from(p.state),
    );
    h ^ h >> 32
}

impl Interner {
    /// An empty set for positions of at most `men` men (at most 32).
    pub fn new(men: usize) -> Self {
        Self { stride: Packed::bytes(men), bytes: Vec::new(), table: HashTable::new() }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.stride
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes held by the set.
    pub fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.table.capacity() * 8 / 7 * 5) as u64
    }

    /// The position of an id.
    ///
    /// # Panics
    /// If no position has it.
    pub fn at(&self, id: u32) -> Packed {
        let start = id as usize * self.stride;
        Packed::read(&self.bytes[start..start + self.stride]).expect("written by this set").0
    }

    fn equal(bytes: &[u8], stride: usize, id: u32, key: &[u8]) -> bool {
        let start = id as usize * stride;
        &bytes[start..start + key.len()] == key
    }

    /// The id of a position, if it is in the set.
    pub fn get(&self, p: &Packed) -> Option<u32> {
        if Packed::bytes(p.len()) > self.stride {
            return None;
        }
        let mut key = [0; 32];
        let used = p.write(&mut key);
        self.table
            .find(hash(p), |&id| Self::equal(&self.bytes, self.stride, id, &key[..used]))
            .copied()
    }

    /// The id of a position, and whether it is new.
    ///
    /// # Panics
    /// If it has more men than the set was made for, or the set holds 2^32 positions.
    pub fn insert(&mut self, p: &Packed) -> (u32, bool) {
        let mut key = [0; 32];
        let used = p.write(&mut key);
        assert!(used <= self.stride, "more men than the set was made for");
        let (stride, bytes) = (self.stride, &self.bytes);
        let hash_of = |&id: &u32| {
            let start = id as usize * stride;
            hash(&Packed::read(&bytes[start..start + stride]).expect("written by this set").0)
        };
        let same = |&id: &u32| Self::equal(bytes, stride, id, &key[..used]);
        match self.table.entry(hash(p), same, hash_of) {
            hashbrown::hash_table::Entry::Occupied(found) => (*found.get(), false),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = u32::try_from(bytes.len() / stride).expect("fewer than 2^32 positions");
                free.insert(id);
                self.bytes.extend_from_slice(&key[..stride]);
                (id, true)
            }
        }
    }
}
