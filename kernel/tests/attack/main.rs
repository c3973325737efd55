//! A standing attack: mutants of certificates, against a slow checker written from the document and
//! against what is true of the game.

mod aims;
mod board;
mod closed;
mod mutate;
mod naive;
mod slices;
mod truth;

use board::Board;
use mutate::{Dice, Parts, mutant, sealed};
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;
use theta_kernel::{
    Certificate, Claim, Ends, Move, Packed, Profile, Side, check, fen, parse_fen, successors,
};
use truth::{Game, Small, mated, reaches};

/// What the certificates of this test may cite: a lone king that can take the only pawn holds; king
/// and rook to move win against the king. Both are true of all such positions, and KRvK takes at
/// most 31 plies.
const RULE: &str = "rule fuzz the lone king takes the pawn, the rook wins";

fn rule(y: &Board, white: bool, wins: bool) -> Option<u32> {
    let of = |white: bool| {
        let own = |c: &&u8| **c != b'.' && c.is_ascii_uppercase() == white;
        let mut men: Vec<u8> = y.men.iter().filter(own).map(u8::to_ascii_lowercase).collect();
        men.sort_unstable();
        men
    };
    let (own, other) = (of(white), of(!white));
    if y.white != white || y.rights.contains(&true) {
        return None;
    }
    if wins {
        return (own == b"kr" && other == b"k").then_some(31);
    }
    let taken = |(_, z): &(board::Step, Board)| !z.men.iter().any(|c| b"pP".contains(c));
    (own == b"k" && other == b"kp" && y.moves().iter().any(taken)).then_some(0)
}

struct Hypothesis;

impl Ends for Hypothesis {
    fn ends(&self, p: &Packed, owner: Side, wins: bool) -> Option<u32> {
        let y = p.vector().ok()?;
        rule(&Board::parse(&fen(&y))?, owner == Side::White, wins)
    }
}

/// What the kernel says.
fn kernel(bytes: &[u8]) -> Option<(String, String)> {
    let certificate = Certificate::read(bytes).ok()?;
    let proved_rules = certificate.rules.iter().all(|text| text == RULE);
    let ends = (!certificate.rules.is_empty() && proved_rules).then_some(&Hypothesis as &dyn Ends);
    let proved = check(&certificate, ends, 1, &mut |_| true).ok()?;
    let claim = match proved.claim {
        Claim::Keys(..) | Claim::AimKeys(..) => {
            let mut keys: Vec<String> = proved.keys.iter().map(Move::to_string).collect();
            keys.sort();
            format!("{}: {}", proved.claim, keys.join(" "))
        }
        claim => claim.to_string(),
    };
    Some((fen(&proved.root), claim))
}

fn slow(bytes: &[u8]) -> naive::Verdict {
    naive::check(bytes, Some((RULE, &rule)))
}

fn bases() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        found.push((name, std::fs::read(path).unwrap()));
    }
    found.sort();
    assert!(found.len() >= 14, "{} certificates", found.len());
    found
}

/// Knows of claims whether they are true.
#[derive(Default)]
struct Oracle {
    known: HashMap<(String, String, String), Option<bool>>,
    /// Enumerating all endings of three men takes half a minute: for long runs.
    small: Option<Small>,
    games: HashMap<String, Option<Game>>,
    most: usize,
}

impl Oracle {
    /// Whether a claim is true; none if that would take too long.
    fn knows(&mut self, bytes: &[u8], said: &str) -> Option<bool> {
        let certificate = Certificate::read(bytes).unwrap();
        let (root, claim) = (fen(&certificate.root), certificate.claim);
        let aim = certificate.aim.map_or_else(String::new, |aim| aim.lines().join("\n"));
        let key = (root.clone(), said.to_string(), aim.clone());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let answer = self.judge(&root, claim, &aim, said);
        self.known.insert(key, answer);
        answer
    }

