//! What the attacker renounces: a restriction as a set of atoms.
//!
//! A restriction speaks of the attacker's moves only. A move is left out because of what it is (the
//! king moves, something is captured, the square is attacked), or because of the replies that it
//! allows (a jailed man may leave, a man of ours may be taken, the king has too many flights). The
//! defender's replies to a move that is kept are all kept, so that a win of the restricted game is
//! a win.
//!
//! # References
//! * M. M. Botvinnik, *Computers, chess and long-range planning*, 1970: most moves are left out.
//! * The atoms are those that solvers of long mates take as options from a person: A. Pliss,
//!   *matetb* (exclude squares, captures, attacked squares).

use crate::chess::Side;
use crate::chess::board::{
    Bitboard, Board, BySide, ChessMove, MoveList, Piece, Position, Role, Square,
};

/// A set of kinds of men.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Kinds(pub(super) u8);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(0b111_1110);

    pub(super) const fn only(role: Role) -> Self {
        Self(1 << role as u8)
    }

    pub(super) const fn and(self, role: Role) -> Self {
        Self(self.0 | 1 << role as u8)
    }

    pub(super) const fn without(self, role: Role) -> Self {
        Self(self.0 & !(1 << role as u8))
    }

    pub(super) const fn has(self, role: Role) -> bool {
        self.0 >> role as u8 & 1 != 0
    }
}

/// Positions of the plain search that a reply which breaks a rule has to lose to, mostly.
pub(super) const EXIT_SEARCH: u16 = 60;
/// No limit on a number of replies.
pub(super) const ANY: u8 = u8::MAX;

/// What the attacker renounces. The first move from the root is exempt from the rules on the move
/// itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Restriction {
    /// The attacker's men that may move.
    pub(super) movers: Kinds,
    /// Squares that its men may move to, the king aside.
    pub(super) yard: u64,
    /// Squares that its king may move to.
    pub(super) king_yard: u64,
    /// Whether it may take with any man anywhere.
    pub(super) takes: bool,
    /// Squares on which the attacker never captures.
    pub(super) no_capture_on: u64,
    /// Whether the attacker never moves to a square that the defender attacks.
    pub(super) avoids_attacked: bool,
    /// Whether no reply may take the man just moved.
    pub(super) keeps_mover: bool,
    /// Squares that the defender's men may not leave except for one another.
    pub(super) jail: u64,
    /// The attacker's men that no reply may take.
    pub(super) uncapturable: Kinds,
    /// The defender's men that may reply.
    pub(super) repliers: Kinds,
    /// Replies of the king, at most.
    pub(super) flights: u8,
    /// Replies, at most.
    pub(super) replies: u8,
    /// Replies that break a rule, if they lose to a small plain search: at most so many.
    pub(super) exits: u8,
    /// Positions of that search; none where such a reply must be mated by the next move.
    pub(super) exit_search: u16,
    /// Positions of a plain search that every new position is given first.
    pub(super) look: u16,
    /// Whether only the two moves that leave the fewest replies are followed, others when these
    /// have failed.
    pub(super) widens: bool,
}

/// Why a move is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    /// A man of this kind does not move.
    Still(Role),
    /// No man but the king moves to this square.
    Beyond(Square),
    /// The king does not move to this square.
    Astray(Square),
    /// Nothing is captured on this square.
    Spare(Square),
    /// Nothing is captured.
    SpareAll,
    /// The square is attacked.
    Attacked,
    /// The man just moved could be taken.
    Mover,
    /// A man may leave this square.
    Leave(Square),
    /// A man of this kind could be taken.
    Taken(Role),
    /// A man of this kind may reply.
    Replier(Role),
    /// The king has too many flights.
    Flights,
    /// There are too many replies.
    Replies,
}

impl Atom {
    /// The atom that says the same of all squares, where that is what is meant.
    pub(super) fn anywhere(self) -> Self {
        match self {
            Self::Spare(_) => Self::SpareAll,
            other => other,
        }
    }
}

impl Restriction {
    /// Nothing is renounced.
    pub(super) const NONE: Self = Self {
        movers: Kinds::ALL,
        yard: u64::MAX,
        king_yard: u64::MAX,
        takes: false,
        no_capture_on: 0,
        avoids_attacked: false,
        keeps_mover: false,
        jail: 0,
        uncapturable: Kinds::NONE,
        repliers: Kinds::ALL,
        flights: ANY,
        replies: ANY,
        exits: 0,
        exit_search: EXIT_SEARCH,
        look: 0,
        widens: false,
    };

    /// Whether the king alone moves: a walk.
    pub(super) fn is_walk(&self) -> bool {
        self.movers == Kinds::only(Role::King)
    }

    /// Whether a position after a move is judged also by the square just moved to.
    pub(super) fn tells_arrivals(&self) -> bool {
        self.keeps_mover
    }

