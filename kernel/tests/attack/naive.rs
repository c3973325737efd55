//! The checker a second time, written from `docs/certificate.md`: slow, plain, with maps of FENs.

use crate::aims::{Aim, ahead, truth, written};
use crate::board::{Board, Step};
use crate::{closed, slices};
use std::collections::HashMap;

/// What is proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proved {
    pub root: String,
    /// The claim as text.
    pub claim: String,
    /// Whether the kernel must accept it too: patterns are checked by enumeration, which accepts
    /// more, or are too large for it.
    pub sure: bool,
}

/// What is proved, if it is.
pub type Verdict = Option<Proved>;

/// Positions that a rule settles: plies for the owner (White: `true`), in a win or not.
pub type Rule<'a> = &'a dyn Fn(&Board, bool, bool) -> Option<u32>;

pub struct Entry {
    pub board: Board,
    pub play: Option<Step>,
    /// The rank of its block.
    pub rank: u32,
}

struct Section {
    kind: u8,
    white: bool,
    entries: Vec<Entry>,
}

/// The bytes of a file, taken from the front.
pub struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    pub fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head.to_vec())
    }

    pub fn number(&mut self, bytes: usize) -> Option<u64> {
        Some(self.take(bytes)?.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
    }

    fn line(&mut self) -> Option<String> {
        let end = self.0.iter().position(|&b| b == b'\n').filter(|&end| end < 65_536)?;
        let line = String::from_utf8(self.take(end)?).ok()?;
        self.take(1)?;
        Some(line)
    }
}

/// A position without a move.
pub fn place(bytes: &mut Bytes<'_>) -> Option<Board> {
    let occupied = bytes.number(8)?;
    let squares: Vec<usize> = (0..64).filter(|s| occupied >> s & 1 == 1).collect();
    if squares.len() > 32 {
        return None;
    }
    let men = bytes.take(squares.len().div_ceil(2))?;
    let mut board = Board { men: [b'.'; 64], white: true, rights: [false; 4], passed: None };
    for (n, &square) in squares.iter().enumerate() {
        let code = men[n / 2] >> (4 * (n % 2)) & 15;
        board.men[square] = *b"KQRBNPkqrbnp".get(usize::from(code).wrapping_sub(1))?;
    }
    if squares.len() % 2 == 1 && men.last()? >> 4 != 0 {
        return None;
    }
    let state = bytes.number(2)?;
    let bit = |n: u32| state >> n & 1 == 1;
    (board.white, board.rights) = (!bit(0), [bit(2), bit(1), bit(4), bit(3)]);
    let (white, black) = ((state >> 5 & 15) as usize, (state >> 9 & 15) as usize);
    board.passed = match (board.white, white, black) {
        (_, 0, 0) => None,
        (true, 0, 1..=8) => Some(40 + black - 1),
        (false, 1..=8, 0) => Some(16 + white - 1),
        _ => return None,
    };
    if state >> 13 != 0 {
        return None;
    }
    Some(board)
}

fn entry(bytes: &mut Bytes<'_>) -> Option<Entry> {
    let board = place(bytes)?;
    let bits = bytes.number(2)? as usize;
    let play = if bits == 0 { None } else { Some(step(bits)??) };
    Some(Entry { board, play, rank: 0 })
}

/// A move; `Some(None)` if the bits are none.
pub fn step(bits: usize) -> Option<Option<Step>> {
    let (from, to, becomes) = (bits & 63, bits >> 6 & 63, bits >> 12);
    let becomes = match becomes {
        0 => None,
        2..=5 => Some(b"..qrbn"[becomes]),
        _ => return None,
    };
    Some((from != to).then_some((from, to, becomes)))
}

/// A count of four bytes.
pub fn number(bytes: &mut Bytes<'_>) -> Option<u64> {
    bytes.number(4)
}

fn blocks(bytes: &mut Bytes<'_>, kind: u8) -> Option<Vec<Entry>> {
    let (mut entries, mut last) = (Vec::new(), 0);
    loop {
        let (count, rank) = (bytes.number(4)?, bytes.number(4)?);
        if count == 0 {
            return (rank == 0).then_some(entries);
        }
        let ranked = b"WD".contains(&kind);
        if ranked && rank <= last || !ranked && rank != 0 {
            return None;
        }
        last = rank;
        for _ in 0..count {
            entries.push(Entry { rank: rank as u32, ..entry(bytes)? });
        }
    }
}

