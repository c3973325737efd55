//! Moves of rows against those of each position, and sets that close.

use super::super::growth::{Grown, Order};
use super::moves::Row;
use super::set::{full, squares};
use super::{Outpost, Stay, Terms, grow_rows};
use crate::chess::board::{
    Board, BySide as _, ChessMove, Men, Piece, Position as _, Role, Square, move_of,
};
use crate::chess::{Move, Outcome, Packed, Side, code, fen};
use crate::limits::Budget;
use crate::tables::Tables;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Men on different squares: the holder's king, and others, no pawn where none can stand.
fn men() -> impl Strategy<Value = (Packed, Side)> {
    let man = (0u8..64, 1u8..=12);
    let parts = (proptest::collection::vec(man, 2..9), 0u8..64, any::<bool>());
    parts.prop_map(|(list, king, white)| {
        let holder = if white { Side::White } else { Side::Black };
        let mut men = Packed { occupied: 0, men: 0, state: 0 };
        for (square, man) in list {
            let kind = (man - 1) % 6 + 1;
            let far = kind == code::PAWN && matches!(square / 8, 0 | 7);
            if kind != code::KING && !far && men.occupied >> square & 1 == 0 && square != king {
                men = men.with(square, man);
            }
        }
        (men.with(king, holder.pick(code::KING, code::KING + code::BLACK)), holder)
    })
}

/// The positions of a row that are legal with a side to move.
fn positions(men: &Packed, attacker: Side, to_move: Side) -> Vec<(u8, Board)> {
    let free = !men.occupied;
    let all = squares(free).filter_map(|square| {
        Some((square, Board::from_packed(&full(men, square, attacker, to_move)).ok()?))
    });
    all.collect()
}

fn in_passing_or_castles(m: &ChessMove) -> bool {
    m.is_en_passant() || m.is_castle()
}

/// A holder's move that rows leave out.
fn is_left_out(board: &Board, m: &ChessMove) -> bool {
    let men = board.chess().board();
    let under = m.promotion().is_some_and(|role| role != Role::Queen);
    let ranks = m.from().map_or(0, |from| from.rank() as i32 - m.to().rank() as i32);
    let double = m.role() == Role::Pawn && ranks.abs() == 2;
    let others = men.standing(Piece::new(board.side_to_move().other(), Role::Pawn));
    let near = |square: Square| {
        square.rank() == m.to().rank() && square.file().distance(m.to().file()) == 1
    };
    under || in_passing_or_castles(m) || double && others.into_iter().any(near)
}

proptest! {
    /// For each square of the attacker's king: the holder's moves are its legal moves, but for what
    /// the file says is left out.
    #[test]
    fn the_holders_moves((men, holder) in men()) {
        let row = Row::new(Men::of_packed(&men), holder);
        let steps = row.holders(row.legal());
        for (square, board) in positions(&men, holder.other(), holder) {
            prop_assert!(row.legal() >> square & 1 != 0);
            prop_assert_eq!(row.unchecked() >> square & 1 == 0, board.in_check());
            let moves = board.legal_moves();
            let legal: BTreeSet<Move> =
                moves.iter().filter(|m| !is_left_out(&board, m)).map(move_of).collect();
            let found: BTreeSet<Move> =
                steps.iter().filter(|s| s.kings >> square & 1 != 0).map(|s| s.play).collect();
            prop_assert_eq!(found, legal);
        }
    }

    /// The positions after the attacker's moves, from all squares of his king.
    #[test]
    fn the_attackers_moves((men, holder) in men()) {
        let attacker = holder.other();
        let row = Row::new(Men::of_packed(&men), holder);
        let all = positions(&men, attacker, attacker);
        for (square, board) in &all {
            let from = 1 << square;
            let by_king = row.of_king(from);
            let by_men = row.attackers(from);
            let mut found = BTreeSet::new();
            let by_men = by_men.into_iter().map(|step| (step.men, step.kings));
            for (men, kings) in by_king.into_iter().chain(by_men) {
                let of = |king| full(&men.packed(), king, attacker, holder);
                found.extend(squares(kings).map(of));
            }
            let state = Packed::state(holder.pick(0, 1), 0, 0, 0, 0);
            let plain = |p: Packed| Packed { state, ..p };
            let legal: BTreeSet<Packed> = board
                .legal_moves()
                .into_iter()
                .filter(|m| !in_passing_or_castles(m))
                .map(|m| plain(board.after(m).packed()))
                .collect();
            prop_assert_eq!(found, legal);
        }
    }
}