    /// What is wrong with a move in itself.
    pub(super) fn wrong_with_move(&self, board: &Board, m: &ChessMove) -> Option<Atom> {
        if self.takes && m.is_capture() {
            return None;
        }
        if !self.movers.has(m.role()) {
            return Some(Atom::Still(m.role()));
        }
        let king = m.role() == Role::King;
        if if king { self.king_yard } else { self.yard } >> m.to() as u32 & 1 == 0 {
            return Some(if king { Atom::Astray(m.to()) } else { Atom::Beyond(m.to()) });
        }
        if m.is_capture() && self.no_capture_on >> m.to() as u32 & 1 != 0 {
            return Some(Atom::Spare(m.to()));
        }
        if self.avoids_attacked && m.role() != Role::King && is_attacked(board, m) {
            return Some(Atom::Attacked);
        }
        None
    }

    /// What is wrong with a reply. `next` is the position before it, `arrival` the square that the
    /// attacker has just moved to.
    fn wrong_with_reply(&self, next: &Board, arrival: Square, reply: &ChessMove) -> Option<Atom> {
        if let Some(from) = reply.from()
            && self.jail >> from as u32 & 1 != 0
            && self.jail >> reply.to() as u32 & 1 == 0
        {
            return Some(Atom::Leave(from));
        }
        if !self.repliers.has(reply.role()) {
            return Some(Atom::Replier(reply.role()));
        }
        if reply.is_capture() {
            let taken = next.chess().board().role_at(reply.to()).unwrap_or(Role::Pawn);
            if self.uncapturable.has(taken) {
                return Some(Atom::Taken(taken));
            }
            if self.keeps_mover && reply.to() == arrival {
                return Some(Atom::Mover);
            }
        }
        None
    }

    /// Whether the number of replies is within the limits.
    pub(super) fn wrong_with_number(&self, replies: &MoveList) -> Option<Atom> {
        if self.replies != ANY && replies.len() > usize::from(self.replies) {
            return Some(Atom::Replies);
        }
        if self.flights != ANY {
            let flights = replies.iter().filter(|m| m.role() == Role::King).count();
            if flights > usize::from(self.flights) {
                return Some(Atom::Flights);
            }
        }
        None
    }

    /// Each reply with what is wrong with it.
    pub(super) fn judged<'a>(
        &'a self,
        next: &'a Board,
        arrival: Square,
        replies: &'a MoveList,
    ) -> impl Iterator<Item = (&'a ChessMove, Option<Atom>)> + 'a {
        replies.iter().map(move |m| (m, self.wrong_with_reply(next, arrival, m)))
    }

    /// The restriction without an atom: one step looser.
    pub(super) fn without(&self, atom: Atom) -> Self {
        let mut looser = *self;
        match atom {
            Atom::Still(role) => looser.movers = self.movers.and(role),
            Atom::Beyond(square) => looser.yard |= 1 << square as u32,
            Atom::Astray(square) => looser.king_yard |= 1 << square as u32,
            Atom::Spare(square) => looser.no_capture_on &= !(1 << square as u32),
            Atom::SpareAll => looser.no_capture_on = 0,
            Atom::Attacked => looser.avoids_attacked = false,
            Atom::Mover => looser.keeps_mover = false,
            Atom::Leave(square) => looser.jail &= !(1 << square as u32),
            Atom::Taken(role) => looser.uncapturable = self.uncapturable.without(role),
            Atom::Replier(role) => looser.repliers = self.repliers.and(role),
            Atom::Flights => looser.flights = self.flights.saturating_add(1),
            Atom::Replies => looser.replies = self.replies.saturating_add(2),
        }
        looser
    }
}

/// Whether the man that moves could be taken where it arrives, pins aside.
fn is_attacked(board: &Board, m: &ChessMove) -> bool {
    let men = board.chess().board();
    let mut occupied = men.occupied();
    if let Some(from) = m.from() {
        occupied.discard(from);
    }
    occupied.add(m.to());
    let them = board.side_to_move().other();
    (men.attackers(m.to(), them, occupied) & !Bitboard::from(m.to())).any()
}

