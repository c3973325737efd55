//! Rows numbered, and what is known of each.

use super::moves::{Row, Step};
use crate::certificate::Strategy;
use crate::chess::board::{Bitboard, Board, BySide, Men, Role, attacks};
use crate::chess::worth::{balance, in_pawns};
use crate::chess::{Interner, Move, Packed, Side, code};

/// Positions of at most so many men are shown to the outpost.
pub(super) const FEW: usize = 5;

/// What a growth on rows is told.
pub trait Outpost {
    /// Why a growth ends early.
    type Error;

    /// So many moves more were made, and so many bytes are held.
    ///
    /// # Errors
    /// When a limit is reached.
    fn spent(&mut self, moves: u64, bytes: u64) -> Result<(), Self::Error>;

    /// Whether the holder holds, if that is known; the attacker is to move, and few men are left.
    fn is_held(&self, board: &Board) -> Option<bool>;

    /// Those of these squares of the attacker's king for which the holder, to move, needs no moves of this
    /// set. At an entry, where men have gone or a pawn has become another, it is worth some work.
    ///
    /// # Errors
    /// When a limit is reached.
    fn part(&mut self, _men: &Men, _kings: u64, _is_entry: bool) -> Result<u64, Self::Error> {
        Ok(0)
    }

    /// Decides exits, rows with the holder to move and squares of the attacker's king: what of each is held,
    /// for as many of the first as is worth it before it is found anew where the set leads; one at least.
    ///
    /// # Errors
    /// When a limit is reached.
    fn decide(&mut self, exits: &[Exit]) -> Result<Vec<u64>, Self::Error> {
        let mut held = Vec::new();
        for (men, kings) in exits {
            held.push(self.part(men, *kings, true)? & kings);
            if held.last() != Some(kings) {
                break;
            }
        }
        Ok(held)
    }
}

/// Where a set ends that keeps to a region: a row with the holder to move, and squares of the attacker's
/// king.
pub type Exit = (Men, u64);

/// Where positions with the holder to move come from: a row, and the squares of the attacker's king
/// for which a man's move leads here; none where it was the king that moved. 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    row: u32,
    kings: u64,
}

const KING_MOVED: u32 = 1 << 31;

impl Origin {
    pub(super) fn by_man(row: u32, kings: u64) -> Self {
        Self { row, kings }
    }

    pub(super) fn by_king(row: u32) -> Self {
        Self { row: row | KING_MOVED, kings: 0 }
    }

    pub(super) fn row(self) -> u32 {
        self.row & !KING_MOVED
    }

    /// Where the attacker's king may be before the move if it is on these squares after it, and the
    /// other way round: a king's steps lead both ways.
    pub(super) fn across(self, kings: u64) -> u64 {
        let by_king = self.row & KING_MOVED != 0;
        if by_king { attacks::king_steps(kings) } else { kings & self.kings }
    }
}

/// The holder's move for some squares of the attacker's king. 24 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Play {
    pub(super) play: Move,
    /// The row that it leads to.
    pub(super) to: u32,
    pub(super) kings: u64,
}

/// A row with the holder to move. All sets are squares of the attacker's king.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// Positions that were reached.
    pub(super) asked: u64,
    /// Those that have a move, or need none.
    pub(super) settled: u64,
    pub(super) lost: u64,
    /// Whether it waits for moves.
    pub(super) waits: bool,
    /// Whether a part may begin here: after a capture or a promotion, or beyond a region.
    pub(super) is_entry: bool,
    /// Positions that were asked for as parts.
    pub(super) parted: u64,
    /// Those of them beyond the region that are taken for held.
    pub(super) assumed: u64,
    pub(super) origins: Vec<Origin>,
    pub(super) plays: Vec<Play>,
}

impl Own {
    /// Positions that have no move yet.
    pub(super) fn open(&self) -> u64 {
        self.asked & !self.settled & !self.lost
    }
}

/// A row with the attacker to move.
#[derive(Debug, Default)]
pub(super) struct Other {
    /// Positions that some move has led to.
    pub(super) asked: u64,
    /// Those that moves lead to now.
    pub(super) wanted: u64,
    pub(super) lost: u64,
    /// Positions that the outpost was shown, and those of them that it holds.
    shown: u64,
    pub(super) safe: u64,
    /// Rows whose moves lead here.
    pub(super) origins: Vec<u32>,
}