/// Random positions of few men with the holder to move, from a seed.
fn random(men: &str, seed: u64, number: usize) -> Vec<Board> {
    let mut state = seed;
    let mut square = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % 64
    };
    let mut boards = Vec::new();
    while boards.len() < number {
        let mut rows = [['1'; 8]; 8];
        for man in men.chars() {
            let at = square();
            rows[at as usize / 8][at as usize % 8] = man;
        }
        let placed: Vec<String> = rows.iter().map(String::from_iter).collect();
        let board = Board::from_fen(&format!("{} w - -", placed.join("/")));
        let whole = |b: &Board| b.chess().board().occupied().count() == men.len();
        boards.extend(board.ok().filter(whole));
    }
    boards
}

/// What closes is not lost, and what fails is: against the tables, White holding. (Nothing is left out
/// that matters: White has no pawn.)
#[test]
fn sets_on_rows_agree_with_tables() {
    let tables = Tables::in_memory();
    let (mut counts, mut regions) = ([0, 0], 0);
    for (seed, men) in ["Kkq", "Kkr", "Kkp", "KRkr", "KNkr", "KQkq"].iter().enumerate() {
        for root in random(men, seed as u64 + 1, 3) {
            let material = Tables::material_of(&root).unwrap();
            tables.ensure(material, &Budget::default()).unwrap();
            let value = tables.probe(&root).unwrap().unwrap();
            let is_lost = value.outcome() == Outcome::Wins(Side::Black);
            let starts = std::slice::from_ref(&root);
            // What fails has all of its rows listed: some four thousand of three men.
            let limit = if men.len() == 3 { 5_000 } else { 1_500 };
            for order in [Order::Waiting, Order::Quiet, Order::KnownSetUps, Order::FewestReplies] {
                let terms =
                    Terms { floor: -100, order, stay: Stay::ANYWHERE, rows: limit, each: false };
                let Ok(end) = grow_rows(&root, Side::White, starts, terms, &mut Nothing);
                let Some(lost) = decided(&end) else { continue };
                counts[usize::from(lost)] += 1;
                assert_eq!(lost, is_lost, "{order:?} {}", fen(&root.vector()));
            }
            // What a region closes is not lost; that it fails says nothing.
            for stay in Stay::regions(&root, Side::White) {
                let terms =
                    Terms { floor: -100, order: Order::Quiet, stay, rows: limit, each: false };
                let Ok(end) = grow_rows(&root, Side::White, starts, terms, &mut Nothing);
                let closed = decided(&end) == Some(false);
                regions += u32::from(closed);
                assert!(!closed || !is_lost, "{stay:?} {}", fen(&root.vector()));
            }
        }
    }
    assert!(counts[0] > 5 && counts[1] > 10 && regions > 5, "{counts:?} {regions}");
}

fn decided(end: &Grown) -> Option<bool> {
    match end {
        Grown::Closed(_) => Some(false),
        Grown::Failed => Some(true),
        Grown::TooLarge => None,
    }
}

/// Knows nothing, and gives no limit.
struct Nothing;

impl Outpost for Nothing {
    type Error = std::convert::Infallible;

    fn spent(&mut self, _: u64, _: u64) -> Result<(), Self::Error> {
        Ok(())
    }

    fn is_held(&self, _: &Board) -> Option<bool> {
        None
    }
}

fn grown(fen: &str, holder: Side, floor: i32, order: Order) -> Grown {
    let root = Board::from_fen(fen).unwrap();
    let starts = [root.clone()];
    assert_eq!(root.side_to_move(), holder);
    let terms = Terms { floor, order, stay: Stay::ANYWHERE, rows: 10_000, each: false };
    let Ok(grown) = grow_rows(&root, holder, &starts, terms, &mut Nothing);
    grown
}

