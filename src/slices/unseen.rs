//! What is taken to be true of slices that are not at hand, by level: nothing, a guess, or every
//! hope. Sets are kept within limits and made anew.

use super::exits::Hope;
use super::guess;
use super::key::{Key, Place};
use super::rows::{Sets, legal_won_into};
use super::store::{FEARED, HOPED};
use hashbrown::HashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Guesses that are kept.
const MOST_GUESSES: usize = 40_000;

/// Sets of slices with an officer that are not at hand, kept: 64 MiB.
const MOST_ASSUMED: usize = 1000;

/// The same with two officers: 128 MiB.
const MOST_DUELS: usize = 32;
/// Bytes of the sets of such a slice.
const DUEL: u64 = 4 << 20;

/// Sets that are taken.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    /// Guesses for slices of kings and pawns, 1 KiB each.
    guesses: RefCell<HashMap<Key, Arc<Sets>>>,
    /// What is taken of slices with an officer that are not at hand, 64 KiB each.
    assumed: RefCell<HashMap<(Key, Hope), Arc<Sets>>>,
    /// The same with two, 4 MiB each.
    duels: RefCell<HashMap<(Key, Hope), Arc<Sets>>>,
    /// Sets of such slices, all won, that are not asked for any more: to touch new memory takes longer than to
    /// fill theirs.
    spare: RefCell<Vec<Sets>>,
}

/// What is taken of a slice at a level.
fn hope(key: &Key, level: usize) -> Hope {
    match level {
        // Without a man that can win nothing is hoped for.
        _ if key.ours == 0 && !key.is_large() => Hope::Nothing,
        0 | HOPED => Hope::Nothing,
        1 | FEARED => Hope::Guess,
        _ => Hope::All,
    }
}

impl Unseen {
    /// Forgets all of them.
    pub(super) fn clear(&self) {
        self.guesses.borrow_mut().clear();
        self.assumed.borrow_mut().clear();
        self.duels.borrow_mut().clear();
        self.spare.borrow_mut().clear();
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        1100 * self.guesses.borrow().len() as u64
            + 66_000 * self.assumed.borrow().len() as u64
            + DUEL * (self.duels.borrow().len() + self.spare.borrow().len()) as u64
    }

    /// What is taken for the sets of a slice that is not at hand.
    pub(super) fn sets(&self, key: &Key, level: usize) -> Arc<Sets> {
        let assumed = hope(key, level);
        let make = || {
            Arc::new(match assumed {
                Hope::Nothing => Sets::nothing(key),
                Hope::Guess => guess::guess(key),
                Hope::All => self.all_won(key),
            })
        };
        if key.is_vast() {
            make()
        } else if key.kind() > 0 {
            let (kept, most) = if key.kind() > 1 {
                (&self.duels, MOST_DUELS)
            } else {
                (&self.assumed, MOST_ASSUMED)
            };
            let mut kept = kept.borrow_mut();
            if kept.len() >= most {
                let duels =
                    kept.drain().filter(|((key, hope), _)| key.kind() > 1 && *hope == Hope::All);
                self.spare.borrow_mut().extend(duels.filter_map(|(_, sets)| Arc::into_inner(sets)));
            }
            Arc::clone(kept.entry((*key, assumed)).or_insert_with(make))
        } else if assumed == Hope::Guess {
            self.guessed(key)
        } else {
            make()
        }
    }

    /// All legal positions are won.
    fn all_won(&self, key: &Key) -> Sets {
        let spare = if key.kind() == 2 { self.spare.borrow_mut().pop() } else { None };
        let nothing = || Sets { open: vec![0; key.rows()], won: Vec::new() };
        let mut sets = spare.unwrap_or_else(nothing);
        legal_won_into(key, &mut sets.won);
        sets
    }

    /// The guess for a slice of kings and pawns.
    fn guessed(&self, key: &Key) -> Arc<Sets> {
        let mut guesses = self.guesses.borrow_mut();
        if guesses.len() > MOST_GUESSES {
            guesses.clear();
        }
        Arc::clone(guesses.entry(*key).or_insert_with(|| Arc::new(guess::guess(key))))
    }

    /// What is taken to be true of a position whose slice is not at hand, or not at this level.
    pub(super) fn is_won(&self, key: &Key, place: &Place, level: usize) -> bool {
        match hope(key, level) {
            Hope::Nothing => false,
            Hope::Guess if key.kind() > 0 => guess::is_won(key, place),
            Hope::Guess => self.guessed(key).has(key, place),
            Hope::All => true,
        }
    }
}
