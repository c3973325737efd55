//! Moves worth trying: the first steps of the attacker's zones, in microseconds, for the nodes of a
//! proof search.
//!
//! This is the mathematical image boiled down to bit sets. Instead of single trajectories it floods
//! backwards from the targets, one move of each kind of man at a time, on the real board: a step
//! that ends on a flooded square begins a trajectory within the horizon. What is left out is the
//! attacker's own loss: the proof search never restricts the defender, so a proof found with these
//! moves is a proof, and a failure says nothing.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, "Zones of play"; docs/theory.md
//! §13.

use crate::chess::Side;
use crate::chess::board::{Bitboard, Board, ChessMove, MoveList, Piece, Role, Square, attacks};
use crate::chess::worth::at_stake;
use crate::pioneer::geometry::exchange::exchange;
use crate::pioneer::geometry::men::Men;
use crate::pioneer::geometry::trajectory::promotion_rank;
use crate::pioneer::zone::image::Horizon;

/// What the attacker is after: it decides which men are targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Targets {
    /// The enemy king: mate, or a perpetual check.
    King,
    /// Any enemy man, the king among them, and promotion.
    Men,
}

/// A set of moves by origin and destination, 512 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveSet {
    to: [Bitboard; 64],
}

impl MoveSet {
    /// The set of no moves.
    pub fn empty() -> Self {
        Self { to: [Bitboard::EMPTY; 64] }
    }

    /// Whether the set has the move. Castling is a move of the king by two squares, promotions are
    /// not told apart.
    pub fn contains(&self, m: &ChessMove) -> bool {
        let m = crate::chess::board::move_of(m);
        self.to[usize::from(m.from())].contains(Square::new(u32::from(m.to())))
    }

    /// The number of (origin, destination) pairs.
    pub fn len(&self) -> usize {
        self.to.iter().map(|squares| squares.count()).sum()
    }

    /// Whether there is no move in the set.
    pub fn is_empty(&self) -> bool {
        self.to.iter().all(|squares| squares.is_empty())
    }

    /// The legal moves that are in the set, in their order.
    pub fn among(&self, legal: &MoveList) -> MoveList {
        legal.iter().filter(|m| self.contains(m)).copied().collect()
    }

    fn add(&mut self, from: Square, to: Bitboard) {
        self.to[from as usize] |= to;
    }
}

/// The moves of `attacker`'s zones within the horizon: steps along attacks and promotions, moves
/// that control what those need controlled (flight squares of the king, promotion paths, own men
/// attacked), retreats, blocks, and men going out of the way. All moves when the attacker is in
/// check; none when it is not to move. One to three microseconds.
pub fn proposed_moves(board: &Board, attacker: Side, horizon: Horizon) -> MoveSet {
    moves_towards(board, attacker, horizon, Targets::Men)
}

/// As [`proposed_moves`], for one kind of targets.
pub fn moves_towards(board: &Board, attacker: Side, horizon: Horizon, targets: Targets) -> MoveSet {
    let mut set = MoveSet::empty();
    if board.side_to_move() != attacker || horizon.moves() == 0 {
        return set;
    }
    let view = View::of(board, attacker, horizon, targets);
    if board.in_check() {
        for from in view.men.of_side(attacker) {
            set.add(from, Bitboard::FULL);
        }
        return set;
    }
    view.attack(&mut set);
    if horizon.moves() >= 2 {
        view.uncover(&mut set);
        view.defend(&mut set);
    }
    set
}

struct View {
    men: Men,
    attacker: Side,
    moves: u8,
    targets: Targets,
    enemy_king: Option<Square>,
    occupied: Bitboard,
    own: Bitboard,
    foes: Bitboard,
}

impl View {
    fn of(board: &Board, attacker: Side, horizon: Horizon, targets: Targets) -> Self {
        let men = Men::of(board);
        Self {
            men,
            attacker,
            moves: horizon.moves(),
            targets,
            enemy_king: men.king(attacker.other()),
            occupied: men.occupied(),
            own: men.of_side(attacker),
            foes: men.of_side(attacker.other()),
        }
    }

