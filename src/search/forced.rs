//! Mates in a few moves by checks that leave few replies, looked for before a position is expanded.
//!
//! Such a mate would else cost a proof search the expansion of every position on its way, with all the
//! moves that do not check. What is not found here may be a mate all the same.
//!
//! # References
//! * M. Seo, H. Iida, J. W. H. M. Uiterwijk, *The PN\*-search algorithm: application to tsume-shogi*, 2001:
//!   there too mates end in chains of checks.

use super::checks::{each_check, has_more_flights, mate_in_one};
use crate::chess::board::{Chess, ChessMove, Position};

/// Moves of a mate, and the replies that each of its checks but the last leaves at most. (Of 102 mates in 3
/// to 20, 5 s each, 97 are won without and 98 with these. Mates in two alone, mates in four too, or twice as many
/// replies win the same 98, in times that differ by three hundredths.)
const MATES: [(u16, usize); 2] = [(2, 4), (3, 2)];

/// A check by which the side to move, which does not mate at once, mates in two or three moves, and the plies
/// of that mate; all checks but the last leave the king so many flights at most. A microsecond or two.
pub(super) fn mate(chess: &Chess, flights: Option<u8>) -> Option<(ChessMove, u16)> {
    MATES.iter().find_map(|&(moves, replies)| {
        Some((within(chess, moves, replies, flights)?, 2 * moves - 1))
    })
}

/// A check that mates within so many moves, two at least, with no more replies to any.
fn within(chess: &Chess, moves: u16, replies: usize, flights: Option<u8>) -> Option<ChessMove> {
    each_check(chess, &mut |_, next| {
        if flights.is_some_and(|most| has_more_flights(next, most)) {
            return false;
        }
        let evasions = next.legal_moves();
        evasions.len() <= replies
            && evasions.into_iter().all(|m| {
                let mut next = next.clone();
                next.play_unchecked(m);
                mate_in_one(&next).is_some()
                    || moves > 2 && within(&next, moves - 1, replies, flights).is_some()
            })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Options, mate_in};
    use super::*;
    use crate::chess::board::Board;
    use crate::limits::Budget;

    const TWO: &str = include_str!("../../positions/mates_in_2.epd");
    const MORE: &str = include_str!("../../positions/mates.epd");

    fn boards(text: &str) -> impl Iterator<Item = Board> + '_ {
        let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let fen = |row: &str| row.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        rows.map(move |row| Board::from_fen(&fen(row)).expect("a legal position"))
    }

    /// Whether the move mates within so many plies, by the depth-first search.
    fn mates(board: &Board, m: ChessMove, plies: u16) -> bool {
        let next = board.after(m);
        let is_mated = |next: &Board| {
            mate_in(next, plies - 2, &Options::default(), &Budget::default()).win.is_some()
        };
        next.successors().all(|next| is_mated(&next))
    }

    #[test]
    fn what_is_found_mates_within_the_plies_that_are_told() {
        let mut found = [0; 2];
        for board in boards(TWO).chain(boards(MORE)) {
            for board in std::iter::once(board.clone()).chain(board.successors()) {
                let later =
                    mate(board.chess(), None).filter(|_| mate_in_one(board.chess()).is_none());
                let Some((m, plies)) = later else { continue };
                assert!(mates(&board, m, plies), "{board:?}: {m:?} in {plies}");
                found[usize::from(plies / 2 - 1)] += 1;
            }
        }
        assert!(found.iter().all(|&rows| rows > 5), "{found:?}");
    }

    #[test]
    fn the_last_check_alone_may_leave_what_flights_it_likes() {
        let two_rooks = Board::from_fen("r5k1/5ppp/8/8/8/8/4RPPP/4R1K1 w - -").unwrap();
        let [any, none] = [None, Some(0)].map(|flights| mate(two_rooks.chess(), flights));
        assert_eq!(any.map(|(_, plies)| plies), Some(3));
        assert_eq!(any, none, "the first check leaves no flight");
        // The first check leaves the king a step.
        let ladder = Board::from_fen("8/7k/R7/1R6/8/8/8/K7 w - -").unwrap();
        let [any, none] = [None, Some(0)].map(|flights| mate(ladder.chess(), flights));
        assert_eq!(any.map(|(_, plies)| plies), Some(3));
        assert_eq!(none, None);
    }
}
