//! The plies to mate of a win that is written down ([`super::winning`]), counted from the mates up: by
//! slices, those first that no move leads back from, and in a slice by rank.
//!
//! What is counted before a position is what its answers or replies lead to, so each takes one look at
//! those: of the answers the shortest counts, of the replies the longest.

use super::bits::squares;
use super::closed::after;
use super::inside::Inside;
use super::key::Key;
use super::met::{Lead, Odd, Slice};
use super::sweep::Entry;
use super::winning::{Exit, Growing, NotWritten};
use crate::chess::board::Board;
use crate::chess::{Packed, Side, fen};

/// Not counted yet.
const OPEN: u16 = u16::MAX;

/// The positions of a row, and where the plies of the first of them are.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    row: u32,
    first: u32,
    bits: u64,
}

impl Run {
    /// Where the plies of a position are, if the row has it.
    #[inline]
    fn number(&self, bit: u64) -> Option<usize> {
        let before = (self.bits & (bit - 1)).count_ones();
        (self.bits & bit != 0).then(|| (self.first + before) as usize)
    }
}

/// Positions of a slice with one side to move, with their plies to mate. 16 bytes a row, 2 a position.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// In what order they are counted.
    order: Vec<(u32, Entry)>,
    rows: Vec<Run>,
    plies: Vec<u16>,
}

impl Places {
    /// Positions by rank, the lowest first.
    pub(super) fn of(order: Vec<(u32, Entry)>) -> Self {
        let mut by_row: Vec<Entry> = order.iter().map(|(_, entry)| *entry).collect();
        by_row.sort_unstable_by_key(|(row, _)| *row);
        let mut rows: Vec<Run> = Vec::new();
        for (row, bits) in by_row {
            match rows.last_mut() {
                Some(last) if last.row == row as u32 => last.bits |= bits,
                _ => rows.push(Run { row: row as u32, first: 0, bits }),
            }
        }
        let mut count = 0;
        for run in &mut rows {
            run.first = count;
            count += run.bits.count_ones();
        }
        Self { order, rows, plies: vec![OPEN; count as usize] }
    }

    fn number(&self, row: usize, bit: u64) -> Option<usize> {
        let at = self.rows.binary_search_by_key(&(row as u32), |run| run.row).ok()?;
        self.rows[at].number(bit)
    }

    /// The plies of a position, if they are counted.
    fn at(&self, row: usize, bit: u64) -> Option<u16> {
        let plies = self.plies[self.number(row, bit)?];
        (plies != OPEN).then_some(plies)
    }
}

/// The rows of a slice that are used, by their numbers.
struct Index(Vec<u32>);

impl Index {
    fn of(places: &Places, rows: usize) -> Self {
        let mut index = vec![u32::MAX; rows];
        for (at, run) in places.rows.iter().enumerate() {
            index[run.row as usize] = at as u32;
        }
        Self(index)
    }

    /// The positions of a row, and where their plies are.
    #[inline]
    fn row(&self, places: &Places, row: usize) -> Run {
        places.rows.get(self.0[row] as usize).copied().unwrap_or_default()
    }
}

/// Positions with the defender to move: after every reply to one of them the attacker has a move that
/// leads to another, of fewer plies to mate.
#[derive(Debug)]
pub struct WinningSet {
    attacker: Side,
    slices: Vec<(Key, Places)>,
    odd: Vec<(u32, Packed)>,
    /// The plies to mate from the root at most.
    pub plies: u32,
}

impl WinningSet {
    /// The positions with their plies to mate in pieces, each some thousands, made one after the other.
    pub fn pieces(&self) -> impl Iterator<Item = Vec<(u32, Packed)>> + '_ {
        let odd = std::iter::once(self.odd.clone());
        let chunks = |slice| {
            let (_, places): &(Key, Places) = slice;
            places.rows.chunks(ROWS).map(move |rows| (slice, rows))
        };
        let of = move |((key, places), rows): (&(Key, Places), &[Run])| {
            let row = |run: &Run| {
                let Run { row, first, bits } = *run;
                squares(bits).zip(&places.plies[first as usize..]).map(move |(square, &plies)| {
                    let place = key.place(row as usize, square, false);
                    (u32::from(plies), key.packed(&place, self.attacker))
                })
            };
            rows.iter().flat_map(row).collect()
        };
        self.slices.iter().flat_map(chunks).map(of).chain(odd)
    }
}

/// Rows of a piece.
const ROWS: usize = 1 << 12;