/// The head of a file.
struct Head {
    root: Board,
    claim: Vec<String>,
    aim: Aim,
    rules: Vec<String>,
}

fn head(bytes: &mut Bytes<'_>) -> Option<Head> {
    if bytes.line()? != "theta-certificate 4" {
        return None;
    }
    let line = bytes.line()?;
    let fen = line.strip_prefix("root ")?;
    let root = Board::parse(fen)?;
    if root.fen() != fen || !root.is_legal() {
        return None;
    }
    let line = bytes.line()?;
    let words = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
    let claim = words(line.strip_prefix("claim ")?);
    let word = |at: usize| claim.get(at).map_or("", String::as_str);
    let forces = word(1) == "forces" || word(1) == "keys" && word(2) == "to";
    let cites = !forces && !["can", "keys"].contains(&word(1));
    let (mut aim, mut rules, mut notes) = (Vec::new(), Vec::new(), 0);
    loop {
        let line = bytes.line()?;
        match line.split_once(' ') {
            None if line.is_empty() => break,
            Some(("node", text)) if forces && notes == 0 => aim.push(words(text)),
            Some(("rule", _)) if cites && notes == 0 => rules.push(line),
            Some(("note", _)) => notes += 1,
            _ => return None,
        }
        if forces && aim.is_empty() {
            return None;
        }
    }
    let sound = !forces || !aim.is_empty() && ahead(&aim)? <= 4 && aim.len() <= 4096;
    (sound && rules.len() <= 64 && rules.len() + notes <= 1000).then_some(Head {
        root,
        claim,
        aim,
        rules,
    })
}

/// Checks a certificate. Its checksum is taken to be right; a rule that is cited must be this text.
pub fn check(file: &[u8], known: Option<(&str, Rule<'_>)>) -> Verdict {
    let mut bytes = Bytes(&file[..file.len().checked_sub(8)?]);
    let Head { root, claim, aim, rules } = head(&mut bytes)?;
    let rule: Rule<'_> = match (&rules[..], known) {
        ([], _) => &|_, _, _| None,
        (texts, Some((text, rule))) if texts.iter().all(|t| t == text) => rule,
        _ => return None,
    };
    let text = claim.join(" ");
    let words: Vec<&str> = claim.iter().map(String::as_str).collect();
    let keys = match words[..] {
        ["White's" | "Black's", "keys", "in", plies, "plies"]
        | ["White's" | "Black's", "keys", "to", "the", "aim", "in", plies, "plies"] => {
            Some(written::<u32>(plies)?)
        }
        _ => None,
    };
    let (tasks, plies): (Vec<(u8, &str)>, Option<u32>) = match words[..] {
        _ if keys.is_some() => (Vec::new(), None),
        ["draw"] => (vec![(b'H', "White"), (b'H', "Black")], None),
        [who, "holds"] => (vec![(b'H', who)], None),
        [who, "wins", "in", plies, "plies"] => (vec![(b'W', who)], Some(written(plies)?)),
        [who, "forces", "the", "aim", "in", plies, "plies"] => {
            (vec![(b'W', who)], Some(written(plies)?))
        }
        _ => (can(&text)?, None),
    };
    if let Some(plies) = keys {
        let proved = judged(&mut bytes, &root, &aim, words[0] == "White's", plies)?;
        let claim = format!("{text}: {}", proved.join(" "));
        return bytes.0.is_empty().then(|| Proved { root: root.fen(), claim, sure: true });
    }
    let mut sure = true;
    for (task, owner) in tasks {
        let head = bytes.take(2)?;
        let kind = head[0];
        let serves = kind == task
            || task == b'H' && b"SNh".contains(&kind)
            || task == b'W' && kind == b'w' && aim.is_empty();
        let of = [("White", b'w'), ("Black", b'b')].contains(&(owner, head[1]));
        let white = owner == "White";
        if !serves || !of {
            return None;
        }
        match kind {
            b'L' => replay(&root, &closed::line(&mut bytes)?, white)?,
            b'N' => {
                let (listed, patterns) = closed::closed(&mut bytes)?;
                match closed::never(&root, white, &listed, &patterns) {
                    Some(true) => sure &= patterns.is_empty(),
                    Some(false) => return None,
                    None => sure = false,
                }
            }
            b'w' | b'h' => {
                if !rules.is_empty() {
                    return None;
                }
                let listed = slices::listed(&mut bytes, kind == b'w')?;
                match plies {
                    Some(plies) if slices::win(&listed, &root, white)? > plies => return None,
                    Some(_) => {}
                    None => {
                        slices::hold(&listed, &root, white)?;
                        // Which image stands for the others is left to the kernel.
                        sure = false;
                    }
                }
            }
            _ => {
                let section = Section { kind, white, entries: blocks(&mut bytes, kind)? };
                match plies {
                    Some(plies) if win(&section, &root, &aim, rule)? > plies => return None,
                    Some(_) => {}
                    None => hold(&section, &root, rule)?,
                }
            }
        }
    }
    bytes.0.is_empty().then(|| Proved { root: root.fen(), claim: text, sure })
}

