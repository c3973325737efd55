use super::bits::{Officer, bit, squares};
use super::engine::{Analysis, Unfit};
use super::exits::children;
use super::key::{Key, Place};
use super::moves::{Goal, steps};
use super::refine::Prover;
use super::store::Store;
use crate::chess::board::{Board, Role};
use crate::chess::{Outcome, Packed, Side, code};
use crate::limits::{Budget, Limits};
use crate::tables::Tables;
use pretty_assertions::assert_eq;

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
        let list = men(officer, random.below(6) as usize, random.below(6) as usize);
        let board = random.board(&list);
        for attacker in [Side::White, Side::Black] {
            let Some((key, place)) = Key::of(&board, attacker) else { continue };
            let mut found = Vec::new();
            steps(&key, &place, &mut found);
            let turn = if attacker == Side::White { 0 } else { 56 };
            let mut found: Vec<_> =
                found.iter().map(|s| (s.from ^ turn, s.to ^ turn, s.promotion as usize)).collect();
            let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
            let number = |role| roles.iter().position(|&r| r == role).map_or(0, |i| i + 1);
            let mut legal: Vec<_> = board
                .legal_moves()
                .iter()
                .map(|m| {
                    let from = m.from().expect("no drops") as u8;
                    (from, m.to() as u8, m.promotion().map_or(0, number))
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
        let board = random.board(&list);
        let Some((key, _)) = Key::of(&board, Side::White) else { continue };
        let mut prover = Prover::default();
        // Some of the exits are at hand, some are not.
        let budget = Budget::new(Limits::default().with_positions(10 << 19));
        let spot = Key::of(&board, Side::White).expect("checked");
        let _ = prover.prove(&spot, &budget);
        prover.store.add(&key);
        prover.store.solve(&key, &[]);
        let free = !(key.ours | key.theirs);
        let mut compared = 0;
        for king in squares(free) {
            for other in squares(free) {
                for ours in [true, false] {
                    let man = if key.is_large() { random.below(64) as u8 } else { 0 };
                    let place = Place { king, other, man, ours };
                    if key.is_legal(&place) {
                        let by_rows = prover.store.is_won(&key, &place);
                        let by_steps = won_by_steps(&prover.store, &key, &place);
                        assert_eq!(by_rows, by_steps, "{key:?} {place:?}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 1000, "{compared} positions of {key:?}");
    }
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
        // Both sides are walled in.
        ("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -", Some(Outcome::Draw)),
    ] {
        let (board, analysis) = analysed(fen);
        assert_eq!(analysis.known(&board), value, "{fen}");
    }
}

#[test]
fn a_winner_mates_whatever_is_played() {
    let (mut board, analysis) = analysed("8/ppp5/8/PPP5/8/8/8/1k5K w - -");
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
    assert_eq!(fit("4k2r/p7/8/8/8/8/P7/4K2R w - -"), Err(Unfit::Men));
    assert_eq!(fit("4k3/p7/8/8/8/8/P7/4K2R w - -"), Ok(()));
}

/// The board of a place, the attacker White.
fn board_of(key: &Key, place: &Place) -> Option<Board> {
    let mut p = Packed { occupied: 0, men: 0, state: u16::from(!place.ours) };
    let mut men = vec![(place.king, K), (place.other, K + BLACK)];
    men.extend(squares(key.ours).map(|s| (s, P)));
    men.extend(squares(key.theirs).map(|s| (s, P + BLACK)));
    match key.officer {
        Officer::None => {}
        Officer::Queen => men.push((place.man, code::QUEEN)),
        Officer::Rook => men.push((place.man, code::ROOK)),
        Officer::Bishop => men.push((place.man, code::BISHOP)),
        Officer::Knight => men.push((place.man, code::KNIGHT)),
    }
    men.iter().for_each(|&(square, man)| p = p.with(square, man));
    Board::from_packed(&p).ok()
}

/// Slices of these men of which a random part is at hand, every other exit hidden: so many
/// positions, both bounds held against tables. How many of the bounds said something.
fn one_sided(men: &[u8], positions: u64, tables: &Tables, random: &mut Random) -> u64 {
    let (mut compared, mut told) = (0, 0);
    while compared < positions {
        let Some((root, _)) = Key::of(&random.board(men), Side::White) else { continue };
        let mut store = Store::default();
        let mut keys = vec![root];
        let share = 1 + random.below(4);
        for at in 0..40 {
            let Some(&key) = keys.get(at) else { break };
            let seen = |key: &Key| random.below(4) < share && !keys.contains(key);
            let more: Vec<Key> = children(&key).into_iter().filter(seen).collect();
            keys.extend(more);
        }
        keys.iter().for_each(|key| store.add(key));
        for _ in 0..3 * keys.len() {
            let key = keys[random.below(keys.len() as u64) as usize];
            store.solve(&key, &[]);
            store.solve_hold(&key);
        }
        for _ in 0..4000.min(positions) {
            let key = &keys[random.below(keys.len() as u64) as usize];
            let [king, other, man] = [0; 3].map(|_: u8| random.below(64) as u8);
            let man = if key.is_large() { man } else { 0 };
            let place = Place { king, other, man, ours: random.below(2) == 0 };
            if !key.is_legal(&place) {
                continue;
            }
            let board = board_of(key, &place).expect("a legal place is a legal position");
            let value = tables.value(&board, &Budget::default()).unwrap().expect("few men");
            let wins = value.winner() == Some(Side::White);
            let name = crate::chess::fen(&board.vector());
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
