//! Proof by subgoals: chains, reduced aims and their certificates, and the reference positions that
//! are quick.

use crate::program::{Ran, run};
use pretty_assertions::assert_eq;
use std::sync::Arc;
use std::time::Duration;
use theta_chess::aim::{Aim, Goal};
use theta_chess::certificate::{Certificate, Claim};
use theta_chess::chess::board::{Board, Position};
use theta_chess::chess::{Side, Value, parse_move};
use theta_chess::library::endgames::built_in;
use theta_chess::library::rules::{RuleBook, parse_rules};
use theta_chess::limits::{Budget, Limits, StopReason};
use theta_chess::pioneer::image::Horizon;
use theta_chess::solve::{Engine, Options, Solver, Verdict, Zones};
use theta_chess::strategy::Rules;
use theta_chess::tables::Tables;
use theta_chess::verify::{Accepted, Rejection, verify, verify_with};

const LEGACY: &str = "2r4k/6pp/8/6N1/8/1Q6/8/7K w - -";
const KASPAROV_RIBLI: &str = "5rk1/5ppp/p1Q1p3/1R6/q7/4b1P1/P2RPP1P/6K1 w - -";
const FORK: &str = "r3k3/8/8/1N6/8/8/5PPP/6K1 w - -";

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

fn goal(text: &str) -> Goal {
    Goal::of(Aim::parse(text).unwrap()).unwrap()
}

/// Enough for every proof below on a slow machine; a proof ends when it is found.
fn budget() -> Budget {
    Budget::new(Limits::default().with_time(Duration::from_secs(100)))
}

fn by(options: Options, fen: &str, aim: Option<&str>, budget: &Budget) -> Verdict {
    let solver = Solver::default().with_options(options);
    let root: theta_chess::Position = fen.parse().unwrap_or_else(|e| panic!("{fen}: {e}"));
    match aim {
        Some(aim) => solver.prove_aim(&root, root.side_to_move(), &goal(aim), budget),
        None => solver.prove(&root, root.side_to_move(), true, budget),
    }
    .unwrap()
}

fn prove(fen: &str, aim: Option<&str>) -> Verdict {
    by(Options::default(), fen, aim, &budget())
}

fn first(proof: &Verdict) -> Option<String> {
    proof.first_moves().first().map(ToString::to_string)
}

fn file(certificate: &Certificate) -> Vec<u8> {
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    bytes
}

fn accepted(proof: &Verdict) -> Accepted {
    let certificate = proof.certificate().unwrap_or_else(|e| panic!("{e}: {proof:?}"));
    verify(&file(&certificate)[..], &mut |_| true).unwrap().unwrap()
}

#[test]
fn a_smothered_mate_by_the_zones() {
    let proof = prove(LEGACY, None);
    assert_eq!(proof.value(), Some(Value::Wins(Side::White, 7)));
    assert_eq!(accepted(&proof).claim, Claim::Wins(Side::White, 7));
    assert_eq!(proof.links().len(), 1);
    assert!(proof.links()[0].horizon.is_some(), "the zones suffice");
    assert_eq!(first(&proof).as_deref(), Some("g5f7"));
}

#[test]
fn reduced_aims_are_certified() {
    let aim = "AF (material(white) - material(black) >= 6 & black_to_move & AX material(white) - material(black) >= 6)";
    let proof = prove(FORK, Some(aim));
    assert!(proof.is_answered() && !proof.is_refuted());
    assert_eq!(proof.value(), None, "an aim is not the value");
    let proved = accepted(&proof);
    assert_eq!(proved.claim, Claim::Forces(Side::White, 3));
    assert_eq!(
        Aim::parse(proved.aim.as_deref().unwrap()).unwrap().to_string(),
        goal(aim).aim().to_string()
    );
}

