//! One side's attempt to win: shortest mates from below, proof numbers from above, and a plan.

use super::bounds::{Bounds, IMPOSSIBLE, Known, NEVER};
use super::confined::Confined;
use super::crew::{self, Threads};
use super::mate::{Desk, MateSearch};
use super::meter::{Halt, Meter};
use super::node::Node;
use super::plan::{Plan, extract};
use super::pn::ProofSearch;
use super::prospect::Style;
use super::task::Task;
use crate::chess::Move;
use crate::chess::board::{Board, BySide, Position, move_of};
use crate::limits::StopReason;

/// The longest win looked for, in plies, by proof numbers. Wins of tables and beyond are longer
/// only at their ends.
const LONGEST: u16 = 400;

/// Of several threads every other one looks no further ahead than this at first.
const NEARER: u16 = 31;

/// Mates of so many plies are worth several threads.
const LONG: u16 = 7;

/// What is known of one side's winning.
pub(super) struct Attack<'a> {
    pub(super) task: Task<'a>,
    /// How many threads work at it.
    threads: Threads,
    /// A search for each thread, as far as they were needed.
    mates: Vec<MateSearch>,
    /// Proof searches that share no bounds, by their styles.
    proofs: [Proofs<'a>; 4],
    /// Fewer plies than this are proved not to be enough.
    pub(super) lower: u16,
    /// The plan of a win, with its length.
    pub(super) plan: Option<Plan>,
    /// The plies of a win that another method has found; [`NEVER`] without one.
    pub(super) beaten: u16,
    /// The attacker is proved not to win at all.
    pub(super) refuted: bool,
}

/// The lengths below a win's that are worth a try, longest first: two plies less, for which most of
/// the proof there is serves again, then shorter by about as much again each time, down to a
/// quarter of the way. (Of 42 mates in 6 to 10, three million positions each: 35 come down to the
/// stated length and 19 are proved shortest; 31 and 16 with the shortest length first.)
fn lengths(lower: u16, found: u16) -> Vec<u16> {
    let most = found - 2;
    let even = |n: u16| n - n % 2;
    let first = lower + even(most.saturating_sub(lower) / 4);
    let half_way = |&plies: &u16| Some(plies + even(most.saturating_sub(plies) / 2).max(2));
    let shorter = std::iter::successors(Some(first), half_way).take_while(|&plies| plies < most);
    let mut tried: Vec<u16> = shorter.chain([most]).collect();
    tried.reverse();
    tried
}

/// Lengths that lie within so many plies are bisected, in turns of more than so many positions: the length
/// half way then has as much as so many of the others. (Of 57 mates in 6 to 20, 5 s each: mt-074 comes from
/// 12 moves to its 8, all others to what they came to before. With lengths further apart two long ones stay
/// some moves longer: there two plies less are found sooner.)
const NARROW: u16 = 12;
const LARGE: u64 = 100_000;
const HALF_WAY: u64 = 6;

/// The length half way between those of a win, if it is worth more than others in a turn of so many
/// positions.
fn half_way(lower: u16, found: u16, positions: u64) -> Option<u16> {
    let apart = found.saturating_sub(lower + 2);
    let is_worth_it = positions > LARGE && apart <= NARROW && lengths(lower, found).len() > 2;
    is_worth_it.then(|| lower + apart / 4 * 2)
}

/// A proof search of one style.
struct Proofs<'a> {
    root: Node,
    task: Task<'a>,
    style: Style,
    /// For each thread, as far as they were needed.
    searches: Vec<ProofSearch<'a>>,
    /// Plies that it looks ahead at present.
    horizon: u16,
}

impl<'a> Proofs<'a> {
    fn new(board: &Board, task: Task<'a>, style: Style) -> Self {
        let root = Node::attacked_by(board, task.attacker, style, task.flights);
        Self { root, task, style, searches: Vec::new(), horizon: 101 }
    }

