//! Proof-number search of long wins in fixed memory: df-pn on positions with a number of plies
//! left.
//!
//! A question is "does the attacker reach its goal within so many plies". Such questions have no
//! cycles, so that neither a proof nor a disproof depends on the path (the graph-history problem
//! does not arise), and whatever is stored holds for the position itself. A repeated position is no
//! disproof either: it only goes to the end of the queue.
//!
//! # References
//! * L. V. Allis, M. van der Meulen, H. J. van den Herik, *Proof-number search*, 1994.
//! * A. Nagai, *Df-pn algorithm for searching AND/OR trees and its applications*, 2002.
//! * J. Pawlewicz, Ł. Lew, *Improving depth-first PN-search: 1+ε trick*, 2006.
//! * A. Kishimoto, M. Müller, *A general solution to the graph history interaction problem*, 2004:
//!   what is avoided here.

use super::bounds::{IMPOSSIBLE, Known, NEVER};
use super::checks::{Checks, mate_in_one};
use super::crew::Crew;
use super::forced;
use super::mate::{Desk, MateSearch};
use super::meter::Halt;
use super::node::Node;
use super::prospect::{Style, idle, missing, near};
use super::task::{Distance, SHORTLY, Task};
use crate::chess::board::{ChessMove, Position, Sides};

/// The proof number of a position that is repeated on the path.
const REPEATED: u32 = 100_000;

/// For each other thread in a position its number seems larger by one of so many parts.
const CROWD: u32 = 8;

/// With so many plies left it is asked depth-first whether there is a mate: a refutation that has
/// served once mostly serves again, so that most moves cost one reply and not all of them. (Of 30
/// mates in 6 to 8, six million positions each: one ply less than the mate's length is excluded in
/// 24 with five plies, 22 with three, 21 with seven, 11 without.)
const DEPTH_FIRST: u16 = 5;

/// Df-pn for one task. Memory: 32 bytes for each move of each position on the path.
pub(super) struct ProofSearch<'a> {
    task: Task<'a>,
    style: Style,
    /// What decides the last plies where the goal is mate by all moves.
    mates: Option<MateSearch>,
    /// Keys of the positions from the root to here.
    path: Vec<u64>,
    /// Plies of the question at the root.
    plies: u16,
    /// News of other threads that were heard, and how far back they call.
    heard: u32,
    back_to: usize,
}

struct Child {
    play: ChessMove,
    key: u64,
    known: Known,
}

impl Child {
    /// Proof and disproof number of "within `plies`".
    fn numbers(&self, plies: u16) -> (u32, u32) {
        match self.known.within(plies) {
            Some(true) => (0, IMPOSSIBLE),
            Some(false) => (IMPOSSIBLE, 0),
            None => (self.known.proof.max(1), self.known.disproof.max(1)),
        }
    }
}

/// The numbers of a position, and where to look next.
struct Summary {
    best: usize,
    /// The deciding number of the second-best child.
    second: u32,
    proof: u32,
    disproof: u32,
}

/// A position under search.
struct Frame<'n> {
    node: &'n Node,
    plies: u16,
    attacking: bool,
}

impl<'a> ProofSearch<'a> {
    pub(super) fn new(task: Task<'a>, style: Style) -> Self {
        let plain = task.goal.is_none() && task.moves.is_none();
        Self {
            task,
            style,
            mates: plain.then(|| MateSearch::new(task.flights)),
            path: Vec::new(),
            plies: 0,
            heard: 0,
            back_to: usize::MAX,
        }
    }

    /// What is known of a position without searching it.
    pub(super) fn look(&self, desk: &Desk, node: &Node) -> Known {
        let attacking = node.chess().side_to_move() == self.task.attacker;
        let check = attacking || node.chess().is_check();
        desk.bounds.get(node.key).unwrap_or_else(|| self.fresh(node, attacking, check))
    }

