//! Rows from the tables: for each configuration the partition formula under which most of its set
//! is known.

use crate::chess::Side;
use rayon::prelude::*;

use crate::chess::board::{Piece, Role, attacks};
use crate::limits::Budget;
use crate::tables::{Material, TableError, Tables};

use super::check::{Truth, prepare, truth};
use super::class::men;
use super::row::{Answer, Play, Row, Subset};
use super::set::{Edge, Formula, Frame, Shift};
use super::square::{Symmetry, square_of, x, y};

/// Which configurations are looked at: those that fit into a box of so many files and ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Files, 1 to 8.
    pub files: u8,
    /// Ranks, 1 to 8.
    pub ranks: u8,
}

/// What the tables say of all positions of a set.
struct Survey {
    frame: Frame,
    shifts: Vec<(Shift, [Truth; 2])>,
}

/// The widest strip of influence that is tried.
const WIDEST: u8 = 2;

/// A configuration as files and ranks from its lower left corner, in the order of the rows.
type Relative = Vec<(u8, u8)>;

fn relative(list: &[u8]) -> Relative {
    let left = list.iter().map(|&l| x(l)).min().unwrap_or(1);
    let bottom = list.iter().map(|&l| y(l)).min().unwrap_or(1);
    list.iter().map(|&l| (x(l) - left, y(l) - bottom)).collect()
}

/// Like men by rising L.
fn in_order(pieces: &[Piece], list: &[u8]) -> bool {
    (1..list.len()).all(|at| pieces[at] != pieces[at - 1] || list[at - 1] < list[at])
}

fn sort_like(pieces: &[Piece], list: &mut [u8]) {
    for (piece, start) in pieces.iter().enumerate().map(|(at, piece)| (piece, at)) {
        if start > 0 && pieces[start - 1] == *piece {
            continue;
        }
        let end = start + pieces[start..].iter().take_while(|p| *p == piece).count();
        list[start..end].sort_unstable();
    }
}

/// Is this configuration the smallest among its symmetric images that fit the shape?
fn is_canonical(pieces: &[Piece], list: &[u8], shape: Shape, symmetries: &[Symmetry]) -> bool {
    let own = relative(list);
    symmetries.iter().all(|symmetry| {
        let mut image: Vec<u8> = list.iter().map(|&l| symmetry.image(l)).collect();
        if symmetry.colour {
            image.rotate_left(pieces.len() / 2);
        }
        sort_like(pieces, &mut image);
        let image = relative(&image);
        image.iter().any(|&(file, rank)| file >= shape.files || rank >= shape.ranks) || own <= image
    })
}

/// The answer that all of these positions share; `None` if there is none.
fn common<'a>(truths: impl Iterator<Item = &'a Truth> + Clone, mover: Side) -> Option<Answer> {
    let outcome = truths.clone().next()?.outcome;
    if truths.clone().any(|truth| truth.outcome != outcome) {
        return None;
    }
    let is_lost = outcome.is_none_or(|o| o.is_win_of(mover.other()));
    if is_lost || truths.clone().all(|truth| truth.free) {
        return Some(Answer { outcome, play: None });
    }
    // The quickest in sum of the moves that keep the value everywhere.
    let mut shared: Vec<(u32, Play)> =
        truths.clone().next()?.keep.iter().map(|&(play, plies)| (plies, play)).collect();
    for truth in truths.skip(1) {
        shared.retain_mut(|(sum, play)| match truth.keep.iter().find(|(kept, _)| kept == play) {
            Some(&(_, plies)) => {
                *sum += plies;
                true
            }
            None => false,
        });
    }
    let best = shared.into_iter().min()?.1;
    Some(Answer { outcome, play: Some(best) })
}

impl Survey {
    fn new(tables: &Tables, pieces: &[Piece], list: &[u8]) -> Result<Self, TableError> {
        let frame = Frame::new(list, |at| pieces[at].role == Role::Pawn);
        let ask = |shift: Shift| {
            let moved: Vec<u8> = list.iter().map(|&l| shift.apply(l)).collect();
            let of = |side| truth(tables, pieces, &moved, side);
            Ok((shift, [of(Side::White)?, of(Side::Black)?]))
        };
        let shifts = frame.shifts().map(ask).collect::<Result<_, TableError>>()?;
        Ok(Self { frame, shifts })
    }

