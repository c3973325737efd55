//! "The owner mates within n plies" as a propositional and as a quantified formula.
//!
//! Both speak of the positions that play can reach within n plies, layer by layer; a position may
//! stand in several layers, once in each.
//!
//! # References
//! * A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic Model Checking without BDDs* (1999):
//!   bounded unrolling.
//! * QBFLIB, *QDIMACS standard version 1.1* (2005).

use crate::chess::board::Board;
use crate::chess::{Interner, Packed, Side, Vector, fen};
use crate::limits::{Budget, StopReason};
use crate::sat::Cnf;
use std::io::{self, Write};

/// Play from a root for `plies` plies. About 20 bytes a position and 4 an edge.
#[derive(Debug)]
pub struct Unrolled {
    root: Vector,
    owner: Side,
    layers: Vec<Layer>,
}

/// The moves chosen, as variables.
struct Choices {
    /// The quantified blocks in order.
    prefix: Vec<(char, Vec<i32>)>,
    /// The bits of the move's number at each ply.
    bits: Vec<Vec<i32>>,
    /// The number of variables in all.
    variables: u32,
}

/// The positions after a number of plies.
#[derive(Debug)]
struct Layer {
    positions: Interner,
    /// For each position whether its side to move is mated.
    mated: Vec<bool>,
    /// For each position where its moves lead in the next layer. A mate of the opponent's stays as
    /// it is: it has one edge, to itself. Empty in the last layer and at other ends of the game.
    next: Vec<Vec<u32>>,
}

impl Unrolled {
    /// Lists the positions of each layer.
    ///
    /// # Errors
    /// When a limit of the budget is reached.
    pub fn new(
        root: &Vector,
        owner: Side,
        plies: u32,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let mut positions = Interner::new(root.men());
        positions.insert(&Packed::from(root));
        let mut layers = Vec::new();
        let mut total = 0;
        for ply in 0..=plies {
            let mut following = Interner::new(root.men());
            let mut layer = Layer { positions, mated: Vec::new(), next: Vec::new() };
            for id in 0..layer.positions.len() as u32 {
                if id.is_multiple_of(1024) {
                    budget.check(total + u64::from(id), following.memory())?;
                }
                let board = Board::of_legal(&layer.positions.at(id));
                let moves = board.legal_moves();
                let mated = moves.is_empty() && board.in_check();
                layer.mated.push(mated);
                let mut row: Vec<u32> = Vec::new();
                if ply < plies {
                    row.extend(
                        moves.into_iter().map(|m| following.insert(&board.after(m).packed()).0),
                    );
                    if mated && board.side_to_move() != owner {
                        row.push(following.insert(&board.packed()).0);
                    }
                }
                layer.next.push(row);
            }
            total += layer.positions.len() as u64;
            layers.push(layer);
            positions = following;
        }
        Ok(Self { root: *root, owner, layers })
    }

    fn plies(&self) -> usize {
        self.layers.len() - 1
    }

    /// The first variable of each layer, and the number of variables in all.
    fn offsets(&self) -> (Vec<u32>, u32) {
        let mut next = 1;
        let offsets = self.layers.iter().map(|layer| {
            let first = next;
            next += layer.mated.len() as u32;
            first
        });
        let offsets = offsets.collect();
        (offsets, next - 1)
    }

    /// The side to move where no mate stands still.
    fn mover(&self, ply: usize) -> Side {
        let first = Side::to_move(&self.root);
        if ply.is_multiple_of(2) { first } else { first.other() }
    }

    fn is_goal(&self, layer: &Layer, id: usize) -> bool {
        layer.mated[id] && !self.owner_to_move(layer, id)
    }

    fn owner_to_move(&self, layer: &Layer, id: usize) -> bool {
        layer.positions.at(id as u32).white_to_move() == (self.owner == Side::White)
    }

    /// What is said, for the head of a file.
    pub fn title(&self) -> String {
        format!("{} mates within {} plies from {}", self.owner, self.plies(), fen(&self.root))
    }

