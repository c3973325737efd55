//! What slices say of who does not lose.

use super::*;
use crate::slices::Known;

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
