use super::bits::{Officer, bit, squares};
use super::children::children;
use super::closed::after;
use super::common::Common;
use super::engine::{Analysis, Unfit};
use super::key::{Key, Place};
use super::moves::{Goal, Spot, steps, taken_back};
use super::plan::plan;
use super::refine::Prover;
use super::store::{Store, UPPER};
use crate::chess::board::{Board, Piece, code_of};
use crate::chess::{Outcome, Packed, Side, code};
use crate::limits::{Budget, Limits, StopReason};
use crate::tables::Tables;
use pretty_assertions::assert_eq;
use std::sync::{Arc, LazyLock};

mod closures;
mod every;
mod held;
mod inside;
mod legal;
mod one_sided;
mod stalemates;
mod tabled;

/// Tables of four men at most that tests compare with: solved once for all of them.
fn truth() -> Arc<Tables> {
    static TRUTH: LazyLock<Arc<Tables>> = LazyLock::new(|| Arc::new(Tables::in_memory()));
    Arc::clone(&TRUTH)
}

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

#[test]
fn what_takes_a_new_officer_are_the_captures_of_it() {
    let mut random = Random(0x7a_4e5b);
    let (mut promotions, mut taken) = (0, 0);
    for round in 0..6000_u32 {
        let officer = Some(2 + (round % 4) as u8);
        let rival = Some(2 + BLACK + (round / 4 % 4) as u8);
        let both = [officer.filter(|_| round % 3 != 0), rival];
        let mut list = vec![K, K + BLACK, P, P, P, P + BLACK];
        list.extend(both.into_iter().flatten());
        let board = random.board(&list);
        for (key, place) in Key::readings(&board, Side::White) {
            let mut list = Vec::new();
            steps(&key, &place, &mut list);
            for step in list.iter().filter(|s| place.ours && s.promotion != Officer::None) {
                let spots = taken_back(&key, &place, step).into_iter().flatten();
                let mut found: Vec<_> =
                    spots.map(|(key, place)| key.board(&place, Side::White).packed()).collect();
                let next = after(&board, step, Side::White);
                let takes = next.legal_moves().into_iter().filter(|m| m.to() as u8 == step.to);
                let mut expected: Vec<_> = takes.map(|m| next.after(m).packed()).collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{} {step:?}", crate::chess::fen(&board.vector()));
                promotions += 1;
                taken += found.len();
            }
        }
    }
    assert!(promotions > 1000 && taken > 300, "{promotions} promotions, {taken} captures");
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

/// Kings and these men.
fn men_of(others: &[u8]) -> Vec<u8> {
    [&[K, K + BLACK], others].concat()
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
