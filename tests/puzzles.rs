//! The puzzle-maker's question: what is said of keys, duals and other first moves is proved, and
//! what the proof of the root knows is never lost.

use crate::program::run;
use pretty_assertions::assert_eq;
use serde_json::Value as Json;
use std::sync::LazyLock;
use theta_chess::chess::{Board, Position};
use theta_chess::limits::Limits;
use theta_chess::search::{Options, mate_in};
use theta_chess::solve::{Engine, Puzzle, Solver};
use theta_chess::{Side, Value, verify};

/// A mate in five that was once answered wrongly: the key of a rated list was not that of the proof.
const FIVE: &str = "7Q/3pK3/1p1BB3/1P4p1/1P4p1/4P1P1/4P1pp/R5bk w - -";
/// The same, a mate in eight.
const EIGHT: &str = "8/8/4R1b1/2p5/2P1B3/1KP5/p7/k7 w - -";
/// Legal's smothered mate in four.
const SMOTHERED: &str = "2r4k/6pp/8/6N1/8/1Q6/8/7K w - -";

/// The tables that the searches ask are built once.
static SOLVER: LazyLock<Solver> = LazyLock::new(Solver::default);

fn puzzle(fen: &str, shortest: bool, limits: Limits) -> (Puzzle, Option<Value>) {
    let solver = &*SOLVER;
    let verdict = solver.solve(&fen.parse().unwrap(), limits).unwrap();
    (solver.puzzle(&verdict, shortest, limits).unwrap(), verdict.value())
}

/// Whether the side to move mates within so many plies, by all its moves.
fn mates(board: &Board, plies: u32) -> bool {
    let options = Options { table_bytes: 1 << 24, ..Options::default() };
    let outcome = mate_in(board, plies as u16, &options, &Limits::default().into());
    assert_eq!(outcome.stop, None, "no limit");
    outcome.win.is_some()
}

/// Whether a move, named in algebraic notation, mates within so many plies.
fn move_mates(board: &Board, san: &str, plies: u32) -> bool {
    let after = board.after(board.parse_san(san).unwrap());
    let replies = after.legal_moves();
    if replies.is_empty() {
        return after.in_check();
    }
    plies >= 3 && replies.into_iter().all(|reply| mates(&after.after(reply), plies - 2))
}

/// Holds every claim about the main line of a mate against the search for mates by all moves, which
/// is asked anew in every position.
fn check_shortest(fen: &str, puzzle: &Puzzle, mut plies: u32) {
    let mut board = Board::from_fen(fen).unwrap();
    for step in &puzzle.line {
        if step.owner {
            assert!(
                mates(&board, plies) && (plies < 3 || !mates(&board, plies - 2)),
                "{fen}: {step:?}"
            );
            for san in std::iter::once(&step.san).chain(&step.duals) {
                assert!(move_mates(&board, san, plies), "{fen}: {san} in {step:?}");
            }
            let told = |m: &str| {
                [&step.san].into_iter().chain(&step.duals).chain(&step.open).any(|san| san == m)
            };
            for m in board.legal_moves() {
                let san = board.san(m);
                assert!(told(&san) || !move_mates(&board, &san, plies), "{fen}: {san} is missing");
            }
        }
        board.play(board.parse_san(&step.san).unwrap());
        plies -= 1;
    }
}

#[test]
fn the_key_of_the_proof_stays_the_key() {
    for (fen, key, plies, positions) in [
        (FIVE, "Ra8", 9, 5_000_000),
        (SMOTHERED, "Nf7+", 7, 60_000),
        ("1k6/3P4/8/8/8/2P5/8/R3K2R w KQ -", "d8=Q+", 7, 400_000),
    ] {
        let limits = Limits::default().with_positions(positions).with_threads(1);
        let (puzzle, value) = puzzle(fen, true, limits);
        assert_eq!(value, Some(Value::Wins(Side::White, plies)), "{fen}");
        assert_eq!(puzzle.line[0].san, key, "{fen}");
        // Asking every move of a mate in five anew would take minutes.
        if plies <= 7 {
            check_shortest(fen, &puzzle, plies);
        }
    }
}

#[test]
fn what_is_not_proved_is_no_firm_answer() {
    for fen in [FIVE, EIGHT] {
        for shortest in [false, true] {
            let few = Limits::default().with_positions(60_000).with_threads(1);
            let (puzzle, value) = puzzle(fen, shortest, few);
            assert_eq!((value, puzzle.first_unique, puzzle.unique), (None, None, None), "{fen}");
            assert!(puzzle.line.is_empty() && puzzle.stop.is_some(), "{fen}: {puzzle:?}");
        }
    }
}

