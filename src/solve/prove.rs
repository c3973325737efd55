//! Proof by subgoals: Botvinnik's zones propose aims and moves, the proof search proves, and the proofs are chained
//! until they reach mate.
//!
//! The attacker is limited to the moves of its zones, the defender never; so a proof is a proof. The horizon grows, then
//! all moves are allowed, while time remains. A chain is the paper's method of successive approximations: "from here the
//! class C1 is forced", then from every position of C1 that can arise the next, down to mate or a table.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5; M. M. Botvinnik, *On the
//! cybernetic goal of the game*, 1975; specification pages 1.7 and 3.1.

use super::evidence::CertificateError;
use super::goal::Goal;
use crate::aim::Aim;
use crate::chess::board::{Board, Color, MoveList, Position, side_of};
use crate::chess::{Move, Packed, Profile, fen};
use crate::limits::{Budget, StopReason};
use crate::pioneer::image::Horizon;
use crate::pioneer::propose::{Quarry, moves_towards};
use crate::pioneer::subgoal::{Kind, propose};
use crate::pioneer::words::mate;
use crate::search::{Options, Plan, Task, achieve, no_probe, quickest};
use crate::strategy::{BuildError, Certificate, win};
use crate::tables::{Tables, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// One link of a chain: an aim that is forced from a position.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Link {
    /// From where.
    pub fen: String,
    /// The claim in words.
    pub claim: String,
    /// The aim, in the syntax that `check` reads.
    pub aim: String,
    /// It is reached in at most this many plies.
    pub plies: u16,
    /// The horizon whose zones gave the attacker's moves; none if all moves were allowed.
    pub horizon: Option<u8>,
    /// The positions in which it may be reached; for mate, 0.
    pub ends: usize,
    /// How many links lie before it.
    pub depth: usize,
}

/// What was proved.
#[derive(Debug, Default)]
pub struct Proof {
    /// The links, the root's first. Empty when nothing is proved, or tables decide the root.
    pub links: Vec<Link>,
    /// Whether the whole question is answered: the aim that was given, or the value of the position.
    pub complete: bool,
    /// The certificate of a win or a draw.
    pub certificate: Option<Certificate>,
    /// The attacker's first move.
    pub first: Option<Move>,
    /// Positions visited by the proof search.
    pub positions: u64,
    /// Why it ended early.
    pub stop: Option<StopReason>,
}

/// Whose moves the attacker may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zones {
    /// Those of its zones, the horizon growing, and all moves at last.
    First,
    /// Zones only: a failure says nothing.
    Only,
    /// All moves: for comparison.
    Off,
}

/// Proves aims for the side to move.
pub struct Prover<'a> {
    tables: &'a Arc<Tables>,
    budget: &'a Budget,
    horizon: Horizon,
    zones: Zones,
    positions: u64,
}

/// The first slice of time for one attempt, doubled from round to round.
const SLICE: Duration = Duration::from_millis(400);
/// Rounds without a time limit: the last slice is about 50 seconds.
const ROUNDS: u32 = 8;
/// Horizons grow up to this many plies: further out the zones hold nearly all moves.
const WIDEST: u8 = 8;
/// Links in a chain at most.
const DEEPEST: usize = 3;
/// Subgoals tried at one position, and positions that one subgoal may end in.
const GOALS: usize = 4;
const ENDS: usize = 400;

/// A plan and where it stands in its chain.
struct Segment {
    depth: usize,
    plan: Plan,
}

/// A chain under construction: its links, and its plans for the policy.
#[derive(Default)]
struct Chain {
    links: Vec<Link>,
    segments: Vec<Segment>,
}

struct Reached {
    plan: Plan,
    horizon: Option<Horizon>,
}

impl<'a> Prover<'a> {
    /// A prover that starts with this horizon.
    pub fn new(tables: &'a Arc<Tables>, budget: &'a Budget, horizon: Horizon, zones: Zones) -> Self {
        Self { tables, budget, horizon, zones, positions: 0 }
    }

