//! A fortress drawn: the squares of each man in a colour of its own.

use super::super::stages::lines;
use super::super::svg::{Diagram, SIZE, SQUARE, in_words};
use super::{Fortress, Kind, Man, Squares};
use crate::chess::{Side, fen};
use std::io::{self, Write};

/// Colours of the regions, in the order of the men (C. Brewer's set "Dark2", blue first).
const COLOURS: [&str; 8] =
    ["#2166ac", "#d95f02", "#1b9e77", "#e7298a", "#7570b3", "#66a61e", "#a6761d", "#e6ab02"];
/// Columns of the words below the board, and the height of a line.
const COLUMNS: usize = 62;
const LINE: i32 = 15;

/// Draws the root with the region of each man that moves, frames around the men of both sides that
/// never do, and rings where men are taken or given up. Below stands what the colours mean.
///
/// # Errors
/// Those of `out`.
pub fn draw(told: &Fortress, out: &mut impl Write) -> io::Result<()> {
    let moving: Vec<&Man> = told.standing.men.iter().filter(|man| !man.is_still()).collect();
    let words = legend(told, &moving);
    let height = SIZE + words.len() as i32 * LINE + 8;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {height}\" width=\"{SIZE}\" \
         height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<title id=\"title\">{}</title>",
        fen(&told.root)
    )?;
    let said: Vec<&str> = words.iter().map(|(_, text)| text.as_str()).collect();
    writeln!(out, "<desc id=\"desc\">{} {}</desc>", in_words(&told.root), said.join(" "))?;
    writeln!(out, "<rect width=\"{SIZE}\" height=\"{height}\" fill=\"#fff\"/>")?;
    let board = Diagram { flipped: told.owner == Side::Black };
    board.position(&told.root, None, out)?;
    for square in 0..64 {
        regions(&board, square, &moving, out)?;
    }
    frames(&board, told, out)?;
    for square in sharp(told).iter() {
        let (x, y) = board.centre(square);
        writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"19\" fill=\"none\" stroke=\"#b2182b\" stroke-width=\"3\"/>"
        )?;
    }
    for (at, (colour, text)) in words.iter().enumerate() {
        let y = SIZE + at as i32 * LINE;
        if let Some(colour) = colour {
            writeln!(
                out,
                "<rect x=\"20\" y=\"{y}\" width=\"11\" height=\"11\" fill=\"{colour}\" opacity=\"0.8\"/>"
            )?;
        }
        writeln!(out, "<text x=\"36\" y=\"{}\">{text}</text>", y + 10)?;
    }
    writeln!(out, "</svg>")
}

/// The squares where a man is taken or given up.
fn sharp(told: &Fortress) -> Squares {
    let breaks = told.breaks.iter().filter(|found| found.kind != Kind::Pawn);
    Squares(breaks.fold(0, |set, found| set | 1 << found.square))
}

/// The stripes of a square: one for each man that comes there.
fn regions(board: &Diagram, square: u8, moving: &[&Man], out: &mut impl Write) -> io::Result<()> {
    let comes = |(_, man): &(usize, &&Man)| man.keeps_to.0 >> square & 1 == 1;
    let here: Vec<usize> = moving.iter().enumerate().filter(comes).map(|(at, _)| at).collect();
    let (left, top) = board.corner(square);
    let width = f64::from(SQUARE) / here.len().max(1) as f64;
    for (stripe, at) in here.into_iter().enumerate() {
        let (x, colour) = (f64::from(left) + width * stripe as f64, COLOURS[at % COLOURS.len()]);
        writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{SQUARE}\" fill=\"{colour}\" \
             opacity=\"0.45\"/>"
        )?;
    }
    Ok(())
}

/// Frames around the men that never move.
fn frames(board: &Diagram, told: &Fortress, out: &mut impl Write) -> io::Result<()> {
    let still = told.standing.men.iter().filter(|man| man.is_still()).map(|man| man.keeps_to);
    for square in still.chain([told.standing.locked]).flat_map(|squares| squares.iter()) {
        let (x, top) = board.corner(square);
        writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" fill=\"none\" stroke=\"#222\" \
             stroke-width=\"2\"/>",
            x + 2,
            top + 2,
            side = SQUARE - 4
        )?;
    }
    Ok(())
}

/// The words below the board, some with a colour before them.
fn legend(told: &Fortress, moving: &[&Man]) -> Vec<(Option<&'static str>, String)> {
    let mut words = Vec::new();
    for (at, man) in moving.iter().enumerate() {
        let text = format!("{} {}: {}", man.kind, man.home, man.keeps_to);
        for (row, text) in lines(&text, COLUMNS).into_iter().enumerate() {
            words.push(((row == 0).then_some(COLOURS[at % COLOURS.len()]), text));
        }
    }
    words.push((None, format!("{} holds. Framed: what never moves.", told.owner)));
    if !sharp(told).is_empty() {
        words.push((None, "Ringed: where a man is taken or given up.".to_owned()));
    }
    words
}