    /// The statement as a propositional formula: variable v says that the owner mates from a
    /// position of a layer in the plies that are left. Satisfiable exactly when the statement is
    /// true: a model is the strategy, a refutation proves that there is no such mate.
    pub fn formula(&self) -> Cnf {
        let (offsets, variables) = self.offsets();
        let mut cnf = Cnf::new(variables);
        cnf.add([1]);
        for (ply, layer) in self.layers.iter().enumerate() {
            for id in 0..layer.mated.len() {
                let wins = offsets[ply] as i32 + id as i32;
                let after = |&to: &u32| (offsets[ply + 1] + to) as i32;
                if self.is_goal(layer, id) {
                    continue;
                }
                let next = &layer.next[id];
                if next.is_empty() || self.owner_to_move(layer, id) {
                    // No move left: denied outright.
                    cnf.add(std::iter::once(-wins).chain(next.iter().map(after)));
                } else {
                    next.iter().for_each(|to| cnf.add([-wins, after(to)]));
                }
            }
        }
        cnf
    }

    /// Writes the statement in QDIMACS. The choices at each ply are the bits of a move's number,
    /// the owner's quantified existentially, the opponent's universally, in the order of play (a
    /// number too large stands for the last move); innermost, a variable for each position of a
    /// layer says that play has come there. True exactly when the statement is.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_qdimacs(&self, out: &mut dyn Write) -> io::Result<()> {
        let (offsets, positions) = self.offsets();
        let Choices { prefix, bits, variables } = self.choices(positions);
        let mut cnf = Cnf::new(variables);
        cnf.add([1]);
        for ply in 0..self.plies() {
            let choice = &bits[ply];
            for (id, next) in self.layers[ply].next.iter().enumerate() {
                let here = -(offsets[ply] as i32 + id as i32);
                if next.is_empty() {
                    // The game has ended without the owner's mate.
                    cnf.add([here]);
                }
                for number in 0..1_usize << choice.len() {
                    let Some(to) = next.get(number.min(next.len().saturating_sub(1))) else {
                        break;
                    };
                    let other = (0..)
                        .zip(choice)
                        .map(|(bit, &v)| if number >> bit & 1 == 1 { -v } else { v });
                    let there = (offsets[ply + 1] + to) as i32;
                    cnf.add(std::iter::once(here).chain(other).chain([there]));
                }
            }
        }
        let last = &self.layers[self.plies()];
        let first = offsets[self.plies()] as i32;
        let open = (0..last.mated.len()).filter(|&id| !self.is_goal(last, id));
        open.for_each(|id| cnf.add([-(first + id as i32)]));
        writeln!(out, "c {}\nc true exactly when that is true", self.title())?;
        writeln!(out, "p cnf {variables} {}", cnf.len())?;
        for (quantifier, bound) in prefix {
            write!(out, "{quantifier}")?;
            bound.iter().try_for_each(|v| write!(out, " {v}"))?;
            writeln!(out, " 0")?;
        }
        cnf.write_clauses(out)
    }

    fn choices(&self, positions: u32) -> Choices {
        let mut next = positions as i32 + 1;
        let mut prefix = Vec::new();
        let choice = |ply: usize| {
            let widest = self.layers[ply].next.iter().map(Vec::len).max().unwrap_or(0);
            let width = usize::BITS - widest.saturating_sub(1).leading_zeros();
            let bits: Vec<i32> = (next..next + width as i32).collect();
            next += width as i32;
            if width > 0 {
                prefix.push((if self.mover(ply) == self.owner { 'e' } else { 'a' }, bits.clone()));
            }
            bits
        };
        let bits = (0..self.plies()).map(choice).collect();
        prefix.push(('e', (1..=positions as i32).collect()));
        Choices { prefix, bits, variables: next as u32 - 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Profile, parse_fen};
    use crate::sat::solve;

    type Clauses = Vec<Vec<i64>>;

    fn unrolled(text: &str, owner: Side, plies: u32) -> Unrolled {
        let root = parse_fen(text, Profile::Fide).unwrap();
        Unrolled::new(&root, owner, plies, &Budget::default()).unwrap()
    }

    /// The blocks of quantifiers and the clauses; the header must count them right.
    fn read(
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> (Vec<(char, Vec<i64>)>, Clauses) {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let numbers = |line: &str| -> Vec<i64> {
            line.split(' ').filter_map(|n| n.parse().ok()).take_while(|&n| n != 0).collect()
        };
        let (mut prefix, mut clauses) = (Vec::new(), Vec::new());
        for line in text.lines().filter(|l| !l.starts_with(['c', 'p'])) {
            match line.chars().next() {
                Some(quantifier @ ('a' | 'e')) => prefix.push((quantifier, numbers(line))),
                _ => clauses.push(numbers(line)),
            }
        }
        let header = numbers(text.lines().find(|l| l.starts_with('p')).unwrap());
        let most = clauses.iter().flatten().map(|l| l.abs()).max().unwrap();
        assert!(most <= header[0] && clauses.len() as i64 == header[1]);
        (prefix, clauses)
    }

    /// Tries every assignment of the quantified choices in turn; the innermost block follows by
    /// propagation.
    fn is_true(prefix: &[(char, Vec<i64>)], clauses: &Clauses, set: &mut Vec<i64>) -> bool {
        let Some(((quantifier, variables), rest)) = prefix.split_first() else { return true };
        if rest.is_empty() {
            return propagates(clauses, set);
        }
        let mut outcomes = (0..1_u32 << variables.len()).map(|bits| {
            let before = set.len();
            set.extend(
                variables.iter().enumerate().map(|(k, &v)| if bits >> k & 1 == 1 { v } else { -v }),
            );
            let outcome = is_true(rest, clauses, set);
            set.truncate(before);
            outcome
        });
        if *quantifier == 'e' { outcomes.any(|o| o) } else { outcomes.all(|o| o) }
    }

    /// Once the choices are set all clauses are Horn.
    fn propagates(clauses: &Clauses, set: &[i64]) -> bool {
        let mut holds: std::collections::HashSet<i64> = set.iter().copied().collect();
        loop {
            let mut grown = false;
            for clause in clauses {
                let mut open = clause.iter().filter(|&&l| !holds.contains(&-l));
                match (open.next(), open.next()) {
                    (None, _) => return false,
                    (Some(&only), None) => grown |= holds.insert(only),
                    _ => {}
                }
            }
            if !grown {
                return true;
            }
        }
    }

    #[test]
    fn the_bound_is_the_distance() {
        let cases = [
            ("7k/8/8/5K2/8/8/6Q1/8 w - -", Side::White, 3),
            ("7k/8/5K2/8/8/8/6Q1/8 b - -", Side::White, 2),
        ];
        for (text, owner, mate) in cases {
            for plies in 0..=4 {
                let answer = solve(&unrolled(text, owner, plies).formula());
                assert_eq!(answer.is_satisfiable(), plies >= mate, "{text} in {plies}");
            }
            let other = solve(&unrolled(text, owner.other(), 4).formula());
            assert!(!other.is_satisfiable(), "the other side does not mate");
        }
    }

    #[test]
    fn quantified_choices_decide_the_same() {
        for (text, plies, expected) in [
            ("7k/6Q1/6K1/8/8/8/8/8 b - -", 0, true),
            ("7k/8/5K2/8/8/8/6Q1/8 b - -", 1, false),
            ("7k/8/5K2/8/8/8/6Q1/8 b - -", 2, true),
            ("7k/5Q2/6K1/8/8/8/8/8 b - -", 2, false),
        ] {
            let (prefix, clauses) =
                read(|out| unrolled(text, Side::White, plies).write_qdimacs(out));
            assert_eq!(is_true(&prefix, &clauses, &mut Vec::new()), expected, "{text} in {plies}");
        }
    }
}
