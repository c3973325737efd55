//! Where the states of a model are drawn, and along which curves its edges.
//!
//! States stand in columns by their distance from the root, ordered within a column by the mean of
//! their neighbours' places; edges to the next column are straight, all others bend out of the way.
//! The same layout serves pictures in files and the page of `theta serve`.
//!
//! # References
//! K. Sugiyama, S. Tagawa, M. Toda, *Methods for visual understanding of hierarchical system
//! structures* (1981).

use crate::kripke::Kripke;
use serde::Serialize;

/// Width of a character of the labels, which are monospaced, and height of a line.
pub(super) const CHARACTER: f64 = 7.3;
pub(super) const LINE: f64 = 16.0;
/// Between columns, between rows, and around it all.
const GAPS: [f64; 2] = [64.0, 34.0];
const MARGIN: f64 = 30.0;
/// Sweeps that order the columns.
const SWEEPS: usize = 4;

/// A state's box: its middle, its size and its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Placed {
    /// The state.
    pub id: u32,
    /// The middle of the box.
    pub x: f64,
    /// The same, downwards.
    pub y: f64,
    /// The width of the box.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The lines of its text.
    pub lines: Vec<String>,
}

/// An edge and the curve along which it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The state that it leaves.
    pub from: u32,
    /// The state that it enters.
    pub to: u32,
    /// An SVG path that ends at the border of the state it enters.
    pub path: String,
}

/// A drawing of a model, in units of a pixel; y grows downwards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layout {
    /// The width of it all.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The states that are drawn.
    pub states: Vec<Placed>,
    /// The edges between them.
    pub edges: Vec<Curve>,
}

impl Layout {
    /// Lays out the first `most` states, nearest to the root first; `lines` is the text of each.
    /// O(E) for each of a few sweeps.
    pub fn new(model: &Kripke, most: usize, lines: impl Fn(u32) -> Vec<String>) -> Self {
        let columns = columns(model, most);
        let mut states = place(&columns, &lines);
        let low = states.iter().map(|s| s.y - s.height / 2.0).fold(f64::MAX, f64::min);
        // Room for the bows above.
        states.iter_mut().for_each(|s| s.y += MARGIN + GAPS[1] - low);
        let mut at = vec![usize::MAX; model.vertices() as usize];
        for (place, state) in states.iter().enumerate() {
            at[state.id as usize] = place;
        }
        let mut edges = Vec::new();
        let mut lowest: f64 = states.iter().map(|s| s.y + s.height / 2.0).fold(0.0, f64::max);
        for from in &states {
            for &to in model.successors(from.id) {
                let Some(end) = states.get(at[to as usize]) else { continue };
                let back = to != from.id && model.successors(to).contains(&from.id);
                let (path, low) = curve(from, end, back);
                lowest = lowest.max(low);
                edges.push(Curve { from: from.id, to, path });
            }
        }
        let right = states.iter().map(|s| s.x + s.width / 2.0).fold(0.0, f64::max);
        let (width, height) = ((right + MARGIN + 20.0).round(), (lowest + MARGIN).round());
        Self { width, height, states, edges }
    }
}

