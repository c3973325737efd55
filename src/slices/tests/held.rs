//! What slices say of who does not lose.

use super::*;
use crate::slices::Known;
use pretty_assertions::assert_eq;

/// Whether the opponent is proved not to win, or the side to win itself.
#[test]
fn who_is_held_has_a_move_that_holds() {
    let mut random = Random(0x0e5b);
    let mut told = [0; 2];
    for list in [men(None, 1, 2), men(Some(4), 1, 1), men_of(&[P, 4 + BLACK, P + BLACK])] {
        for _ in 0..8 {
            let root = random.board(&list);
            let mut analysis = Analysis::new();
            analysis.pursue(&root, &Budget::new(Limits::seconds(2)));
            for board in root.successors().flat_map(|next| next.successors().collect::<Vec<_>>()) {
                let side = board.side_to_move();
                if !analysis.is_held(&board, side) || board.legal_moves().is_empty() {
                    continue;
                }
                let moves = analysis.holding(&board, side);
                assert!(!moves.is_empty(), "{}", crate::chess::fen(&board.vector()));
                for play in moves {
                    let next = board.after(board.find(play).expect("legal"));
                    assert!(analysis.is_held(&next, side), "{play} {side} {next:?}");
                }
                told[usize::from(analysis.wins(&board, side) == Known::Wins)] += 1;
            }
        }
    }
    assert!(told.iter().all(|&told| told > 10), "{told:?}");
}

/// Holds where both sides have an officer, against a table: random positions of the root's slice
/// that are not won, and how many of them are proved to be held.
fn holds(men: &[u8], tables: &Arc<Tables>, random: &mut Random) -> (u64, u64) {
    let board = random.board(men);
    let (key, place) = Key::of(&board, Side::White).expect("an officer a side");
    let mut prover = Prover::default();
    prover.store.read_from(&Arc::new(Tables::in_memory()));
    let started = std::time::Instant::now();
    let result = prover.hold(&(key, place), &Budget::default());
    println!("{key:?} {result:?} {:?} {:?}", prover.store.count, started.elapsed());
    let (mut open, mut held) = (0, 0);
    for _ in 0..20_000 {
        let [king, other] = [0; 2].map(|_: u8| random.below(64) as u8);
        let place = Place { king, other, men: random.men(&key), ours: random.below(2) == 0 };
        if !key.is_legal(&place) {
            continue;
        }
        let board = board_of(&key, &place).expect("a legal place is a legal position");
        let value = tables.value(&board, &Budget::default()).unwrap().expect("few men");
        let wins = value.winner() == Some(Side::White);
        let is_held = prover.store.is_held(&key, &place);
        assert!(!is_held || !wins, "{} is called held", crate::chess::fen(&board.vector()));
        open += u64::from(!wins);
        held += u64::from(is_held);
    }
    (open, held)
}

#[test]
fn holds_of_two_officers_are_those_of_tables() {
    let (tables, mut random) = (truth(), Random(0x0e56));
    for (own, other) in [(2, 3), (3, 3), (4, 5), (5, 2), (3, 4)] {
        let (open, held) = holds(&men_of(&[own, other + BLACK]), &tables, &mut random);
        assert!(open > 100);
        assert_eq!(held, open, "{own} against {other}");
    }
}

#[test]
#[ignore = "the five-man tables take minutes"]
fn holds_of_two_officers_beside_a_pawn_are_those_of_tables() {
    let (tables, mut random) = (Arc::new(Tables::in_memory()), Random(0x0e57));
    for list in [[3, P, 3 + BLACK], [4, P, 5 + BLACK], [3, P + BLACK, 4 + BLACK]] {
        let (open, held) = holds(&men_of(&list), &tables, &mut random);
        println!("{list:?}: {held} of {open} are proved");
        assert!(held > open / 10 * 9, "{list:?}: {held} of {open}");
    }
}

/// Pawns race, and queens meet: a position that is not won is held, be it by a queen that cannot win.
#[test]
fn holds_of_pawns_where_queens_meet_are_those_of_tables() {
    let (tables, mut random) = (truth(), Random(0x0e58));
    let mut prover = Prover::default();
    prover.store.meets = true;
    let mut held = 0;
    while held < 12 {
        let board = random.board(&men_of(&[P, P + BLACK]));
        let (key, place) = Key::of(&board, Side::White).expect("kings and pawns");
        // Neither pawn stops the other, and both are near: some of these end with two queens.
        let near = key.ours >> 32 != 0 && key.theirs & 0xffff_ffff != 0;
        if !near || board.has_mark() || board.legal_moves().is_empty() {
            continue;
        }
        let value = tables.value(&board, &Budget::default()).unwrap().expect("few men");
        let wins = value.winner() == Some(Side::White);
        let found = prover.hold(&(key, place), &Budget::default());
        assert_eq!(found.is_ok(), !wins, "{}", crate::chess::fen(&board.vector()));
        held += u64::from(!wins);
    }
    assert!(prover.store.count[2] > 0, "no queens have met");
}
