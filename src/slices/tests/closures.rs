//! Slices of two officers that are solved with all that they read.

use super::super::bits::squares;
use super::super::closed_set::Listed;
use super::super::rows::{Sets, legal_won};
use super::*;
use crate::chess::symmetry::at_home;
use pretty_assertions::assert_eq;
use theta_kernel::Spot;

/// A slice solved for wins and for holds, each by a prover of its own.
fn both(fen: &str) -> [Arc<Sets>; 2] {
    let (key, place) = Key::of(&Board::from_fen(fen).unwrap(), Side::White).unwrap();
    let mut prover = Prover::default();
    prover.close_for_wins(&key, &Budget::default()).unwrap();
    let mut holder = Prover::default();
    holder.hold_closed(&(key, place), &Budget::default()).unwrap();
    [(&prover, 0), (&holder, UPPER)]
        .map(|(prover, level)| prover.store.nodes[&key].sets[level].clone().expect("solved"))
}

/// What is won is never held, and where no pawn of the attacker's may promote most is one of both.
#[test]
fn wins_and_holds_of_closed_slices_agree() {
    for fen in ["8/8/8/8/1k6/1p6/r7/2K4Q w - -", "8/8/4k3/4n3/8/2p5/8/2K4Q w - -"] {
        let (key, _) = Key::of(&Board::from_fen(fen).unwrap(), Side::White).unwrap();
        let [won, upper] = both(fen);
        assert!(won.is_within(&upper), "{fen}: won and held");
        let count = |rows: &[u64]| rows.iter().map(|row| u64::from(row.count_ones())).sum::<u64>();
        let doubt = count(&upper.won) - count(&won.won);
        let legal = count(&legal_won(&key));
        assert!(doubt * 4 < legal, "{fen}: {doubt} of {legal} positions are open");
        assert!(count(&won.won) * 20 > legal && count(&upper.won) * 20 < 19 * legal, "{fen}");
    }
}

/// A closure that is interrupted goes on where it was.
#[test]
fn a_closure_goes_on_where_it_ended() {
    let (key, _) =
        Key::of(&Board::from_fen("8/8/4k3/4n3/8/2p5/8/2K4R w - -").unwrap(), Side::White).unwrap();
    let (mut whole, mut parts) = (Prover::default(), Prover::default());
    whole.close_for_wins(&key, &Budget::default()).unwrap();
    let (mut stops, mut limit) = (0, 1 << 20);
    while let Err(stop) =
        parts.close_for_wins(&key, &Budget::new(Limits::default().with_positions(limit)))
    {
        assert_eq!(stop, StopReason::Positions);
        (stops, limit) = (stops + 1, limit * 3 / 2);
    }
    assert!(stops > 2, "{stops}");
    assert_eq!(parts.store.solves, whole.store.solves, "nothing is solved twice");
    let sets = |prover: &Prover| prover.store.nodes[&key].sets[0].clone();
    assert!(sets(&parts) == sets(&whole));
}

/// A hold that loses no pawn is tried first, in fewer slices; what it holds is held.
#[test]
fn a_hold_that_keeps_its_pawn_rests_on_few_slices() {
    let board = Board::from_fen("8/8/8/4k3/7p/6bP/8/5B1K w - -").unwrap();
    let spot = Key::of(&board, Side::White).unwrap();
    let mut prover = Prover::default();
    let upper = |prover: &Prover| prover.store.nodes[&spot.0].sets[UPPER].clone().expect("solved");
    prover.hold_several(&spot, &Budget::default()).unwrap();
    let (few, firm) = (prover.store.count, upper(&prover));
    prover.hold_closed(&spot, &Budget::default()).unwrap();
    let (all, whole) = (prover.store.count, upper(&prover));
    assert!(few[2] < all[2], "{few:?} {all:?}");
    assert!(whole.is_within(&firm) && whole != firm, "more is held if the pawn may be lost");
}

