//! Writes what of a book the last clause needs, as docs/refutation.md describes it.

use super::book::{ALIVE, Book, ClauseId, Lit, Node, Why};
use std::io::{self, Write};

/// How large a refutation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Size {
    /// Formulas that it names.
    pub nodes: u64,
    /// Its steps, the last one included.
    pub steps: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// Writes the refutation of `root` that ends with the clause `last`.
pub(super) fn write(
    book: &Book,
    root: Lit,
    last: ClauseId,
    out: &mut dyn Write,
) -> io::Result<Size> {
    let mut writer = Writer::new(book, root, last, out);
    writer.nodes()?;
    writer.line(&[&"f", &writer.literal(root)])?;
    writer.steps()?;
    writer.size.steps += 1;
    let last = writer.clauses[last as usize];
    writer.line(&[&"q", &last])?;
    writer.out.flush()?;
    Ok(writer.size)
}

struct Writer<'a> {
    book: &'a Book,
    out: &'a mut dyn Write,
    /// By node: the number in the file; 0 where it is not needed.
    numbers: Vec<i32>,
    /// By clause: whether it is needed, then its number in the file.
    clauses: Vec<u32>,
    /// By clause: the last clause that needs it.
    uses: Vec<ClauseId>,
    next: u32,
    size: Size,
}

/// What a last clause needs.
struct Needs {
    /// By node.
    nodes: Vec<i32>,
    /// By clause.
    clauses: Vec<u32>,
    /// By clause: the last clause that needs it.
    uses: Vec<ClauseId>,
}

/// The places of those conjuncts of the root, as it was typed, that its refutation needs; all if it
/// is no conjunction.
pub(super) fn conjuncts(book: &Book, root: Lit, last: ClauseId) -> Vec<usize> {
    let parts = match &book.nodes[root.unsigned_abs() as usize - 1] {
        Node::And(parts) if root > 0 => parts.len(),
        _ => return vec![0],
    };
    let needs = Needs::of(book, root, last);
    // The first clause says that the parts make the whole.
    let first = book.firsts[root as usize - 1] as usize + 1;
    (0..parts).filter(|k| needs.clauses[first + k] != 0).collect()
}

impl Needs {
    fn of(book: &Book, root: Lit, last: ClauseId) -> Self {
        let mut numbers = vec![0; book.nodes.len() + 1];
        let mut clauses = vec![0; book.clauses()];
        let mut uses = vec![0; book.clauses()];
        let mut need = |l: Lit| numbers[l.unsigned_abs() as usize] = 1;
        need(root);
        clauses[last as usize] = 1;
        uses[last as usize] = ClauseId::MAX;
        for clause in (1..=last).rev().filter(|&c| c > 0) {
            if clauses[clause as usize] == 0 {
                continue;
            }
            book.literals(clause).iter().for_each(|&l| need(l));
            match book.why(clause) {
                Why::Definition(node) => need(node as Lit),
                Why::Step(there) => need(there),
                Why::Induction(set, until) => [set, until].into_iter().for_each(&mut need),
                Why::Propagation | Why::Everywhere => {}
            }
            for &hint in book.hints(clause) {
                let hint = hint.unsigned_abs() as usize;
                clauses[hint] = 1;
                uses[hint] = uses[hint].max(clause);
            }
        }
        // Operands have smaller numbers.
        for node in (1..=book.nodes.len()).rev().filter(|&n| n > 0) {
            if numbers[node] == 0 {
                continue;
            }
            let mut need = |l: &Lit| numbers[l.unsigned_abs() as usize] = 1;
            match &book.nodes[node - 1] {
                Node::True | Node::Atom(_) => {}
                Node::And(parts) => parts.iter().for_each(need),
                Node::Next(a) => need(a),
                Node::SomeUntil(a, b) | Node::AllUntil(a, b) => [a, b].into_iter().for_each(need),
            }
        }
        Self { nodes: numbers, clauses, uses }
    }
}

impl<'a> Writer<'a> {
    fn new(book: &'a Book, root: Lit, last: ClauseId, out: &'a mut dyn Write) -> Self {
        let Needs { nodes: numbers, clauses, uses } = Needs::of(book, root, last);
        Self { book, out, numbers, clauses, uses, next: 0, size: Size::default() }
    }

