//! The strategy as an indented tree for people.
//!
//! A line begins with a reply of the opponent and goes on while replies are forced; where the opponent has a choice each
//! reply begins a line of its own, one step deeper. `[7]` before a move names the position it is played in; `= [7]`
//! says that the line goes on as written there.

use super::outline::{End, Heading, Node, Outline, Reply, move_number};
use crate::chess::Side;
use std::io::{self, Write};

/// A node whose replies are being written on lines of their own.
struct Frame {
    node: Node,
    /// The next reply to write.
    next: usize,
    /// The ply of the replies.
    ply: u32,
    indent: usize,
}

struct Tree<'a, W> {
    outline: &'a Outline<'a>,
    first: Side,
    out: W,
}

/// Writes the tree, a line at a time; memory is one frame for each branching of the line being written.
///
/// # Errors
/// Those of `out`.
pub fn write(outline: &Outline, out: &mut impl Write) -> io::Result<()> {
    write_heading(&outline.heading(), out)?;
    let mut tree = Tree { outline, first: outline.first_mover(), out };
    let root = outline.node(0);
    let mut opened = if root.play.is_none() && root.end.is_none() {
        Some(Frame { node: root, next: 0, ply: 0, indent: 0 })
    } else {
        tree.owner_move(root, 0, 0, true)?
    };
    let mut stack: Vec<Frame> = Vec::new();
    loop {
        stack.extend(opened.take());
        let Some(frame) = stack.last_mut() else { return Ok(()) };
        let Some(reply) = frame.node.replies.get(frame.next).cloned() else {
            stack.pop();
            continue;
        };
        frame.next += 1;
        let (node, ply, indent) = (frame.node.id, frame.ply, frame.indent);
        write!(tree.out, "{:1$}", "", 2 * indent)?;
        opened = tree.reply(&reply, node, ply, indent, true)?;
    }
}

/// The moves of a mate in this many plies with the winner to move.
pub(super) fn moves_of(plies: u32) -> u32 {
    plies.div_ceil(2)
}

/// What a strategy proves, in words.
pub(super) fn sentence(heading: &Heading) -> String {
    let owner = heading.owner;
    match heading.mate_plies {
        Some(0) => format!("{} is mated.", owner.other()),
        Some(plies) => {
            let moves = moves_of(plies);
            let s = if moves == 1 { "" } else { "s" };
            format!("{owner} mates in at most {moves} move{s} ({plies} plies), whatever {} plays.", owner.other())
        }
        None => format!("{owner} is never mated, whatever {} plays.", owner.other()),
    }
}

fn write_heading(heading: &Heading, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}\n{}", heading.fen, sentence(heading))?;
    for note in &heading.notes {
        writeln!(out, "{note}")?;
    }
    let s = if heading.positions == 1 { "" } else { "s" };
    write!(out, "A move for {} in {} position{s}", heading.owner, heading.positions)?;
    if heading.shown < heading.positions {
        write!(out, ", {} shown", heading.shown)?;
    }
    writeln!(out, ".\n")
}

impl<W: Write> Tree<'_, W> {
    /// Writes a reply and what follows it on the same line; the frame of the branching where the line ends, if one does.
    fn reply(
        &mut self,
        reply: &Reply,
        under: u32,
        ply: u32,
        indent: usize,
        heads_line: bool,
    ) -> io::Result<Option<Frame>> {
        write!(self.out, "{} {}", move_number(ply, self.first), reply.text.san)?;
        match reply.to {
            None => writeln!(self.out, " …").map(|()| None),
            Some(to) if !self.outline.written_under(to, under) => writeln!(self.out, " = [{to}]").map(|()| None),
            Some(to) => {
                write!(self.out, " ")?;
                self.owner_move(self.outline.node(to), ply + 1, indent, heads_line)
            }
        }
    }

    fn owner_move(&mut self, first: Node, ply: u32, indent: usize, heads_line: bool) -> io::Result<Option<Frame>> {
        let (mut node, mut ply, mut heads_line) = (first, ply, heads_line);
        loop {
            if self.outline.shared(node.id) {
                write!(self.out, "[{}] ", node.id)?;
            }
            if let Some(play) = &node.play {
                write!(self.out, "{} {}", move_number(ply, self.first), play.san)?;
            }
            if let Some(end) = node.end {
                let space = if node.play.is_some() { " " } else { "" };
                match end {
                    End::Mate if node.play.is_some() => writeln!(self.out)?,
                    End::Mate => writeln!(self.out, "(mate)")?,
                    End::Stalemate => writeln!(self.out, "{space}(stalemate)")?,
                    End::BareKing => writeln!(self.out, "{space}({} has a bare king)", self.outline.owner().other())?,
                }
                return Ok(None);
            }
            if let Some(plies) = node.mate_plies.filter(|_| heads_line) {
                write!(self.out, " (mate in {})", moves_of(plies))?;
            }
            let [reply] = node.replies.as_slice() else {
                writeln!(self.out)?;
                return Ok(Some(Frame { node, next: 0, ply: ply + 1, indent: indent + 1 }));
            };
            // A forced reply: the line goes on.
            write!(self.out, " ")?;
            let to = reply.to.filter(|&to| self.outline.written_under(to, node.id));
            let Some(to) = to else { return self.reply(reply, node.id, ply + 1, indent, false) };
            write!(self.out, "{} {} ", move_number(ply + 1, self.first), reply.text.san)?;
            (node, ply, heads_line) = (self.outline.node(to), ply + 2, false);
        }
    }
}
