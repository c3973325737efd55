//! The legal moves of a row, each with the squares of the attacker's king for which it is legal.
//!
//! The attacker's king stands on no square of the board here. What depends on it is a set of
//! squares: it must not be on the way of a man or attacked after its own side's move, and it
//! shields the holder's king where it stands on a line.
//!
//! Left out: castling, the double steps of the holder that could be taken in passing, and the
//! holder's captures in passing and promotions to less than a queen. All that takes moves from the
//! holder alone; positions with such rights are not asked for (but see [`Row::is_sure`]).

use crate::chess::board::{Bitboard, BySide, Men, Piece, Role, Square, attacks, code_of};
use crate::chess::{Move, Side};

/// A move of a man, the same for many positions of a row.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The move.
    pub(super) play: Move,
    /// The men after it.
    pub(super) men: Men,
    /// The squares of the attacker's king for which it is legal.
    pub(super) kings: u64,
    /// The man that moves.
    pub(super) role: Role,
    /// Whether it captures or a pawn moves.
    pub(super) zeroing: bool,
}

/// The men of a row, all but the attacker's king.
pub(super) struct Row {
    pub(super) men: Men,
    holder: Side,
    /// The holder's king.
    king: Square,
}

/// The rank to which a side's pawns step at once from home.
const fn double_rank(side: Side) -> u64 {
    match side {
        Side::White => 0xff << 24,
        Side::Black => 0xff << 32,
    }
}

impl Row {
    /// The row of these men.
    pub(super) fn new(men: Men, holder: Side) -> Self {
        let king = men.king(holder).expect("the holder has a king");
        Self { men, holder, king }
    }

    fn attacker(&self) -> Side {
        self.holder.other()
    }

    /// The legal moves of the holder. About 40 ns each.
    pub(super) fn holders(&self, kings: u64) -> Vec<Step> {
        let mut steps = self.of_men(self.holder, kings);
        let without = self.men.occupied().without(self.king);
        let targets = attacks::king_attacks(self.king) & !self.men.men_of(self.holder);
        for to in targets {
            let shielded = shields(&self.men, self.attacker(), to, without);
            let near = attacks::king_attacks(to).0 | 1 << to as u32;
            let kings = kings & shielded & !near;
            if kings != 0 {
                steps.push(self.step(self.king, to, Piece::new(self.holder, Role::King), kings));
            }
        }
        steps
    }

    /// The legal moves of the attacker's men, his king left out. About 60 ns each.
    pub(super) fn attackers(&self, kings: u64) -> Vec<Step> {
        self.of_men(self.attacker(), kings)
    }

    /// The legal moves of the attacker's king from any of these squares: the men after them, and the
    /// squares where it can be then.
    pub(super) fn of_king(&self, kings: u64) -> Vec<(Men, u64)> {
        let free = attacks::king_steps(kings) & !attacked(&self.men, self.holder);
        let mut steps = Vec::new();
        let quiet = free & !self.men.occupied().0;
        if quiet != 0 {
            steps.push((self.men.clone(), quiet));
        }
        let taken = Bitboard(free) & self.men.men_of(self.holder) & !Bitboard::from(self.king);
        for square in taken {
            let mut men = self.men.clone();
            men.discard_piece_at(square);
            steps.push((men, 1 << square as u32));
        }
        steps
    }

    /// Squares of the attacker's king for which the holder, to move, is not in check.
    pub(super) fn unchecked(&self) -> u64 {
        shields(&self.men, self.attacker(), self.king, self.men.occupied())
    }

    /// Squares where the attacker's king may stand with the holder to move.
    #[cfg(test)]
    pub(super) fn legal(&self) -> u64 {
        !(attacked(&self.men, self.holder) | self.men.occupied().0)
    }

    /// Whether the holder has no legal move where none is found: it has none in passing.
    pub(super) fn is_sure(&self) -> bool {
        let pawns = |side| (self.men.pawns() & self.men.men_of(side)).0;
        let passing = pawns(self.attacker()) & double_rank(self.attacker());
        attacks::beside(passing) & pawns(self.holder) == 0
    }

