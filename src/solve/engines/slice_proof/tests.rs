//! Strategies of what slices have proved, held against the kernel.

use super::*;
use crate::certificate::{Claim, Form};
use crate::tables::Tables;
use crate::verify;
use std::sync::Arc;

#[test]
fn a_win_that_rests_on_tables_is_proved_without_them() {
    let tables = Arc::new(Tables::in_memory());
    tables.ensure("KPvKP".parse().unwrap(), &Budget::default()).unwrap();
    let board = Board::from_fen("8/ppp5/8/PPP5/8/8/8/1k5K w - -").unwrap();
    let mut analysis = Analysis::new().reading(&tables);
    analysis.pursue(&board, &Budget::default());
    let proof = Proof { board, analysis, syzygy: None };
    assert!(proof.analysis.has_read());
    let plain = plain(&proof.board, proof.proved(), &Budget::default()).expect("a win of pawns");
    assert!(!plain.analysis.has_read());
    let certificate = plain.certificate(&Budget::default()).unwrap();
    let claim = verify(&certificate).expect("accepted").claim;
    assert!(matches!(claim, Claim::Wins(Side::White, _)), "{claim:?}");
}

#[test]
fn winning_sets_are_wins() {
    // Pawns that may be taken in passing or promote, both colours; an officer against pawns, and two of
    // which one is at rest; one against another; and either side to move.
    for fen in [
        "8/ppp5/8/PPP5/8/8/8/1k5K w - -",
        "8/6k1/8/6K1/ppp5/8/PPP5/8 b - -",
        "8/8/4k3/1p3p1p/1P1K1P1P/8/6P1/8 b - -",
        "8/8/8/2p5/1pP1k3/8/8/6K1 w - -",
        "8/8/8/8/5Q2/7P/1K3Pk1/2N5 b - -",
        "8/7k/6p1/2Q5/8/1PK5/3P4/8 b - -",
        "8/6k1/8/5KP1/B6R/8/7P/8 b - -",
        "7k/8/6K1/8/8/8/5b2/R7 b - -",
        // A pawn takes an officer at rest.
        "8/1p3k2/8/3PN3/8/8/7K/8 b - -",
    ] {
        let board = Board::from_fen(fen).unwrap();
        let mut analysis = Analysis::new();
        analysis.pursue(&board, &Budget::default());
        let Some(Outcome::Wins(side)) = analysis.known(&board) else { panic!("{fen}: no win") };
        is_won_by_rows(&analysis, &board, side);
    }
}

/// A side's win, written down by rows, is accepted as it is claimed.
fn is_won_by_rows(analysis: &Analysis, board: &Board, side: Side) {
    let fen = crate::chess::fen(&board.vector());
    let set = analysis.winning(board, side, RANKS, &Budget::default());
    let set = set.unwrap_or_else(|fault| panic!("{fen}: {fault}"));
    let strategy = Strategy::winning_set(board.vector(), side, set.pieces()).unwrap();
    let claim = accepted(&Certificate::of_win(strategy, set.plies), &fen);
    assert_eq!(claim, Claim::Wins(side, set.plies), "{fen}");
}

/// What is claimed by a certificate that is accepted, written by slices.
fn accepted(certificate: &Certificate, fen: &str) -> Claim {
    let mut file = Vec::new();
    certificate.write_as(Form::Slices, &mut file).unwrap();
    let checked = crate::verify::verify(&file, &mut |_| true);
    let accepted = checked.unwrap_or_else(|fault| panic!("{fen}: {fault}"));
    accepted.expect("not abandoned").claim
}

/// A random position of these men, White's in capitals, if it is legal.
fn placed(men: &str, seed: &mut u64) -> Option<Board> {
    let mut random = |below: u64| {
        *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (*seed >> 33) % below
    };
    let mut board = [None; 64];
    for man in men.chars() {
        let at = if man.eq_ignore_ascii_case(&'p') { 8 + random(48) } else { random(64) };
        if board[at as usize].replace(man).is_some() {
            return None;
        }
    }
    let rank = |rank: &[Option<char>]| -> String {
        rank.iter().map(|man| man.map_or_else(|| "1".to_owned(), String::from)).collect()
    };
    let ranks: Vec<String> = board.chunks(8).map(rank).collect();
    let side = ["w", "b"][random(2) as usize];
    Board::from_fen(&format!("{} {side} - -", ranks.join("/"))).ok()
}