    /// What is known of the four parts under a formula, and how many positions that covers.
    fn parts(&self, formula: &Formula) -> ([Option<Subset>; 4], [usize; 4]) {
        let mut parts = [None; 4];
        let mut sizes = [0; 4];
        for part in 0..4 {
            let inside =
                || self.shifts.iter().filter(|(shift, _)| self.frame.part(formula, *shift) == part);
            let of = |side: Side| {
                let at = side.pick(0, 1);
                common(inside().map(move |(_, truths)| &truths[at]), side)
            };
            if let (Some(white), Some(black)) = (of(Side::White), of(Side::Black)) {
                parts[part] = Some(Subset { white, black });
                sizes[part] = inside().count();
            }
        }
        (parts, sizes)
    }

    fn formulas() -> impl Iterator<Item = Formula> {
        let edges = || {
            let strips = (1..=WIDEST).flat_map(|width| [(Edge::Low, width), (Edge::High, width)]);
            std::iter::once((Edge::Low, 0)).chain(strips)
        };
        edges().flat_map(move |vertical| {
            edges().map(move |horizontal| Formula { vertical, horizontal })
        })
    }

    /// The row whose formula makes the most positions known; of equal ones the first, which is the
    /// simplest. With `sizes`, the first whose known parts have these sizes.
    fn row(&self, list: &[u8], sizes: Option<[usize; 4]>) -> Option<(Row, usize)> {
        let mut best: Option<(Row, usize)> = None;
        for formula in Self::formulas() {
            let (parts, found) = self.parts(&formula);
            let covered = found.iter().sum();
            let better = match sizes {
                Some(sizes) => best.is_none() && found == sizes,
                None => covered > best.as_ref().map_or(0, |(_, most)| *most),
            };
            if better {
                best = Some((self.stored(list, formula, parts), covered));
            }
        }
        best
    }

    /// The row with the position of a known part nearest to the edges stored: in the corner, if
    /// that is known.
    fn stored(&self, list: &[u8], formula: Formula, parts: [Option<Subset>; 4]) -> Row {
        let far = |edge: Edge, (low, high): (i8, i8), at: i8| {
            if edge == Edge::Low { at - low } else { high - at }
        };
        let distance = |shift: Shift| {
            far(formula.vertical.0, self.frame.dx, shift.dx)
                + far(formula.horizontal.0, self.frame.dy, shift.dy)
        };
        let known = |shift: &Shift| parts[self.frame.part(&formula, *shift)].is_some();
        let shift = self
            .frame
            .shifts()
            .filter(known)
            .min_by_key(|&s| distance(s))
            .unwrap_or(Shift { dx: 0, dy: 0 });
        Row { men: list.iter().map(|&l| shift.apply(l)).collect(), formula, parts }
    }
}

/// Whether a row says more than one value for all: a move is named, or parts differ.
fn says_something(row: &Row) -> bool {
    let known: Vec<&Subset> = row.parts.iter().flatten().collect();
    let named = |s: &&&Subset| s.white.play.is_some() || s.black.play.is_some();
    let outcomes = |s: &Subset| (s.white.outcome, s.black.outcome);
    known.iter().any(|s| named(&s))
        || known.windows(2).any(|pair| outcomes(pair[0]) != outcomes(pair[1]))
}

/// All configurations of a shape, one of each class of symmetric ones, as men somewhere on the
/// board.
fn configurations(pieces: &[Piece], shape: Shape, first: (u8, u8), found: &mut dyn FnMut(&[u8])) {
    let mut list = vec![0u8; pieces.len()];
    let l = |file: u8, rank: u8| 8 * rank + file + 1;
    let all: Vec<u8> =
        (0..shape.ranks).flat_map(|r| (0..shape.files).map(move |f| l(f, r))).collect();
    list[0] = l(first.0, first.1);
    fill(pieces, &all, &mut list, 1, found);
}