#[test]
fn main_lines_of_mates_are_the_shortest_and_their_duals_are_duals() {
    let text = include_str!("../positions/mates_in_2.epd");
    let fens = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let fens = fens.map(|line| line.split(';').next().unwrap());
    let fens = fens.map(|line| line.split(' ').take(4).collect::<Vec<_>>().join(" ")).take(40);
    let limits = Limits::default().with_positions(200_000).with_threads(1);
    let mut decided = 0;
    for fen in fens.chain(["8/7K/6p1/2k5/3q2N1/8/8/r7 b - -".to_string()]) {
        let (puzzle, value) = puzzle(&fen, true, limits);
        let Some(Value::Wins(_, plies)) = value else { panic!("{fen}: {value:?}") };
        check_shortest(&fen, &puzzle, plies);
        decided += usize::from(puzzle.unique.is_some());
    }
    assert!(decided >= 35, "{decided} of 41 decided");
}

#[test]
fn what_is_open_is_listed_as_open() {
    let limits = Limits::default().with_positions(60_000).with_threads(1);
    let (puzzle, _) = puzzle(SMOTHERED, false, limits);
    assert_eq!((puzzle.line[0].san.as_str(), puzzle.first_unique), ("Nf7+", None));
    assert!(puzzle.line[0].open.len() > 3 && puzzle.stop.is_some(), "{puzzle:?}");
    let ran = run(&["moves", "--unique", SMOTHERED, "--positions", "60000", "--threads", "1"]);
    assert_eq!(ran.code, 3, "no firm answer: {}", ran.out);
    assert!(ran.out.contains("not known (position limit reached)"), "{}", ran.out);
}

/// The first moves that keep the value, by tables.
fn keeping(solver: &Solver, root: &Position, shortest: bool) -> Vec<String> {
    let rated = solver.rate(root, Limits::default()).unwrap();
    let (board, best) = (root.board(), rated[0].value.unwrap());
    let as_good = |value: Value| match best {
        Value::Wins(side, _) if shortest && side == root.side_to_move() => value == best,
        _ => value.winner() == best.winner(),
    };
    let kept = rated.iter().filter(|r| as_good(r.value.unwrap()));
    kept.map(|r| board.san(board.find(r.play).unwrap())).collect()
}

#[test]
fn firm_answers_of_the_search_agree_with_tables() {
    let tables = &*SOLVER;
    let options = theta_chess::Options::default().with_engine(Engine::Search).with_table_men(2);
    let search = Solver::default().with_options(options);
    let rows = include_str!("../positions/endgames_60.tsv").lines().skip(2);
    let small = rows.map(|line| line.split('\t').next().unwrap());
    let small = small.map(|fen| fen.parse::<Position>().unwrap()).filter(|p| p.men() <= 4);
    let limits = Limits::default().with_positions(20_000).with_threads(1);
    let (mut firm, mut seen) = (0, 0);
    for root in small.take(30) {
        let verdict = search.solve(&root, limits).unwrap();
        for shortest in [false, true] {
            let puzzle = search.puzzle(&verdict, shortest, limits).unwrap();
            let Some(step) = puzzle.line.first() else { continue };
            let kept = keeping(tables, &root, shortest);
            // A mate that is not proved to be the shortest has a key that wins.
            let wins = keeping(tables, &root, false);
            let exact = !shortest || verdict.is_shortest();
            assert!(if exact { &kept } else { &wins }.contains(&step.san), "{root}: {step:?}");
            assert!(step.duals.iter().all(|san| kept.contains(san)), "{root}: {step:?} {kept:?}");
            let told = |san: &String| {
                *san == step.san || step.duals.contains(san) || step.open.contains(san)
            };
            assert!(kept.iter().all(told), "{root}: {step:?} {kept:?}");
            firm += usize::from(puzzle.first_unique.is_some());
            seen += 1;
        }
    }
    assert!(seen >= 14 && firm >= 10, "{firm} firm answers of {seen}");
}

#[test]
fn the_root_is_rated_first_and_bounds_are_told() {
    // P. Morphy: mate in two by Ra6. Six men with a table of none.
    let morphy = "kbK5/pp6/1P6/8/8/8/8/R7 w - -";
    let args = ["moves", "--json", morphy, "--positions", "120000", "--threads", "1"];
    let ran = run(&args);
    let report: Json = ran.json().remove(0);
    let moves = report["moves"].as_array().unwrap();
    assert_eq!((&moves[0]["san"], &moves[0]["mate_plies"]), (&"Ra6".into(), &2.into()));
    let open: Vec<&Json> = moves.iter().filter(|row| row["value"].is_null()).collect();
    for row in &open {
        assert!(row["no_mate_plies"].as_u64().unwrap() >= 2, "{row}");
    }
    let board = Board::from_fen(morphy).unwrap();
    for row in open.iter().filter(|row| row["refuted_by"].is_string()) {
        let after = board.after(board.parse_san(row["san"].as_str().unwrap()).unwrap());
        let reply = after.parse_san(row["refuted_by"].as_str().unwrap()).expect("a legal reply");
        assert!(!mates(&after.after(reply), 1), "{row}");
        assert!(row["refuted_plies"].as_u64() <= row["no_mate_plies"].as_u64(), "{row}");
    }
}