/// What a claim of who can mate has to show: a line of this side's, or that this side is never
/// mated.
fn can(text: &str) -> Option<Vec<(u8, &'static str)>> {
    let mut tasks = Vec::new();
    let sides = [("White", "Black"), ("Black", "White")];
    let parts: Vec<&str> = text.split(", ").collect();
    for part in &parts {
        let of = |&(side, other): &(&'static str, &'static str)| match part.strip_prefix(side)? {
            " can mate" => Some((b'L', side)),
            " can never mate" => Some((b'N', other)),
            _ => None,
        };
        tasks.push(sides.iter().find_map(of)?);
    }
    let whites = parts.iter().filter(|part| part.starts_with("White")).count();
    let in_order = parts.len() == 1 || whites == 1 && parts[0].starts_with("White");
    (parts.len() <= 2 && in_order).then_some(tasks)
}

/// The line mates.
fn replay(root: &Board, line: &[Step], white: bool) -> Option<()> {
    let mut y = root.clone();
    for step in line {
        let moves = y.known_moves();
        y = moves.iter().find(|(other, _)| other == step).map(|(_, z)| z.clone())?;
    }
    closed::is_mated(&y, !white).then_some(())
}

fn sound(entry: &Entry, section: &Section, root: &Board) -> bool {
    let men = |y: &Board| y.men.iter().filter(|&&c| c != b'.').count();
    entry.board.is_legal() && entry.board.white == section.white && men(&entry.board) <= men(root)
}

fn played(entry: &Entry) -> Option<Board> {
    let play = entry.play?;
    let moves = entry.board.known_moves();
    moves.iter().find(|(step, _)| *step == play).map(|(_, z)| z.clone())
}

/// The keys among the first moves: the win's ranks after each, or the delay.
fn judged(
    bytes: &mut Bytes<'_>,
    root: &Board,
    aim: &Aim,
    white: bool,
    plies: u32,
) -> Option<Vec<String>> {
    let mut section = |kind: u8, white: bool| {
        let owner = if white { b'w' } else { b'b' };
        if bytes.take(2)? != [kind, owner] {
            return None;
        }
        Some(Section { kind, white, entries: blocks(bytes, kind)? })
    };
    let (wins, delays) = (section(b'W', white)?, section(b'D', !white)?);
    if root.white != white || plies == 0 {
        return None;
    }
    let no_rule: Rule<'_> = &|_, _, _| None;
    let ranks = win_ranks(&wins, root, aim, no_rule)?;
    let lost = |y: &Board| match aim.len() {
        0 => closed::is_mated(y, !white),
        nodes => truth(aim, nodes - 1, y) == Some(true),
    };
    let mut stated: HashMap<Board, u32> = HashMap::new();
    for entry in &delays.entries {
        if !sound(entry, &delays, root) || stated.insert(entry.board.clone(), entry.rank).is_some()
        {
            return None;
        }
    }
    let put_off = |y: &Board, left: u32| {
        let answered = stated.get(y).is_some_and(|&rank| rank >= left);
        !lost(y) && (left == 0 || y.known_moves().is_empty() || answered)
    };
    for entry in &delays.entries {
        let z = played(entry)?;
        let replies = z.known_moves();
        let held = entry.rank < 2 || replies.iter().all(|(_, y)| put_off(y, entry.rank - 2));
        if lost(&z) || !held {
            return None;
        }
    }
    let mut keys = Vec::new();
    for (step, z) in root.known_moves().iter() {
        let needed = win_after(&ranks, z, white, aim, no_rule);
        if needed.is_some_and(|needed| needed < plies) {
            keys.push(step_name(step));
        } else if !put_off(z, plies - 1) {
            return None;
        }
    }
    keys.sort();
    Some(keys)
}