    fn literal(&self, literal: Lit) -> i32 {
        self.numbers[literal.unsigned_abs() as usize] * literal.signum()
    }

    fn line(&mut self, words: &[&dyn std::fmt::Display]) -> io::Result<()> {
        let mut text = String::new();
        for word in words {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&word.to_string());
        }
        self.put(&text)
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        self.size.bytes += text.len() as u64 + 1;
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// The nodes, with the clauses that define them.
    fn nodes(&mut self) -> io::Result<()> {
        self.put("theta refutation 1")?;
        self.put(if self.book.total { "reading total" } else { "reading any" })?;
        let book = self.book;
        let mut number = 0;
        let ends = book.firsts[1..].iter().copied().chain([book.clauses() as ClauseId]);
        for ((at, node), end) in book.nodes.iter().enumerate().zip(ends) {
            // What stands behind an until belongs to it.
            let companion = at > 0
                && matches!(book.nodes[at - 1], Node::SomeUntil(..) | Node::AllUntil(..))
                && self.numbers[at] != 0;
            if self.numbers[at + 1] == 0 && at > 1 && !companion {
                continue;
            }
            number += 1;
            self.size.nodes += 1;
            self.numbers[at + 1] = number;
            for clause in book.firsts[at]..end {
                let of_node =
                    matches!(book.why(clause), Why::Definition(n) if n as usize == at + 1);
                if of_node {
                    self.next += 1;
                    self.clauses[clause as usize] = self.next;
                }
            }
            if at < 2 || companion {
                continue;
            }
            match node {
                Node::True => {}
                Node::Atom(name) => self.line(&[&"p", name])?,
                Node::And(parts) => {
                    let mut text = String::from("a");
                    parts.iter().for_each(|&p| text += &format!(" {}", self.literal(p)));
                    self.put(&text)?;
                }
                Node::Next(a) => self.line(&[&"x", &self.literal(*a)])?,
                Node::SomeUntil(a, b) => {
                    self.line(&[&"e", &self.literal(*a), &self.literal(*b)])?;
                }
                Node::AllUntil(a, b) => {
                    self.line(&[&"u", &self.literal(*a), &self.literal(*b)])?;
                }
            }
        }
        Ok(())
    }

    /// The other clauses, each with its reason, and which of them are not used again.
    fn steps(&mut self) -> io::Result<()> {
        let book = self.book;
        for clause in 1..book.clauses() as ClauseId {
            if self.clauses[clause as usize] == 0 || matches!(book.why(clause), Why::Definition(_))
            {
                continue;
            }
            let mut text = match book.why(clause) {
                Why::Step(there) => format!("n {}", self.literal(there)),
                Why::Everywhere => "g".into(),
                Why::Induction(set, until) => {
                    format!("i {} {}", self.literal(set), self.literal(until))
                }
                _ => "c".into(),
            };
            if !matches!(book.why(clause), Why::Induction(..)) {
                for &literal in book.literals(clause) {
                    text += &format!(" {}", self.literal(literal));
                }
                text += " 0";
            }
            for &hint in book.hints(clause) {
                let number = self.clauses[hint.unsigned_abs() as usize] as i64;
                text += &format!(" {}", number * i64::from(hint.signum()));
            }
            self.put(&text)?;
            self.next += 1;
            self.clauses[clause as usize] = self.next;
            self.size.steps += 1;
            self.delete(clause)?;
        }
        Ok(())
    }

    /// Deletes what this step was the last to use.
    fn delete(&mut self, step: ClauseId) -> io::Result<()> {
        let book = self.book;
        let mut gone: Vec<u32> = book
            .hints(step)
            .iter()
            .map(|h| h.unsigned_abs())
            .filter(|&h| h > 0 && self.uses[h as usize] == step)
            .filter(|&h| !matches!(book.why(h), Why::Definition(_)))
            .map(|h| self.clauses[h as usize])
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        gone.sort_unstable();
        gone.dedup();
        let text = gone.iter().fold(String::from("d"), |text, id| text + &format!(" {id}"));
        self.put(&text)
    }
}

/// In total models the clause that says so belongs to the node `EX T`.
const _: () = assert!(ALIVE == 2);