/// The same file with another aim or number, its checksum made anew.
fn changed(proof: &Verdict, from: &str, to: &str) -> Result<Option<Accepted>, Rejection> {
    let mut certificate = proof.certificate().unwrap();
    let aim = certificate.aim.clone().unwrap();
    assert!(aim.contains(from) || from.is_empty(), "{aim}");
    certificate.aim = Some(if from.is_empty() { to.to_string() } else { aim.replace(from, to) });
    verify(&file(&certificate)[..], &mut |_| true)
}

#[test]
fn false_aims_are_rejected() {
    let aim = "AF (count(r) = 0 & count(N) = 1 & black_to_move & AX (count(r) = 0 & count(N) = 1))";
    let proof = prove(FORK, Some(aim));
    assert!(
        changed(&proof, "count(N) = 1", "count(N) <= 1").is_ok(),
        "a weaker aim holds all the same"
    );
    for stronger in ["count(N) = 2", "count(N) = 1 & check(black)"] {
        let rejection = changed(&proof, "count(N) = 1", stronger).unwrap_err();
        assert!(!matches!(rejection, Rejection::Format(_)), "{rejection}");
    }
    for unreadable in
        ["AF", "AG count(r) = 0", "AF EX count(r) = 0", "AF AX AX AX AX AX count(r) = 0"]
    {
        assert!(
            matches!(changed(&proof, "", unreadable), Err(Rejection::Format(_))),
            "{unreadable}"
        );
    }
    let mut short = proof.certificate().unwrap();
    short.claim = Claim::Forces(Side::White, 1);
    assert!(matches!(verify(&file(&short)[..], &mut |_| true), Err(Rejection::TooSlow { .. })));
    let mut mate = proof.certificate().unwrap();
    (mate.claim, mate.aim) = (Claim::Wins(Side::White, 3), None);
    assert!(verify(&file(&mate)[..], &mut |_| true).is_err(), "to win a rook is not to mate");
}

#[test]
fn an_aim_that_holds_already_needs_no_move() {
    let proof = prove(FORK, Some("AF count(r) = 1"));
    assert!(proof.is_answered());
    assert_eq!(accepted(&proof).claim, Claim::Forces(Side::White, 0));
}

#[test]
fn to_be_mated_is_another_aim_than_to_mate() {
    let few = Budget::new(Limits::default().with_positions(20_000));
    let proof = by(Options::default(), LEGACY, Some("AF mate(white)"), &few);
    assert!(!proof.is_answered(), "White cannot force itself to be mated: {proof:?}");
}

#[test]
fn what_is_out_of_reach_is_refuted() {
    let bare = "8/8/4k3/8/8/8/8/4K2n w - -";
    let proof = prove(bare, Some("AF mate(black)"));
    assert!(proof.is_answered() && proof.is_refuted() && proof.certificate().is_err());
    let promoted = prove("4k3/8/8/8/8/8/8/4K3 w - -", Some("AF count(Q) = 1"));
    assert!(!promoted.is_answered() || promoted.is_refuted(), "nothing promotes");
}

#[test]
fn small_endings_are_answered_by_tables() {
    let root = "7K/8/k1P5/7p/8/8/8/8 w - -".parse().unwrap();
    let proof = Solver::default().prove(&root, Side::White, false, budget()).unwrap();
    assert_eq!(proof.value(), Some(Value::Draw), "Réti's study");
    assert_eq!(first(&proof).as_deref(), Some("h8g7"));
    let proof = prove("8/8/8/2k5/2p5/8/8/2K5 w - -", None);
    assert_eq!((proof.value(), accepted(&proof).claim), (Some(Value::Draw), Claim::Draw));
}

#[test]
fn a_skewer_is_a_chain_down_to_a_table() {
    let options = Options::default().with_table_men(3);
    let proof = by(options, "8/8/8/q3k3/8/8/6K1/7R w - -", None, &budget());
    assert_eq!(accepted(&proof).claim, Claim::Wins(Side::White, plies(&proof)));
    let told: Vec<&str> = proof.links().iter().map(|l| l.claim.as_str()).collect();
    assert!(
        told.last().unwrap().contains("tables") && told.last().unwrap().contains("KRvK"),
        "{told:?}"
    );
}

