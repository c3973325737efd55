//! The exchange on a square (Δm), and who controls the squares of trajectories (K).
//!
//! All men one move away take part, the least valuable first; a side stops capturing when that is
//! better. Men that stand behind others on the same line come in as the line opens. Pins are not
//! seen.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, "General positional evaluation";
//! docs/theory.md §13 (values, control).

use super::men::Men;
use super::trajectory::promotion_rank;
use crate::chess::Side;
use crate::chess::board::{Bitboard, Role, Square};

pub use crate::chess::worth::PROMOTION;
use crate::chess::worth::at_stake;

const BY_VALUE: [Role; 6] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// Δm for the side that moves its man from `from` to `to` (capturing what stands there), in pawns:
/// what it wins less what it loses on that square, both sides stopping when they like after that
/// move. About 50 ns.
pub fn exchange(men: &Men, from: Square, to: Square) -> i32 {
    let Some(piece) = men.at(from) else { return 0 };
    let captured = men.at(to).filter(|p| p.side != piece.side).map_or(0, |p| at_stake(p.role));
    let mut gains = [0; 34];
    let (mut stake, promoted) = landed(piece.role, piece.side, to);
    gains[0] = captured + promoted;
    let mut occupied = men.occupied().without(from).with(to);
    let mut side = piece.side.other();
    let mut last = 0;
    while let Some((square, role)) = least(men, to, side, occupied) {
        occupied.discard(square);
        if role == Role::King && least(men, to, side.other(), occupied).is_some() {
            break;
        }
        let (next, promoted) = landed(role, side, to);
        last += 1;
        gains[last] = stake + promoted - gains[last - 1];
        stake = next;
        side = side.other();
    }
    for i in (1..=last).rev() {
        gains[i - 1] = gains[i - 1].min(-gains[i]);
    }
    gains[0]
}

/// The value that stands on `to` after a man has gone there, and what it gained by promotion.
fn landed(role: Role, side: Side, to: Square) -> (i32, i32) {
    if role == Role::Pawn && to.rank() == promotion_rank(side) {
        (at_stake(Role::Queen), PROMOTION)
    } else {
        (at_stake(role), 0)
    }
}

fn least(men: &Men, to: Square, side: Side, occupied: Bitboard) -> Option<(Square, Role)> {
    let attackers = men.attackers(to, side, occupied);
    BY_VALUE.into_iter().find_map(|role| Some(((attackers & men.of_role(role)).first()?, role)))
}

/// What happens to a man that steps on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crossing {
    /// It cannot get there: a man of its own stands there, or a pawn's way is barred.
    Blocked,
    /// It is lost for less than its worth.
    Lost,
    /// The exchange is even.
    Even,
    /// The exchange wins material, or whoever captures it loses by that.
    Held,
    /// Nobody can capture it there.
    Free,
}

impl Crossing {
    /// Whether the square counts as controlled by the stepping side (Δm > 0, or free to pass).
    pub fn is_control(self) -> bool {
        self >= Crossing::Held
    }

    /// Whether the man may go there without losing material.
    pub fn is_passable(self) -> bool {
        self >= Crossing::Even
    }
}

/// What happens to the man on `from` when it steps on `to`, one of the squares it moves to.
pub fn crossing(men: &Men, from: Square, to: Square) -> Crossing {
    let Some(piece) = men.at(from) else { return Crossing::Blocked };
    if men.of_side(piece.side).contains(to) {
        return Crossing::Blocked;
    }
    let hostile = men.attackers(to, piece.side.other(), men.occupied().without(from));
    if piece.role == Role::King && hostile.any() {
        return Crossing::Blocked;
    }
    if hostile.is_empty() {
        return Crossing::Free;
    }
    match exchange(men, from, to) {
        gain if gain < 0 => Crossing::Lost,
        gain if gain > 0 => Crossing::Held,
        _ => {
            let after = men.moved(from, to);
            let deterred = hostile.into_iter().all(|capturer| exchange(&after, capturer, to) < 0);
            if deterred { Crossing::Held } else { Crossing::Even }
        }
    }
}

/// The trajectory squares that each side controls, and their ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Control {
    /// K_w: squares controlled by White.
    pub white: u32,
    /// K_b: squares controlled by Black.
    pub black: u32,
}

impl Control {
    /// Counts over the pairs (man's square, trajectory square one move away) of the image: a square
    /// counts once for a side, if any of its men there controls it.
    pub fn count(men: &Men, steps: impl IntoIterator<Item = (Square, Square)>) -> Self {
        let mut squares = [Bitboard::EMPTY; 2];
        for (from, to) in steps {
            let Some(piece) = men.at(from) else { continue };
            if !squares[piece.side as usize].contains(to) && crossing(men, from, to).is_control() {
                squares[piece.side as usize].add(to);
            }
        }
        let [white, black] = squares.map(|set| set.count() as u32);
        Self { white, black }
    }

