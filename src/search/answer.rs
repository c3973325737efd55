//! Questions and answers of the search.

use super::crew::Threads;
use super::endings::Play;
use super::learned::Learned;
use super::plan::{Plan, quickest};
use super::region::Region;
use super::task::{Aside, Outlook, Probe};
use crate::certificate::Strategy;
use crate::chess::board::Board;
use crate::chess::{Move, Side, fen};
use crate::hold::hold;
use crate::limits::{Budget, StopReason};
use crate::strategy::{BuildError, Rules, win};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a search may spend beside its budget.
#[derive(Debug, Clone)]
pub struct Options {
    /// Bytes of the table of bounds. A quarter of the budget's memory limit caps
    /// it.
    pub table_bytes: u64,
    /// How long a win that is found may be made shorter, or proved shortest; the budget's time caps
    /// it.
    pub shorten: Duration,
    /// Whether that may visit only a few times as many positions as finding the win took. (Counted,
    /// not timed: what is proved shortest is then the same on a slower machine.)
    pub brief: bool,
    /// The budget that the search has while a mate seems near when its own has no time left.
    pub near: Option<Budget>,
    /// The budget that a win is made shorter within, where the search itself has a part of it only.
    pub rest: Option<Budget>,
    /// Time of the budget that making a win shorter leaves for what comes after (the certificate).
    pub reserve: Duration,
    /// Which sides' wins and holds are looked for: White's, Black's.
    pub wins: [bool; 2],
    /// As `wins`, for holding.
    pub holds: [bool; 2],
    /// Sides of whom someone else has proved that nothing can mate them.
    pub shut: [bool; 2],
    /// Proved rules that may end lines. What comes of the search then cites those that did.
    pub rules: Option<Arc<dyn Rules>>,
    /// What orders the work.
    pub outlook: Option<Arc<dyn Outlook>>,
    /// Where the table of bounds comes from and goes to afterwards, if it is kept. All questions that
    /// share one must have the same rules and the same probe.
    pub learned: Option<Learned>,
    /// What gets turns beside the attacks. When it has decided, the outcome has what the search alone
    /// has found: of a win a shorter one, if there is one, and how soon there is none.
    pub aside: Option<Arc<dyn Aside>>,
    /// Becomes true when a win is proved, though it may still be made shorter.
    pub won: Arc<AtomicBool>,
    /// A side whose hold is enough: the search ends when it is proved.
    pub enough: Option<Side>,
    /// Threads that work at the question together; with one the same work is done every time.
    pub threads: Threads,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            table_bytes: 1 << 30,
            shorten: Duration::from_secs(10),
            brief: false,
            near: None,
            rest: None,
            reserve: Duration::ZERO,
            wins: [true; 2],
            holds: [true; 2],
            shut: [false; 2],
            rules: None,
            outlook: None,
            learned: None,
            aside: None,
            won: Arc::default(),
            enough: None,
            threads: Threads::default(),
        }
    }
}

/// A win that is proved.
#[derive(Debug, Clone)]
pub struct Win {
    /// The winner.
    pub side: Side,
    /// Plies to mate at most, or to where a rule that knows no length ends the line.
    pub plies: u16,
    /// Whether fewer plies are proved not to be enough.
    pub shortest: bool,
    /// The winner's move in every position.
    pub plan: Plan,
    /// The rules that ended lines.
    pub(super) rules: Option<Arc<dyn Rules>>,
}

impl Win {
    /// The winning strategy, and the plies it takes at most: no more than [`Win::plies`], unless lines
    /// end in wins whose length was not known. `probe` is the one that the search was given.
    ///
    /// # Errors
    /// When the budget ends, or the plan is no strategy: a mistake of the search or of the probe.
    pub fn strategy(
        &self,
        root: &Board,
        probe: &Probe,
        budget: &Budget,
    ) -> Result<(Strategy, u32), BuildError> {
        self.strategy_beyond(root, probe, &mut |_| None, budget)
    }

    /// The same where the probe knows wins and not how soon: `beyond` has the moves there.
    ///
    /// # Errors
    /// As [`Win::strategy`].
    pub fn strategy_beyond(
        &self,
        root: &Board,
        probe: &Probe,
        beyond: &mut Play,
        budget: &Budget,
    ) -> Result<(Strategy, u32), BuildError> {
        win(self.rules.as_deref(), root, self.side, budget, &mut |board| {
            // Where `beyond` knows a move it knows all that follow: play never comes back to the plan.
            let own = beyond(board).or_else(|| self.plan.own_play(board));
            let play = own.or_else(|| quickest(board, probe));
            // What is asked knows nothing once the budget has ended.
            let ended = || budget.check(0, 0).err().map(BuildError::Stopped);
            let none = || ended().unwrap_or_else(|| BuildError::NoMate(fen(&board.vector())));
            play.ok_or_else(none)
        })
    }
}

impl Region {
    /// The holding strategy. `probe` is the one that the search was given.
    ///
    /// # Errors
    /// When the budget ends, or the region does not hold: a mistake of the search or of the probe.
    pub fn strategy(
        &self,
        root: &Board,
        probe: &Probe,
        budget: &Budget,
    ) -> Result<Strategy, BuildError> {
        self.strategy_beyond(root, probe, &mut |_, _| Vec::new(), budget)
    }

    /// The same where lines end in what the probe knows for a reason of its own: `beyond` has the moves
    /// there, once more and with patience where neither it nor the probe has any.
    ///
    /// # Errors
    /// As [`Region::strategy`].
    pub fn strategy_beyond(
        &self,
        root: &Board,
        probe: &Probe,
        beyond: &mut dyn FnMut(&Board, bool) -> Vec<Move>,
        budget: &Budget,
    ) -> Result<Strategy, BuildError> {
        hold(self.rules(), root, self.holder(), budget, &mut |board| {
            if let Some(own) = self.own_play(board) {
                return Ok(vec![own]);
            }
            let mut moves = beyond(board, false);
            if moves.is_empty() {
                moves = self.plays(board, probe);
            }
            Ok(if moves.is_empty() { beyond(board, true) } else { moves })
        })
    }
}

/// What a search has found out.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The win of one side, if there is a proof.
    pub win: Option<Win>,
    /// White's and Black's closed regions, where they are proved to hold beyond tables.
    pub holds: [Option<Box<Region>>; 2],
    /// Whether White and Black hold: by a region, or because the opponent's attack is refuted.
    pub safe: [bool; 2],
    /// Plies within which White and Black are proved not to mate: their shortest mate takes at
    /// least this long.
    pub at_least: [u16; 2],
    /// Positions visited.
    pub positions: u64,
    /// Why the search ended undecided, or without the shortest win.
    pub stop: Option<StopReason>,
}

impl Outcome {
    /// Whether the value is decided: a win, or both sides hold.
    pub fn is_decided(&self) -> bool {
        self.win.is_some() || self.safe == [true; 2]
    }
}

/// That a side wins, in so many plies if that is known, as
/// [`Progress::proved`](crate::limits::Progress::proved) is told.
pub fn told_win(side: Side, plies: Option<u16>) -> String {
    match plies {
        Some(plies) => format!("{side} wins, mate in {plies} plies at most"),
        None => format!("{side} wins"),
    }
}

/// That a side holds, as [`Progress::proved`](crate::limits::Progress::proved) is told.
pub fn told_hold(side: Side) -> String {
    format!("{side} holds: it is never mated")
}
