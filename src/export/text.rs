//! The strategy as an indented tree for people.
//!
//! A line begins with a reply of the opponent and goes on while replies are forced; where the
//! opponent has a choice each reply begins a line of its own, one step deeper. `[7]` before a move
//! names the position it is played in; `= [7]` says that the line goes on as written there.

use super::outline::{End, Heading, Node, Outline, Reply};
use crate::chess::Side;
use crate::chess::move_number;
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

/// What a line goes on with.
enum Step {
    /// The opponent's move below this node.
    Reply(Reply, u32),
    /// The owner's position.
    Node(Node),
}

struct Tree<'a> {
    outline: &'a Outline<'a>,
    first: Side,
    out: &'a mut dyn Write,
    /// Whether nothing has been written on the line yet.
    line_empty: bool,
    /// Whether a Black move needs its number: at the head of a line and after a remark.
    interrupted: bool,
}

/// Writes the tree, a line at a time; memory is one frame for each branching of the line being
/// written.
///
/// # Errors
/// Those of `out`.
pub fn write(outline: &Outline, out: &mut dyn Write) -> io::Result<()> {
    write_heading(&outline.heading(), out)?;
    if outline.shares() {
        writeln!(out, "(= [7]: it goes on as where [7] stands.)\n")?;
    }
    let first = outline.first_mover();
    let mut tree = Tree { outline, first, out, line_empty: true, interrupted: true };
    let root = outline.node(0);
    let mut opened = if root.play.is_none() && root.end.is_none() {
        Some(Frame { node: root, next: 0, ply: 0, indent: 0 })
    } else {
        tree.line(Step::Node(root), 0, 0)?
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
        let (step, ply, indent) = (Step::Reply(reply, frame.node.id), frame.ply, frame.indent);
        opened = tree.line(step, ply, indent)?;
    }
}

/// The moves of a mate in this many plies with the winner to move.
pub(super) fn moves_of(plies: u32) -> u32 {
    plies.div_ceil(2)
}

/// `mate in 3`, or `aim in 3`: how many moves of the winner's are left at most.
pub(super) fn within(outline: &Outline, plies: u32) -> String {
    format!("{} in {}", if outline.of_aim() { "aim" } else { "mate" }, moves_of(plies))
}

/// What a strategy proves, in words.
pub(super) fn sentence(heading: &Heading) -> String {
    let owner = heading.owner;
    if let Some(aim) = &heading.aim {
        return format!("{}, whatever {} plays: {aim}.", heading.claim, owner.other());
    }
    match heading.mate_plies {
        Some(0) => format!("{} is mated.", owner.other()),
        Some(plies) => {
            let moves = moves_of(plies);
            let s = if moves == 1 { "" } else { "s" };
            let most = if heading.shortest { "" } else { "at most " };
            format!(
                "{owner} mates in {most}{moves} move{s} ({plies} plies), whatever {} plays.",
                owner.other()
            )
        }
        None => format!("{owner} is never mated, whatever {} plays.", owner.other()),
    }
}

fn write_heading(heading: &Heading, out: &mut dyn Write) -> io::Result<()> {
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

impl Tree<'_> {
    /// Writes a line: on and on while replies are forced. The frame of the branching where it ends,
    /// if one does.
    fn line(&mut self, start: Step, mut ply: u32, indent: usize) -> io::Result<Option<Frame>> {
        (self.line_empty, self.interrupted) = (true, true);
        write!(self.out, "{:1$}", "", 2 * indent)?;
        let mut step = start;
        let mut first_node = true;
        loop {
            step = match step {
                Step::Reply(reply, under) => {
                    self.mv(ply, &reply.text.san)?;
                    ply += 1;
                    match reply.to {
                        Some(to) if self.outline.written_under(to, under) => {
                            Step::Node(self.outline.node(to))
                        }
                        Some(to) => return self.end_line(&format!("= [{to}]")),
                        None => return self.end_line("…"),
                    }
                }
                Step::Node(mut node) => {
                    ply += self.owner_move(&node, ply)?;
                    if let Some(end) = node.end {
                        return self.end_line(&self.end_remark(end, node.play.is_some()));
                    }
                    if let Some(plies) = node.mate_plies.filter(|_| first_node) {
                        self.remark(&format!("({})", within(self.outline, plies)))?;
                    }
                    first_node = false;
                    if node.replies.len() != 1 {
                        self.end_line("")?;
                        return Ok(Some(Frame { node, next: 0, ply, indent: indent + 1 }));
                    }
                    Step::Reply(node.replies.remove(0), node.id)
                }
            };
        }
    }

    /// Writes the position's label where it is referred to, and the owner's move; the plies
    /// written.
    fn owner_move(&mut self, node: &Node, ply: u32) -> io::Result<u32> {
        if self.outline.shared(node.id) {
            self.remark(&format!("[{}]", node.id))?;
        }
        match &node.play {
            Some(play) => self.mv(ply, &play.san).map(|()| 1),
            None => Ok(0),
        }
    }

    fn end_remark(&self, end: End, after_move: bool) -> String {
        match end {
            End::Mate if after_move => String::new(),
            End::Mate => "(mate)".into(),
            End::Stalemate => "(stalemate)".into(),
            End::BareKing => format!("({} has a bare king)", self.outline.owner().other()),
            End::Shut => "(no legal moves lead to a mate)".into(),
            End::LoneMinor => "(one knight or bishop cannot mate)".into(),
            End::Aim => "(aim)".into(),
        }
    }

    fn mv(&mut self, ply: u32, san: &str) -> io::Result<()> {
        let number = move_number(ply, self.first);
        if self.interrupted || !number.ends_with("...") {
            self.word(&number)?;
        }
        self.interrupted = false;
        self.word(san)
    }

    fn remark(&mut self, text: &str) -> io::Result<()> {
        self.interrupted = true;
        self.word(text)
    }

    fn end_line(&mut self, remark: &str) -> io::Result<Option<Frame>> {
        if !remark.is_empty() {
            self.word(remark)?;
        }
        writeln!(self.out)?;
        Ok(None)
    }

    fn word(&mut self, text: &str) -> io::Result<()> {
        let space = if self.line_empty { "" } else { " " };
        self.line_empty = false;
        write!(self.out, "{space}{text}")
    }
}
