//! Positions of a signature by the squares of their men, all images included: for claims about
//! every position.

use rayon::prelude::*;

use crate::chess::board::{Board, BySide, Piece, Position, Role, Sides, Square, code_of};
use crate::chess::{Packed as PackedPosition, Side, Value, Vector, fen};
use crate::limits::Budget;

use super::tables::Tables;
use super::visit::Stand;
use super::visit::orbit_weights;
use crate::chess::Turn;
use crate::chess::symmetry::Images;
use crate::tables::TableError;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::{MAX_MEN, Material};
use crate::tables::index::raw::RawSlice;
use crate::tables::index::symmetry::KingSquares;

/// A position of a signature: where its men stand, in the order of [`Material::men_in_order`]
/// (White's king, Black's king, the others), like men by rising square. Seven bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The side to move.
    pub to_move: Side,
    /// The squares of the men; unused ones are a1.
    pub squares: [Square; MAX_MEN],
    /// The file (0..8) of a pawn that can be captured en passant.
    pub mark: Option<u8>,
}

impl Material {
    /// The men, kings first: White's king, Black's king, then pieces before pawns, White's before
    /// Black's, the strongest first.
    pub fn men_in_order(&self) -> Vec<Piece> {
        let king = |side: Side| Piece { side, role: Role::King };
        let kings = [king(Side::White), king(Side::Black)];
        let men = |pawns: bool| self.list().filter(move |m| (m.1 == Role::Pawn) == pawns);
        let others = men(false).chain(men(true)).map(|(side, role)| Piece { side, role });
        kings.into_iter().chain(others).collect()
    }
}

impl Placement {
    /// The placements of a board in the terms of its signature, with whether the colours had to be
    /// exchanged: one, or two where both sides have the same men; none where tables do not cover
    /// it.
    pub fn views(board: &Board) -> impl Iterator<Item = (Material, Self, bool)> + use<> {
        let men = board.chess().board();
        let others = men.occupied() & !men.by_role(Role::King);
        let covered = Tables::covers(board);
        let pieces =
            others.into_iter().filter_map(|s| men.man(s)).take(if covered { MAX_MEN } else { 0 });
        let (material, flip) = Material::new(pieces.map(|p| (p.side, p.role)));
        let order = material.men_in_order();
        let same = order
            .iter()
            .all(|p| material.count(p.side, p.role) == material.count(p.side.other(), p.role));
        let flips: &[bool] = match (covered, same, flip) {
            (false, _, _) => &[],
            (_, true, _) => &[false, true],
            (_, false, false) => &[false],
            (_, false, true) => &[true],
        };
        let views: Vec<(Material, Self, bool)> =
            flips.iter().map(|&flip| (material, Self::view(board, &order, flip), flip)).collect();
        views.into_iter()
    }

    fn view(board: &Board, order: &[Piece], flip: bool) -> Self {
        let chess = board.chess();
        let side = |side: Side| if flip { side.other() } else { side };
        let mut view = Self {
            to_move: side(chess.side_to_move()),
            squares: [Square::A1; MAX_MEN],
            mark: None,
        };
        let mut at = 0;
        while at < order.len() {
            let alike = order[at..].iter().take_while(|p| **p == order[at]).count();
            let stand =
                chess.board().standing(Piece { side: side(order[at].side), role: order[at].role });
            let stand = if flip { stand.flip_vertical() } else { stand };
            view.squares[at..at + alike]
                .iter_mut()
                .zip(stand)
                .for_each(|(slot, square)| *slot = square);
            at += alike;
        }
        view.mark = chess.legal_ep_square().map(|square| square.file() as u8);
        view
    }

    /// The position, `fide` profile; it is legal when the placement came from a table.
    pub fn packed(&self, material: Material) -> PackedPosition {
        let mut y = Vector::EMPTY;
        for (piece, square) in material.men_in_order().into_iter().zip(self.squares) {
            y[square as usize + 1] = code_of(piece);
        }
        y[0] = self.to_move.pick(0, 1);
        y[self.to_move.pick(66, 65)] = self.mark.map_or(0, |file| file + 1);
        PackedPosition::from(&y)
    }

