//! The smallest tree for a person ([`crate::library::explain`]) as indented text: each position once,
//! each line ended by a reason that is cited.

use super::counted;
use crate::chess::{Side, move_number};
use crate::library::explain::{Branch, Leaf, NodeKind, Tree};
use std::io::{self, Write};

/// Why a line ends, in words.
pub fn reason(leaf: &Leaf) -> String {
    match leaf {
        Leaf::Mate => "mate".to_owned(),
        Leaf::Stalemate => "stalemate".to_owned(),
        Leaf::BareKing => "the bare king cannot win".to_owned(),
        Leaf::Rule { name, mirrored: false } => format!("rule {name}"),
        Leaf::Rule { name, mirrored: true } => format!("rule {name}, colours exchanged"),
        Leaf::Row { class, row } => format!("library, class {class}, row {row}"),
        Leaf::Table { material, plies: None } => format!("table {material}: draw"),
        Leaf::Table { material, plies: Some(plies) } => {
            format!("table {material}: mate in {plies} plies")
        }
    }
}

/// How many lines of a tree end in a leaf of their own.
pub fn leaves(tree: &Tree) -> usize {
    tree.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Leaf(_))).count()
}

/// Writes the tree: what is shown, and then every line. `[4]` names a position, `see [4]` says that
/// the line goes on as written there.
///
/// # Errors
/// Those of `out`.
pub fn write(tree: &Tree, out: &mut impl Write) -> io::Result<()> {
    let owner = tree.goal().owner;
    let claim = if tree.wins { "wins" } else { "holds" };
    let moves = counted(tree.moves() as u64, "move", "moves");
    writeln!(out, "{owner} {claim}: {moves}, {}", counted(leaves(tree) as u64, "leaf", "leaves"))?;
    let own = matches!(tree.nodes.first().map(|node| &node.kind), Some(NodeKind::Own(_)));
    let first = if own { owner } else { owner.other() };
    let mut printer = Printer { tree, seen: vec![false; tree.nodes.len()], out };
    printer.node(0, usize::from(first == Side::Black), 0)
}

/// `3. ` or `3... `
pub(super) fn number(ply: usize) -> String {
    move_number(ply as u32, Side::White) + " "
}

struct Printer<'a, W> {
    tree: &'a Tree,
    seen: Vec<bool>,
    out: &'a mut W,
}

impl<W: Write> Printer<'_, W> {
    /// Writes the line from a node on; replies begin lines of their own, one step further in.
    fn node(&mut self, at: usize, ply: usize, indent: usize) -> io::Result<()> {
        match &self.tree.nodes[at].kind {
            NodeKind::Leaf(leaf) => writeln!(self.out, "— {}", reason(leaf)),
            NodeKind::Own(branch) => {
                write!(self.out, "{}{} ", number(ply), branch.san)?;
                self.node(branch.to, ply + 1, indent)
            }
            NodeKind::Replies(_) if std::mem::replace(&mut self.seen[at], true) => {
                writeln!(self.out, "see [{at}]")
            }
            NodeKind::Replies(list) => {
                writeln!(self.out, "[{at}]")?;
                self.replies(list, ply, indent + 1)
            }
        }
    }

    /// Replies that end for the same reason share a line.
    fn replies(&mut self, list: &[Branch], ply: usize, indent: usize) -> io::Result<()> {
        let leaf = |branch: &Branch| match &self.tree.nodes[branch.to].kind {
            NodeKind::Leaf(leaf) => Some(reason(leaf)),
            _ => None,
        };
        let mut ends: Vec<(String, Vec<&str>)> = Vec::new();
        for branch in list {
            if let Some(why) = leaf(branch) {
                match ends.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, sans)) => sans.push(&branch.san),
                    None => ends.push((why, vec![&branch.san])),
                }
            }
        }
        let open: Vec<&Branch> = list.iter().filter(|branch| leaf(branch).is_none()).collect();
        for (why, sans) in ends {
            writeln!(self.out, "{:2$}{} — {why}", "", number(ply) + &sans.join(", "), 2 * indent)?;
        }
        for branch in open {
            write!(self.out, "{:2$}{} ", "", number(ply) + &branch.san, 2 * indent)?;
            self.node(branch.to, ply + 1, indent)?;
        }
        Ok(())
    }
}
