//! Fortresses: the holder's pieces stand where they are, and its king moves.
//!
//! With three officers on the board slices are so large that seldom all can be solved, but many fortresses
//! need none of them: nothing but the holder's king moves, behind pawns that are locked, and what matters
//! is what becomes of the attacker's sacrifices. So a set is grown on rows in which all else of the holder's
//! stands still, but for captures, and for promotions that end the game ([`Stay::standing`]). It ends where men
//! have gone; such exits are taken for held at first, and those that the closed set leads to are decided
//! together: by slices where a piece of the holder's has left its square to take, or has to, else by sets of the
//! same kind, one for all exits with the same men and pawns. Slices are asked with the holder's pawns standing still
//! too, and only if that is not enough with all their moves.
//!
//! Soundness: from each position of a set its move leads to where every reply is in a set, ends the game
//! without mate, or is held by slices; so the union of the sets and of what slices hold is closed.
//!
//! Cost: some 150 ns for each move that is made, 10⁵ to 10⁷ of them; slices of two officers 0.03 to 0.1 s each.
//!
//! # References
//! * E. Bleicher, *Freezer*, 2003 (fortresses by squares to which men keep; what leaves them is decided for
//!   itself).

use super::region::balance_then;
use crate::certificate::Strategy;
use crate::chess::board::{Board, BySide as _, ChessMove, Position as _, Role};
use crate::chess::symmetry::at_home;
use crate::chess::worth::in_pawns;
use crate::chess::{Move, Packed, Side, cannot_be_mated, code};
use crate::hold::{Exit, Grown, Order, Outpost, Stay, Terms, grow_rows, has_rows};
use crate::limits::{Budget, Limits, StopReason};
use crate::slices::{Analysis, NotClosed, plan};
use crate::tables::Tables;
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;
use theta_kernel::Spot;

/// Rows of one set at most, some 100 bytes each.
const ROWS: usize = 1 << 18;
/// Sets beyond exits of sets.
const DEPTH: usize = 6;
/// Ways to take something back that are tried.
const WAYS: usize = 3;
/// Moves between two looks at the budget.
const BETWEEN_CHECKS: u64 = 1 << 14;
/// Pawns at most: with more, slices of what is left when something is taken are too many.
const MOST_PAWNS: usize = 6;
/// Slices that take so many seconds at most are asked before a set is grown.
const SMALL: f64 = 1.0;
/// Slices that may take longer are not asked; most take a tenth of it.
const MOST: f64 = 100.0;

/// What proves that a side holds a root: positions, and slices for what lies beyond them.
#[derive(Debug)]
pub struct Fortress {
    root: Board,
    holder: Side,
    /// The holder's move in the root, if it is to move.
    play: Option<Move>,
    /// Positions that it leads to, the attacker to move.
    own: Vec<Packed>,
    /// Positions, either side to move, from which slices hold.
    ends: Vec<Board>,
    analysis: Analysis,
}

impl Fortress {
    /// The side that may hold by one: there are three officers, of which it has one, and few pawns.
    pub fn holder_of(root: &Board) -> Option<Side> {
        let fits = Analysis::officers(root) == 3
            && root.chess().board().pawns().count() <= MOST_PAWNS
            && has_rows(std::slice::from_ref(root));
        let own = |side: &Side| pieces(root, *side).count_ones() == 1;
        Side::ALL.into_iter().find(own).filter(|_| fits)
    }

    /// Looks for one; none where the pieces cannot stand. Slices of up to five men are read from tables that are
    /// at hand. Memory: 4 MiB for each slice of two officers that is solved, some hundreds.
    ///
    /// # Errors
    /// The end of the budget.
    pub fn find(
        root: &Board,
        holder: Side,
        tables: &Arc<Tables>,
        budget: &Budget,
    ) -> Result<Option<Self>, StopReason> {
        let mut search = Search {
            holder,
            posts: pieces(root, holder),
            pawns: pawns(root, holder),
            floor: balance_then(root, holder, &root.legal_moves()),
            analysis: Analysis::new()
                .reading(tables)
                .only(Side::ALL.map(|attacker| [false, attacker != holder])),
            known: HashMap::new(),
            ends: HashSet::new(),
            seconds: HashMap::new(),
            sets: Vec::new(),
            moves: 0,
            budget,
        };
        let starts = answered(root, holder);
        if !has_rows(&starts) {
            return Ok(None);
        }
        // What slices hold they nearly always hold with the holder's pawns standing still.
        search.analysis.set_standing(true);
        if !search.all_held(starts.clone())? {
            search.analysis.set_standing(false);
            search.known.retain(|_, held| *held);
            if !search.all_held(starts)? {
                return Ok(None);
            }
        }
        let Some((own, ends)) = search.reached(root) else { return Ok(None) };
        // Slices forget what they have held when they begin to look into promotions, once.
        for end in ends.iter().chain(&ends) {
            if !search.has_answer(end) && !search.by_slices(end)? {
                return Ok(None);
            }
        }
        let play = search.sets.iter().find_map(|set| set.answer(&root.packed())?.play);
        let Search { analysis, .. } = search;
        Ok(Some(Self { root: root.clone(), holder, play, own, ends, analysis }))
    }