#[test]
fn a_wall_of_pawns_closes_in_every_order() {
    // Rudolph 1912, after the sacrifices: two rooks and a bishop roam behind the wall.
    let fen = "3k4/1r2p3/r2pPp2/b1pP1Pp1/1pP3Pp/pP2K2P/P7/8 w - -";
    for order in [Order::Waiting, Order::Quiet, Order::KnownSetUps, Order::FewestReplies] {
        let Grown::Closed(set) = grown(fen, Side::White, -13, order) else {
            panic!("{order:?}: not closed")
        };
        // Every reply to a move of the set is in it.
        for (p, answer) in set.iter() {
            let board = Board::from_packed(&p).unwrap();
            let play = board.find(answer.play.unwrap()).unwrap();
            for reply in board.after(play).successors() {
                assert!(set.answer(&reply.packed()).is_some());
            }
        }
    }
}

#[test]
fn starts_that_are_held_each_for_itself_may_be_lost() {
    let boards = [
        "3k4/1r2p3/r2pPp2/b1pP1Pp1/1pP3Pp/pP2K2P/P7/8 w - -",
        // The wall has a hole, and a pawn less.
        "3k4/1r2p3/r2pPp2/b1pP1Pp1/1pP3Pp/pP2K3/P7/8 w - -",
    ]
    .map(|fen| Board::from_fen(fen).unwrap());
    let grown = |each: bool| {
        let (order, stay) = (Order::Quiet, Stay::ANYWHERE);
        let terms = Terms { floor: -13, order, stay, rows: 10_000, each };
        let Ok(grown) = grow_rows(&boards[0], Side::White, &boards, terms, &mut Nothing);
        grown
    };
    assert!(matches!(grown(false), Grown::Failed));
    let Grown::Closed(set) = grown(true) else { panic!("not closed") };
    assert_eq!(boards.map(|board| set.answer(&board.packed()).is_some()), [true, false]);
}

#[test]
fn pawns_that_stand_promote_only_where_that_ends_the_game() {
    // Black's king has no move; f1=Q is mate unless White has a bishop that takes the queen.
    for (fen, closes) in
        [("8/8/8/8/7p/2N3bP/5pP1/k1B4K b - -", true), ("8/8/B7/8/7p/2N3bP/5pP1/k1B4K b - -", false)]
    {
        let root = Board::from_fen(fen).unwrap();
        let stay = Stay::standing(&root, Side::Black, 0);
        let terms = Terms { floor: -100, order: Order::Quiet, stay, rows: 1_000, each: true };
        let Ok(grown) =
            grow_rows(&root, Side::Black, std::slice::from_ref(&root), terms, &mut Nothing);
        assert_eq!(matches!(grown, Grown::Closed(_)), closes, "{fen}");
    }
}

#[test]
fn what_is_lost_does_not_close() {
    // The bare king is mated by two rooks, and the wall with a hole is walked through.
    for (fen, floor) in [
        ("8/8/8/4k3/8/8/r6r/4K3 w - -", -100),
        ("3k4/1r2p3/r2pPp2/b1pP1Pp1/1pP3Pp/pP2K3/P7/8 w - -", -14),
    ] {
        for order in [Order::Waiting, Order::Quiet, Order::KnownSetUps, Order::FewestReplies] {
            let end = grown(fen, Side::White, floor, order);
            assert!(!matches!(end, Grown::Closed(_)), "{fen} {order:?}");
        }
    }
}

#[test]
fn a_stalemate_that_a_capture_in_passing_ends_is_none() {
    let men = |fen: &str| {
        let board = Board::from_fen(fen).unwrap();
        let mut men = board.chess().board().clone();
        men.discard_piece_at(men.king(Side::White).unwrap());
        Row::new(men, Side::Black)
    };
    assert!(!men("k7/8/8/8/3pP3/8/8/K7 b - -").is_sure());
    assert!(men("k7/8/8/8/4p3/4P3/8/K7 b - -").is_sure());
    // Not across the edge of the board.
    assert!(men("k7/8/8/7p/P7/8/8/K7 b - -").is_sure());
}