    /// Whether the goal is reached within `plies`, and what is then known.
    fn decide(&mut self, desk: &mut Desk, plies: u16, threads: usize) -> Result<Known, Halt> {
        crew::together(desk, &mut self.workers(threads), |worker, desk| worker.decide(desk, plies))
    }

    /// The searches of so many threads.
    fn workers<'w>(&'w mut self, threads: usize) -> Vec<Worker<'w, 'a>> {
        let Self { root, task, style, searches, .. } = self;
        while searches.len() < threads {
            searches.push(ProofSearch::new(*task, *style));
        }
        let numbered = searches.iter_mut().take(threads).enumerate();
        let one = |(i, search)| Worker { style: *style, root, search, near: i % 2 == 1 };
        numbered.map(one).collect()
    }
}

/// What one thread does for a question.
struct Worker<'w, 'a> {
    style: Style,
    root: &'w Node,
    search: &'w mut ProofSearch<'a>,
    /// Whether it first looks a short way ahead: what one horizon leads astray another may find.
    near: bool,
}

impl Worker<'_, '_> {
    fn decide(&mut self, desk: &mut Desk, plies: u16) -> Result<Known, Halt> {
        let nearer = NEARER - (NEARER + plies) % 2;
        if self.near && nearer < plies {
            let known = self.search.decide(desk, self.root, nearer)?;
            if known.upper <= nearer {
                return Ok(known);
            }
        }
        self.search.decide(desk, self.root, plies)
    }
}

impl<'a> Attack<'a> {
    pub(super) fn new(board: &Board, task: Task<'a>) -> Self {
        let first = if board.side_to_move() == task.attacker { 1 } else { 0 };
        Self {
            refuted: task.goal.is_none() && board.has_bare_king(task.attacker),
            task,
            threads: Threads::default(),
            mates: Vec::new(),
            proofs: [Style::Sharp, Style::Threats, Style::Material, Style::Pressing]
                .map(|style| Proofs::new(board, task, style)),
            lower: first,
            plan: None,
            beaten: NEVER,
        }
    }

    /// The same attack by several threads.
    pub(super) fn with_threads(self, threads: &Threads) -> Self {
        Self { threads: threads.clone(), ..self }
    }

    /// The same attack by proof numbers that look so many plies ahead at first.
    pub(super) fn looking_ahead(mut self, plies: u16) -> Self {
        self.proofs.iter_mut().for_each(|proofs| proofs.horizon = plies);
        self
    }

    /// Whether there is a mate within so many plies, depth-first.
    fn mates_within(&mut self, desk: &mut Desk, plies: u16) -> Result<bool, Halt> {
        let threads = if plies < LONG { 1 } else { self.threads.get() };
        let Self { mates, proofs, .. } = self;
        while mates.len() < threads {
            mates.push(MateSearch::new(self.task.flights));
        }
        let root = &proofs[0].root;
        crew::together(desk, &mut mates[..threads], |search, desk| search.within(desk, root, plies))
    }

    /// The proof number of a forced mate from the root, as far as it has been looked for.
    pub(super) fn proof(&self, bounds: &Bounds) -> u32 {
        let root = &self.proofs[Style::Sharp as usize].root;
        bounds.get(root.key).map_or(IMPOSSIBLE, |known| known.proof)
    }

    /// Whether nothing is left to find out.
    pub(super) fn is_settled(&self) -> bool {
        self.refuted || self.found().is_some_and(|plies| plies <= self.lower)
    }

    /// The plies of the shortest win that is known, whoever has found it.
    pub(super) fn found(&self) -> Option<u16> {
        let plan = self.plan.as_ref().map_or(NEVER, Plan::plies);
        Some(plan.min(self.beaten)).filter(|&plies| plies != NEVER)
    }

    /// Whether the attacker has more than king and pawns.
    pub(super) fn has_pieces(&self) -> bool {
        let men = self.proofs[0].root.chess().board();
        (men.men_of(self.task.attacker) & !men.pawns()).more_than_one()
    }