    /// Searches until it is decided whether the attacker succeeds within `plies`; what is then
    /// known.
    ///
    /// # Errors
    /// The end of the slice or of the budget. What was learned stays in the table: a later call
    /// goes on from there.
    pub(super) fn decide(
        &mut self,
        desk: &mut Desk,
        root: &Node,
        plies: u16,
    ) -> Result<Known, Halt> {
        desk.meter.step()?;
        self.path.clear();
        (self.plies, self.heard, self.back_to) = (plies, 0, usize::MAX);
        let known = self.look(desk, root);
        if plies == 0 || known.within(plies).is_some() {
            return Ok(if known.within(plies).is_some() {
                known
            } else {
                Known { lower: 1, ..known }
            });
        }
        loop {
            let known = self.search(desk, root, plies, (IMPOSSIBLE, IMPOSSIBLE))?;
            // Called back by another thread whose answer is lost from the table again: go on.
            if known.within(plies).is_some() {
                return Ok(known);
            }
            self.back_to = usize::MAX;
        }
    }

    /// Searches until proof or disproof number reaches its limit.
    fn search(
        &mut self,
        desk: &mut Desk,
        node: &Node,
        plies: u16,
        limits: (u32, u32),
    ) -> Result<Known, Halt> {
        let attacking = node.chess().side_to_move() == self.task.attacker;
        if plies <= DEPTH_FIRST
            && let Some(mates) = &mut self.mates
        {
            return by_depth(mates, desk, node, plies, attacking);
        }
        if let Some(known) = self.forced(desk, node, plies, attacking) {
            return Ok(desk.bounds.put(node.key, known, 1));
        }
        let before = desk.meter.visited();
        let frame = Frame { node, plies, attacking };
        self.path.push(node.key);
        desk.crew.inspect(|crew| crew.enter(node.key));
        let mut children = self.expand(desk, &frame)?;
        let outcome = self.work(desk, &frame, &mut children, limits);
        self.path.pop();
        // Also when interrupted: the numbers on the path are not lost.
        let known = conclude(&frame, &children);
        let stored = desk.bounds.put(node.key, known, desk.meter.visited() - before);
        let Some(crew) = desk.crew else { return outcome.map(|()| known) };
        let known = Known {
            lower: known.lower.max(stored.lower),
            upper: known.upper.min(stored.upper),
            ..known
        };
        if crew.leave(node.key) && known.within(plies).is_some() {
            crew.tell();
        }
        if self.path.len() <= self.back_to {
            self.back_to = usize::MAX;
        }
        outcome.map(|()| known)
    }

    /// What is known of a position that has not been expanded before, where a few checks mate.
    fn forced(&self, desk: &Desk, node: &Node, plies: u16, attacking: bool) -> Option<Known> {
        if !attacking || self.mates.is_none() || !self.style.is_sharp() {
            return None;
        }
        let known = desk.bounds.get(node.key).unwrap_or(Known::NOTHING);
        if known.proof > 1 + self.beyond(node) {
            return None;
        }
        let (_, upper) = forced::mate(node.chess(), self.task.flights)?;
        (upper <= plies).then_some(Known { upper, ..known })
    }

    /// What the outlook adds to a first proof number.
    fn beyond(&self, node: &Node) -> u32 {
        let outlook = self.task.outlook;
        outlook.map_or(0, |outlook| outlook.beyond(&node.board, self.task.attacker))
    }

    /// Whether another thread has decided this position, or one above it.
    fn is_called_back(&mut self, desk: &mut Desk, crew: &Crew) -> bool {
        let news = crew.news();
        if news != self.heard {
            self.heard = news;
            desk.bounds.catch_up();
            let plies = (0..=self.plies).rev();
            let decided = |(&key, plies): (&u64, u16)| {
                desk.bounds.get(key).is_some_and(|known| known.within(plies).is_some())
            };
            self.back_to = self.path.iter().zip(plies).position(decided).unwrap_or(usize::MAX);
        }
        self.path.len() > self.back_to
    }

    /// What the table says now of a child that was looked up before: another thread may know more.
    fn news_of(&self, desk: &Desk, child: &Child, left: u16) -> Known {
        let Some(mut known) = desk.bounds.get(child.key) else { return child.known };
        known.lower = known.lower.max(child.known.lower);
        known.upper = known.upper.min(child.known.upper);
        if known.within(left).is_none() && self.path.contains(&child.key) {
            known.proof = known.proof.max(REPEATED);
        }
        known
    }

