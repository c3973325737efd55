//! A subgoal's trajectories and zone drawn over its board, for people who have not read Botvinnik.
//!
//! Every part of the zone has its own colour, line and shape, so that the drawing can be read
//! without colours too (the palette is that of Okabe and Ito, which colour-blind readers tell
//! apart): the attack is a thick blue line with numbered discs, defences are vermilion and dashed
//! with boxes, support is green and dotted with triangles, flights are yellow with crosses, men
//! brought in are purple with rings. Arrowheads show who goes where; squares passed without
//! stopping have small diamonds. The first attack is drawn in full, others are thin. Below the
//! board each part is named in plain words, with Botvinnik's term and one of its paths.

use super::svg::{Diagram, MARGIN, SIZE, in_words};
use crate::chess::{Vector, code};
use crate::pioneer::subgoal::{Part, Path, Subgoal};
use std::io::{self, Write};

const BOARD: Diagram = Diagram { flipped: false };
/// Characters of a line of text below the board, bold or beside a sign.
const LINE: usize = 50;
/// Units from one line of text to the next.
const LEADING: i32 = 17;

struct Style {
    colour: &'static str,
    dash: &'static str,
    width: f64,
    legend: &'static str,
}

fn style(part: Part) -> Style {
    let (colour, dash, width, legend) = match part {
        Part::Stem => ("#0057a8", "", 5.0, "the attack, its stops numbered (stem trajectory)"),
        Part::Negation => ("#d0480a", "8 5", 3.0, "a defence against it (first negation)"),
        Part::Support => {
            ("#00704f", "2 4", 2.5, "help for either, one move away (second negation)")
        }
        Part::Retreat => ("#c88a00", "5 3", 2.5, "where the target may go (retreat)"),
        Part::Linked => {
            ("#8b2f83", "10 3 2 3", 3.0, "a man brought in or out of the way (linked zone)")
        }
    };
    Style { colour, dash, width, legend }
}

/// Writes the diagram of a subgoal: the board, the zone over it, and a legend with the claim below.
/// Readers who cannot see it get the men and the paths in words.
///
/// # Errors
/// Those of `out`.
pub fn write(y: &Vector, goal: &Subgoal, out: &mut dyn Write) -> io::Result<()> {
    let mut below = Vec::new();
    let height = legend(goal, &mut below)?;
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
    target(goal.square, out)?;
    for part in [Part::Retreat, Part::Linked, Part::Support, Part::Negation, Part::Stem] {
        // The first path of a part comes last: nothing covers it.
        let of_part: Vec<&Path> = goal.paths.iter().filter(|p| p.part == part).collect();
        for (i, path) in of_part.iter().enumerate().rev() {
            draw(y, path, i == 0, out)?;
        }
    }
    out.write_all(&below)?;
    writeln!(out, "</svg>")
}

/// Parts keep apart on a square: each has its own corner.
fn shifted(square: u8, part: Part) -> (f64, f64) {
    let (x, y) = BOARD.centre(square);
    match part {
        Part::Stem => (x, y),
        Part::Negation => (x + 11.0, y - 11.0),
        Part::Support => (x - 11.0, y + 11.0),
        Part::Retreat => (x + 11.0, y + 11.0),
        Part::Linked => (x - 11.0, y - 11.0),
    }
}

fn draw(board: &Vector, path: &Path, first: bool, out: &mut dyn Write) -> io::Result<()> {
    let Style { colour, dash, width, .. } = style(path.part);
    let faint = path.part == Part::Stem && !first;
    let (width, opacity) = if faint { (2.0, 0.6) } else { (width, 1.0) };
    let words = escaped(&path.words);
    writeln!(
        out,
        "<g stroke=\"{colour}\" fill=\"{colour}\" opacity=\"{opacity}\"><title>{words}</title>"
    )?;
    let points: Vec<(f64, f64)> = path.alphas.iter().map(|&s| shifted(s, path.part)).collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
    let line = line.join(" ");
    // A light edge keeps the line apart from dark squares and from other lines.
    writeln!(
        out,
        "<polyline points=\"{line}\" fill=\"none\" stroke=\"#fff\" stroke-width=\"{}\" stroke-linejoin=\"round\" \
         opacity=\"0.7\"/>",
        width + 2.0
    )?;
    writeln!(
        out,
        "<polyline points=\"{line}\" fill=\"none\" stroke-width=\"{width}\" stroke-dasharray=\"{dash}\" \
         stroke-linejoin=\"round\"/>"
    )?;
    for pair in points.windows(2) {
        arrowhead(pair[0], pair[1], out)?;
    }
    for &beta in &path.betas {
        let (x, y) = shifted(beta, path.part);
        writeln!(
            out,
            "<path d=\"M{} {y}l4 -4l4 4l-4 4z\" fill=\"#fff\" stroke-width=\"1.2\"/>",
            x - 4.0
        )?;
    }
    for (i, &(x, y)) in points.iter().enumerate().skip(1) {
        // A disc leaves the man on its square to be seen.
        let manned = board[usize::from(path.alphas[i]) + 1] != code::EMPTY;
        let at = if path.part == Part::Stem && manned { (x - 14.0, y - 14.0) } else { (x, y) };
        shape(path.part, i, at, i + 1 == points.len(), out)?;
    }
    writeln!(out, "</g>")
}

