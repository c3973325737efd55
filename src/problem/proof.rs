//! The certificate of a problem's keys: what follows each of them, and how every other first move is
//! met ("C+" proved).
//!
//! Where one side compels the aim from its first move on (`#n`, `=n`, `s#n`, `s=n`), a key is a move
//! after which it forces the aim in time: `AF`, bounded. So two lists of moves prove all: the
//! attacker's quickest answers after the keys, and the defender's after all other moves, each with
//! the plies for which it delays the end. The search decides what is put into the lists; the kernel
//! checks them without it.
//!
//! Reflex conditions are no `AF` of positions (a duty binds both sides), and where both sides help
//! a solution is a line, while that there is no other one has no short proof.

use super::engine::{Engine, Worker, after, is_reached};
use super::script::{Choice, Script};
use super::stipulation::{Bounded, Goal as Ending, Kind};
use super::tell::Teller;
use crate::aim::{Atom, Goal};
use crate::certificate::{Answer, Keys, Ranked};
use crate::chess::board::{Board, Chess, ChessMove, Position, move_of};
use crate::chess::{Position as Root, Side};
use crate::limits::{Budget, StopReason};

/// Bytes of the stack: a line is as deep as the stipulation is long.
const STACK: usize = 64 << 20;

/// Why there is no certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// Neither a direct problem nor a selfmate.
    #[error(
        "there are certificates of direct problems and selfmates (#n, =n, s#n, s=n), not of {0}"
    )]
    Kind(Bounded),
    /// A limit was reached.
    #[error("{0}")]
    Stopped(StopReason),
    /// No thread could be had.
    #[error("no thread could be started")]
    Thread,
}

/// The certificate that the keys of a problem are its keys, and no other first move is. Of a problem
/// in n moves it lists some (moves of a position)^(n − 1) positions: seconds for `#3` and `#4`. The limits are those of one question; positions count as they are visited and as they are
/// listed.
///
/// # Errors
/// Another kind of problem, or a limit.
pub fn prove_keys(
    root: &Root,
    stipulation: &Bounded,
    limits: impl Into<Budget>,
) -> Result<Keys, Unproved> {
    if !matches!(stipulation.kind, Kind::Direct | Kind::SelfPlay) {
        return Err(Unproved::Kind(*stipulation));
    }
    let budget = limits.into();
    let script = Script::new(stipulation);
    let engine = Engine::new(&script, root.side_to_move(), &budget);
    let work = || Prover::new(root, &script, &engine, &budget).run().map_err(Unproved::Stopped);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.map_err(|_| Unproved::Thread)?.join().map_err(|_| Unproved::Thread)?
    })
}

struct Prover<'p, 'e> {
    board: Board,
    script: &'p Script,
    worker: Worker<'e>,
    budget: &'p Budget,
    keys: Keys,
}

impl<'p, 'e> Prover<'p, 'e> {
    fn new(root: &Root, script: &'p Script, engine: &'e Engine<'e>, budget: &'p Budget) -> Self {
        let plies = script.plies();
        let side = root.side_to_move();
        // Who suffers the aim: the opponent of whoever makes the last ply.
        let loser = if script.is_last_mover(plies) { side.other() } else { side };
        let keys = Keys {
            root: *root.vector(),
            plies: plies as u32,
            aim: aim(script.goal, side, loser),
            wins: Ranked::new(root.men()),
            delays: Ranked::new(root.men()),
        };
        Self { board: root.board(), script, worker: engine.worker(), budget, keys }
    }

    fn run(mut self) -> Result<Keys, StopReason> {
        self.worker.look()?;
        let chess = self.board.chess().clone();
        let plies = self.script.plies();
        for m in chess.legal_moves() {
            let next = after(&chess, m);
            if self.ends(&next, plies) {
                continue;
            }
            if self.worker.holds(&next, plies - 1)? {
                self.win_after(&next, plies - 1)?;
            } else {
                self.delay(&next, plies - 1)?;
            }
        }
        Ok(self.keys)
    }

    /// Whether the ply with so many left, itself counted, has reached the aim.
    fn ends(&self, next: &Chess, left: usize) -> bool {
        self.script.turn(left).aims && is_reached(next, self.script.goal)
    }

    fn spend(&self) -> Result<(), StopReason> {
        let listed = self.keys.wins.len() + self.keys.delays.len();
        let bytes = self.keys.wins.memory() + self.keys.delays.memory();
        if listed.is_multiple_of(256) { self.budget.check(listed as u64, bytes) } else { Ok(()) }
    }

    /// Answers to every move of the defender's.
    fn win_after(&mut self, chess: &Chess, left: usize) -> Result<(), StopReason> {
        debug_assert_eq!(self.script.turn(left).choice, Choice::Every);
        for m in chess.legal_moves() {
            let next = after(chess, m);
            if !self.ends(&next, left) {
                self.win(&next, left - 1)?;
            }
        }
        Ok(())
    }

    /// The attacker's quickest move, and all that follows it.
    fn win(&mut self, chess: &Chess, most: usize) -> Result<(), StopReason> {
        let place = Board::of_chess(chess).packed();
        if self.keys.wins.get(&place).is_some() {
            return Ok(());
        }
        self.spend()?;
        let (moves, plies) =
            Teller { script: self.script, worker: &mut self.worker, variations: false }
                .quickest(chess, most)?;
        let m = *moves.first().expect("what is decided as won has a move that wins");
        self.keys.wins.put(&place, Answer { play: Some(move_of(&m)), rank: plies as u32 });
        let next = after(chess, m);
        if self.ends(&next, plies) { Ok(()) } else { self.win_after(&next, plies - 1) }
    }

    /// A move of the defender's after which the aim is not reached in so many plies, that move
    /// counted, and all that the attacker may try.
    fn delay(&mut self, chess: &Chess, left: usize) -> Result<(), StopReason> {
        let place = Board::of_chess(chess).packed();
        let moves = chess.legal_moves();
        let known = self.keys.delays.get(&place).is_some_and(|known| known.rank >= left as u32);
        if left == 0 || moves.is_empty() || known {
            return Ok(());
        }
        self.spend()?;
        let m = self.refutation(chess, left)?;
        self.keys.delays.put(&place, Answer { play: Some(move_of(&m)), rank: left as u32 });
        if left > 2 {
            let next = after(chess, m);
            for m in next.legal_moves() {
                self.delay(&after(&next, m), left - 2)?;
            }
        }
        Ok(())
    }

    /// A move of the defender's that leads nowhere in time.
    fn refutation(&mut self, chess: &Chess, left: usize) -> Result<ChessMove, StopReason> {
        // Where the attacker has few moves little has to be listed.
        let mut moves: Vec<(usize, ChessMove)> = chess
            .legal_moves()
            .into_iter()
            .map(|m| (if left > 2 { after(chess, m).legal_moves().len() } else { 0 }, m))
            .collect();
        moves.sort_by_key(|&(replies, _)| replies);
        for (_, m) in moves {
            let next = after(chess, m);
            if !self.ends(&next, left) && !self.worker.holds(&next, left - 1)? {
                return Ok(m);
            }
        }
        unreachable!("what is decided as not won has a move that refutes")
    }
}

/// The aim that the side forces; none for mating.
fn aim(ending: Ending, side: Side, loser: Side) -> Option<Goal> {
    match ending {
        Ending::Mate if loser == side.other() => None,
        Ending::Mate => Some(Goal::mate_of(loser)),
        Ending::Stalemate => Some(Goal::all_of([Atom::Stalemate, Atom::ToMove(loser)])),
    }
}