fn plies(proof: &Verdict) -> u32 {
    match proof.value() {
        Some(Value::Wins(_, plies)) => plies,
        other => panic!("no win: {other:?}"),
    }
}

/// What White comes out with, as the number in the aim's first comparison.
fn level(proof: &Verdict) -> i32 {
    let aim = proof.aim().expect("an aim");
    let number = aim.split(">= ").nth(1).expect("a level").split(' ').next().unwrap();
    number.parse().expect("a number")
}

#[test]
fn every_defence_has_its_answer() {
    // After the fork on c7 the rook falls whatever Black plays; the knight is then safe for a move.
    let few = Budget::new(Limits::default().with_positions(150_000));
    let root = board("r3k3/2N5/8/8/8/8/5PPP/6K1 b - -");
    let position = theta_chess::Position::from(&root);
    let proof = Solver::default().prove(&position, Side::White, true, &few).unwrap();
    assert!(level(&proof) >= 6, "{proof:?}");
    let proved = accepted(&proof);
    assert!(matches!(proved.claim, Claim::Forces(Side::White, 2..)), "{:?}", proved.claim);
    let (whole, each) = proof.links().split_first().unwrap();
    assert_eq!((whole.depth, whole.positions), (0, 1));
    assert_eq!(
        each.iter().map(|link| link.positions).sum::<usize>(),
        root.legal_moves().len(),
        "{each:?}"
    );
    assert!(
        each.iter().all(|link| link.depth == 1 && link.claim.starts_with("after K")),
        "{each:?}"
    );
}

#[test]
fn what_cannot_be_won_is_told_as_what_is_kept() {
    // Two rooks and a bishop hang, on both sides: the best that is forced is an even balance, by
    // taking the bishop.
    let few = Budget::new(Limits::default().with_positions(300_000));
    let proof = by(Options::default(), KASPAROV_RIBLI, None, &few);
    assert_eq!((proof.value(), level(&proof)), (None, 0), "{proof:?}");
    assert_eq!(first(&proof).as_deref(), Some("f2e3"));
    assert_eq!(accepted(&proof).claim, Claim::Forces(Side::White, 1));
}

#[test]
#[ignore = "searches 36 defences, minutes in the dev profile"]
fn kasparov_ribli_every_defence() {
    let root = board(KASPAROV_RIBLI);
    let root = root.after(root.find(parse_move("d2d8").unwrap()).unwrap());
    let limits = Limits::default().with_positions(12_000_000);
    let budget = Budget::new(limits);
    let position = theta_chess::Position::from(&root);
    let proof = Solver::default().prove(&position, Side::White, true, &budget).unwrap();
    assert_eq!(level(&proof), -1, "{proof:?}");
    assert!(matches!(accepted(&proof).claim, Claim::Forces(Side::White, _)));
    let kept: usize =
        proof.links()[1..].iter().filter(|l| !l.claim.contains("lost")).map(|l| l.positions).sum();
    assert!(kept >= 28, "most defences cost White nothing: {:?}", proof.links());
}

#[test]
fn time_and_bad_input_on_the_command_line() {
    const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let start = std::time::Instant::now();
    let ran = run(&["--time", "1", "prove", INITIAL]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(start.elapsed() < Duration::from_secs(30), "a second was asked for");
    let Ran { code, err: said, .. } = run(&["--time", "1", "prove", "--horizon", "99", INITIAL]);
    assert_eq!(code, 3);
    assert!(said.contains("horizon 99 is taken as 14"), "{said}");
    for (args, expected) in [
        (&["prove", "--aim", "AG mate(black)", INITIAL][..], 2),
        (&["prove", "--aim", "AF nonsense", INITIAL][..], 2),
        (&["prove", "--horizon", "-1", INITIAL][..], 2),
        (&["prove", "--side", "green", INITIAL][..], 2),
        (&["prove", "8/8/8/8/8/8/8/8 w - -"][..], 2),
        (&["--positions", "0", "prove", INITIAL][..], 3),
        (&["prove", "4k3/8/8/8/8/8/8/4K3 w - -", "--side", "black"][..], 0),
        (&["prove", "7k/5Q2/6K1/8/8/8/8/8 b - -"][..], 0),
        (
            &[
                "--positions",
                "20000",
                "prove",
                "6rk/6pp/8/8/QQQQ4/QQQQ4/Q7/K7 b - -",
                "--side",
                "white",
            ][..],
            0,
        ),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, expected, "{args:?}: {}{}", ran.out, ran.err);
    }
}