/// Somewhat behind the middle of a step, where no stop and few passed squares are.
fn arrowhead(from: (f64, f64), to: (f64, f64), out: &mut dyn Write) -> io::Result<()> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (x, y) = (from.0 + 0.62 * dx, from.1 + 0.62 * dy);
    let turn = dy.atan2(dx).to_degrees();
    writeln!(
        out,
        "<path d=\"M7 0l-11 6v-12z\" transform=\"translate({x:.1} {y:.1}) rotate({turn:.0})\" stroke=\"#fff\" \
         stroke-width=\"1\"/>"
    )
}

fn shape(
    part: Part,
    i: usize,
    (x, y): (f64, f64),
    last: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let hollow = if last { "" } else { "fill=\"#fff\" " };
    match part {
        Part::Stem => writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"8\" stroke=\"#fff\" stroke-width=\"1\"/><text x=\"{x}\" y=\"{}\" \
             fill=\"#fff\" stroke=\"none\" font-size=\"11\" text-anchor=\"middle\">{i}</text>",
            y + 4.0
        ),
        Part::Negation => {
            let (x, y) = (x - 5.0, y - 5.0);
            writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\" {hollow}stroke-width=\"2\"/>"
            )
        }
        Part::Support => {
            writeln!(out, "<path d=\"M{x} {}l6 11h-12z\" {hollow}stroke-width=\"1.5\"/>", y - 7.0)
        }
        Part::Retreat => {
            let cross = format!("M{} {}l9 9m0 -9l-9 9", x - 4.5, y - 4.5);
            writeln!(
                out,
                "<path d=\"{cross}\" fill=\"none\" stroke=\"#fff\" stroke-width=\"5\"/>\
                 <path d=\"{cross}\" fill=\"none\" stroke-width=\"3\"/>"
            )
        }
        Part::Linked => writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"#fff\" stroke-width=\"3\"/>"
        ),
    }
}

/// The corners of the square that the aim is about.
fn target(square: u8, out: &mut dyn Write) -> io::Result<()> {
    let (x, y) = BOARD.centre(square);
    let (left, top) = (x - 21.0, y - 21.0);
    let corners = format!("M{left} {}v-10h10m22 0h10v10m0 22v10h-10m-22 0h-10v-10", top + 10.0);
    writeln!(
        out,
        "<g fill=\"none\"><title>the aim is about this square</title><path d=\"{corners}\" stroke=\"#fff\" \
         stroke-width=\"5\"/><path d=\"{corners}\" stroke=\"#000\" stroke-width=\"3\"/></g>"
    )
}

/// What stands below the board: the claim, and each part with one of its paths. The height of the
/// drawing.
fn legend(goal: &Subgoal, out: &mut dyn Write) -> io::Result<i32> {
    let mut y = SIZE + 14;
    for line in wrapped(&goal.claim) {
        writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"{y}\" font-weight=\"bold\">{}</text>",
            escaped(&line)
        )?;
        y += LEADING;
    }
    let mut parts: Vec<Part> = goal.paths.iter().map(|p| p.part).collect();
    parts.dedup();
    for part in parts {
        let Style { colour, dash, width, legend } = style(part);
        let middle = y - 4;
        writeln!(
            out,
            "<g stroke=\"{colour}\" fill=\"{colour}\"><path d=\"M{MARGIN} {middle}h38\" stroke-width=\"{width}\" \
             stroke-dasharray=\"{dash}\"/>"
        )?;
        shape(part, 1, (f64::from(MARGIN + 48), f64::from(middle)), true, out)?;
        writeln!(out, "</g>")?;
        beside(legend, "#000", &mut y, out)?;
        if let Some(path) = goal.paths.iter().find(|p| p.part == part) {
            beside(&path.words, "#555", &mut y, out)?;
        }
    }
    let middle = y - 4;
    writeln!(
        out,
        "<path d=\"M{} {middle}l4 -4l4 4l-4 4z\" fill=\"#fff\" stroke=\"#444\" stroke-width=\"1.2\"/>",
        MARGIN + 44
    )?;
    beside("passed without stopping (β-square)", "#000", &mut y, out)?;
    let middle = y - 4;
    writeln!(
        out,
        "<path d=\"M{} {}v-4h4m6 0h4v4m0 6v4h-4m-6 0h-4v-4\" fill=\"none\" stroke=\"#000\" stroke-width=\"2\"/>",
        MARGIN + 41,
        middle - 3
    )?;
    beside("the square that the aim is about", "#000", &mut y, out)?;
    Ok(y)
}

/// Text beside a sign of the legend.
fn beside(text: &str, colour: &str, y: &mut i32, out: &mut dyn Write) -> io::Result<()> {
    for line in wrapped(text) {
        writeln!(
            out,
            "<text x=\"{}\" y=\"{y}\" fill=\"{colour}\">{}</text>",
            MARGIN + 64,
            escaped(&line)
        )?;
        *y += LEADING;
    }
    Ok(())
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
            assert!(text.contains(style(path.part).colour));
        }
        assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
        assert_eq!(text.matches("<polyline").count(), 2 * goal.paths.len());
        let height: i32 =
            text.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let lowest = text
            .split(" y=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
        assert!(
            lowest.fold(0.0, f64::max) < f64::from(height),
            "nothing is written below the drawing"
        );
    }
}
