//! Patterns against all positions that play leads to, listed.

use super::helpmate::{Search, Style, helpmate};
use super::invariant::{Pawns, close};
use super::material::dead_material;
use super::{Effort, ask_one};
use crate::chess::{Board, Packed, Position, Side, Vector, code};
use crate::limits::Budget;
use std::collections::HashSet;
use theta_kernel::Pattern;

const KNOWN: &str = include_str!("../../tests/data/unwinnable.tsv");

/// D. Lehmer's generator, as S. Park and K. Miller set it.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0 * 48_271 % 0x7fff_ffff;
        self.0 as usize % bound
    }
}

/// Every position that play leads to, dead material left out, up to so many; none if there are more.
fn all(root: &Board, loser: Side, most: usize) -> Option<Vec<Board>> {
    let mut seen: HashSet<Packed> = HashSet::from([root.packed()]);
    let mut list = vec![root.clone()];
    let mut next = 0;
    while let Some(board) = list.get(next).cloned() {
        next += 1;
        for after in board.successors() {
            if !dead_material(after.chess(), loser) && seen.insert(after.packed()) {
                list.push(after);
            }
        }
        if list.len() > most {
            return None;
        }
    }
    Some(list)
}

fn is_mated(board: &Board, side: Side) -> bool {
    board.side_to_move() == side && board.in_check() && board.legal_moves().is_empty()
}

/// A known position with a man or two moved, added or taken away.
fn changed(dice: &mut Dice) -> Option<Board> {
    let known: Vec<&str> =
        KNOWN.lines().filter_map(|row| row.split_once('\t')).map(|r| r.1).collect();
    let mut y = *known[dice.below(known.len())].parse::<Position>().ok()?.vector();
    (65..=68).for_each(|j| y[j] = 0);
    for _ in 0..dice.below(3) {
        let (from, to) = (1 + dice.below(64), 1 + dice.below(64));
        let men = [y[from], code::BISHOP, code::KNIGHT, code::PAWN, code::EMPTY];
        let man = men[dice.below(men.len())];
        let king = |c: u8| c == code::KING || c == code::KING + code::BLACK;
        let black = if dice.below(2) == 0 && man > 0 && man < 7 { code::BLACK } else { 0 };
        if !king(y[to]) && !king(man) {
            y[to] = man + black;
        }
    }
    y[0] = dice.below(2) as u8;
    Board::from_vector(&y).ok()
}

/// The positions of random games.
fn games(root: &Board, loser: Side, dice: &mut Dice) -> Vec<Board> {
    let mut met = Vec::new();
    for _ in 0..20 {
        let mut board = root.clone();
        for _ in 0..60 {
            met.push(board.clone());
            let moves = board.legal_moves();
            if moves.is_empty() || dead_material(board.chess(), loser) {
                break;
            }
            board.play(moves[dice.below(moves.len())]);
        }
    }
    met.retain(|board| !dead_material(board.chess(), loser));
    met
}

/// Patterns hold every position that play leads to (or, where these are too many, those of random
/// games), and say "never" only where no mate is among them.
fn compare(rounds: usize, most: usize) -> [usize; 3] {
    let (mut dice, budget) = (Dice(20_211), Budget::default());
    let mut counts = [0; 3];
    for _ in 0..rounds {
        let Some(root) = changed(&mut dice) else { continue };
        let Some(pattern) = Pattern::of(&root.vector()) else { continue };
        for winner in Side::ALL {
            let loser = winner.other();
            let whole = all(&root, loser, most);
            counts[0] += usize::from(whole.is_some());
            let list = whole.unwrap_or_else(|| games(&root, loser, &mut dice));
            let mate = list.iter().any(|board| is_mated(board, loser));
            for pawns in [Pawns::Frozen, Pawns::Mobile] {
                let (found, _) = close(pattern.clone(), loser, pawns, 40, &budget);
                let Some(closed) = found.unwrap() else {
                    counts[1] += 1;
                    continue;
                };
                counts[2] += 1;
                let text = Position::from(&root).to_string();
                assert!(!mate, "{text}: {winner} can mate");
                for board in &list {
                    let mut y = board.vector();
                    (y[65], y[66]) = (0, 0);
                    let inside =
                        Pattern::of(&y).is_some_and(|p| closed.iter().any(|q| p.within(q)));
                    assert!(inside, "{text}: {} is in none", Position::from(board));
                }
            }
        }
    }
    counts
}

#[test]
fn patterns_hold_all_that_play_leads_to() {
    let [whole, open, closed] = compare(60, 200);
    assert!(whole > 0 && closed > 20 && open > 0, "{whole} {open} {closed}");
}

#[test]
#[ignore = "a minute with --release"]
fn patterns_hold_all_that_play_leads_to_often() {
    let [whole, open, closed] = compare(3000, 5000);
    println!("{whole} listed whole, {open} open, {closed} closed");
}

/// Three and four men: the answer against the whole game, listed.
#[test]
fn small_endings_are_what_listing_says() {
    let (mut dice, budget) = (Dice(7), Budget::default());
    let kinds = [code::BISHOP, code::KNIGHT];
    let mut answered = [0; 2];
    for _ in 0..24 {
        let mut y = Vector::EMPTY;
        for man in [1, 7, kinds[dice.below(2)], kinds[dice.below(2)] + code::BLACK] {
            y[1 + dice.below(64)] = man;
        }
        let Ok(position) = Position::try_from(y) else { continue };
        let board = position.board();
        for winner in Side::ALL {
            let (answer, _) = ask_one(&position, winner, Effort::Full, &budget);
            let can = answer.can().unwrap();
            let (listed, _) = helpmate(&board, winner, Style::Block, usize::MAX, &budget);
            assert_eq!(can, matches!(listed.unwrap(), Search::Mate(_)), "{position} {winner}");
            answered[usize::from(can)] += 1;
        }
    }
    assert!(answered[0] > 0 && answered[1] > 2, "{answered:?}");
}
