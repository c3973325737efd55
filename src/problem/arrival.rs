//! Retro-pruning: whether the men can arrive in time for a mate at all.
//!
//! In the plies that are left the mated side's king can reach certain squares; for each of them all
//! squares around it have to be guarded or blocked. What no man guards now, through whatever stands in
//! the way, has to be guarded by men that move there, or blocked by men that move there. Where there
//! are more such squares than all those moves can deal with, nobody is mated in time, whatever both
//! sides play: the condition is necessary for any stipulation that ends with mate.
//!
//! # References
//! * The idea of asking backwards from the mates which men can arrive is that of the problem-solving
//!   programs' "intelligent" modes (Popeye's documentation names it). The bound below is theta's own.

use crate::chess::Side;
use crate::chess::board::{BySide, Chess, Position, Role, Sides, Square, attacks};
use std::sync::OnceLock;

/// Moves of one man that the tables look ahead; with more left the question is not asked.
const AHEAD: usize = 5;

/// More moves of the mated side than this leave too much open to be worth the question.
const PATIENCE: usize = 12;

/// Squares as bits.
type Set = u64;

/// What one man guards around a king on each square, after so many of its own moves at most.
struct Reach {
    /// What the man guards from its square on the empty board.
    guards: Set,
    /// By the king's square and by moves, from one: the most squares around it that are guarded at
    /// once.
    around: [[i8; AHEAD]; 64],
    /// The same by a man that attacks the king's square too; [`NEVER`] where it cannot.
    checking: [[i8; AHEAD]; 64],
}

/// Less than any count can make up for.
const NEVER: i8 = -64;

/// By side, role and square.
struct Tables(Vec<Reach>);

const ROLES: [Role; 6] =
    [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

fn index(side: Side, role: Role, from: usize) -> usize {
    let role = ROLES.iter().position(|&r| r == role).expect("every role is listed");
    ((side as usize) * 6 + role) * 64 + from
}

fn guarded(side: Side, role: Role, from: Square) -> Set {
    let nothing = attacks::rook_attacks(from, crate::chess::board::Bitboard::EMPTY);
    match role {
        Role::King => attacks::king_attacks(from),
        Role::Queen => {
            nothing | attacks::bishop_attacks(from, crate::chess::board::Bitboard::EMPTY)
        }
        Role::Rook => nothing,
        Role::Bishop => attacks::bishop_attacks(from, crate::chess::board::Bitboard::EMPTY),
        Role::Knight => attacks::knight_attacks(from),
        Role::Pawn => attacks::pawn_attacks(side, from),
    }
    .into()
}

/// Where a man stands after one move, and as what.
fn steps(side: Side, role: Role, from: Square) -> Vec<(Role, Square)> {
    if role != Role::Pawn {
        return squares(guarded(side, role, from)).map(|to| (role, to)).collect();
    }
    let forward = if side == Side::White { 8 } else { -8 };
    let mut to: Vec<Square> = squares(guarded(side, role, from)).collect();
    if let Some(step) = from.offset(forward) {
        to.push(step);
        to.extend(
            step.offset(forward)
                .filter(|_| from.rank() as u8 == if side == Side::White { 1 } else { 6 }),
        );
    }
    let promotes = |to: Square| matches!(to.rank() as u8, 0 | 7);
    to.into_iter()
        .flat_map(|to| {
            let roles = if promotes(to) { &ROLES[1..5] } else { &ROLES[5..] };
            roles.iter().map(move |&role| (role, to))
        })
        .collect()
}

fn squares(set: Set) -> impl Iterator<Item = Square> {
    crate::chess::board::Bitboard(set).into_iter()
}

impl Reach {
    fn new(side: Side, role: Role, from: Square) -> Self {
        let mut reach = Self {
            guards: guarded(side, role, from),
            around: [[0; AHEAD]; 64],
            checking: [[NEVER; AHEAD]; 64],
        };
        let (mut stands, mut begin, mut seen) = (vec![(role, from)], 0, [0; 7]);
        seen[role as usize] = 1_u64 << from as u32;
        for moves in 0..AHEAD {
            let end = stands.len();
            for k in begin..end {
                let (role, at) = stands[k];
                for (role, to) in steps(side, role, at) {
                    let bit = 1_u64 << to as u32;
                    if seen[role as usize] & bit == 0 {
                        seen[role as usize] |= bit;
                        stands.push((role, to));
                    }
                }
            }
            begin = end;
            // A man that may move so often may move less.
            for king in Square::ALL {
                let (around, checking) =
                    (&mut reach.around[king as usize], &mut reach.checking[king as usize]);
                if moves > 0 {
                    around[moves] = around[moves - 1];
                    checking[moves] = checking[moves - 1];
                }
                let fresh = if moves == 0 { 0 } else { begin };
                for &(role, at) in &stands[fresh..] {
                    let set = guarded(side, role, at);
                    let count = (set & u64::from(attacks::king_attacks(king))).count_ones() as i8;
                    around[moves] = around[moves].max(count);
                    if set >> king as u32 & 1 != 0 {
                        checking[moves] = checking[moves].max(count);
                    }
                }
            }
        }
        reach
    }
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let all = Side::ALL.into_iter().flat_map(|side| {
            ROLES.into_iter().flat_map(move |role| {
                Square::ALL.into_iter().map(move |from| Reach::new(side, role, from))
            })
        });
        Tables(all.collect())
    })
}