/// The states by their distance from the root, each column in order.
fn columns(model: &Kripke, most: usize) -> Vec<Vec<u32>> {
    let mut depth = vec![usize::MAX; model.vertices() as usize];
    depth[model.root() as usize] = 0;
    let mut queue = vec![model.root()];
    let mut next = 0;
    while let Some(&v) = queue.get(next) {
        next += 1;
        for &z in model.successors(v) {
            if depth[z as usize] == usize::MAX && queue.len() < most {
                depth[z as usize] = depth[v as usize] + 1;
                queue.push(z);
            }
        }
    }
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for &v in &queue {
        if columns.len() == depth[v as usize] {
            columns.push(Vec::new());
        }
        columns[depth[v as usize]].push(v);
    }
    let mut place = vec![0.0; depth.len()];
    let spread = |column: &[u32], place: &mut Vec<f64>| {
        for (k, &v) in column.iter().enumerate() {
            place[v as usize] = k as f64 - (column.len() as f64 - 1.0) / 2.0;
        }
    };
    columns.iter().for_each(|column| spread(column, &mut place));
    for sweep in 0..SWEEPS {
        let forward = sweep.is_multiple_of(2);
        for k in 1..columns.len() {
            let at = if forward { k } else { columns.len() - 1 - k };
            let other = if forward { at - 1 } else { at + 1 };
            let mean = |&v: &u32| {
                let near = if forward { model.predecessors(v) } else { model.successors(v) };
                let near = near.iter().filter(|&&z| depth[z as usize] == other);
                let (sum, count) =
                    near.fold((0.0, 0.0), |(s, n), &z| (s + place[z as usize], n + 1.0));
                if count > 0.0 { sum / count } else { place[v as usize] }
            };
            let mut keyed: Vec<(f64, u32)> = columns[at].iter().map(|v| (mean(v), *v)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            columns[at] = keyed.into_iter().map(|(_, v)| v).collect();
            spread(&columns[at], &mut place);
        }
    }
    columns
}

/// The boxes; the middle of each column is at height 0.
fn place(columns: &[Vec<u32>], lines: &impl Fn(u32) -> Vec<String>) -> Vec<Placed> {
    let mut placed = Vec::new();
    let mut left = MARGIN;
    for column in columns {
        let texts: Vec<Vec<String>> = column.iter().map(|&v| lines(v)).collect();
        let size = |lines: &Vec<String>| {
            let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            [(longest as f64 * CHARACTER + 22.0).max(46.0), lines.len().max(1) as f64 * LINE + 18.0]
        };
        let sizes: Vec<[f64; 2]> = texts.iter().map(size).collect();
        let widest = sizes.iter().map(|size| size[0]).fold(0.0, f64::max);
        let tall: f64 = sizes.iter().map(|size| size[1] + GAPS[1]).sum::<f64>() - GAPS[1];
        let mut top = -tall / 2.0;
        for ((&id, lines), [width, height]) in column.iter().zip(texts).zip(sizes) {
            let (x, y) = (left + widest / 2.0, top + height / 2.0);
            placed.push(Placed { id, x, y, width, height, lines });
            top += height + GAPS[1];
        }
        left += widest + GAPS[0];
    }
    placed
}

/// The curve of an edge, and how far down it reaches. `back` says that there is an edge the other
/// way, too.
fn curve(from: &Placed, to: &Placed, back: bool) -> (String, f64) {
    if from.id == to.id {
        // A loop at the upper right corner.
        let (x, y) = (from.x + from.width / 2.0, from.y - from.height / 2.0);
        let path = format!(
            "M{:.1},{y:.1} C{:.1},{:.1} {:.1},{:.1} {x:.1},{:.1}",
            x - 16.0,
            x - 12.0,
            y - 28.0,
            x + 30.0,
            y - 12.0,
            y + 12.0
        );
        return (path, y);
    }
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = dx.hypot(dy);
    let is_forward = dx > 1.0;
    let bend = match (is_forward, dx.abs() <= 1.0) {
        (true, _) if !back => 0.0,
        (true, _) => 14.0,
        // Within a column.
        (false, true) => from.width / 2.0 + 26.0 + length / 8.0,
        // Back to an earlier column, below what stands between.
        (false, false) if length < from.width / 2.0 + to.width / 2.0 + GAPS[0] + 60.0 => 26.0,
        (false, false) => from.height.max(to.height) + 34.0 + length / 12.0,
    };
    let (ux, uy) = (dx / length, dy / length);
    let (x, y) = (from.x + dx / 2.0, from.y + dy / 2.0);
    let middle = match (is_forward, dx.abs() <= 1.0) {
        // An edge that leads on bends upwards, one that leads back downwards.
        (true, _) => [x + uy * bend, y - ux * bend],
        (false, true) => [x - uy * bend, y],
        (false, false) => [x, y + bend],
    };
    let (start, end) = (border(from, middle), border(to, middle));
    let path = format!(
        "M{:.1},{:.1} Q{:.1},{:.1} {:.1},{:.1}",
        start[0], start[1], middle[0], middle[1], end[0], end[1]
    );
    (path, (middle[1] + start[1].max(end[1])) / 2.0)
}

/// Where the line from the middle of a box towards a point crosses its border.
fn border(state: &Placed, towards: [f64; 2]) -> [f64; 2] {
    let (dx, dy) = (towards[0] - state.x, towards[1] - state.y);
    let scale = |half: f64, d: f64| if d.abs() < 1e-6 { f64::MAX } else { half / d.abs() };
    let t = scale(state.width / 2.0, dx).min(scale(state.height / 2.0, dy)).min(1.0);
    [state.x + dx * t, state.y + dy * t]
}