impl std::fmt::Display for Restriction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut words: Vec<String> = Vec::new();
        let kinds = |kinds: Kinds| -> String {
            Role::ALL.iter().filter(|&&r| kinds.has(r)).map(|r| r.upper_char()).collect()
        };
        if self.movers != Kinds::ALL {
            words.push(format!("only {} moves", kinds(self.movers)));
        }
        match (self.yard, self.king_yard) {
            (u64::MAX, u64::MAX) => {}
            (yard, king) if yard == king => words.push(format!("moves only to {}", squares(yard))),
            (yard, king) => {
                let to =
                    |set: u64| if set == u64::MAX { "all squares".into() } else { squares(set) };
                words.push(format!("the king moves only to {}", to(king)));
                words.push(format!("other men only to {}", to(yard)));
            }
        }
        if self.no_capture_on == u64::MAX {
            words.push("no captures".into());
        } else if self.no_capture_on != 0 {
            words.push(format!("no captures on {}", squares(self.no_capture_on)));
        }
        if self.takes {
            words.push("but any capture".into());
        }
        if self.avoids_attacked {
            words.push("never onto an attacked square".into());
        }
        if self.keeps_mover {
            words.push("no reply takes the man just moved".into());
        }
        if self.jail != 0 {
            words.push(format!("no reply leaves {}", squares(self.jail)));
        }
        match self.uncapturable {
            Kinds::NONE => {}
            Kinds::ALL => words.push("no reply captures".into()),
            some => words.push(format!("no reply takes {}", kinds(some))),
        }
        if self.repliers != Kinds::ALL {
            words.push(format!("only {} may reply", kinds(self.repliers)));
        }
        if self.flights != ANY {
            words.push(format!("at most {} flights", self.flights));
        }
        if self.replies != ANY {
            words.push(format!("at most {} replies", self.replies));
        }
        if words.is_empty() {
            words.push("nothing".into());
        }
        if self.exits > 0 {
            let end = if self.exit_search == 0 { "allow mate in one" } else { "lose at once" };
            let most = if self.exits == ANY { "all".into() } else { self.exits.to_string() };
            words.push(format!("but {most} replies that {end}"));
        }
        f.write_str(&words.join(", "))
    }
}

/// Squares in words.
pub(super) fn squares(set: u64) -> String {
    Bitboard(set).into_iter().map(|s| s.to_string()).collect::<Vec<_>>().join(" ")
}

/// The defender's men that cannot move as long as nothing loose of their own moves: a jail that is
/// closed. A man is in it if it has no pseudo-legal move, and everything of its own side that blocks
/// it is in it too. The attacker's men that block stay by themselves: were they to leave, a reply
/// would leave the jail.
pub(super) fn closed_jail(board: &Board, defender: Side) -> u64 {
    let men = board.chess().board();
    let own = men.men_of(defender);
    let mut jail = own;
    loop {
        let mut kept = jail;
        for square in jail {
            if is_loose(board, defender, square, own & !jail) {
                kept.discard(square);
            }
        }
        if kept == jail {
            return jail.0;
        }
        jail = kept;
    }
}

/// Whether a man of the defender can move, or could if the loose men of its own side were not there.
fn is_loose(board: &Board, defender: Side, square: Square, loose: Bitboard) -> bool {
    use crate::chess::board::attacks;
    let men = board.chess().board();
    let (own, them) = (men.men_of(defender), men.men_of(defender.other()));
    let role = men.role_at(square).expect("a man");
    let occupied = men.occupied() & !loose;
    let firm = own & !loose;
    if role == Role::Pawn {
        let forward = if defender == Side::White { 8 } else { -8 };
        let Some(step) = square.offset(forward) else { return false };
        return !occupied.contains(step) || (attacks::pawn_attacks(defender, square) & them).any();
    }
    let mut reach = attacks::attacks(square, Piece::new(defender, role), occupied) & !firm;
    if role == Role::King {
        // Its own shadow does not protect the squares behind it.
        let without = occupied.without(square);
        reach = reach
            .into_iter()
            .filter(|&to| men.attackers(to, defender.other(), without).is_empty())
            .collect();
    }
    reach.any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jail(fen: &str) -> String {
        let board = Board::from_fen(fen).unwrap();
        let defender = board.side_to_move().other();
        squares(closed_jail(&board, defender))
    }

    #[test]
    fn a_jail_is_closed() {
        // The king and the pawn b5 are loose, what is boxed in on the first ranks is not.
        assert_eq!(jail("8/8/8/1p6/6k1/1p2Q3/p1p1p3/rbrbK3 w - -"), "a1 b1 c1 d1 a2 c2 e2");
        // A pawn that only its own loose knight blocks is loose.
        assert_eq!(jail("7k/8/8/p7/n7/8/8/K7 w - -"), "");
        assert_eq!(jail("7k/8/8/p7/P7/8/8/K7 w - -"), "a5");
    }

    #[test]
    fn every_atom_can_be_taken_back() {
        let tight = Restriction {
            movers: Kinds::ALL.without(Role::King),
            yard: 0,
            king_yard: 0,
            no_capture_on: u64::MAX,
            avoids_attacked: true,
            keeps_mover: true,
            jail: 1,
            uncapturable: Kinds::ALL,
            repliers: Kinds::only(Role::King),
            flights: 1,
            replies: 3,
            ..Restriction::NONE
        };
        for atom in [
            Atom::Still(Role::King),
            Atom::Beyond(Square::E4),
            Atom::Astray(Square::E4),
            Atom::Spare(Square::E4),
            Atom::SpareAll,
            Atom::Attacked,
            Atom::Mover,
            Atom::Leave(Square::A1),
            Atom::Taken(Role::Queen),
            Atom::Replier(Role::Pawn),
            Atom::Flights,
            Atom::Replies,
        ] {
            assert_ne!(tight.without(atom), tight, "{atom:?}");
        }
    }
}