    /// Whether depth-first search may be used: it knows mates by all moves only.
    fn is_plain(&self) -> bool {
        self.task.goal.is_none() && self.task.moves.is_none()
    }

    /// Deepens the search for the shortest mate while its slice lasts and it is below `deepest`
    /// plies.
    pub(super) fn deepen(
        &mut self,
        bounds: &mut Bounds,
        meter: &mut Meter,
        deepest: u16,
    ) -> Result<(), Halt> {
        if !self.is_plain() {
            return Ok(());
        }
        while !self.is_settled() && self.lower <= deepest {
            if self.mates_within(&mut Desk::of_one(bounds, meter), self.lower)? {
                return self.won(bounds, meter, Style::Sharp, self.lower);
            }
            self.lower += 2;
        }
        Ok(())
    }

    /// The attacker's first moves, it being to move, that mate within `plies` by all moves.
    pub(super) fn within(
        &mut self,
        bounds: &mut Bounds,
        meter: &mut Meter,
        plies: u16,
    ) -> Result<Vec<Move>, Halt> {
        let (root, mut mates) = (&self.proofs[0].root, MateSearch::new(self.task.flights));
        let mut found = Vec::new();
        for m in root.board.legal_moves() {
            let mut desk = Desk::of_one(bounds, meter);
            if mates.within(&mut desk, &root.after(m), plies - 1)? {
                found.push(move_of(&m));
            }
        }
        Ok(found)
    }

    /// Whether there is a win within `plies`, and the style that has found it. Threads go two ways: one
    /// as if it were alone, so that nothing is found later than by one thread, the others by another
    /// order. (Wins that one order finds after millions of positions another often finds after
    /// thousands, and the other way round.) Or all are `together` at one search, which excludes a
    /// length sooner.
    fn ask(
        &mut self,
        desk: &mut Desk,
        style: Style,
        plies: u16,
        together: bool,
    ) -> Result<(Style, Known), Halt> {
        let threads = self.threads.get();
        if together || threads < 2 || !self.is_plain() {
            return Ok((style, self.proofs[style as usize].decide(desk, plies, threads)?));
        }
        let two = [style as usize, style.other() as usize];
        let [own, others] = self.proofs.get_disjoint_mut(two).expect("another order");
        let mut workers = own.workers(1);
        workers.extend(others.workers(threads - 1));
        crew::together(desk, &mut workers, |worker, desk| {
            let crew = desk.crew.filter(|_| worker.style != style);
            let mut desk = Desk { bounds: desk.bounds, meter: desk.meter, crew };
            Ok((worker.style, worker.decide(&mut desk, plies)?))
        })
    }

    /// Looks for any win by proof numbers of one style.
    pub(super) fn prove(
        &mut self,
        bounds: &mut Bounds,
        meter: &mut Meter,
        style: Style,
    ) -> Result<(), Halt> {
        while !self.is_settled() && self.plan.is_none() {
            let proofs = &mut self.proofs[style as usize];
            let plies = proofs.horizon - (proofs.horizon + self.lower) % 2;
            let (by, known) = self.ask(&mut Desk::of_one(bounds, meter), style, plies, false)?;
            let proofs = &mut self.proofs[style as usize];
            if known.upper <= plies {
                return self.won(bounds, meter, by, known.upper);
            }
            self.lower = self.lower.max(plies + 2);
            self.refuted |= known.lower == NEVER;
            if proofs.horizon >= LONGEST {
                return Err(Halt::Stop(StopReason::Exhausted));
            }
            proofs.horizon = (proofs.horizon * 2).min(LONGEST);
        }
        Ok(())
    }

    /// Whether turns of so many positions bisect the lengths that are left.
    pub(super) fn bisects(&self, positions: u64) -> bool {
        let found = self.found().filter(|&found| found > self.lower);
        found.is_some_and(|found| half_way(self.lower, found, positions).is_some())
    }

