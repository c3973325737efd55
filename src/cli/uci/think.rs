//! Thinking about one position: a proof if there is time for one, else a guess.

use super::protocol::Go;
use super::{Port, Settings};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use theta_chess::chess::board::{Board, ChessMove, move_of};
use theta_chess::chess::{Move, Outcome, Packed, Position, Side, UNMEASURED, Value};
use theta_chess::limits::{Budget, Limits};
use theta_chess::oracle::Oracle;
use theta_chess::player::{Chooser, Guess};
use theta_chess::search::{self, mate_in};
use theta_chess::solve::{Engine, Solver, Verdict};

/// What is thought about.
pub(super) struct Task {
    pub(super) board: Board,
    pub(super) seen: HashSet<Packed>,
    pub(super) go: Go,
    pub(super) settings: Settings,
    pub(super) solver: Solver,
    pub(super) proof: Arc<Mutex<Option<Arc<Verdict>>>>,
    pub(super) port: Arc<Port>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) hold: Arc<AtomicBool>,
}

/// A search for a proof in a thread of its own.
struct Prover {
    cancel: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
}

impl Drop for Prover {
    /// The thread ends by itself at its next look at the budget; nobody waits for it.
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::SeqCst);
    }
}

/// A root move and what is proved of it.
struct Proved {
    play: Move,
    value: Value,
}

/// What Syzygy tables say of the position, and the moves that keep it.
struct Advice {
    outcome: &'static str,
    moves: Vec<ChessMove>,
}

/// The moves that keep the best outcome, if the tables know every move's.
fn advice(oracle: &Oracle, board: &Board, moves: &[ChessMove]) -> Option<Advice> {
    let reply = |m: &ChessMove| oracle.probe(&board.after(*m)).ok().map(|outcome| (*m, outcome));
    let replies: Vec<(ChessMove, Outcome)> = moves.iter().map(reply).collect::<Option<_>>()?;
    let us = board.side_to_move();
    let choices = [
        (Outcome::Wins(us), "a win"),
        (Outcome::Draw, "a draw"),
        (Outcome::Wins(us.other()), "a loss"),
    ];
    choices.into_iter().find_map(|(wanted, outcome)| {
        let moves: Vec<ChessMove> =
            replies.iter().filter(|(_, o)| *o == wanted).map(|(m, _)| *m).collect();
        (!moves.is_empty()).then_some(Advice { outcome, moves })
    })
}

/// How long a finished search of limited depth waits for the proof.
const GRACE: Duration = Duration::from_secs(1);
/// How long the strategy of a search may take to build for the sake of its main line.
const LINE: Duration = Duration::from_millis(200);
/// How often a waiting thread looks around.
const TICK: Duration = Duration::from_millis(2);

