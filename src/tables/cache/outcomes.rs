//! The outcomes of all positions in which some men stand still.

use crate::chess::board::{Role, Square};
use crate::chess::symmetry::Images as _;
use crate::chess::{Outcome, Side};
use crate::limits::Budget;
use crate::tables::TableError;
use crate::tables::index::layout::{Layout, MAX_OTHERS, Man, Squares};
use crate::tables::index::material::{MAX_MEN, Material};
use crate::tables::index::raw::RawSlice;
use crate::tables::index::value::Relative;

use super::tables::Tables;

/// A man beside the kings: on a square, or on any.
pub type Posted = (Side, Role, Option<Square>);

/// A legal position and what it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// The side to move.
    pub to_move: Side,
    /// White's king and Black's.
    pub kings: [Square; 2],
    /// The squares of the men that may stand on any, in the order in which they were given.
    pub free: [Square; 2],
    /// The outcome with best play.
    pub outcome: Outcome,
}

impl Tables {
    /// Calls `each` with every legal position of these men, of which two at most may stand on any
    /// square, both sides to move, no right to capture en passant. Returns whether a table of up to
    /// five men is at hand (nothing is solved). One slice of it is unpacked. Three pieces
    /// are left out, of which that is the whole table ([`Tables::wins_of_pieces`]).
    ///
    /// # Errors
    /// [`TableError::Damaged`] when the stored table turns out to be damaged; it is set aside.
    pub fn outcomes(
        &self,
        men: &[Posted],
        budget: &Budget,
        each: impl FnMut(Ending),
    ) -> Result<bool, TableError> {
        let free = men.iter().filter(|man| man.2.is_none()).count();
        let pieces = men.iter().filter(|man| man.1 != Role::Pawn).count();
        if men.len() + 2 > MAX_MEN || free > 2 || pieces > 2 {
            return Ok(false);
        }
        let (material, flip) = Material::new(men.iter().map(|man| (man.0, man.1)));
        if !self.is_at_hand(material, budget) {
            return Ok(false);
        }
        let packed = self.packed(material)?;
        let scan = Scan::new(&packed.layout, men, flip);
        let slice = packed.layout.slice(&scan.squares).0;
        let raw = packed.unpack_slice(slice).map_err(|damage| self.damaged(material, damage))?;
        scan.run(&raw, each);
        Ok(true)
    }
}

