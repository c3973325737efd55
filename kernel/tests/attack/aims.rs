//! The aims of certificates, by the definition in `docs/certificate.md`: slow and plain.

use crate::board::Board;

/// φ as lines of words.
pub type Aim = Vec<Vec<String>>;

/// A number as it must be written.
pub fn written<T: std::str::FromStr + ToString>(word: &str) -> Option<T> {
    word.parse::<T>().ok().filter(|n| n.to_string() == word)
}

/// Words as an iterator reads them: a sum's terms with their signs.
fn sum(words: &[String], y: &Board) -> Option<i64> {
    let (mut total, mut terms) = (0, 0);
    let mut words = words.iter();
    while let Some(sign) = words.next() {
        let sign = match sign.as_str() {
            "+" => 1,
            "-" => -1,
            _ => return None,
        };
        terms += 1;
        let count = |letter: u8| y.men.iter().filter(|&&c| c == letter).count() as i64;
        let value = match words.next()?.as_str() {
            "count" => count(man(words.next()?)?),
            "material" => {
                let white = side(words.next()?)?;
                let case = |c: u8| if white { c.to_ascii_uppercase() } else { c };
                let worth = [(b'q', 9), (b'r', 5), (b'b', 3), (b'n', 3), (b'p', 1)];
                worth.iter().map(|&(c, w)| w * count(case(c))).sum()
            }
            "flights" => flights(y, side(words.next()?)?),
            "moves" => mobility(y, side(words.next()?)?),
            word => i64::from(written::<i32>(word)?),
        };
        total += sign * value;
    }
    (1..=64).contains(&terms).then_some(total)
}

/// The squares beside a king where no man of its own stands and no other reaches once it has left.
fn flights(y: &Board, white: bool) -> i64 {
    let king = if white { b'K' } else { b'k' };
    let Some(from) = y.men.iter().position(|&c| c == king) else { return 0 };
    let mut left = y.clone();
    left.men[from] = b'.';
    let steps = (0..64).filter(|&to| {
        let (files, ranks) = ((from % 8).abs_diff(to % 8), (from / 8).abs_diff(to / 8));
        files.max(ranks) == 1
            && (left.men[to] == b'.' || left.men[to].is_ascii_uppercase() != white)
    });
    steps.filter(|&to| !left.attacked(to, !white)).count() as i64
}

/// How many moves a side has, were it its turn.
fn mobility(y: &Board, white: bool) -> i64 {
    let passed = y.passed.filter(|_| y.white == white);
    Board { white, passed, ..y.clone() }.moves().len() as i64
}

fn man(word: &str) -> Option<u8> {
    let letter = *word.as_bytes().first()?;
    (word.len() == 1 && b"KQRBNPkqrbnp".contains(&letter)).then_some(letter)
}

pub fn side(word: &str) -> Option<bool> {
    match word {
        "white" => Some(true),
        "black" => Some(false),
        _ => None,
    }
}

fn square(word: &str) -> Option<usize> {
    match word.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Some(usize::from(rank - b'1') * 8 + usize::from(file - b'a'))
        }
        _ => None,
    }
}

/// Whether node `at` holds: by the definition, nothing remembered.
pub fn truth(aim: &Aim, at: usize, y: &Board) -> Option<bool> {
    let words: Vec<&str> = aim[at].iter().map(String::as_str).collect();
    let node = |word: &str, y: &Board| truth(aim, written(word)?, y);
    Some(match words[..] {
        ["true"] => true,
        ["false"] => false,
        ["not", a] => !node(a, y)?,
        ["and", a, b] => node(a, y)? && node(b, y)?,
        ["or", a, b] => node(a, y)? || node(b, y)?,
        ["iff", a, b] => node(a, y)? == node(b, y)?,
        ["next", a] => {
            let moves = y.known_moves();
            if moves.is_empty() {
                return node(a, y);
            }
            for (_, z) in moves.iter() {
                if !node(a, z)? {
                    return Some(false);
                }
            }
            true
        }
        ["white_to_move"] => y.white,
        ["black_to_move"] => !y.white,
        ["mate", who] => y.white == side(who)? && y.in_check(y.white) && y.known_moves().is_empty(),
        ["stalemate"] => !y.in_check(y.white) && y.known_moves().is_empty(),
        ["check", who] => y.in_check(side(who)?),
        ["on", who, place] => y.men[square(place)?] == man(who)?,
        ["attacked", place, who] => y.attacked(square(place)?, side(who)?),
        ["can_castle", "K"] => y.rights[0],
        ["can_castle", "Q"] => y.rights[1],
        ["can_castle", "k"] => y.rights[2],
        ["can_castle", "q"] => y.rights[3],
        ["compare", ..] => {
            let line = &aim[at][1..];
            let signs = ["<", "<=", "=", ">=", ">"];
            let middle = line.iter().position(|word| signs.contains(&word.as_str()))?;
            let (left, right) = (sum(&line[..middle], y)?, sum(&line[middle + 1..], y)?);
            match line[middle].as_str() {
                "<" => left < right,
                "<=" => left <= right,
                "=" => left == right,
                ">=" => left >= right,
                _ => left > right,
            }
        }
        _ => return None,
    })
}

/// How deep `AX` is nested; none if the nodes are no aim.
pub fn ahead(aim: &Aim) -> Option<u32> {
    let start = Board::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -")?;
    let mut depth: Vec<u32> = Vec::new();
    for (at, words) in aim.iter().enumerate() {
        let operator = ["not", "and", "or", "iff", "next"].contains(&words[0].as_str());
        let mut most = 0;
        if operator {
            let wanted = if ["not", "next"].contains(&words[0].as_str()) { 2 } else { 3 };
            if words.len() != wanted {
                return None;
            }
            for word in &words[1..] {
                most = most.max(*depth.get(written::<usize>(word)?)?);
            }
            if most > 0 && (words[0] == "not" || words[0] == "iff") {
                return None;
            }
        } else {
            truth(aim, at, &start)?;
        }
        depth.push(most + u32::from(words[0] == "next"));
    }
    depth.into_iter().max()
}
