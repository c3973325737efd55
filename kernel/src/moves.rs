//! `WhiteMoves(y)` and `BlackMoves(y)`: the paper's §3 (docs/theory.md §4), in the profiles `paper`
//! and `fide`.
//!
//! Every set is written once, for White, under the paper's name; Black's is the same seen through
//! the mirror. Every z that is handed on has the other side to move, and White's king is safe unless
//! the caller looks at that itself ([`find_move`]).

use super::attack::{
    F_B, F_K, F_N, F_R, ray, safe_black_king, safe_white_king, safe_white_king_seen,
    safe_white_square,
};
use super::vector::{Eyes, Move, Profile, Vector, code, flip, xg, xv};

/// Which moves are handed on.
#[derive(Clone, Copy)]
enum Wanted {
    /// All that leave the mover's king safe.
    Legal,
    /// This one, if it does.
    Only(Move),
    /// Those that leave it in check too.
    Unsafe,
}

/// One side's move generator: the position as it sees it, the profile and the receiver of (move,
/// z).
struct Moves<'a, const M: bool, F: FnMut(Move, &Vector)> {
    y: &'a Eyes<M>,
    profile: Profile,
    wanted: Wanted,
    emit: &'a mut F,
}

/// Whether White may capture this code: Black's men without the king.
fn capturable(c: u8) -> bool {
    (8..=12).contains(&c)
}

/// `fKBO(j, v)`: Black's castling rights v after a White move to j: a rook taken at home ends its
/// right.
fn f_kbo(j: usize, v: u8) -> u8 {
    match j {
        57 => 2 * (v / 2),
        64 => v - 2 * (v / 2),
        _ => v,
    }
}

/// `fWRK(i, v)`: White's castling rights v after a rook left i.
fn f_wrk(i: usize, v: u8) -> u8 {
    match i {
        1 => 2 * (v / 2),
        8 => v - 2 * (v / 2),
        _ => v,
    }
}

