//! Sections by slices, from the document: every position written out.

use crate::board::Board;
use crate::closed::is_mated;
use crate::naive::{Bytes, place};
use std::collections::HashMap;

/// The positions of a section with their ranks, each at its own place.
pub fn listed(bytes: &mut Bytes<'_>, wins: bool) -> Option<Vec<(u32, Board)>> {
    let mut slices: Vec<(Board, Vec<u8>)> = Vec::new();
    let mut keys = Vec::new();
    for _ in 0..bytes.number(4)? {
        let board = place(bytes)?;
        let codes = bytes.number(8)?;
        let men: Vec<u8> = (0..16).map(|n| (codes >> (4 * n) & 15) as u8).collect();
        let count = men.iter().position(|&man| man == 0).unwrap_or(16);
        let (men, rest) = men.split_at(count);
        let own = if board.white { 1 } else { 7 };
        let stray = |man: &u8| *man > 12 || [6, 12, own].contains(man);
        if rest.iter().any(|&man| man != 0) || count > 10 || !men.is_sorted() {
            return None;
        }
        if men.iter().any(stray) || board.men.iter().any(|c| !b".Pp".contains(c)) {
            return None;
        }
        keys.push((key(&board), codes));
        slices.push((board, men.to_vec()));
    }
    if !keys.is_sorted_by(|a, b| a < b) {
        return None;
    }
    let (mut all, mut last) = (Vec::new(), None);
    loop {
        let (count, rank) = (bytes.number(4)?, bytes.number(4)? as u32);
        if count == 0 && rank == 0 {
            return Some(all);
        }
        let rises = last.is_none_or(|last| wins && rank > last);
        if count == 0 || !rises || rank % 2 == 1 || !wins && rank > 0 {
            return None;
        }
        last = Some(rank);
        let (mut slice, mut row) = (0, 0);
        for number in 0..count {
            let (further, more) = (varint(bytes)?, varint(bytes)?);
            row = if further == 0 { row + more } else { more };
            slice += further;
            if number > 0 && further == 0 && more == 0 {
                return None;
            }
            let (board, men) = slices.get(usize::try_from(slice).ok()?)?;
            for square in squares(bytes)? {
                all.push((rank, put(board, men, row, square)?));
            }
        }
    }
}

/// What slices are ordered by: occupied squares, men, state, as numbers.
fn key(board: &Board) -> (u64, u128, u16) {
    let (mut occupied, mut men, mut count) = (0, 0, 0);
    for (at, &c) in board.men.iter().enumerate().filter(|(_, c)| **c != b'.') {
        occupied |= 1u64 << at;
        men |= (if c == b'P' { 6u128 } else { 12 }) << (4 * count);
        count += 1;
    }
    let [short, long, black_short, black_long] = board.rights.map(u16::from);
    let file = board.passed.map_or(0, |at| (at % 8 + 1) as u16);
    let mark = if board.white { file << 9 } else { file << 5 };
    let rights = long << 1 | short << 2 | black_long << 3 | black_short << 4;
    (occupied, men, u16::from(!board.white) | rights | mark)
}

fn varint(bytes: &mut Bytes<'_>) -> Option<u64> {
    let mut value = 0;
    for group in 0..9 {
        let byte = bytes.number(1)?;
        value |= (byte & 127) << (7 * group);
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

fn squares(bytes: &mut Bytes<'_>) -> Option<Vec<usize>> {
    let first = bytes.number(1)? as usize;
    match first {
        0..64 => Some(vec![first]),
        64 => {
            let set = bytes.number(8)?;
            let all: Vec<usize> = (0..64).filter(|at| set >> at & 1 == 1).collect();
            (!all.is_empty()).then_some(all)
        }
        65..72 => {
            let all: Vec<usize> = bytes.take(first - 63)?.into_iter().map(usize::from).collect();
            (all.is_sorted_by(|a, b| a < b) && all.iter().all(|&at| at < 64)).then_some(all)
        }
        _ => None,
    }
}

/// The slice with its men put on the squares of a row, like men in the order of their squares.
fn put(slice: &Board, men: &[u8], row: u64, king: usize) -> Option<Board> {
    let mut y = slice.clone();
    let places: Vec<usize> = (0..men.len()).map(|n| (row >> (6 * n) & 63) as usize).collect();
    let beyond = row.checked_shr(6 * men.len() as u32).unwrap_or(0);
    let pairs: Vec<(u8, usize)> = men.iter().copied().zip(places).collect();
    if beyond != 0 || !pairs.is_sorted() {
        return None;
    }
    let own = if y.white { 1 } else { 7 };
    for (man, at) in pairs.into_iter().chain([(own, king)]) {
        if y.men[at] != b'.' {
            return None;
        }
        y.men[at] = b"KQRBNPkqrbnp"[usize::from(man) - 1];
    }
    Some(y)
}

fn are_sound(listed: &[(u32, Board)], root: &Board, white: bool) -> bool {
    let men = |y: &Board| y.men.iter().filter(|&&c| c != b'.').count();
    listed.iter().all(|(_, z)| z.is_legal() && z.white != white && men(z) <= men(root))
}

/// Whether a move leads to a position of which this holds.
fn can(y: &Board, holds: impl Fn(&Board) -> bool) -> bool {
    y.known_moves().iter().any(|(_, z)| holds(z))
}

/// Plies from the root at most.
pub fn win(listed: &[(u32, Board)], root: &Board, white: bool) -> Option<u32> {
    let mut ranks: HashMap<Board, u32> = HashMap::new();
    for (rank, z) in listed {
        if ranks.insert(z.clone(), *rank).is_some() {
            return None;
        }
    }
    let below = |z: &Board, rank: u32| ranks.get(z).is_some_and(|&other| other < rank);
    let right = |(rank, z): &(u32, Board)| {
        let replies = z.known_moves();
        let answered = |y: &Board| can(y, |z| below(z, *rank));
        match rank {
            0 => is_mated(z, !white),
            _ => !replies.is_empty() && replies.iter().all(|(_, y)| answered(y)),
        }
    };
    if !are_sound(listed, root, white) || !listed.iter().all(right) {
        return None;
    }
    if root.white != white {
        return ranks.get(root).copied();
    }
    let moves = root.known_moves();
    moves.iter().filter_map(|(_, z)| ranks.get(z)).min().and_then(|rank| rank.checked_add(1))
}

/// The owner is never mated.
pub fn hold(listed: &[(u32, Board)], root: &Board, white: bool) -> Option<()> {
    let mut names = HashMap::new();
    for (_, z) in listed {
        if names.insert(z.folded(), ()).is_some() {
            return None;
        }
    }
    let held = |z: &Board| z.cannot_be_mated(white) || names.contains_key(&z.folded());
    let answered = |y: &Board| match y.known_moves().is_empty() {
        true => !y.in_check(y.white),
        false => can(y, held),
    };
    let right = |z: &Board| z.known_moves().iter().all(|(_, y)| answered(y));
    if !are_sound(listed, root, white) || !listed.iter().all(|(_, z)| right(z)) {
        return None;
    }
    let covered = match root.white == white {
        _ if root.cannot_be_mated(white) => true,
        true => answered(root),
        false => right(root),
    };
    covered.then_some(())
}