impl Task {
    /// Thinks and sends the answer.
    pub(super) fn run(self) {
        let start = Instant::now();
        let all: Vec<ChessMove> = self.board.legal_moves().into_iter().collect();
        let wanted = |m: &&ChessMove| self.go.searchmoves.contains(&move_of(m));
        let mut moves: Vec<ChessMove> = all.iter().filter(wanted).cloned().collect();
        if moves.is_empty() {
            moves = all;
        }
        if moves.is_empty() {
            let score = if self.board.in_check() { "mate 0" } else { "cp 0" };
            self.port.send(&format!("info depth 0 score {score}"));
            self.wait_while_held();
            self.port.send("bestmove (none)");
            return;
        }
        let oracle = self.settings.oracle.as_ref();
        let advice = oracle.and_then(|oracle| advice(oracle, &self.board, &moves));
        // Tables that know the position tell nothing of the way to mate: a proof without them does.
        let prover = self.prove(oracle.filter(|_| advice.is_none()));
        let guess =
            self.guess(advice.as_ref().map_or(&moves, |advice| &advice.moves), &prover, start);
        self.wait_for_proof(&prover, start);
        let proved = self.proved(&moves);
        let line = match &proved {
            Some((verdict, list)) => self.report_proof(verdict, list, &moves, &guess, start),
            None => {
                self.port.remark(&match &advice {
                    Some(advice) => format!(
                        "not proved: Syzygy tables say {}; a shallow search chose among the moves that keep it",
                        advice.outcome
                    ),
                    None => "not proved: the move is a guess of a shallow search".to_string(),
                });
                guess.line
            }
        };
        self.wait_while_held();
        drop(prover);
        let ponder = line.get(1).map_or_else(String::new, |m| format!(" ponder {m}"));
        self.port.send(&format!("bestmove {}{ponder}", line[0]));
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn held(&self) -> bool {
        self.hold.load(Ordering::SeqCst)
    }

    /// Whether the time for this move is used up; while the answer is held back it never is.
    fn late(&self, start: Instant) -> bool {
        let side = usize::from(self.board.side_to_move() == Side::Black);
        !self.held() && self.go.allotted(side).is_some_and(|time| start.elapsed() >= time)
    }

    fn wait_while_held(&self) {
        while self.held() && !self.stopped() {
            std::thread::park_timeout(Duration::from_millis(50));
        }
    }

    /// What the last proof says of this position, if anything.
    fn known(&self) -> Option<(Arc<Verdict>, Value)> {
        let proof = self.proof.lock().unwrap_or_else(PoisonError::into_inner);
        let verdict = proof.as_ref()?;
        let value = verdict.value_of(&self.board);
        value.map(|value| (Arc::clone(verdict), value))
    }

    /// Begins to look for a proof, whose lines these tables may end.
    fn prove(&self, oracle: Option<&Arc<Oracle>>) -> Prover {
        let (cancel, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let prover = Prover { cancel: Arc::clone(&cancel), done: Arc::clone(&done) };
        if self.known().is_some() {
            done.store(true, Ordering::SeqCst);
            return prover;
        }
        let mut limits =
            Limits::default().with_memory(self.settings.memory).with_threads(self.settings.threads);
        limits.positions = self.go.nodes;
        let budget =
            Budget::new(limits).with_interrupt(cancel).with_progress(Arc::clone(&self.port) as _);
        let solver = match oracle {
            Some(oracle) => self.solver.clone().with_syzygy(Arc::clone(oracle)),
            None => self.solver.clone(),
        };
        let (root, store) = (Position::from(&self.board), Arc::clone(&self.proof));
        let waiting = std::thread::current();
        let (board, mate) = (self.board.clone(), self.go.mate);
        let port = Arc::clone(&self.port);
        std::thread::spawn(move || {
            // Whatever becomes of the proof, the one that waits for it is told.
            let _told = Told { done, waiting };
            if let Some(moves) = mate.filter(|&n| no_mate_in(&board, n, &budget)) {
                port.remark(&format!("proved: no mate in {moves}"));
                return;
            }
            match solver.solve(&root, &budget) {
                Ok(verdict) if verdict.value().is_some() => {
                    *store.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(verdict));
                }
                Ok(_) => {}
                Err(error) => budget.progress().note(&format!("no proof: {error}")),
            }
        });
        prover
    }

    /// Searches shallowly until the proof is there or the limits are reached.
    fn guess(&self, moves: &[ChessMove], prover: &Prover, start: Instant) -> Guess {
        let nodes_allowed = self.go.nodes.unwrap_or(u64::MAX);
        let stop = |nodes: u64| {
            let answered = || self.known().is_some() || self.go.mate.is_some() && !self.held();
            self.stopped()
                || nodes >= nodes_allowed
                || self.late(start)
                || prover.done.load(Ordering::SeqCst) && answered()
        };
        let report = &mut |rank, guess: &Guess| self.report_guess(rank, guess, start);
        let depth = self.go.depth.unwrap_or(u32::MAX).max(1);
        Chooser::new(&self.seen, &stop)
            .deepen(&self.board, moves, depth, self.settings.multi_pv, report)
            .expect("there are moves to choose from")
    }

    /// A search that ended by itself lets the prover go on while there is time.
    fn wait_for_proof(&self, prover: &Prover, start: Instant) {
        let limited = self.go.depth.is_some() && self.go.mate.is_none();
        let until = Instant::now() + GRACE;
        while !prover.done.load(Ordering::SeqCst) && !self.stopped() && !self.late(start) {
            if limited && !self.held() && Instant::now() >= until {
                return;
            }
            std::thread::park_timeout(TICK);
        }
    }

    /// The proof and the root moves whose values it knows, the best first.
    fn proved(&self, moves: &[ChessMove]) -> Option<(Arc<Verdict>, Vec<Proved>)> {
        let (verdict, _) = self.known()?;
        let allowed = |m: Move| moves.iter().any(|legal| move_of(legal) == m);
        let rated = verdict.rate(&Position::from(&self.board)).into_iter();
        let list: Vec<Proved> = rated
            .filter(|r| allowed(r.play))
            .filter_map(|r| r.value.map(|value| Proved { play: r.play, value }))
            .collect();
        (!list.is_empty()).then_some((verdict, list))
    }

    fn report_guess(&self, rank: usize, guess: &Guess, start: Instant) {
        let ms = start.elapsed().as_millis().max(1) as u64;
        let line = guess.line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ");
        let (depth, nodes, nps) = (guess.depth, guess.nodes, guess.nodes * 1000 / ms);
        // A mate that the search sees is not a proof: it is shown as a large advantage.
        let score = guess.score.clamp(-20_000, 20_000);
        self.port.send(&format!(
            "info depth {depth} multipv {rank} score cp {score} nodes {nodes} nps {nps} time {ms} pv {line}"
        ));
    }

    /// Says what is proved; the line to play.
    fn report_proof(
        &self,
        verdict: &Verdict,
        list: &[Proved],
        moves: &[ChessMove],
        guess: &Guess,
        start: Instant,
    ) -> Vec<Move> {
        let mut order: Vec<&Proved> = list.iter().collect();
        if order[0].value == Value::Draw {
            // Among moves that draw the search chooses.
            let favourite = self.favourite(list, moves, guess);
            order.sort_by_key(|p| (p.value != Value::Draw, Some(p.play) != favourite));
        }
        let ms = start.elapsed().as_millis().max(1) as u64;
        let nodes = guess.nodes + verdict.positions();
        let hits = u64::from(verdict.engine() == Engine::Tables);
        let us = self.board.side_to_move();
        let searched = self.searched_line(verdict).unwrap_or_default();
        let mut answer = Vec::new();
        for (k, proved) in order.iter().take(self.settings.multi_pv).enumerate() {
            let line = self.line(verdict, &searched, proved);
            let (depth, score) = (line.len(), score(proved.value, us));
            let pv = line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ");
            let nps = nodes * 1000 / ms;
            self.port.send(&format!(
                "info depth {depth} multipv {} score {score} nodes {nodes} nps {nps} tbhits {hits} time {ms} pv {pv}",
                k + 1
            ));
            if k == 0 {
                answer = line;
            }
        }
        self.port.remark(&statement(order[0].value));
        for words in verdict.relies_on() {
            self.port.remark(&format!("relying on {words}"));
        }
        answer
    }

    /// The move the search prefers among those that draw.
    fn favourite(&self, list: &[Proved], moves: &[ChessMove], guess: &Guess) -> Option<Move> {
        let draws = |m: Move| list.iter().any(|p| p.play == m && p.value == Value::Draw);
        if draws(guess.line[0]) && guess.depth >= 3 {
            return Some(guess.line[0]);
        }
        let drawing: Vec<ChessMove> = moves.iter().filter(|m| draws(move_of(m))).cloned().collect();
        let until = Instant::now() + Duration::from_millis(100);
        let stop = |_| self.stopped() || Instant::now() >= until;
        let choice =
            Chooser::new(&self.seen, &stop).deepen(&self.board, &drawing, 5, 1, &mut |_, _| {});
        choice?.line.first().copied()
    }

    /// The main line of a search's strategy, if there is time to build it: a search knows no values
    /// on the way.
    fn searched_line(&self, verdict: &Verdict) -> Option<Vec<Move>> {
        // The verdict may be of an earlier position of the game.
        let of_this = *verdict.root() == Position::from(&self.board);
        let limits = Limits::default().with_time(LINE).with_threads(1);
        of_this.then(|| verdict.main_line(limits)).flatten()
    }

    /// The line from a root move: complete to mate where the engine knows the way.
    fn line(&self, verdict: &Verdict, searched: &[Move], first: &Proved) -> Vec<Move> {
        let mut line = vec![first.play];
        let Value::Wins(_, plies) = first.value else { return line };
        if searched.first() == Some(&first.play) {
            return searched.to_vec();
        }
        let mut board = self.board.clone();
        let mut play = first.play;
        for _ in 0..=plies {
            let Some(legal) = board.find(play) else { break };
            board.play(legal);
            let next = verdict.rate(&Position::from(&board));
            let Some(best) = next.first().filter(|r| r.value.is_some()) else { break };
            play = best.play;
            line.push(play);
        }
        line
    }
}

/// Whether it is proved that the side to move does not mate in so many moves.
fn no_mate_in(board: &Board, moves: u32, budget: &Budget) -> bool {
    let plies = u16::try_from(moves.saturating_mul(2)).unwrap_or(u16::MAX).saturating_sub(1);
    let side = usize::from(board.side_to_move() == Side::Black);
    let outcome = mate_in(board, plies, &search::Options::default(), budget);
    outcome.win.is_none() && outcome.at_least[side] > plies
}

/// Tells the waiting thread when it is dropped.
struct Told {
    done: Arc<AtomicBool>,
    waiting: std::thread::Thread,
}

impl Drop for Told {
    fn drop(&mut self) {
        self.done.store(true, Ordering::SeqCst);
        self.waiting.unpark();
    }
}

/// The score, seen by `us`, of a root move with this value after it.
fn score(after: Value, us: Side) -> String {
    match after {
        Value::Draw => "cp 0".into(),
        Value::Wins(side, UNMEASURED..) => {
            format!("cp {}", if side == us { 20_000 } else { -20_000 })
        }
        Value::Wins(side, plies) if side == us => format!("mate {}", (plies + 2) / 2),
        Value::Wins(_, plies) => format!("mate -{}", plies.div_ceil(2)),
    }
}

fn statement(value: Value) -> String {
    match value {
        Value::Draw => "proved: Θ2* = Θ4*, a draw".into(),
        Value::Wins(side, _) => {
            let formula = if side == Side::White { "Θ1" } else { "Θ3" };
            format!("proved: {formula}, {side} wins (proofs know no fifty-move rule)")
        }
    }
}