impl<const M: bool, F: FnMut(Move, &Vector)> Moves<'_, M, F> {
    /// z before the men move: Black to move, no two-square advance; in `fide` Black's mark is spent
    /// too (E3).
    fn next(&self) -> Eyes<M> {
        let mut z = *self.y;
        z.put(0, 1);
        z.put(65, 0);
        if self.profile == Profile::Fide {
            z.put(66, 0);
        }
        z
    }

    /// Hands on z if it is wanted: White's king is safe in it, unless those are wanted too.
    fn offer(&mut self, i: usize, j: usize, promotion: u8, z: &Eyes<M>) {
        let seen = |s: usize| (if M { flip(s) } else { s } - 1) as u8;
        let m = Move::new(seen(i), seen(j), promotion);
        let is_wanted = match self.wanted {
            Wanted::Legal => safe_white_king_seen(z),
            Wanted::Only(only) => only == m && safe_white_king_seen(z),
            Wanted::Unsafe => true,
        };
        if is_wanted {
            (self.emit)(m, &z.0);
        }
    }

    /// The piece `c` goes from i to j; `promotion` names what it becomes, else 0.
    fn go(&mut self, i: usize, j: usize, c: u8, rights: u8, promotion: u8) {
        let mut z = self.next();
        z.put(i, code::EMPTY);
        z.put(j, c);
        z.put(67, rights);
        z.put(68, f_kbo(j, self.y.at(68)));
        self.offer(i, j, promotion, &z);
    }

    /// The moves of a king or knight by its steps; `rights` is the z67 of such a move.
    fn leaps(&mut self, i: usize, steps: &[u8; 8], c: u8, rights: u8) {
        for &j in steps.iter().filter(|&&j| j != 0) {
            let there = self.y.at(j as usize);
            if there == code::EMPTY || capturable(there) {
                self.go(i, j as usize, c, rights, 0);
            }
        }
    }

    /// King moves. As printed z67 keeps its value (erratum E1).
    fn white_king_move(&mut self, i: usize) {
        let rights = if self.profile == Profile::Paper { self.y.at(67) } else { 0 };
        self.leaps(i, &F_K[i], code::KING, rights);
    }

    /// Long castling: king e1–c1, rook a1–d1.
    fn white_castling_long(&mut self) {
        let y = self.y;
        let home = y.at(5) == code::KING && y.at(1) == code::ROOK && y.at(67) % 2 == 1;
        if home && [2, 3, 4].iter().all(|&j| y.at(j) == code::EMPTY) && self.king_passes(4) {
            self.castle([(1, code::EMPTY), (3, code::KING), (4, code::ROOK), (5, code::EMPTY)], 3);
        }
    }

    /// Short castling: king e1–g1, rook h1–f1.
    fn white_castling_short(&mut self) {
        let y = self.y;
        let home = y.at(5) == code::KING && y.at(8) == code::ROOK && y.at(67) / 2 == 1;
        if home && [6, 7].iter().all(|&j| y.at(j) == code::EMPTY) && self.king_passes(6) {
            self.castle([(5, code::EMPTY), (6, code::ROOK), (7, code::KING), (8, code::EMPTY)], 7);
        }
    }

    /// White is not in check now, nor with the king on square `over`.
    fn king_passes(&self, over: usize) -> bool {
        let mut passing = *self.y;
        passing.put(5, code::EMPTY);
        passing.put(over, code::KING);
        safe_white_square(self.y, 5) && safe_white_square(&passing, over)
    }

    fn castle(&mut self, men: [(usize, u8); 4], to: usize) {
        let mut z = self.next();
        for (square, c) in men {
            z.put(square, c);
        }
        z.put(67, 0);
        self.offer(5, to, 0, &z);
    }

    /// Rook, bishop and queen moves along the rays fR or fB; `rights` is the z67 of a move of this
    /// piece.
    fn white_line_move(&mut self, i: usize, rays: &[[u8; 8]; 4], c: u8, rights: u8) {
        let y = self.y;
        for squares in rays {
            for (j, there) in ray(y, squares) {
                if there == code::EMPTY || capturable(there) {
                    self.go(i, j, c, rights, 0);
                }
            }
        }
    }

    /// Where a pawn on i may go by one step: l = 1, 2 captures, l = 3 onto an empty square.
    fn pawn_steps(&self, i: usize) -> impl Iterator<Item = usize> + use<M, F> {
        let left = xv(i) >= 2 && capturable(self.y.at(i + 7));
        let right = xv(i) <= 7 && capturable(self.y.at(i + 9));
        let ahead = self.y.at(i + 8) == code::EMPTY;
        [(left, i + 7), (right, i + 9), (ahead, i + 8)]
            .into_iter()
            .filter_map(|(may, j)| may.then_some(j))
    }

    /// `WhitePawnMove1`: one step or a capture, not to the last rank.
    fn white_pawn_move_1(&mut self, i: usize) {
        for j in self.pawn_steps(i) {
            self.go(i, j, code::PAWN, self.y.at(67), 0);
        }
    }

    /// `WhitePawnMove8`: promotion to Q R B N (l2 = 1..4).
    fn white_pawn_move_8(&mut self, i: usize) {
        for j in self.pawn_steps(i) {
            for piece in code::QUEEN..=code::KNIGHT {
                self.go(i, j, piece, self.y.at(67), piece);
            }
        }
    }

    /// `WhitePawnMove2`: two squares. In `fide` the mark is set only when Black can capture (E3).
    fn white_pawn_move_2(&mut self, i: usize) {
        if self.y.at(i + 8) != code::EMPTY || self.y.at(i + 16) != code::EMPTY {
            return;
        }
        let mut z = self.next();
        z.put(i, code::EMPTY);
        z.put(i + 16, code::PAWN);
        z.put(65, xv(i) as u8);
        if self.profile == Profile::Fide && !black_takes_en_passant(&z) {
            z.put(65, 0);
        }
        self.offer(i, i + 16, 0, &z);
    }

    /// `WhitePawnMoveEP`. As printed, the capture to the right tests y_{i−1} = 12 (erratum E2).
    fn white_pawn_move_ep(&mut self, i: usize) {
        let y = self.y;
        let right_neighbour = if self.profile == Profile::Paper { i - 1 } else { i + 1 };
        let black_pawn = code::BLACK + code::PAWN;
        let mark = y.at(66) as usize;
        let left = xv(i) >= 2
            && y.at(i - 1) == black_pawn
            && y.at(i + 7) == code::EMPTY
            && mark != 0
            && mark == xv(i) - 1;
        let right = xv(i) <= 7
            && y.at(right_neighbour) == black_pawn
            && y.at(i + 9) == code::EMPTY
            && mark == xv(i) + 1;
        for (may, j) in [(left, i + 7), (right, i + 9)] {
            if may {
                let mut z = self.next();
                z.put(i, code::EMPTY);
                z.put(j - 8, code::EMPTY);
                z.put(j, code::PAWN);
                self.offer(i, j, 0, &z);
            }
        }
    }

    fn white_pawn_moves(&mut self, i: usize) {
        match xg(i) {
            7 => self.white_pawn_move_8(i),
            rank @ 2..=6 => {
                self.white_pawn_move_1(i);
                if rank == 2 {
                    self.white_pawn_move_2(i);
                }
                if rank == 5 {
                    self.white_pawn_move_ep(i);
                }
            }
            // No pawn stands on the first or last rank of a legal position.
            _ => {}
        }
    }

    /// The moves of the man on i.
    fn of_square(&mut self, i: usize) {
        let rights = self.y.at(67);
        match self.y.at(i) {
            code::KING => {
                self.white_king_move(i);
                if rights != 0 {
                    self.white_castling_long();
                    self.white_castling_short();
                }
            }
            code::QUEEN => {
                self.white_line_move(i, &F_R[i], code::QUEEN, rights);
                self.white_line_move(i, &F_B[i], code::QUEEN, rights);
            }
            code::ROOK => self.white_line_move(i, &F_R[i], code::ROOK, f_wrk(i, rights)),
            code::BISHOP => self.white_line_move(i, &F_B[i], code::BISHOP, rights),
            code::KNIGHT => self.leaps(i, &F_N[i], code::KNIGHT, rights),
            code::PAWN => self.white_pawn_moves(i),
            _ => {}
        }
    }

    fn all(&mut self) {
        (1..=64).for_each(|i| self.of_square(i));
    }
}

