//! A subgoal's trajectories and zone drawn over its board.
//!
//! Every part of the zone has its own colour, line and shape, so that the drawing can be read without colours too:
//! the attack is a thick green line with numbered discs, first negations are red and dashed with boxes, support is blue
//! and dotted with triangles, retreats are orange, linked zones violet with rings. β-squares are small diamonds.

use super::svg::{Diagram, MARGIN, SIZE, in_words};
use crate::chess::{Vector, code};
use crate::pioneer::subgoal::{Part, Path, Subgoal};
use std::io::{self, Write};

const BOARD: Diagram = Diagram { flipped: false };
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

/// Writes the diagram of a subgoal: the board, the zone over it, and a legend with the claim below. Readers who cannot see it
/// get the men and the paths in words.
///
/// # Errors
/// Those of `out`.
pub fn write(y: &Vector, goal: &Subgoal, out: &mut dyn Write) -> io::Result<()> {
    let claim = wrapped(&goal.claim);
    let mut parts: Vec<Part> = goal.paths.iter().map(|p| p.part).collect();
    parts.dedup();
    let height = SIZE + 18 * (claim.len() + parts.len() + 1) as i32 + 10;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {height}\" width=\"{SIZE}\" \
         height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\" font-family=\"sans-serif\" font-size=\"12\">"
    )?;
    let paths: Vec<&str> = goal.paths.iter().map(|p| p.words.as_str()).collect();
    writeln!(out, "<title id=\"title\">{}</title>", escaped(&goal.claim))?;
    writeln!(out, "<desc id=\"desc\">{} {}.</desc>", in_words(y), escaped(&paths.join("; ")))?;
    writeln!(out, "<rect width=\"{SIZE}\" height=\"{height}\" fill=\"#fff\"/>")?;
    BOARD.position(y, None, out)?;
    for part in [Part::Retreat, Part::Linked, Part::Support, Part::Negation, Part::Stem] {
        for path in goal.paths.iter().filter(|p| p.part == part) {
            draw(y, path, out)?;
        }
    }
    target(goal.square, out)?;
    legend(&claim, &parts, out)?;
    writeln!(out, "</svg>")
}

/// Parts keep apart on a square: each has its own corner.
fn shifted(square: u8, part: Part) -> (f64, f64) {
    let (x, y) = BOARD.centre(square);
    match part {
        Part::Stem => (x, y),
        Part::Negation => (x + 10.0, y - 10.0),
        Part::Support => (x - 10.0, y + 10.0),
        Part::Retreat => (x + 10.0, y + 10.0),
        Part::Linked => (x - 10.0, y - 10.0),
    }
}

fn draw(board: &Vector, path: &Path, out: &mut dyn Write) -> io::Result<()> {
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
        // A disc leaves the man on its square to be seen.
        let manned = board[usize::from(path.alphas[i]) + 1] != code::EMPTY;
        let at = if path.part == Part::Stem && manned { (x, y - 15.0) } else { (x, y) };
        shape(path.part, i, at, i + 1 == points.len(), out)?;
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
    let (x, y) = BOARD.centre(square);
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
    let mut y = SIZE + 14;
    for line in claim {
        writeln!(out, "<text x=\"{MARGIN}\" y=\"{y}\" font-weight=\"bold\">{}</text>", escaped(line))?;
        y += 18;
    }
    for &part in parts {
        let Style { colour, dash, width, legend } = style(part);
        let middle = y - 4;
        writeln!(
            out,
            "<g stroke=\"{colour}\" fill=\"{colour}\"><path d=\"M{MARGIN} {middle}h40\" stroke-width=\"{width}\" \
             stroke-dasharray=\"{dash}\"/>"
        )?;
        shape(part, 1, (f64::from(MARGIN + 48), f64::from(middle)), true, out)?;
        writeln!(out, "</g><text x=\"{}\" y=\"{y}\">{legend}</text>", MARGIN + 64)?;
        y += 18;
    }
    let middle = y - 4;
    writeln!(
        out,
        "<path d=\"M{} {middle}l5 -5l5 5l-5 5z\" fill=\"#fff\" stroke=\"#444\" stroke-width=\"1.5\"/>\
         <text x=\"{}\" y=\"{y}\">β-squares, passed without stopping</text>",
        MARGIN + 43,
        MARGIN + 64
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
    use crate::chess::board::Board;
    use crate::limits::Budget;
    use crate::pioneer::image::Horizon;
    use crate::pioneer::subgoal::propose;

    #[test]
    fn every_path_is_drawn_and_explained() {
        let board = Board::from_fen("7K/8/k1P5/7p/8/8/8/8 w - - 0 1").unwrap();
        let proposal = propose(&board, Horizon::new(4), &Budget::default());
        let goal = &proposal.subgoals[0];
        let mut text = Vec::new();
        write(&board.vector(), goal, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for path in &goal.paths {
            assert!(text.contains(&escaped(&path.words)), "{}", path.words);
            assert!(text.contains(style(path.part).legend));
        }
        assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
        assert_eq!(text.matches("<polyline").count(), goal.paths.len());
    }
}