    /// Who holds.
    pub fn holder(&self) -> Side {
        self.holder
    }

    /// Its own positions, and those of the slices that were solved.
    pub fn positions(&self) -> u64 {
        self.own.len() as u64 + self.analysis.work().positions
    }

    /// The holder's move in the root, if it is to move.
    pub fn play(&self) -> Option<Move> {
        self.play
    }

    /// The strategy of the root; none where slices know no answer any more, or where it has more men than sets
    /// are written with.
    ///
    /// # Errors
    /// The end of the budget.
    pub fn strategy(&self, budget: &Budget) -> Result<Option<Strategy>, StopReason> {
        let own: Option<Vec<Spot>> = self.own.iter().map(|p| at_home(p, self.holder)).collect();
        let Some(own) = own else { return Ok(None) };
        match self.analysis.closed(&self.ends, self.holder, budget) {
            Ok(closed) => {
                let pieces = std::iter::once(own).chain(closed.pieces());
                Ok(Some(Strategy::holding_set(self.root.vector(), self.holder, pieces)))
            }
            Err(NotClosed::Stopped(reason)) => Err(reason),
            Err(NotClosed::NotHeld(_)) => Ok(None),
        }
    }
}

/// The squares of a side's officers.
fn pieces(board: &Board, side: Side) -> u64 {
    let men = board.chess().board();
    (men.men_of(side) & !men.pawns() & !men.kings()).0
}

/// The squares of a side's pawns.
fn pawns(board: &Board, side: Side) -> u64 {
    let men = board.chess().board();
    (men.pawns() & men.men_of(side)).0
}

/// The positions of a root that the holder answers first.
fn answered(root: &Board, holder: Side) -> Vec<Board> {
    match root.side_to_move() == holder {
        true => vec![root.clone()],
        false => root.successors().collect(),
    }
}

/// A position with the holder to move without a right to take in passing, which rows do not know: who holds
/// without it holds.
fn unmarked(board: Board, holder: Side) -> Board {
    match board.has_mark() {
        true => Board::of_legal(&Packed { state: to_move(holder), ..board.packed() }),
        false => board,
    }
}

/// A packed position's state with a side to move, and no rights.
fn to_move(side: Side) -> u16 {
    Packed::state(side.pick(0, 1), 0, 0, 0, 0)
}

/// What is decided, and the sets that are known.
struct Search<'a> {
    holder: Side,
    /// Where the holder's pieces stand, and its pawns.
    posts: u64,
    pawns: u64,
    /// Positions with a smaller balance are given up.
    floor: i32,
    analysis: Analysis,
    /// Positions with the holder to move: whether it is shown that they are held.
    known: HashMap<Packed, bool>,
    ends: HashSet<Packed>,
    /// What slices take by pawns and men.
    seconds: HashMap<([u64; 2], Kinds), f64>,
    sets: Vec<Strategy>,
    moves: u64,
    budget: &'a Budget,
}

/// How many men there are of each kind.
type Kinds = [usize; 12];

/// What is the same in all positions of one set: men by kind, and the holder's pawns.
type Family = (Kinds, u64);