/// Whether the side to move of z (Black, seen by the mover) has a legal en-passant capture of the
/// pawn marked in z65.
fn black_takes_en_passant<const M: bool>(z: &Eyes<M>) -> bool {
    // The capturing side sees the mirrored board; the const parameter cannot be negated, so both
    // are spelled out.
    if M { takes_en_passant(&Eyes::<false>(z.0)) } else { takes_en_passant(&Eyes::<true>(z.0)) }
}

fn takes_en_passant<const M: bool>(y: &Eyes<M>) -> bool {
    let mark = y.at(66) as usize;
    if mark == 0 {
        return false;
    }
    let mut found = false;
    let mut emit = |_: Move, _: &Vector| found = true;
    let mut moves = Moves { y, profile: Profile::Fide, wanted: Wanted::Legal, emit: &mut emit };
    for file in [mark.wrapping_sub(1), mark + 1] {
        let i = 32 + file;
        if (1..=8).contains(&file) && y.at(i) == code::PAWN {
            moves.white_pawn_move_ep(i);
        }
    }
    found
}

/// Whether the side to move can legally capture en passant the pawn marked in y (y66 for White, y65
/// for Black).
pub fn en_passant_possible(y: &Vector) -> bool {
    if y.white_to_move() {
        takes_en_passant(&Eyes::<false>(*y))
    } else {
        takes_en_passant(&Eyes::<true>(*y))
    }
}

/// `WhiteMoves(y)`: hands every White move and the position z after it to `emit`. White need not be
/// to move. About 2–5 µs a position.
pub fn white_moves(profile: Profile, y: &Vector, emit: &mut impl FnMut(Move, &Vector)) {
    Moves { y: &Eyes::<false>(*y), profile, wanted: Wanted::Legal, emit }.all();
}

/// `BlackMoves(y)`: the mirror of [`white_moves`].
pub fn black_moves(profile: Profile, y: &Vector, emit: &mut impl FnMut(Move, &Vector)) {
    Moves { y: &Eyes::<true>(*y), profile, wanted: Wanted::Legal, emit }.all();
}

/// The moves of the side to move.
pub fn moves(profile: Profile, y: &Vector, emit: &mut impl FnMut(Move, &Vector)) {
    if y.white_to_move() { white_moves(profile, y, emit) } else { black_moves(profile, y, emit) }
}

/// The moves of the side to move with the positions after them, in the order of generation.
pub fn successors(profile: Profile, y: &Vector) -> Vec<(Move, Vector)> {
    let mut list = Vec::with_capacity(48);
    moves(profile, y, &mut |m, z| list.push((m, *z)));
    list
}

/// Hands the moves of the man on square i that are wanted to `emit`.
fn of_man(
    y: &Vector,
    i: usize,
    wanted: Wanted,
    profile: Profile,
    emit: &mut impl FnMut(Move, &Vector),
) {
    if y.white_to_move() {
        Moves { y: &Eyes::<false>(*y), profile, wanted, emit }.of_square(i);
    } else {
        Moves { y: &Eyes::<true>(*y), profile, wanted, emit }.of_square(flip(i));
    }
}

/// The position after one move of the side to move; none if the move is not legal. A tenth of what
/// all moves cost: only this move's safety is looked at.
pub fn play(profile: Profile, y: &Vector, m: Move) -> Option<Vector> {
    let mut found = None;
    of_man(y, usize::from(m.from()) + 1, Wanted::Only(m), profile, &mut |_, z| found = Some(*z));
    found
}

/// Whether the side to move has a legal move. Ends at the first man that has one.
pub fn has_move(profile: Profile, y: &Vector) -> bool {
    find_move(profile, y, &mut |_| true).is_some()
}

/// A legal move of the side to move to a position that passes a test, if there is one. The test is
/// asked first, and of moves that leave the king in check too, since it mostly says no. Ends after
/// the first man that has one.
pub fn find_move(
    profile: Profile,
    y: &Vector,
    test: &mut impl FnMut(&Vector) -> bool,
) -> Option<Move> {
    let mut found = None;
    (1..=64).find_map(|i| {
        let mut look = |m: Move, z: &Vector| {
            if found.is_none() && test(z) && is_safe(z) {
                found = Some(m);
            }
        };
        of_man(y, i, Wanted::Unsafe, profile, &mut look);
        found
    })
}

/// Whether the side not to move is not in check.
fn is_safe(z: &Vector) -> bool {
    if z.white_to_move() { safe_black_king(z) } else { safe_white_king(z) }
}

/// Whether the side to move is in check.
pub fn in_check(y: &Vector) -> bool {
    if y.white_to_move() { !safe_white_king(y) } else { !safe_black_king(y) }
}