/// What is known of the positions after a move: sets of squares of the attacker's king.
pub(super) struct Judged {
    /// The holder is not lost as far as is known.
    pub(super) kings: u64,
    /// It needs no more moves.
    pub(super) over: u64,
    /// Some move has led there.
    pub(super) asked: u64,
}

/// All rows that were met. Bytes a row: its men packed and 5 to 11 of the hash table, 96 of sets, 16
/// for each row that it comes from, 24 for each move of the holder.
pub(super) struct Rows {
    pub(super) holder: Side,
    /// Positions with a smaller balance are given up.
    floor: i32,
    owns: Interner,
    others: Interner,
    pub(super) own: Vec<Own>,
    pub(super) other: Vec<Other>,
    /// Origins of all rows together.
    links: usize,
}

impl Rows {
    pub(super) fn new(men: usize, holder: Side, floor: i32) -> Self {
        Self {
            holder,
            floor,
            owns: Interner::new(men),
            others: Interner::new(men),
            own: Vec::new(),
            other: Vec::new(),
            links: 0,
        }
    }

    /// About the bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let of_rows = size_of::<Own>() * self.own.capacity()
            + size_of::<Other>() * self.other.capacity()
            // What grows by doubling has half of it free, in the mean less.
            + size_of::<Origin>() * self.links * 3 / 2
            + (size_of::<Play>() + size_of::<u32>()) * self.other.len();
        self.owns.memory() + self.others.memory() + of_rows as u64
    }

    /// The rows with the holder to move.
    pub(super) fn len(&self) -> usize {
        self.own.len()
    }

    /// The number of the row with these men and the holder to move.
    pub(super) fn own(&mut self, men: &Men) -> u32 {
        let (id, new) = self.owns.insert(&men.packed());
        if new {
            let given_up = balance_then(men, self.holder) < self.floor;
            self.own.push(Own { lost: if given_up { u64::MAX } else { 0 }, ..Own::default() });
        }
        id
    }

    /// The same with the attacker to move.
    pub(super) fn other(&mut self, men: &Men) -> u32 {
        self.other_of(&men.packed())
    }

    fn other_of(&mut self, men: &Packed) -> u32 {
        let (id, new) = self.others.insert(men);
        if new {
            self.other.push(Other::default());
        }
        id
    }

    pub(super) fn own_row(&self, id: u32) -> Row {
        Row::new(Men::of_packed(&self.owns.at(id)), self.holder)
    }

    pub(super) fn other_row(&self, id: u32) -> Row {
        Row::new(Men::of_packed(&self.others.at(id)), self.holder)
    }

    /// Whether the holder needs no more moves: the attacker has nothing but his king.
    pub(super) fn is_over(&self, men: &Men) -> bool {
        men.men_of(self.holder.other()).is_empty()
    }

    /// What is known of the positions after a move of the holder's.
    pub(super) fn judge(&mut self, step: &Step, outpost: &impl Outpost) -> Judged {
        if self.is_over(&step.men) {
            return Judged { kings: step.kings, over: step.kings, asked: 0 };
        }
        let name = step.men.packed();
        if name.len() < FEW {
            self.show(&name, step.kings, outpost);
        }
        if step.play.promotion() != 0 {
            self.end(step);
        }
        let Some(id) = self.others.get(&name) else {
            return Judged { kings: step.kings, over: 0, asked: 0 };
        };
        let row = &self.other[id as usize];
        let kings = step.kings & !row.lost;
        Judged { kings, over: kings & row.safe, asked: row.asked }
    }

    /// Notes where the attacker is mated or stalemated by a promotion.
    fn end(&mut self, step: &Step) {
        let id = self.other(&step.men);
        let row = self.other_row(id);
        let is_over = |king: &u8| {
            let king = 1 << king;
            row.of_king(king).is_empty() && row.attackers(king).is_empty()
        };
        let over = squares(step.kings).filter(is_over).fold(0, |all, king| all | 1 << king);
        self.other[id as usize].safe |= over;
    }

    /// Shows the outpost those positions of a row that it has not seen.
    fn show(&mut self, men: &Packed, kings: u64, outpost: &impl Outpost) {
        let id = self.other_of(men) as usize;
        let attacker = self.holder.other();
        let to_show = kings & !self.other[id].shown;
        self.other[id].shown |= to_show;
        for square in squares(to_show) {
            let board = Board::of_legal(&full(men, square, attacker, attacker));
            let row = &mut self.other[id];
            match outpost.is_held(&board) {
                Some(true) => row.safe |= 1 << square,
                Some(false) => row.lost |= 1 << square,
                None => {}
            }
        }
    }

    /// A row with the holder to move is reached from another.
    pub(super) fn link(&mut self, id: u32, kings: u64, origin: Origin) {
        let row = &mut self.own[id as usize];
        row.asked |= kings;
        row.origins.push(origin);
        self.links += 1;
    }

    /// Positions of a row that moves lead to now.
    pub(super) fn wanted(&self, id: u32) -> u64 {
        let row = &self.own[id as usize];
        let from = |origin: &Origin| origin.across(self.other[origin.row() as usize].wanted);
        row.origins.iter().fold(0, |all, origin| all | from(origin))
    }

    /// The strategy from these positions with the holder to move: row and squares.
    pub(super) fn strategy(&self, root: &Board, starts: &[(u32, u64)]) -> Strategy {
        let reached = self.reached(starts);
        let (holder, attacker) = (self.holder, self.holder.other());
        let played = reached.iter().enumerate().filter(|(_, kings)| **kings != 0);
        let moves = played.flat_map(|(id, &kings)| {
            let men = self.owns.at(id as u32);
            self.own[id].plays.iter().flat_map(move |play| {
                let of = move |square| (full(&men, square, attacker, holder), play.play);
                squares(play.kings & kings).map(of)
            })
        });
        Strategy::holding(root, self.holder, moves)
    }

    /// By row with the holder to move: the positions that the moves chosen can lead to.
    pub(super) fn reached(&self, starts: &[(u32, u64)]) -> Vec<u64> {
        let mut own = vec![0; self.own.len()];
        let mut other = vec![0; self.other.len()];
        let mut agenda: Vec<(u32, u64)> = starts.to_vec();
        while let Some((id, kings)) = agenda.pop() {
            let new = kings & !own[id as usize];
            own[id as usize] |= new;
            for play in &self.own[id as usize].plays {
                let to = play.to as usize;
                let next = new & play.kings & !other[to] & !self.other[to].safe;
                other[to] |= next;
                if next == 0 {
                    continue;
                }
                let row = self.other_row(play.to);
                if self.is_over(&row.men) {
                    continue;
                }
                let by_king = row.of_king(next);
                let by_men = row.attackers(next).into_iter().map(|step| (step.men, step.kings));
                agenda.extend(by_king.into_iter().chain(by_men).map(|(men, kings)| {
                    (self.owns.get(&men.packed()).expect("all replies were met"), kings)
                }));
            }
        }
        own
    }
}

/// The squares of a set.
pub(super) fn squares(set: u64) -> impl Iterator<Item = u8> {
    Bitboard(set).into_iter().map(|square| square as u8)
}

/// A position: the men of a row, and the attacker's king.
pub(super) fn full(men: &Packed, square: u8, attacker: Side, to_move: Side) -> Packed {
    let king = attacker.pick(code::KING, code::KING + code::BLACK);
    let state = Packed::state(to_move.pick(0, 1), 0, 0, 0, 0);
    Packed { state, ..men.with(square, king) }
}

/// The holder's material balance in pawns, the holder to move and taking the most at once.
fn balance_then(men: &Men, holder: Side) -> i32 {
    let others = men.men_of(holder.other());
    let is_attacked = |role: &Role| {
        let targets = men.by_role(*role) & others;
        targets.into_iter().any(|square| men.attackers(square, holder, men.occupied()).any())
    };
    let taken = Role::ALL.into_iter().filter(is_attacked).map(in_pawns).max();
    balance(men, holder) + taken.unwrap_or(0)
}
