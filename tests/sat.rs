//! Proof search against propositional satisfiability: "mate within n plies" is decided twice, by
//! code that shares nothing but the rules.

use theta_chess::chess::Value;
use theta_chess::chess::board::Board;
use theta_chess::chess::{Profile, Side, parse_fen};
use theta_chess::export::{Unrolled, horn};
use theta_chess::game::{Game, Values};
use theta_chess::limits::{Budget, Limits};
use theta_chess::sat::{Answer, ProofFormat, prove, solve};
use theta_chess::search::{Options, mate_in};

/// Positions of a collection, the last field of the line left to the reader.
fn collection(text: &'static str) -> impl Iterator<Item = String> {
    let lines = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty());
    lines.map(|l| l.split(' ').take(4).collect::<Vec<_>>().join(" "))
}

/// Whether the side to move mates within this many plies, by the bounded formula.
fn mates_within(fen: &str, plies: u32) -> bool {
    let root = parse_fen(fen, Profile::Fide).unwrap();
    let owner = Side::to_move(&root);
    let formula = Unrolled::new(&root, owner, plies, &Budget::default()).unwrap().formula();
    match solve(&formula) {
        Answer::Satisfiable(_) => true,
        Answer::Unsatisfiable => {
            // The refutation is checked by the solver's own checker as it is written.
            let mut proof = Vec::new();
            assert_eq!(
                prove(&formula, ProofFormat::Drat, &mut proof).unwrap(),
                Answer::Unsatisfiable
            );
            assert!(proof.ends_with(b"0\n"));
            false
        }
    }
}

fn search_mates_within(fen: &str, plies: u16) -> bool {
    let options = Options { table_bytes: 1 << 24, ..Options::default() };
    let budget = Budget::new(Limits::default().with_positions(4_000_000).with_threads(1));
    let outcome = mate_in(&Board::from_fen(fen).unwrap(), plies, &options, &budget);
    outcome.win.is_some_and(|win| win.plies <= plies)
}

#[test]
fn search_and_the_bounded_formula_agree() {
    let mut mates = [0; 2];
    for fen in collection(include_str!("../positions/mates_in_2.epd")).step_by(8) {
        for (k, plies) in [1_u16, 3].into_iter().enumerate() {
            let found = mates_within(&fen, u32::from(plies));
            assert_eq!(found, search_mates_within(&fen, plies), "{fen} within {plies} plies");
            mates[k] += usize::from(found);
        }
    }
    assert_eq!(mates, [0, 25], "all are mates in two moves, none in one");
}

#[test]
#[ignore = "mates in three unrolled to five plies: 1 minute in release"]
fn search_and_the_bounded_formula_agree_on_mates_in_three() {
    let three = include_str!("../positions/mates.epd").lines().filter(|l| l.contains("dm 3;"));
    let fens = three.map(|l| l.split(' ').take(4).collect::<Vec<_>>().join(" "));
    let mut count = 0;
    for fen in fens {
        assert!(mates_within(&fen, 5) && search_mates_within(&fen, 5), "{fen}");
        assert!(!mates_within(&fen, 3) && !search_mates_within(&fen, 3), "{fen}");
        count += 1;
    }
    assert!(count > 10);
}

#[test]
fn the_horn_formula_agrees_with_the_fixpoint_on_the_corpus_of_small_games() {
    let budget = Budget::new(Limits::default().with_positions(3000));
    let mut compared = 0;
    for fen in collection(include_str!("../positions/theta_corpus.tsv")) {
        let fen = fen.split('\t').next().unwrap().to_string();
        let Ok(root) = parse_fen(&fen, Profile::Fide) else { continue };
        let Ok(game) = Game::explore(&root, Profile::Fide, &budget) else { continue };
        for owner in [Side::White, Side::Black] {
            let wins = matches!(Values::of(&game).value(0), Value::Wins(side, _) if side == owner);
            assert_eq!(
                solve(&horn::formula(&game, owner)).is_satisfiable(),
                !wins,
                "{fen}, {owner}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 100, "{compared}");
}

#[test]
fn a_mate_in_nine_moves_is_refuted_clause_by_clause() {
    let root = parse_fen("8/8/8/3k4/8/8/8/KQ6 w - -", Profile::Fide).unwrap();
    let game = Game::explore(&root, Profile::Fide, &Budget::default()).unwrap();
    let mut proof = Vec::new();
    assert_eq!(
        prove(&horn::formula(&game, Side::White), ProofFormat::Drat, &mut proof).unwrap(),
        Answer::Unsatisfiable
    );
    assert!(proof.ends_with(b"\n0\n"));
    assert!(solve(&horn::formula(&game, Side::Black)).is_satisfiable());
}