/// Counts the plies of all positions.
///
/// # Errors
/// The end of the budget; a position whose plies do not come to an end, which would be a mistake.
pub(super) fn count(mut set: Growing<'_>, root: &Board) -> Result<WinningSet, NotWritten> {
    for stage in 0..set.stages.len() {
        for at in 0..set.stages[stage].slices.len() {
            let number = set.stages[stage].slices[at];
            Counting::of(&mut set, number).run()?;
        }
        for board in std::mem::take(&mut set.stages[stage].boards) {
            set.odd(&board)?;
        }
    }
    let plies = if root.side_to_move() == set.attacker {
        let lead = set.lead(root.clone());
        set.asked(lead)?
    } else {
        set.listed(root)?
    };
    let odd = set.odd.iter().filter(|(_, odd)| odd.play.is_none());
    Ok(WinningSet {
        attacker: set.attacker,
        odd: odd.filter_map(|(p, odd)| Some((u32::from(odd.plies?), *p))).collect(),
        slices: set.slices.into_iter().map(|Slice { key, places: [_, z], .. }| (key, z)).collect(),
        plies: u32::from(plies),
    })
}

impl Growing<'_> {
    /// The plies of a position with the attacker to move.
    fn asked(&mut self, lead: Lead) -> Result<u16, NotWritten> {
        match lead {
            Lead::Slice(number, place) => {
                let Slice { key, places: [asked, _], .. } = &self.slices[number as usize];
                let (row, bit) = key.index(&place);
                let plies = asked.at(row, bit);
                plies.ok_or_else(|| endless(&key.board(&place, self.attacker)))
            }
            Lead::Board(board) => self.odd(&board),
        }
    }

    /// The plies of a position with the defender to move.
    fn listed(&mut self, board: &Board) -> Result<u16, NotWritten> {
        match self.home(board) {
            Lead::Slice(number, place) => {
                let Slice { key, places: [_, listed], .. } = &self.slices[number as usize];
                let (row, bit) = key.index(&place);
                listed.at(row, bit).ok_or_else(|| endless(board))
            }
            Lead::Board(board) => self.odd(&board),
        }
    }

    /// The plies of a board that no slice has.
    fn odd(&mut self, board: &Board) -> Result<u16, NotWritten> {
        let p = board.packed();
        let Odd { plies, play } = self.odd.get(&p).copied().ok_or_else(|| endless(board))?;
        if let Some(plies) = plies {
            return if plies == OPEN { Err(endless(board)) } else { Ok(plies) };
        }
        self.look()?;
        self.odd.insert(p, Odd { plies: Some(OPEN), play });
        let plies = match play {
            Some(next) => self.listed(&Board::of_legal(&next))? + 1,
            None => {
                let mut most = 0;
                for next in board.successors() {
                    let lead = self.lead(next);
                    most = most.max(self.asked(lead)? + 1);
                }
                most
            }
        };
        self.odd.insert(p, Odd { plies: Some(plies), play });
        Ok(plies)
    }

    /// The plies after a move out of a slice that wins, if it leads into the set.
    fn after_exit(&self, exit: &Exit, from: &Board) -> Option<u16> {
        if let Some((number, place)) = exit.spot {
            let Slice { key, places: [_, listed], .. } = &self.slices[number as usize];
            let (row, bit) = key.index(&place);
            return listed.at(row, bit);
        }
        let next = after(from, &exit.step, self.attacker);
        self.odd.get(&next.packed()).and_then(|odd| odd.plies)
    }
}

/// The plies of one slice's positions.
struct Counting<'s, 'a> {
    set: &'s mut Growing<'a>,
    number: u32,
    key: Key,
    inside: Inside,
    places: [Places; 2],
    index: [Index; 2],
    /// Rows that moves lead to, and the positions from which they are blocked.
    rows: Vec<(Run, u64)>,
    pushed: Vec<(u32, u64)>,
}

impl<'s, 'a> Counting<'s, 'a> {
    fn of(set: &'s mut Growing<'a>, number: u32) -> Self {
        let slice = &mut set.slices[number as usize];
        let (key, inside, places) = (slice.key, slice.inside, std::mem::take(&mut slice.places));
        let index = [0, 1].map(|at: usize| Index::of(&places[at], key.rows()));
        Self { set, number, key, inside, places, index, rows: Vec::new(), pushed: Vec::new() }
    }