    /// Proves an aim of the form `AF φ` for the side to move.
    pub fn prove_aim(&mut self, root: &Board, goal: &Goal) -> Proof {
        self.rounds(|prover, slice| {
            let quarry = if goal.is_mate() { Quarry::King } else { Quarry::Men };
            let reached = prover.reach(root, Some(goal), quarry, slice)?;
            let mut chain = Chain::default();
            let claim = format!("{} forces the aim", side_of(root.chess().turn()));
            chain.links.push(link(root, claim, goal.aim().to_string(), &reached, 0));
            let first = reached.plan.play(root, &no_probe);
            chain.segments.push(Segment { depth: 0, plan: reached.plan });
            let certificate = goal.is_mate().then(|| prover.certificate(root, &chain).ok()).flatten();
            Some(Proof { links: chain.links, complete: true, certificate, first, ..Proof::default() })
        })
    }

    /// Proves as much as it can: a win by a chain of aims, else the value, else the best reduced aim.
    pub fn prove(&mut self, root: &Board) -> Proof {
        if let Some(proof) = self.by_tables(root) {
            return proof;
        }
        let mut best = Proof::default();
        let mut proof = self.rounds(|prover, slice| {
            if let Some(chain) = prover.win_from(root, 0, slice, &mut HashMap::new(), &mut best) {
                match prover.certificate(root, &chain) {
                    Ok(certificate) => {
                        let first = prover.policy(&chain, root).ok();
                        let links = chain.links;
                        return Some(Proof {
                            links,
                            complete: true,
                            certificate: Some(certificate),
                            first,
                            ..Proof::default()
                        });
                    }
                    Err(error) => prover.budget.progress().note(&format!("a chain fell apart: {error}")),
                }
            }
            prover.value(root, slice)
        });
        if !proof.complete {
            proof = Proof { stop: proof.stop, positions: proof.positions, ..best };
        }
        proof
    }

    /// Positions that tables cover need no chain.
    fn by_tables(&mut self, root: &Board) -> Option<Proof> {
        if !Tables::covers(root) {
            return None;
        }
        let verdict = super::tables::solve(&root.vector(), self.tables, self.budget).ok()?;
        let value = verdict.value?;
        let certificate = verdict.evidence.certificate(root, value, self.budget).ok();
        let first = verdict.evidence.best(&root.vector(), Profile::Fide).and_then(|best| best.first().copied());
        Some(Proof { complete: true, certificate, first, positions: verdict.positions, ..Proof::default() })
    }

    /// Tries again with more time until it succeeds or the budget ends.
    fn rounds(&mut self, mut attempt: impl FnMut(&mut Self, Duration) -> Option<Proof>) -> Proof {
        let mut stop = Some(StopReason::Exhausted);
        for round in 0..ROUNDS {
            if let Err(reason) = self.budget.check(self.positions, 0) {
                stop = Some(reason);
                break;
            }
            if round > 0 && self.zones != Zones::Off {
                self.horizon = self.horizon.wider().filter(|h| h.plies() <= WIDEST).unwrap_or(self.horizon);
            }
            if let Some(proof) = attempt(self, SLICE * 2u32.pow(round)) {
                return Proof { positions: self.positions, ..proof };
            }
        }
        Proof { positions: self.positions, stop, ..Proof::default() }
    }

    /// What tables know, as a function that does not hold on to the prover.
    fn prober(&self) -> impl Fn(&Board) -> Option<Value> + Sync + use<'a> {
        let (tables, budget): (&'a Tables, _) = (self.tables, self.budget);
        move |board| super::search::probe(tables, budget, board)
    }

