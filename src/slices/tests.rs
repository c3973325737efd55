use super::bits::{Officer, bit, squares};
use super::common::Common;
use super::engine::{Analysis, Unfit};
use super::exits::children;
use super::key::{Key, Place};
use super::moves::{Goal, Spot, steps};
use super::plan::plan;
use super::refine::Prover;
use super::store::{Store, UPPER};
use crate::chess::board::{Board, Piece, code_of};
use crate::chess::{Outcome, Packed, Side, code};
use crate::limits::{Budget, Limits, StopReason};
use crate::tables::Tables;
use pretty_assertions::assert_eq;
use std::sync::Arc;

mod every;
mod held;
mod inside;
mod stalemates;
mod tabled;

/// A reproducible stream of words (G. Marsaglia, *Xorshift RNGs*, 2003).
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.word() >> 20) % n
    }

    /// Squares of a slice's officers.
    fn men(&mut self, key: &Key) -> [u8; 3] {
        let kind = key.kind();
        std::array::from_fn(|at| if at < kind { self.below(64) as u8 } else { 0 })
    }

    /// Some legal position with these men, given as codes.
    fn board(&mut self, men: &[u8]) -> Board {
        loop {
            let mut p = Packed { occupied: 0, men: 0, state: self.below(2) as u16 };
            for &man in men {
                let pawn = man % 6 == 0;
                let square = if pawn { 8 + self.below(48) } else { self.below(64) } as u8;
                if p.occupied & bit(square) == 0 {
                    p = p.with(square, man);
                }
            }
            if p.len() == men.len()
                && let Ok(board) = Board::from_packed(&p)
            {
                return board;
            }
        }
    }
}

const K: u8 = code::KING;
const P: u8 = code::PAWN;
const BLACK: u8 = code::BLACK;

fn men(officer: Option<u8>, white: usize, black: usize) -> Vec<u8> {
    let mut list = vec![K, K + BLACK];
    list.extend(officer);
    list.extend(std::iter::repeat_n(P, white));
    list.extend(std::iter::repeat_n(P + BLACK, black));
    list
}

#[test]
fn steps_are_the_legal_moves() {
    let mut random = Random(0x51_1ce5);
    let officers = [None, Some(2), Some(3), Some(4), Some(5)];
    for round in 0..4000 {
        let officer = officers[round % officers.len()];
        let mut list = men(officer, random.below(6) as usize, random.below(6) as usize);
        // Officers of the other side, and a second one; three in all.
        list.extend(officers[round / 5 % 5].map(|rival| rival + BLACK));
        list.extend(if round % 2 == 0 { officers[round / 25 % 5] } else { None });
        if round % 2 == 1 {
            list.extend(officers[round / 25 % 5].map(|rival| rival + BLACK));
        }
        // Three or four of one side, all but one at rest.
        if round % 7 == 0 {
            list = men(Some(2 + round as u8 / 7 % 4), 2, 3);
            list.extend(
                (0..2 + round / 28 % 2).filter_map(|at| officers[1 + (round / 56 + at) % 4]),
            );
        }
        let board = random.board(&list);
        let both = [Side::White, Side::Black];
        let read =
            both.map(|side| Key::readings(&board, side).into_iter().map(move |read| (side, read)));
        for (attacker, (key, place)) in read.into_iter().flatten() {
            let mut found = Vec::new();
            steps(&key, &place, &mut found);
            let turn = if attacker == Side::White { 0 } else { 56 };
            let mut found: Vec<_> =
                found.iter().map(|s| (s.from ^ turn, s.to ^ turn, number(s.promotion))).collect();
            let of = |role| code_of(Piece::new(Side::White, role));
            let mut legal: Vec<_> = board
                .legal_moves()
                .iter()
                // Men at rest do not move.
                .filter(|m| {
                    let from = m.from().expect("no drops") as u8 ^ turn;
                    !place.ours || key.rest.squares() & bit(from) == 0
                })
                .map(|m| {
                    let from = m.from().expect("no drops") as u8;
                    (from, m.to() as u8, m.promotion().map(of))
                })
                .collect();
            found.sort_unstable();
            legal.sort_unstable();
            assert_eq!(found, legal, "{}", crate::chess::fen(&board.vector()));
        }
    }
}