    /// K = K_w / K_b, none when Black controls nothing.
    pub fn ratio(self) -> Option<f64> {
        (self.black > 0).then(|| f64::from(self.white) / f64::from(self.black))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::{Board, Piece};
    use pretty_assertions::assert_eq;

    fn delta(fen: &str, from: &str, to: &str) -> i32 {
        exchange(
            &Men::of(&Board::from_fen(fen).unwrap()),
            from.parse().unwrap(),
            to.parse().unwrap(),
        )
    }

    /// Δm by the definition: capture on the square or stop, by plain recursion with the same order
    /// of captures.
    fn by_recursion(men: &Men, from: Square, to: Square) -> i32 {
        fn answer(men: &Men, to: Square, side: Side) -> i32 {
            let Some((from, role)) = least(men, to, side, men.occupied()) else { return 0 };
            let after = men.moved(from, to);
            if role == Role::King
                && men.controllers(to, side.other()).any()
                && after.controllers(to, side.other()).any()
            {
                return 0;
            }
            let taken = at_stake(men.at(to).unwrap().role);
            let queened =
                if role == Role::Pawn && to.rank() == promotion_rank(side) { PROMOTION } else { 0 };
            let after = if queened > 0 { queen_on(after, to, side) } else { after };
            (taken + queened - answer(&after, to, side.other())).max(0)
        }
        fn queen_on(mut men: Men, to: Square, side: Side) -> Men {
            men.put(to, Piece::new(side, Role::Queen));
            men
        }
        let piece = men.at(from).unwrap();
        let taken = men.at(to).filter(|p| p.side != piece.side).map_or(0, |p| at_stake(p.role));
        let queened = if piece.role == Role::Pawn && to.rank() == promotion_rank(piece.side) {
            PROMOTION
        } else {
            0
        };
        let after = men.moved(from, to);
        let after = if queened > 0 { queen_on(after, to, piece.side) } else { after };
        taken + queened - answer(&after, to, piece.side.other())
    }

    #[test]
    fn exchanges() {
        assert_eq!(
            delta("4k3/8/4p3/3p4/8/2N5/8/4K3 w - - 0 1", "c3", "d5"),
            -2,
            "a knight for a pawn"
        );
        assert_eq!(
            delta("4k3/8/4p3/3r4/8/2N5/8/4K3 w - - 0 1", "c3", "d5"),
            2,
            "a rook for a knight"
        );
        assert_eq!(
            delta("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2", "d5"),
            1,
            "the rook behind joins in"
        );
        assert_eq!(
            delta("3r1k2/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7", "d8"),
            13,
            "captured and promoted"
        );
        assert_eq!(
            delta("8/8/8/3k4/3P4/8/8/3QK3 b - - 0 1", "d5", "d4"),
            -199,
            "a king may not be exchanged"
        );
    }

    #[test]
    fn swaps_agree_with_recursion() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            "5rk1/5ppp/p1Q1p3/1R6/q7/4b1P1/P2RPP1P/6K1 w - - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        ] {
            let men = Men::of(&Board::from_fen(fen).unwrap());
            let mut compared = 0;
            for from in men.occupied() {
                for to in men.steps_from(from) {
                    assert_eq!(
                        exchange(&men, from, to),
                        by_recursion(&men, from, to),
                        "{fen} {from}{to}"
                    );
                    compared += 1;
                }
            }
            assert!(compared > 40);
        }
    }

    #[test]
    fn crossings() {
        let men = Men::of(&Board::from_fen("4k3/8/2p5/8/8/4N3/8/R3K3 w - - 0 1").unwrap());
        let cross =
            |from: &str, to: &str| crossing(&men, from.parse().unwrap(), to.parse().unwrap());
        assert_eq!(cross("e3", "d5"), Crossing::Lost);
        assert_eq!(cross("e3", "f5"), Crossing::Free);
        assert_eq!(cross("a1", "a8"), Crossing::Free);
        assert_eq!(cross("e1", "a1"), Crossing::Blocked);
        for (attacker, expected) in [('q', Crossing::Held), ('r', Crossing::Even)] {
            let fen = format!("4k3/8/8/8/2{attacker}5/8/8/R2K4 w - - 0 1");
            let men = Men::of(&Board::from_fen(&fen).unwrap());
            assert_eq!(crossing(&men, Square::A1, Square::C1), expected, "the king guards c1");
        }
    }
}
