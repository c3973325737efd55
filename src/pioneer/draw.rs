//! A subgoal's trajectories and zone drawn over its board.
//!
//! Every part of the zone has its own colour, line and shape, so that the drawing can be read without colours too:
//! the attack is a thick green line with numbered discs, first negations are red and dashed with boxes, support is blue
//! and dotted with triangles, retreats are orange, linked zones violet with rings. β-squares are small diamonds.

use std::io::{self, Write};

use super::men::Men;
use super::subgoal::{Part, Path, Subgoal};
use crate::chess::board::{Board, Color, Role, Square};

/// Side of a square and margin.
const SQUARE: f64 = 45.0;
const MARGIN: f64 = 20.0;
const SIZE: f64 = 8.0 * SQUARE + 2.0 * MARGIN;
/// Characters of a line of text below the board.
const LINE: usize = 50;

struct Style {
    colour: &'static str,
    dash: &'static str,
    width: f64,
    legend: &'static str,
}

fn style(part: Part) -> Style {
    let (colour, dash, width, legend) = match part {
        Part::Stem => ("#15781b", "", 5.0, "attack (stem), its α-squares numbered"),
        Part::Negation => ("#c02020", "8 5", 3.0, "first negation: against the attack"),
        Part::Support => ("#1f5fbf", "2 4", 2.5, "second and third negation: support in one move"),
        Part::Retreat => ("#d98200", "5 3", 2.5, "retreat of the target"),
        Part::Linked => ("#7d3cb5", "10 3 2 3", 3.0, "linked zone: a man brought in for it"),
    };
    Style { colour, dash, width, legend }
}

/// Writes the diagram of a subgoal: the board, the zone over it, and a legend with the claim below.
///
/// # Errors
/// Those of `out`.
pub fn write(board: &Board, goal: &Subgoal, out: &mut dyn Write) -> io::Result<()> {
    let claim = wrapped(&goal.claim);
    let mut parts: Vec<Part> = goal.paths.iter().map(|p| p.part).collect();
    parts.dedup();
    let height = SIZE + 18.0 * (claim.len() + parts.len() + 1) as f64 + 10.0;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {height}\" width=\"{SIZE}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">"
    )?;
    writeln!(out, "<rect width=\"{SIZE}\" height=\"{height}\" fill=\"#fff\"/>")?;
    diagram(&Men::of(board), out)?;
    for part in [Part::Retreat, Part::Linked, Part::Support, Part::Negation, Part::Stem] {
        for path in goal.paths.iter().filter(|p| p.part == part) {
            draw(path, out)?;
        }
    }
    target(goal.square, out)?;
    legend(&claim, &parts, out)?;
    writeln!(out, "</svg>")
}

/// The board with its men as chess glyphs, filled with their colour.
fn diagram(men: &Men, out: &mut dyn Write) -> io::Result<()> {
    for square in Square::ALL {
        let (x, y) = centre(square as u8);
        let fill = if square.is_light() { "#f0d9b5" } else { "#b58863" };
        let (left, top) = (x - SQUARE / 2.0, y - SQUARE / 2.0);
        writeln!(out, "<rect x=\"{left}\" y=\"{top}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\"/>")?;
        if let Some(piece) = men.at(square) {
            let (fill, edge) = if piece.color == Color::White { ("#fff", "#000") } else { ("#000", "#fff") };
            writeln!(
                out,
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" font-size=\"36\" fill=\"{fill}\" stroke=\"{edge}\" \
                 stroke-width=\"0.8\">{}</text>",
                y + 13.0,
                glyph(piece.role)
            )?;
        }
    }
    for k in 0..8u8 {
        let (x, y) = (centre(k).0, centre(8 * k).1 + 4.0);
        writeln!(out, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>", SIZE - 6.0, (b'a' + k) as char)?;
        writeln!(out, "<text x=\"10\" y=\"{y}\" text-anchor=\"middle\">{}</text>", k + 1)?;
    }
    Ok(())
}

fn glyph(role: Role) -> char {
    match role {
        Role::King => '♚',
        Role::Queen => '♛',
        Role::Rook => '♜',
        Role::Bishop => '♝',
        Role::Knight => '♞',
        Role::Pawn => '♟',
    }
}

fn centre(square: u8) -> (f64, f64) {
    let (file, rank) = (f64::from(square % 8), f64::from(square / 8));
    (MARGIN + (file + 0.5) * SQUARE, MARGIN + (7.5 - rank) * SQUARE)
}

/// Parts keep apart on a square: each has its own corner.
fn shifted(square: u8, part: Part) -> (f64, f64) {
    let (x, y) = centre(square);
    match part {
        Part::Stem => (x, y),
        Part::Negation => (x + 10.0, y - 10.0),
        Part::Support => (x - 10.0, y + 10.0),
        Part::Retreat => (x + 10.0, y + 10.0),
        Part::Linked => (x - 10.0, y - 10.0),
    }
}

fn draw(path: &Path, out: &mut dyn Write) -> io::Result<()> {
    let Style { colour, dash, width, .. } = style(path.part);
    writeln!(out, "<g stroke=\"{colour}\" fill=\"{colour}\"><title>{}</title>", escaped(&path.words))?;
    let points: Vec<(f64, f64)> = path.alphas.iter().map(|&s| shifted(s, path.part)).collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
    writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke-width=\"{width}\" stroke-dasharray=\"{dash}\" \
         stroke-linejoin=\"round\" opacity=\"0.8\"/>",
        line.join(" ")
    )?;
    for &beta in &path.betas {
        let (x, y) = shifted(beta, path.part);
        writeln!(out, "<path d=\"M{} {y}l5 -5l5 5l-5 5z\" fill=\"#fff\" stroke-width=\"1.5\"/>", x - 5.0)?;
    }
    for (i, &(x, y)) in points.iter().enumerate().skip(1) {
        shape(path.part, i, (x, y), i + 1 == points.len(), out)?;
    }
    writeln!(out, "</g>")
}

