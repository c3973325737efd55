//! Pawn endings by slices, held against tables, certificates and the search.

use pretty_assertions::assert_eq;
use std::time::Duration;
use theta_chess::certificate::Form;
use theta_chess::chess::board::Board;
use theta_chess::chess::{Packed, Position, Side, Value, fen};
use theta_chess::export::stages::Account;
use theta_chess::limits::{Budget, Limits, StopReason};
use theta_chess::slices::{Analysis, Known};
use theta_chess::solve::{Engine, Options, Solver};
use theta_chess::tables::Tables;
use theta_chess::verify::verify;

/// A reproducible stream of words (G. Marsaglia, *Xorshift RNGs*, 2003).
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.word() >> 20) % n
    }

    /// Some legal position with these men, given as codes 1 to 12.
    fn board(&mut self, men: &[u8]) -> Board {
        loop {
            let mut p = Packed { occupied: 0, men: 0, state: self.below(2) as u16 };
            for &man in men {
                let square = if man % 6 == 0 { 8 + self.below(48) } else { self.below(64) } as u8;
                if p.occupied >> square & 1 == 0 {
                    p = p.with(square, man);
                }
            }
            if p.len() == men.len()
                && let Ok(board) = Board::from_packed(&p)
            {
                return board;
            }
        }
    }

    /// The position after some moves, so that a pawn may have just made a double step.
    fn later(&mut self, mut board: Board) -> Board {
        for _ in 0..self.below(4) {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            board.play(moves[self.below(moves.len() as u64) as usize]);
        }
        board
    }
}

/// Whether a side wins, by tables.
fn wins(tables: &Tables, board: &Board, side: Side) -> bool {
    let value = tables.value(board, &Budget::default()).unwrap().expect("a table covers it");
    value.winner() == Some(side)
}

/// Random roots with these men: whatever slices say within so many positions is what tables say.
/// How many of the questions were answered.
fn agree(men: &[u8], roots: u64, positions: impl Fn(&mut Random) -> Option<u64>) -> [u64; 2] {
    let tables = Tables::in_memory();
    let mut random = Random(0x51_1ce5 + roots);
    let mut answered = [0; 2];
    for _ in 0..roots {
        let start = random.board(men);
        let board = random.later(start);
        if Analysis::suits(&board).is_err() {
            continue;
        }
        let mut limits = Limits::default().with_threads(1);
        if let Some(most) = positions(&mut random) {
            limits = limits.with_positions(most);
        }
        let mut analysis = Analysis::new();
        analysis.pursue(&board, &Budget::new(limits));
        assert_eq!(analysis.stuck(), 0);
        for side in [Side::White, Side::Black] {
            let name = fen(&board.vector());
            answered[1] += 1;
            match analysis.wins(&board, side) {
                Known::Wins => assert!(wins(&tables, &board, side), "{side} wins {name}?"),
                Known::Not => assert!(!wins(&tables, &board, side), "{side} does not win {name}?"),
                Known::Open => answered[1] -= 1,
            }
            answered[0] += 1;
        }
    }
    answered
}

const KP: [u8; 3] = [1, 7, 6];
const KP_KP: [u8; 4] = [1, 7, 6, 12];

#[test]
fn slices_agree_with_tables() {
    let [asked, answered] = agree(&KP, 60, |_| None);
    assert_eq!(asked, answered, "every question about king and pawn is answered");
    let [asked, answered] = agree(&KP_KP, 12, |_| None);
    // What is left rests on queen against queen.
    assert!(answered * 10 >= asked * 7, "{answered} of {asked}");
}

#[test]
fn slices_that_stop_early_say_nothing_wrong() {
    let [asked, answered] = agree(&KP_KP, 40, |random| Some(random.below(8) << 19));
    assert!(0 < answered && answered < asked, "{answered} of {asked}");
}