#[test]
#[ignore = "a minute or two in release"]
fn wins_of_many_roots_are_accepted_by_rows() {
    let tables = Arc::new(Tables::in_memory());
    for name in ["KPvKP", "KQvKP", "KPPvK", "KBPvK"] {
        tables.ensure(name.parse().unwrap(), &Budget::default()).unwrap();
    }
    let mut seed = 24;
    for men in ["PPpp", "PPPpp", "PPppp", "QPpp", "BPPp", "NPp", "RPpp", "RBp", "RPn", "Qpr"] {
        let mut won = 0;
        for turn in 0..2000 {
            let Some(board) = placed(&format!("Kk{men}"), &mut seed) else { continue };
            // With tables, and without.
            let analysis = Analysis::new();
            let mut analysis = if turn % 2 == 0 { analysis.reading(&tables) } else { analysis };
            let limits = Limits::seconds(1).with_memory(1 << 30);
            analysis.pursue(&board, &Budget::new(limits));
            if let Some(Outcome::Wins(side)) = analysis.known(&board) {
                is_won_by_rows(&analysis, &board, side);
                won += 1;
            }
            if won == 8 {
                break;
            }
        }
        assert_eq!(won, 8, "{men}");
        println!("{men}: {won} wins written down and accepted");
    }
}

#[test]
fn closed_sets_are_holds() {
    // Pawns that may be taken in passing, or pass each other; an officer against pawns, and one that a
    // pawn has become; one of each side, with and without a pawn.
    for fen in [
        "k7/3p1p2/8/4P3/8/8/6P1/7K b - -",
        "8/8/8/5p2/8/6k1/4P3/7K w - -",
        "8/p7/8/1P6/8/k7/2P5/K7 b - -",
        "4k3/8/8/6Pb/8/8/6P1/7K w - -",
        "8/8/8/8/8/k1n5/P7/K7 w - -",
        "8/8/4k3/4b3/8/3K4/8/5N2 w - -",
        "8/8/8/8/5k2/8/4p3/3bK1N1 w - -",
    ] {
        let board = Board::from_fen(fen).unwrap();
        let mut analysis = Analysis::new();
        analysis.pursue(&board, &Budget::default());
        let proof = Proof { board, analysis, syzygy: None };
        assert_eq!(proof.analysis.known(&proof.board), Some(Outcome::Draw), "{fen}");
        for side in Side::ALL {
            let set = proof.closed(side, &Budget::default()).unwrap();
            let strategy = set.unwrap_or_else(|| panic!("{fen}: {side} does not hold"));
            let claim = accepted(&Certificate::of_hold(strategy), fen);
            assert_eq!(claim, Claim::Holds(side), "{fen}");
        }
    }
}

#[test]
fn a_draw_that_is_not_soon_written_down_is_proved_without_tables() {
    let board = Board::from_fen("4k3/8/8/6Pb/8/8/6P1/7K w - -").unwrap();
    let drawn = (Some(Outcome::Draw), Some(Side::White));
    let stopped = |_: &Budget| Err(CertificateError::Stopped(StopReason::Time));
    let certificate = plainly(&board, drawn, &Budget::default(), stopped).unwrap();
    assert_eq!(verify(&certificate).expect("accepted").claim, Claim::Draw);
    // What is not so has no other proof.
    let won = (Some(Outcome::Wins(Side::White)), Some(Side::White));
    let budget = Budget::new(Limits::default().with_time(Duration::from_secs(1)));
    let refused = plainly(&board, won, &budget, stopped);
    assert!(matches!(refused, Err(CertificateError::Stopped(StopReason::Time))));
}