/// Wins that take an intermediate aim before the mate or the table can be seen.
#[test]
fn chains_of_several_links() {
    for (fen, owner) in [
        ("8/8/8/P6P/3k4/8/8/K7 w - -", Side::White),
        ("8/8/8/8/5K2/p6p/8/7k b - -", Side::Black),
        ("8/8/8/P6P/4k3/8/8/1K6 w - -", Side::White),
    ] {
        let options = Options::default().with_table_men(3);
        let proof = by(options, fen, None, &budget());
        assert_eq!(accepted(&proof).claim, Claim::Wins(owner, plies(&proof)), "{fen}");
        assert!(proof.links().len() >= 2, "{fen}: {:?}", proof.links());
        assert!(
            proof
                .links()
                .windows(2)
                .all(|pair| (pair[0].depth..=pair[0].depth + 1).contains(&pair[1].depth))
        );
        assert_eq!(proof.links()[0].positions, 1, "one root");
        let notes = proof.certificate().unwrap().notes;
        assert_eq!(notes.len(), proof.links().len(), "the certificate names the intermediate aims");
    }
}

/// The same tables and the same budget of positions: the search alone leaves it open, a chain of
/// subgoals proves it.
#[test]
fn chains_prove_what_the_search_leaves_open() {
    // The tables are built on the way: that does not count as positions.
    let tables = Arc::new(Tables::in_memory());
    // Chains take 151,000, 100,000 and 32,458 positions, the search more than is given here.
    for (fen, positions) in [
        ("8/8/3b4/5PB1/8/5K2/3P3k/8 w - -", 155_000),
        ("8/8/8/P6P/3k4/8/8/K7 w - -", 125_000),
        ("8/8/8/8/5K2/p6p/8/7k b - -", 40_000),
    ] {
        let budget = Budget::new(Limits::default().with_positions(positions).with_threads(1));
        let options = Options::default().with_table_men(3);
        let solver = Solver::new(Arc::clone(&tables)).with_options(options);
        let root: theta_chess::Position = fen.parse().unwrap();
        let searched = solver.clone().with_engine(Engine::Search).solve(&root, &budget).unwrap();
        assert_eq!(
            (searched.value(), searched.stop()),
            (None, Some(StopReason::Positions)),
            "{fen}"
        );
        let proof = solver.prove(&root, root.side_to_move(), true, &budget).unwrap();
        assert_eq!(
            accepted(&proof).claim,
            Claim::Wins(board(fen).side_to_move(), plies(&proof)),
            "{fen}"
        );
        assert!(proof.links().len() >= 2 && proof.positions() <= positions, "{fen}: {proof:?}");
    }
}

fn strive(fen: &str, table_men: usize, rules: Option<Arc<dyn Rules>>) -> Verdict {
    let options = Options::default().with_table_men(table_men);
    let mut solver = Solver::default().with_options(options).striving(built_in());
    if let Some(rules) = rules {
        solver = solver.with_rules(rules);
    }
    solver.prove(&fen.parse().unwrap(), board(fen).side_to_move(), true, budget()).unwrap()
}

