//! Key squares and corresponding squares of a pawn ending, read off its slice: the theory of
//! Bianchetti, Duchamp and Halberstadt, computed.
//!
//! The pawns stand still; for every placement of the kings, whoever is to move, it is asked whether
//! the attacker wins. A *key square*: with its king there the attacker wins wherever the other king
//! is and whoever is to move, unless that king attacks a pawn. *Corresponding squares*: whoever is
//! to move would rather not be. With the attacker's king on the one and the defender's on the
//! other, the attacker wins if the defender is to move and does not if it is to move itself: a
//! reciprocal zugzwang.
//!
//! # References
//! * R. Bianchetti, *Contributo alla teoria dei finali di soli pedoni*, 1925.
//! * M. Duchamp, V. Halberstadt, *L'opposition et les cases conjuguées sont réconciliées*, 1932.

use super::bits::{KING, bit, squares};
use super::crew::Known;
use super::engine::Analysis;
use super::key::{Key, Place};
use crate::chess::board::Board;
use crate::chess::{Packed, Side, code};
use crate::limits::{Budget, StopReason};
use std::time::Duration;

/// Time for one placement's first attempt; each round has twice as much.
const FIRST: Duration = Duration::from_millis(100);

/// What a pawn ending's squares mean for one side's win. Squares are numbered from a1 = 0 to
/// h8 = 63.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Squares {
    /// Whose win it is about.
    pub attacker: Side,
    /// The key squares of the attacker's king, ascending.
    pub key: Vec<u8>,
    /// Squares of the attacker's king that have corresponding ones, each with those of the other
    /// king, ascending.
    pub corresponding: Vec<(u8, Vec<u8>)>,
    /// Placements of the kings, with a side to move, that are not decided. Where there are any,
    /// squares may be missing, and none is there that should not be.
    pub open: usize,
    /// Why they are not decided.
    pub stop: Option<StopReason>,
}

/// By the attacker's king: where the other king stands in won, and in other decided positions.
#[derive(Clone, Copy)]
struct Decided {
    legal: [u64; 64],
    won: [u64; 64],
    not: [u64; 64],
}

impl Decided {
    fn is_open(&self, king: u8, other: u8) -> bool {
        let at = usize::from(king);
        self.legal[at] & !(self.won[at] | self.not[at]) & bit(other) != 0
    }
}

impl Analysis {
    /// The key squares and corresponding squares of a position's pawns for a side's win; the kings
    /// and the side to move of `board` do not matter. None where more than kings and pawns are on
    /// the board. About 7,000 questions to one slice, most of which are answered together.
    pub fn squares(&mut self, board: &Board, attacker: Side, budget: &Budget) -> Option<Squares> {
        let (key, _) = Key::of(board, attacker).filter(|(key, _)| key.kind() == 0)?;
        let mut decided = [true, false].map(|ours| Decided {
            legal: legal(&key, ours),
            won: [0; 64],
            not: [0; 64],
        });
        let (mut time, mut stop) = (FIRST, None);
        let mut open = usize::MAX;
        while open > 0 {
            let mut hopeless = true;
            open = 0;
            for place in places(&key) {
                let [ours, theirs] = &mut decided;
                let table = if place.ours { ours } else { theirs };
                if !table.is_open(place.king, place.other) {
                    continue;
                }
                let Some(there) = placed(&key, &place, attacker) else { continue };
                let end = budget.check(0, 0).err();
                let reason = end.or_else(|| self.pursue(&there, &budget.part(time)));
                let row = usize::from(place.king);
                match self.wins(&there, attacker) {
                    Known::Wins => table.won[row] |= bit(place.other),
                    Known::Not => table.not[row] |= bit(place.other),
                    Known::Open => {
                        open += 1;
                        stop = end.or(reason);
                        hopeless &= reason != Some(StopReason::Time);
                    }
                }
            }
            if let Err(reason) = budget.check(0, 0) {
                stop = Some(reason);
                break;
            }
            if hopeless {
                break;
            }
            time *= 2;
        }
        let stop = stop.filter(|_| open > 0);
        Some(read(&key, attacker, &decided, open, stop))
    }
}

/// All placements of the kings, with either side to move.
fn places(key: &Key) -> Vec<Place> {
    let free = !key.pawns();
    let kings = squares(free).flat_map(|king| squares(free).map(move |other| (king, other)));
    let both = kings.flat_map(|(king, other)| {
        [true, false].map(|ours| Place { king, other, men: [0; 3], ours })
    });
    both.filter(|place| key.is_legal(place)).collect()
}

/// By the attacker's king: where the other king may stand.
fn legal(key: &Key, ours: bool) -> [u64; 64] {
    let mut rows = [0; 64];
    for place in places(key).into_iter().filter(|place| place.ours == ours) {
        rows[usize::from(place.king)] |= bit(place.other);
    }
    rows
}

/// The board of a place.
fn placed(key: &Key, place: &Place, attacker: Side) -> Option<Board> {
    let white = attacker == Side::White;
    let turn = if white { 0 } else { 56 };
    let to_move = place.ours == white;
    let mut p = Packed { occupied: 0, men: 0, state: u16::from(!to_move) };
    let [own, other] = if white { [0, code::BLACK] } else { [code::BLACK, 0] };
    let pawns = |set: u64, side: u8| squares(set).map(move |square| (square, side + code::PAWN));
    let men = pawns(key.ours, own).chain(pawns(key.theirs, other));
    let kings = [(place.king, own + code::KING), (place.other, other + code::KING)];
    for (square, man) in men.chain(kings) {
        p = p.with(square ^ turn, man);
    }
    Board::from_packed(&p).ok()
}

/// What the decided placements say.
fn read(
    key: &Key,
    attacker: Side,
    [ours, theirs]: &[Decided; 2],
    open: usize,
    stop: Option<StopReason>,
) -> Squares {
    let turn = if attacker == Side::White { 0 } else { 56 };
    let named = |set: u64| {
        let mut list: Vec<u8> = squares(set).map(|square| square ^ turn).collect();
        list.sort_unstable();
        list
    };
    let near_pawns = squares(key.ours).fold(0, |near, pawn| near | KING[usize::from(pawn)]);
    let is_key = |king: &u8| {
        let at = usize::from(*king);
        let lost = |table: &Decided| table.legal[at] & !table.won[at] & !near_pawns;
        theirs.legal[at] != 0 && lost(ours) == 0 && lost(theirs) == 0
    };
    let free = !key.pawns();
    let keys = squares(free).filter(is_key).fold(0, |set, king| set | bit(king));
    let pairs = squares(free).filter_map(|king| {
        let at = usize::from(king);
        let others = named(theirs.won[at] & ours.not[at]);
        (!others.is_empty()).then_some((king ^ turn, others))
    });
    let mut corresponding: Vec<(u8, Vec<u8>)> = pairs.collect();
    corresponding.sort_unstable();
    Squares { attacker, key: named(keys), corresponding, open, stop }
}
