//! Verdicts: against labelled positions, and engine against engine.

use pretty_assertions::assert_eq;
use std::fs;
use std::path::Path;
use theta_chess::chess::Value;
use theta_chess::chess::{Board, Packed, Position, Profile, Side, Vector, parse_fen};
use theta_chess::game::{Game, Literal, Values};
use theta_chess::limits::{Budget, Limits, StopReason};
use theta_chess::solve::{Bound, Engine, Formula, Solver};
use theta_chess::tables::Tables;
use theta_chess::verify::verify;

fn rows(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("positions").join(name);
    let text = fs::read_to_string(path).unwrap();
    let body = text.lines().filter(|l| !l.starts_with('#')).skip(1);
    body.map(|l| l.split('\t').map(str::to_string).collect()).collect()
}

fn fide(text: &str) -> Vector {
    parse_fen(text, Profile::Fide).unwrap()
}

fn value_text(value: Value) -> (&'static str, String) {
    match value {
        Value::Draw => ("draw", "-".into()),
        Value::Wins(Side::White, plies) => ("white", plies.to_string()),
        Value::Wins(Side::Black, plies) => ("black", plies.to_string()),
    }
}

fn explored(text: &str, profile: Profile) -> (Game, Values) {
    let game =
        Game::explore(&parse_fen(text, profile).unwrap(), profile, &Budget::default()).unwrap();
    let values = Values::of(&game);
    (game, values)
}

/// The certificate of a verdict passes the kernel, and claims the value.
fn assert_certified(solver: &Solver, y: &Vector, engine: Engine) -> Value {
    let position = Position::try_from(*y).unwrap();
    let verdict = solver.clone().with_engine(engine).solve(&position, Limits::default()).unwrap();
    let value = verdict.value().unwrap();
    let certificate = verdict.certificate().unwrap();
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    let claim = verify(bytes.as_slice(), &mut |_| true).unwrap().unwrap().claim.to_string();
    let expected = match value {
        Value::Draw => "draw".to_string(),
        Value::Wins(side, plies) => format!("{side} wins in {plies} plies"),
    };
    assert_eq!(claim, expected);
    value
}