#[test]
#[ignore = "thousands of roots of all the signatures that fit, 10 minutes"]
fn slices_agree_with_tables_on_many_roots() {
    let mut signatures = vec![KP.to_vec(), KP_KP.to_vec(), vec![1, 7, 6, 6]];
    for officer in 2..=5 {
        signatures.extend([vec![1, 7, officer], vec![1, 7, officer, 6]]);
        signatures.extend([vec![1, 7, officer, 12], vec![1, 7, officer + 6, 6]]);
    }
    for men in signatures {
        for most in [None, Some(20 << 19)] {
            let [asked, answered] = agree(&men, 300, |_| most);
            println!("{men:?} {most:?}: {answered} of {asked} answered");
            // With a rook or a minor piece a promotion is a second officer.
            assert!(answered * 3 > asked, "{men:?}: {answered} of {asked}");
        }
    }
}

fn solved(text: &str) -> Option<Value> {
    let root: Position = text.parse().unwrap();
    let solver = Solver::default().with_options(Options::default().with_engine(Engine::Slices));
    let verdict = solver.solve(&root, Limits::seconds(300)).unwrap();
    assert_eq!(verdict.engine(), Engine::Slices);
    if verdict.value().is_some() {
        let mut file = Vec::new();
        verdict.certificate().unwrap().write(&mut file).unwrap();
        let accepted = verify(&file[..], &mut |_| true).unwrap().unwrap();
        assert_eq!(fen(&accepted.root), fen(root.vector()));
    }
    verdict.value()
}

fn winner(text: &str) -> Option<Side> {
    match solved(text) {
        Some(Value::Wins(side, _)) => Some(side),
        _ => None,
    }
}

#[test]
fn certificates_of_slices_are_accepted() {
    // Colours and the side to move are turned in all ways.
    assert_eq!(winner("8/ppp5/8/PPP5/8/8/8/1k5K w - -"), Some(Side::White));
    assert_eq!(winner("1K5k/8/8/8/ppp5/8/PPP5/8 b - -"), Some(Side::Black));
    assert_eq!(winner("8/8/1P5k/2p5/2P5/8/7K/8 b - -"), Some(Side::White));
    assert_eq!(solved("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -"), Some(Value::Draw));
}

/// An officer of each side, after a position of a game; and a pawn against a rook (F. Saavedra, 1895).
#[test]
fn several_officers() {
    assert_eq!(winner("8/6k1/2Q3n1/8/4P3/K7/8/8 b - -"), Some(Side::White));
    assert_eq!(winner("8/8/1KP5/3r4/8/8/8/k7 w - -"), Some(Side::White));
}

/// Philidor's and Lucena's positions with a pawn more: six men, from one FEN.
#[test]
#[ignore = "minutes, and gigabytes of certificates"]
fn six_men_from_one_fen() {
    let value = |text: &str| {
        let solver = Solver::default().with_options(Options::default().with_engine(Engine::Slices));
        solver.solve(&text.parse::<Position>().unwrap(), Limits::seconds(600)).unwrap().value()
    };
    assert_eq!(value("4k3/R6p/1r6/3KP3/8/8/8/8 w - -"), Some(Value::Draw));
    assert!(
        value("1K6/1P1k4/8/8/8/8/r6P/2R5 w - -").is_some_and(|v| v.winner() == Some(Side::White))
    );
}

/// Em. Lasker and G. Reichhelm, *Chicago Tribune*, 1901: corresponding squares.
#[test]
fn lasker_and_reichhelm_1901() {
    let board = Board::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -").unwrap();
    let mut analysis = Analysis::new();
    let mut winning = Vec::new();
    for m in board.legal_moves() {
        let next = board.after(m);
        analysis.pursue(&next, &Budget::default());
        match analysis.wins(&next, Side::White) {
            Known::Wins => winning.push(board.san(m)),
            Known::Not => {}
            Known::Open => panic!("{} is not decided", board.san(m)),
        }
    }
    assert_eq!(winning, ["Kb1"]);
}

