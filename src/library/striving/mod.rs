//! Striving for a library position: positions of equal material that are close, the trajectories
//! that lead there, and what becomes of moves along them.
//!
//! Candidates pass the filters in the printed order, the cheap ones first; trajectories are asked
//! for only at the end. An exact match is striving with mismatch and difference 0.
//!
//! # References
//! * A. D. Yudin, §3.10–3.18 (docs/theory.md §14).

mod filter;
mod near;
mod outlook;
#[cfg(test)]
mod tests;

pub use filter::{bishops_agree, mismatch, pawn_template};
pub use near::planned_moves;
pub use outlook::Nearness;

use crate::chess::board::{Board, BySide, ChessMove, Piece, Position, Role, Square};
use crate::chess::{Outcome, Side};
use crate::library::endgames::{Class, Frame, Row, Subset, Symmetry};
use crate::pioneer::bundle::{Bundle, distance};
use crate::pioneer::image::{Horizon, Image};
use crate::tables::Material;

/// How close is close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// σmax: men that may stand elsewhere, in halves (the formula counts squares by two).
    pub twice_sigma: u32,
    /// Δmax: the lengths of their trajectories in plies, two for a move.
    pub delta: u32,
    /// The horizon within which the passive side's trajectories must be in the picture.
    pub horizon: Horizon,
}

impl Bounds {
    /// What counts as close unless something else is said: three men, six moves.
    pub const USUAL: Self = Self { twice_sigma: 6, delta: 12, horizon: Horizon::SIX };
}

/// What is left after each filter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Filters {
    /// Configurations of the class, every symmetric image counted.
    pub configurations: usize,
    /// Those whose pawns stand on files in the same pattern.
    pub after_pawn_pattern: usize,
    /// Those whose bishops agree in the colours of their squares.
    pub after_bishops: usize,
    /// The positions of their sets.
    pub positions: usize,
    /// Those with the pawns on the same files and not behind, and bishops on the same colours.
    pub after_set: usize,
    /// Those with at most σmax.
    pub after_mismatch: usize,
    /// Those with trajectories of at most Δmax: the close positions.
    pub after_difference: usize,
}

/// A man's way from the position to a close one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// The man.
    pub piece: Piece,
    /// Where it stands.
    pub from: Square,
    /// Where it stands in the close position.
    pub to: Square,
    /// Moves.
    pub moves: u8,
}

/// A close library position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Close {
    /// The class.
    pub material: Material,
    /// The row, from 1.
    pub row: usize,
    /// The men and their squares.
    pub men: Vec<(Piece, Square)>,
    /// 2σ.
    pub twice_sigma: u32,
    /// Δ in plies.
    pub delta: u32,
    /// The ways of the men that must move.
    pub planned: Vec<Planned>,
    /// Who wins, with the side that strives and with the other to move; none: no legal position.
    pub outcomes: [Option<Outcome>; 2],
    /// Whether every way of the passive side is in the picture; without that nobody strives for it.
    pub in_picture: bool,
}

/// The close positions and how they were found.
#[derive(Debug, Clone, Default)]
pub struct Striving {
    /// Candidates after each filter.
    pub filters: Filters,
    /// The close positions, the closest first.
    pub close: Vec<Close>,
}

impl Close {
    /// Who wins once the position stands and the other side is to move, which is how it arises when
    /// the strivers made the last move.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcomes[1]
    }

    /// Whether a move of the striving side is the first step of one of its planned trajectories.
    pub fn is_step(&self, m: &ChessMove, mover: Side) -> bool {
        let own =
            self.planned.iter().filter(|way| way.piece.side == mover && Some(way.from) == m.from());
        own.into_iter().any(|way| {
            let left = distance(way.piece, m.to(), way.to).unwrap_or(u8::MAX);
            m.to() == way.to || left < way.moves
        })
    }
}

impl Striving {
    /// What striving says of a move: 1 on the way to a close position with the wanted outcome or a
    /// better one, −1 on the way to a worse one only (anti-striving), 0 of neither.
    pub fn priority(&self, m: &ChessMove, mover: Side, wanted: Outcome) -> i32 {
        let steps =
            || self.close.iter().filter(|close| close.in_picture && close.is_step(m, mover));
        let least = wanted.sign(mover);
        let good = |close: &Close| close.outcome().is_some_and(|o| o.sign(mover) >= least);
        let bad = |close: &Close| close.outcome().is_some_and(|o| o.sign(mover) < least);
        if steps().any(good) { 1 } else { -i32::from(steps().any(bad)) }
    }
}

/// The men of a board with L, in the order of the class's rows, under a symmetry taken back.
struct Candidate<'a> {
    row: usize,
    subset: Subset,
    symmetry: Symmetry,
    men: Vec<(Piece, Square)>,
    stored: &'a Row,
}