#[test]
fn three_men_by_tables_with_certificates() {
    let solver = Solver::default();
    let mut wrong = Vec::new();
    for row in rows("three_men.tsv") {
        let (value, plies) = value_text(assert_certified(&solver, &fide(&row[0]), Engine::Auto));
        if (value, plies.as_str()) != (row[1].as_str(), row[2].as_str()) {
            wrong.push(format!("{}: {value} {plies}, not {} {}", row[0], row[1], row[2]));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_sizes_of_the_paper() {
    let (game, values) = explored("7k/8/5K2/8/8/8/6Q1/8 w - -", Profile::Fide);
    assert_eq!((game.len(), game.edges()), (375_676, 4_936_024));
    assert_eq!(values.value(0), Value::Wins(Side::White, 1));
    let literal = Literal { theta1: true, theta2: true, theta3: false, theta4: false };
    assert_eq!(
        Literal::of(&game, &values, 0),
        literal,
        "erratum E4: the printed Θ2 is satisfiable beside Θ1"
    );
    // The graph and the tables agree on every position of it.
    let tables = Tables::in_memory();
    let board = Board::from_vector(&game.vector(0)).unwrap();
    tables.ensure(Tables::material_of(&board).unwrap(), &Budget::default()).unwrap();
    for id in (0..game.len()).step_by(7) {
        let board = Board::from_packed(&game.position(id)).unwrap();
        let Some(probed) = tables.probe(&board).unwrap() else { continue };
        assert_eq!(values.value(id), probed, "{board:?}");
    }
}

#[test]
fn the_locked_wall_is_a_draw() {
    let text = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";
    let (game, values) = explored(text, Profile::Fide);
    assert_eq!((game.len(), game.edges()), (768, 3808));
    assert_eq!(values.value(0), Value::Draw);
    assert_eq!(
        Literal::of(&game, &values, 0),
        Literal { theta1: false, theta2: true, theta3: false, theta4: true }
    );
    let solver = Solver::default();
    assert_eq!(assert_certified(&solver, &fide(text), Engine::Auto), Value::Draw);
}

#[test]
fn final_positions_read_literally() {
    let bits = |text: &str| {
        let (game, values) = explored(text, Profile::Fide);
        let l = Literal::of(&game, &values, 0);
        (values.value(0), [l.theta1, l.theta2, l.theta3, l.theta4])
    };
    assert_eq!(
        bits("7k/6Q1/5K2/8/8/8/8/8 b - -"),
        (Value::Wins(Side::White, 0), [true, false, false, false])
    );
    assert_eq!(
        bits("8/8/8/8/8/5k2/6q1/7K w - -"),
        (Value::Wins(Side::Black, 0), [false, false, true, false])
    );
    assert_eq!(bits("k7/2Q5/1K6/8/8/8/8/8 b - -"), (Value::Draw, [false, true, false, true]));
}

#[test]
fn mates_with_few_pieces_agree_between_engines() {
    let solver = Solver::default();
    for (text, plies) in [
        ("7k/8/5K2/8/8/8/6Q1/8 w - -", 1),
        ("8/8/8/8/8/2k5/1r6/K7 b - -", 5),
        ("k7/8/1K6/8/8/8/8/7R w - -", 1),
        ("8/8/8/8/8/5K2/6Q1/7k b - -", 0),
        ("2k5/8/2K5/8/8/8/8/7R w - -", 1),
    ] {
        let y = fide(text);
        let by_tables = assert_certified(&solver, &y, Engine::Tables);
        let by_graph = assert_certified(&solver, &y, Engine::Graph);
        assert_eq!(by_tables, by_graph, "{text}");
        assert!(matches!(by_tables, Value::Wins(_, p) if p == plies), "{text}: {by_tables:?}");
    }
}

#[test]
fn castling_rights_are_solved_on_top_of_tables() {
    let solver = Solver::default();
    for text in ["8/8/8/8/8/4k3/8/R3K3 w Q -", "r3k3/8/8/8/8/8/8/4K3 b q -"] {
        let y = fide(text);
        let by_tables = assert_certified(&solver, &y, Engine::Tables);
        if y.men() == 3 {
            assert_eq!(by_tables, assert_certified(&solver, &y, Engine::Graph), "{text}");
        }
    }
}

#[test]
fn limits_are_answers() {
    let solver = Solver::default().with_engine(Engine::Graph);
    let y = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -".parse().unwrap();
    let zero = std::time::Duration::ZERO;
    for (limits, expected) in [
        (Limits::default().with_positions(0), StopReason::Positions),
        (Limits::default().with_positions(10_000), StopReason::Positions),
        (Limits::default().with_memory(0), StopReason::Memory),
        (Limits::default().with_time(zero), StopReason::Time),
    ] {
        let verdict = solver.solve(&y, limits).unwrap();
        assert_eq!((verdict.formula(), verdict.stop()), (Formula::Unknown, Some(expected)));
        assert_eq!(verdict.bounds(), Vec::<Bound>::new());
    }
}

#[test]
fn exploration_does_not_depend_on_the_number_of_threads() {
    let y = fide("8/8/8/4k3/8/8/8/4K2R w K -");
    let explore = |threads| {
        let limits = Limits::default().with_threads(threads);
        Game::explore(&y, Profile::Fide, &Budget::new(limits)).unwrap()
    };
    let (one, two) = (explore(1), explore(2));
    assert_eq!(one.rows(), two.rows());
    assert!((0..one.len()).all(|id| one.position(id) == two.position(id)));
    assert_eq!(one.find(&Packed::from(&y)), Some(0));
}

#[test]
fn subgoals_as_an_engine_name_their_chain() {
    let solver = Solver::default();
    let text = "2r4k/6pp/8/6N1/8/1Q6/8/7K w - -";
    let y = fide(text);
    assert_eq!(assert_certified(&solver, &y, Engine::Subgoals), Value::Wins(Side::White, 7));
    let solver = solver.with_engine(Engine::Subgoals);
    let report = solver.solve(&text.parse().unwrap(), Limits::default()).unwrap().report();
    assert!(
        report.chain.len() == 1 && report.chain[0].contains("AF mate(black)"),
        "{:?}",
        report.chain
    );
    assert_eq!(report.best, ["g5f7"]);
}

#[test]
fn what_the_search_leaves_open_goes_to_the_subgoals() {
    let solver = Solver::default();
    let y = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -".parse().unwrap();
    let few = |positions| Limits::default().with_positions(positions);
    let alone = solver.clone().with_engine(Engine::Search);
    let searched = alone.solve(&y, few(80_000)).unwrap().positions();
    let both = solver.solve(&y, few(120_000)).unwrap();
    assert_eq!((both.value(), both.stop().is_some()), (None, true));
    assert!(both.positions() > searched, "{} and {searched}", both.positions());
}
