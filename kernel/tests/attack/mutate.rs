//! Certificates taken apart, changed in a field or an entry, and sealed again.

use crate::board::Board;
use theta_kernel::xxh3_64;

/// S. Vigna's SplitMix64.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// The rank of a block, and its entries' bytes.
type Block = (u32, Vec<Vec<u8>>);

#[derive(Debug, Clone)]
pub struct Parts {
    pub head: Vec<String>,
    pub sections: Vec<(u8, u8, Vec<Block>)>,
    /// From the first line, closed set or section by slices on, the bytes as they are.
    pub raw: Vec<u8>,
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

impl Parts {
    pub fn of(file: &[u8]) -> Self {
        let end = file.windows(2).position(|w| w == b"\n\n").unwrap();
        let head = std::str::from_utf8(&file[..end]).unwrap().split('\n');
        let (mut at, mut sections) = (end + 2, Vec::new());
        while at < file.len() - 8 && !b"LNwh".contains(&file[at]) {
            let (kind, owner) = (file[at], file[at + 1]);
            at += 2;
            let mut blocks = Vec::new();
            loop {
                let (count, rank) = (number(file, at), number(file, at + 4));
                at += 8;
                if count == 0 {
                    break;
                }
                let mut entries = Vec::new();
                for _ in 0..count {
                    let men: u32 = file[at..at + 8].iter().map(|b| b.count_ones()).sum();
                    let length = 12 + (men as usize).div_ceil(2);
                    entries.push(file[at..at + length].to_vec());
                    at += length;
                }
                blocks.push((rank, entries));
            }
            sections.push((kind, owner, blocks));
        }
        let raw = file[at..file.len() - 8].to_vec();
        Self { head: head.map(str::to_string).collect(), sections, raw }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut out = (self.head.join("\n") + "\n\n").into_bytes();
        for (kind, owner, blocks) in &self.sections {
            out.extend([*kind, *owner]);
            for (rank, entries) in blocks {
                out.extend((entries.len() as u32).to_le_bytes());
                out.extend(rank.to_le_bytes());
                entries.iter().for_each(|entry| out.extend(entry));
            }
            out.extend([0; 8]);
        }
        out.extend(&self.raw);
        sealed(out)
    }
}

/// With a checksum that fits.
pub fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = xxh3_64(&bytes).unwrap_or(0);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// One to three changes.
pub fn mutant(base: &Parts, others: &[Parts], dice: &mut Dice) -> Vec<u8> {
    let mut parts = base.clone();
    for _ in 0..1 + dice.below(3) {
        match dice.below(16) {
            0..=2 => head(&mut parts, dice),
            _ if !parts.raw.is_empty() => raw(&mut parts.raw, others, dice),
            3 | 4 => head(&mut parts, dice),
            5 => section(&mut parts, others, dice),
            6..=8 => block(&mut parts, dice),
            _ => entry(&mut parts, dice),
        }
    }
    let mut bytes = parts.bytes();
    if dice.below(20) == 0 {
        bytes.truncate(bytes.len() - 8);
        match dice.below(4) {
            0 => bytes.truncate(dice.below(bytes.len())),
            1 => bytes.extend((0..1 + dice.below(9)).map(|_| 0)),
            _ => {
                let at = dice.below(bytes.len());
                bytes[at] = dice.next() as u8;
            }
        }
        bytes = sealed(bytes);
    }
    bytes
}

/// Bits turned, bytes changed, taken out, put in or copied.
fn raw(bytes: &mut Vec<u8>, others: &[Parts], dice: &mut Dice) {
    let (at, to) = (dice.below(bytes.len()), dice.below(bytes.len()));
    match dice.below(12) {
        0..=5 => bytes[at] ^= 1 << dice.below(8),
        6 => bytes[at] = *dice.one(&[0, 1, 2, 6, 8, 12, 63, 64, 128, 255]),
        7 => bytes[at] = bytes[to],
        8 => drop(bytes.remove(at)),
        9 => bytes.insert(at, dice.next() as u8),
        10 => bytes[0] = *dice.one(b"WDHSLNwh"),
        _ => *bytes = dice.one(others).raw.clone(),
    }
}

const WORDS: [&str; 42] = [
    "true",
    "false",
    "not",
    "and",
    "or",
    "iff",
    "next",
    "compare",
    "flights",
    "moves",
    "on",
    "attacked",
    "mate",
    "check",
    "stalemate",
    "white_to_move",
    "black_to_move",
    "can_castle",
    "K",
    "Q",
    "q",
    "k",
    "e4",
    "i9",
    "white",
    "black",
    "+",
    "-",
    "<",
    "<=",
    "=",
    ">=",
    ">",
    "count",
    "material",
    "0",
    "1",
    "2",
    "3",
    "4294967295",
    "-1",
    "01",
];

fn head(parts: &mut Parts, dice: &mut Dice) {
    let at = dice.below(parts.head.len());
    let plies = || ["0", "1", "2", "3", "4294967295", "4294967296", "+3", "007"];
    match dice.below(12) {
        0 => parts.head[0] = format!("theta-certificate {}", dice.below(6)),
        1 => parts.head[2] = swapped(&parts.head[2], "White", "Black"),
        2 | 3 => {
            let words: Vec<String> = parts.head[2].split(' ').map(str::to_string).collect();
            let longer = words.iter().filter_map(|w| w.parse::<i64>().ok()).next().unwrap_or(1);
            let by = longer + dice.below(9) as i64 - 4;
            let new =
                if dice.below(3) == 0 { dice.one(&plies()).to_string() } else { by.to_string() };
            let word = |w: &String| if w.parse::<u64>().is_ok() { new.clone() } else { w.clone() };
            parts.head[2] = words.iter().map(word).collect::<Vec<_>>().join(" ");
        }
        4 => {
            let claims = [
                "claim draw",
                "claim White can mate",
                "claim White can never mate",
                "claim White can never mate, Black can mate",
                "claim Black can never mate",
                "claim White holds",
                "claim Black holds",
                "claim White wins in 3 plies",
                "claim Black wins in 2 plies",
                "claim White forces the aim in 4 plies",
                "claim White's keys in 3 plies",
                "claim White's keys to the aim in 4 plies",
                "claim White wins in 3 plies",
            ];
            parts.head[2] = dice.one(&claims).to_string();
        }
        5..=7 => root(parts, dice),
        8 => drop(parts.head.remove(at)),
        9 => {
            let line = parts.head[at].clone();
            let to = dice.below(parts.head.len());
            parts.head.insert(to, line);
        }
        10 => parts.head.push("note \u{1b}[2Jaccepted\r é".to_string()),
        _ => {
            let mut words: Vec<&str> = parts.head[at].split(' ').collect();
            let word = dice.below(words.len());
            words[word] = dice.one::<&str>(&WORDS);
            parts.head[at] = words.join(" ");
        }
    }
    while parts.head.len() < 3 {
        parts.head.push("note".to_string());
    }
}

fn swapped(text: &str, a: &str, b: &str) -> String {
    text.replace(a, "\u{1}").replace(b, a).replace('\u{1}', b)
}

fn root(parts: &mut Parts, dice: &mut Dice) {
    let fen = parts.head[1].strip_prefix("root ").and_then(Board::parse);
    let Some(mut board) = fen.filter(Board::is_legal) else { return };
    match dice.below(4) {
        0 => {
            board.white = !board.white;
            board.passed = None;
        }
        1 => {
            let at = dice.below(64);
            board.men[at] = *dice.one(b".....KQRBNPkqrbnp");
        }
        2 => {
            let right = dice.below(4);
            board.rights[right] = !board.rights[right];
        }
        _ => {
            let moves = board.moves();
            if !moves.is_empty() {
                board = dice.one(&moves).1.clone();
            }
        }
    }
    parts.head[1] = format!("root {}", board.fen());
}

fn section(parts: &mut Parts, others: &[Parts], dice: &mut Dice) {
    let count = parts.sections.len();
    if count == 0 {
        return;
    }
    let at = dice.below(count);
    match dice.below(6) {
        0 => parts.sections[at].0 = *dice.one(b"WDHSX"),
        1 => parts.sections[at].1 = *dice.one(b"wbx"),
        2 => parts.sections.swap(at, count - 1),
        3 => drop(parts.sections.remove(at)),
        4 => {
            let section = parts.sections[at].clone();
            parts.sections.push(section);
        }
        _ => {
            let other = &dice.one(others).sections;
            if !other.is_empty() {
                parts.sections[at] = dice.one(other).clone();
            }
        }
    }
}

fn block(parts: &mut Parts, dice: &mut Dice) {
    if parts.sections.is_empty() {
        return;
    }
    let at = dice.below(parts.sections.len());
    let blocks = &mut parts.sections[at].2;
    if blocks.is_empty() {
        return;
    }
    let (one, two) = (dice.below(blocks.len()), dice.below(blocks.len()));
    match dice.below(6) {
        0 => blocks[one].0 = *dice.one(&[0, 1, 2, 3, 1 << 31, u32::MAX]),
        1 => blocks[one].0 = blocks[one].0.wrapping_add(1 << 31),
        2 => blocks.iter_mut().enumerate().for_each(|(n, b)| b.0 = 7 + 3 * n as u32),
        3 => {
            // Contents change places, the ranks go on rising.
            let (a, b) = (blocks[one].1.clone(), blocks[two].1.clone());
            (blocks[one].1, blocks[two].1) = (b, a);
        }
        4 => drop(blocks.remove(one)),
        _ => {
            let half = blocks[one].1.len() / 2;
            let tail = blocks[one].1.split_off(half);
            let rank = blocks[one].0;
            blocks.insert(one + 1, (rank.wrapping_add(1), tail));
        }
    }
    parts.sections[at].2.retain(|block| !block.1.is_empty());
}

fn entry(parts: &mut Parts, dice: &mut Dice) {
    if parts.sections.is_empty() {
        return;
    }
    let at = dice.below(parts.sections.len());
    let blocks = &mut parts.sections[at].2;
    if blocks.is_empty() {
        return;
    }
    let (one, two) = (dice.below(blocks.len()), dice.below(blocks.len()));
    let entries = &mut blocks[one].1;
    let n = dice.below(entries.len());
    let length = entries[n].len();
    match dice.below(10) {
        0 => drop(entries.remove(n)),
        1 => {
            let same = entries[n].clone();
            let to = dice.below(blocks[two].1.len() + 1);
            blocks[two].1.insert(to, same);
        }
        2 => {
            let moved = entries.remove(n);
            let to = dice.below(blocks[two].1.len() + 1);
            blocks[two].1.insert(to, moved);
        }
        3 => {
            let bit = dice.below(8 * length);
            entries[n][bit / 8] ^= 1 << (bit % 8);
        }
        // Another move: bits, none, or a king's or rook's step near the old one.
        4 => entries[n][length - 2..].copy_from_slice(&(dice.next() as u16).to_le_bytes()),
        5 => entries[n][length - 2..].fill(0),
        6 | 7 => {
            let old = u16::from_le_bytes([entries[n][length - 2], entries[n][length - 1]]);
            let to = (old >> 6 & 63).wrapping_add(*dice.one(&[1, 7, 8, 9, 56, 63, 57, 55])) & 63;
            let new = old & !(63 << 6) | to << 6;
            entries[n][length - 2..].copy_from_slice(&new.to_le_bytes());
        }
        8 => {
            let bit = dice.below(16);
            entries[n][length - 4 + bit / 8] ^= 1 << (bit % 8);
        }
        _ => {
            let m = dice.below(entries.len());
            entries.swap(n, m);
        }
    }
    blocks.retain(|block| !block.1.is_empty());
}
