//! Dead material: positions in which no sequence of legal moves at all can mate a side.
//!
//! One predicate, [`cannot_be_mated`], on which every honest hold rests that wins the opponent's
//! last dangerous man. It looks at the men only, and men only leave the board or are promoted from
//! pawns; so it is enough that it holds of every position reached later too, and that no position
//! of which it holds is a mate of the side.
//!
//! *It goes on holding.* Let the opponent have nothing but its king: it never gets another man.
//! Let the opponent have one knight or bishop beside its king, and the side a bare king: neither
//! has a pawn, so nobody gets another man; the piece may be captured, and then the opponent's king
//! is bare.
//!
//! *None of these positions is a mate of the side.* Mate is check, and a king gives no check: with
//! a bare king the opponent has nothing that does. So let the opponent have its king and one knight
//! or bishop that gives check, and the side its king alone, on x.
//!
//! * The man attacks squares of one colour only, the colour of x: a knight's step changes the
//!   colour, a bishop's does not.
//! * The squares beside x in rank and file are of the other colour, so the man attacks none of them,
//!   and it stands on none of them: neither a knight nor a bishop attacks the square beside it in
//!   rank or file. At least two of them, a in the rank and b in the file, are on the board. They
//!   are empty, since the enemy king does not stand beside x either.
//! * So the king may go to a, and to b, unless the enemy king attacks both. Put x = (0, 0), a = (s,
//!   0), b = (0, t) with s, t = ±1. The squares that touch both a and b are x and (s, t), which
//!   touches x: the enemy king stands on neither.
//!
//! So a move to a or b is legal, and it is no mate. (Nothing else pins or blocks: the side has no
//! other man.)
//!
//! [`dead_men`] knows two cases more, of positions that a legal move has led to. Both go on holding:
//! nobody has a pawn, or (with a bare king) nobody who could mate.
//!
//! *Bishops of one colour* against queens, rooks and bishops of that colour. Mate is check by one
//! bishop: two cannot check at once, since the one that moved last came from a diagonal through x,
//! so x was attacked before; what else left a diagonal, left one; and a pawn that captured and became
//! a bishop left a square whose other diagonal is parallel to the new bishop's. Let it check along
//! the diagonal with the first square d = (s, t). The squares a = (s, 0) and b = (0, t) are on the board
//! and of the other colour: no bishop attacks them, the king not both. On the one that it does not
//! attack stands a queen or rook of the side, or the king may go there. That man reaches d in one
//! step: it captures or interposes, and nothing pins it, since bishops attack nothing of its colour.
//!
//! *One knight* against queens. Put x = (0, 0) and let it check from (1, 2): the squares a = (1, 0) and
//! b = (0, 1) are on the board, the knight attacks neither, the king not both. A queen on b captures
//! the knight, one on a captures it through (1, 1), where no enemy king stands, and a queen there
//! would capture it. Nothing pins. The other knight's steps are reflections of this one.

use super::legal::Side;
use super::vector::{Vector, code};

/// Whether a side has nothing but its king: it can never mate again.
pub fn bare_king(y: &Vector, side: Side) -> bool {
    count(y, side, |_| true) == 1
}

/// Whether no sequence of legal moves mates the side: a holding strategy needs no more moves. See
/// the file's head for the argument. About 20 ns.
pub fn cannot_be_mated(y: &Vector, side: Side) -> bool {
    let (mut own, mut theirs, mut minors) = (0, 0, 0);
    for (_, man) in y.each_man() {
        let is_black = man > code::BLACK;
        if is_black == (side == Side::Black) {
            own += 1;
        } else {
            let kind = if is_black { man - code::BLACK } else { man };
            theirs += 1;
            minors += u32::from(kind == code::BISHOP || kind == code::KNIGHT);
        }
    }
    theirs == 1 || own == 1 && theirs == 2 && minors == 1
}

/// The squares of one colour, h1's.
const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;

/// Whether no legal move into such a position, and none after it, mates the loser, by the men
/// alone: all men but the kings, each with the squares on which it may stand. See the file's head.
pub(crate) fn dead_men(men: impl Iterator<Item = (u8, u64)>, loser: Side) -> bool {
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for (man, at) in men {
        let black = man > code::BLACK;
        let kind = if black { man - code::BLACK } else { man };
        let list = if black == (loser == Side::Black) { &mut ours } else { &mut theirs };
        list.push((kind, at));
    }
    let bishops = |one: u64| {
        let bishop = |&(man, at): &(u8, u64)| man == code::BISHOP && at & !one == 0;
        let heavy = |man: u8| man == code::QUEEN || man == code::ROOK;
        theirs.iter().all(bishop) && ours.iter().all(|man| heavy(man.0) || bishop(man))
    };
    let knight = || {
        theirs.len() == 1
            && theirs[0].0 == code::KNIGHT
            && ours.iter().all(|&(man, _)| man == code::QUEEN)
    };
    theirs.is_empty() || knight() || bishops(LIGHT) || bishops(!LIGHT)
}

/// How many of a side's men are of this kind, given as White's code (1 K … 6 P).
fn count(y: &Vector, side: Side, kind: impl Fn(u8) -> bool) -> usize {
    let first = if side == Side::White { code::KING } else { code::KING + code::BLACK };
    let own = |c: u8| (first..first + code::BLACK).contains(&c) && kind(c - first + code::KING);
    y.squares().iter().filter(|&&c| own(c)).count()
}