/// The men of a row somewhere in its set, in the position's own terms.
fn men_at(pieces: &[Piece], list: &[u8], symmetry: Symmetry) -> Vec<(Piece, Square)> {
    let side = |c: Side| if symmetry.colour { c.other() } else { c };
    let place = |(piece, &l): (&Piece, &u8)| {
        let square = Square::new(u32::from(symmetry.original(l)) - 1);
        (Piece { side: side(piece.side), role: piece.role }, square)
    };
    pieces.iter().zip(list).map(place).collect()
}

fn men_of(board: &Board) -> Vec<(Piece, Square)> {
    let on_board = board.chess().board();
    on_board.occupied().into_iter().filter_map(|s| Some((on_board.man(s)?, s))).collect()
}

/// Looks for close positions of the side to move's choosing: that side strives. About 1 µs a
/// position of the class's sets that passes the first filters.
pub fn strive(classes: &[Class], board: &Board, bounds: Bounds) -> Striving {
    let here = men_of(board);
    let others =
        here.iter().filter(|(piece, _)| piece.role != Role::King).map(|(p, _)| (p.side, p.role));
    let (material, flip) = Material::new(others);
    let mut found = Striving::default();
    let Some(class) = classes.iter().find(|class| class.material == material) else { return found };
    let pieces = class.men();
    let same = pieces
        .iter()
        .all(|p| material.count(p.side, p.role) == material.count(p.side.other(), p.role));
    let colours: &[bool] = if same { &[false, true] } else { std::slice::from_ref(&flip) };
    let mut image = None;
    for &colour in colours {
        for symmetry in
            Symmetry::of_board(material.has_pawns()).into_iter().map(|s| Symmetry { colour, ..s })
        {
            for (at, row) in class.rows.iter().enumerate() {
                let stored = men_at(&pieces, &row.men, symmetry);
                found.filters.configurations += 1;
                if !filter::same_pattern(&here, &stored) {
                    continue;
                }
                found.filters.after_pawn_pattern += 1;
                if !bishops_agree(&here, &stored) {
                    continue;
                }
                found.filters.after_bishops += 1;
                let frame: Frame = row.frame(&pieces);
                for shift in frame.shifts() {
                    let Some(subset) = row.parts[frame.part(&row.formula, shift)] else { continue };
                    let list: Vec<u8> = row.men.iter().map(|&l| shift.apply(l)).collect();
                    let men = men_at(&pieces, &list, symmetry);
                    let candidate = Candidate { row: at + 1, subset, symmetry, men, stored: row };
                    found.take(&here, candidate, material, board, bounds, &mut image);
                }
            }
        }
    }
    found.close.sort_by_key(|close| (close.twice_sigma, close.delta, close.row));
    found.close.dedup_by(|a, b| a.men == b.men && a.outcomes == b.outcomes);
    found
}

impl Striving {
    /// The filters inside a set, one candidate.
    fn take(
        &mut self,
        here: &[(Piece, Square)],
        candidate: Candidate<'_>,
        material: Material,
        board: &Board,
        bounds: Bounds,
        image: &mut Option<Image>,
    ) {
        debug_assert_eq!(candidate.men.len(), candidate.stored.men.len());
        self.filters.positions += 1;
        if !filter::fits_set(here, &candidate.men) {
            return;
        }
        self.filters.after_set += 1;
        let twice_sigma = mismatch(here, &candidate.men);
        if twice_sigma > bounds.twice_sigma {
            return;
        }
        self.filters.after_mismatch += 1;
        let Some(planned) = filter::ways(here, &candidate.men) else { return };
        let delta = planned.iter().map(|way| 2 * u32::from(way.moves)).sum();
        if delta > bounds.delta {
            return;
        }
        self.filters.after_difference += 1;
        let mover = board.side_to_move();
        let image = image.get_or_insert_with(|| Image::new(board, bounds.horizon));
        let in_picture =
            planned.iter().filter(|way| way.piece.side != mover).all(|way| is_seen(image, way));
        let outcomes = outcomes(&candidate, mover);
        let Candidate { row, men, .. } = candidate;
        self.close.push(Close {
            material,
            row,
            men,
            twice_sigma,
            delta,
            planned,
            outcomes,
            in_picture,
        });
    }
}

/// Is the way of a passive man on a trajectory of the mathematical image?
fn is_seen(image: &Image, way: &Planned) -> bool {
    image.store().at(way.from).any(|id| {
        let stored = image.store().get(id);
        let bundle =
            Bundle { piece: stored.piece, from: way.from, to: stored.to, longest: stored.longest };
        stored.frozen.is_none() && bundle.take(64).iter().any(|t| t.alphas().contains(&way.to))
    })
}

/// The outcomes with `mover` and with the other side to move.
fn outcomes(candidate: &Candidate<'_>, mover: Side) -> [Option<Outcome>; 2] {
    let Subset { white, black } = candidate.subset;
    let (white, black) = match candidate.symmetry.colour {
        true => (black.outcome.map(Outcome::exchanged), white.outcome.map(Outcome::exchanged)),
        false => (white.outcome, black.outcome),
    };
    mover.pick([white, black], [black, white])
}
