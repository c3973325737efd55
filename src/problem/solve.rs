//! A problem solved: the shortest solutions first, then all of the length that is asked for.

use super::engine::{Engine, after, can_reach, follow, is_reached};
use super::script::{Choice, Script};
use super::solution::{Attack, Ply, Solution, Solved, Wishes};
use super::stipulation::Bounded;
use super::tell::{Teller, by_men, ply};
use crate::chess::Position as Root;
use crate::chess::board::{Chess, ChessMove, passed};
use crate::limits::{Budget, StopReason};
use rayon::prelude::*;

/// Bytes of a thread's stack: a search goes as deep as the longest stipulation is long.
const STACK: usize = 32 << 20;

/// Solves a problem: all its solutions, what is shorter, and what else is wished for.
///
/// Time grows exponentially with the length; memory is that of the table (half of the budget's memory,
/// 512 MiB where there is no limit, taken as it is used). All threads of the budget work at the
/// root. A limit is an answer: [`Solved::stop`] says which one ended the work, and what was found is
/// told.
pub fn solve(
    root: &Root,
    stipulation: &Bounded,
    wishes: &Wishes,
    limits: impl Into<Budget>,
) -> Solved {
    let budget = limits.into();
    let script = Script::new(stipulation);
    let mover = root.side_to_move();
    let mut solved = Solved {
        stipulation: *stipulation,
        mover,
        solutions: Vec::new(),
        short: Vec::new(),
        short_plies: None,
        more: false,
        set_lines: Vec::new(),
        set_variations: Vec::new(),
        tries: Vec::new(),
        duals: 0,
        positions: 0,
        intended: wishes.intended,
        complete: false,
        stop: None,
    };
    let threads = budget.limits().threads;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let chess = root.board().chess().clone();
    let engine = Engine::new(&script, mover, &budget);
    let mut problem = Problem { engine: &engine, wishes, solved: &mut solved };
    let ended = match pool {
        Ok(pool) => pool.install(|| problem.run(&chess)),
        // Where no threads can be had, the work is done on this one.
        Err(_) => problem.run(&chess),
    };
    solved.stop = ended.err();
    solved.positions = engine.visited();
    solved
}

struct Problem<'p, 'e> {
    engine: &'e Engine<'e>,
    wishes: &'p Wishes,
    solved: &'p mut Solved,
}

/// A position within a line that all sides choose together.
type Task = (Vec<Ply>, Chess, usize);

impl Problem<'_, '_> {
    fn run(&mut self, chess: &Chess) -> Result<(), StopReason> {
        self.engine.worker().look()?;
        let script = self.engine.script;
        let plies = script.plies();
        // What the same side begins, in the same way, in fewer plies.
        let shorter = |&left: &usize| {
            script.turn(left).choice == Choice::Some
                && script.is_last_mover(left) == script.is_last_mover(plies)
        };
        for left in (1..plies).filter(shorter) {
            let mut found = Vec::new();
            let ended = self.all(chess, left, &mut found);
            if !found.is_empty() {
                (self.solved.short, self.solved.short_plies) = (found, Some(left));
                ended?;
                break;
            }
            ended?;
        }
        let mut found = Vec::new();
        let ended = self.all(chess, plies, &mut found);
        self.solved.solutions = found;
        let most = self.wishes.most;
        self.solved.more = self.solved.solutions.len() > most || self.solved.short.len() > most;
        self.solved.solutions.truncate(most);
        self.solved.short.truncate(most);
        let plays = self.solved.solutions.iter().filter_map(|found| found.play.as_ref());
        self.solved.duals = plays.map(Attack::duals).sum();
        ended?;
        self.solved.complete = true;
        // In a series the other side has nothing to begin with.
        if self.wishes.set_play && !script.turn(plies).series {
            self.set_play(chess)?;
        }
        if self.wishes.tries > 0 && script.early {
            self.solved.tries = self.tries(chess)?;
        }
        Ok(())
    }

    /// Works with a search of its own, on the common table.
    fn tell<T>(
        &self,
        work: impl FnOnce(&mut Teller) -> Result<T, StopReason>,
    ) -> Result<T, StopReason> {
        let mut worker = self.engine.worker();
        let variations = self.wishes.variations;
        work(&mut Teller { script: self.engine.script, worker: &mut worker, variations })
    }

