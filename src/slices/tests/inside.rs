//! Moves by rows against moves one by one.

use super::super::bits::{Officer, bit, squares};
use super::super::inside::Inside;
use super::super::key::{Key, Place};
use super::super::moves::{Goal, Step, steps};
use super::{BLACK, K, P, Random};
use crate::chess::{Side, code};
use pretty_assertions::assert_eq;

/// The places that quiet moves lead to, by rows.
fn by_rows(inside: &Inside, key: &Key, place: &Place) -> Vec<Place> {
    let (row, own) = key.index(place);
    let mut list = Vec::new();
    let mut found = |row: usize, bits: u64| {
        let places = squares(bits).map(|square| key.place(row, square, !place.ours));
        list.extend(places.filter(|place| key.is_legal(place)));
    };
    inside.across(row, place.ours, |to, blocked| found(to, own & !blocked));
    found(row, inside.within(row, place.ours, own));
    list.sort_unstable();
    list
}

/// Whether a move is one that rows do not know: it promotes, takes with king or officer, or takes an
/// officer.
fn is_loud(key: &Key, place: &Place, step: &Step) -> bool {
    let own = if place.ours { key.ours } else { key.theirs };
    let is_pawn = own & bit(step.from) != 0;
    let taken = key.men(place).any(|(man, at)| man.ours != place.ours && at == step.to);
    step.promotion != Officer::None || !matches!(step.goal, Goal::Here(_)) && (!is_pawn || taken)
}

#[test]
fn rows_know_the_quiet_moves_and_where_others_are() {
    let (q, r, b, n) = (code::QUEEN, code::ROOK, code::BISHOP, code::KNIGHT);
    let (mut random, mut buffer) = (Random(0x1751_de51), Vec::new());
    let (mut quiet, mut loud, mut silent) = (0, 0, 0);
    for men in [
        &[P, P, P + BLACK, P + BLACK][..],
        &[r, P, P + BLACK],
        &[b, P, n + BLACK, P + BLACK],
        &[q, r, b + BLACK, P],
        &[n, b + BLACK, r + BLACK],
        &[r + BLACK, P, P, P + BLACK],
    ] {
        let men = [&[K, K + BLACK][..], men].concat();
        for _ in 0..400 {
            let board = random.board(&men);
            for side in Side::ALL {
                let Some((key, place)) = Key::of(&board, side) else { continue };
                let inside = Inside::of(&key);
                steps(&key, &place, &mut buffer);
                let mut here: Vec<Place> = buffer
                    .iter()
                    .filter_map(|s| if let Goal::Here(to) = s.goal { Some(to) } else { None })
                    .collect();
                here.sort_unstable();
                assert_eq!(by_rows(&inside, &key, &place), here, "{key:?} {place:?}");
                quiet += here.len();
                let (row, own) = key.index(&place);
                let is_listed = inside.loud(row, place.ours) & own != 0;
                let has = buffer.iter().any(|step| is_loud(&key, &place, step));
                assert!(is_listed || !has, "{key:?} {place:?}");
                loud += usize::from(has);
                silent += usize::from(!is_listed);
                // A set of one of the places is entered, an empty one is not.
                let mut set = vec![0; key.rows()];
                assert_eq!(inside.not_into(|row| set[row], row, place.ours, own), own);
                if let Some(to) = here.first() {
                    let (at, bits) = key.index(to);
                    set[at] = bits;
                    assert_eq!(
                        inside.not_into(|row| set[row], row, place.ours, own),
                        0,
                        "{key:?} {place:?}"
                    );
                }
            }
        }
    }
    assert!(quiet > 20_000 && loud > 500 && silent > 500, "{quiet} {loud} {silent}");
}

/// Captures that are the same in all positions of a row, and where the others are.
#[test]
fn rows_know_captures_by_fixed_men_of_fixed_men() {
    let (q, r, b, n) = (code::QUEEN, code::ROOK, code::BISHOP, code::KNIGHT);
    let (mut random, mut buffer) = (Random(0x5eed_cafe), Vec::new());
    let (mut same, mut other) = (0, 0);
    for men in [
        &[r, P, P, P + BLACK, P + BLACK][..],
        &[b, P, n + BLACK, P + BLACK, P + BLACK],
        &[q, r, b + BLACK, P, P + BLACK],
        &[n, b + BLACK, r + BLACK, P, P + BLACK],
        &[r + BLACK, P, P, P + BLACK],
    ] {
        let men = [&[K, K + BLACK][..], men].concat();
        for _ in 0..1500 {
            let board = random.board(&men);
            for side in Side::ALL {
                let Some((key, place)) = Key::of(&board, side) else { continue };
                let (row, own) = key.index(&place);
                let mut by_rows = Vec::new();
                Inside::of(&key).captures(row, place.ours, |child, at, blocked| {
                    let child_place = child.place(at, place.men[0], !place.ours);
                    if blocked & own == 0 && child.is_legal(&child_place) {
                        by_rows.push((child, child_place));
                    }
                });
                steps(&key, &place, &mut buffer);
                let mut one_by_one = Vec::new();
                for step in buffer.iter().filter(|step| step.promotion == Officer::None) {
                    let Goal::All([Some((child, after)), None, None]) = step.goal else { continue };
                    let foes = if place.ours { key.theirs } else { key.ours };
                    let men = key.men(&place).any(|(m, at)| m.ours != place.ours && at == step.to);
                    if foes & bit(step.to) == 0 && !men {
                        continue;
                    }
                    if step.from == place.men[0] || step.to == place.men[0] {
                        let takes = Inside::of(&key).axis_takes(row, place.ours);
                        assert!(takes & own != 0, "{key:?} {place:?} {step:?}");
                        other += 1;
                    } else {
                        one_by_one.push((child, after));
                    }
                }
                by_rows.sort_unstable_by_key(|(child, at)| (child.pawns(), child.kind(), *at));
                one_by_one.sort_unstable_by_key(|(child, at)| (child.pawns(), child.kind(), *at));
                assert_eq!(by_rows, one_by_one, "{key:?} {place:?}");
                same += by_rows.len();
            }
        }
    }
    assert!(same > 2_000 && other > 500, "{same} {other}");
}