    fn work(
        &mut self,
        desk: &mut Desk,
        frame: &Frame,
        children: &mut [Child],
        (limit_proof, limit_disproof): (u32, u32),
    ) -> Result<(), Halt> {
        let left = frame.plies - 1;
        loop {
            if let Some(crew) = desk.crew
                && self.is_called_back(desk, crew)
            {
                return Ok(());
            }
            let s = summary(children, left, frame.attacking, desk.crew);
            if s.proof >= limit_proof
                || s.disproof >= limit_disproof
                || s.proof == 0
                || s.disproof == 0
            {
                return Ok(());
            }
            let child = &children[s.best];
            let (proof, disproof) = child.numbers(left);
            // A child that was chosen because others are in the best one has to get somewhere.
            let least = |own: u32| if desk.crew.is_some() { widened(own) } else { 0 };
            let limits = if frame.attacking {
                let own = limit_proof.min(widened(s.second)).max(least(proof));
                (own, share(limit_disproof, s.disproof, disproof))
            } else {
                let own = limit_disproof.min(widened(s.second)).max(least(disproof));
                (share(limit_proof, s.proof, proof), own)
            };
            if desk.crew.is_some() {
                let known = self.news_of(desk, child, left);
                if known != child.known {
                    children[s.best].known = known;
                    continue;
                }
            }
            let next = frame.node.after(child.play);
            children[s.best].known = self.search(desk, &next, left, limits)?;
        }
    }

    fn expand(&mut self, desk: &mut Desk, frame: &Frame) -> Result<Vec<Child>, Halt> {
        let moves = self.task.moves_in(&frame.node.board);
        let checks = Checks::new(frame.node.chess());
        let mut children = Vec::with_capacity(moves.len());
        for play in moves {
            let known = Known::NOTHING;
            let key = frame.node.key_after(play).unwrap_or_else(|| frame.node.after(play).key);
            children.push(Child { play, key, known });
        }
        desk.bounds.fetch(children.iter().map(|child| child.key));
        for child in &mut children {
            let known = desk.bounds.get(child.key);
            desk.meter.step()?;
            child.known = known.unwrap_or_else(|| {
                let next = frame.node.after(child.play);
                let check = !frame.attacking || checks.given_by(frame.node.chess(), child.play);
                let known = self.fresh(&next, !frame.attacking, check);
                if known.upper != 0 {
                    let solved = known.upper != NEVER || known.lower == NEVER;
                    desk.bounds.put(child.key, known, u64::from(solved));
                }
                known
            });
            if child.known.within(frame.plies - 1).is_none() && self.path.contains(&child.key) {
                child.known.proof = child.known.proof.max(REPEATED);
            }
        }
        Ok(children)
    }

    /// What a position says at first sight. `check` matters with the defender to move.
    fn fresh(&self, node: &Node, attacking: bool, check: bool) -> Known {
        let decided = |distance: Option<u16>| match distance {
            Some(plies) => Known { lower: plies, upper: plies, ..Known::NOTHING },
            None => Known { lower: NEVER, ..Known::NOTHING },
        };
        if self.task.goal.is_some_and(|goal| goal(&node.board)) {
            return decided(Some(0));
        }
        let replies = if attacking { 1 } else { node.chess().legal_moves().len() as u32 };
        if replies == 0 {
            return decided((check && self.task.goal.is_none()).then_some(0));
        }
        match self.task.known_distance(&node.board) {
            None => self.unknown(node, attacking, replies),
            Some(Distance::Exactly(plies)) => decided(Some(plies)),
            Some(Distance::AtMost(plies)) => self.within(plies, node, attacking, replies),
            Some(Distance::Somehow) => self.within(SHORTLY, node, attacking, replies),
            Some(Distance::Never) => decided(None),
        }
    }

    /// The first bounds of a position that is won in so many plies at most.
    fn within(&self, plies: u16, node: &Node, attacking: bool, replies: u32) -> Known {
        let known = self.unknown(node, attacking, replies);
        Known { upper: known.upper.min(plies), ..known }
    }