    /// Steps on attacking trajectories: onto a target, or to where one is within reach of the moves
    /// left.
    fn attack(&self, set: &mut MoveSet) {
        let control = if self.moves >= 2 { self.squares_to_control() } else { Bitboard::EMPTY };
        for role in Role::ALL {
            let men = self.own & self.men.of_role(role);
            if men.is_empty() {
                continue;
            }
            let piece = Piece::new(self.attacker, role);
            let targets = self.targets(piece);
            let mut near = self.flood(piece, targets, self.moves - 1);
            near |= self.flood(piece, control, 1.min(self.moves - 1));
            for from in men {
                let steps = self.men.steps_from(from);
                set.add(from, steps & (near | self.foes));
                if role == Role::King || role == Role::Pawn {
                    self.special(from, role, steps, set);
                }
            }
        }
    }

    /// Castling, promotions, and pawns that promote within the horizon; en-passant captures.
    fn special(&self, from: Square, role: Role, steps: Bitboard, set: &mut MoveSet) {
        if role == Role::King {
            let rights = self.men.castling & self.own;
            if rights.any() {
                set.add(
                    from,
                    [Square::C1, Square::G1, Square::C8, Square::G8]
                        .into_iter()
                        .collect::<Bitboard>()
                        & near_rank(from),
                );
            }
            return;
        }
        let left = from.rank().distance(promotion_rank(self.attacker)) as u8;
        let free = self.is_passed(from);
        let captures = steps & self.men.passant.map_or(Bitboard::EMPTY, Bitboard::from);
        let hurry = if left <= self.moves || free { steps } else { Bitboard::EMPTY };
        set.add(from, captures | hurry);
    }

    /// Whether no enemy pawn can stop or capture this pawn: its way to promotion is a trajectory at
    /// any distance, since what decides is not its length but whether a piece of the enemy's gets
    /// there in time.
    fn is_passed(&self, pawn: Square) -> bool {
        let foes = self.foes & self.men.of_role(Role::Pawn);
        let ahead = |foe: Square| match self.attacker {
            Side::White => foe.rank() > pawn.rank(),
            Side::Black => foe.rank() < pawn.rank(),
        };
        foes.into_iter().all(|foe| foe.file().distance(pawn.file()) > 1 || !ahead(foe))
    }

    /// The enemy men that this kind of man attacks with sense: the king, men worth as much as
    /// itself, men that nothing guards, and men that another own man attacks as well.
    fn targets(&self, piece: Piece) -> Bitboard {
        let king = self.enemy_king.map_or(Bitboard::EMPTY, Bitboard::from);
        if self.targets == Targets::King {
            return king;
        }
        let sensible = |&t: &Square| {
            let target = self.men.at(t).map_or(0, |p| at_stake(p.role));
            target >= at_stake(piece.role)
                || self.men.controllers(t, self.attacker.other()).is_empty()
                || self.men.controllers(t, self.attacker).any()
        };
        king | self.foes.into_iter().filter(sensible).collect::<Bitboard>()
    }

    /// The squares from which a man of this kind gets to one of `goals` in at most `moves` moves.
    fn flood(&self, piece: Piece, goals: Bitboard, moves: u8) -> Bitboard {
        let mut all = Bitboard::EMPTY;
        let mut front = goals;
        for i in 0..moves {
            let mut next = Bitboard::EMPTY;
            for square in front {
                next |= self.back(piece, square, i == 0);
            }
            front = next & !all & !self.own;
            all |= next;
        }
        all
    }

    /// The squares from which a man of this kind goes to `to` in one move; a pawn's capture if it
    /// is the last one.
    fn back(&self, piece: Piece, to: Square, last: bool) -> Bitboard {
        if piece.role != Role::Pawn {
            return attacks::attacks(to, piece, self.occupied);
        }
        if last {
            return attacks::pawn_attacks(self.attacker.other(), to);
        }
        to.offset(self.attacker.pick(-8, 8)).map_or(Bitboard::EMPTY, Bitboard::from)
    }

    /// Squares whose control serves an attack or a defence: where the enemy king can go, and the
    /// ways of pawns that promote within the horizon.
    fn squares_to_control(&self) -> Bitboard {
        let flights =
            self.enemy_king.map_or(Bitboard::EMPTY, |k| attacks::king_attacks(k) & !self.foes);
        let unguarded = |s: &Square| self.men.controllers(*s, self.attacker).is_empty();
        let open = flights.into_iter().filter(unguarded).collect();
        if self.targets == Targets::King {
            return open;
        }
        let pawns = self.men.of_role(Role::Pawn).into_iter();
        pawns.fold(open, |all, pawn| all | self.path(pawn))
    }

