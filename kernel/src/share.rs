//! The rows of a block, checked by several threads.
//!
//! Rows are handed out in their order, some at a time, and each is checked by the thread that it was
//! handed to. What checks look at the threads share by reference: it does not change while they run.
//! All is well if every row was handed out and no thread has found a fault when all have ended.
//!
//! *The answer is that of one thread.* After a fault nothing is handed out. What was handed out
//! before is checked to its end, and all rows before the fault are among it. So of the faults that
//! are found the first in the file is the first that there is, and that one is told.
//!
//! The calling thread alone asks its caller whether to go on. When there are no rows left for it, it
//! asks whenever one of the others would, until they have ended.

use super::listed::Row;
use super::meter::Meter;
use super::rejection::Rejection;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, MutexGuard};
use std::thread::{Builder, scope};

/// What is left to do, and what came of the rest.
struct Desk<R> {
    rows: R,
    /// Positions in the rows that have been handed out, and those before all of them.
    done: u64,
    /// The first fault, and how many positions were before the rows that it was handed out with.
    fault: Option<(u64, Rejection)>,
    abandoned: bool,
}

impl<R: Iterator<Item = Row>> Desk<R> {
    /// The next rows, and how many positions are before them.
    fn next(&mut self, batch: usize) -> Option<(u64, Vec<Row>)> {
        if self.fault.is_some() || self.abandoned {
            return None;
        }
        let rows: Vec<Row> = self.rows.by_ref().take(batch).collect();
        let before = self.done;
        self.done += rows.iter().map(|row| u64::from(row.squares.count_ones())).sum::<u64>();
        (!rows.is_empty()).then_some((before, rows))
    }

    fn found(&mut self, before: u64, fault: Rejection) {
        if fault == Rejection::Abandoned {
            self.abandoned = true;
        } else if self.fault.as_ref().is_none_or(|&(first, _)| before < first) {
            self.fault = Some((before, fault));
        }
    }
}

/// Nobody works while they have the desk.
fn at<R>(desk: &Mutex<Desk<R>>) -> MutexGuard<'_, Desk<R>> {
    desk.lock().expect("nobody panics at the desk")
}