impl Search<'_> {
    /// Whether a root's positions with the holder to move are all held.
    fn all_held(&mut self, starts: Vec<Board>) -> Result<bool, StopReason> {
        let names: Vec<Packed> = starts.iter().map(Board::packed).collect();
        self.settle(starts, 0)?;
        Ok(names.iter().all(|name| self.is_held(name)))
    }

    /// The positions that the sets lead to, the attacker to move, and those in which slices go on. Of ends that
    /// were decided some are in no line.
    fn reached(&self, root: &Board) -> Option<(Vec<Packed>, Vec<Board>)> {
        let (mut own, mut ends, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        let mut stack = answered(root, self.holder);
        while let Some(board) = stack.pop() {
            let y = unmarked(board, self.holder);
            let p = y.packed();
            let moves = y.legal_moves();
            if moves.is_empty() || cannot_be_mated(&y.vector(), self.holder) || !seen.insert(p) {
                continue;
            }
            let play = self.sets.iter().find_map(|set| set.answer(&p)?.play);
            if let Some(m) = play.and_then(|play| y.find(play)) {
                let z = y.after(m);
                own.push(z.packed());
                stack.extend(z.successors());
            } else if self.ends.contains(&p) {
                ends.push(y);
            } else {
                let mut after = moves.iter().map(|m| y.after(*m));
                let z = after.find(|z| self.ends.contains(&z.packed()))?;
                own.push(z.packed());
                ends.push(z);
            }
        }
        Some((own, ends))
    }

    fn is_held(&self, name: &Packed) -> bool {
        self.known.get(name) == Some(&true)
    }

    /// Decides positions with the holder to move, those that sets may hold first.
    fn settle(&mut self, boards: Vec<Board>, depth: usize) -> Result<(), StopReason> {
        let (mut near, mut far) = (Vec::new(), Vec::new());
        for board in boards {
            if self.known.contains_key(&board.packed()) {
                continue;
            }
            match self.at_once(&board)? {
                Some(held) => drop(self.known.insert(board.packed(), held)),
                None if self.is_far(&board) => far.push(board),
                None => near.push(board),
            }
        }
        self.grow_all(&near, depth)?;
        for board in near {
            self.known.entry(board.packed()).or_insert(false);
        }
        for board in far {
            if !self.known.contains_key(&board.packed()) {
                let held = self.taken_back(&board)?;
                self.known.insert(board.packed(), held);
            }
        }
        Ok(())
    }

    /// Grows sets for positions by family. What can be taken may be taken in several ways.
    fn grow_all(&mut self, boards: &[Board], depth: usize) -> Result<(), StopReason> {
        for way in 0..WAYS {
            let mut families: Vec<(Family, Board, Vec<Board>)> = Vec::new();
            for board in boards.iter().filter(|board| !self.known.contains_key(&board.packed())) {
                let Some(settled) = settled(board).into_iter().nth(way) else { continue };
                let family = (kinds(&settled), pawns(&settled, self.holder));
                match families.iter_mut().find(|(other, ..)| *other == family) {
                    Some((.., list)) => list.push(board.clone()),
                    None => families.push((family, settled, vec![board.clone()])),
                }
            }
            for (_, settled, list) in families {
                self.grow(&settled, &list, depth)?;
            }
        }
        Ok(())
    }

    /// Whether a piece of the holder's has left its square, or may by taking one where pawns have gone.
    fn is_far(&self, board: &Board) -> bool {
        let by_piece = |m: &ChessMove| {
            m.capture().is_some_and(|taken| taken != Role::Pawn)
                && !matches!(m.role(), Role::Pawn | Role::King)
        };
        pieces(board, self.holder) & !self.posts != 0
            || pawns(board, self.holder) != self.pawns && board.legal_moves().iter().any(by_piece)
    }

    /// Whether slices hold a position after a capture, or as it stands.
    fn taken_back(&mut self, board: &Board) -> Result<bool, StopReason> {
        let mut takes: Vec<ChessMove> =
            board.legal_moves().into_iter().filter(|m| m.is_capture()).collect();
        takes.sort_by_key(|m| std::cmp::Reverse(m.capture().map_or(0, in_pawns)));
        for m in takes {
            if self.by_slices(&board.after(m))? {
                return Ok(true);
            }
        }
        self.by_slices(board)
    }

    /// What a position says without a set; none where one has to be grown.
    fn at_once(&mut self, board: &Board) -> Result<Option<bool>, StopReason> {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return Ok(Some(!board.in_check()));
        }
        if balance_then(board, self.holder, &moves) < self.floor {
            return Ok(Some(false));
        }
        Ok(if self.is_small(board) { Some(self.by_slices(board)?) } else { None })
    }

    /// Whether slices decide a position soon. Those of an officer against pawns may be many for nothing.
    fn is_small(&mut self, board: &Board) -> bool {
        let is_fit = Analysis::officers(board) == 0 || pieces(board, self.holder) != 0;
        is_fit && self.seconds(board) < SMALL
    }

    /// The time that slices of a position take, in s, amply: infinite where they are too many.
    fn seconds(&mut self, board: &Board) -> f64 {
        let (attacker, all) = (self.holder.other(), Side::ALL.map(|side| pawns(board, side)));
        *self.seconds.entry((all, kinds(board))).or_insert_with(|| {
            let fits = Analysis::suits(board).is_ok() && Analysis::officers(board) <= 2;
            let plan = if fits { plan(board, attacker).ok() } else { None };
            plan.filter(|plan| plan.whole).map_or(f64::INFINITY, |plan| plan.seconds())
        })
    }

    /// Whether slices of two officers at most show that a position is held.
    fn by_slices(&mut self, board: &Board) -> Result<bool, StopReason> {
        if self.seconds(board) > MOST {
            return Ok(false);
        }
        if !self.analysis.is_held(board, self.holder) {
            let alone = Limits { threads: 1, ..*self.budget.limits() };
            let stop = self.analysis.pursue(board, &self.budget.quietly().limited(alone));
            if let Some(stop) = stop.filter(|stop| *stop != StopReason::Exhausted) {
                return Err(stop);
            }
        }
        let held = self.analysis.is_held(board, self.holder);
        if held {
            self.ends.insert(board.packed());
        }
        Ok(held)
    }

    /// Whether slices know how a position is held.
    fn has_answer(&self, board: &Board) -> bool {
        self.analysis.is_held(board, self.holder)
            || board.side_to_move() == self.holder
                && !self.analysis.holding(board, self.holder).is_empty()
    }

    /// Grows a set for positions of one family; those that are in it are held, of the others nothing is shown.
    fn grow(&mut self, settled: &Board, starts: &[Board], depth: usize) -> Result<(), StopReason> {
        if depth >= DEPTH || !has_rows(starts) {
            return Ok(());
        }
        let (first, holder) = (&starts[0], self.holder);
        let men = |board: &&Board| board.chess().board().occupied().count();
        let most = starts.iter().max_by_key(men).expect("some start");
        let terms = Terms {
            floor: balance_then(first, holder, &first.legal_moves()),
            order: Order::Quiet,
            stay: Stay::standing(settled, holder, self.posts),
            rows: ROWS,
            each: true,
        };
        let mut grower = Grower { search: self, depth };
        if let Grown::Closed(set) = grow_rows(most, holder, starts, terms, &mut grower)? {
            self.known.extend(set.iter().map(|(p, _)| (p, true)));
            self.sets.push(*set);
        }
        Ok(())
    }
}

