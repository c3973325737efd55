//! Aims made of atoms, without text.
//!
//! Every one has the form `AF φ` that a strategy can be asked to force, so they are made as
//! [`Goal`]s; [`Goal::aim`] is the formula.

use super::goal::Goal;
use super::write::atom_text;
use super::{Aim, Arena, Atom, Comparison, Sum, Term};
use crate::chess::Side;
use crate::ctl::{Id, Node, Path};

/// `count(man) >= least`; the man is a code 1..=12.
pub fn at_least(man: u8, least: i32) -> Atom {
    compare(vec![(false, Term::Count(man))], Comparison::GreaterEqual, least)
}

/// `count(man) = number`; the man is a code 1..=12.
pub fn exactly(man: u8, number: i32) -> Atom {
    compare(vec![(false, Term::Count(man))], Comparison::Equal, number)
}

/// `material(side) - material(other) >= least`, in pawns.
pub fn ahead(side: Side, least: i32) -> Atom {
    let balance = vec![(false, Term::Material(side)), (true, Term::Material(side.other()))];
    compare(balance, Comparison::GreaterEqual, least)
}

fn compare(left: Vec<(bool, Term)>, comparison: Comparison, number: i32) -> Atom {
    Atom::Compare(Sum(left), comparison, Sum(vec![(false, Term::Number(number))]))
}

impl Goal {
    /// `AF mate(side)`: this side is mated.
    ///
    /// ```
    /// use theta_chess::{aim::Goal, chess::Side};
    ///
    /// assert_eq!(Goal::mate_of(Side::Black).to_string(), "AF mate(black)");
    /// ```
    pub fn mate_of(side: Side) -> Self {
        let mut maker = Maker::default();
        let mate = maker.atom(Atom::Mate(side));
        maker.reach(mate)
    }

    /// `AF (atom & …)`: a position in which all these atoms hold; any position if there are none.
    pub fn all_of(atoms: impl IntoIterator<Item = Atom>) -> Self {
        let mut maker = Maker::default();
        let all = maker.all(atoms);
        maker.reach(all)
    }

    /// `AF ((atom & …) | …)`: a position of one of these kinds; none is reached if there are none.
    pub fn any_of(kinds: impl IntoIterator<Item = Vec<Atom>>) -> Self {
        let mut maker = Maker::default();
        let kinds: Vec<Id> = kinds.into_iter().map(|atoms| maker.all(atoms)).collect();
        let any = maker.arena.or(&kinds);
        maker.reach(any)
    }

    /// `AF (atom & opponent_to_move & AX atom)`: the atom holds, and no single reply of the side's
    /// opponent changes that.
    ///
    /// ```
    /// use theta_chess::{aim::{Goal, ahead}, chess::Side};
    ///
    /// let rook_up = Goal::lasting(ahead(Side::White, 5), Side::White);
    /// let text = "material(white) - material(black) >= 5";
    /// assert_eq!(rook_up.to_string(), format!("AF ({text} & black_to_move & AX ({text}))"));
    /// ```
    pub fn lasting(atom: Atom, side: Side) -> Self {
        let mut maker = Maker::default();
        let now = maker.atom(atom);
        let replies = maker.atom(Atom::ToMove(side.other()));
        let then = maker.arena.add(Node::Next(Path::All, now));
        let lasting = maker.arena.and(&[now, replies, then]);
        maker.reach(lasting)
    }

    /// `AF (attacked(square, side) & ~attacked(square, other))`: the side controls a square
    /// (1..=64).
    pub fn control(square: u8, side: Side) -> Self {
        let mut maker = Maker::default();
        let own = maker.atom(Atom::Attacked(square, side));
        let other = maker.atom(Atom::Attacked(square, side.other()));
        let not_other = maker.arena.not(other);
        let both = maker.arena.and(&[own, not_other]);
        maker.reach(both)
    }
}

/// A formula being made: as when it is read, each distinct atom becomes a variable named by its
/// text.
#[derive(Default)]
struct Maker {
    arena: Arena,
    atoms: Vec<Atom>,
}

impl Maker {
    fn atom(&mut self, atom: Atom) -> Id {
        let symbol = self.arena.symbol(&atom_text(&atom));
        if symbol.0 as usize == self.atoms.len() {
            self.atoms.push(atom);
        }
        self.arena.add(Node::Var(symbol))
    }

    fn all(&mut self, atoms: impl IntoIterator<Item = Atom>) -> Id {
        let ids: Vec<Id> = atoms.into_iter().map(|atom| self.atom(atom)).collect();
        self.arena.and(&ids)
    }

    /// `AF body`, where the body is of one position, or of that and its successors.
    fn reach(mut self, body: Id) -> Goal {
        let formula = self.arena.add(Node::Finally(Path::All, body));
        Goal::new(Aim { arena: self.arena, formula, atoms: self.atoms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_is_made_is_what_is_read() {
        let (queen, pawn) = (at_least(2, 1), exactly(12, 0));
        for (made, text) in [
            (Goal::mate_of(Side::White), "AF mate(white)"),
            (Goal::all_of([queen.clone(), pawn.clone()]), "AF (count(Q) >= 1 & count(p) = 0)"),
            (Goal::all_of([Atom::Stalemate]), "AF stalemate"),
            (
                Goal::any_of([vec![Atom::On(1, 7), Atom::ToMove(Side::Black)], vec![pawn]]),
                "AF (on(K, g1) & black_to_move | count(p) = 0)",
            ),
            (
                Goal::lasting(queen, Side::Black),
                "AF (count(Q) >= 1 & white_to_move & AX count(Q) >= 1)",
            ),
            (
                Goal::lasting(ahead(Side::Black, -2), Side::Black),
                "AF (material(black) - material(white) >= -2 & white_to_move \
                 & AX material(black) - material(white) >= -2)",
            ),
            (Goal::control(28, Side::White), "AF (attacked(d4, white) & ~attacked(d4, black))"),
            (
                Goal::all_of([Atom::CanCastle(Side::Black, 1), Atom::Check(Side::White)]),
                "AF (can_castle(q) & check(white))",
            ),
        ] {
            let read = Goal::of(Aim::parse(text).unwrap()).unwrap();
            assert_eq!(made.to_string(), read.to_string());
            assert_eq!(made.aim().atoms(), read.aim().atoms());
            assert_eq!(made, read);
        }
    }
}