/// Whether the steps of a place say that it is won, by the proved sets of its own and other slices.
fn won_by_steps(store: &Store, key: &Key, place: &Place) -> bool {
    let mut list = Vec::new();
    steps(key, place, &mut list);
    let mut won = list.iter().map(|step| match &step.goal {
        Goal::Here(next) => store.is_won(key, next),
        _ if place.ours && !matches!(step.promotion, Officer::None | Officer::Queen) => false,
        goal => store.goal_level(goal) == 0,
    });
    if place.ours {
        won.any(|w| w)
    } else if list.is_empty() {
        key.checks_defender(place)
    } else {
        won.all(|w| w)
    }
}

#[test]
fn rows_say_what_steps_say() {
    let mut random = Random(0xbead);
    for round in 0..8 {
        let officer = [None, Some(2), None, Some(5)][round % 4];
        let list = men(officer, 1 + round % 3, 1 + round % 2);
        compare_rows(&list, 10 << 19, &mut random);
    }
}

#[test]
fn rows_beside_men_at_rest_say_what_steps_say() {
    let mut random = Random(0x5e57);
    for rest in [&[4][..], &[5, 4], &[3, 3], &[2, 5, 4]] {
        for officer in [3, 5] {
            let mut list = men(Some(officer), 2, 2);
            list.extend(rest);
            compare_rows(&list, 10 << 19, &mut random);
        }
    }
}

#[test]
fn rows_of_two_officers_say_what_steps_say() {
    let mut random = Random(0xbeaf);
    // The third is at rest, and so is the fourth.
    for men_of in [&[3, 3 + BLACK][..], &[2, 5 + BLACK], &[2, 5, 3 + BLACK], &[5, 4, 3, 2 + BLACK]]
    {
        let mut list = men(None, 2, 2);
        list.extend(men_of);
        compare_rows(&list, 4 << 25, &mut random);
    }
    // Both of two officers move.
    let mut list = men(Some(5), 2, 1);
    list.push(4);
    let board = random.board(&list);
    let both = Key::readings(&board, Side::White).into_iter().find(|(key, _)| key.kind() == 2);
    compare_slice(&both.expect("two officers"), 4 << 25, &mut random);
}

/// The same for the first slice that random men are read in.
fn compare_rows(list: &[u8], positions: u64, random: &mut Random) {
    let board = random.board(list);
    let spots = Key::readings(&board, Side::White);
    compare_slice(spots.first().expect("men that slices know"), positions, random);
}

