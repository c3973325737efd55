//! Blocks shared row by row among threads: the answers are those of one.

use super::*;
use crate::checksum::xxh3_64;
use std::collections::HashSet;
use std::mem::discriminant;

const FILES: [&[u8]; 2] = [
    include_bytes!("../../tests/data/slices-right-to-castle.cert"),
    include_bytes!("../../tests/data/slices-bishop.cert"),
];

/// What comes of the last section, and the positions that are counted.
fn checked(
    certificate: &Certificate<'_>,
    threads: usize,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> (Result<u32, Rejection>, u64) {
    let section = certificate.sections.last().unwrap();
    let of_one = BySlices::new(certificate, section, 1);
    let (by, mut meter) = (BySlices { threads, batch: 1, ..of_one }, Meter::new(go_on));
    let answer = match section.kind {
        Kind::WinBySlices => by.win(&mut meter),
        _ => by.hold(&mut meter).map(|()| 0),
    };
    (answer, meter.done)
}

/// The same by 1, 2 and 5 threads, and the same positions counted of what is accepted.
fn agreed(file: &[u8]) -> Result<u32, Rejection> {
    let certificate = Certificate::read(file)?;
    let (answer, done) = checked(&certificate, 1, &mut |_| true);
    for threads in [2, 5] {
        let (again, counted) = checked(&certificate, threads, &mut |_| true);
        assert_eq!(again, answer, "{threads} threads");
        assert!(answer.is_err() || counted == done, "{threads} threads: {counted} and {done}");
    }
    answer
}

type Block = (u32, Vec<Row>);

/// The blocks of the last section.
fn blocks(file: &[u8]) -> Vec<Block> {
    let certificate = Certificate::read(file).unwrap();
    let blocks = certificate.row_blocks(certificate.sections.last().unwrap());
    blocks.map(|(rank, rows)| (rank, rows.collect())).collect()
}

/// The file with other blocks in its last section, the rows in order.
fn with(file: &[u8], blocks: Vec<Block>) -> Vec<u8> {
    let certificate = Certificate::read(file).unwrap();
    let section = certificate.sections.last().unwrap();
    let of = |slice: Slice| Packed::bytes(slice.pawns.occupied.count_ones() as usize) + 8;
    let slices: usize = certificate.slices(section).map(of).sum();
    let mut bytes = file[..section.start + slices].to_vec();
    for (rank, mut rows) in blocks.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        rows.sort_by_key(|row| (row.slice, row.row));
        bytes.extend((rows.len() as u32).to_le_bytes());
        bytes.extend(rank.to_le_bytes());
        let mut last = Row::default();
        for row in rows {
            let further = u64::from(row.slice - last.slice);
            let from = if further == 0 { last.row } else { 0 };
            for mut number in [further, row.row - from] {
                while number >= 128 {
                    bytes.push(number as u8 | 128);
                    number >>= 7;
                }
                bytes.push(number as u8);
            }
            bytes.push(64);
            bytes.extend(row.squares.to_le_bytes());
            last = row;
        }
    }
    bytes.extend([0; 8]);
    let sum = xxh3_64(&bytes).unwrap();
    bytes.extend(sum.to_le_bytes());
    bytes
}

#[test]
fn what_is_accepted_is_accepted_by_several_threads() {
    for (file, plies) in FILES.into_iter().zip([21, 0]) {
        assert_eq!(agreed(file), Ok(plies));
        assert_eq!(agreed(&with(file, blocks(file))), Ok(plies), "taken apart and put together");
    }
}

/// A row is taken away, a man of it stands elsewhere, or it stands in the block before or after.
#[test]
fn damage_is_told_alike() {
    for (file, (step, least)) in FILES.into_iter().zip([(3, 4), (1, 2)]) {
        let whole = blocks(file);
        let mut faults = Vec::new();
        for at in 0..whole.len() {
            for n in (0..whole[at].1.len()).step_by(step) {
                let mut less = whole.clone();
                let row = less[at].1.remove(n);
                let elsewhere = Row { row: row.row ^ 1, ..row };
                for (to, row) in [(at, elsewhere), (at + 1, row), (at.wrapping_sub(1), row)] {
                    let mut moved = less.clone();
                    if let Some((_, rows)) = moved.get_mut(to) {
                        rows.push(row);
                        faults.extend(agreed(&with(file, moved)).err());
                    }
                }
                faults.extend(agreed(&with(file, less)).err());
            }
        }
        assert!(faults.len() > 40, "{} are rejected", faults.len());
        let kinds: HashSet<_> = faults.iter().map(discriminant).collect();
        assert!(kinds.len() >= least, "{} kinds of faults", kinds.len());
    }
}

#[test]
fn a_check_by_several_threads_is_abandoned() {
    for (file, threads) in FILES.into_iter().flat_map(|file| [1, 2, 5].map(|n| (file, n))) {
        let certificate = Certificate::read(file).unwrap();
        let (answer, _) = checked(&certificate, threads, &mut |_| false);
        assert_eq!(answer, Err(Rejection::Abandoned), "{threads} threads");
    }
}
