//! The strategy as a PGN game: the line of longest resistance with every other reply as a
//! variation.
//!
//! # References
//! * S. J. Edwards, *Portable Game Notation Specification and Implementation Guide* (1994): export
//!   format, 8.2.5 recursive annotation variations.

use super::outline::{End, Node, Outline, Reply};
use super::text::{sentence, within};
use crate::chess::Side;
use crate::chess::move_number;
use std::io::{self, Write};

/// PGN lines are kept below this many bytes.
const WIDTH: usize = 80;

/// A position whose variations are being written; its first reply goes on after them.
struct Frame {
    node: Node,
    /// The next reply that becomes a variation.
    next: usize,
    /// The ply of the replies.
    ply: u32,
    /// Whether a parenthesis is closed when the line ends.
    variation: bool,
}

struct Game<'a> {
    outline: &'a Outline<'a>,
    first: Side,
    out: &'a mut dyn Write,
    column: usize,
    /// Whether the next Black move needs its number: after a comment, a variation, or at the
    /// beginning.
    interrupted: bool,
}

/// Writes the game, a move at a time; memory is one frame for each open variation. A position that
/// is written out elsewhere ends its line with the comment `= [7]`, and `[7]` stands in the comment
/// where it is written out.
///
/// # Errors
/// Those of `out`.
pub fn write(outline: &Outline, out: &mut dyn Write) -> io::Result<()> {
    let heading = outline.heading();
    let result = match (heading.mate_plies, heading.owner) {
        (Some(_), Side::White) => "1-0",
        (Some(_), Side::Black) => "0-1",
        (None, _) if heading.claim == "draw" => "1/2-1/2",
        (None, _) => "*",
    };
    let player = |side: Side| if side == heading.owner { "theta" } else { "every reply" };
    let tags = [
        ("Event", sentence(&heading)),
        ("Site", "?".into()),
        ("Date", "????.??.??".into()),
        ("Round", "-".into()),
        ("White", player(Side::White).into()),
        ("Black", player(Side::Black).into()),
        ("Result", result.into()),
        ("SetUp", "1".into()),
        ("FEN", format!("{} 0 1", heading.fen)),
        ("Annotator", "theta".into()),
    ];
    for (name, value) in tags {
        writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))?;
    }
    writeln!(out)?;
    let mut game =
        Game { outline, first: outline.first_mover(), out, column: 0, interrupted: true };
    for note in &heading.notes {
        game.comment(note)?;
    }
    game.tree()?;
    game.token(result)?;
    writeln!(game.out, "\n")
}

impl Game<'_> {
    fn tree(&mut self) -> io::Result<()> {
        let mut stack = vec![self.enter(self.outline.node(0), 0, false)?];
        while let Some(frame) = stack.last_mut() {
            let (under, ply) = (frame.node.id, frame.ply);
            if let Some(reply) = frame.node.replies.get(frame.next).cloned() {
                frame.next += 1;
                self.token("(")?;
                self.interrupted = true;
                self.mv(ply, &reply.text.san)?;
                match self.follows(&reply, under)? {
                    Some(node) => stack.push(self.enter(node, ply + 1, true)?),
                    None => self.close()?,
                }
                continue;
            }
            let variation = frame.variation;
            let first = frame.node.replies.first().cloned();
            stack.pop();
            let main = match &first {
                // The first reply was written before the variations; only its continuation is left.
                Some(reply) => reply.to.filter(|&to| self.outline.written_under(to, under)),
                None => None,
            };
            match main {
                Some(to) => stack.push(self.enter(self.outline.node(to), ply + 1, variation)?),
                None if variation => self.close()?,
                None => {}
            }
        }
        Ok(())
    }

    /// Writes the owner's move and the first reply.
    fn enter(&mut self, node: Node, ply: u32, variation: bool) -> io::Result<Frame> {
        let mut ply = ply;
        let mut remarks = Vec::new();
        if self.outline.shared(node.id) {
            remarks.push(format!("[{}]", node.id));
        }
        if let Some(play) = &node.play {
            self.mv(ply, &play.san)?;
            ply += 1;
        }
        match (node.end, node.mate_plies) {
            (Some(End::Stalemate), _) => remarks.push("stalemate".into()),
            (Some(End::BareKing), _) => {
                remarks.push(format!("{} has a bare king", self.outline.owner().other()))
            }
            (Some(End::Shut), _) => remarks.push("no legal moves lead to a mate".into()),
            (Some(End::LoneMinor), _) => remarks.push("one knight or bishop cannot mate".into()),
            (Some(End::Mate), _) | (None, None) => {}
            (Some(End::Aim), _) => remarks.push("aim".into()),
            (None, Some(plies)) if node.replies.len() > 1 => {
                remarks.push(within(self.outline, plies))
            }
            (None, Some(_)) => {}
        }
        if !remarks.is_empty() {
            self.comment(&remarks.join(" "))?;
        }
        if let Some(reply) = node.replies.first() {
            self.mv(ply, &reply.text.san)?;
            self.follows(reply, node.id)?;
        }
        Ok(Frame { node, next: 1, ply, variation })
    }

    /// The node written out after this reply, or the remark that there is none here.
    fn follows(&mut self, reply: &Reply, under: u32) -> io::Result<Option<Node>> {
        match reply.to {
            Some(to) if self.outline.written_under(to, under) => Ok(Some(self.outline.node(to))),
            Some(to) => self.comment(&format!("= [{to}]")).map(|()| None),
            None => self.comment("…").map(|()| None),
        }
    }

    fn close(&mut self) -> io::Result<()> {
        self.interrupted = true;
        self.token(")")
    }

    fn mv(&mut self, ply: u32, san: &str) -> io::Result<()> {
        let number = move_number(ply, self.first);
        if self.interrupted || !number.ends_with("...") {
            self.token(&number)?;
        }
        self.interrupted = false;
        self.token(san)
    }

    fn comment(&mut self, text: &str) -> io::Result<()> {
        self.interrupted = true;
        let text = text.replace(['{', '}'], "");
        let mut words = text.split_whitespace().peekable();
        let Some(first) = words.next() else { return Ok(()) };
        let close = |last: bool| if last { "}" } else { "" };
        self.token(&format!("{{{first}{}", close(words.peek().is_none())))?;
        while let Some(word) = words.next() {
            self.token(&format!("{word}{}", close(words.peek().is_none())))?;
        }
        Ok(())
    }

    /// Writes a token, on a new line where this one is full.
    fn token(&mut self, text: &str) -> io::Result<()> {
        if self.column + 1 + text.len() >= WIDTH {
            writeln!(self.out)?;
            self.column = 0;
        } else if self.column > 0 {
            write!(self.out, " ")?;
            self.column += 1;
        }
        self.column += text.len();
        write!(self.out, "{text}")
    }
}
