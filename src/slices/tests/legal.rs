//! Legal positions by rows against positions one by one.

use super::super::bits::{bit, squares};
use super::super::key::Key;
use super::super::rows::{legal_open, legal_won, legal_won_into};
use super::{BLACK, K, P, Random};
use crate::chess::{Side, code};
use pretty_assertions::assert_eq;

/// Every so many rows are compared.
const EVERY: usize = 61;

#[test]
fn rows_have_the_legal_positions_of_several_officers() {
    let (q, r, b, n) = (code::QUEEN, code::ROOK, code::BISHOP, code::KNIGHT);
    let mut random = Random(0x1e6a_1e6a);
    // What was in the list before is gone.
    let mut rows = vec![!0; 64];
    let mut number = 0;
    for men in [
        &[q, r + BLACK, P, P + BLACK][..],
        &[b, n + BLACK, P, P],
        &[n, b + BLACK, P + BLACK],
        &[n, n, P, P + BLACK],
        &[r, b, P + BLACK, P + BLACK],
        // All but one of the attacker's stand still.
        &[r, b, n, q + BLACK, P],
        &[q, P, q + BLACK],
        &[P, P, r + BLACK],
    ] {
        let board = random.board(&[&[K, K + BLACK][..], men].concat());
        for (key, _) in Key::readings(&board, Side::White) {
            if key.is_vast() || !key.is_several() {
                continue;
            }
            legal_won_into(&key, &mut rows);
            assert_eq!(rows, legal_won(&key));
            for (ours, rows) in [(true, &legal_open(&key)), (false, &rows)] {
                for row in (0..key.rows()).step_by(EVERY) {
                    let is_legal = |at: &u8| key.is_legal(&key.place(row, *at, ours));
                    let legal = (0..64).filter(is_legal).fold(0, |all, at| all | bit(at));
                    assert_eq!(rows[row], legal, "{key:?} row {row}, attacker to move: {ours}");
                    number += squares(legal).count();
                }
            }
        }
    }
    assert!(number > 1_000_000, "{number} positions");
}