    /// The squares before a pawn up to its promotion, if that is within the horizon.
    fn path(&self, pawn: Square) -> Bitboard {
        let side = if self.own.contains(pawn) { self.attacker } else { self.attacker.other() };
        if pawn.rank().distance(promotion_rank(side)) > u32::from(self.moves) {
            return Bitboard::EMPTY;
        }
        let end = Square::from_coords(pawn.file(), promotion_rank(side));
        attacks::between(pawn, end).with(end)
    }

    /// Men that leave a line on which another own man then attacks: their moves all serve.
    fn uncover(&self, set: &mut MoveSet) {
        for role in [Role::Bishop, Role::Rook, Role::Queen] {
            let piece = Piece::new(self.attacker, role);
            for from in self.own & self.men.of_role(role) {
                let near = attacks::attacks(from, piece, self.occupied);
                for screen in near & self.own {
                    let beyond =
                        attacks::attacks(from, piece, self.occupied.without(screen)) & !near;
                    if (beyond & self.targets(piece)).any() {
                        set.add(screen, self.men.steps_from(screen));
                    }
                }
            }
        }
    }

    /// Against the other side's attacks: an own man that would be lost retreats, is guarded, or its
    /// attacker is barred.
    fn defend(&self, set: &mut MoveSet) {
        if self.targets == Targets::King {
            return;
        }
        for square in self.own & !self.men.of_role(Role::King) & !self.men.of_role(Role::Pawn) {
            let hostile = self.men.controllers(square, self.attacker.other());
            if hostile.is_empty()
                || hostile.into_iter().all(|from| exchange(&self.men, from, square) <= 0)
            {
                continue;
            }
            set.add(square, self.men.steps_from(square));
            let lines = hostile
                .into_iter()
                .fold(Bitboard::EMPTY, |all, from| all | attacks::between(from, square));
            for role in Role::ALL {
                let piece = Piece::new(self.attacker, role);
                let useful = lines | self.back(piece, square, true);
                for from in (self.own & self.men.of_role(role)).without(square) {
                    set.add(from, self.men.steps_from(from) & useful);
                }
            }
        }
    }
}

/// The squares of the same rank.
fn near_rank(square: Square) -> Bitboard {
    Bitboard::from_rank(square.rank())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn proposed(fen: &str, horizon: u32, targets: Targets) -> Vec<String> {
        let board = Board::from_fen(fen).unwrap();
        let attacker = board.side_to_move();
        let set = moves_towards(&board, attacker, Horizon::new(horizon), targets);
        let mut moves: Vec<_> =
            set.among(&board.legal_moves()).iter().map(|m| board.san(*m)).collect();
        moves.sort();
        moves
    }

    #[test]
    fn the_horizon_decides_how_far_one_sees() {
        let fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
        assert_eq!(proposed(fen, 0, Targets::King), Vec::<String>::new());
        assert_eq!(proposed(fen, 2, Targets::King), Vec::<String>::new(), "nothing to capture");
        assert_eq!(proposed(fen, 4, Targets::King), ["Rd8#"]);
        assert!(proposed(fen, 6, Targets::King).len() > 1);
    }

    #[test]
    fn castling_promotion_and_en_passant() {
        assert!(
            proposed("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 4, Targets::King)
                .contains(&"O-O+".to_string())
        );
        assert!(
            proposed("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", 2, Targets::Men)
                .contains(&"a8=Q".to_string())
        );
        assert!(
            proposed("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 2, Targets::Men)
                .contains(&"exd6".to_string())
        );
    }

    #[test]
    fn a_man_on_the_line_uncovers_an_attack() {
        let moves = proposed("4k3/8/8/4N3/8/8/8/4R1K1 w - - 0 1", 4, Targets::King);
        assert_eq!(moves.iter().filter(|m| m.starts_with('N')).count(), 8);
    }

    #[test]
    fn in_check_everything_is_proposed() {
        let board = Board::from_fen("4k3/8/8/8/8/8/4r3/4K2R w - - 0 1").unwrap();
        let set = proposed_moves(&board, Side::White, Horizon::new(2));
        assert_eq!(set.among(&board.legal_moves()).len(), board.legal_moves().len());
        assert!(
            proposed_moves(&board, Side::Black, Horizon::new(2)).is_empty(),
            "Black is not to move"
        );
    }
}