    /// Counts, and gives the slice what it has counted.
    fn run(mut self) -> Result<(), NotWritten> {
        let [asked, listed] = [0, 1].map(|at: usize| std::mem::take(&mut self.places[at].order));
        let mut asked = asked.into_iter().peekable();
        for (rank, (row, bits)) in listed {
            while let Some((_, (row, bits))) = asked.next_if(|(bound, _)| *bound <= rank) {
                self.asked(row, bits)?;
            }
            self.listed(row, bits)?;
        }
        asked.try_for_each(|(_, (row, bits))| self.asked(row, bits))?;
        self.set.slices[self.number as usize].places = self.places;
        Ok(())
    }

    /// Where one side's moves inside the slice lead from a row; those that stay in it.
    fn around(&mut self, row: usize, ours: bool) -> Run {
        let to = usize::from(ours);
        let (index, places) = (&self.index[to], &self.places[to]);
        self.rows.clear();
        self.inside.across(row, ours, |next, blocked| {
            let run = index.row(places, next);
            if run.bits & !blocked != 0 {
                self.rows.push((run, blocked));
            }
        });
        index.row(places, row)
    }

    /// Calls `each` with the plies that moves inside the slice lead to from a position.
    fn each(&self, row: usize, bit: u64, here: Run, ours: bool, mut each: impl FnMut(u16)) {
        let plies = &self.places[usize::from(ours)].plies;
        for (run, blocked) in &self.rows {
            if let (Some(at), 0) = (run.number(bit), bit & blocked) {
                each(plies[at]);
            }
        }
        for to in squares(self.inside.within(row, ours, bit) & here.bits) {
            each(plies[here.number(1 << to).expect("a position of the row")]);
        }
    }

    /// Counts positions with the attacker to move: one more than after the shortest answer.
    fn asked(&mut self, row: usize, bits: u64) -> Result<(), NotWritten> {
        self.set.look()?;
        let here = self.around(row, true);
        let by_exit = self.set.slices[self.number as usize].by_exit.get(&row).copied().unwrap_or(0);
        for square in squares(bits) {
            let mut best = OPEN;
            self.each(row, 1 << square, here, true, |plies| best = best.min(plies));
            if by_exit >> square & 1 != 0 {
                best = best.min(self.exits(row, square));
            }
            if best == OPEN {
                return Err(endless(&self.board(row, square, true)));
            }
            let at = self.places[0].number(row, 1 << square).expect("a position of the slice");
            self.places[0].plies[at] = best + 1;
        }
        Ok(())
    }

    /// The fewest plies after a move out of the slice.
    fn exits(&mut self, row: usize, square: u8) -> u16 {
        let place = self.key.place(row, square, true);
        let board = self.key.board(&place, self.set.attacker);
        let exits = self.set.exits(&self.key, &place);
        exits.iter().filter_map(|exit| self.set.after_exit(exit, &board)).min().unwrap_or(OPEN)
    }

    /// Counts positions with the defender to move: one more than after the longest reply, none in a
    /// mate.
    fn listed(&mut self, row: usize, bits: u64) -> Result<(), NotWritten> {
        self.set.look()?;
        let here = self.around(row, false);
        let mut pushed = std::mem::take(&mut self.pushed);
        let loud = self.set.pushed(self.number, row, bits, &mut pushed);
        for square in squares(bits) {
            let bit = 1 << square;
            let mut most = 0;
            let mut open = false;
            self.each(row, bit, here, false, |plies| {
                open |= plies == OPEN;
                most = most.max(plies.saturating_add(1));
            });
            if open {
                return Err(endless(&self.board(row, square, false)));
            }
            for (slice, _) in pushed.iter().filter(|(_, bits)| bits & bit != 0) {
                let place = self.key.place(row, square, true);
                most = most.max(self.set.asked(Lead::Slice(*slice, place))? + 1);
            }
            if loud & bit != 0 {
                for lead in self.set.replies(self.number, row, square) {
                    most = most.max(self.set.asked(lead)? + 1);
                }
            }
            let at = self.places[1].number(row, bit).expect("a position of the slice");
            self.places[1].plies[at] = most;
        }
        self.pushed = pushed;
        Ok(())
    }

    fn board(&self, row: usize, square: u8, ours: bool) -> Board {
        self.key.board(&self.key.place(row, square, ours), self.set.attacker)
    }
}

fn endless(board: &Board) -> NotWritten {
    NotWritten::Endless(fen(&board.vector()))
}
