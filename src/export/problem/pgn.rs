//! A problem as a game in PGN: the solution as moves with variations.
//!
//! Where one side makes moves in a row there is no game, and the solution stands in a comment.
//!
//! # References
//! * S. J. Edwards, *Portable Game Notation Specification and Implementation Guide* (1994).

use super::{Letters, Sheet};
use crate::chess::{Side, move_number};
use crate::problem::{Attack, Ply, Solution, Status, Variation};
use std::io::{self, Write};

/// A move with what may follow, best first.
struct Node {
    ply: Ply,
    comment: String,
    next: Vec<Node>,
}

impl Sheet<'_> {
    /// Writes the game. Letters are English, as the format wants.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_pgn(&self, out: &mut dyn Write) -> io::Result<()> {
        let solved = self.solved;
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(out, "[{name} \"{value}\"]")
        };
        tag("Event", self.name.unwrap_or("chess problem"))?;
        for name in ["Site", "Date", "Round", "White", "Black"] {
            tag(name, if name == "Date" { "????.??.??" } else { "?" })?;
        }
        tag("Result", "*")?;
        tag("SetUp", "1")?;
        tag("FEN", &format!("{} 0 1", self.position))?;
        tag("Stipulation", &solved.stipulation.to_string())?;
        tag("Status", solved.status().words())?;
        writeln!(out)?;
        let told = if solved.status() == Status::ShortSolution {
            &solved.short
        } else {
            &solved.solutions
        };
        let roots: Vec<Node> = told.iter().filter_map(line).collect();
        if solved.stipulation.series_plies() > 1 || roots.is_empty() {
            let plain = Sheet { letters: Letters::English, ..*self };
            let text = plain.solution().replace(['{', '}'], "");
            return writeln!(out, "{{{}}} *\n", text.trim_end());
        }
        let mut words = Vec::new();
        moves(&roots, 0, solved.mover, true, &mut words);
        words.push("*".into());
        let mut width = 0;
        for word in words {
            let length = word.chars().count() + 1;
            if width > 0 && width + length > 80 {
                writeln!(out)?;
                width = 0;
            } else if width > 0 {
                write!(out, " ")?;
            }
            write!(out, "{word}")?;
            width += length;
        }
        writeln!(out, "\n")
    }
}

/// A solution as nodes.
fn line(solution: &Solution) -> Option<Node> {
    let mut node = solution.play.as_ref().map(|play| attack(play, "!"));
    for ply in solution.line.iter().rev() {
        let next = node.into_iter().collect();
        node = Some(Node { ply: ply.clone(), comment: String::new(), next });
    }
    node
}

fn attack(told: &Attack, mark: &str) -> Node {
    let mut ply = told.ply.clone();
    ply.san.push_str(mark);
    let threats: Vec<&str> = told.threats.iter().map(|t| t.ply.san.as_str()).collect();
    let comment = match (threats.is_empty(), told.zugzwang && told.plies > 1) {
        (false, _) => format!("threat {}", threats.join(", ")),
        (true, true) => "zugzwang".into(),
        (true, false) => String::new(),
    };
    Node { ply, comment, next: told.variations.iter().flat_map(variation).collect() }
}

fn variation(told: &Variation) -> Vec<Node> {
    let node = |ply: &Ply| Node {
        ply: ply.clone(),
        comment: String::new(),
        next: told.answers.iter().map(|answer| attack(answer, "")).collect(),
    };
    told.defences.iter().map(node).collect()
}

/// The first move, then the others in brackets, then what follows the first.
fn moves(nodes: &[Node], ply: u32, first: Side, numbered: bool, words: &mut Vec<String>) {
    let Some((main, others)) = nodes.split_first() else { return };
    let number = move_number(ply, first);
    let say = |node: &Node, numbered: bool, words: &mut Vec<String>| {
        if numbered || !number.ends_with("...") {
            words.push(number.clone());
        }
        words.push(node.ply.san.clone());
        if !node.comment.is_empty() {
            words.push(format!("{{{}}}", node.comment));
        }
    };
    say(main, numbered, words);
    for node in others {
        let from = words.len();
        say(node, true, words);
        moves(&node.next, ply + 1, first, !node.comment.is_empty(), words);
        words[from].insert(0, '(');
        words.last_mut().expect("a move at least").push(')');
    }
    let interrupted = !others.is_empty() || !main.comment.is_empty();
    moves(&main.next, ply + 1, first, interrupted, words);
}