#[test]
fn what_is_striven_for_is_the_first_link() {
    for fen in ["8/8/8/7K/4p3/8/5k2/4R3 w - -", "8/8/5k2/4Rp2/7K/8/8/8 w - -"] {
        let proof = strive(fen, 3, None);
        assert_eq!(accepted(&proof).claim, Claim::Wins(Side::White, plies(&proof)), "{fen}");
        let told: Vec<&str> = proof.links().iter().map(|link| link.claim.as_str()).collect();
        assert_eq!(
            told,
            [
                "White captures a pawn and reaches KRvK, won by the table",
                "White wins by the tables KRvK"
            ]
        );
        assert!(
            proof.certificate().unwrap().notes[0].contains("count(R) = 1 & count(B) = 0"),
            "the aim is named"
        );
    }
}

#[test]
fn a_proved_rule_ends_a_chain_and_is_cited() {
    const ROOK: &str = r#"rule rook "a rook wins" material KRvK if white to move then white wins"#;
    let prove = |text: &str| {
        let rules = parse_rules(text).map_err(|e| e.to_string())?;
        let (book, failed) =
            RuleBook::prove(&Tables::in_memory(), &rules, &Budget::default()).unwrap();
        if failed.is_empty() { Ok(book) } else { Err(failed.join(", ")) }
    };
    // No tables: the rule alone says that a rook wins.
    let proof = strive("8/8/8/7K/4p3/8/5k2/4R3 w - -", 2, Some(Arc::new(prove(ROOK).unwrap())));
    let certificate = proof.certificate().expect("a certificate");
    assert_eq!(certificate.cited(), [ROOK]);
    assert!(
        verify(&file(&certificate)[..], &mut |_| true).is_err(),
        "a cited rule has to be proved"
    );
    let mut again = |texts: &[String]| {
        prove(&texts.join("\n")).map(|book| Some(Box::new(book) as Box<dyn Rules>))
    };
    let proved =
        verify_with(&file(&certificate)[..], 1, &mut again, &mut |_| true).unwrap().unwrap();
    assert_eq!(proved.claim, Claim::Wins(Side::White, plies(&proof)));
    assert!(proof.links().last().unwrap().claim.contains("rules (rook)"), "{:?}", proof.links());
}

#[test]
fn a_perpetual_check_holds_with_checks_only() {
    // A rook down and about to be mated, White checks on e8 and h5 for ever.
    let fen = "6k1/6p1/8/7Q/8/8/rq6/7K w - -";
    let limits = Limits::default().with_positions(500_000);
    let proof = by(Options::default(), fen, None, &Budget::new(limits));
    assert!(!proof.bounds().is_empty() || proof.value() == Some(Value::Draw), "{proof:?}");
    accepted(&proof);
    let strategies = proof.certificate().unwrap().strategies;
    let white = strategies.iter().find(|s| s.owner() == Side::White).unwrap();
    for (packed, answer) in white.iter() {
        let board = Board::from_packed(&packed).unwrap();
        let after = board.after(board.find(answer.play.unwrap()).unwrap());
        assert!(after.chess().is_check(), "{:?}", answer.play);
    }
}

#[test]
fn every_mode_of_zones_proves_the_same_mate() {
    for zones in [Zones::Auto, Zones::First, Zones::Only, Zones::Off] {
        let options = Options::default().with_zones(zones);
        let proof = by(options, LEGACY, Some("AF mate(black)"), &budget());
        assert_eq!(accepted(&proof).claim, Claim::Wins(Side::White, 7), "{zones:?}");
    }
}

#[test]
fn odd_positions_end_soon() {
    for (fen, horizon) in [
        ("4k3/8/8/8/8/8/8/4K3 w - -", 0),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", 4),
        ("7k/6Q1/6K1/8/8/8/8/8 b - -", 4),
        ("6rk/6pp/8/8/QQQQ4/QQQQ4/Q7/K7 w - -", 1000),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", 14),
    ] {
        let limits = Limits::default().with_time(Duration::from_millis(500));
        let budget = Budget::new(limits);
        let options = Options::default().with_horizon(Horizon::new(horizon));
        let proof = by(options, fen, None, &budget);
        assert!(
            proof.value().is_some() || proof.stop().is_some(),
            "{fen}: an answer or a reason: {proof:?}"
        );
        if proof.certificate().is_ok() {
            accepted(&proof);
        }
    }
}
