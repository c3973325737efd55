//! Holding beyond tables: closed regions are found, certified and verified; none is claimed where
//! the truth is a loss.

use crate::program::run;
use theta_chess::certificate::{Certificate, Claim, Strategy};
use theta_chess::chess::Side;
use theta_chess::chess::board::{Board, BySide as _, Position};
use theta_chess::chess::{self, Value};
use theta_chess::export::fortress::{Fate, Fortress};
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
        let (strategy, accepted) =
            certified(&root, side, &outcome, &probe).unwrap_or_else(|| panic!("{fen}: not found"));
        assert!(accepted.positions > 0, "{fen}");
        fortress_is_told(&fen, &strategy);
    }
}

/// What is told of a fortress is true of every position in which it stands.
fn fortress_is_told(fen: &str, strategy: &Strategy) {
    let told = Fortress::new(strategy, &Budget::default()).unwrap();
    let told = told.unwrap_or_else(|| panic!("{fen}: a hold that comes back is a fortress"));
    let (root, owner) = (Board::from_fen(fen).unwrap(), strategy.owner());
    let mirrored = |set: u64| set.swap_bytes().reverse_bits();
    // A strategy may keep positions with the files exchanged.
    let pawns = |board: &Board| {
        let men = board.chess().board();
        let pawns = (men.pawns() & men.men_of(owner)).0;
        (pawns.min(mirrored(pawns)), men.men_of(owner).count())
    };
    let king = told.standing.men.iter().find(|man| man.kind == "king").unwrap();
    let mut standing = 0;
    for (p, _) in strategy.iter() {
        let board = Board::from_packed(&p).unwrap();
        if told.standing.entry.is_empty() && pawns(&board) == pawns(&root) {
            standing += 1;
            let at = 1 << board.chess().board().king(owner).unwrap() as u8;
            let keeps = king.keeps_to.0 | mirrored(king.keeps_to.0);
            assert_ne!(keeps & at, 0, "{fen}: {p:?}");
        }
    }
    assert!(standing > 0 && told.standing.positions >= standing, "{fen}: {standing}, {told:?}");
    if fen.starts_with("7k/7p/7P/8/8/3B1K2") {
        // f7 and e8 to h8, or some of them: which ones is the search's choice.
        let corner = 1 << 53 | 1 << 60 | 1 << 61 | 1 << 62 | 1 << 63;
        assert_eq!(king.keeps_to.0 & !corner, 0, "{}", king.keeps_to);
        let fate = |play: &str| {
            let found = told.breaks.iter().find(|found| found.play == play);
            found.map(|found| (found.answers[0].play.as_deref(), found.answers[0].fate))
        };
        assert_eq!(fate("Bxh7"), Some((Some("Kxh7"), Fate::Falls)));
        assert_eq!(fate("Bg8"), Some((Some("Kxg8"), Fate::Stands)));
    }
}

/// In words, as JSON, as a picture, and again from the certificate.
#[test]
fn a_fortress_is_told_and_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let wall = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";
    let told = run(&["strategy", "--explain", wall, "--svg", &at("")]);
    assert_eq!(told.code, 0, "{}", told.err);
    for line in [
        "White holds a fortress: a proof of 48 positions",
        "  king e1 keeps to d1 e1",
        "  pawns b3 d3 f3 h3 a4 c4 e4 g4 never move",
        "  Black's king reaches a6–h6 a7–h7 a8–h8",
        "  Black's pawns b4 d4 f4 h4 a5 c5 e5 g5 never move",
        "captures by Black: none",
    ] {
        assert!(told.out.lines().any(|l| l == line), "{line}\n{}", told.out);
    }
    for name in ["fortress-white.svg", "fortress-black.svg"] {
        let svg = std::fs::read_to_string(at(name)).unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains("never moves"), "{svg}");
    }
    let json = run(&["strategy", "--explain", wall, "--side", "white", "--json"]).json().remove(0);
    assert_eq!(json["fortress"]["standing"]["men"][0]["keeps_to"], serde_json::json!(["d1", "e1"]));
    // The same of the certificate; of a win the stages are told.
    run(&["strategy", wall, "--format", "cert", "-o", &at("wall.cert")]);
    let again = run(&["strategy", "--explain", "--from", &at("wall.cert")]);
    assert_eq!(again.code, 0, "{}", again.err);
    let words = |text: &str| -> Vec<String> {
        text.lines().filter(|l| !l.starts_with("picture")).map(str::to_owned).collect()
    };
    assert_eq!(words(&again.out), words(&told.out));
    // Nothing is there for a side that loses, and no picture of what is no fortress.
    let lost = "7k/8/5K2/8/8/8/6Q1/8 w - -";
    let told = run(&["strategy", "--explain", lost, "--side", "black"]);
    assert_eq!(told.code, 2, "{}", told.err);
    let told = run(&["strategy", "--explain", "8/8/8/8/8/1k6/7R/K7 b - -", "--svg", &at("none")]);
    assert!(told.err.contains("only fortresses are drawn"), "{}", told.err);
    assert!(!dir.path().join("none").exists());
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
