//! Single attempts: one aim from one position, with the attacker's moves limited to its zones or
//! not.
//!
//! # References
//! docs/theory.md §13: a strategy may leave out any of its own moves, never one of the
//! opponent's.

use super::strive::Strive;
use crate::aim::Goal;
use crate::chess::Side;
use crate::chess::Value;
use crate::chess::board::{Board, MoveList, Position};
use crate::library::endgames::Class;
use crate::limits::{Budget, StopReason};
use crate::pioneer::image::Horizon;
use crate::pioneer::propose::{Targets, moves_towards};
use crate::search::leaves::probe;
use crate::search::{Options, Plan, Probe, Pursuit, Task, only_wins_of};
use crate::strategy::Rules;
use crate::tables::Tables;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Where the attacker's moves come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zones {
    /// Zones first, the horizon growing, then all moves, where that helps: see `Zones::helps`.
    Auto,
    /// Those of its zones, the horizon growing, and all moves at last.
    First,
    /// Zones only: a failure says nothing.
    Only,
    /// All moves: for comparison.
    Off,
}

/// What an attempt is after.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'a> {
    /// Mate, or a position that tables call won; the zones' targets.
    Win(Targets),
    /// φ of an aim.
    Goal(&'a Goal),
    /// φ of an aim that is striven for; where tables know a position it counts only if it is won.
    Strive(&'a Goal, &'a Strive),
}

/// A plan that reaches its target.
pub(super) struct Reached {
    pub(super) plan: Plan,
    /// The horizon whose zones gave the moves; none: all moves, or planned trajectories.
    pub(super) horizon: Option<Horizon>,
}

/// What an attempt came to.
pub(super) enum Attempt {
    /// There is a plan.
    Reached(Box<Reached>),
    /// No moves reach it.
    Refuted,
    /// Not within the time, or not with these moves.
    Open,
}

/// Where an attempt takes the attacker's moves from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    All,
    Zones(Horizon),
    /// The planned trajectories of striving.
    Planned,
}

impl Source {
    fn horizon(self) -> Option<Horizon> {
        if let Self::Zones(horizon) = self { Some(horizon) } else { None }
    }
}

/// The question that a pursuit has learned about: the attacker, its goal or else what its zones go
/// for, and the moves.
type Question = (Side, Option<Goal>, Targets, Source);

/// Makes attempts, and keeps what the last few questions have taught: the next position is much
/// like the one before.
pub(super) struct AimProver<'a> {
    pub(super) tables: &'a Tables,
    /// The searches' part of the budget: the rest is for certificates.
    pub(super) budget: Budget,
    /// Men in the largest tables at the leaves.
    pub(super) leaf_men: usize,
    pub(super) zones: Zones,
    pub(super) horizon: Horizon,
    /// Proved rules that may end lines.
    pub(super) rules: Option<Arc<dyn Rules>>,
    /// The endgame library, where close positions are striven for.
    pub(super) library: Option<Arc<[Class]>>,
    /// Positions visited so far, all attempts together.
    pub(super) positions: u64,
    pursuits: VecDeque<(Question, Pursuit)>,
}

/// Horizons grow up to this many plies: further out the zones hold nearly all moves.
const WIDEST: u8 = 8;
/// Up to so many men zones help to mate.
const FEW_MEN: usize = 5;
/// The time that searches leave for the certificate of what they found.
const FOR_CERTIFICATES: Duration = Duration::from_secs(1);
/// Questions remembered, and the bytes of each one's table.
const REMEMBERED: usize = 6;
const TABLE_BYTES: u64 = 48 << 20;

impl<'a> AimProver<'a> {
    pub(super) fn new(
        tables: &'a Tables,
        budget: &'a Budget,
        leaf_men: usize,
        zones: Zones,
        horizon: Horizon,
    ) -> Self {
        // A certificate takes a small part of what its proof took.
        let budget = match budget.remaining() {
            Some(left) => budget.part(left - (left / 10).min(FOR_CERTIFICATES)),
            None => budget.clone(),
        };
        Self {
            tables,
            budget,
            leaf_men,
            zones,
            horizon,
            rules: None,
            library: None,
            positions: 0,
            pursuits: VecDeque::new(),
        }
    }

    /// The time and the positions that are left.
    pub(super) fn check(&self) -> Result<(), StopReason> {
        self.budget.check(self.positions, 0)
    }

    /// A share of the budget: so many positions, less if fewer are left. Work is shared out by
    /// positions and not by time, so that what is proved does not depend on the machine's speed.
    pub(super) fn part(&self, positions: u64) -> Budget {
        self.budget.after(self.positions).at_most(positions)
    }