    /// The FEN of the position.
    pub fn fen(&self, material: Material) -> String {
        fen(&self.packed(material).vector().expect("a placement packs a vector"))
    }
}

/// The images that a stored position of a signature stands for, itself among them.
fn images(kings: KingSquares, weight: u64) -> &'static [Turn] {
    match (kings, weight) {
        (KingSquares::Board, _) => &Turn::ALL[..2],
        // On the diagonal a1–h8 with its transposed image: the same position.
        (KingSquares::Triangle, 4) => &Turn::ALL[..4],
        (KingSquares::Triangle, _) => &Turn::ALL,
    }
}

/// The images of a stored position, as placements.
fn placements(stand: &Stand<'_>, weight: u64, mark: Option<u8>) -> impl Iterator<Item = Placement> {
    let men = stand.layout.men.len();
    let alike: [bool; MAX_MEN] = std::array::from_fn(|i| {
        i > 2 && i < men + 2 && stand.layout.men[i - 2] == stand.layout.men[i - 3]
    });
    let mut squares = [Square::A1; MAX_MEN];
    (squares[0], squares[1]) = (stand.king, stand.other);
    squares[2..2 + men].copy_from_slice(&stand.squares[..men]);
    let to_move = stand.to_move;
    images(stand.layout.kings, weight).iter().map(move |symmetry| {
        let mut image = squares;
        for square in &mut image[..men + 2] {
            *square = symmetry.of(*square);
        }
        // Three like men at most: two passes put them in order.
        for i in [3, 4, 3] {
            if alike[i] && image[i - 1] > image[i] {
                image.swap(i - 1, i);
            }
        }
        // Only mirrored files occur with pawns.
        let mark = mark.map(|file| if *symmetry == Turn::NONE { file } else { 7 - file });
        Placement { to_move, squares: image, mark }
    })
}

/// What [`Tables::fold`] does with positions.
struct Fold<'a, T> {
    tables: &'a Tables,
    layout: &'a Layout,
    empty: &'a (dyn Fn() -> T + Sync),
    add: &'a (dyn Fn(&mut T, &Placement, Value) + Sync),
}

impl<T> Fold<'_, T> {
    /// The positions with White's king on one (stored) square.
    fn king(&self, slice: usize, king: usize, raw: &RawSlice) -> Result<T, TableError> {
        let layout = self.layout;
        let mut sum = (self.empty)();
        for row in (0..layout.rows()).filter(|&row| layout.in_order(row)) {
            let squares = layout.squares(slice, row);
            let weights = orbit_weights(layout, slice, king, row, false);
            for to_move in [Side::White, Side::Black] {
                let codes = raw.stored(to_move, king, row);
                for other in
                    layout.kings.partners(king).into_iter().filter(|&s| weights[s as usize] > 0)
                {
                    let Some(value) = layout.scale(to_move).decode(codes[other as usize]) else {
                        continue;
                    };
                    let stand =
                        Stand { layout, to_move, king: layout.kings.square(king), other, squares };
                    for placement in placements(&stand, weights[other as usize], None) {
                        (self.add)(&mut sum, &placement, value.of(to_move));
                    }
                    self.marked(&stand, &mut sum)?;
                }
            }
        }
        Ok(sum)
    }

    fn marked(&self, stand: &Stand<'_>, sum: &mut T) -> Result<(), TableError> {
        if !self.layout.material.has_pawns() {
            return Ok(());
        }
        for (file, board) in stand.marked_boards() {
            if let Some(value) = self.tables.probe(&board)? {
                for placement in placements(stand, 2, Some(file)) {
                    (self.add)(sum, &placement, value);
                }
            }
        }
        Ok(())
    }
}

