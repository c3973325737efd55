//! Exact match in the printed order: the library's form, symmetric configurations, rows, and only
//! where a configuration matches its set.

use crate::chess::board::{Board, BySide, Piece, Position, Role, code_of};
use crate::chess::{Move, Outcome, Side};
use crate::tables::Material;

use super::class::{Class, men};
use super::row::{Answer, Play, Row};
use super::set::{Part, Shift};
use super::square::{Symmetry, square_of, x, y};

/// A position found in the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The class.
    pub material: Material,
    /// The row's number in its class, from 1.
    pub row: usize,
    /// What brings the position into the library's form.
    pub symmetry: Symmetry,
    /// The shift from the stored position to it.
    pub shift: Shift,
    /// The part of the set, 0 to 3.
    pub part: Part,
    /// White to move.
    pub white: Told,
    /// Black to move.
    pub black: Told,
}

/// What a row says of a position with one side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Who wins; none: no legal position.
    pub outcome: Option<Outcome>,
    /// The first move, if one is named.
    pub play: Option<Move>,
}

impl Found {
    /// What is said with this side to move.
    pub fn of(&self, mover: Side) -> Told {
        match mover {
            Side::White => self.white,
            Side::Black => self.black,
        }
    }
}

/// A position in the library's form under one symmetry.
struct Image {
    symmetry: Symmetry,
    men: Vec<u8>,
}

/// The men's L under a symmetry, in the order of the rows.
fn image(board: &Board, pieces: &[Piece], symmetry: Symmetry) -> Image {
    let on_board = board.chess().board();
    let squares = |piece: Piece| {
        let side = if symmetry.colour { piece.side.other() } else { piece.side };
        let mut found: Vec<u8> = (on_board.standing(Piece { side, role: piece.role }))
            .into_iter()
            .map(|square| symmetry.image(square as u8 + 1))
            .collect();
        found.sort_unstable();
        found
    };
    let mut list = Vec::with_capacity(pieces.len());
    for (at, &piece) in pieces.iter().enumerate() {
        if at == 0 || pieces[at - 1] != piece {
            list.extend(squares(piece));
        }
    }
    Image { symmetry, men: list }
}

/// The shift from a stored position to these men, if there is one.
fn shift_between(stored: &[u8], men: &[u8]) -> Option<Shift> {
    let by = |a: u8, b: u8| Shift { dx: x(b) as i8 - x(a) as i8, dy: y(b) as i8 - y(a) as i8 };
    let shift = by(stored[0], men[0]);
    stored.iter().zip(men).all(|(&a, &b)| by(a, b) == shift).then_some(shift)
}

/// A first move in the position itself.
fn play_of(play: Play, image: &Image, pieces: &[Piece]) -> Move {
    let from = image.men[usize::from(play.man)];
    let to = (from as i8 + play.delta) as u8;
    let promotes = pieces[usize::from(play.man)].role == Role::Pawn && (y(to) == 1 || y(to) == 8);
    let queen = code_of(Piece { side: Side::White, role: Role::Queen });
    let promotion = match (promotes, play.under) {
        (false, _) => 0,
        (true, 0) => queen,
        (true, under) => under,
    };
    let original = |l: u8| square_of(image.symmetry.original(l)) as u8;
    Move::new(original(from), original(to), promotion)
}

/// Looks a position up; whose move it is plays no part, the answer speaks of both. Rows are
/// compared by configuration first, about 20 ns each.
pub fn find(classes: &[Class], board: &Board) -> Option<Found> {
    let on_board = board.chess().board();
    let others = on_board.occupied() & !on_board.by_role(Role::King);
    let list = others.into_iter().filter_map(|s| on_board.man(s)).map(|p| (p.side, p.role));
    let (material, flip) = Material::new(list);
    let class = classes.iter().find(|class| class.material == material)?;
    let pieces = men(material);
    let equal = pieces
        .iter()
        .all(|p| material.count(p.side, p.role) == material.count(p.side.other(), p.role));
    let colours: &[bool] = match (flip, equal) {
        (true, _) => &[true],
        (false, false) => &[false],
        (false, true) => &[false, true],
    };
    let images: Vec<Image> = colours
        .iter()
        .flat_map(|&colour| {
            Symmetry::of_board(material.has_pawns())
                .into_iter()
                .map(move |s| Symmetry { colour, ..s })
        })
        .map(|symmetry| image(board, &pieces, symmetry))
        .collect();
    for (at, row) in class.rows.iter().enumerate() {
        for image in &images {
            if !Row::configuration(&row.men).eq(Row::configuration(&image.men)) {
                continue;
            }
            let frame = row.frame(&pieces);
            let Some(shift) = shift_between(&row.men, &image.men).filter(|&s| frame.contains(s))
            else {
                continue;
            };
            let part = frame.part(&row.formula, shift);
            let Some(subset) = row.parts[part] else { continue };
            let exchanged = image.symmetry.colour;
            let told = |answer: Answer| Told {
                outcome: answer.outcome.map(|o| if exchanged { o.exchanged() } else { o }),
                play: answer.play.map(|play| play_of(play, image, &pieces)),
            };
            let (white, black) = match exchanged {
                false => (told(subset.white), told(subset.black)),
                true => (told(subset.black), told(subset.white)),
            };
            return Some(Found {
                material,
                row: at + 1,
                symmetry: image.symmetry,
                shift,
                part,
                white,
                black,
            });
        }
    }
    None
}
