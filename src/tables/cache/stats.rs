//! Counting a table: legal positions, wins and losses by distance.

use crate::chess::Side;
use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::chess::board::{Board, Square};
use crate::limits::Budget;

use super::tables::Tables;
use super::visit::{Stand, orbit_weights};
use crate::tables::file::damage::Damage;
use crate::tables::file::draft::Draft;
use crate::tables::file::format::Kind;
use crate::tables::file::image::Image;
use crate::tables::file::packed::Packed;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::{MAX_MEN, Material};
use crate::tables::index::raw::RawSlice;
use crate::tables::index::value::{Code, Relative};
use crate::tables::solve::build::solve;
use crate::tables::{Metric, TableError};

/// Counts of one side to move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SideStats {
    /// Legal positions.
    pub legal: u64,
    /// Drawn positions, stalemates included.
    pub drawn: u64,
    /// Positions in which the side is stalemated.
    pub stalemated: u64,
    /// Won positions by plies.
    pub won: BTreeMap<u16, u64>,
    /// Lost positions by plies.
    pub lost: BTreeMap<u16, u64>,
}

/// Counts of a table. Positions with a mark for en passant are not counted apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// White (the first-named side) to move.
    pub white: SideStats,
    /// Black to move.
    pub black: SideStats,
    /// With [`Metric::Conversion`]: the lost positions, White and Black to move, of the signatures
    /// that the winner's captures and promotions lead to. They are level 0 beside the mates.
    ///
    /// [`Metric::Conversion`]: crate::tables::Metric::Conversion
    pub converted: Option<(u64, u64)>,
    /// The plies of the longest mate, and a position that takes so long: the first in the order of
    /// the table. None where nothing is won. (Of the distances that are counted: mates, or
    /// conversions.)
    pub longest: Option<(u16, Board)>,
}

impl SideStats {
    /// Lost positions, at any distance.
    pub fn lost_in_all(&self) -> u64 {
        self.lost.values().sum()
    }
}

impl Stats {
    /// A position has this distance; it is made where no longer one is known.
    fn note_length(&mut self, plies: u16, board: impl FnOnce() -> Board) {
        if self.longest.as_ref().is_none_or(|(longest, _)| plies > *longest) {
            self.longest = Some((plies, board()));
        }
    }
}

impl SideStats {
    fn add(&mut self, value: Relative, weight: u64) {
        self.legal += weight;
        match value {
            Relative::Win(plies) => *self.won.entry(plies).or_default() += weight,
            Relative::Loss(plies) => *self.lost.entry(plies).or_default() += weight,
            Relative::Draw => self.drawn += weight,
        }
    }

    fn merge(&mut self, other: &Self) {
        self.legal += other.legal;
        self.drawn += other.drawn;
        self.stalemated += other.stalemated;
        for (own, theirs) in [(&mut self.won, &other.won), (&mut self.lost, &other.lost)] {
            theirs.iter().for_each(|(&plies, count)| *own.entry(plies).or_default() += count);
        }
    }
}

/// Counts a table; with `symmetry`, positions that are images of each other count once.
pub(in crate::tables) fn count(table: &Packed, symmetry: bool) -> Result<Stats, Damage> {
    let layout = &table.layout;
    let merged = |mut all: Stats, part: Stats| {
        all.white.merge(&part.white);
        all.black.merge(&part.black);
        if let Some((plies, board)) = part.longest {
            all.note_length(plies, || board);
        }
        all
    };
    if layout.material.men() > MAX_MEN && layout.rows() > 1 << 12 {
        return (0..layout.blocks())
            .into_par_iter()
            .with_min_len(64)
            .map(|block| {
                let mut stats = Stats::default();
                let block = table.block_rows(block)?;
                for at in 0..block.rows[0].len() {
                    let place = (block.slice, block.king, block.first + at);
                    let row = |side: Side| (&block.rows[side as usize][at], block.excess(side, at));
                    count_row(&mut stats, layout, place, row, symmetry);
                }
                Ok(stats)
            })
            .try_reduce(Stats::default, |all, part| Ok(merged(all, part)));
    }
    (0..layout.slices())
        .into_par_iter()
        .map(|slice| {
            let codes = table.unpack_slice(slice)?;
            let kings = (0..layout.kings.count()).into_par_iter();
            Ok(kings
                .map(|king| count_king(layout, slice, king, &codes, symmetry))
                .reduce(Stats::default, merged))
        })
        .try_reduce(Stats::default, |all, part| Ok(merged(all, part)))
}

fn count_king(
    layout: &Layout,
    slice: usize,
    king: usize,
    codes: &RawSlice,
    symmetry: bool,
) -> Stats {
    let mut stats = Stats::default();
    for row in (0..layout.rows()).filter(|&row| layout.in_order(row)) {
        let codes = |side: Side| (codes.stored(side, king, row), &[0; 64]);
        count_row(&mut stats, layout, (slice, king, row), codes, symmetry);
    }
    stats
}