    /// The first bounds and numbers of a position that nothing is known of.
    fn unknown(&self, node: &Node, attacking: bool, replies: u32) -> Known {
        let far = match self.style {
            Style::Threats if !attacking => idle(node.chess()),
            Style::Sharp | Style::Threats => 0,
            Style::Material => missing(&node.board, self.task.attacker),
            Style::Pressing if attacking => missing(&node.board, self.task.attacker) / 2,
            Style::Pressing => missing(&node.board, self.task.attacker) / 2 + idle(node.chess()),
        } + self.beyond(node);
        if self.task.goal.is_some() {
            return Known { lower: 1, proof: replies + far, ..Known::NOTHING };
        }
        if !attacking {
            return Known { lower: 2, proof: 1 + replies / 2 + far, ..Known::NOTHING };
        }
        if self.task.moves.is_none() && mate_in_one(node.chess()).is_some() {
            return Known { lower: 1, upper: 1, ..Known::NOTHING };
        }
        Known {
            lower: if self.task.moves.is_none() { 3 } else { 1 },
            proof: 1 + far,
            disproof: 1 + near(&node.board, self.task.attacker) / 2,
            ..Known::NOTHING
        }
    }
}

/// Whether the attacker mates within so few plies, depth-first.
fn by_depth(
    mates: &mut MateSearch,
    desk: &mut Desk,
    node: &Node,
    plies: u16,
    attacking: bool,
) -> Result<Known, Halt> {
    let before = desk.meter.visited();
    // Mates take an odd number of plies from the attacker's move on.
    let odd = plies - u16::from((plies % 2 == 1) != attacking);
    let mate = mates.within(desk, node, odd)?;
    let known = desk.bounds.get(node.key).unwrap_or(Known::NOTHING);
    let known = if mate {
        Known { upper: known.upper.min(odd), ..known }
    } else {
        Known { lower: known.lower.max(plies + 1), ..known }
    };
    if known.upper > 0 {
        desk.bounds.put(node.key, known, desk.meter.visited() - before);
    }
    Ok(known)
}

/// What of a limit on a sum is left to the child that holds `part` of the `whole`.
fn share(limit: u32, whole: u32, part: u32) -> u32 {
    if limit >= IMPOSSIBLE { IMPOSSIBLE } else { limit - whole.min(limit) + part }
}

/// The runner-up's number and a quarter more: fewer returns to the same place (the 1+ε trick).
fn widened(second: u32) -> u32 {
    (second + second / 4 + 1).min(IMPOSSIBLE)
}

/// What a number seems to be while others are at it.
fn crowded(number: u32, others: u32) -> u32 {
    if number >= IMPOSSIBLE || number == 0 {
        return number;
    }
    number.saturating_add(others * (number / CROWD + 1)).min(IMPOSSIBLE - 1)
}

fn summary(children: &[Child], left: u16, attacking: bool, crew: Option<&Crew>) -> Summary {
    let (mut best, mut least, mut least_other, mut second, mut sum) =
        (0, IMPOSSIBLE, 0, IMPOSSIBLE, 0u32);
    let mut true_least = IMPOSSIBLE;
    let mut impossible = false;
    for (i, child) in children.iter().enumerate() {
        let (proof, disproof) = child.numbers(left);
        let (mut own, other) = if attacking { (proof, disproof) } else { (disproof, proof) };
        true_least = true_least.min(own);
        if let Some(crew) = crew {
            own = crowded(own, crew.at(child.key));
        }
        if own < least || own == least && other < least_other {
            (second, least, least_other, best) = (least, own, other, i);
        } else {
            second = second.min(own);
        }
        impossible |= other >= IMPOSSIBLE;
        sum = sum.saturating_add(other);
    }
    let sum = if impossible { IMPOSSIBLE } else { sum.min(IMPOSSIBLE - 1) };
    let (proof, disproof) = if attacking { (true_least, sum) } else { (sum, true_least) };
    Summary { best, second, proof, disproof }
}

/// What the children say of their parent.
fn conclude(frame: &Frame, children: &[Child]) -> Known {
    let s = summary(children, frame.plies - 1, frame.attacking, None);
    let solved = s.proof == 0 || s.disproof == 0;
    let (proof, disproof) = if solved { (1, 1) } else { (s.proof, s.disproof) };
    let lowers = children.iter().map(|c| c.known.lower);
    let uppers = children.iter().map(|c| c.known.upper);
    let (lower, upper) =
        if frame.attacking { (lowers.min(), uppers.min()) } else { (lowers.max(), uppers.max()) };
    // Without a move the attacker has failed; a defender without a move is seen before it comes
    // here.
    let further = |plies: Option<u16>| plies.unwrap_or(NEVER).saturating_add(1);
    Known { lower: further(lower), upper: further(upper), proof, disproof }
}
