//! What a refutation teaches: which atoms of a restriction to take back.
//!
//! A restricted game that is listed to its end without a win is walked again. Every move that the
//! restriction left out names the atoms it breaks; atoms that stand near the root in the way of
//! many moves are the first to go, those that are dear (a queen may be taken) the last.
//!
//! # References
//! * E. Clarke, O. Grumberg, S. Jha, Y. Lu, H. Veith, *Counterexample-guided abstraction
//!   refinement*, 2000 (the plan of the loop).

use super::graph::State;
use super::key::key_of;
use super::listing::{Listing, MADE};
use super::restriction::{Atom, Restriction};
use crate::chess::board::{Board, ChessMove, Role};
use std::collections::HashMap;

/// Positions of a refutation that are looked at, those nearest the root.
const LOOKED_AT: usize = 600;
/// Atoms that a move may break for it to count.
const MOST_ATOMS: usize = 3;
/// A move with its replies judged costs about as much as so many moves made.
const MOVE: u64 = 20;
/// Restrictions that are made of one.
const LESSONS: usize = 6;

/// Lessons of a holder that are also learned together.
const TOGETHER: usize = 4;

/// What it costs to take an atom back, guessed: how much larger the game becomes.
fn price(atom: Atom) -> f32 {
    match atom {
        Atom::Leave(_) | Atom::Beyond(_) | Atom::Astray(_) | Atom::Spare(_) => 1.0,
        Atom::Flights | Atom::Replies | Atom::SpareAll => 1.5,
        Atom::Replier(_) | Atom::Still(_) => 2.0,
        Atom::Attacked | Atom::Mover => 3.0,
        Atom::Taken(role) => match role {
            Role::Pawn => 1.0,
            Role::Knight | Role::Bishop => 2.0,
            Role::Rook => 3.0,
            _ => 4.0,
        },
    }
}

/// What a refutation has taught.
pub(super) struct Lessons {
    /// Looser restrictions, the most promising first.
    pub(super) looser: Vec<Restriction>,
    /// Positions looked at.
    pub(super) looked: u64,
    /// What it has cost, in positions listed.
    pub(super) cost: u64,
}

/// Which atoms stand in the way of the moves of a refuted game.
struct Reader<'a> {
    listing: &'a Listing,
    /// What the replies to a move break, by the key of the position after it.
    replies: HashMap<u64, Vec<Atom>>,
    weights: HashMap<Vec<Atom>, f32>,
    /// Moves made.
    made: u64,
}

impl Reader<'_> {
    /// Weighs the atoms that the moves of a position break.
    fn read(&mut self, id: u32, weight: f32) {
        let board = self.listing.board(id);
        let key = key_of(&board);
        for m in board.legal_moves() {
            let own = self.listing.wrong_with_move(id, &board, &m);
            if own.is_some() && self.listing.rules.is_walk() {
                continue;
            }
            let key = self.listing.play_key(&board, key, &m);
            if self.listing.keeps(key) && own.is_none() {
                continue;
            }
            let (listing, made) = (self.listing, &mut self.made);
            let replies = self.replies.entry(key).or_insert_with(|| {
                *made += 1;
                broken(listing, &board, &m)
            });
            if replies.len() + usize::from(own.is_some()) > MOST_ATOMS {
                continue;
            }
            // A holder may capture everywhere or nowhere.
            let own = own.map(|atom| if self.listing.is_hold() { atom.anywhere() } else { atom });
            let atoms: Vec<Atom> = own.into_iter().chain(replies.iter().copied()).collect();
            if !atoms.is_empty() {
                *self.weights.entry(atoms).or_default() += weight;
            }
        }
    }
}

/// The atoms that the replies to a move break, one more than [`MOST_ATOMS`] at most; empty if it is
/// kept, or lost for another reason.
fn broken(listing: &Listing, board: &Board, m: &ChessMove) -> Vec<Atom> {
    let next = board.after(*m);
    let replies = next.legal_moves();
    let mut atoms: Vec<Atom> = listing.rules.wrong_with_number(&replies).into_iter().collect();
    for (reply, wrong) in listing.rules.judged(&next, m.to(), &replies) {
        if let Some(atom) = wrong
            && !atoms.contains(&atom)
            && !listing.exit_loses(&next, reply)
        {
            atoms.push(atom);
        }
        if atoms.len() > MOST_ATOMS {
            break;
        }
    }
    atoms.sort_unstable();
    atoms
}

/// What a listing that has ended without a win teaches.
pub(super) fn lessons(listing: &Listing) -> Lessons {
    let mut reader = Reader { listing, replies: HashMap::new(), weights: HashMap::new(), made: 0 };
    let spread = listing.own.iter().enumerate().filter(|(_, own)| own.state != State::Known);
    let mut looked = 0;
    for (id, own) in spread.take(LOOKED_AT) {
        reader.read(id as u32, 1.0 / f32::from(own.depth + 1));
        looked += 1;
    }
    let cost = (reader.made * MOVE / MADE).max(looked);
    let worth = |(atoms, weight): (Vec<Atom>, f32)| {
        let price: f32 =
            atoms.iter().map(|&atom| price(atom)).product::<f32>() * atoms.len() as f32;
        (weight / price, atoms)
    };
    let mut ranked: Vec<(f32, Vec<Atom>)> = reader.weights.into_iter().map(worth).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let without =
        |atoms: &Vec<Atom>| atoms.iter().fold(listing.rules, |rules, &atom| rules.without(atom));
    let mut looser: Vec<Restriction> =
        ranked.iter().take(LESSONS).map(|(_, atoms)| without(atoms)).collect();
    if listing.is_hold() && ranked.len() > 1 {
        // A region lacks several squares mostly: the first few together.
        let first: Vec<Atom> = ranked.iter().take(TOGETHER).flat_map(|(_, a)| a.clone()).collect();
        looser.insert(1, without(&first));
    }
    Lessons { looser, looked, cost }
}