fn fill(pieces: &[Piece], all: &[u8], list: &mut Vec<u8>, at: usize, found: &mut dyn FnMut(&[u8])) {
    if at == pieces.len() {
        found(list);
        return;
    }
    for &l in all {
        if list[..at].contains(&l) || pieces[at] == pieces[at - 1] && l < list[at - 1] {
            continue;
        }
        list[at] = l;
        fill(pieces, all, list, at + 1, found);
    }
}

/// Moves men of the box up until pawns stand where they may; `None` if the configuration fits
/// nowhere.
fn settled(pieces: &[Piece], list: &[u8]) -> Option<Vec<u8>> {
    let touches = |coordinate: fn(u8) -> u8| list.iter().any(|&l| coordinate(l) == 1);
    if !touches(x) || !touches(y) || !in_order(pieces, list) {
        return None;
    }
    let kings: Vec<u8> =
        (0..list.len()).filter(|&at| pieces[at].role == Role::King).map(|at| list[at]).collect();
    if attacks::king_attacks(square_of(kings[0])).contains(square_of(kings[1])) {
        return None;
    }
    let frame = Frame::new(list, |at| pieces[at].role == Role::Pawn);
    let shift = frame.shifts().next()?;
    Some(list.iter().map(|&l| shift.apply(l)).collect())
}

/// Makes rows from the tables: of all configurations of a shape whose row says more than one value,
/// the `keep` that stand for the most positions. With `sizes`, all whose known parts have these
/// sizes instead. Each row comes with the positions it covers.
///
/// # Errors
/// As [`Tables::ensure`].
pub fn generate(
    tables: &Tables,
    material: Material,
    shape: Shape,
    keep: usize,
    sizes: Option<[usize; 4]>,
    budget: &Budget,
) -> Result<Vec<(Row, usize)>, TableError> {
    prepare(tables, material, budget)?;
    let pieces = men(material);
    let equal = pieces
        .iter()
        .all(|p| material.count(p.side, p.role) == material.count(p.side.other(), p.role));
    let of_board = Symmetry::of_board(material.has_pawns());
    let mut symmetries = of_board.clone();
    if equal {
        symmetries.extend(of_board.iter().map(|&s| Symmetry { colour: true, ..s }));
    }
    let firsts: Vec<(u8, u8)> =
        (0..shape.ranks).flat_map(|r| (0..shape.files).map(move |f| (f, r))).collect();
    budget.progress().stage(&format!("rows of {material}"), None);
    let keep = keep.max(1);
    let order =
        |a: &(Row, usize), b: &(Row, usize)| b.1.cmp(&a.1).then_with(|| a.0.men.cmp(&b.0.men));
    let rows: Vec<Vec<(Row, usize)>> = firsts
        .into_par_iter()
        .map(|first| {
            let mut rows: Vec<(Row, usize)> = Vec::new();
            let (mut stopped, mut least) = (None, 0);
            configurations(&pieces, shape, first, &mut |list| {
                if stopped.is_some() || !is_canonical(&pieces, list, shape, &symmetries) {
                    return;
                }
                let Some(list) = settled(&pieces, list) else { return };
                if Frame::new(&list, |at| pieces[at].role == Role::Pawn).size() <= least {
                    return;
                }
                let made = budget.check(0, 0).map_err(TableError::Stopped).and_then(|()| {
                    let survey = Survey::new(tables, &pieces, &list)?;
                    Ok(survey
                        .row(&list, sizes)
                        .filter(|(row, _)| sizes.is_some() || says_something(row)))
                });
                match made {
                    Ok(row) => rows.extend(row),
                    Err(error) => stopped = Some(error),
                }
                if rows.len() >= 2 * keep && sizes.is_none() {
                    rows.sort_by(order);
                    rows.truncate(keep);
                    least = rows[keep - 1].1;
                }
            });
            rows.sort_by(order);
            stopped.map_or(Ok(rows), Err)
        })
        .collect::<Result<_, TableError>>()?;
    let mut rows: Vec<(Row, usize)> = rows.into_iter().flatten().collect();
    rows.sort_by(order);
    if sizes.is_none() {
        rows.truncate(keep);
    }
    Ok(rows)
}
