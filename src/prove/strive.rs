//! Striving as a source of aims for chains: close positions of the endgame library that are won,
//! and endings one capture away that tables know to be won.
//!
//! Nothing of it is believed: an aim is proved like any other, and what follows from its ends has
//! to be proved too.
//!
//! # References
//! A. D. Yudin, *The endgame library of the program PIONEER*, §3.10–3.18; docs/theory.md §14.

use crate::aim::{Atom, Goal};
use crate::chess::Outcome;
use crate::chess::Side;
use crate::chess::board::{Board, ChessMove, Piece, Role, Square};
use crate::library::endgames::Class;
use crate::library::striving::{Bounds, Close, Planned, strive};
use crate::pioneer::men::Men;
use crate::pioneer::{aims, words};
use std::rc::Rc;

/// Something to strive for. About 1 KiB.
#[derive(Debug)]
pub(super) struct Strive {
    /// The aim, of the form AF φ.
    pub(super) aim: Goal,
    /// The claim in words.
    pub(super) claim: String,
    /// The planned trajectories of the side that strives; where there are none the zones give its
    /// moves.
    pub(super) ways: Vec<Planned>,
}

impl PartialEq for Strive {
    /// The aim says it all.
    fn eq(&self, other: &Self) -> bool {
        self.aim == other.aim
    }
}

impl Strive {
    /// Whether a move is a step of a planned trajectory, or of one that has been begun.
    pub(super) fn plans(&self, m: &ChessMove, mover: Side) -> bool {
        let far = |way: &Planned, at| {
            crate::pioneer::bundle::distance(way.piece, at, way.to).unwrap_or(u8::MAX)
        };
        let nearer =
            |way: &&Planned| m.from().is_some_and(|from| far(way, m.to()) < far(way, from));
        self.ways.iter().any(|way| {
            let own = Piece { side: mover, role: m.role() };
            way.piece == own && nearer(&way)
        })
    }
}

/// How many close positions one aim may name.
const CLOSEST: usize = 12;

/// What the side to move may strive for: won positions of the library, then endings of at most
/// `table_men` men that one capture leads to, what costs the other side most first.
pub(super) fn strivings(board: &Board, classes: &[Class], table_men: usize) -> Vec<Rc<Strive>> {
    let library = by_library(board, classes).into_iter();
    library.chain(endings(board, table_men)).map(Rc::new).collect()
}

fn by_library(board: &Board, classes: &[Class]) -> Option<Strive> {
    let us = board.side_to_move();
    let found = strive(classes, board, Bounds::USUAL);
    let wanted = |close: &&Close| {
        close.in_picture && close.twice_sigma > 0 && close.outcome() == Some(Outcome::Wins(us))
    };
    let close: Vec<&Close> = found.close.iter().filter(wanted).take(CLOSEST).collect();
    let first = close.first()?;
    let stands = |close: &&Close| -> Vec<Atom> {
        let men = close.men.iter().map(|&(piece, square)| aims::on(piece, square));
        men.chain([Atom::ToMove(us.other())]).collect()
    };
    let men: Vec<String> =
        first.men.iter().map(|(piece, square)| format!("{}{square}", piece.char())).collect();
    let others = match close.len() {
        1 => String::new(),
        n => format!(", or one of {} others", n - 1),
    };
    let mut ways: Vec<Planned> = Vec::new();
    for way in close.iter().flat_map(|close| &close.planned).filter(|way| way.piece.side == us) {
        if !ways.contains(way) {
            ways.push(*way);
        }
    }
    Some(Strive {
        aim: Goal::any_of(close.iter().map(stands)),
        claim: format!(
            "{} reaches the won library position {} (class {}, row {}){others}",
            us,
            men.join(" "),
            first.material,
            first.row
        ),
        ways,
    })
}

/// The endings after the capture of one man, each material once.
fn endings(board: &Board, table_men: usize) -> Vec<Strive> {
    let (us, men) = (board.side_to_move(), Men::of(board));
    let own = men.of_side(us);
    if men.occupied().count() > table_men + 1 || own.count() == 1 {
        return Vec::new();
    }
    let of_role =
        |role: Role| -> Option<Square> { (men.of_side(us.other()) & men.of_role(role)).first() };
    let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    let taken = roles.into_iter().filter_map(|role| Some((role, of_role(role)?)));
    let ending = |(role, square): (Role, Square)| {
        let mut after = men;
        after.remove(square);
        let (side, name) = (us, words::table_name(&after));
        let claim =
            format!("{side} captures a {} and reaches {name}, won by the table", words::name(role));
        Strive { aim: aims::signature(&after), claim, ways: Vec::new() }
    };
    taken.map(ending).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::endgames::built_in;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_is_striven_for_can_be_read() {
        let classes = built_in();
        for fen in [
            "1K1k4/1P6/8/8/8/8/r7/2R5 w - -",
            "8/8/8/2k5/8/3K4/3P4/8 w - -",
            "8/8/8/q3k3/8/8/6K1/7R w - -",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let found = strivings(&board, &classes, 4);
            assert!(!found.is_empty(), "{fen}");
            for strive in found {
                let goal = &strive.aim;
                assert!(!goal.holds(&board), "{}", strive.claim);
            }
        }
    }

    #[test]
    fn planned_steps_come_nearer() {
        let board = Board::from_fen("8/8/8/2k5/8/3K4/3P4/8 w - -").unwrap();
        let found = strivings(&board, &built_in(), 2);
        let strive = found.first().expect("close positions");
        assert!(strive.ways.iter().all(|way| way.piece.side == Side::White));
        let steps: Vec<String> = board
            .legal_moves()
            .iter()
            .filter(|m| strive.plans(m, Side::White))
            .map(|m| board.san(*m))
            .collect();
        assert!(!steps.is_empty() && steps.len() < board.legal_moves().len(), "{steps:?}");
        assert_eq!(strivings(&board, &[], 2).len(), 0);
    }
}
