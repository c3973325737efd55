//! Random formulas.

use crate::ctl::{Arena, Id, Node, Path};

/// A small deterministic source of random numbers.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    /// A formula of about `size` operators over these variables.
    pub(super) fn formula(&mut self, arena: &mut Arena, variables: &[&str], size: u32) -> Id {
        if size <= 1 {
            let var = arena.var(variables[self.below(variables.len() as u64) as usize]);
            return if self.below(2) == 0 { var } else { arena.not(var) };
        }
        let path = if self.below(2) == 0 { Path::All } else { Path::Some };
        let kind = self.below(12);
        if kind < 5 {
            let a = self.formula(arena, variables, size - 1);
            return arena.add(match kind {
                0 | 1 => Node::Next(path, a),
                2 => Node::Globally(path, a),
                3 => Node::Finally(path, a),
                _ => Node::Not(a),
            });
        }
        let left = 1 + self.below(u64::from(size) - 1) as u32;
        let a = self.formula(arena, variables, left);
        let b = self.formula(arena, variables, (size - left).max(1));
        match kind {
            5 | 6 => arena.and(&[a, b]),
            7 => arena.or(&[a, b]),
            8 => arena.add(Node::Implies(a, b)),
            9 | 10 => arena.add(Node::Until(path, a, b)),
            _ => arena.add(if self.below(2) == 0 {
                Node::Release(path, a, b)
            } else {
                Node::WeakUntil(path, a, b)
            }),
        }
    }

    /// A formula of `size` operators with up to `invariants` small invariants conjoined: those make
    /// unsatisfiable formulas common.
    pub(super) fn constrained(
        &mut self,
        arena: &mut Arena,
        variables: &[&str],
        size: u32,
        invariants: u64,
    ) -> Id {
        let mut formula = self.formula(arena, variables, size);
        for _ in 0..self.below(invariants + 1) {
            let body = self.formula(arena, variables, 4);
            let always = arena.add(Node::Globally(Path::All, body));
            formula = arena.and(&[formula, always]);
        }
        formula
    }

    /// A formula of two or three variables, and whether it is asked in total models.
    pub(super) fn question(&mut self, arena: &mut Arena) -> (Id, bool) {
        let variables = &["p", "q", "r"][..2 + self.below(2) as usize];
        let size = 4 + self.below(24) as u32;
        let formula = self.constrained(arena, variables, size, 4);
        (formula, self.below(2) == 0)
    }
}