    /// A plan to the goal (mate if none) within the slice: by zones of growing horizons, then by all moves.
    fn reach(&mut self, root: &Board, goal: Option<&Goal>, quarry: Quarry, slice: Duration) -> Option<Reached> {
        let attacker = root.chess().turn();
        let mut horizons: Vec<Option<Horizon>> = Vec::new();
        if self.zones != Zones::Off {
            horizons.extend(std::iter::successors(Some(self.horizon), |h| h.wider()).take(3).map(Some));
        }
        if self.zones != Zones::Only {
            horizons.push(None);
        }
        let options = Options { table_bytes: 64 << 20, shorten: slice / 4, ..Options::default() };
        for horizon in horizons {
            self.budget.check(self.positions, 0).ok()?;
            let moves = |board: &Board| -> MoveList {
                horizon.map_or_else(
                    || board.legal_moves(),
                    |h| moves_towards(board, attacker, h, quarry).among(&board.legal_moves()),
                )
            };
            let holds = |board: &Board| goal.is_some_and(|g| g.holds(board));
            let probe = self.prober();
            let mut task = Task::mate(attacker);
            if horizon.is_some() {
                task = task.with_moves(&moves);
            }
            task = match goal {
                Some(goal) if !goal.is_mate() => task.with_goal(&holds),
                _ => task.with_probe(&probe),
            };
            let outcome = achieve(root, &task, &options, &self.budget.part(slice));
            self.positions += outcome.positions;
            if let Some(win) = outcome.win {
                return Some(Reached { plan: win.plan, horizon });
            }
        }
        None
    }

    /// A chain to mate from a position with the attacker to move: by tables, by mate, or by a subgoal from whose every
    /// end there is a chain. `best` keeps the best single aim that was forced from the root.
    fn win_from(
        &mut self,
        board: &Board,
        depth: usize,
        slice: Duration,
        known: &mut HashMap<Packed, bool>,
        best: &mut Proof,
    ) -> Option<Chain> {
        if let Some(value) = self.prober()(board) {
            return matches!(value, Value::Win(_)).then(Chain::default);
        }
        self.budget.check(self.positions, 0).ok()?;
        if let Some(reached) = self.reach(board, None, Quarry::King, slice) {
            return Some(self.mated(board, reached, depth));
        }
        if depth == DEEPEST {
            return None;
        }
        let us = board.chess().turn();
        let proposal = propose(board, self.horizon, &self.budget.part(slice));
        let useful = |kind: Kind| matches!(kind, Kind::Win | Kind::Promote);
        let mut subgoals: Vec<_> = proposal.subgoals.iter().filter(|g| useful(g.kind)).collect();
        subgoals.sort_by_key(|g| std::cmp::Reverse(g.stake.max(g.believed)));
        for subgoal in subgoals.into_iter().take(GOALS) {
            let goal = Goal::of(Aim::parse(&subgoal.aim).ok()?).ok()?;
            let Some(reached) = self.reach(board, Some(&goal), Quarry::Men, slice / 2) else { continue };
            let first = link(board, subgoal.claim.clone(), subgoal.aim.clone(), &reached, depth);
            if depth == 0 && best.links.is_empty() {
                best.first = reached.plan.play(board, &no_probe);
                best.links = vec![first.clone()];
            }
            let mut chain = Chain { links: vec![first], segments: Vec::new() };
            if self.all_won(&reached.plan, us, depth, slice, known, best, &mut chain) {
                chain.segments.push(Segment { depth, plan: reached.plan });
                return Some(chain);
            }
        }
        let reached = self.reach(board, None, Quarry::Men, slice)?;
        Some(self.mated(board, reached, depth))
    }

    fn mated(&self, board: &Board, reached: Reached, depth: usize) -> Chain {
        let us = board.chess().turn();
        let claim = format!("{} mates, or wins a table", side_of(us));
        let link = link(board, claim, mate(us), &reached, depth);
        Chain { links: vec![link], segments: vec![Segment { depth, plan: reached.plan }] }
    }

    /// Whether every end of a plan is won in turn; the chains are added.
    #[expect(clippy::too_many_arguments, reason = "the recursion's state")]
    fn all_won(
        &mut self,
        plan: &Plan,
        us: Color,
        depth: usize,
        slice: Duration,
        known: &mut HashMap<Packed, bool>,
        best: &mut Proof,
        chain: &mut Chain,
    ) -> bool {
        let mut starts = Vec::new();
        for end in plan.ends() {
            if end.chess().turn() == us {
                starts.push(end.clone());
            } else if end.legal_moves().is_empty() {
                if !end.in_check() {
                    return false;
                }
            } else {
                starts.extend(end.legal_moves().iter().map(|m| end.after(*m)));
            }
        }
        if starts.len() > ENDS {
            return false;
        }
        for start in starts {
            let key = start.packed();
            match known.get(&key) {
                Some(true) => continue,
                Some(false) => return false,
                None => {}
            }
            let next = self.win_from(&start, depth + 1, slice, known, best);
            known.insert(key, next.is_some());
            let Some(next) = next else { return false };
            chain.links.extend(next.links);
            chain.segments.extend(next.segments);
        }
        true
    }

