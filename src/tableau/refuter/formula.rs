//! Formulas of the arena as literals of the book.

use super::book::{Book, Lit, TRUE};
use crate::ctl::{Arena, Id, Node, Path};
use hashbrown::HashMap;

/// The literals of the formulas met so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    literals: HashMap<Id, Lit>,
}

impl Names {
    /// The literal of a formula; its nodes are made. No recursion.
    pub(super) fn literal(&mut self, book: &mut Book, arena: &Arena, formula: Id) -> Lit {
        if let Some(&known) = self.literals.get(&formula) {
            return known;
        }
        let mut pending = vec![formula];
        while let Some(&id) = pending.last() {
            if self.literals.contains_key(&id) {
                pending.pop();
                continue;
            }
            let open = pending.len();
            let unknown = |o: &&Id| !self.literals.contains_key(*o);
            pending.extend(arena.operands(id).iter().rev().filter(unknown));
            if pending.len() == open {
                let literal = self.one(book, arena, id);
                self.literals.insert(id, literal);
                pending.pop();
            }
        }
        self.literals[&formula]
    }

    /// The literal of a formula whose operands have theirs.
    fn one(&self, book: &mut Book, arena: &Arena, id: Id) -> Lit {
        let of = |id: Id| self.literals[&id];
        match arena.get(id) {
            Node::True => TRUE,
            Node::False => -TRUE,
            Node::Var(symbol) => book.atom(arena.name(symbol)),
            Node::Not(a) => -of(a),
            Node::And(parts) => book.and(&parts.iter().map(|&p| of(p)).collect::<Vec<_>>()),
            Node::Or(parts) => book.or(&parts.iter().map(|&p| of(p)).collect::<Vec<_>>()),
            Node::Implies(a, b) => -book.and(&[of(a), -of(b)]),
            Node::Iff(a, b) => {
                let (only_a, only_b) = (book.and(&[of(a), -of(b)]), book.and(&[of(b), -of(a)]));
                book.and(&[-only_a, -only_b])
            }
            Node::Next(Path::All, a) => book.all_next(of(a)),
            Node::Next(Path::Some, a) => book.some_next(of(a)),
            Node::Globally(path, a) => -until(book, path.dual(), TRUE, -of(a)),
            Node::Finally(path, a) => until(book, path, TRUE, of(a)),
            Node::Until(path, a, b) => until(book, path, of(a), of(b)),
            Node::Release(path, a, b) => -until(book, path.dual(), -of(a), -of(b)),
            Node::WeakUntil(path, a, b) => {
                let neither = book.and(&[-of(a), -of(b)]);
                -until(book, path.dual(), -of(b), neither)
            }
        }
    }
}

fn until(book: &mut Book, path: Path, a: Lit, b: Lit) -> Lit {
    match path {
        Path::All => book.all_until(a, b),
        Path::Some => book.some_until(a, b),
    }
}