/// A move in UCI notation.
pub fn step_name(&(from, to, becomes): &Step) -> String {
    let name = |s: usize| format!("{}{}", (b'a' + (s % 8) as u8) as char, s / 8 + 1);
    name(from) + &name(to) + &becomes.map_or(String::new(), |p| (p as char).to_string())
}

fn is_reached(aim: &Aim, y: &Board) -> bool {
    !aim.is_empty() && truth(aim, aim.len() - 1, y) == Some(true)
}

fn rank_of(
    ranks: &HashMap<Board, u32>,
    y: &Board,
    white: bool,
    aim: &Aim,
    rule: Rule<'_>,
) -> Option<u32> {
    if is_reached(aim, y) {
        return Some(0);
    }
    ranks.get(y).copied().or_else(|| rule(y, white, true))
}

/// Plies with the opponent to move.
fn win_after(
    ranks: &HashMap<Board, u32>,
    z: &Board,
    white: bool,
    aim: &Aim,
    rule: Rule<'_>,
) -> Option<u32> {
    if is_reached(aim, z) {
        return Some(0);
    }
    let replies = z.known_moves();
    if replies.is_empty() {
        return (aim.is_empty() && z.in_check(z.white)).then_some(0);
    }
    let all: Option<Vec<u32>> =
        replies.iter().map(|(_, y)| rank_of(ranks, y, white, aim, rule)).collect();
    let by_moves = all.and_then(|all| all.into_iter().max()).map(|worst| worst + 1);
    by_moves.into_iter().chain(rule(z, white, true)).min()
}

/// Every entry of a win with its rank.
fn win_ranks(
    section: &Section,
    root: &Board,
    aim: &Aim,
    rule: Rule<'_>,
) -> Option<HashMap<Board, u32>> {
    let mut ranks: HashMap<Board, u32> = HashMap::new();
    for entry in &section.entries {
        if !sound(entry, section, root) {
            return None;
        }
        let plies = win_after(&ranks, &played(entry)?, section.white, aim, rule)? + 1;
        if ranks.insert(entry.board.clone(), plies).is_some() {
            return None;
        }
    }
    Some(ranks)
}

/// Plies from the root at most.
fn win(section: &Section, root: &Board, aim: &Aim, rule: Rule<'_>) -> Option<u32> {
    let ranks = win_ranks(section, root, aim, rule)?;
    if root.white != section.white {
        return win_after(&ranks, root, section.white, aim, rule);
    }
    let rank = rank_of(&ranks, root, section.white, aim, rule);
    rank.into_iter().chain(rule(root, section.white, true)).min()
}

fn hold(section: &Section, root: &Board, rule: Rule<'_>) -> Option<()> {
    let name = |y: &Board| if section.kind == b'S' { y.folded() } else { y.clone() };
    let mut answered: HashMap<Board, ()> = HashMap::new();
    for entry in &section.entries {
        if !sound(entry, section, root) || answered.insert(name(&entry.board), ()).is_some() {
            return None;
        }
    }
    let settled = |y: &Board| rule(y, section.white, false).is_some();
    let held = |z: &Board| {
        z.cannot_be_mated(section.white)
            || settled(z)
            || z.known_moves().iter().all(|(_, y)| answered.contains_key(&name(y)) || settled(y))
    };
    for entry in &section.entries {
        let y = &entry.board;
        let right = match (y.known_moves().is_empty(), entry.play) {
            (true, None) => !y.in_check(y.white),
            (true, Some(_)) => false,
            (false, _) => held(&played(entry)?),
        };
        if !right {
            return None;
        }
    }
    let covered = if root.white == section.white {
        root.cannot_be_mated(section.white) || answered.contains_key(&name(root)) || settled(root)
    } else {
        held(root)
    };
    covered.then_some(())
}

/// Whether the last of these `node` lines holds.
pub fn aim_holds(lines: &str, y: &Board) -> bool {
    let words = |line: &str| line.split(' ').skip(1).map(str::to_string).collect();
    let aim: Aim = lines.split('\n').map(words).collect();
    truth(&aim, aim.len() - 1, y) == Some(true)
}