    fn judge(&mut self, root: &str, claim: Claim, aim: &str, said: &str) -> Option<bool> {
        let board = Board::parse(root).unwrap_or_else(|| panic!("{root}"));
        let white = |side: Side| side == Side::White;
        let mate = |side: Side| move |y: &Board| mated(y, !white(side));
        let reached = |y: &Board| naive::aim_holds(aim, y);
        match claim {
            Claim::Wins(side, plies @ ..=3) => {
                return Some(reaches(&board, white(side), plies, &mate(side)));
            }
            Claim::Forces(side, plies @ ..=3) => {
                return Some(reaches(&board, white(side), plies, &reached));
            }
            Claim::Keys(side, plies @ 1..=4) => {
                return Some(are_keys(&board, white(side), plies, &mate(side), said));
            }
            Claim::AimKeys(side, plies @ 1..=4) => {
                return Some(are_keys(&board, white(side), plies, &reached, said));
            }
            Claim::Keys(..) | Claim::AimKeys(..) => return None,
            _ => {}
        }
        let small = self.small.as_mut().and_then(|small| small.plies(&board));
        let mut wins = |side: Side| match small {
            Some([of_white, of_black]) => Some(if white(side) { of_white } else { of_black }),
            None => {
                let most = self.most;
                let game = self.games.entry(root.to_string());
                let game = game.or_insert_with(|| Game::of(&board, most)).as_ref()?;
                Some(game.plies(white(side), &mate(side)))
            }
        };
        Some(match claim {
            Claim::Keys(..) | Claim::AimKeys(..) => return None,
            Claim::Wins(side, plies) => wins(side)?.is_some_and(|needed| needed <= plies),
            Claim::Holds(side) => wins(side.other())?.is_none(),
            Claim::Draw => wins(Side::White)?.is_none() && wins(Side::Black)?.is_none(),
            Claim::Mates(white, black) => {
                let game = Game::of(&board, self.most)?;
                let right = |side: bool, said: Option<bool>| {
                    said.is_none_or(|said| said == game.meets(&|y| mated(y, !side)))
                };
                right(true, white) && right(false, black)
            }
            Claim::Forces(side, plies) => {
                let game = Game::of(&board, self.most)?;
                game.plies(white(side), &reached).is_some_and(|needed| needed <= plies)
            }
        })
    }
}

/// Whether the first moves that reach it in time are those that were said.
fn are_keys(
    root: &Board,
    white: bool,
    plies: u32,
    wanted: &dyn Fn(&Board) -> bool,
    said: &str,
) -> bool {
    let moves = root.known_moves();
    let wins = moves.iter().filter(|(_, z)| reaches(z, white, plies - 1, wanted));
    let mut keys: Vec<String> = wins.map(|(step, _)| naive::step_name(step)).collect();
    keys.sort();
    said.ends_with(&format!("plies: {}", keys.join(" ")))
}

/// Tries the mutants of these numbers, of certificates whose names begin with one of these words;
/// how many were accepted.
fn attack(numbers: std::ops::Range<u64>, seed: u64, most: usize, names: &str) -> u64 {
    let bases = bases();
    let parts: Vec<Parts> = bases.iter().map(|(_, bytes)| Parts::of(bytes)).collect();
    let named = |at: &usize| names.split(',').any(|name| bases[*at].0.starts_with(name));
    let chosen: Vec<usize> = (0..bases.len()).filter(named).collect();
    let small = (most > 3000).then(Small::default);
    let mut oracle = Oracle { most, small, ..Oracle::default() };
    let (start, first, mut accepted, mut judged) = (Instant::now(), numbers.start, 0u64, 0u64);
    for number in numbers {
        let mut dice = Dice(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        let base = chosen[dice.below(chosen.len())];
        let bytes = mutant(&parts[base], &parts, &mut dice);
        let said = kernel(&bytes);
        let expected = slow(&bytes);
        let agree = match (&said, &expected) {
            (Some((root, claim)), Some(proved)) => *root == proved.root && *claim == proved.claim,
            (None, Some(proved)) => !proved.sure,
            (said, None) => said.is_none(),
        };
        if !agree {
            let path = std::env::temp_dir().join(format!("theta-mutant-{number}.cert"));
            std::fs::write(&path, &bytes).unwrap();
            let name = &bases[base].0;
            panic!("mutant {number} of {name}: kernel {said:?}, slow {expected:?}: {path:?}");
        }
        if let Some((_, claim)) = &said {
            accepted += 1;
            match oracle.knows(&bytes, claim) {
                Some(true) => judged += 1,
                None => {}
                Some(false) => panic!("mutant {number} of {} is false: {said:?}", bases[base].0),
            }
        }
        if number % 100_000 == 99_999 {
            let tried = number + 1 - first;
            println!(
                "{tried} mutants, {accepted} accepted, {judged} of them found true of the game, {:?}",
                start.elapsed()
            );
        }
    }
    println!("{accepted} accepted, {judged} of them found true of the game, {:?}", start.elapsed());
    accepted
}

#[test]
fn the_certificates_are_accepted_by_both() {
    for (name, bytes) in bases() {
        let slow = slow(&bytes).map(|proved| (proved.root, proved.claim));
        assert_eq!(kernel(&bytes), slow, "{name}");
        assert!(slow.is_some(), "{name}");
        assert_eq!(Parts::of(&bytes).bytes(), bytes, "{name}: taken apart and put together");
    }
}

#[test]
fn ten_thousand_mutants() {
    let accepted = attack(0..10_000, 1, 3000, "");
    assert!(accepted > 100, "mutants that are true after all: {accepted}");
}

#[test]
#[ignore = "an hour: run with --release -- --ignored --nocapture; MUTANTS, FIRST, SEED and ONLY may be given"]
fn ten_million_mutants() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let first = number("FIRST", 0);
    let names = std::env::var("ONLY").unwrap_or_default();
    let count = number("MUTANTS", 10_000_000);
    attack(first..first + count, number("SEED", 2), 20_000, &names);
}

