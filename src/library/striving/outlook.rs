//! Striving as an order of work: the search looks first where a position known to be won is near.
//!
//! Where the library has won positions of the same material the measure is the difference Δ to the
//! nearest of them, in moves; elsewhere it is how many men stand on the board beyond those of the
//! tables at hand: each must be exchanged or captured first. It limits no move and decides no
//! value, so a proof found with it is a proof, and what is not found has not been ruled out.
//!
//! What it is worth (`cargo bench --bench striving -- 60000`, `positions/endgames_5to8.epd`): won
//! table positions as ends of lines are worth much, 38 of 57 endgames proved with four-man tables
//! against 11 with mates alone. The order by nearness is not: the same 38, plans 1 % shorter (12 %
//! with five men, where the library speaks), 1.19 times the positions. So it is used only when
//! asked for.

use std::collections::HashMap;

use crate::chess::board::{Board, BySide, Piece, Position, Role, Square};
use crate::chess::{Outcome, Side};
use crate::library::endgames::{Class, Symmetry};
use crate::pioneer::bundle::distance;
use crate::search::Outlook;
use crate::tables::Material;

use super::men_at;

/// What a man beyond the tables counts, in proof numbers: about the replies that its exchange
/// takes.
const MAN: u32 = 4;
/// What a move to the nearest library position counts.
const MOVE: u32 = 2;
/// No library position is farther than this many moves: what is not near says nothing.
const FAR: u32 = 8;

/// The squares of the men in the order of the material's men, White's king first.
type Squares = Vec<Square>;

/// How near a position is to one that tables or the library know to be won.
#[derive(Debug)]
pub struct Nearness {
    /// Men of the tables at hand.
    table_men: usize,
    /// For each material its men, and the positions won for White and for Black once the winner has
    /// moved, with every symmetric image.
    won: HashMap<Material, (Vec<Piece>, [Vec<Squares>; 2])>,
}

impl Nearness {
    /// With tables of at most so many men and a library. Memory: about 40 bytes for each image of
    /// each won position of its sets.
    pub fn new(table_men: usize, classes: &[Class]) -> Self {
        let known = classes.iter().filter(|class| class.material.men() > table_men);
        Self { table_men, won: known.map(|class| (class.material, won(class))).collect() }
    }

    /// The least Δ to a won position, in moves.
    fn moves(&self, board: &Board, attacker: Side) -> Option<u32> {
        let on_board = board.chess().board();
        let others = on_board.occupied() & !on_board.by_role(Role::King);
        let list = others.into_iter().filter_map(|s| on_board.man(s)).map(|p| (p.side, p.role));
        let (material, flip) = Material::new(list);
        let (pieces, won) = self.won.get(&material)?;
        let side = |c: Side| if flip { c.other() } else { c };
        let here: Vec<Square> = squares(board, pieces, flip);
        let list = &won[usize::from(side(attacker) == Side::Black)];
        list.iter().filter_map(|there| difference(pieces, &here, there)).min()
    }
}

impl Outlook for Nearness {
    fn beyond(&self, board: &Board, attacker: Side) -> u32 {
        match self.moves(board, attacker) {
            Some(moves) => MOVE * moves.min(FAR),
            None => {
                let men = board.chess().board().occupied().count();
                MAN * men.saturating_sub(self.table_men) as u32
            }
        }
    }
}

/// The squares of a board's men in a material's order, colours exchanged if need be.
fn squares(board: &Board, pieces: &[Piece], flip: bool) -> Squares {
    let mut list = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 && pieces[at - 1] == *piece {
            continue;
        }
        let side = if flip { piece.side.other() } else { piece.side };
        let stand = board.chess().board().standing(Piece { side, role: piece.role });
        list.extend(if flip { stand.flip_vertical() } else { stand });
    }
    list
}

/// Moves on an empty board that carry the men from here to there, like men in the order of their
/// squares; none where a man cannot get there, or a pawn would have to change its file.
fn difference(pieces: &[Piece], here: &[Square], there: &[Square]) -> Option<u32> {
    let mut sum = 0;
    for ((&piece, &from), &to) in pieces.iter().zip(here).zip(there) {
        if from == to {
            continue;
        }
        if piece.role == Role::Pawn && from.file() != to.file() {
            return None;
        }
        sum += u32::from(distance(piece, from, to)?);
        if sum > FAR {
            return None;
        }
    }
    Some(sum)
}

/// A class's won positions, each with every symmetric image.
fn won(class: &Class) -> (Vec<Piece>, [Vec<Squares>; 2]) {
    let pieces = class.men();
    let (mut white, mut black) = (Vec::new(), Vec::new());
    for row in &class.rows {
        let frame = row.frame(&pieces);
        for shift in frame.shifts() {
            let Some(subset) = row.parts[frame.part(&row.formula, shift)] else { continue };
            let list: Vec<u8> = row.men.iter().map(|&l| shift.apply(l)).collect();
            // The winner has just moved.
            for (outcome, winner, found) in [
                (subset.black.outcome, Side::White, &mut white),
                (subset.white.outcome, Side::Black, &mut black),
            ] {
                if outcome == Some(Outcome::Wins(winner)) {
                    let images = Symmetry::of_board(class.material.has_pawns()).into_iter();
                    found.extend(
                        images.map(|symmetry| in_order(&pieces, men_at(&pieces, &list, symmetry))),
                    );
                }
            }
        }
    }
    (pieces, [white, black])
}

/// Like men by rising square.
fn in_order(pieces: &[Piece], men: Vec<(Piece, Square)>) -> Squares {
    let mut list: Squares = men.into_iter().map(|(_, square)| square).collect();
    let mut start = 0;
    for at in 1..=pieces.len() {
        if at == pieces.len() || pieces[at] != pieces[start] {
            list[start..at].sort_unstable();
            start = at;
        }
    }
    list
}