    /// What tables of few men know; they are built when first asked for.
    pub(super) fn probe(&self) -> impl Fn(&Board) -> Option<Value> + Sync + use<'a> {
        let (tables, budget, men) = (self.tables, self.budget.clone(), self.leaf_men);
        move |board| {
            let small = board.chess().board().occupied().count() <= men;
            small.then(|| probe(tables, &budget, board)).flatten()
        }
    }

    /// Lets the zones see further in the next attempts.
    pub(super) fn widen(&mut self) {
        self.horizon = self.horizon.wider().filter(|h| h.plies() <= WIDEST).unwrap_or(self.horizon);
    }

    /// The sets of moves to try, one after the other.
    fn sources(&self, root: &Board, target: Target) -> Vec<Source> {
        let widest = WIDEST.max(self.horizon.plies());
        let zones = std::iter::successors(Some(self.horizon), |h| h.wider())
            .take(3)
            .filter(|h| h.plies() <= widest);
        let zones = zones.map(Source::Zones);
        match (self.zones, target) {
            (_, Target::Strive(_, strive)) if !strive.ways.is_empty() => {
                std::iter::once(Source::Planned).chain(zones).collect()
            }
            (Zones::Off, _) => vec![Source::All],
            (Zones::Only, _) | (_, Target::Strive(..)) => zones.collect(),
            (Zones::Auto, target) if !Zones::helps(root, target) => vec![Source::All],
            // A win by all men needs all moves; a king hunt leaves them to it.
            (Zones::First | Zones::Auto, Target::Win(Targets::Men)) => vec![Source::All],
            (Zones::First | Zones::Auto, Target::Win(Targets::King)) => zones.collect(),
            (Zones::First | Zones::Auto, Target::Goal(_)) => zones.chain([Source::All]).collect(),
        }
    }

    /// Tries to reach a target from a position, whoever is to move, visiting about so many
    /// positions; makes the plan shorter for so long.
    pub(super) fn reach(
        &mut self,
        root: &Board,
        attacker: Side,
        target: Target,
        positions: u64,
        shorten: Duration,
    ) -> Attempt {
        let sources = self.sources(root, target);
        let share = positions / sources.len() as u64;
        for source in sources {
            if self.check().is_err() {
                return Attempt::Open;
            }
            match self.attempt(root, attacker, target, source, share, shorten) {
                Attempt::Open => {}
                end => return end,
            }
        }
        Attempt::Open
    }

    fn attempt(
        &mut self,
        root: &Board,
        attacker: Side,
        target: Target,
        source: Source,
        positions: u64,
        shorten: Duration,
    ) -> Attempt {
        let mate = |goal: &Goal| goal.is_mate_of(attacker.other());
        let (goal, targets) = match target {
            Target::Goal(goal) if mate(goal) => (None, Targets::King),
            Target::Goal(goal) | Target::Strive(goal, _) => (Some(goal), Targets::Men),
            Target::Win(targets) => (None, targets),
        };
        let strive = if let Target::Strive(_, strive) = target { Some(strive) } else { None };
        let moves = |board: &Board| -> MoveList {
            let legal = board.legal_moves();
            match source {
                Source::All => legal,
                Source::Zones(h) => moves_towards(board, attacker, h, targets).among(&legal),
                Source::Planned if board.in_check() => legal,
                Source::Planned => legal
                    .into_iter()
                    .filter(|m| strive.is_some_and(|s| s.plans(m, attacker)))
                    .collect(),
            }
        };
        let probe = self.probe();
        let is_won =
            |board: &Board| probe(board).is_none_or(|value| value.outcome().is_win_of(attacker));
        let holds = |board: &Board| {
            goal.is_some_and(|g| g.holds(board)) && (strive.is_none() || is_won(board))
        };
        let budget = self.part(positions);
        let question = match goal {
            Some(goal) => (attacker, Some(goal.clone()), Targets::Men, source),
            None => (attacker, None, targets, source),
        };
        if goal.is_none() && source == Source::All {
            return self.win_by_all(root, attacker, question, &probe, shorten, &budget);
        }
        let mut task = Task::mate(attacker);
        if source != Source::All {
            task = task.with_moves(&moves);
        }
        let rules = self.rules.clone();
        task = if goal.is_some() {
            task.with_goal(&holds)
        } else {
            task.with_probe(&probe).with_rules(rules.as_deref().map(|rules| rules as &dyn Rules))
        };
        let outcome = self.pursuit(question).achieve(root, &task, shorten, &budget);
        self.positions += outcome.positions;
        match outcome.win {
            Some(win) => {
                Attempt::Reached(Box::new(Reached { plan: win.plan, horizon: source.horizon() }))
            }
            None if source == Source::All
                && strive.is_none()
                && outcome.safe[usize::from(attacker == Side::White)] =>
            {
                Attempt::Refuted
            }
            None => Attempt::Open,
        }
    }

    /// A win by all moves: the general search knows more ways to one.
    fn win_by_all(
        &mut self,
        root: &Board,
        attacker: Side,
        question: Question,
        probe: &Probe,
        shorten: Duration,
        budget: &Budget,
    ) -> Attempt {
        let rules = self.rules.clone();
        let options =
            Options { table_bytes: TABLE_BYTES, shorten, rules, ..only_wins_of(attacker) };
        let outcome = self.pursuit(question).solve(root, &options, probe, budget);
        self.positions += outcome.positions;
        match outcome.win {
            Some(win) => Attempt::Reached(Box::new(Reached { plan: win.plan, horizon: None })),
            None if outcome.safe[usize::from(attacker == Side::White)] => Attempt::Refuted,
            None => Attempt::Open,
        }
    }

    /// What was learned about a question.
    fn pursuit(&mut self, question: Question) -> &mut Pursuit {
        let at = self.pursuits.iter().position(|(q, _)| *q == question);
        let known = at.and_then(|at| self.pursuits.remove(at)).unwrap_or_else(|| {
            let options = Options { table_bytes: TABLE_BYTES, ..Options::default() };
            (question, Pursuit::new(&options, &self.budget))
        });
        self.pursuits.truncate(REMEMBERED - 1);
        self.pursuits.push_front(known);
        &mut self.pursuits[0].1
    }
}

impl Zones {
    /// Whether limiting the attacker to its zones pays, as measured by `cargo bench --bench zones`:
    /// for gains of material, and for wins with few men. Not where a mate is asked for outright
    /// with many men: there the zones halve the positions of what they prove, but the search for
    /// mates by all moves proves more with the same work.
    fn helps(root: &Board, target: Target) -> bool {
        match target {
            Target::Goal(goal) => {
                let mate = Side::ALL.into_iter().any(|side| goal.is_mate_of(side));
                !mate || root.chess().board().occupied().count() <= FEW_MEN
            }
            Target::Win(_) | Target::Strive(..) => true,
        }
    }
}
