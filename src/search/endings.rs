//! Endings of pawns and few officers at the leaves of a search, decided by slices.
//!
//! A search that exchanges into such an ending would have to come to the mate, or to a fortress, which
//! may be dozens of moves away; slices decide most of few men in thousandths of a second
//! ([`crate::slices`]). So they are asked where fewer men or fewer pawns than at the root are left, one
//! officer at most: once a placement of pawns has been met [`VISITS`] times, for as long as [`FIRST`]; then
//! each time that it comes back undecided after twice as many for twice as long, and in all for a part of
//! the time that has gone by. What they have decided stays, and is the value of all positions of the
//! slices that were looked into: a microsecond or two each.
//!
//! While the root itself is asked of slices beside the search, what those have decided is told instead: of
//! positions with fewer men or fewer pawns, and of those a move or two from the root, so that what one
//! method knows of some moves and the other of the rest is put together ([`Solved`]; of all positions it
//! would make the search some times slower).
//!
//! Slices know who wins and not how soon, so a win here is [`UNMEASURED`]. Strategies go on from there
//! by the slices' own moves: [`Endings::winning`], [`Endings::holding`].
//!
//! Memory: a sixteenth of the budget's at most, [`MOST_BYTES`] where that is not limited. Only what is
//! known is told then.

use crate::chess::board::{Bitboard, Board, BySide as _, Position as _};
use crate::chess::{Move, Outcome, Side, UNMEASURED, Value};
use crate::limits::{Budget, Limits};
use crate::slices::Analysis;
use crate::tables::Tables;
use hashbrown::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long slices with no officer and with one are asked about a placement of pawns at first. (Those with
/// two take a quarter of a second and are seldom decided in it.)
const FIRST: [Duration; 2] = [Duration::from_millis(4), Duration::from_millis(16)];
/// How often the search comes to the placement before that: where it spends its time.
const VISITS: [u32; 2] = [256, 1024];
/// How often that may be doubled.
const DOUBLINGS: u32 = 9;
/// Of the time that has gone by they have one of so many parts.
const PART: u32 = 8;
/// Before so much time has gone by nothing is asked: most mates that are found at all are found in it.
const BEFORE: Duration = Duration::from_secs(1);
/// Squares that differ after a move of each side at most.
const NEAR: usize = 4;
/// Placements of which it is kept how often they were met: some 50 MB.
const MOST_PLACEMENTS: usize = 1 << 20;
/// Bytes of slices where memory is not limited.
const MOST_BYTES: u64 = 1 << 30;
/// How long what was proved before may take to be proved once more.
const AGAIN: Duration = Duration::from_secs(10);
/// Bytes of ranks that are kept while a strategy is read off.
const RANKS: u64 = 1 << 28;

/// What is decided beside a search, with the moves for it. While it is at work it tells nothing.
pub trait Solved: Debug + Send + Sync {
    /// The value of a position, if it is decided.
    fn outcome(&self, board: &Board) -> Option<Outcome>;

    /// The moves that are known to hold for the side to move.
    fn holding(&self, board: &Board) -> Vec<Move>;

    /// Has `use_it` ask for a side's moves in positions where it is known to win.
    fn winning(&self, side: Side, use_it: &mut dyn FnMut(&mut Play));
}

/// A move in a position, if one is known.
pub type Play<'a> = dyn FnMut(&Board) -> Option<Move> + 'a;

/// Endings of fewer men or fewer pawns than a root. Clones share what is known.
#[derive(Debug, Clone)]
pub struct Endings {
    /// The men of the root, and the pawns among them, and where they stand.
    root: [usize; 2],
    squares: Bitboard,
    known: Arc<Mutex<Known>>,
    /// Whether others are asked too: threads that come to other positions need not wait for each other.
    is_beside: Arc<AtomicBool>,
    /// Whether who asks waits while another thread does.
    waits: bool,
}

/// A placement of pawns that is not decided: how often the search has come to it since slices were
/// asked, and how often these were asked in vain.
#[derive(Debug, Clone, Copy, Default)]
struct Placement {
    visits: u32,
    in_vain: u32,
    /// How often slices had been asked about anything when it was looked up whether they have met these
    /// pawns, and whether they had.
    looked_up: u32,
    is_met: bool,
}

#[derive(Debug)]
struct Known {
    /// Who else knows positions, and whether that has told any; whether any win was told.
    beside: Option<Arc<dyn Solved>>,
    by_others: bool,
    has_told: bool,
    analysis: Analysis,
    /// As [`VISITS`].
    visits: [u32; 2],
    /// By the pawns of White and of Black and the number of officers.
    placements: HashMap<([u64; 2], usize), Placement>,
    /// How often slices have been asked, and since when and for how long.
    asked: u32,
    began: Instant,
    spent: Duration,
}

impl Endings {
    /// Those of fewer men or pawns than a root; small slices are read from the tables that are at hand.
    pub fn below(root: &Board, tables: &Arc<Tables>) -> Self {
        let known = Known {
            beside: None,
            by_others: false,
            has_told: false,
            analysis: Analysis::new().reading(tables),
            visits: VISITS,
            placements: HashMap::new(),
            asked: 1,
            began: Instant::now(),
            spent: Duration::ZERO,
        };
        Self {
            root: counts(root),
            squares: root.chess().board().occupied(),
            known: Arc::new(Mutex::new(known)),
            is_beside: Arc::default(),
            waits: false,
        }
    }

    /// The same, where who asks waits for others: what is known is told whoever asks beside.
    pub(super) fn waiting(self) -> Self {
        Self { waits: true, ..self }
    }

    /// Has positions known to others be told too, from now on.
    pub(super) fn beside(&self, solved: Arc<dyn Solved>) {
        lock(&self.known).beside = Some(solved);
        self.is_beside.store(true, Ordering::Relaxed);
    }

    /// Has them be told no more; whether any was.
    pub(super) fn alone(&self) -> bool {
        let mut known = lock(&self.known);
        known.beside = None;
        self.is_beside.store(false, Ordering::Relaxed);
        std::mem::take(&mut known.by_others)
    }

    /// Whether any win was told.
    pub(super) fn have_told(&self) -> bool {
        lock(&self.known).has_told
    }

    /// Whether a position has fewer men or fewer pawns than the root.
    fn is_below(&self, board: &Board) -> bool {
        let [men, pawns] = counts(board);
        men < self.root[0] || pawns < self.root[1]
    }

    /// Whether a position is a move or two from the root, or looks so.
    fn is_near(&self, board: &Board) -> bool {
        (self.squares ^ board.chess().board().occupied()).count() <= NEAR
    }

    /// Whether a position is one of them.
    fn has(&self, board: &Board) -> bool {
        let [men, pawns] = counts(board);
        men - pawns - 2 < FIRST.len() && self.is_below(board) && board.chess().castles().is_empty()
    }

    /// The value of a position, if slices decide it in the time that they have; a win is not measured.
    /// None while another thread asks, unless it is waited for.
    pub(super) fn value(&self, budget: &Budget, board: &Board) -> Option<Value> {
        let has = self.has(board);
        let is_told = || {
            self.is_beside.load(Ordering::Relaxed) && (self.is_below(board) || self.is_near(board))
        };
        if !(has || is_told()) {
            return None;
        }
        let mut known = if self.waits { lock(&self.known) } else { self.known.try_lock().ok()? };
        let outcome = match &known.beside {
            Some(_) => known.told(board),
            None => known.outcome(budget, board),
        };
        known.has_told |= matches!(outcome, Some(Outcome::Wins(_)));
        Some(match outcome? {
            Outcome::Wins(side) => Value::Wins(side, UNMEASURED),
            Outcome::Draw => Value::Draw,
        })
    }

    /// The moves that are known to hold for the side to move; none where nothing is known.
    pub(super) fn holding(&self, board: &Board) -> Vec<Move> {
        let (known, side) = (lock(&self.known), board.side_to_move());
        let told = known.beside.as_ref().map_or_else(Vec::new, |solved| solved.holding(board));
        if told.is_empty() && known.analysis.has_met(board) {
            return known.analysis.holding(board, side);
        }
        told
    }

    /// The same, where what was proved and is forgotten (holds are begun anew when promotions are to be
    /// looked into) is proved once more.
    pub(super) fn holding_again(&self, budget: &Budget, board: &Board) -> Vec<Move> {
        let mut known = lock(&self.known);
        if self.has(board) && !known.analysis.is_held(board, board.side_to_move()) {
            known.analysis.pursue(board, &budget.quietly().part(AGAIN));
        }
        drop(known);
        self.holding(board)
    }

    /// Has `use_it` ask for a side's moves that win, in positions where slices know that it does. No
    /// value is told meanwhile.
    pub(super) fn winning(&self, side: Side, use_it: &mut dyn FnMut(&mut Play)) {
        let known = lock(&self.known);
        let mut winner = known.analysis.winner(side, RANKS);
        let has_met = |board: &Board| known.analysis.has_met(board);
        let mut own = |board: &Board| if has_met(board) { winner.play(board) } else { None };
        match &known.beside {
            // What they know they know to the end: play does not come back.
            Some(solved) => solved.winning(side, &mut |told: &mut Play| {
                use_it(&mut |board| told(board).or_else(|| own(board)));
            }),
            None => use_it(&mut own),
        }
    }
}

/// What a mutex guards, whatever has become of other threads: what is proved is only added to, and a thread
/// that has panicked leaves nothing that is wrong.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The men of a position, and the pawns among them.
fn counts(board: &Board) -> [usize; 2] {
    let men = board.chess().board();
    [men.occupied().count(), men.pawns().count()]
}

impl Known {
    /// What others know of a position.
    fn told(&mut self, board: &Board) -> Option<Outcome> {
        let outcome = self.beside.as_ref()?.outcome(board)?;
        self.by_others = true;
        Some(outcome)
    }

    fn outcome(&mut self, budget: &Budget, board: &Board) -> Option<Outcome> {
        let men = board.chess().board();
        let pawns = Side::ALL.map(|side| (men.pawns() & men.men_of(side)).0);
        let [all, on_files] = counts(board);
        let officers = all - on_files - 2;
        if self.placements.len() > MOST_PLACEMENTS {
            self.placements.clear();
        }
        let placement = self.placements.entry((pawns, officers)).or_default();
        if placement.looked_up < self.asked {
            (placement.looked_up, placement.is_met) = (self.asked, self.analysis.has_met(board));
        }
        let known = if placement.is_met { self.analysis.known(board) } else { None };
        if known.is_some() {
            return known;
        }
        placement.visits += 1;
        let in_vain = placement.in_vain;
        if in_vain > DOUBLINGS || placement.visits < self.visits[officers] << in_vain {
            return None;
        }
        placement.visits = 0;
        let known = self.ask(FIRST[officers] * (1 << in_vain), budget, board)?;
        if known.is_none() {
            self.placements.entry((pawns, officers)).or_default().in_vain += 1;
        }
        known
    }

    /// Asks slices for so long; none where they have no time or no memory left.
    fn ask(&mut self, time: Duration, budget: &Budget, board: &Board) -> Option<Option<Outcome>> {
        let passed = self.began.elapsed();
        if passed < BEFORE
            || self.spent > passed / PART
            || budget.remaining().is_some_and(|left| left < time)
        {
            return None;
        }
        let limits = *budget.limits();
        let bytes = limits.memory.map_or(MOST_BYTES, |memory| MOST_BYTES.min(memory / 16));
        if self.analysis.work().bytes + Analysis::work_bytes(board) > bytes {
            return None;
        }
        let part = budget.quietly().part(time);
        let part = part.limited(Limits { threads: 1, memory: Some(bytes), ..*part.limits() });
        let start = Instant::now();
        self.analysis.pursue(board, &part);
        self.spent += start.elapsed();
        self.asked += 1;
        Some(self.analysis.known(board))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::Certificate;
    use crate::hold::hold;
    use crate::search::{LeafTables, Options, solve};
    use crate::strategy::BuildError;
    use crate::verify::verify;

    /// White exchanges rooks and wins the pawn ending; Black may also stay a rook down.
    const ROOKS: &str = "8/8/p1k5/2p5/2Pr4/1P1R4/P2K4/8 w - -";
    /// The pawn ending.
    const PAWNS: &str = "8/8/p1k5/8/2Pp4/1P6/P2K4/8 w - -";

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).unwrap()
    }

    /// Slices are asked at the first visit.
    fn eager(root: &Board) -> LeafTables {
        let tables = Arc::new(Tables::in_memory());
        let leaves = LeafTables::new(tables, 4).with_endings(root);
        let endings = leaves.endings().expect("slices");
        let mut known = lock(&endings.known);
        known.began -= Duration::from_secs(600);
        known.visits = [1; 2];
        drop(known);
        leaves
    }

    fn accepted(certificate: &Certificate) -> bool {
        let mut file = Vec::new();
        certificate.write(&mut file).unwrap();
        verify(&file[..], &mut |_| true).unwrap().is_some()
    }

    #[test]
    fn who_waits_is_told_while_others_ask() {
        let (leaves, budget) = (eager(&board(ROOKS)), Budget::default());
        // Each time they have longer.
        let asked = (0..1000).find_map(|_| leaves.probe(&budget, &board(PAWNS)));
        let known = Some(asked.expect("slices decide it"));
        let waiting = leaves.clone().waiting();
        std::thread::scope(|scope| {
            let asking = lock(&leaves.endings().expect("slices").known);
            assert_eq!(leaves.probe(&budget, &board(PAWNS)), None);
            let told = scope.spawn(|| waiting.probe(&budget, &board(PAWNS)));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!told.is_finished());
            drop(asking);
            assert_eq!(told.join().unwrap(), known);
        });
    }

    #[test]
    fn a_search_wins_by_an_exchange_into_a_pawn_ending() {
        let root = board(ROOKS);
        let leaves = eager(&root);
        let budget = Budget::new(Limits::default().with_time(Duration::from_secs(100)));
        let known = |b: &Board| leaves.probe(&budget, b);
        let outcome = solve(&root, &Options::default(), &known, &budget);
        let win = outcome.win.expect("a win");
        assert_eq!((win.side, win.shortest, win.plan.is_measured()), (Side::White, false, false));
        let written = leaves
            .winning(Side::White, |beyond| win.strategy_beyond(&root, &known, beyond, &budget));
        let (strategy, plies) = written.expect("a strategy");
        assert!(plies > u32::from(win.plies), "{plies} plies, without the endings {}", win.plies);
        assert!(accepted(&Certificate::of_win(strategy, plies)));
        assert!(leaves.slices_have_told());
    }

    #[test]
    fn what_slices_hold_is_played_on() {
        let ending = board("8/8/3k4/p1p5/P1P5/3K4/8/8 w - -");
        let leaves = eager(&board("8/8/3k4/p1pr4/P1PR4/3K4/8/8 b - -"));
        let budget = Budget::new(Limits::default().with_time(Duration::from_secs(100)));
        assert_eq!(leaves.probe(&budget, &ending), Some(Value::Draw));
        for side in Side::ALL {
            let strategy = hold::<BuildError>(None, &ending, side, &budget, &mut |b| {
                Ok(leaves.holding(&budget, b, true))
            });
            assert!(accepted(&Certificate::of_hold(strategy.expect("a strategy"))), "{side}");
        }
    }

    #[test]
    fn what_slices_win_is_held_too() {
        // The search held Black and had no move here: Black's win is no hold of White's slices.
        let ending = board("8/8/8/2k5/1b6/1K3P2/2p5/8 b - -");
        let leaves = eager(&board("8/8/8/3k4/3b4/4B3/2p2PKp/4N3 b - -"));
        let budget = Budget::new(Limits::default().with_time(Duration::from_secs(100)));
        // Slices are asked for longer each time.
        let value = (0..1 << DOUBLINGS).find_map(|_| leaves.probe(&budget, &ending));
        assert_eq!(value, Some(Value::Wins(Side::Black, UNMEASURED)));
        let strategy = hold::<BuildError>(None, &ending, Side::Black, &budget, &mut |b| {
            Ok(leaves.holding(&budget, b, true))
        });
        assert!(accepted(&Certificate::of_hold(strategy.expect("a strategy"))));
    }

    /// Knows one position.
    #[derive(Debug)]
    struct One(Board, Outcome);

    impl Solved for One {
        fn outcome(&self, board: &Board) -> Option<Outcome> {
            (*board == self.0).then_some(self.1)
        }

        fn holding(&self, _: &Board) -> Vec<Move> {
            Vec::new()
        }

        fn winning(&self, _: Side, use_it: &mut dyn FnMut(&mut Play)) {
            use_it(&mut |_| None);
        }
    }

    #[test]
    fn what_others_know_is_told_until_they_go() {
        let (root, ending) = (board(ROOKS), board(PAWNS));
        let leaves = LeafTables::new(Arc::new(Tables::in_memory()), 4).with_endings(&root);
        let budget = Budget::default();
        assert_eq!(leaves.probe(&budget, &ending), None);
        leaves.beside(Arc::new(One(ending.clone(), Outcome::Wins(Side::White))));
        assert_eq!(leaves.probe(&budget, &root), None);
        assert_eq!(leaves.probe(&budget, &ending), Some(Value::Wins(Side::White, UNMEASURED)));
        assert!(leaves.alone());
        assert_eq!(leaves.probe(&budget, &ending), None);
        assert!(!leaves.alone());
    }
}