/// The name of a square's number.
fn square(name: &str) -> u8 {
    let bytes = name.as_bytes();
    bytes[0] - b'a' + 8 * (bytes[1] - b'1')
}

#[test]
fn squares_of_king_and_pawn_are_those_of_the_tables() {
    let tables = Tables::in_memory();
    for (fen, attacker) in
        [("8/4k3/8/8/4P3/4K3/8/8 w - -", Side::White), ("8/8/8/3k4/2p5/8/8/2K5 b - -", Side::Black)]
    {
        let root: Position = fen.parse().unwrap();
        let budget = Budget::default();
        let found = Analysis::new().squares(&root.board(), attacker, &budget).unwrap();
        assert_eq!((found.open, found.stop), (0, None));
        let (own, other, pawn) =
            if attacker == Side::White { (1, 7, (28, 6)) } else { (7, 1, (26, 12)) };
        let mut pairs: Vec<(u8, Vec<u8>)> = Vec::new();
        for king in 0..64 {
            let mut others = Vec::new();
            for there in 0..64 {
                if king == there || king == pawn.0 || there == pawn.0 {
                    continue;
                }
                let won = |black: u16| {
                    let p = Packed { occupied: 0, men: 0, state: black };
                    let p = p.with(pawn.0, pawn.1).with(king, own).with(there, other);
                    Board::from_packed(&p).ok().map(|board| wins(&tables, &board, attacker))
                };
                let us = u16::from(attacker == Side::Black);
                if (won(us), won(1 - us)) == (Some(false), Some(true)) {
                    others.push(there);
                }
            }
            if !others.is_empty() {
                pairs.push((king, others));
            }
        }
        assert_eq!(found.corresponding, pairs, "{fen}");
    }
}

#[test]
fn key_squares_are_those_of_the_books() {
    let root: Position = "8/4k3/8/8/3P4/4K3/8/8 w - -".parse().unwrap();
    let found = Analysis::new().squares(&root.board(), Side::White, &Budget::default()).unwrap();
    for name in ["c6", "d6", "e6"] {
        assert!(found.key.contains(&square(name)), "{name}: {:?}", found.key);
    }
    for name in ["c5", "d5", "e5", "d3", "f6"] {
        assert!(!found.key.contains(&square(name)), "{name}: {:?}", found.key);
    }
}

#[test]
fn a_long_proof_is_told_by_stages() {
    let lasker = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -";
    let root: Position = lasker.parse().unwrap();
    let solver = Solver::default().with_engine(Engine::Slices);
    let verdict = solver.solve(&root, Limits::seconds(120)).unwrap();
    let certificate = verdict.certificate().unwrap();
    let told = Account::new(&certificate.strategies[0], &Budget::default()).unwrap().unwrap();
    assert_eq!((told.owner, told.wins, told.key.as_deref()), (Side::White, true, Some("Kb1")));
    let over = Budget::new(Limits::default().with_time(Duration::ZERO));
    assert_eq!(Account::new(&certificate.strategies[0], &over).err(), Some(StopReason::Time));
    // The line can be played, and mates.
    let mut board = root.board();
    for san in &told.line {
        let legal = board.parse_san(san).unwrap_or_else(|| panic!("{san} in {:?}", board.packed()));
        board.play(legal);
    }
    assert!(board.legal_moves().is_empty() && board.in_check());
    assert_eq!(told.mate_plies_at_most, Some(told.line.len() as u32));
    // Every reply is met, and stages follow each other, each with other men.
    let replies = root.board().after(root.board().parse_san("Kb1").unwrap()).legal_moves().len();
    assert_eq!(told.replies.len(), replies);
    assert!(told.replies.iter().all(|met| met.answer.is_some()));
    let mut ply = 0;
    for pair in told.stages.windows(2) {
        assert_ne!(pair[0].men, pair[1].men);
    }
    for stage in &told.stages {
        assert_eq!(stage.from, ply, "{}", stage.men);
        ply += stage.plies;
        assert!(stage.positions > 0 && stage.placements > 0, "{}", stage.men);
    }
    assert_eq!(ply as usize, told.line.len());
    let first = &told.stages[0];
    assert_eq!((first.men.as_str(), first.locked), ("KPPPPvKPPP", true));
    let takes = |side: Side, squares: &[&str]| {
        let on = |what: &str| squares.iter().any(|at| what == format!("takes the pawn on {at}"));
        first.exits.iter().filter(|e| e.side == side).all(|e| on(&e.what))
    };
    assert!(
        takes(Side::White, &["a5", "d6", "f5"]) && takes(Side::Black, &["a4", "d4", "d5", "f4"])
    );
    assert!(first.exits.iter().any(|e| e.side == Side::White), "{first:?}");
    // The squares of the study's first move are among the corresponding ones; in each such place
    // the waiting side does not win.
    let pair = |own: &str, other: &str| (own.to_owned(), other.to_owned());
    assert!(told.corresponding.contains(&pair("b1", "a7")), "{:?}", told.corresponding);
    let mut analysis = Analysis::new();
    let budget = Budget::new(Limits::seconds(60));
    let waiting = Board::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/1K6 w - -").unwrap();
    analysis.pursue(&waiting, &budget);
    assert_eq!(analysis.wins(&waiting, Side::White), Known::Not);
}

