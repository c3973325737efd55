//! Working backwards through a slice too large for [`super::slice`]: the same levels, with only two
//! bits a position, distances of any length, and everything that is found in a log on disk.
//!
//! A part (side to move, king number) has the positions that are *open*, legal and without a value,
//! and those that are *losable*, without a move that leaves the slice and saves them for now; those
//! of them count that are open. The level before is read from the log. One step reads the bits of
//! both sides as they were before it, so an open position is one that its side has not lost, or the
//! mover would have won by going there.
//!
//! Moves that leave the slice are looked up once and logged by ply: wins wait for theirs; a position
//! that loses by leaving is not losable before the ply of its longest such loss; and all in check
//! without such a move become losable in ply 0, when the mates are found. Stalemates are losable and
//! never looked at, since no move leads from them into a level.
//!
//! The bits are in memory, or where there is less of it in files of pages ([`super::room`]). A slice
//! may be shared by several processes ([`super::share`]): each has the parts of some king numbers,
//! and hears the levels of Black's parts beside them, which tell what is open there.
//!
//! Memory: 16 bytes a row and side, and a [`RowSet`] for each thread. The log takes about a byte and
//! a half a position of the index before the table is written.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::chess::Side;
use crate::chess::board::Bitboard;
use crate::limits::Budget;

use super::back::Moves;
use super::begin::Sets;
use super::columns::{Columns, RANGE};
use super::exits::Exits;
use super::frames::{Kind, Name};
use super::log::Log;
use super::part::{InMemory, Paged, Part, Words};
use super::planes::{Cache, Plane};
use super::room::{Needs, Room};
use super::share::{Crossing, Others, Report, Share};
use super::sweep::Lines;
use crate::tables::TableError;
use crate::tables::index::layout::Layout;

/// Work space of a thread, all zero between uses: bits that arrived in each row, and which rows have
/// any. 8.1 bytes a row.
struct RowSet {
    arrived: Vec<Bitboard>,
    touched: Vec<u64>,
}

impl RowSet {
    fn new(rows: usize) -> Self {
        Self { arrived: vec![Bitboard::EMPTY; rows], touched: vec![0; rows.div_ceil(64)] }
    }

    #[inline]
    fn mark(&mut self, row: usize, bits: Bitboard) {
        self.arrived[row] |= bits;
        self.touched[row >> 6] |= 1 << (row & 63);
    }

    /// Takes what arrived in these rows (64 or a multiple of them) out of the set, row by row.
    fn drain(&mut self, rows: Range<usize>, mut take: impl FnMut(usize, Bitboard)) {
        for word in rows.start / 64..rows.end.div_ceil(64) {
            let mut rows = std::mem::take(&mut self.touched[word]);
            while rows != 0 {
                let row = word << 6 | rows.trailing_zeros() as usize;
                rows &= rows - 1;
                take(row, std::mem::replace(&mut self.arrived[row], Bitboard::EMPTY));
            }
        }
    }
}

/// What a thread works with.
struct Bench {
    set: RowSet,
    lines: Lines,
    cache: Cache,
}

/// A slice being solved, or one process's share of it.
pub(super) struct Levels<'a> {
    moves: Moves<'a>,
    share: Share,
    others: Option<&'a dyn Others>,
    room: Room,
    /// White's parts by king number, then Black's.
    parts: Vec<Part>,
    /// What is open with Black to move beside the own parts.
    border: Vec<(usize, Plane)>,
    spare: Mutex<Vec<Bench>>,
    pub(super) log: Log,
}

/// How far a log came, so that the least is what all have.
fn said(share: &Share, plies: Option<u16>) -> Report {
    let whole = plies.map_or(0, |plies| 1 + u64::from(plies));
    [if share.own().is_empty() { u64::MAX } else { whole }, 0]
}

