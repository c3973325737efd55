//! Proof search: every win and hold comes with a certificate that the kernel accepts, and agrees
//! with the explicit graph.

use pretty_assertions::assert_eq;
use theta_chess::certificate::{Certificate, Claim, Strategy};
use theta_chess::chess::Side;
use theta_chess::chess::Value;
use theta_chess::chess::board::{Board, BySide as _, Position, Role};
use theta_chess::limits::{Budget, Limits, StopReason};
use theta_chess::search::{
    Options, Outcome, Probe, Region, Task, achieve, mate_in, no_probe, solve,
};
use theta_chess::tables::Tables;
use theta_chess::verify::verify;

fn options() -> Options {
    Options { table_bytes: 1 << 24, ..Options::default() }
}

/// A budget by positions, so that the tests do not depend on the machine's speed.
fn positions(n: u64) -> Budget {
    Budget::new(Limits::default().with_positions(n).with_threads(1))
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

fn accept(certificate: &Certificate) -> Claim {
    let mut file = Vec::new();
    certificate.write(&mut file).unwrap();
    verify(&file[..], &mut |_| true).unwrap().unwrap().claim
}

/// Side, plies and whether they are the fewest, after the kernel has accepted the win.
fn certified_win(root: &Board, outcome: &Outcome, probe: &Probe) -> Option<(Side, u16, bool)> {
    let win = outcome.win.as_ref()?;
    let (strategy, plies) = win.strategy(root, probe, &Budget::default()).unwrap();
    assert!(plies <= u32::from(win.plies));
    assert_eq!(accept(&Certificate::of_win(strategy, plies)), Claim::Wins(win.side, plies));
    Some((win.side, win.plies, win.shortest))
}

fn certify_draw(root: &Board, outcome: &Outcome, probe: &Probe) {
    let [white, black] = &outcome.holds;
    let strategy = |region: &Option<Box<Region>>| -> Strategy {
        region
            .as_ref()
            .expect("a region of each side")
            .strategy(root, probe, &Budget::default())
            .unwrap()
    };
    assert_eq!(accept(&Certificate::of_draw(strategy(white), strategy(black))), Claim::Draw);
}

#[test]
fn short_mates_of_every_kind_are_shortest_and_certified() {
    for (fen, plies) in [
        ("7k/8/5K2/8/8/8/6Q1/8 w - -", 1),
        // Each time the only mate in one: castling, a capture en passant, a promotion to a knight.
        ("4N3/8/4Q3/8/1B6/3k4/8/R3K3 w Q -", 1),
        ("2Q5/7k/3R1K2/5Pp1/8/4B3/8/8 w - g6", 1),
        ("rb6/kpP5/p7/8/8/8/8/K7 w - -", 1),
        ("2k5/2N5/1PKP4/2P5/8/8/8/8 w - -", 5),
        ("8/8/1K2B1p1/7b/1N1k1B2/2p3N1/1p3P2/8 w - -", 7),
    ] {
        let root = board(fen);
        let outcome = mate_in(&root, plies, &options(), &positions(2_000_000));
        assert_eq!(
            certified_win(&root, &outcome, &no_probe),
            Some((Side::White, plies, true)),
            "{fen}"
        );
        if plies > 1 {
            let shorter = mate_in(&root, plies - 2, &options(), &positions(2_000_000));
            assert!(shorter.win.is_none() && shorter.stop.is_none(), "{fen}");
            assert_eq!(shorter.at_least, [plies, 0], "{fen}");
        }
    }
}

#[test]
fn search_agrees_with_the_table_it_is_not_shown() {
    let tables = Tables::in_memory();
    tables.ensure("KPvK".parse().unwrap(), &Budget::default()).unwrap();
    // Only what comes after promotion is probed; the pawn endings are searched.
    let pawnless = |b: &Board| !b.chess().board().by_role(Role::Pawn).any();
    let probe = |b: &Board| if pawnless(b) { tables.probe(b).unwrap() } else { None };
    for fen in [
        "8/8/8/8/8/1k6/1p6/1K6 w - -",
        "8/8/1k6/8/1K6/1P6/8/8 b - -",
        "8/8/8/8/8/5k2/4p3/4K3 w - -",
        "5k2/5P2/5K2/8/8/8/8/8 b - -",
        "8/8/8/1k6/8/1PK5/8/8 b - -",
        "8/k7/8/KP6/8/8/8/8 w - -",
        "8/8/8/8/8/2K5/p7/2k5 b - -",
        "1k6/8/KP6/8/8/8/8/8 w - -",
    ] {
        let root = board(fen);
        let truth = tables.probe(&root).unwrap().unwrap();
        let outcome = solve(&root, &options(), &probe, &positions(8_000_000));
        let (winner, shortest) = match truth {
            Value::Wins(winner, plies) => (winner, plies as u16),
            Value::Draw => {
                assert!(outcome.win.is_none(), "{fen}");
                certify_draw(&root, &outcome, &probe);
                continue;
            }
        };
        let (side, plies, exact) =
            certified_win(&root, &outcome, &probe).unwrap_or_else(|| panic!("{fen}"));
        assert_eq!(side, winner, "{fen}");
        assert!(
            plies >= shortest && (!exact || plies == shortest),
            "{fen}: {plies}, in truth {shortest}"
        );
    }
}

#[test]
fn the_locked_wall_closes_for_both_sides() {
    let root = board("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -");
    let outcome = solve(&root, &options(), &no_probe, &positions(2_000_000));
    assert!(outcome.is_decided() && outcome.win.is_none(), "{outcome:?}");
    certify_draw(&root, &outcome, &no_probe);
}

#[test]
fn perpetual_check_holds_against_a_rook_more() {
    let root = board("6k1/6p1/8/7Q/8/8/rq6/7K w - -");
    let holds = Options { wins: [false; 2], holds: [true, false], ..options() };
    let outcome = solve(&root, &holds, &no_probe, &positions(500_000));
    assert_eq!(outcome.safe, [true, false]);
    let strategy =
        outcome.holds[0].as_ref().unwrap().strategy(&root, &no_probe, &Budget::default()).unwrap();
    assert!(strategy.len() < 20, "{}", strategy.len());
    assert_eq!(accept(&Certificate::of_hold(strategy)), Claim::Holds(Side::White));
    // Black to move mates at once.
    let lost = board("6k1/6p1/8/7Q/8/8/rq6/7K b - -");
    assert!(solve(&lost, &holds, &no_probe, &positions(500_000)).holds[0].is_none());
}

#[test]
fn a_budget_of_zero_is_an_answer() {
    let outcome = solve(&board("7k/8/5K2/8/8/8/6Q1/8 w - -"), &options(), &no_probe, &positions(0));
    assert_eq!((outcome.stop, outcome.is_decided()), (Some(StopReason::Positions), false));
}

#[test]
fn reduced_aims_are_reached_by_restricted_moves() {
    // White queens its pawn although only king and pawn moves towards the eighth rank are
    // considered.
    let root = board("8/8/1k6/8/8/8/5K1P/8 w - -");
    let queened = |b: &Board| {
        (b.chess().board().by_role(Role::Queen) & b.chess().board().men_of(Side::White)).any()
    };
    let pawn_only =
        |b: &Board| b.legal_moves().into_iter().filter(|m| m.role() == Role::Pawn).collect();
    let task = Task::mate(Side::White).with_goal(&queened).with_moves(&pawn_only);
    let win = achieve(&root, &task, &options(), &positions(1_000_000)).win.unwrap();
    assert_eq!((win.plies, win.shortest), (9, true));
    assert!(!win.plan.ends().is_empty() && win.plan.ends().iter().all(queened));
    // With its king inside the pawn's square Black catches it.
    let caught = board("8/8/4k3/8/8/8/7P/K7 w - -");
    let outcome = achieve(&caught, &task, &options(), &positions(1_000_000));
    assert!(outcome.win.is_none());
}