fn shape(part: Part, i: usize, (x, y): (f64, f64), last: bool, out: &mut dyn Write) -> io::Result<()> {
    let hollow = if last { "" } else { "fill=\"#fff\" " };
    match part {
        Part::Stem => writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"9\" stroke=\"#fff\" stroke-width=\"1\"/><text x=\"{x}\" y=\"{}\" \
             fill=\"#fff\" stroke=\"none\" text-anchor=\"middle\">{i}</text>",
            y + 4.0
        ),
        Part::Negation => {
            writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" {hollow}stroke-width=\"2\"/>",
                x - 5.0,
                y - 5.0
            )
        }
        Part::Support => {
            writeln!(out, "<path d=\"M{x} {}l6 11h-12z\" {hollow}stroke-width=\"1.5\"/>", y - 7.0)
        }
        Part::Retreat => writeln!(out, "<path d=\"M{x} {}l6 6l-6 6l-6 -6z\" stroke-width=\"1\"/>", y - 6.0),
        Part::Linked => writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" fill=\"#fff\" stroke-width=\"3\"/>"),
    }
}

/// The square that the aim is about: a cross-hair.
fn target(square: u8, out: &mut dyn Write) -> io::Result<()> {
    let (x, y) = centre(square);
    writeln!(
        out,
        "<g fill=\"none\" stroke=\"#000\" stroke-width=\"2\"><title>the aim is about this square</title>\
         <circle cx=\"{x}\" cy=\"{y}\" r=\"20\"/><path d=\"M{} {y}h8M{} {y}h8M{x} {}v8M{x} {}v8\"/></g>",
        x - 24.0,
        x + 16.0,
        y - 24.0,
        y + 16.0
    )
}

fn legend(claim: &[String], parts: &[Part], out: &mut dyn Write) -> io::Result<()> {
    let mut y = SIZE + 14.0;
    for line in claim {
        writeln!(out, "<text x=\"{MARGIN}\" y=\"{y}\" font-weight=\"bold\">{}</text>", escaped(line))?;
        y += 18.0;
    }
    for &part in parts {
        let Style { colour, dash, width, legend } = style(part);
        let middle = y - 4.0;
        writeln!(
            out,
            "<g stroke=\"{colour}\" fill=\"{colour}\"><path d=\"M{MARGIN} {middle}h40\" stroke-width=\"{width}\" \
             stroke-dasharray=\"{dash}\"/>"
        )?;
        shape(part, 1, (MARGIN + 48.0, middle), true, out)?;
        writeln!(out, "</g><text x=\"{}\" y=\"{y}\">{legend}</text>", MARGIN + 64.0)?;
        y += 18.0;
    }
    let middle = y - 4.0;
    writeln!(
        out,
        "<path d=\"M{} {middle}l5 -5l5 5l-5 5z\" fill=\"#fff\" stroke=\"#444\" stroke-width=\"1.5\"/>\
         <text x=\"{}\" y=\"{y}\">β-squares, passed without stopping</text>",
        MARGIN + 43.0,
        MARGIN + 64.0
    )
}

/// Breaks text into lines at blanks.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && line.len() + word.len() >= LINE {
            lines.push(word.to_string());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Budget;
    use crate::pioneer::image::Horizon;
    use crate::pioneer::subgoal::propose;

    #[test]
    fn every_path_is_drawn_and_explained() {
        let board = Board::from_fen("7K/8/k1P5/7p/8/8/8/8 w - - 0 1").unwrap();
        let proposal = propose(&board, Horizon::new(4), &Budget::default());
        let goal = &proposal.subgoals[0];
        let mut text = Vec::new();
        write(&board, goal, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for path in &goal.paths {
            assert!(text.contains(&escaped(&path.words)), "{}", path.words);
            assert!(text.contains(style(path.part).legend));
        }
        assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
        assert_eq!(text.matches("<polyline").count(), goal.paths.len());
    }
}