    /// All solutions in exactly so many plies; in adversarial problems within them. What is found
    /// before a limit is kept.
    fn all(
        &mut self,
        chess: &Chess,
        left: usize,
        found: &mut Vec<Solution>,
    ) -> Result<(), StopReason> {
        let key = self.tell(|teller| Ok(teller.key_turn()))?;
        if self.engine.script.early || left == key {
            return self.keys(chess, left, found);
        }
        let mut tasks: Vec<Task> = vec![(Vec::new(), chess.clone(), left)];
        for _ in 0..2 {
            if tasks.first().is_some_and(|(.., left)| *left > 2 && *left - 1 != key) {
                tasks = tasks.into_iter().flat_map(|task| self.children(task)).collect();
            }
        }
        let most = self.wishes.most;
        let work = |(line, chess, left): &Task| {
            self.tell(|teller| {
                let mut found = Vec::new();
                if teller.worker.holds(chess, *left)? {
                    teller.solutions(chess, *left, &mut line.clone(), most, &mut found)?;
                }
                Ok(found)
            })
        };
        let done: Vec<_> = tasks.par_iter().with_max_len(1).map(work).collect();
        gather(done, |solutions| found.extend(solutions))
    }

    fn children(&self, (line, chess, left): Task) -> Vec<Task> {
        let turn = self.engine.script.turn(left);
        let next = |m: ChessMove| {
            let line = line.iter().cloned().chain([ply(&chess, m)]).collect();
            follow(&chess, m, turn).map(|next| (line, next, left - 1))
        };
        by_men(&chess).into_iter().filter_map(next).collect()
    }

    /// The keys with what follows.
    fn keys(
        &self,
        chess: &Chess,
        left: usize,
        found: &mut Vec<Solution>,
    ) -> Result<(), StopReason> {
        let script = self.engine.script;
        let (turn, goal) = (script.turn(left), script.goal);
        if turn.duty && can_reach(chess, goal) {
            return Ok(());
        }
        let work = |&m: &ChessMove| {
            let next = after(chess, m);
            self.tell(|teller| {
                let leads =
                    turn.aims && is_reached(&next, goal) || teller.worker.holds(&next, left - 1)?;
                Ok(leads.then_some(m))
            })
        };
        let done: Vec<_> = by_men(chess).par_iter().with_max_len(1).map(work).collect();
        let mut keys = Vec::new();
        let ended = gather(done, |key| keys.extend(key));
        let tell = |&m: &ChessMove| self.tell(|teller| teller.attack(chess, m, left));
        let told: Vec<_> = keys.par_iter().with_max_len(1).map(tell).collect();
        let solution = |play: Attack| Solution { line: Vec::new(), play: Some(play) };
        let told = gather(told, |play| found.push(solution(play)));
        ended.and(told)
    }

    /// Moves that are no keys, but have few refutations.
    fn tries(&self, chess: &Chess) -> Result<Vec<Attack>, StopReason> {
        let script = self.engine.script;
        let (left, goal) = (script.plies(), script.goal);
        let turn = script.turn(left);
        let most = self.wishes.tries;
        if left < 2 || turn.duty && can_reach(chess, goal) {
            return Ok(Vec::new());
        }
        let work = |&m: &ChessMove| {
            let next = after(chess, m);
            if turn.aims && is_reached(&next, goal) {
                return Ok(None);
            }
            self.tell(|teller| {
                let count = teller.refuted(&next, left - 1, most)?;
                let few = (1..=most).contains(&count);
                few.then(|| teller.attack(chess, m, left)).transpose()
            })
        };
        let done: Vec<_> = by_men(chess).par_iter().with_max_len(1).map(work).collect();
        let mut tries = Vec::new();
        gather(done, |told| tries.extend(told))?;
        Ok(tries)
    }

    /// What the other side's first move leads to.
    fn set_play(&mut self, chess: &Chess) -> Result<(), StopReason> {
        let left = self.engine.script.plies() - 1;
        let Some(waiting) = passed(chess).filter(|_| left > 0) else { return Ok(()) };
        if self.engine.script.early {
            let nothing = (Vec::new(), 0);
            let (told, _) = self.tell(|teller| teller.defences(&waiting, left, &nothing))?;
            self.solved.set_variations = told;
            return Ok(());
        }
        let mut found = Vec::new();
        let ended = self.all(&waiting, left, &mut found);
        self.solved.set_lines = found;
        ended
    }
}

/// Takes what is done; the first limit that was reached comes back.
fn gather<T>(done: Vec<Result<T, StopReason>>, mut take: impl FnMut(T)) -> Result<(), StopReason> {
    let mut ended = Ok(());
    for result in done {
        match result {
            Ok(value) => take(value),
            Err(stop) => ended = ended.and(Err(stop)),
        }
    }
    ended
}