/// One set that is being grown.
struct Grower<'s, 'a> {
    search: &'s mut Search<'a>,
    depth: usize,
}

impl Outpost for Grower<'_, '_> {
    type Error = StopReason;

    fn spent(&mut self, moves: u64, bytes: u64) -> Result<(), StopReason> {
        let before = self.search.moves;
        self.search.moves += moves;
        if before / BETWEEN_CHECKS == self.search.moves / BETWEEN_CHECKS {
            return Ok(());
        }
        self.search.budget.check(0, bytes + self.search.analysis.work().bytes)
    }

    fn is_held(&self, _: &Board) -> Option<bool> {
        None
    }

    fn decide(&mut self, exits: &[Exit]) -> Result<Vec<u64>, StopReason> {
        let holder = self.search.holder;
        let each = |kings: u64| (0..64_u8).filter(move |at| kings >> at & 1 != 0);
        let boards = exits.iter().flat_map(|(men, kings)| {
            let men = men.packed();
            each(*kings).map(move |at| Board::of_legal(&with_king(&men, at, holder)))
        });
        let boards: Vec<Board> = boards.collect();
        self.search.settle(boards, self.depth + 1)?;
        let decided = exits.iter().map(|(men, kings)| {
            let men = men.packed();
            let held = |at: &u8| self.search.is_held(&with_king(&men, *at, holder));
            each(*kings).filter(held).fold(0, |all, at| all | 1 << at)
        });
        Ok(decided.collect())
    }
}

/// A row's position, the attacker's king on a square and the holder to move.
fn with_king(men: &Packed, square: u8, holder: Side) -> Packed {
    let king = holder.pick(code::KING + code::BLACK, code::KING);
    Packed { state: to_move(holder), ..men.with(square, king) }
}

fn kinds(board: &Board) -> Kinds {
    let men = board.chess().board();
    let all = Side::ALL.into_iter().flat_map(|side| Role::ALL.map(|role| (side, role)));
    let mut kinds = [0; 12];
    for (number, (side, role)) in all.enumerate() {
        kinds[number] = (men.men_of(side) & men.by_role(role)).count();
    }
    kinds
}

/// A position with what may be taken most taken, in each way.
fn settled(board: &Board) -> Vec<Board> {
    let worth = |m: &ChessMove| m.capture().map_or(0, in_pawns);
    let moves = board.legal_moves();
    let most = moves.iter().map(worth).max().unwrap_or(0);
    if most == 0 {
        return vec![board.clone()];
    }
    moves.iter().filter(|m| worth(m) == most).map(|m| board.after(*m)).collect()
}
