//! A small plain search: does the attacker, to move, mate by all moves within so many positions?
//!
//! Proof numbers on a tree that is thrown away. It decides the exits of a restricted game: replies
//! that break the restriction and lose at once. The same question gets the same answer every time,
//! so that a proof need not be kept: it is found again when the plan is made.
//!
//! # References
//! * L. V. Allis, M. van der Meulen, H. J. van den Herik, *Proof-number search*, 1994.

use crate::chess::Side;
use crate::chess::board::{Board, ChessMove};
use crate::search::mate_in_one;

/// A number that means "impossible".
const NEVER: u32 = u32::MAX / 4;
const NO: u32 = u32::MAX;

/// A position of the tree, about 160 bytes.
#[derive(Debug)]
struct Twig {
    board: Board,
    play: Option<ChessMove>,
    parent: u32,
    first: u32,
    children: u32,
    proof: u32,
    disproof: u32,
}

/// A tree of at most so many expanded positions.
#[derive(Debug)]
pub(super) struct Small {
    attacker: Side,
    twigs: Vec<Twig>,
    /// Positions expanded so far, all questions together.
    pub(super) expanded: u64,
}

/// A position with the attacker to move, its move, and the plies to mate at most.
pub(super) type Step = (Board, ChessMove, u16);

impl Small {
    pub(super) fn new(attacker: Side) -> Self {
        Self { attacker, twigs: Vec::new(), expanded: 0 }
    }

    /// The plies to mate at most from a position with the attacker to move, if the mate is found
    /// within `positions` expanded. About 5 µs a position.
    pub(super) fn mates(&mut self, board: &Board, positions: u16) -> Option<u16> {
        self.twigs.clear();
        self.expanded += 1;
        if mate_in_one(board.chess()).is_some() {
            return Some(1);
        }
        self.twigs.push(Twig {
            board: board.clone(),
            play: None,
            parent: NO,
            first: 0,
            children: 0,
            proof: 1,
            disproof: 1,
        });
        for _ in 0..positions {
            let root = &self.twigs[0];
            if root.proof == 0 {
                return Some(self.plies(0));
            }
            if root.disproof == 0 {
                return None;
            }
            self.expanded += 1;
            let leaf = self.leaf();
            self.expand(leaf);
            self.update(leaf);
        }
        (self.twigs[0].proof == 0).then(|| self.plies(0))
    }

    /// The moves of the mate that the last call of [`Small::mates`] has found.
    pub(super) fn steps(&self, board: &Board) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.twigs.is_empty() {
            steps.extend(mate_in_one(board.chess()).map(|m| (board.clone(), m, 1)));
            return steps;
        }
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            let twig = &self.twigs[at as usize];
            if !self.attacks(at) {
                stack.extend(twig.first..twig.first + twig.children);
                continue;
            }
            match self.quickest(at) {
                Some(child) => {
                    let play = self.twigs[child as usize].play.expect("a child has a move");
                    steps.push((twig.board.clone(), play, self.plies(at)));
                    stack.push(child);
                }
                None => steps
                    .extend(mate_in_one(twig.board.chess()).map(|m| (twig.board.clone(), m, 1))),
            }
        }
        steps
    }

    fn attacks(&self, at: u32) -> bool {
        self.twigs[at as usize].board.side_to_move() == self.attacker
    }

    fn children(&self, at: u32) -> impl Iterator<Item = (u32, &Twig)> {
        let twig = &self.twigs[at as usize];
        (twig.first..twig.first + twig.children).map(|i| (i, &self.twigs[i as usize]))
    }

    fn quickest(&self, at: u32) -> Option<u32> {
        let won = self.children(at).filter(|(_, child)| child.proof == 0);
        won.map(|(i, _)| (self.plies(i), i)).min().map(|(_, i)| i)
    }

    /// Plies to mate at most from a solved position.
    fn plies(&self, at: u32) -> u16 {
        let twig = &self.twigs[at as usize];
        let attacks = self.attacks(at);
        if twig.children == 0 {
            return u16::from(attacks);
        }
        let won = self.children(at).filter(|(_, child)| child.proof == 0);
        let plies = won.map(|(i, _)| self.plies(i));
        1 + if attacks { plies.min() } else { plies.max() }.unwrap_or(0)
    }

    /// The most promising leaf.
    fn leaf(&self) -> u32 {
        let mut at = 0;
        while self.twigs[at as usize].children > 0 {
            let attacks = self.attacks(at);
            let number = |twig: &Twig| {
                if attacks { (twig.proof, twig.disproof) } else { (twig.disproof, twig.proof) }
            };
            at = self.children(at).min_by_key(|(_, child)| number(child)).expect("a child").0;
        }
        at
    }

    fn expand(&mut self, at: u32) {
        let board = self.twigs[at as usize].board.clone();
        let attacks = self.attacks(at);
        let first = self.twigs.len() as u32;
        for m in board.legal_moves() {
            let next = board.after(m);
            let (proof, disproof) = if !attacks {
                if mate_in_one(next.chess()).is_some() { (0, NEVER) } else { (1, 1) }
            } else {
                match next.legal_moves().len() as u32 {
                    0 if next.in_check() => (0, NEVER),
                    0 => continue,
                    replies => (1 + replies / 2, 1),
                }
            };
            self.twigs.push(Twig {
                board: next,
                play: Some(m),
                parent: at,
                first: 0,
                children: 0,
                proof,
                disproof,
            });
        }
        let children = self.twigs.len() as u32 - first;
        let twig = &mut self.twigs[at as usize];
        (twig.first, twig.children) = (first, children);
        if children == 0 {
            (twig.proof, twig.disproof) = (NEVER, 0);
        }
    }

    fn update(&mut self, mut at: u32) {
        while at != NO {
            if self.twigs[at as usize].children > 0 {
                let (mut least, mut sum) = ((NEVER, NEVER), (0u32, 0u32));
                for (_, child) in self.children(at) {
                    least = (least.0.min(child.proof), least.1.min(child.disproof));
                    sum = (
                        sum.0.saturating_add(child.proof).min(NEVER),
                        sum.1.saturating_add(child.disproof).min(NEVER),
                    );
                }
                let attacks = self.attacks(at);
                let twig = &mut self.twigs[at as usize];
                (twig.proof, twig.disproof) =
                    if attacks { (least.0, sum.1) } else { (sum.0, least.1) };
            }
            at = self.twigs[at as usize].parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_mates_are_found_and_followed() {
        for (fen, plies) in [
            ("6k1/5ppp/8/8/8/8/8/R6K w - -", 1),
            ("k7/8/2K5/8/8/8/8/1R6 w - -", 3),
            ("7k/8/8/8/8/8/R7/1R5K w - -", 3),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mut small = Small::new(Side::White);
            let found = small.mates(&board, 200).expect(fen);
            assert!(found >= plies, "{fen}: {found}");
            let steps = small.steps(&board);
            assert!(steps.iter().any(|step| step.0 == board && step.2 == found), "{fen}");
            for (position, play, left) in &steps {
                for reply in position.after(*play).legal_moves() {
                    let next = position.after(*play).after(reply);
                    let known = steps.iter().any(|s| s.0 == next && s.2 + 2 <= *left);
                    assert!(known, "{fen}: {next:?}");
                }
            }
        }
        let stalemated = Board::from_fen("7k/8/8/8/8/8/8/K6R b - -").unwrap();
        assert_eq!(Small::new(Side::Black).mates(&stalemated, 60), None);
    }
}