#[test]
fn random_bytes_with_a_right_checksum() {
    let mut dice = Dice(7);
    let heads: [&[u8]; 3] = [
        b"",
        b"theta-certificate 4\n",
        b"theta-certificate 4\nroot 8/8/8/8/8/1k6/7R/K7 b - -\nclaim White wins in 30 plies\n\nWw",
    ];
    for number in 0..30_000 {
        let mut bytes = heads[number % 3].to_vec();
        let length = dice.below(200);
        bytes.extend(
            (0..length)
                .map(|_| dice.next() as u8 & *[0xff, 0x0f, 0x01].get(number % 7).unwrap_or(&0xff)),
        );
        assert_eq!(kernel(&sealed(bytes)), None);
    }
}

/// The two move generators on positions of random games, castling, promotions and captures in
/// passing included; and that moves commute with the turns of the board.
#[test]
fn both_know_the_rules() {
    let mut dice = Dice(3);
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - -",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
    ];
    let (mut seen, mut special) = (0, 0);
    for game in 0..200 {
        let mut board = Board::parse(starts[game % starts.len()]).unwrap();
        for _ in 0..60 {
            let y = parse_fen(&board.fen(), Profile::Fide).unwrap();
            assert_eq!(fen(&y), board.fen());
            assert!(board.is_legal());
            let mut ours: Vec<String> = successors(Profile::Fide, &y)
                .iter()
                .map(|(m, z)| format!("{m} {}", fen(z)))
                .collect();
            let name = |s: usize| format!("{}{}", (b'a' + (s % 8) as u8) as char, s / 8 + 1);
            let step = |&(from, to, p): &board::Step| {
                name(from) + &name(to) + &p.map_or(String::new(), |p| (p as char).to_string())
            };
            let moves = board.moves();
            let mut theirs: Vec<String> =
                moves.iter().map(|(s, z)| format!("{} {}", step(s), z.fen())).collect();
            ours.sort();
            theirs.sort();
            assert_eq!(ours, theirs, "{}", board.fen());
            for (s, z) in &moves {
                let becomes = s.2.and_then(|p| b"..qrbn".iter().position(|&c| c == p));
                let m = Move::new(s.0 as u8, s.1 as u8, becomes.unwrap_or(0) as u8);
                assert_eq!(m.to_string(), step(s));
                assert_eq!(
                    theta_kernel::play(Profile::Fide, &y, m).map(|z| fen(&z)),
                    Some(z.fen())
                );
            }
            assert_eq!(theta_kernel::has_move(Profile::Fide, &y), !moves.is_empty());
            seen += 1;
            special += u32::from(board.passed.is_some());
            if moves.is_empty() {
                break;
            }
            board = moves[dice.below(moves.len())].1.clone();
        }
    }
    assert!(seen > 5000 && special > 20, "{seen} positions, {special} with a capture in passing");
}