/// A solution that gives up what another one has looked into leaves what that one has proved.
#[test]
fn what_is_held_stays_held() {
    let board = Board::from_fen("8/1P6/8/8/2k5/7r/8/3K4 w - -").unwrap();
    let spot = Key::of(&board, Side::White).unwrap();
    let upper = |prover: &Prover| prover.store.nodes[&spot.0].sets[UPPER].clone().expect("solved");
    let solved = |meets: bool| {
        let mut prover = Prover::default();
        prover.store.meets = meets;
        prover.hold_closed(&spot, &Budget::default()).unwrap();
        prover
    };
    let (blind, mut prover) = (upper(&solved(false)), solved(true));
    let held = upper(&prover);
    assert!(held.is_within(&blind) && held != blind, "a queen is held too");
    prover.store.meets = false;
    prover.store.solve_once(&spot.0, UPPER);
    assert!(upper(&prover) == held);
}

/// Three pawns less, with bishops on squares of two colours: the king stands before the pawns, and the
/// bishop keeps to h3–c8.
#[test]
fn opposite_bishops_hold() {
    let board = Board::from_fen("8/8/3k4/4p3/1b1pKp2/7B/8/8 b - -").unwrap();
    let mut analysis = Analysis::new().only([[false; 2], [true; 2]]);
    analysis.pursue(&board, &Budget::new(Limits::default().with_threads(1)));
    assert!(analysis.is_held(&board, Side::White));
}

/// A single rook that comes about moves freely: half a million positions with a bishop. Tables say that they are
/// drawn, so nothing but the order of answers keeps them out.
#[test]
fn a_pawn_is_stopped_sooner_than_its_rook_is_held() {
    let root = Board::from_fen("8/8/4K2k/1p6/7p/3B4/8/8 w - -").unwrap();
    let tables = Arc::new(Tables::in_memory());
    let mut analysis = Analysis::new().reading(&tables);
    analysis.pursue(&root, &Budget::default());
    let set =
        analysis.closed(std::slice::from_ref(&root), Side::White, &Budget::default()).unwrap();
    let positions: Vec<Spot> = set.pieces().flatten().collect();
    assert!(positions.len() > 500, "{} positions", positions.len());
    for spot in &positions {
        let z = spot.slice.position(spot.row, spot.square).expect("a legal position");
        let fen = crate::chess::fen(&z);
        let men = fen.split(' ').next().expect("the men");
        assert!(!men.contains(['q', 'r', 'b', 'n']), "{fen}");
    }
}

/// Where a set's positions are at home is worked out by slices; position by position it is the same.
#[test]
fn positions_of_a_set_come_home() {
    for fen in [
        "8/8/4K2k/1p6/7p/3B4/8/8 w - -",
        "8/8/2k5/8/2p5/2K5/3R4/7r b - -",
        "8/8/2k5/5b2/8/2K5/8/3R4 b - -",
    ] {
        let root = Board::from_fen(fen).unwrap();
        let holder = root.side_to_move();
        let mut analysis = Analysis::new().reading(&Arc::new(Tables::in_memory()));
        analysis.pursue(&root, &Budget::default());
        let set = analysis.closed(std::slice::from_ref(&root), holder, &Budget::default()).unwrap();
        let about = |turned| if turned { holder } else { holder.other() };
        let of_slice = |listed: &Listed| -> Vec<Option<Spot>> {
            let Listed { key, turned, .. } = *listed;
            let rows = listed.rows.iter().flat_map(|&(row, bits)| {
                squares(bits).map(move |square| key.place(row as usize, square, !turned))
            });
            rows.map(|place| at_home(&key.packed(&place, about(turned)), holder)).collect()
        };
        let mut expected: Vec<Option<Spot>> = set.slices.iter().flat_map(of_slice).collect();
        expected.extend(set.odd.iter().map(|p| at_home(p, holder)));
        let found: Vec<Option<Spot>> = set.pieces().flatten().map(Some).collect();
        assert!(found.len() > 20, "{fen}: {} positions", found.len());
        assert_eq!(found, expected, "{fen}");
    }
}