#[test]
fn a_hold_is_told_by_stages_too() {
    // Its strategies are folded: what stands in them has its files exchanged here and there.
    let root: Position = "8/8/4k1p1/5p1p/5P1P/4K1P1/8/8 w - -".parse().unwrap();
    let solver = Solver::default().with_engine(Engine::Slices);
    // Two threads prove now and then what only a set of millions of positions holds with.
    let limits = Limits::seconds(120).with_threads(1);
    let verdict = solver.solve(&root, limits).unwrap();
    assert_eq!(verdict.value(), Some(Value::Draw));
    for strategy in &verdict.certificate().unwrap().strategies {
        let told = Account::new(strategy, &Budget::default()).unwrap().unwrap();
        assert!(!told.wins && told.line.is_empty() && told.corresponding.is_empty());
        assert_eq!(told.key.is_some(), told.owner == Side::White);
        let [stage] = &told.stages[..] else { panic!("{told:?}") };
        assert_eq!(stage.men, "KPPPvKPPP");
        // Pawns never leave their files but by captures, which end the stage.
        let on_files =
            |what: &str| ["f", "g", "h"].iter().any(|file| what.contains(&format!(" on {file}")));
        assert!(
            !stage.exits.is_empty() && stage.exits.iter().all(|e| on_files(&e.what)),
            "{stage:?}"
        );
    }
}

#[test]
fn slices_and_the_search_share_the_time() {
    // With one thread in turns, with two the search has what is idle, with three one of its own.
    let fen = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -";
    for threads in [1, 2, 3] {
        let solver = Solver::default();
        let limits = Limits::seconds(120).with_threads(threads);
        let verdict = solver.solve(&fen.parse().unwrap(), limits).unwrap();
        assert_eq!(verdict.engine(), Engine::Slices, "{threads} threads");
        let Some(Value::Wins(Side::White, plies)) = verdict.value() else { panic!("{verdict:?}") };
        // By slices it has blocks of up to a thousand rows, which as many threads check.
        let mut bytes = Vec::new();
        verdict.certificate().unwrap().write_as(Form::Slices, &mut bytes).unwrap();
        let certificate = theta_kernel::Certificate::read(&bytes).unwrap();
        let by = |threads| theta_kernel::check(&certificate, None, threads, &mut |_| true).unwrap();
        let proved = by(threads);
        assert_eq!(proved.claim.to_string(), format!("White wins in {plies} plies"));
        assert_eq!(proved, by(1), "{threads} threads");
    }
    // Nothing is said where there was no time for anything.
    let verdict = Solver::default().solve(&fen.parse().unwrap(), Limits::seconds(0)).unwrap();
    assert_eq!(verdict.value(), None);
}