    /// Looks for a shorter win than the one that is known, or proves that there is none, in slices of so many
    /// positions of each thread for each length that is tried. A turn: it begins anew when something is
    /// found and ends when nothing is. `together` as in [`Attack::ask`].
    ///
    /// # Errors
    /// `Halt::Slice` when no length was decided: longer slices may do it.
    pub(super) fn shorten(
        &mut self,
        bounds: &mut Bounds,
        meter: &mut Meter,
        positions: u64,
        together: bool,
    ) -> Result<(), Halt> {
        while let Some(found) = self.found().filter(|&found| found > self.lower) {
            let style = self.plan.as_ref().map_or(Style::Sharp, Plan::style);
            let mut decided = None;
            let half_way = half_way(self.lower, found, positions);
            let bisection = half_way.map(|plies| vec![found - 2, plies]);
            for plies in bisection.unwrap_or_else(|| lengths(self.lower, found)) {
                let share = if Some(plies) == half_way { HALF_WAY } else { 1 };
                meter.slice(share * positions * self.threads.get() as u64);
                match self.ask(&mut Desk::of_one(bounds, meter), style, plies, together) {
                    Ok((by, known)) => {
                        decided = Some((plies, known.upper, by));
                        break;
                    }
                    Err(Halt::Slice) => {}
                    Err(stop) => return Err(stop),
                }
            }
            match decided {
                Some((plies, upper, by)) if upper <= plies => {
                    self.won(bounds, meter, by, upper)?;
                    if self.plan.as_ref().is_none_or(|plan| plan.plies() >= found) {
                        return Err(Halt::Stop(StopReason::Exhausted)); // it could not be rebuilt
                    }
                }
                Some((plies, ..)) => self.lower = plies + 2,
                None => return Err(Halt::Slice),
            }
        }
        Ok(())
    }

    /// A turn of the attempts to mate a king that has few flights: about so many positions of each thread.
    pub(super) fn confine(
        &mut self,
        confined: &mut Confined,
        bounds: &mut Bounds,
        meter: &mut Meter,
        positions: u64,
    ) -> Result<(), StopReason> {
        let found = self.found();
        let plan = confined.turn(bounds, meter, positions * self.threads.get() as u64, found)?;
        if let Some(plan) = plan.filter(|plan| plan.plies() < found.unwrap_or(NEVER)) {
            self.plan = Some(plan);
        }
        Ok(())
    }

    /// A win is found: rebuilds its plan, whatever the slice.
    fn won(
        &mut self,
        bounds: &mut Bounds,
        meter: &mut Meter,
        style: Style,
        plies: u16,
    ) -> Result<(), Halt> {
        meter.slice(u64::MAX);
        let mut desk = Desk::of_one(bounds, meter);
        if let Some(plan) =
            extract(&mut desk, &self.task, style, &self.proofs[style as usize].root, plies)?
        {
            self.plan = Some(plan);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_lie_close_are_bisected_in_large_turns() {
        assert_eq!(lengths(11, 23), [21, 19, 17, 13]);
        assert_eq!(half_way(11, 23, LARGE + 1), Some(15));
        assert_eq!(half_way(11, 23, LARGE), None);
        assert_eq!(half_way(11, 11 + NARROW + 4, LARGE + 1), None);
        // What is left to bisect is tried anyway.
        assert_eq!(lengths(11, 15), [13, 11]);
        assert_eq!(half_way(11, 15, LARGE + 1), None);
        for (lower, found) in
            (1..40).step_by(2).flat_map(|l| (l + 2..60).step_by(2).map(move |f| (l, f)))
        {
            if let Some(plies) = half_way(lower, found, LARGE + 1) {
                assert!(lower <= plies && plies < found - 2 && plies % 2 == 1, "{lower} {found}");
            }
        }
    }
}