/// A walk through the positions of some men in one slice.
pub(super) struct Scan<'a> {
    pub(super) layout: &'a Layout,
    /// Whether colours are exchanged in the table.
    pub(super) flip: bool,
    /// The men's squares in the order and the orientation of the layout.
    pub(super) squares: Squares,
    /// Where among them those stand that may be anywhere.
    pub(super) free: Vec<usize>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(layout: &'a Layout, men: &[Posted], flip: bool) -> Self {
        let mut scan = Self { layout, flip, squares: [Square::A1; MAX_OTHERS], free: Vec::new() };
        let mut used = vec![false; layout.men.len()];
        for &(side, role, square) in men {
            let side = if flip { side.other() } else { side };
            let fits = |(number, man): &(usize, &Man)| {
                !used[*number] && man.side == side && man.role == role
            };
            let (slot, _) =
                layout.men.iter().enumerate().find(fits).expect("the signature names these men");
            used[slot] = true;
            match square {
                Some(square) => scan.squares[slot] = scan.turned(square),
                None => scan.free.push(slot),
            }
        }
        scan
    }

    pub(super) fn turned(&self, square: Square) -> Square {
        if self.flip { square.flip_vertical() } else { square }
    }

    fn run(&self, raw: &RawSlice, mut each: impl FnMut(Ending)) {
        let classes = Side::ALL.map(|side| self.classes(side));
        let count = 1_usize << (6 * self.free.len());
        for number in 0..count {
            let mut squares = self.squares;
            let mut free = [Square::A1; 2];
            for (place, &slot) in self.free.iter().enumerate() {
                let square = Square::new((number >> (6 * place) & 63) as u32);
                squares[slot] = square;
                free[place] = self.turned(square);
            }
            let apart = |king: &Square| self.layout.occupied(*king, &squares).is_some();
            for king in Square::ALL.into_iter().filter(apart) {
                self.row(raw, &classes, (king, squares, free), &mut each);
            }
        }
    }

    /// The positions with White's king on a square.
    fn row(
        &self,
        raw: &RawSlice,
        classes: &[[Option<Outcome>; 256]; 2],
        (king, squares, free): (Square, Squares, [Square; 2]),
        each: &mut impl FnMut(Ending),
    ) {
        let place = self.layout.place(king, &squares);
        for to_move in Side::ALL {
            let codes = raw.stored(to_move, place.king, place.row);
            for other in Square::ALL {
                let code = codes[place.symmetry.of(other) as usize];
                let Some(outcome) = classes[to_move as usize][usize::from(code)] else { continue };
                let kings = [self.turned(king), self.turned(other)];
                each(if self.flip {
                    let kings = [kings[1], kings[0]];
                    Ending { to_move: to_move.other(), kings, free, outcome }
                } else {
                    Ending { to_move, kings, free, outcome }
                });
            }
        }
    }

    /// What the codes of a side to move mean, with colours as they are on the board.
    fn classes(&self, to_move: Side) -> [Option<Outcome>; 256] {
        let scale = self.layout.scale(to_move);
        let side = |side: Side| if self.flip { side.other() } else { side };
        std::array::from_fn(|code| {
            Some(match scale.decode(code as u8)? {
                Relative::Draw => Outcome::Draw,
                Relative::Win(_) => Outcome::Wins(side(to_move)),
                Relative::Loss(_) => Outcome::Wins(side(to_move.other())),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Value;
    use crate::chess::board::Board;
    use pretty_assertions::assert_eq;

    /// Every position of KRvKP and KPvKR with one placement of the pawn, against single probes.
    #[test]
    fn outcomes_are_those_of_single_probes() {
        let tables = Tables::in_memory();
        let budget = Budget::default();
        tables.ensure("KRvKP".parse().unwrap(), &budget).unwrap();
        for (pawn, at) in [(Side::Black, Square::F3), (Side::White, Square::B6)] {
            let men = [(pawn, Role::Pawn, Some(at)), (pawn.other(), Role::Rook, None)];
            let mut found = Vec::new();
            assert!(tables.outcomes(&men, &budget, |ending| found.push(ending)).unwrap());
            let mut legal = 0;
            for ending in found.iter().step_by(97) {
                let mut codes = [' '; 64];
                let [white, black] = ending.kings;
                let case = |side: Side, man: char| match side {
                    Side::White => man.to_ascii_uppercase(),
                    Side::Black => man,
                };
                codes[white as usize] = 'K';
                codes[black as usize] = 'k';
                codes[at as usize] = case(pawn, 'p');
                codes[ending.free[0] as usize] = case(pawn.other(), 'r');
                let rows = codes.chunks(8).rev().map(|row| {
                    row.iter().map(|c| if *c == ' ' { '1' } else { *c }).collect::<String>()
                });
                let to_move = ending.to_move.pick('w', 'b');
                let fen = format!("{} {to_move} - -", rows.collect::<Vec<_>>().join("/"));
                let board = Board::from_fen(&fen).unwrap();
                let value = tables.probe(&board).unwrap().unwrap();
                let outcome = match value {
                    Value::Wins(side, _) => Outcome::Wins(side),
                    Value::Draw => Outcome::Draw,
                };
                assert_eq!(ending.outcome, outcome, "{fen}");
                legal += 1;
            }
            assert!(legal > 2_000, "{legal}");
        }
    }

    #[test]
    fn what_is_not_at_hand_is_not_solved() {
        let men = [(Side::White, Role::Rook, None)];
        let each = |_| panic!("no position is told");
        assert!(!Tables::in_memory().outcomes(&men, &Budget::default(), each).unwrap());
    }
}