/// The question of one position.
pub(super) struct Arrival<'a> {
    chess: &'a Chess,
    mater: Side,
    /// Moves of the mating side and of the mated one that are left.
    moves: (usize, usize),
    men: &'a [&'static Reach],
    /// Squares that some man of the mating side guards if nothing stands in its way.
    guards: Set,
}

/// Whether `mater` may mate within so many moves of its own and of the other side, both helping.
/// "No" is proved, "yes" is a guess. Well under a microsecond.
pub(super) fn may_mate(chess: &Chess, mater: Side, own: usize, other: usize) -> bool {
    if own > AHEAD || other > PATIENCE || chess.castles().any() {
        return true;
    }
    let board = chess.board();
    let tables = tables();
    let (mut men, mut count, mut guards) = ([&tables.0[0]; 64], 0, 0);
    for at in board.men_of(mater) {
        let man = &tables.0[index(mater, board.role_at(at).expect("a man"), at as usize)];
        men[count] = man;
        count += 1;
        guards |= man.guards;
    }
    Arrival { chess, mater, moves: (own, other), men: &men[..count], guards }.has_target()
}

impl Arrival<'_> {
    /// Whether some square of the mated king's passes.
    fn has_target(&self) -> bool {
        let board = self.chess.board();
        let king = board.king(self.mater.other()).expect("a king each");
        let near = |&square: &Square| king.distance(square) as usize <= self.moves.1;
        // The king is most likely mated near where it stands.
        self.is_target(king, king)
            || Square::ALL.into_iter().filter(near).any(|at| at != king && self.is_target(king, at))
    }

    fn is_target(&self, king: Square, at: Square) -> bool {
        let board = self.chess.board();
        let (own, other) = self.moves;
        let ring = u64::from(attacks::king_attacks(at));
        let blocks = u64::from(board.men_of(self.mater.other()).without(king));
        let open = (ring & !self.guards & !blocks).count_ones() as i8;
        let free = other - king.distance(at) as usize;
        if self.most_guarded(at, own) < open - free as i8 {
            return false;
        }
        // The only move that is left has to be legal for the king.
        let last = other == 1 && at != king && self.chess.side_to_move() != self.mater;
        let hidden = board.occupied().without(king);
        let bit = 1_u64 << at as u32;
        !last || blocks & bit == 0 && board.attackers(at, self.mater, hidden).is_empty()
    }

    /// The most squares around `at` that so many moves can have guarded while some man gives check;
    /// negative where none can. Each man moves so often that the sum is greatest (a knapsack).
    fn most_guarded(&self, at: Square, own: usize) -> i8 {
        let mut quiet = [0_i8; AHEAD + 1];
        let discovered = self.guards >> at as u32 & 1 != 0;
        let mut check = [if discovered { 0 } else { NEVER }; AHEAD + 1];
        for man in self.men {
            let (around, checking) = (&man.around[at as usize], &man.checking[at as usize]);
            if around[own - 1] == 0 && checking[own - 1] == NEVER {
                continue;
            }
            for total in (1..=own).rev() {
                for moves in 1..=total {
                    let rest = total - moves;
                    check[total] = check[total]
                        .max(check[rest] + around[moves - 1])
                        .max(quiet[rest] + checking[moves - 1]);
                    quiet[total] = quiet[total].max(quiet[rest] + around[moves - 1]);
                }
            }
        }
        check[own]
    }
}
