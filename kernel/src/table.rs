//! The set of the positions that a section answers.
//!
//! One invariant carries every proof: *what is found was put there*. Whole positions are compared,
//! so neither the hash function nor the order of the slots needs any property. The table is made
//! for the number of entries that the file has, and does not grow.

use super::meter::{Abandoned, Meter};
use super::packed::Packed;
use std::borrow::Cow;

/// Positions with a rank each: 8 bytes a slot, at least four slots for three positions; and the
/// positions' bytes, which are the file's own unless they had to be turned.
pub(crate) struct Table<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where the position begins in `bytes`, or [`FREE`]; and its rank.
    slots: Vec<(u32, u32)>,
}

const FREE: u32 = u32::MAX;

/// The slots for this many positions: a power of two, a quarter of them free at least.
pub(crate) fn slots_for(entries: u32) -> u64 {
    (u64::from(entries) * 4 / 3 + 2).next_power_of_two()
}

/// Bytes that a table of this many positions takes at most, of this many men if it turns them.
pub(crate) fn memory(entries: u32, turned: Option<usize>) -> u64 {
    8 * slots_for(entries) + turned.map_or(0, |men| u64::from(entries) * Packed::bytes(men) as u64)
}

/// Spreads positions; no property of it is needed.
pub(crate) fn hash(p: &Packed) -> usize {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |h: u64, x: u64| (h ^ x).wrapping_mul(K).rotate_left(29);
    let high = (p.men >> 64) as u64 ^ u64::from(p.state);
    let h = mix(mix(p.occupied.wrapping_mul(K), p.men as u64), high);
    (h ^ h >> 32) as usize
}

impl<'a> Table<'a> {
    /// A table for this many positions, which stand in the file; `None`: they will be copied.
    pub(crate) fn new(entries: u32, file: Option<&'a [u8]>) -> Self {
        let bytes = file.map_or(Cow::Owned(Vec::new()), Cow::Borrowed);
        Self { bytes, slots: vec![(FREE, 0); slots_for(entries) as usize] }
    }

    /// The slot of a position, or the free one where it belongs. A file may be made so that many
    /// positions want the same slot: every step is counted.
    fn slot(&self, p: &Packed, meter: &mut Meter<'_>) -> Result<Option<usize>, Abandoned> {
        let mut key = [0; 32];
        let used = p.write(&mut key);
        let mask = self.slots.len() - 1;
        let start = hash(p) & mask;
        for slot in (0..self.slots.len()).map(|step| (start + step) & mask) {
            let at = self.slots[slot].0;
            if at == FREE || self.bytes.get(at as usize..at as usize + used) == Some(&key[..used]) {
                return Ok(Some(slot));
            }
            meter.spend(1)?;
        }
        Ok(None)
    }

    /// The rank of a position that was put there.
    pub(crate) fn get(&self, p: &Packed, meter: &mut Meter<'_>) -> Result<Option<u32>, Abandoned> {
        let (at, rank) = self.slot(p, meter)?.map_or((FREE, 0), |slot| self.slots[slot]);
        Ok((at != FREE).then_some(rank))
    }

    /// Puts a position there that stands at this place of the file; whether it is new.
    pub(crate) fn insert(
        &mut self,
        p: &Packed,
        at: usize,
        rank: u32,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Abandoned> {
        let free = self.slot(p, meter)?.filter(|&slot| self.slots[slot].0 == FREE);
        let Some(slot) = free else { return Ok(false) };
        let at = match &mut self.bytes {
            Cow::Borrowed(_) => at,
            Cow::Owned(bytes) => {
                let mut key = [0; 32];
                let used = p.write(&mut key);
                bytes.extend_from_slice(&key[..used]);
                bytes.len() - used
            }
        };
        let Some(at) = u32::try_from(at).ok().filter(|&at| at != FREE) else { return Ok(false) };
        self.slots[slot] = (at, rank);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions made to want one slot: no more is done between two questions than elsewhere.
    #[test]
    fn positions_that_want_one_slot_run_into_the_limits() {
        const MANY: u32 = 2000;
        let mask = slots_for(MANY) as usize - 1;
        // Eight men, of any kinds.
        let mut all = (0u128..).map(|men| Packed { occupied: 0xff, men, state: 0 });
        let wanted: Vec<Packed> =
            all.by_ref().filter(|p| hash(p) & mask == 7).take(MANY as usize).collect();
        let fill = |most: u64| {
            let mut questions = 0u64;
            let mut go_on = |_: u64| {
                questions += 1;
                questions < most
            };
            let mut meter = Meter::new(&mut go_on);
            let mut table = Table::new(MANY, None);
            let filled =
                wanted.iter().try_for_each(|p| table.insert(p, 0, 1, &mut meter).map(drop));
            (filled.is_ok(), questions)
        };
        let (filled, questions) = fill(u64::MAX);
        assert!(filled && questions > 400, "two million steps: {questions}");
        assert_eq!(fill(10), (false, 10));
    }
}
