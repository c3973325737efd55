//! Holding beyond tables: closed regions are found, certified and verified; none is claimed where
//! the truth is a loss.

use crate::program::run;
use theta_chess::certificate::{Certificate, Claim, Strategy};
use theta_chess::chess::Side;
use theta_chess::chess::board::{Board, Position};
use theta_chess::chess::{self, Value};
use theta_chess::limits::{Budget, Limits};
use theta_chess::search::{Options, Outcome, Probe, no_probe, solve};
use theta_chess::tables::Tables;
use theta_chess::verify::{Accepted, verify};

fn steps(positions: u64) -> Budget {
    Budget::new(Limits::default().with_positions(positions).with_threads(1))
}

fn only_holds(holds: [bool; 2]) -> Options {
    Options { wins: [false; 2], holds, table_bytes: 1 << 20, ..Options::default() }
}

fn index(side: Side) -> usize {
    usize::from(side == Side::Black)
}

fn certified(
    root: &Board,
    side: Side,
    outcome: &Outcome,
    probe: &Probe,
) -> Option<(Strategy, Accepted)> {
    let region = outcome.holds[index(side)].as_ref()?;
    assert_eq!(region.holder(), side);
    let strategy = region.strategy(root, probe, &Budget::default()).unwrap();
    let mut file = Vec::new();
    Certificate::of_hold(strategy.clone()).write(&mut file).unwrap();
    let accepted = verify(&file[..], &mut |_| true).unwrap().unwrap();
    assert_eq!(accepted.claim, Claim::Holds(side));
    Some((strategy, accepted))
}

/// The rows of the fixture: FEN, the holder, steps that suffice.
fn fixture() -> Vec<(String, Side, u64)> {
    let text = include_str!("../positions/holds.tsv");
    let rows = text.lines().skip(2).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let side = if fields[1] == "white" { Side::White } else { Side::Black };
        (fields[0].to_string(), side, fields[2].parse().unwrap())
    });
    rows.collect()
}

#[test]
fn regions_beyond_tables_are_closed_and_verified() {
    let tables = Tables::in_memory();
    let probe = |board: &Board| -> Option<Value> {
        if board.chess().board().occupied().count() > 4 {
            return None;
        }
        tables.ensure(Tables::material_of(board)?, &Budget::default()).unwrap();
        tables.probe(board).unwrap()
    };
    let rows = fixture();
    assert!(rows.len() >= 8);
    for (fen, side, positions) in rows {
        let root = Board::from_fen(&fen).unwrap();
        assert!(root.chess().board().occupied().count() > 5, "{fen}: tables end at five men");
        let holds = [side == Side::White, side == Side::Black];
        let outcome = solve(&root, &only_holds(holds), &probe, &steps(positions));
        let (_, accepted) =
            certified(&root, side, &outcome, &probe).unwrap_or_else(|| panic!("{fen}: not found"));
        assert!(accepted.positions > 0, "{fen}");
    }
}

/// The same patterns with the other side to move.
#[test]
fn no_region_where_the_holder_is_lost() {
    for (fen, side, why) in [
        ("r4rk1/5p1p/8/4Q3/8/q7/q4PPP/6K1 b - -", Side::White, "Black to move mates"),
        ("5bk1/6np/8/5N2/8/q7/1r4PP/6K1 b - -", Side::White, "Black mates on a1"),
    ] {
        let root = Board::from_fen(fen).unwrap();
        let holds = [side == Side::White, side == Side::Black];
        let outcome = solve(&root, &only_holds(holds), &no_probe, &steps(30_000));
        assert!(outcome.holds[index(side)].is_none(), "{fen}: {why}");
    }
}

#[test]
fn no_hold_is_claimed_that_tables_refute() {
    let tables = Tables::in_memory();
    let (mut held, mut lost) = (0, 0);
    for signature in ["KRvK", "KPvK", "KQvKR", "KRvKN", "KQvKQ"] {
        let material = signature.parse().unwrap();
        tables.ensure(material, &Budget::default()).unwrap();
        for root in Tables::sample(material, 271).take(60) {
            let value = tables.probe(&root).unwrap().unwrap();
            let outcome = solve(&root, &only_holds([true; 2]), &no_probe, &steps(4_000));
            for side in [Side::White, Side::Black] {
                let is_lost = value.outcome() == chess::Outcome::Wins(side.other());
                let claimed = certified(&root, side, &outcome, &no_probe).is_some();
                assert!(!(claimed && is_lost), "{signature} {side}: {:?}", root.vector());
                held += u32::from(claimed);
                lost += u32::from(is_lost);
            }
        }
    }
    assert!(held >= 100 && lost >= 100, "both kinds are met: {held} held, {lost} lost");
}

/// Where only one side's hold is proved, that half is written and verified.
#[test]
fn half_a_draw_is_certified() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("half.cert");
    let fen = "r4rk1/5p1p/8/4Q3/8/q7/q4PPP/6K1 w - -";
    let cert = path.to_str().unwrap();
    let solved = run(&["--threads", "1", "--positions", "150000", "solve", fen, "--cert", cert]);
    let text = &solved.out;
    assert_eq!(solved.code, 3, "{text}");
    assert!(text.starts_with("unknown") && text.contains("White holds"), "{text}");
    let verified = run(&["verify", cert]);
    let text = &verified.out;
    assert_eq!(verified.code, 0, "{text}");
    assert!(text.contains("White holds"), "{text}");
}
