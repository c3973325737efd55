//! Stalemates by rows against stalemates one by one.

use super::super::bits::{Officer, bit};
use super::super::key::Key;
use super::super::moves::steps;
use super::super::rows::legal_open;
use super::super::stalemates::stalemates;
use super::Random;
use pretty_assertions::assert_eq;

/// Every position of a slice with an officer, one by one.
fn one_by_one(key: &Key) -> Vec<(u32, u64)> {
    let (mut found, mut buffer) = (Vec::new(), Vec::new());
    for row in 0..key.rows() {
        let mut is_stuck = |square: u8| {
            let place = key.place(row, square, false);
            steps(key, &place, &mut buffer);
            key.is_legal(&place) && buffer.is_empty() && !key.checks_defender(&place)
        };
        let stuck = (0..64).filter(|&at| is_stuck(at)).fold(0, |all, at| all | bit(at));
        if stuck != 0 {
            found.push((row as u32, stuck));
        }
    }
    found
}

#[test]
fn rows_list_the_stalemates_that_positions_have() {
    // Bishops of either colour.
    let officers = [Officer::promoted(0), Officer::promoted(1)].concat();
    let mut random = Random(0x57a1_e3a7);
    // Three pawns or so, where pawns stand.
    let few =
        |random: &mut Random| (0..4).fold(0x00ff_ffff_ffff_ff00, |set, _| set & random.word());
    let mut number = 0;
    for officer in officers.into_iter().cycle().take(24) {
        let theirs = few(&mut random);
        // Most of the defender's pawns are blocked.
        let blockers = (random.word() | random.word()) & theirs >> 8 & !0xff;
        let ours = (few(&mut random) | blockers) & !theirs;
        let key = Key::new(ours, theirs, officer);
        let listed = stalemates(&key, &legal_open(&key));
        number += listed.len();
        assert_eq!(listed, one_by_one(&key), "{key:?}");
    }
    assert!(number > 100, "{number} rows");
}