/// Some of the slices around a position are solved, each of them so that `positions` are looked at;
/// then a slice's proved rows are held against what the steps say.
fn compare_slice((key, place): &Spot, positions: u64, random: &mut Random) {
    let mut prover = Prover::default();
    // Some of the exits are at hand, some are not.
    let budget = Budget::new(Limits::default().with_positions(positions));
    let _ = prover.prove(&(*key, *place), &budget);
    prover.store.add(key);
    prover.store.solve(key, &[]);
    let free = !(key.ours | key.theirs);
    let mut compared = 0;
    for king in squares(free) {
        for other in squares(free) {
            for ours in [true, false] {
                let place = Place { king, other, men: random.men(key), ours };
                if key.is_legal(&place) {
                    let by_rows = prover.store.is_won(key, &place);
                    let by_steps = won_by_steps(&prover.store, key, &place);
                    assert_eq!(by_rows, by_steps, "{key:?} {place:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1000, "{compared} positions of {key:?}");
}

fn analysed(fen: &str) -> (Board, Analysis) {
    let board = Board::from_fen(fen).unwrap();
    let mut analysis = Analysis::new();
    analysis.pursue(&board, &Budget::default());
    assert_eq!(analysis.stuck(), 0);
    (board, analysis)
}

#[test]
fn known_values() {
    for (fen, value) in [
        ("8/8/8/8/8/2k5/2p5/2K5 w - -", Some(Outcome::Draw)),
        ("8/8/8/4k3/8/4K3/4P3/8 w - -", Some(Outcome::Draw)),
        ("4k3/8/4K3/4P3/8/8/8/8 w - -", Some(Outcome::Wins(Side::White))),
        ("4k3/4p3/4K3/8/8/8/8/8 b - -", Some(Outcome::Draw)),
        // A breakthrough: three pawns against three.
        ("8/ppp5/8/PPP5/8/8/8/1k5K w - -", Some(Outcome::Wins(Side::White))),
        // A promotion beside a knight at rest, which the defender answers with its own.
        ("8/P7/8/8/8/2p2N2/2P2kp1/3K4 b - -", Some(Outcome::Wins(Side::White))),
        // Both sides are walled in.
        ("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -", Some(Outcome::Draw)),
    ] {
        let (board, analysis) = analysed(fen);
        assert_eq!(analysis.known(&board), value, "{fen}");
    }
}

#[test]
fn a_winner_mates_whatever_is_played() {
    mates("8/ppp5/8/PPP5/8/8/8/1k5K w - -");
    // An officer of each side; the pawn promotes beside the bishop.
    mates("6k1/8/4n3/8/8/3PK3/8/3B4 w - -");
    // A rook moves, bishop and knight stand still.
    mates("8/3R4/1PB3p1/8/P5kP/8/N1P4P/6K1 w - -");
    // Two rooks: which of them moves is not changed on the way.
    mates("7k/5p1p/6p1/8/8/6P1/R5K1/R7 w - -");
}

/// White wins, and its play mates.
fn mates(fen: &str) {
    let (board, analysis) = analysed(fen);
    mates_by(board, &analysis);
}

fn mates_by(mut board: Board, analysis: &Analysis) {
    let mut winner = analysis.winner(Side::White, 1 << 26);
    let mut random = Random(7);
    for _ in 0..200 {
        let play = winner.play(&board).expect("won");
        board.play(board.find(play).expect("legal"));
        let replies = board.legal_moves();
        if replies.is_empty() {
            assert!(board.in_check());
            return;
        }
        let reply = replies[random.below(replies.len() as u64) as usize];
        board.play(reply);
    }
    panic!("no mate in 200 moves");
}

#[test]
fn what_slices_do_not_know_is_refused() {
    let fit = |fen: &str| Analysis::suits(&Board::from_fen(fen).unwrap());
    assert_eq!(fit("4k3/p7/8/8/8/8/P7/4K2R w K -"), Err(Unfit::Castling));
    assert_eq!(fit("4kr1r/p7/8/8/8/8/P7/2RQK2R w - -"), Err(Unfit::Men));
    assert_eq!(fit("4k3/p7/8/8/8/8/P7/2RQKRNR w - -"), Err(Unfit::Men));
    assert_eq!(fit("4k2r/p7/8/8/8/8/P7/2RQK1NR w - -"), Ok(()));
    assert_eq!(fit("3qk2r/p7/8/8/8/8/P7/3QK2R w - -"), Err(Unfit::Men));
    assert_eq!(fit("4k2r/p7/8/8/8/8/P7/3QK2R w - -"), Ok(()));
    assert_eq!(fit("4k2r/p7/8/8/8/8/P7/4K2R w - -"), Ok(()));
    assert_eq!(fit("4k3/p7/8/8/8/8/P7/4K2R w - -"), Ok(()));
}

#[test]
fn a_plan_counts_slices_with_men_at_rest() {
    let board = Board::from_fen("8/3R4/1PB3p1/8/6kP/8/N7/6K1 w - -").unwrap();
    let [white, black] = Side::ALL.map(|side| plan(&board, side).unwrap());
    // One officer moves about in all of them; the pawns have no officer to win with.
    assert!(white.large > 100 && white.duels == 0 && white.whole, "{white:?}");
    assert_eq!(black.positions(), 0);
}

/// An officer's code.
fn number(officer: Officer) -> Option<u8> {
    match officer {
        Officer::None => None,
        Officer::Queen => Some(code::QUEEN),
        Officer::Rook => Some(code::ROOK),
        Officer::Bishop | Officer::OddBishop => Some(code::BISHOP),
        Officer::Knight => Some(code::KNIGHT),
    }
}

/// The board of a place, the attacker White.
fn board_of(key: &Key, place: &Place) -> Option<Board> {
    Board::from_packed(&key.packed(place, Side::White)).ok()
}

/// Slices of these men of which a random part is at hand, every other exit hidden: so many
/// positions, both bounds held against tables. How many of the bounds said something.
fn one_sided(men: &[u8], positions: u64, tables: &Tables, random: &mut Random) -> u64 {
    one_sided_by(men, positions, tables, random, &mut || vec![Store::default()])
}

/// The same with stores made for each root, which take turns.
fn one_sided_by(
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
    let (tables, mut random) = (Tables::in_memory(), Random(0x0e51));
    let told = one_sided(&men(None, 1, 0), 3000, &tables, &mut random);
    assert!(told > 1000, "{told}");
}

#[test]
fn one_sided_values_of_stores_that_share_contradict_no_table() {
    let (tables, mut random) = (Tables::in_memory(), Random(0x0e54));
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

/// Several threads ask for the same wins, each in its own order.
#[test]
fn threads_prove_what_one_proves() {
    for (fen, value) in [
        ("8/ppp5/8/PPP5/8/8/8/1k5K w - -", Some(Outcome::Wins(Side::White))),
        ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -", Some(Outcome::Wins(Side::White))),
        ("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -", Some(Outcome::Draw)),
    ] {
        let board = Board::from_fen(fen).unwrap();
        let mut analysis = Analysis::new();
        let budget = Budget::new(Limits::default().with_threads(4));
        analysis.pursue(&board, &budget);
        assert_eq!((analysis.known(&board), analysis.stuck()), (value, 0), "{fen}");
    }
}

#[test]
fn one_sided_values_of_two_officers_contradict_no_table() {
    let (tables, mut random) = (Tables::in_memory(), Random(0x0e52));
    for [own, other] in [[3, 4], [2, 3], [3, 5], [2, 2]] {
        let told = one_sided(&men_of(&[own, other + BLACK]), 4000, &tables, &mut random);
        println!("{own} against {other}: {told}");
        assert!(told > 400, "{own} against {other}: {told}");
    }
    // Two of one side, like ones too; of the defender's the attacker's pawns are held.
    for list in [[4, 5], [5, 5], [3, 3], [P, 3 + BLACK], [P, 2 + BLACK], [P, 5 + BLACK]] {
        let told = one_sided(&men_of(&list), 4000, &tables, &mut random);
        println!("{list:?}: {told}");
        assert!(told > 400, "{list:?}: {told}");
    }
    // A promotion beside a minor officer, which rests then.
    let told = one_sided(&men_of(&[P, 5]), 4000, &tables, &mut random);
    assert!(told > 400, "{told}");
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
    let (tables, mut random) = (Arc::new(Tables::in_memory()), Random(0x0e56));
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
    let (tables, mut random) = (Tables::in_memory(), Random(0x0e58));
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

#[test]
fn bounds_where_queens_meet_contradict_no_table() {
    let (tables, mut random) = (Tables::in_memory(), Random(0x0e59));
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

/// Kings and these men.
fn men_of(others: &[u8]) -> Vec<u8> {
    [&[K, K + BLACK], others].concat()
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
fn what_has_no_memory_for_one_slice_more_ends() {
    // No limit on time: the questions share what is left, which is too little for any of them.
    let board = Board::from_fen("8/5k2/7p/5N2/6p1/8/5K2/8 w - -").unwrap();
    for kilobytes in [300, 1200, 2000] {
        let tight = Budget::new(Limits::default().with_memory(kilobytes << 10));
        let ended = Analysis::new().pursue(&board, &tight);
        assert_eq!(ended, Some(StopReason::Memory), "{kilobytes} KiB");
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
    let (tables, mut random) = (Tables::in_memory(), Random(0x0e51));
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