    /// The moves of a side's men other than kings.
    fn of_men(&self, mover: Side, kings: u64) -> Vec<Step> {
        let mut steps = Vec::new();
        for from in self.men.men_of(mover) & !self.men.kings() {
            let role = self.men.role_at(from).expect("a man");
            for to in self.targets(mover, from, role) {
                self.moved(mover, role, from, to, kings, &mut steps);
            }
        }
        steps
    }

    /// The squares that a man can go to, what depends on kings left aside.
    fn targets(&self, mover: Side, from: Square, role: Role) -> Bitboard {
        let (own, occupied) = (self.men.men_of(mover), self.men.occupied());
        let others = self.men.men_of(mover.other());
        let king = Bitboard::from(self.king);
        if role != Role::Pawn {
            return attacks::attacks(from, Piece::new(mover, role), occupied) & !own & !king;
        }
        let mut targets = attacks::pawn_attacks(mover, from) & others & !king;
        let ahead = mover.pick(8, -8);
        let Some(one) = from.offset(ahead).filter(|&to| !occupied.contains(to)) else {
            return targets;
        };
        targets.add(one);
        let home = matches!((mover, from as u8 / 8), (Side::White, 1) | (Side::Black, 6));
        if let Some(two) = one.offset(ahead)
            && home
            && !occupied.contains(two)
        {
            let passing = attacks::beside(1 << two as u32) & (others & self.men.pawns()).0;
            if mover != self.holder || passing == 0 {
                targets.add(two);
            }
        }
        targets
    }

    /// A move to a square, each promotion for itself.
    fn moved(
        &self,
        mover: Side,
        role: Role,
        from: Square,
        to: Square,
        kings: u64,
        steps: &mut Vec<Step>,
    ) {
        const ALL: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let kings = kings & !(attacks::between(from, to).0 | 1 << to as u32);
        if kings == 0 {
            return;
        }
        let promotes = role == Role::Pawn && matches!(to as u8 / 8, 0 | 7);
        let roles: &[Role] = match promotes {
            false => &[role],
            true if mover == self.holder => &ALL[..1],
            true => &ALL,
        };
        let first = self.step(from, to, Piece::new(mover, roles[0]), kings);
        // What a pawn becomes does not matter to its own king.
        let legal = if mover == self.holder {
            kings & shields(&first.men, self.attacker(), self.king, first.men.occupied())
        } else {
            kings & !attacked(&first.men, self.holder)
        };
        if legal == 0 {
            return;
        }
        for &other in &roles[1..] {
            steps.push(self.step(from, to, Piece::new(mover, other), legal));
        }
        steps.push(Step { kings: legal, ..first });
    }

    /// A man goes to a square, where it is (or becomes) this one.
    fn step(&self, from: Square, to: Square, man: Piece, kings: u64) -> Step {
        let mut men = self.men.clone();
        let role = men.role_at(from).expect("a man");
        let pawn = role == Role::Pawn;
        let captures = men.role_at(to).is_some();
        men.discard_piece_at(from);
        men.place(to, man);
        let promotes = pawn && man.role != Role::Pawn;
        let promotion = if promotes { code_of(Piece::new(Side::White, man.role)) } else { 0 };
        let play = Move::new(from as u8, to as u8, promotion);
        Step { play, men, kings, role, zeroing: pawn || captures }
    }
}

/// The squares that a side's men attack, the king of a row being nowhere.
fn attacked(men: &Men, side: Side) -> u64 {
    let occupied = men.occupied();
    let of = |from: Square| {
        let role = men.role_at(from).expect("a man");
        attacks::attacks(from, Piece::new(side, role), occupied).0
    };
    men.men_of(side).into_iter().fold(0, |all, from| all | of(from))
}

/// Squares of the attacker's king with which none of his men attacks a square: on the lines of all
/// that do so, or anywhere if none does.
fn shields(men: &Men, attacker: Side, square: Square, occupied: Bitboard) -> u64 {
    let attackers = men.attackers(square, attacker, occupied);
    attackers.into_iter().fold(u64::MAX, |kings, from| kings & attacks::between(from, square).0)
}