#[test]
fn a_mate_that_is_known_needs_no_time_for_its_certificate() {
    let morphy: Position = "kbK5/pp6/1P6/8/8/8/8/R7 w - -".parse().unwrap();
    let verdict = SOLVER.solve(&morphy, Limits::seconds(60)).unwrap();
    let first: Vec<String> = verdict.first_moves().iter().map(ToString::to_string).collect();
    assert_eq!(first, ["a1a6"]);
    assert_eq!(verdict.rate(&morphy)[0].value, Some(Value::Wins(Side::White, 2)));
    assert_eq!(
        verify(&verdict.certificate().unwrap()).unwrap().claim.to_string(),
        "White wins in 3 plies"
    );
    // The time of a budget that the solution has used up is no reason to lose the proof.
    let over = Limits::default().with_time(std::time::Duration::ZERO);
    assert!(verdict.certificate_within(over).is_ok());
}

#[test]
fn what_is_called_proved_has_its_certificate() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("half.cert");
    let fen = "3N4/8/8/8/8/2kP4/8/R3K2R w KQ -";
    let cert = path.to_str().unwrap();
    let ran = run(&["solve", fen, "--positions", "8000", "--threads", "1", "--cert", cert]);
    if ran.out.contains("proved: White holds") {
        assert!(ran.out.contains("certificate: "), "{} {}", ran.out, ran.err);
        let verified = run(&["verify", cert]);
        assert_eq!(verified.code, 0, "{}", verified.out);
    } else {
        assert!(ran.out.starts_with("Θ1"), "{}", ran.out);
    }
    for fen in [fen, "r4rk1/5p1p/8/4Q3/8/q7/q4PPP/6K1 w - -", "3N4/8/8/8/8/2kP4/8/R3K2R b KQ -"] {
        for positions in [500, 2_000, 8_000, 60_000] {
            let limits = Limits::default().with_positions(positions).with_threads(1);
            let verdict = SOLVER.solve(&fen.parse().unwrap(), limits).unwrap();
            if verdict.value().is_some() || !verdict.bounds().is_empty() {
                let certificate = verdict.certificate().unwrap_or_else(|e| panic!("{fen}: {e}"));
                verify(&certificate).unwrap();
            }
        }
    }
}

#[test]
fn mates_are_told_as_composers_write_them() {
    // Morphy: zugzwang; every defence has its mate.
    let told = run(&["strategy", "--explain", "kbK5/pp6/1P6/8/8/8/8/R7 w - -"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.starts_with("White mates in 2 moves\n1. Ra6! zugzwang\n"), "{}", told.out);
    assert!(told.out.contains("1... bxa6 2. b7#"), "{}", told.out);
    // The mate in three of the issue: the key is the only one, and no line is longer.
    let told = run(&["strategy", "--explain", "8/B3p3/2K1p1p1/4Pkpb/5pn1/2P2N1B/4PP2/6R1 w - -"]);
    assert!(told.out.starts_with("White mates in 3 moves\n1. Kd7! "), "{}", told.out);
    assert!(!told.out.contains("4. "), "{}", told.out);
    assert!(told.out.lines().count() < 60, "{}", told.out);
    // Five men: a mate so near is told and not left to the rule of the rook.
    let near = "5k2/R7/5K2/8/8/8/8/8 w - -";
    let told = run(&["strategy", "--explain", near]);
    assert_eq!(told.out, "White mates in 1 move\n1. Ra8#!\n", "{}", told.err);
    let told = run(&["strategy", "--explain", near, "--json"]).json().remove(0);
    assert_eq!(
        (&told["solution"]["san"], &told["solution"]["menace"]),
        (&"Ra8#".into(), &"check".into())
    );
    // The threat is named though every defence has an answer of its own.
    let told = run(&["strategy", "--explain", "k7/2Q5/8/1K6/8/8/8/8 w - -"]);
    let lines = [
        "White mates in 3 moves",
        "1. Qd7 (Qe7, Qf7, Qg7, Qh7) threatens 2. Ka6",
        "  1... any 2. Ka6 threatens 3. Qa7#",
        "    2... Kb8 3. Qb7# (Qd8#)",
        "",
    ];
    assert_eq!(told.out, lines.join("\n"), "{}", told.err);
}

#[test]
fn a_study_is_told_up_to_where_its_material_changes() {
    // F. Saavedra, 1895: no small tree ends in tables of three men, and 6. c8=R is the point.
    let told = run(&["strategy", "--explain", "8/8/1KP5/3r4/8/8/8/k7 w - -"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.err.contains("where the material changes"), "{}", told.err);
    assert!(told.out.contains("6. c8=R \u{2014} table KRvKR: mate in 12 plies"), "{}", told.out);
    assert!(told.out.contains("5... Rd4 6. c8=R"), "{}", told.out);
    assert!(told.out.lines().count() < 200, "{}", told.out);
}
