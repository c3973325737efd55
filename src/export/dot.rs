//! The strategy as a graph in Graphviz's DOT language: a box for each of the owner's positions with
//! its move, an arrow for each reply. Transpositions are arrows to the same box.

use super::outline::{End, Node, Outline};
use super::text::{sentence, within};
use std::io::{self, Write};

/// Writes the graph, a node at a time. Replies beyond the outline's depth are drawn as dashed
/// arrows to a point.
///
/// # Errors
/// Those of `out`.
pub fn write(outline: &Outline, out: &mut dyn Write) -> io::Result<()> {
    let heading = outline.heading();
    writeln!(out, "digraph strategy {{")?;
    writeln!(out, "  label = \"{}\\n{}\";", sentence(&heading), heading.fen)?;
    writeln!(out, "  node [shape = box, style = rounded, fontname = \"sans-serif\"];")?;
    writeln!(out, "  edge [fontname = \"sans-serif\"];")?;
    for node in outline.nodes() {
        write_node(&node, outline, out)?;
    }
    writeln!(out, "}}")
}

fn write_node(node: &Node, outline: &Outline, out: &mut dyn Write) -> io::Result<()> {
    let id = node.id;
    let play = node.play.as_ref().map_or("", |play| play.san.as_str());
    let end = match node.end {
        Some(End::Mate) if play.is_empty() => "mate".into(),
        Some(End::Stalemate) => "stalemate".into(),
        Some(End::BareKing) => format!("{} has a bare king", outline.owner().other()),
        Some(End::Shut) => "no legal moves lead to a mate".into(),
        Some(End::LoneMinor) => "one knight or bishop cannot mate".into(),
        Some(End::Mate) | None => {
            node.mate_plies.map_or(String::new(), |plies| within(outline, plies))
        }
        Some(End::Aim) => "aim".into(),
    };
    let line = if play.is_empty() || end.is_empty() { "" } else { "\\n" };
    let double = if id == 0 { ", peripheries = 2" } else { "" };
    writeln!(out, "  {id} [label = \"{play}{line}{end}\", tooltip = \"{}\"{double}];", node.fen)?;
    for (k, reply) in node.replies.iter().enumerate() {
        let san = &reply.text.san;
        match reply.to {
            Some(to) => writeln!(out, "  {id} -> {to} [label = \"{san}\"];")?,
            None => {
                writeln!(out, "  cut_{id}_{k} [shape = point, tooltip = \"not followed\"];")?;
                writeln!(out, "  {id} -> cut_{id}_{k} [label = \"{san}\", style = dashed];")?;
            }
        }
    }
    Ok(())
}