/// Checks rows, and counts their positions. So many are handed out at a time, to as many threads as
/// there is something kept for, the calling one among them.
pub(crate) fn share<R: Iterator<Item = Row> + Clone + Send, K: Send>(
    rows: R,
    batch: usize,
    kept: &mut [K],
    meter: &mut Meter<'_>,
    check: impl Fn(&Row, &mut K, &mut Meter<'_>) -> Result<(), Rejection> + Sync,
) -> Result<(), Rejection> {
    let (own, others) = kept.split_first_mut().expect("what the calling thread keeps");
    // No more of them than find something to do.
    let others = others.iter_mut().zip(rows.clone().skip(batch).step_by(batch));
    let desk = &Mutex::new(Desk { rows, done: meter.done, fault: None, abandoned: false });
    let next = || at(desk).next(batch);
    let work = &|kept: &mut K, meter: &mut Meter<'_>| {
        while let Some((before, rows)) = next() {
            meter.done = before;
            if let Err(fault) = rows.iter().try_for_each(|row| check(row, kept, meter)) {
                at(desk).found(before, fault);
            }
        }
    };
    scope(|scope| {
        let (ask, asked) = sync_channel(1);
        for (kept, _) in others {
            let ask = ask.clone();
            let help = move || {
                let mut go_on = |_| {
                    // Where there is no room, it is going to be asked anyway.
                    let _ = ask.try_send(());
                    !at(desk).abandoned
                };
                work(kept, &mut Meter::new(&mut go_on));
            };
            // Where the system has no thread to give, the others do its work.
            let _ = Builder::new().spawn_scoped(scope, help);
        }
        drop(ask);
        work(own, meter);
        meter.done = at(desk).done;
        let mut ended = at(desk).abandoned;
        while !ended && asked.recv().is_ok() {
            if let Err(abandoned) = meter.ask() {
                at(desk).found(meter.done, abandoned.into());
                ended = true;
            }
        }
    });
    let desk = at(desk);
    match &desk.fault {
        _ if desk.abandoned => Err(Rejection::Abandoned),
        Some((_, fault)) => Err(fault.clone()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
    use std::thread::yield_now;

    /// Rows of one to three positions; how many positions are before each is its number.
    fn rows(count: u64) -> Vec<Row> {
        let mut before = 0;
        let row = |at| {
            let squares = (1u64 << (1 + at % 3)) - 1;
            let row = Row { slice: 0, row: before, squares };
            before += u64::from(squares.count_ones());
            row
        };
        (0..count).map(row).collect()
    }

    /// What comes of it, and the positions that are counted.
    fn shared<K: Send>(
        rows: &[Row],
        batch: usize,
        kept: &mut [K],
        go_on: &mut dyn FnMut(u64) -> bool,
        check: impl Fn(&Row, &mut K, &mut Meter<'_>) -> Result<(), Rejection> + Sync,
    ) -> (Result<(), Rejection>, u64) {
        let mut meter = Meter::new(go_on);
        meter.done = 100;
        let answer = share(rows.iter().copied(), batch, kept, &mut meter, check);
        (answer, meter.done - 100)
    }

    #[test]
    fn each_row_is_checked_once() {
        for (count, batch, threads) in [(0, 1, 2), (7, 7, 2), (8, 7, 2), (1000, 1, 5), (999, 7, 3)]
        {
            let rows = rows(count);
            let seen: Vec<AtomicU64> = rows.iter().map(|_| AtomicU64::new(0)).collect();
            let mut kept = vec![0; threads];
            let check = |row: &Row, kept: &mut u64, meter: &mut Meter<'_>| {
                assert_eq!(meter.done, 100 + row.row, "positions before it");
                meter.done += u64::from(row.squares.count_ones());
                *kept += 1;
                let at = rows.binary_search_by_key(&row.row, |row| row.row).unwrap();
                seen[at].fetch_add(1, SeqCst);
                Ok(())
            };
            let positions = rows.iter().map(|row| u64::from(row.squares.count_ones())).sum();
            let answer = shared(&rows, batch, &mut kept, &mut |_| true, check);
            assert_eq!(answer, (Ok(()), positions));
            assert!(seen.iter().all(|seen| seen.load(SeqCst) == 1));
            assert_eq!(kept.iter().sum::<u64>(), count, "by whom");
        }
    }

    /// Whoever is first with a fault, the first of the file is told.
    #[test]
    fn the_first_fault_is_told() {
        let rows = rows(300);
        for (first, threads) in (0..100).flat_map(|first| [1, 2, 5].map(|n| (first, n))) {
            let check = |row: &Row, _: &mut (), _: &mut Meter<'_>| {
                if row.row < rows[first].row {
                    return Ok(());
                }
                // Those before are slower.
                (row.row..200).for_each(|_| yield_now());
                Err(Rejection::Position(row.row))
            };
            let (answer, _) = shared(&rows, 3, &mut vec![(); threads], &mut |_| true, check);
            assert_eq!(answer, Err(Rejection::Position(rows[first].row)), "{threads} threads");
        }
    }

    /// All threads end when the caller does not want to go on, and it is not asked again.
    #[test]
    fn a_check_is_abandoned() {
        for threads in [1, 2, 5] {
            let mut questions = 0;
            let mut go_on = |_| {
                questions += 1;
                questions < 10
            };
            let check = |_: &Row, _: &mut (), meter: &mut Meter<'_>| loop {
                meter.moves()?;
            };
            let (answer, _) = shared(&rows(20), 2, &mut vec![(); threads], &mut go_on, check);
            assert_eq!((answer, questions), (Err(Rejection::Abandoned), 10));
        }
    }

    /// Nor does it wait unasked for a thread that does not end.
    #[test]
    fn who_waits_asks() {
        let begun = AtomicBool::new(false);
        let check = |_: &Row, waits: &mut bool, meter: &mut Meter<'_>| {
            if *waits {
                while !begun.load(SeqCst) {
                    yield_now();
                }
                return Ok(());
            }
            begun.store(true, SeqCst);
            loop {
                meter.moves()?;
            }
        };
        let (mut questions, mut told) = (0, 0);
        let mut go_on = |done| {
            questions += 1;
            told = done;
            questions < 10
        };
        let (answer, _) = shared(&rows(2), 1, &mut [true, false], &mut go_on, check);
        assert_eq!((answer, questions), (Err(Rejection::Abandoned), 10));
        assert_eq!(told, 100 + 3, "all has been handed out");
    }
}
