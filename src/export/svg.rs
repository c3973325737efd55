//! Board diagrams as SVG, drawn without outside resources.

use super::outline::{MoveText, Outline};
use crate::chess::board::{Role, piece_of};
use crate::chess::{Move, Side, Vector, code, fen, parse_move};
use std::io::{self, Write};

/// The twelve pieces in order of their codes: the cburnett set (see `page/README.md`).
pub(super) const PIECES: [(&str, &str); 12] = [
    ("wK", include_str!("pieces/wK.svg")),
    ("wQ", include_str!("pieces/wQ.svg")),
    ("wR", include_str!("pieces/wR.svg")),
    ("wB", include_str!("pieces/wB.svg")),
    ("wN", include_str!("pieces/wN.svg")),
    ("wP", include_str!("pieces/wP.svg")),
    ("bK", include_str!("pieces/bK.svg")),
    ("bQ", include_str!("pieces/bQ.svg")),
    ("bR", include_str!("pieces/bR.svg")),
    ("bB", include_str!("pieces/bB.svg")),
    ("bN", include_str!("pieces/bN.svg")),
    ("bP", include_str!("pieces/bP.svg")),
];

/// What an arrow says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrow {
    /// A move of the strategy.
    Play,
    /// A possible reply.
    Reply,
    /// A way that a proposal suggests (a trajectory).
    Idea,
}

/// What is drawn over a board.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// The move that led here: its two squares are tinted.
    pub last: Option<Move>,
    /// Arrows between squares 0 (a1) to 63 (h8).
    pub arrows: Vec<(u8, u8, Arrow)>,
    /// Squares with a ring: the targets of subgoals.
    pub rings: Vec<u8>,
    /// Tinted squares.
    pub tinted: Vec<u8>,
    /// Short texts on squares, those of White's king in the upper left corner, those of Black's in
    /// the lower right one.
    pub labels: Vec<(u8, Side, String)>,
    /// Seen from Black's side.
    pub flipped: bool,
}

impl Marks {
    /// The owner's move at the root of a strategy; where the opponent is to move, the replies.
    pub fn of_root(outline: &Outline) -> Self {
        let root = outline.node(0);
        let (moves, kind) = match &root.play {
            Some(play) => (vec![play], Arrow::Play),
            None => (root.replies.iter().map(|r| &r.text).collect(), Arrow::Reply),
        };
        let arrow = |text: &MoveText| parse_move(&text.uci).ok().map(|m| (m.from(), m.to(), kind));
        let arrows = moves.into_iter().filter_map(arrow).collect();
        Self { arrows, flipped: outline.owner() == Side::Black, ..Self::default() }
    }
}

/// Side of a square, the margin around the board, and the side of the whole diagram.
pub(super) const SQUARE: i32 = 45;
pub(super) const MARGIN: i32 = 20;
pub(super) const SIZE: i32 = 8 * SQUARE + 2 * MARGIN;

/// The pieces of a position in words: `White: king f6, queen g2. Black: king h8. White to move.`
pub(super) fn in_words(y: &Vector) -> String {
    let side = |side: Side| {
        let men = (1..=64).filter_map(|i| {
            let piece = piece_of(y[i])?;
            let own = (y[i] <= code::BLACK) == (side == Side::White);
            own.then(|| format!("{} {}", role_name(piece.role), square_name(i as u8 - 1)))
        });
        format!("{side}: {}.", men.collect::<Vec<_>>().join(", "))
    };
    format!("{} {} {} to move.", side(Side::White), side(Side::Black), Side::to_move(y))
}

/// The English name of a kind of man.
pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::King => "king",
        Role::Queen => "queen",
        Role::Rook => "rook",
        Role::Bishop => "bishop",
        Role::Knight => "knight",
        Role::Pawn => "pawn",
    }
}

/// A square by its number, `a1` for 0.
pub(super) fn square_name(square: u8) -> String {
    format!("{}{}", (b'a' + square % 8) as char, square / 8 + 1)
}

/// Writes a diagram of a position, 400 units wide. It has a title (the FEN) and a description in
/// words for readers who cannot see it.
///
/// # Errors
/// Those of `out`.
pub fn write(y: &Vector, marks: &Marks, out: &mut dyn Write) -> io::Result<()> {
    let board = Diagram { flipped: marks.flipped };
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {SIZE}\" width=\"{SIZE}\" height=\"{SIZE}\" \
         role=\"img\" aria-labelledby=\"title desc\" font-family=\"sans-serif\" font-size=\"12\">"
    )?;
    writeln!(
        out,
        "<title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>",
        fen(y),
        in_words(y)
    )?;
    writeln!(out, "<rect width=\"{SIZE}\" height=\"{SIZE}\" fill=\"#fff\"/>")?;
    board.position(y, marks.last, out)?;
    for &square in &marks.tinted {
        let (x, top) = board.corner(square);
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"{top}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"#2ca25f\" opacity=\"0.55\"/>"
        )?;
    }
    for (square, side, text) in &marks.labels {
        board.label(*square, *side, text, out)?;
    }
    for &square in &marks.rings {
        let (x, top) = board.centre(square);
        writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{top}\" r=\"20\" fill=\"none\" stroke=\"#2166ac\" stroke-width=\"3\" opacity=\"0.8\"/>"
        )?;
    }
    for &(from, to, kind) in &marks.arrows {
        board.arrow(from, to, kind, out)?;
    }
    writeln!(out, "</svg>")
}