impl<'a> Levels<'a> {
    /// Begins a slice, or goes on with one whose log is there: then `exits` is not asked for.
    ///
    /// # Errors
    /// The budget's end, a log that cannot be used, and what reading children or the others say.
    pub(super) fn start(
        layout: &'a Layout,
        exits: impl FnOnce() -> Result<Exits, TableError>,
        (log, share): (Log, Share),
        others: Option<&'a dyn Others>,
        needs: &Needs,
        budget: &Budget,
    ) -> Result<Self, TableError> {
        let room = needs.room(budget.limits().memory);
        if room.planes < needs.planes() {
            budget.progress().note(&format!(
                "{}: {} of {} sets of positions in memory, the others paged to disk",
                layout.material,
                room.planes,
                needs.planes()
            ));
        }
        let moves = Moves::new(layout, 0);
        let (parts, border, spare) = Default::default();
        let mut levels = Self { moves, share, others, room, parts, border, spare, log };
        let (reports, _) = levels.meet(said(&share, levels.log.plies()))?;
        let least = reports.iter().map(|report| report[0]).min().unwrap_or(0);
        levels.log.cut(least.checked_sub(1).map(|plies| plies as u16))?;
        let exits = if least == 0 { Some(exits()?) } else { None };
        levels.make_parts(exits.as_ref(), budget)?;
        if least == 0 {
            levels.log.end(0)?;
        }
        Ok(levels)
    }

    /// Empty sets of positions: those read most come first, and are in memory.
    fn planes(&self) -> Result<(Vec<Sets>, Vec<Plane>), TableError> {
        let rows = self.layout().rows();
        let mut left = self.room.planes;
        let mut plane = || {
            if left == 0 {
                let paged = Plane::paged(rows, self.log.directory());
                return paged.map_err(|error| self.log.failed(error));
            }
            left -= 1;
            Ok(Plane::in_memory(rows))
        };
        let own = self.share.own().len();
        let open: Result<Vec<Plane>, _> = (0..2 * own).map(|_| plane()).collect();
        let border = self.share.border().iter().map(|_| plane()).collect::<Result<_, _>>()?;
        let mut open = open?.into_iter();
        let mut set = || -> Result<[Plane; 2], TableError> {
            Ok([open.next().expect("two for each king"), plane()?])
        };
        let sets: Result<Vec<Sets>, TableError> = (0..own).map(|_| Ok([set()?, set()?])).collect();
        Ok((sets?, border))
    }

    fn make_parts(&mut self, exits: Option<&Exits>, budget: &Budget) -> Result<(), TableError> {
        let (sets, border) = self.planes()?;
        let own = self.share.own();
        let made: Result<Vec<Sets>, TableError> = sets
            .into_par_iter()
            .with_max_len(1)
            .zip(own.clone())
            .map(|(sets, king)| match exits {
                Some(exits) => self.start_king(king, sets, exits, budget),
                None => self.restore_king(king, sets, budget),
            })
            .collect();
        let part = |side, king, [open, losable]: [Plane; 2]| Part { side, king, open, losable };
        let (white, black): (Vec<Part>, Vec<Part>) = own
            .zip(made?)
            .map(|(king, [white, black])| {
                (part(Side::White, king, white), part(Side::Black, king, black))
            })
            .unzip();
        self.parts = white.into_iter().chain(black).collect();
        let mut border: Vec<(usize, Plane)> = self.share.border().into_iter().zip(border).collect();
        border.par_iter_mut().try_for_each(|(king, plane)| self.start_border(*king, plane))?;
        self.border = border;
        Ok(())
    }

