//! A model as a picture.

use super::{Picture, Placed, State, escaped};
use std::io::{self, Write};

/// Promises that are told below the picture, and characters of a line there.
const TOLD: usize = 8;
const WIDE: usize = 110;

/// The looks of it, with those of a dark page.
const STYLE: &str = include_str!("model.css");

/// Writes the picture. Each state tells in its title (where it is pointed at) which subformulas are
/// true in it and how it keeps its promises; those of the root stand below.
///
/// # Errors
/// Those of `out`.
pub fn write(picture: &Picture, out: &mut dyn Write) -> io::Result<()> {
    let notes = notes(picture);
    let longest = notes.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let layout = &picture.layout;
    let width = layout.width.max(longest as f64 * 6.6 + 40.0);
    let height = layout.height + notes.len() as f64 * 18.0 + 14.0;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"model\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\">\n<title>A model of {}</title>\n\
         <style>{STYLE}</style>\n<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>",
        escaped(&picture.formula)
    )?;
    write_graph(picture, out)?;
    for (k, note) in notes.iter().enumerate() {
        let y = layout.height + 14.0 + 18.0 * k as f64;
        writeln!(out, "<text class=\"note\" x=\"20\" y=\"{y}\">{}</text>", escaped(note))?;
    }
    writeln!(out, "</svg>")
}

/// Writes edges and states.
pub(super) fn write_graph(picture: &Picture, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto-start-reverse\"><path class=\"tip\" \
         d=\"M0,1 L9,5 L0,9 z\"/></marker></defs>"
    )?;
    for edge in &picture.layout.edges {
        writeln!(
            out,
            "<path class=\"edge\" data-from=\"{}\" data-to=\"{}\" d=\"{}\" marker-end=\"url(#tip)\"/>",
            edge.from, edge.to, edge.path
        )?;
    }
    picture.layout.states.iter().try_for_each(|placed| state(picture, placed, out))
}

fn state(picture: &Picture, placed: &Placed, out: &mut dyn Write) -> io::Result<()> {
    let Placed { id, x, y, width, height, lines } = placed;
    let state = &picture.facts.states[*id as usize];
    let is_root = *id == picture.facts.root;
    let class = match (is_root, state.successors.is_empty()) {
        (true, true) => "state root end",
        (true, false) => "state root",
        (false, true) => "state end",
        (false, false) => "state",
    };
    writeln!(out, "<g class=\"{class}\" data-id=\"{id}\" transform=\"translate({x:.1},{y:.1})\">")?;
    writeln!(out, "<title>{}</title>", escaped(&title(picture, *id, state)))?;
    let rect = |out: &mut dyn Write, inset: f64| {
        let (w, h) = (width - 2.0 * inset, height - 2.0 * inset);
        writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"9\"/>",
            -w / 2.0,
            -h / 2.0
        )
    };
    rect(out, 0.0)?;
    if is_root {
        rect(out, 4.0)?;
    }
    let top = -(lines.len() as f64 - 1.0) * super::layout::LINE / 2.0 + 4.5;
    for (k, line) in lines.iter().enumerate() {
        let y = top + k as f64 * super::layout::LINE;
        writeln!(out, "<text class=\"atoms\" y=\"{y:.1}\">{}</text>", words(line))?;
    }
    writeln!(out, "<text class=\"id\" y=\"{:.1}\">s{id}</text>\n</g>", height / 2.0 + 13.0)
}

/// A line of a state; what is false in it is paler.
fn words(line: &str) -> String {
    let word = |word: &str| match word.starts_with('~') {
        true => format!("<tspan class=\"not\">{}</tspan>", escaped(word)),
        false => escaped(word),
    };
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn title(picture: &Picture, id: u32, state: &State) -> String {
    let named = |names: &[String]| match names {
        [] => "no atom".to_owned(),
        _ => names.join(", "),
    };
    let mut text = format!("State s{id}. True: {}.", named(&state.r#true));
    if let Some(matters) = &state.matters {
        text += &format!("\nThe value matters of: {}.", named(matters));
    }
    if state.successors.is_empty() {
        text += "\nA dead end.";
    }
    text += "\nSubformulas true here:";
    for &place in &state.holds {
        text += &format!("\n  {}", picture.facts.subformulas[place]);
    }
    for kept in &state.kept {
        text += &format!("\n{}: {}", kept.formula, kept.words);
    }
    text
}

/// What stands below the picture: the formula, and how the root keeps its promises.
fn notes(picture: &Picture) -> Vec<String> {
    let mut notes = vec![picture.formula.clone()];
    if !picture.everywhere.is_empty() {
        notes.push(format!("true in every state: {}", picture.everywhere.join(", ")));
    }
    let root = &picture.facts.states[picture.facts.root as usize];
    let kept = root.kept.iter().take(TOLD);
    notes.extend(kept.map(|kept| format!("{}: {}", kept.formula, kept.words)));
    let left = picture.facts.states.len() - picture.layout.states.len();
    if left > 0 {
        notes.push(format!("{left} more states are not drawn"));
    }
    let short = |note: String| match note.char_indices().nth(WIDE) {
        Some((end, _)) => format!("{}…", &note[..end]),
        None => note,
    };
    notes.into_iter().map(short).collect()
}
