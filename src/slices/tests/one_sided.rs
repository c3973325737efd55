//! Values that slices prove with exits hidden, against tables.

use super::*;

/// Slices of these men of which a random part is at hand, every other exit hidden: so many
/// positions, both bounds held against tables. How many of the bounds said something.
fn one_sided(men: &[u8], positions: u64, tables: &Tables, random: &mut Random) -> u64 {
    one_sided_by(men, positions, tables, random, &mut || vec![Store::default()])
}

/// The same with stores made for each root, which take turns.
pub(super) fn one_sided_by(
    men: &[u8],
    positions: u64,
    tables: &Tables,
    random: &mut Random,
    stores: &mut impl FnMut() -> Vec<Store>,
) -> u64 {
    let (mut compared, mut told) = (0, 0);
    while compared < positions {
        let board = random.board(men);
        let Some((root, _)) = Key::readings(&board, Side::White).first().copied() else { continue };
        let mut stores = stores();
        let mut keys = vec![root];
        let share = 1 + random.below(4);
        let most = if root.is_several() { 3 } else { 40 };
        for at in 0..most {
            let Some(&key) = keys.get(at) else { break };
            let seen = |key: &Key| random.below(4) < share && !keys.contains(key);
            let more: Vec<Key> = children(&key).into_iter().filter(seen).collect();
            keys.extend(more);
        }
        let number = stores.len() as u64;
        for _ in 0..3 * keys.len() {
            let key = keys[random.below(keys.len() as u64) as usize];
            let store = &mut stores[random.below(number) as usize];
            store.add(&key);
            store.solve(&key, &[]);
            // Holds are never asked where some of the attacker's men do not move.
            if key.is_below() {
                continue;
            } else if key.is_several() {
                store.solve_once(&key, UPPER);
            } else {
                store.solve_hold(&key);
            }
        }
        for _ in 0..4000.min(positions) {
            let key = &keys[random.below(keys.len() as u64) as usize];
            let [king, other] = [0; 2].map(|_: u8| random.below(64) as u8);
            let men = random.men(key);
            let place = Place { king, other, men, ours: random.below(2) == 0 };
            if !key.is_legal(&place) {
                continue;
            }
            let board = board_of(key, &place).expect("a legal place is a legal position");
            let value = tables.value(&board, &Budget::default()).unwrap().expect("few men");
            let wins = value.winner() == Some(Side::White);
            let name = crate::chess::fen(&board.vector());
            let store = &stores[random.below(number) as usize];
            let (won, held) = (store.is_won(key, &place), store.is_held(key, &place));
            assert!(!won || wins, "{name} is called won");
            assert!(!held || !wins, "{name} is called held");
            compared += 1;
            told += u64::from(won || held);
        }
    }
    told
}

#[test]
fn one_sided_values_contradict_no_table() {
    let (tables, mut random) = (truth(), Random(0x0e51));
    let told = one_sided(&men(None, 1, 0), 3000, &tables, &mut random);
    assert!(told > 1000, "{told}");
}

#[test]
fn one_sided_values_of_stores_that_share_contradict_no_table() {
    let (tables, mut random) = (truth(), Random(0x0e54));
    let mut sharing = || {
        let common = Arc::<Common>::default();
        let mut stores: Vec<Store> = (0..3).map(|_| Store::default()).collect();
        stores.iter_mut().for_each(|store| store.share(&common));
        stores
    };
    for list in [men(None, 1, 1), men(Some(5), 0, 1)] {
        let told = one_sided_by(&list, 4000, &tables, &mut random, &mut sharing);
        assert!(told > 600, "{list:?}: {told}");
    }
}

#[test]
fn one_sided_values_of_two_officers_contradict_no_table() {
    let (tables, mut random) = (truth(), Random(0x0e52));
    for [own, other] in [[3, 4], [2, 3], [3, 5]] {
        let told = one_sided(&men_of(&[own, other + BLACK]), 4000, &tables, &mut random);
        println!("{own} against {other}: {told}");
        assert!(told > 400, "{own} against {other}: {told}");
    }
    // Two of one side, like ones too; of the defender's the attacker's pawns are held.
    for list in [[4, 5], [5, 5], [P, 3 + BLACK], [P, 5 + BLACK]] {
        let told = one_sided(&men_of(&list), 4000, &tables, &mut random);
        println!("{list:?}: {told}");
        assert!(told > 400, "{list:?}: {told}");
    }
    // A promotion beside a minor officer, which rests then.
    let told = one_sided(&men_of(&[P, 5]), 4000, &tables, &mut random);
    assert!(told > 400, "{told}");
}

#[test]
fn bounds_where_queens_meet_contradict_no_table() {
    let (tables, mut random) = (truth(), Random(0x0e59));
    let mut meeting = || {
        let mut store = Store::default();
        store.meets = true;
        vec![store]
    };
    for list in [[P, P + BLACK], [P, 2 + BLACK], [3, P + BLACK]] {
        let told = one_sided_by(&men_of(&list), 2000, &tables, &mut random, &mut meeting);
        assert!(told > 400, "{list:?}: {told}");
    }
}

#[test]
#[ignore = "the five-man tables take minutes"]
fn one_sided_values_beside_pawns_contradict_no_table() {
    let (tables, mut random) = (Tables::in_memory(), Random(0x0e53));
    for list in [
        [3, P, 3 + BLACK],
        [4, P, 5 + BLACK],
        [2, 4, 5 + BLACK],
        [3, 3, 3 + BLACK],
        [2, 3 + BLACK, 5 + BLACK],
        [P, 4 + BLACK, 5 + BLACK],
        [P, P + BLACK, 3 + BLACK],
    ] {
        let told = one_sided(&men_of(&list), 40_000, &tables, &mut random);
        println!("{list:?}: {told} of 40000 bounds say something");
        assert!(told > 4000, "{list:?}: {told}");
    }
}

#[test]
#[ignore = "the five-man tables take minutes"]
fn one_sided_values_beside_men_at_rest_contradict_no_table() {
    let (tables, mut random) = (Tables::in_memory(), Random(0x0e59));
    for list in [[5, 5, 4], [4, 5, 3], [4, 4, 5], [4, 5, P], [3, 5, P + BLACK]] {
        let told = one_sided(&men_of(&list), 40_000, &tables, &mut random);
        println!("{list:?}: {told} of 40000 bounds say something");
        assert!(told > 4000, "{list:?}: {told}");
    }
}

#[test]
#[ignore = "a million positions of all the four-man signatures that fit, 2 minutes in release"]
fn a_million_one_sided_values_contradict_no_table() {
    let (tables, mut random) = (truth(), Random(0x0e51));
    let officers = [Some(2), Some(3), Some(4), Some(5)];
    let mut signatures = vec![men(None, 2, 0), men(None, 1, 1), men(None, 0, 2)];
    signatures.extend(officers.map(|officer| men(officer, 1, 0)));
    signatures.extend(officers.map(|officer| men(officer, 0, 1)));
    for list in signatures {
        let told = one_sided(&list, 100_000, &tables, &mut random);
        println!("{list:?}: {told} of 100000 bounds say something");
        assert!(told > 10_000, "{list:?}: {told}");
    }
}