/// A board in a drawing.
pub(super) struct Diagram {
    pub(super) flipped: bool,
}

impl Diagram {
    /// Draws the board with its men, the coordinates and the side to move; the squares of the last
    /// move are tinted.
    pub(super) fn position(
        &self,
        y: &Vector,
        last: Option<Move>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.squares(last, out)?;
        self.coordinates(out)?;
        for i in 1..=64u8 {
            if let Some((_, picture)) = PIECES.get((y[i as usize] as usize).wrapping_sub(1)) {
                let (x, top) = self.corner(i - 1);
                let at = format!("<svg x=\"{x}\" y=\"{top}\" ");
                writeln!(out, "{}", picture.trim().replacen("<svg ", &at, 1))?;
            }
        }
        self.turn(Side::to_move(y), out)
    }

    /// The upper left corner of a square.
    pub(super) fn corner(&self, square: u8) -> (i32, i32) {
        let (file, rank) = (i32::from(square % 8), i32::from(square / 8));
        let (column, row) = if self.flipped { (7 - file, rank) } else { (file, 7 - rank) };
        (MARGIN + column * SQUARE, MARGIN + row * SQUARE)
    }

    /// The middle of a square, 0 = a1 to 63 = h8.
    pub(super) fn centre(&self, square: u8) -> (f64, f64) {
        let (x, top) = self.corner(square);
        (f64::from(x) + f64::from(SQUARE) / 2.0, f64::from(top) + f64::from(SQUARE) / 2.0)
    }

    /// A short text on a square.
    fn label(&self, square: u8, side: Side, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let (x, top) = self.corner(square);
        let (x, y, anchor, fill) = match side {
            Side::White => (x + 3, top + 13, "start", "#fff"),
            Side::Black => (x + SQUARE - 3, top + SQUARE - 4, "end", "#000"),
        };
        writeln!(
            out,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{fill}\" font-weight=\"bold\">{text}</text>"
        )
    }

    fn squares(&self, last: Option<Move>, out: &mut dyn Write) -> io::Result<()> {
        for square in 0..64 {
            let (x, top) = self.corner(square);
            let light = (square % 8 + square / 8) % 2 == 1;
            let last = last.is_some_and(|m| m.from() == square || m.to() == square);
            let colour = match (light, last) {
                (true, false) => "#f0d9b5",
                (false, false) => "#b58863",
                (true, true) => "#cdd26a",
                (false, true) => "#aaa23a",
            };
            writeln!(
                out,
                "<rect x=\"{x}\" y=\"{top}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{colour}\"/>"
            )?;
        }
        Ok(())
    }

    fn coordinates(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<g fill=\"#444\" text-anchor=\"middle\">")?;
        for k in 0..8u8 {
            let (x, _) = self.centre(k);
            let (_, top) = self.centre(8 * k);
            writeln!(out, "<text x=\"{x}\" y=\"{}\">{}</text>", SIZE - 6, (b'a' + k) as char)?;
            writeln!(out, "<text x=\"10\" y=\"{}\">{}</text>", top + 4.0, k + 1)?;
        }
        writeln!(out, "</g>")
    }

    /// The side to move: a disc beside the board, at that side's edge.
    fn turn(&self, side: Side, out: &mut dyn Write) -> io::Result<()> {
        let below = (side == Side::White) != self.flipped;
        let (top, fill) = (
            if below { SIZE - MARGIN - 8 } else { MARGIN + 8 },
            if side == Side::White { "#fff" } else { "#000" },
        );
        let x = SIZE - MARGIN / 2;
        writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{top}\" r=\"6\" fill=\"{fill}\" stroke=\"#000\"><title>{side} to move</title></circle>"
        )
    }

    fn arrow(&self, from: u8, to: u8, kind: Arrow, out: &mut dyn Write) -> io::Result<()> {
        let colour = match kind {
            Arrow::Play => "#15781b",
            Arrow::Reply => "#882020",
            Arrow::Idea => "#2166ac",
        };
        let ((x1, y1), (x2, y2)) = (self.centre(from), self.centre(to));
        let length = (x2 - x1).hypot(y2 - y1).max(1.0);
        let (ux, uy) = ((x2 - x1) / length, (y2 - y1) / length);
        // It begins at the edge of the man, so that the man is seen. The head is 16 long and 18
        // wide, its point a little before the centre of the square.
        let (x1, y1) = (x1 + 15.0 * ux, y1 + 15.0 * uy);
        let tip = (x2 - 4.0 * ux, y2 - 4.0 * uy);
        let neck = (tip.0 - 16.0 * ux, tip.1 - 16.0 * uy);
        let (left, right) =
            ((neck.0 - 9.0 * uy, neck.1 + 9.0 * ux), (neck.0 + 9.0 * uy, neck.1 - 9.0 * ux));
        writeln!(
            out,
            "<g opacity=\"0.75\"><line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" \
             stroke-width=\"6\" stroke-linecap=\"round\"/><path d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}z\" \
             fill=\"{colour}\"/></g>",
            neck.0, neck.1, tip.0, tip.1, left.0, left.1, right.0, right.1
        )
    }
}