    pub(super) fn layout(&self) -> &'a Layout {
        self.moves.layout
    }

    /// The rows by range of the log.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let rows = self.layout().rows();
        (0..rows).step_by(RANGE).map(move |first| first..(first + RANGE).min(rows))
    }

    /// Waits for the others, if there are any. What all report, and what they have sent.
    fn meet(&self, report: Report) -> Result<(Vec<Report>, Vec<Crossing>), TableError> {
        self.others.map_or_else(|| Ok((vec![report], Vec::new())), |others| others.meet(report))
    }

    /// The same at the end of a ply: what others have found takes the place of what they had found
    /// in the ply before.
    fn end_ply(&mut self, ply: u16, decided: u64) -> Result<Vec<Report>, TableError> {
        self.log.end(ply + 1)?;
        let (reports, crossings) = self.meet([decided, 0])?;
        self.log.forget_received();
        for Crossing { king, frame } in crossings {
            self.log.receive(king, &frame)?;
        }
        self.decide_border(ply)?;
        Ok(reports)
    }

    /// Solves what is left. Returns the log, and the longest distance in plies.
    ///
    /// # Errors
    /// The budget's end: the log says how far this came. Or the disk's refusal.
    pub(super) fn solve(mut self, budget: &Budget) -> Result<(Log, u16), TableError> {
        let names: Vec<Name> = self.share.own().flat_map(|king| self.log.names(king)).collect();
        let last = |kind: Kind| {
            let plies = names.iter().filter(|name| name.kind == kind).map(|name| name.ply);
            u64::from(plies.max().unwrap_or(0))
        };
        let (reports, _) = self.meet([last(Kind::Exit), last(Kind::Level)])?;
        let most = |at: usize| reports.iter().map(|report| report[at]).max().unwrap_or(0) as u16;
        let (last_exit, mut longest) = (most(0), most(1));
        let mut ply = self.log.plies().unwrap_or(0);
        // A ply without any is followed by others only where some wait.
        while ply <= longest + 1 || ply <= last_exit {
            budget.check(0, 0)?;
            let name = self.layout().material;
            budget.progress().stage(&format!("table {name}, ply {ply}"), None);
            let decided = self.step(ply, budget)?;
            let reports = self.end_ply(ply, decided)?;
            budget.progress().advance(decided);
            if reports.iter().any(|report| report[0] > 0) {
                longest = ply;
            }
            ply += 1;
        }
        Ok((self.log, longest))
    }

    /// Finds the positions decided in this ply; how many there are.
    fn step(&mut self, ply: u16, budget: &Budget) -> Result<u64, TableError> {
        let mut parts = std::mem::take(&mut self.parts);
        let found = if ply % 2 == 1 {
            let win = |part: &mut Part| self.at_bench(|bench| self.win(part, ply, bench, budget));
            parts.par_iter_mut().with_max_len(1).map(win).sum()
        } else {
            parts.par_iter_mut().try_for_each(|part| self.make_losable(part, ply))?;
            let all = &parts;
            let lose =
                |part: &Part| self.at_bench(|bench| self.lose(part, all, ply, bench, budget));
            let found = all.par_iter().with_max_len(1).map(lose).sum();
            parts.par_iter_mut().try_for_each(|part| self.decide_part(part, ply))?;
            found
        };
        self.parts = parts;
        found
    }

    fn at_bench(
        &self,
        work: impl FnOnce(&mut Bench) -> Result<u64, TableError>,
    ) -> Result<u64, TableError> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut bench = spare.unwrap_or_else(|| Bench {
            set: RowSet::new(self.layout().rows()),
            lines: Lines::default(),
            cache: Cache::new(self.room.pages),
        });
        let done = work(&mut bench)?;
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(bench);
        Ok(done)
    }

    /// Reads columns of the log range by range.
    fn each_range(
        &self,
        king: usize,
        name: Name,
        mut each: impl FnMut(Columns),
    ) -> Result<(), TableError> {
        for range in 0..self.ranges().count() {
            each(self.log.read(king, name, Some(range))?);
        }
        Ok(())
    }

    /// Makes losable what may be lost from this ply on.
    fn make_losable(&self, part: &mut Part, ply: u16) -> Result<(), TableError> {
        let name = Name { kind: Kind::Exit, side: part.side, ply };
        let mut editor = part.losable.editor();
        self.each_range(part.king, name, |due| {
            due.iter().for_each(|(row, bits)| editor.change(row as usize, |word| word | bits));
        })?;
        editor.finish().map_err(|error| self.log.failed(error))
    }

    /// Takes what was found in this ply for decided.
    fn decide_part(&self, part: &mut Part, ply: u16) -> Result<(), TableError> {
        let name = Name { kind: Kind::Level, side: part.side, ply };
        (0..self.ranges().count()).try_for_each(|range| {
            self.decide(&mut part.open, &self.log.read(part.king, name, Some(range))?)
        })
    }

    /// The same of what others have found.
    fn decide_border(&mut self, ply: u16) -> Result<(), TableError> {
        let name = Name { kind: Kind::Level, side: Side::Black, ply };
        let mut border = std::mem::take(&mut self.border);
        border.par_iter_mut().try_for_each(|(king, plane)| {
            (0..self.ranges().count())
                .try_for_each(|range| self.decide(plane, &self.log.read(*king, name, Some(range))?))
        })?;
        self.border = border;
        Ok(())
    }

    /// Marks the positions of a part that have a move into the level before, and those that waited
    /// for this ply.
    fn arrive(
        &self,
        part: &Part,
        ply: u16,
        bench: &mut Bench,
        budget: &Budget,
    ) -> Result<(), TableError> {
        let (side, king) = (part.side, part.king);
        let set = &mut bench.set;
        if let Some(before) = ply.checked_sub(1) {
            let level = Name { kind: Kind::Level, side: side.other(), ply: before };
            let steps = if side == Side::White { self.moves.steps(king) } else { &[] };
            let mut read: Vec<usize> = steps.iter().map(|step| step.0).chain([king]).collect();
            read.sort_unstable();
            // Several steps lead to squares with the same number: its columns are read once.
            read.dedup();
            for next in read {
                budget.check(0, 0)?;
                self.each_range(next, level, |level| {
                    let mut mark = |row, bits| set.mark(row, bits);
                    if next == king {
                        let level: Vec<(u32, Bitboard)> = level.iter().collect();
                        self.moves.carry_men(side, king, &level, &mut bench.lines, &mut mark);
                    }
                    for &(_, symmetry) in steps.iter().filter(|step| step.0 == next) {
                        self.moves.carry_king(symmetry, level.iter(), &mut mark);
                    }
                })?;
            }
        }
        self.each_range(king, Name { kind: Kind::Exit, side, ply }, |due| {
            due.iter().for_each(|(row, bits)| set.mark(row as usize, bits));
        })
    }

    /// Logs a part's positions of this ply, and sends them to those who need them.
    fn found(&self, part: &Part, ply: u16, found: &Columns) -> Result<u64, TableError> {
        let (side, king) = (part.side, part.king);
        let readers = match self.others {
            Some(others) if side == Side::Black => {
                self.share.readers(king).into_iter().map(|process| (others, process)).collect()
            }
            _ => Vec::new(),
        };
        self.log.append(king, Name { kind: Kind::Level, side, ply }, found, |frame| {
            for &(others, process) in &readers {
                others.send(process, Crossing { king, frame: frame.clone() });
            }
        })?;
        Ok(found.positions())
    }

    /// The positions of a part that are won in this ply, which are decided at once: no other part
    /// looks at them before the next one.
    fn win(
        &self,
        part: &mut Part,
        ply: u16,
        bench: &mut Bench,
        budget: &Budget,
    ) -> Result<u64, TableError> {
        self.arrive(part, ply, bench, budget)?;
        let mut decided = 0;
        for rows in self.ranges() {
            budget.check(0, 0)?;
            let mut found = Columns::default();
            let mut editor = part.open.editor();
            bench.set.drain(rows, |row, bits| {
                editor.change(row, |open| {
                    let won = open & bits;
                    if won.any() {
                        found.push(row, won);
                    }
                    open.without_const(won)
                });
            });
            editor.finish().map_err(|error| self.log.failed(error))?;
            decided += self.found(part, ply, &found)?;
        }
        Ok(decided)
    }

    /// The positions of a part that are lost in this ply.
    fn lose(
        &self,
        part: &Part,
        parts: &[Part],
        ply: u16,
        bench: &mut Bench,
        budget: &Budget,
    ) -> Result<u64, TableError> {
        self.arrive(part, ply, bench, budget)?;
        let mut others: Vec<Option<&Plane>> = vec![None; self.share.kings()];
        let opposite = parts.iter().filter(|other| other.side != part.side);
        opposite.for_each(|other| others[other.king] = Some(&other.open));
        if part.side == Side::White {
            self.border.iter().for_each(|(king, plane)| others[*king] = Some(plane));
        }
        if let Some(words) = InMemory::new(part, &others) {
            return self.lose_against(part, ply, &words, &mut bench.set, budget);
        }
        bench.cache.reset(2 + others.len(), self.layout().rows());
        let words = Paged { part, others, cache: RefCell::new(&mut bench.cache) };
        let decided = self.lose_against(part, ply, &words, &mut bench.set, budget)?;
        bench.cache.result().map_err(|error| self.log.failed(error))?;
        Ok(decided)
    }

    fn lose_against(
        &self,
        part: &Part,
        ply: u16,
        words: &impl Words,
        set: &mut RowSet,
        budget: &Budget,
    ) -> Result<u64, TableError> {
        let mut decided = 0;
        let pieces = self.layout().pieces;
        for rows in self.ranges() {
            budget.check(0, 0)?;
            let mut found = Columns::default();
            set.drain(rows, |row, bits| {
                let bits = bits & words.losable(row);
                let escape = |king: usize, row: usize| words.escape(king, row);
                let lost = self.moves.refute(part.side, part.king, row, bits, pieces, escape);
                if lost.any() {
                    found.push(row, lost);
                }
            });
            decided += self.found(part, ply, &found)?;
        }
        Ok(decided)
    }
}