impl Tables {
    /// Folds over every legal position of a signature with its exact value: all symmetric images,
    /// both sides to move, with and without each legal mark for en passant. Parts are folded in
    /// parallel and joined in the order of the index, so that the outcome does not depend on the
    /// number of threads. Solves what is missing. About 10 ns a position beside `add`.
    ///
    /// # Errors
    /// As [`Tables::ensure`], and [`TableError::TooLarge`] of more than [`MAX_MEN`] men.
    pub fn fold<T: Send>(
        &self,
        material: Material,
        budget: &Budget,
        empty: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, &Placement, Value) + Sync,
        join: impl Fn(T, T) -> T + Sync,
    ) -> Result<T, TableError> {
        if material.men() > MAX_MEN {
            return Err(TableError::TooLarge { material, what: "folding over all positions" });
        }
        self.ensure(material, budget)?;
        let packed = self.packed(material)?;
        let layout = &packed.layout;
        let fold = Fold { tables: self, layout, empty: &empty, add: &add };
        budget.progress().stage(&format!("positions of {material}"), Some(layout.slices() as u64));
        let done = std::sync::atomic::AtomicU64::new(0);
        (0..layout.slices())
            .into_par_iter()
            .map(|slice| {
                let raw =
                    packed.unpack_slice(slice).map_err(|damage| self.damaged(material, damage))?;
                let sum = (0..layout.kings.count())
                    .into_par_iter()
                    .map(|king| {
                        budget.check(0, 0).map_err(TableError::Stopped)?;
                        fold.king(slice, king, &raw)
                    })
                    .try_reduce(&empty, |a, b| Ok(join(a, b)))?;
                budget
                    .progress()
                    .advance(1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
                Ok(sum)
            })
            .try_reduce(&empty, |a, b| Ok(join(a, b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Metric;
    use hashbrown::HashSet;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_position_once_and_as_many_as_counted() {
        let tables = Tables::in_memory();
        for name in ["KPvK", "KNNvK"] {
            let material: Material = name.parse().unwrap();
            let all = tables
                .fold(
                    material,
                    &Budget::default(),
                    Vec::new,
                    |v, p, _| v.push(*p),
                    |mut a, b| {
                        a.extend(b);
                        a
                    },
                )
                .unwrap();
            let stats = tables.stats(material, Metric::Mate, false, &Budget::default()).unwrap();
            assert_eq!(all.len() as u64, stats.white.legal + stats.black.legal, "{name}");
            assert_eq!(
                all.iter().collect::<HashSet<_>>().len(),
                all.len(),
                "{name}: no position twice"
            );
        }
    }

    #[test]
    fn six_men_are_refused() {
        for name in ["KRNvKNN", "KNNNvKP"] {
            let material: Material = name.parse().unwrap();
            let (tables, budget) = (Tables::in_memory(), Budget::default());
            let count = tables.fold(material, &budget, || 0, |n, _, _| *n += 1, |a, b| a + b);
            assert!(matches!(count, Err(TableError::TooLarge { .. })), "{count:?}");
            let board = Tables::sample(material, 1).next().unwrap();
            assert_eq!(Placement::views(&board).count(), 0);
        }
    }

    #[test]
    fn placements_are_the_positions_the_table_answers_for() {
        let tables = Tables::in_memory();
        for name in ["KPvKP", "KRvK"] {
            let material: Material = name.parse().unwrap();
            let (checked, marked) = tables
                .fold(
                    material,
                    &Budget::default(),
                    || (0u64, 0u64),
                    |(n, marked), placement, value| {
                        let at = placement.squares.iter().fold(0, |n, &s| n * 64 + s as usize);
                        if at % 1009 != 0 && placement.mark.is_none() {
                            return;
                        }
                        let board = Board::from_packed(&placement.packed(material)).unwrap();
                        assert_eq!(
                            tables.probe(&board).unwrap(),
                            Some(value),
                            "{}",
                            placement.fen(material)
                        );
                        assert!(
                            Placement::views(&board)
                                .any(|view| view == (material, *placement, false))
                        );
                        (*n, *marked) = (*n + 1, *marked + u64::from(placement.mark.is_some()));
                    },
                    |a, b| (a.0 + b.0, a.1 + b.1),
                )
                .unwrap();
            assert!(checked > 100, "{name}");
            assert_eq!(marked > 0, name == "KPvKP");
        }
    }
}
