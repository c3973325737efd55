//! Lines and trees of play drawn on boards: what is true along them shows why an aim is true, or is
//! not.

use super::model::escaped;
use super::svg::{Diagram, SIZE};
use crate::check::{Shown, Tree};
use crate::chess::board::Board;
use crate::chess::{Packed, Profile, Side, fen, move_number};
use std::io::{self, Write};

/// The side of a board in the drawing, the place of a board with its caption, and what lies between
/// columns.
const BOARD: f64 = 190.0;
const ROW: f64 = BOARD + 46.0;
const COLUMN: f64 = BOARD + 44.0;
const MARGIN: f64 = 24.0;
/// Boards of a line that stand in a row.
const ACROSS: usize = 6;

/// What is told beside the drawing.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// The answer, and the aim.
    pub headline: &'a str,
    /// The rules by which moves are made.
    pub profile: Profile,
    /// Whose side is below.
    pub below: Side,
}

/// Writes a drawing. A line runs in rows; in a tree each column is a ply, and a line leads from each
/// position to those that follow it.
///
/// # Errors
/// Those of `out`.
pub fn write_svg(tree: &Tree, told: Told<'_>, out: &mut dyn Write) -> io::Result<()> {
    let places = places(tree);
    let far = |k: usize, step: f64| places.iter().map(|p| p[k]).fold(0.0, f64::max) + step;
    let wide =
        (told.headline.chars().count() as f64 * 7.5 + 2.0 * MARGIN).max(far(0, COLUMN) + MARGIN);
    let high = far(1, ROW) + MARGIN;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" \
         height=\"{high}\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>{0}</title>\n<rect width=\"{wide}\" height=\"{high}\" fill=\"#fff\"/>\n\
         <text x=\"{MARGIN}\" y=\"26\" font-weight=\"bold\">{0}</text>",
        escaped(told.headline)
    )?;
    for (place, shown) in tree.positions.iter().enumerate() {
        if let Some((before, _)) = shown.before {
            join(places[before], places[place], out)?;
        }
    }
    for (place, shown) in tree.positions.iter().enumerate() {
        board(tree, place, shown, places[place], told, out)?;
    }
    writeln!(out, "</svg>")
}

/// Writes a page with the drawing and, as text, each position with the move that leads there.
///
/// # Errors
/// Those of `out`.
pub fn write_html(tree: &Tree, told: Told<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <style>body {{ margin: 16px; font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; }} \
         .drawing {{ overflow: auto; }} code {{ font-size: 13px; }} li {{ margin: 2px 0; }}</style>\n\
         <div class=\"drawing\">",
        escaped(told.headline)
    )?;
    write_svg(tree, told, out)?;
    writeln!(out, "</div>\n<ul>")?;
    for (place, shown) in tree.positions.iter().enumerate() {
        writeln!(
            out,
            "<li>{} <code>{}</code></li>",
            escaped(&caption(tree, place, shown, told.profile)),
            fen(&shown.position)
        )?;
    }
    writeln!(out, "</ul>\n</html>")
}

/// The upper left corner of each board.
fn places(tree: &Tree) -> Vec<[f64; 2]> {
    let positions = &tree.positions;
    let corner = |column: f64, row: f64| [MARGIN + column * COLUMN, MARGIN + 24.0 + row * ROW];
    let is_line = positions
        .iter()
        .enumerate()
        .all(|(k, shown)| shown.before.is_none_or(|(before, _)| before + 1 == k));
    if is_line {
        let at = |k: usize| corner((k % ACROSS) as f64, (k / ACROSS) as f64);
        return (0..positions.len()).map(at).collect();
    }
    // Leaves get rows in the order of the tree; a position stands in the middle of what follows it.
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); positions.len()];
    let mut depth = vec![0_usize; positions.len()];
    for (k, shown) in positions.iter().enumerate() {
        if let Some((before, _)) = shown.before {
            children[before].push(k);
            depth[k] = depth[before] + 1;
        }
    }
    let mut rows = vec![0.0; positions.len()];
    let mut order = Vec::new();
    let mut pending = vec![0];
    while let Some(k) = pending.pop() {
        order.push(k);
        pending.extend(children[k].iter().rev());
    }
    let mut leaves = 0.0;
    for &k in &order {
        if children[k].is_empty() {
            rows[k] = leaves;
            leaves += 1.0;
        }
    }
    for &k in order.iter().rev().filter(|&&k| !children[k].is_empty()) {
        let (first, last) = (children[k][0], children[k][children[k].len() - 1]);
        rows[k] = (rows[first] + rows[last]) / 2.0;
    }
    (0..positions.len()).map(|k| corner(depth[k] as f64, rows[k])).collect()
}

/// A line from a board to the next.
fn join(from: [f64; 2], to: [f64; 2], out: &mut dyn Write) -> io::Result<()> {
    // From row to row of a line there is none: captions number the positions.
    if to[0] <= from[0] {
        return Ok(());
    }
    let (x1, y1) = (from[0] + BOARD + 2.0, from[1] + BOARD / 2.0);
    let (x2, y2) = (to[0] - 4.0, to[1] + BOARD / 2.0);
    let x = (x1 + x2) / 2.0;
    writeln!(
        out,
        "<path d=\"M{x1:.0},{y1:.0} C{x:.0},{y1:.0} {x:.0},{y2:.0} {x2:.0},{y2:.0}\" fill=\"none\" \
         stroke=\"#8a94a8\" stroke-width=\"2\"/><path d=\"M{x2:.0},{y2:.0} l-8,-4 v8 z\" fill=\"#8a94a8\"/>"
    )
}

fn board(
    tree: &Tree,
    place: usize,
    shown: &Shown,
    [x, y]: [f64; 2],
    told: Told<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "<svg x=\"{x:.0}\" y=\"{y:.0}\" width=\"{BOARD}\" height=\"{BOARD}\" viewBox=\"0 0 {SIZE} {SIZE}\" \
         font-size=\"12\"><title>{}</title>",
        fen(&shown.position)
    )?;
    let diagram = Diagram { flipped: told.below == Side::Black };
    diagram.position(&shown.position, shown.before.and_then(|(_, m)| m), out)?;
    writeln!(out, "</svg>")?;
    let caption = escaped(&caption(tree, place, shown, told.profile));
    writeln!(
        out,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{caption}</text>",
        x + BOARD / 2.0,
        y + BOARD + 15.0
    )
}

/// The number of a position, the move that leads to it, and how play goes on.
fn caption(tree: &Tree, place: usize, shown: &Shown, profile: Profile) -> String {
    let mut text = match shown.before {
        None => "the position".to_owned(),
        Some((_, None)) => "it repeats itself".to_owned(),
        Some((before, Some(m))) => {
            let y = &tree.positions[before].position;
            let board = Board::of_legal(&Packed::from(y));
            let legal = board.find(m).filter(|_| profile == Profile::Fide);
            let san = legal.map_or_else(|| m.to_string(), |legal| board.san(legal));
            let root = Side::to_move(&tree.positions[0].position);
            format!("{} {san}", move_number(plies(tree, before), root))
        }
    };
    if let Some(like) = shown.like {
        text += &format!(", goes on as ({like})");
    }
    if shown.left_out > 0 {
        text += &format!(" (+ {} more)", shown.left_out);
    }
    format!("({place}) {text}")
}

/// Plies from the root.
fn plies(tree: &Tree, place: usize) -> u32 {
    let mut at = tree.positions[place].before;
    let mut plies = 0;
    while let Some((before, _)) = at {
        plies += 1;
        at = tree.positions[before].before;
    }
    plies
}