    /// The attacker's move by a chain: that of the deepest plan that knows the position, else a table's.
    fn policy(&self, chain: &Chain, board: &Board) -> Result<Move, BuildError> {
        let mut segments: Vec<&Segment> = chain.segments.iter().collect();
        segments.sort_by_key(|s| std::cmp::Reverse(s.depth));
        let planned = segments.iter().find_map(|s| s.plan.play(board, &no_probe));
        let probe = self.prober();
        planned.or_else(|| quickest(board, &probe)).ok_or_else(|| BuildError::NoMate(fen(&board.vector())))
    }

    fn certificate(&self, root: &Board, chain: &Chain) -> Result<Certificate, CertificateError> {
        let owner = side_of(root.chess().turn());
        let (strategy, plies) = win(root, owner, self.budget, &mut |board| self.policy(chain, board))?;
        let mut certificate = Certificate::of_win(strategy, plies);
        certificate.notes = chain.links.iter().map(|l| format!("{}: {} ({})", l.fen, l.claim, l.aim)).collect();
        Ok(certificate)
    }

    /// The value by the general search, all moves of both sides: a win or a draw that no chain found.
    fn value(&mut self, root: &Board, slice: Duration) -> Option<Proof> {
        let part = self.budget.part(slice);
        let verdict = super::search::solve(&root.vector(), self.tables, &part);
        self.positions += verdict.positions;
        let certificate = verdict.evidence.certificate(root, verdict.value?, self.budget).ok();
        Some(Proof { complete: true, certificate, first: verdict.best.first().copied(), ..Proof::default() })
    }
}

fn link(from: &Board, claim: String, aim: String, reached: &Reached, depth: usize) -> Link {
    Link {
        fen: fen(&from.vector()),
        claim,
        aim,
        plies: reached.plan.plies(),
        horizon: reached.horizon.map(Horizon::plies),
        ends: reached.plan.ends().len(),
        depth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::verify;

    fn proved(fen: &str, horizon: u32) -> Proof {
        let tables = Arc::new(Tables::in_memory());
        let budget = Budget::default().part(Duration::from_secs(20));
        let board = Board::from_fen(fen).unwrap();
        let proof = Prover::new(&tables, &budget, Horizon::new(horizon), Zones::First).prove(&board);
        if let Some(certificate) = &proof.certificate {
            let mut bytes = Vec::new();
            certificate.write(&mut bytes).unwrap();
            assert!(verify(&bytes[..], &mut |_| true).unwrap().is_some(), "{fen}");
        }
        proof
    }

    #[test]
    fn a_mate_is_proved_with_checks_only() {
        // Philidor's smothered mate.
        let proof = proved("5rk1/5Npp/8/3Q4/8/8/8/7K w - - 0 1", 4);
        assert!(proof.complete && proof.certificate.is_some());
        assert_eq!(proof.links.len(), 1);
        assert_eq!(proof.links[0].horizon, Some(4));
    }

    #[test]
    fn aims_are_proved_or_not() {
        let tables = Arc::new(Tables::in_memory());
        let budget = Budget::default().part(Duration::from_secs(5));
        let board = Board::from_fen("r3k3/8/8/1N6/8/8/5PPP/6K1 w - - 0 1").unwrap();
        let mut prover = Prover::new(&tables, &budget, Horizon::new(4), Zones::Only);
        let goal = |text: &str| Goal::of(Aim::parse(text).unwrap()).unwrap();
        let proof = prover.prove_aim(&board, &goal("AF (count(r) = 0)"));
        assert!(proof.complete, "Nc7+ wins the rook");
        assert_eq!(proof.first.map(|m| m.to_string()).as_deref(), Some("b5c7"));
        let kept = goal("AF (count(r) = 0 & black_to_move & AX (count(r) = 0 & count(N) = 1))");
        assert!(prover.prove_aim(&board, &kept).complete, "the knight gets out of the corner's reach for a move");
    }
}
