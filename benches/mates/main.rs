//! What is proved of collections of wins, with a certificate that `verify` accepts, and in which time:
//!
//! * `mates`: mates in 1 to 20 moves; how many are won, how many at the stated length, how many
//!   proved shortest, beside Stockfish's `go mate` where it is installed;
//! * `long`: long mates of few mobile men;
//! * `endings`: endings of 5 to 8 men that the side to move wins;
//! * `tactics`: two pawns' worth won, safe from the next reply;
//! * `restrictions`: which guesses win how many of the mates in 6 and more and of the long ones, alone.
//!
//! `cargo bench --bench mates [-- COLLECTION… [SECONDS [FROM TO]]]`: the collections (all of them if none
//! is named: some 40 minutes), seconds of processor time for each position and program (default 5), and the
//! lengths of the mates in moves. One thread, 1 GiB, tables of the cache directory; what `theta --threads 1
//! --memory 1G solve FEN --shortest` does. (Where the system does not tell a process its processor time,
//! seconds of the clock.) Every length is held against the collection's. For `restrictions` the
//! number is that of positions listed by each guess, in thousands (default 20).

mod corpus;
mod restrictions;
mod row;
mod stockfish;

use corpus::{Problem, mates, problems};
use row::{Row, head};
use std::ops::RangeInclusive;
use stockfish::Stockfish;
use theta_chess::Position;
use theta_chess::limits::Budget;
use theta_chess::pioneer::aims;
use theta_chess::pioneer::play::balance;
use theta_chess::solve::{Solver, Verdict};

/// Pawns' worth that tactics win.
const GAIN: i32 = 2;

const COLLECTIONS: [&str; 5] = ["mates", "long", "endings", "tactics", "restrictions"];

/// Collections in groups of lengths: name, from, to.
const MATES: [(&str, u16, u16); 4] =
    [("1–2", 1, 2), ("3–5", 3, 5), ("6–10", 6, 10), ("11–", 11, u16::MAX)];
const LONG: [(&str, u16, u16); 3] =
    [("long, –20", 1, 20), ("long, 21–40", 21, 40), ("long, 41–", 41, u16::MAX)];

fn solved(solver: &Solver, problem: &Problem, budget: &Budget) -> Verdict {
    let root = Position::from(&problem.board());
    solver.solve(&root, budget).expect("a position to search")
}

/// Whether the side to move wins some material that the next recapture does not take back.
fn gained(solver: &Solver, problem: &Problem, budget: &Budget) -> Verdict {
    let (board, us) = (problem.board(), problem.board().side_to_move());
    let goal = aims::ahead(us, balance(&board, us) + GAIN);
    solver.prove_aim(&Position::from(&board), us, &goal, budget).expect("the laws of chess")
}

struct Bench {
    solver: Solver,
    seconds: f64,
    asked: RangeInclusive<u16>,
    stockfish: Option<Stockfish>,
    table: Vec<String>,
}

impl Bench {
    /// Groups of mates by their lengths, and the same by Stockfish.
    fn mates(&mut self, all: &[Problem], groups: &[(&str, u16, u16)]) {
        for &(name, from, to) in groups {
            let is_in = |moves: u16| (from..=to).contains(&moves) && self.asked.contains(&moves);
            let group: Vec<_> = all.iter().filter(|p| p.moves.is_some_and(is_in)).collect();
            let (mut own, mut theirs) = (Row::default(), Row::default());
            for problem in &group {
                own.add(problem, self.seconds, &|budget| solved(&self.solver, problem, budget));
                if let Some(engine) = &mut self.stockfish {
                    engine.solve(problem, self.seconds, &mut theirs);
                }
            }
            if !group.is_empty() {
                self.table.push(own.text(&format!("{name} of {}", group.len()), "theta"));
            }
            if !group.is_empty() && self.stockfish.is_some() {
                self.table.push(theirs.text("", "Stockfish"));
            }
        }
    }

    /// Positions of which no length is stated.
    fn others(&mut self, name: &str, file: &str, solve: fn(&Solver, &Problem, &Budget) -> Verdict) {
        let (all, mut own) = (problems(file), Row::default());
        for problem in &all {
            own.add(problem, self.seconds, &|budget| solve(&self.solver, problem, budget));
        }
        self.table.push(own.text(&format!("{name} of {}", all.len()), "theta"));
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let numbers: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let named: Vec<&String> = words.iter().filter(|word| word.parse::<f64>().is_err()).collect();
    // No failure: `cargo bench NAME` gives all benches the name of one.
    for name in named.iter().filter(|name| !COLLECTIONS.contains(&name.as_str())) {
        eprintln!("no collection is called {name}: there are {}", COLLECTIONS.join(", "));
    }
    let is_asked = |name: &str| named.is_empty() || named.iter().any(|one| *one == name);
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first thread pool");
    let places = directories::ProjectDirs::from("", "", "theta-chess").expect("a home directory");
    let solver = Solver::with_cache(places.cache_dir()).expect("a cache directory");
    let options = solver.options().with_shortest(true);
    let mut bench = Bench {
        solver: solver.with_options(options),
        seconds: numbers.first().copied().unwrap_or(5.0),
        asked: match numbers[..] {
            [_, from, to, ..] => from as u16..=to as u16,
            _ => 1..=u16::MAX,
        },
        stockfish: Stockfish::start(),
        table: Vec::new(),
    };
    let (mates, long) = (mates(), problems("long_mates.epd"));
    if is_asked("mates") {
        bench.mates(&mates, &MATES);
    }
    if is_asked("long") {
        bench.mates(&long, &LONG);
    }
    if is_asked("endings") {
        bench.others("endings", "endgames_5to8.epd", solved);
    }
    if is_asked("tactics") {
        bench.others("tactics", "tactics.epd", gained);
    }
    if !bench.table.is_empty() {
        println!("{}", head());
    }
    bench.table.iter().for_each(|line| println!("{line}"));
    if is_asked("restrictions") {
        let thousands =
            if named.is_empty() { 20.0 } else { numbers.first().copied().unwrap_or(20.0) };
        let is_slow = |problem: &Problem| problem.moves.is_some_and(|moves| moves > 5);
        let slow: Vec<Problem> = mates.into_iter().chain(long).filter(is_slow).collect();
        restrictions::table(&slow, 1000 * thousands as u64);
    }
}
