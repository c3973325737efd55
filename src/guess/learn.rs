//! What a refutation teaches: which atoms of a restriction to take back.
//!
//! A restricted game that is listed to its end without a win is walked again. Every move that the
//! restriction left out names the atoms it breaks; atoms that stand near the root in the way of
//! many moves are the first to go, those that are dear (a queen may be taken) the last.
//!
//! # References
//! * E. Clarke, O. Grumberg, S. Jha, Y. Lu, H. Veith, *Counterexample-guided abstraction
//!   refinement*, 2000 (the plan of the loop).

use super::listing::{Listing, State};
use super::restriction::{Atom, Restriction};
use crate::chess::board::{Board, ChessMove, Role};
use std::collections::HashMap;

/// Positions of a refutation that are looked at, those nearest the root.
const LOOKED_AT: usize = 600;
/// Atoms that a move may break for it to count.
const MOST_ATOMS: usize = 3;
/// Restrictions that are made of one.
const LESSONS: usize = 6;

/// What it costs to take an atom back, guessed: how much larger the game becomes.
fn price(atom: Atom) -> f32 {
    match atom {
        Atom::Leave(_) | Atom::Beyond(_) | Atom::Spare(_) => 1.0,
        Atom::Flights | Atom::Replies => 1.5,
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

/// The atoms that a move from a position breaks; empty if it is kept, or lost for another reason.
fn broken(listing: &Listing, id: u32, board: &Board, m: &ChessMove) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = listing.wrong_with_move(id, board, m).into_iter().collect();
    if listing.rules.is_walk() && !atoms.is_empty() {
        return Vec::new();
    }
    let next = board.after(*m);
    let replies = next.legal_moves();
    atoms.extend(listing.rules.wrong_with_number(&replies));
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

/// Looser restrictions, the most promising first, after a refutation.
pub(super) fn lessons(listing: &Listing) -> Vec<Restriction> {
    let mut weights: HashMap<Vec<Atom>, f32> = HashMap::new();
    let looked = listing.own.iter().enumerate().filter(|(_, own)| own.state != State::Known);
    for (id, own) in looked.take(LOOKED_AT) {
        let board = listing.board(id as u32);
        for m in board.legal_moves() {
            let atoms = broken(listing, id as u32, &board, &m);
            if !atoms.is_empty() && atoms.len() <= MOST_ATOMS {
                *weights.entry(atoms).or_default() += 1.0 / f32::from(own.depth + 1);
            }
        }
    }
    let worth = |(atoms, weight): (Vec<Atom>, f32)| {
        let price: f32 =
            atoms.iter().map(|&atom| price(atom)).product::<f32>() * atoms.len() as f32;
        (weight / price, atoms)
    };
    let mut ranked: Vec<(f32, Vec<Atom>)> = weights.into_iter().map(worth).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let without =
        |atoms: &Vec<Atom>| atoms.iter().fold(listing.rules, |rules, &atom| rules.without(atom));
    ranked.iter().take(LESSONS).map(|(_, atoms)| without(atoms)).collect()
}