/// Counts a row: its codes by side to move, and by how many double plies they are exceeded.
fn count_row<'r>(
    stats: &mut Stats,
    layout: &Layout,
    (slice, king, row): (usize, usize, usize),
    codes: impl Fn(Side) -> (&'r [Code; 64], &'r [u8; 64]),
    symmetry: bool,
) {
    let square = layout.kings.square(king);
    let squares = layout.squares(slice, row);
    let weights = orbit_weights(layout, slice, king, row, symmetry);
    for to_move in Side::ALL {
        let (codes, excess) = codes(to_move);
        let mut mobile = None;
        for (other, &weight) in
            Square::ALL.into_iter().zip(&weights).filter(|(_, weight)| **weight > 0)
        {
            let Some(value) = layout.scale(to_move).decode(codes[other as usize]) else {
                continue;
            };
            let value = value.longer(excess[other as usize]);
            let side = to_move.pick(&mut stats.white, &mut stats.black);
            side.add(value, weight);
            if value == Relative::Draw
                && !mobile
                    .get_or_insert_with(|| layout.king_steps_free(to_move, square, &squares))
                    .contains(other)
                && !layout.has_move(to_move, square, other, &squares)
            {
                side.stalemated += weight;
            }
            if let Relative::Win(plies) | Relative::Loss(plies) = value {
                let stand = Stand { layout, to_move, king: square, other, squares };
                stats.note_length(plies, || stand.board(None));
            }
        }
    }
}

impl Tables {
    /// Counts a table, after solving what is missing; with `symmetry`, images of each other count
    /// once.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn stats(
        &self,
        material: Material,
        metric: Metric,
        symmetry: bool,
        budget: &Budget,
    ) -> Result<Stats, TableError> {
        if metric == Metric::Mate {
            self.ensure(material, budget)?;
            return self.count(material, symmetry);
        }
        if material.men() > MAX_MEN {
            return Err(TableError::TooLarge { material, what: "counting by conversion" });
        }
        self.ensure(material, budget)?;
        let layout = Arc::new(Layout::new(material));
        let mut draft = Draft::new(&layout, Kind::Whole, Ok(None));
        solve(&layout, metric, &self.children(material)?, None, &mut draft, budget)?;
        let damaged = |damage| TableError::Damaged { material, damage };
        let image = Image::Heap(draft.finish()?.into_bytes()?);
        let packed = Packed::new(material, Kind::Whole, image).map_err(damaged)?;
        let mut stats = count(&packed, symmetry).map_err(damaged)?;
        let lost_after = |mover: Side| -> Result<u64, TableError> {
            let mut lost = 0;
            for (child, flip) in material.conversions(mover) {
                let stats = self.count(child, symmetry)?;
                let to_move = if flip { mover } else { mover.other() };
                lost += to_move.pick(&stats.white, &stats.black).lost_in_all();
            }
            Ok(lost)
        };
        stats.converted = Some((lost_after(Side::Black)?, lost_after(Side::White)?));
        Ok(stats)
    }

    fn count(&self, material: Material, symmetry: bool) -> Result<Stats, TableError> {
        count(self.packed(material)?.as_ref(), symmetry)
            .map_err(|damage| self.damaged(material, damage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Budget;
    use crate::tables::Metric;
    use crate::tables::Tables;
    use pretty_assertions::assert_eq;

    #[test]
    fn counts_and_longest_mates_by_another_program() {
        // Won, drawn, lost, mated, stalemated, longest win, longest loss; White to move, then
        // Black.
        for (name, white, black) in [
            ("KQvK", (144_508, 0, 0, 0, 0, 19, 0), (0, 23_048, 200_896, 364, 872, 0, 20)),
            ("KRvK", (175_168, 0, 0, 0, 0, 31, 0), (0, 22_244, 201_700, 216, 68, 0, 32)),
            ("KPvK", (124_960, 38_368, 0, 0, 4, 55, 0), (0, 70_420, 97_604, 0, 18, 0, 56)),
            (
                "KRvKN",
                (5_210_920, 5_569_800, 8, 8, 0, 79, 0),
                (32, 11_170_424, 1_364_800, 9_328, 48, 1, 80),
            ),
            (
                "KQvKR",
                (8_863_768, 71_704, 17_136, 2_448, 0, 69, 36),
                (3_090_088, 627_960, 7_062_680, 10_972, 0, 37, 70),
            ),
        ] {
            let tables = Tables::in_memory();
            let stats = tables
                .stats(name.parse().unwrap(), Metric::Mate, false, &Budget::default())
                .unwrap();
            for (stats, expected) in [(&stats.white, white), (&stats.black, black)] {
                let last = |map: &BTreeMap<u16, u64>| map.keys().last().copied().unwrap_or(0);
                let won: u64 = stats.won.values().sum();
                let found = (
                    won,
                    stats.drawn,
                    stats.lost_in_all(),
                    stats.lost.get(&0).copied().unwrap_or(0),
                    stats.stalemated,
                    last(&stats.won),
                    last(&stats.lost),
                );
                assert_eq!(found, expected, "{name}");
                assert_eq!(stats.legal, won + stats.drawn + stats.lost_in_all());
            }
        }
    }
}
