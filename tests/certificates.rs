//! Certificates: what the engines hand over is accepted, and every damaged or wrong one is rejected
//! with its reason.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::sync::OnceLock;
use theta_chess::certificate::{Certificate, Claim, Form};
use theta_chess::chess::Value;
use theta_chess::chess::cannot_be_mated;
use theta_chess::chess::{Board, Move, Packed, Side, Turn, parse_move};
use theta_chess::limits::{Budget, Limits};
use theta_chess::solve::{Engine, Solver};
use theta_chess::strategy::{BuildError, win};
use theta_chess::verify::{Accepted, Rejection, verify};
use xxhash_rust::xxh3::xxh3_64;

fn certificate(fen: &str, engine: Engine) -> Certificate {
    let solver = Solver::default().with_engine(engine);
    solver.solve(&fen.parse().unwrap(), Limits::default()).unwrap().certificate().unwrap()
}

fn bytes(certificate: &Certificate) -> Vec<u8> {
    let mut out = Vec::new();
    certificate.write(&mut out).unwrap();
    out
}

fn check(bytes: &[u8]) -> Result<Accepted, Rejection> {
    verify(bytes, &mut |_| true).map(|accepted| accepted.expect("never abandoned"))
}

const LADDER: &str = "8/8/8/4k3/8/8/8/RR2K3 w - -";
const WALL: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";

/// A win with several ranks, as bytes.
fn ladder() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| bytes(&certificate(LADDER, Engine::Tables)))
}

fn wall() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| bytes(&certificate(WALL, Engine::Graph)))
}

/// The entries of one rank, as bytes.
type Block = (u32, Vec<Vec<u8>>);

/// A certificate taken apart: the head's text, and for each section its kind, owner and blocks.
struct Parts {
    head: String,
    sections: Vec<(u8, u8, Vec<Block>)>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Self {
        let end = bytes.windows(2).position(|w| w == b"\n\n").unwrap() + 2;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut at = end;
        let mut sections = Vec::new();
        while at < bytes.len() - 8 {
            let (kind, owner) = (bytes[at], bytes[at + 1]);
            at += 2;
            let mut blocks = Vec::new();
            loop {
                let count = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
                let rank = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap());
                at += 8;
                if count == 0 {
                    break;
                }
                let mut entries = Vec::new();
                for _ in 0..count {
                    let (_, used) = Packed::read(&bytes[at..]).unwrap();
                    entries.push(bytes[at..at + used + 2].to_vec());
                    at += used + 2;
                }
                blocks.push((rank, entries));
            }
            sections.push((kind, owner, blocks));
        }
        Self { head, sections }
    }

    /// Put together again, with a fitting checksum.
    fn bytes(&self) -> Vec<u8> {
        let mut out = self.head.clone().into_bytes();
        for (kind, owner, blocks) in &self.sections {
            out.extend([*kind, *owner]);
            for (rank, entries) in blocks {
                out.extend((entries.len() as u32).to_le_bytes());
                out.extend(rank.to_le_bytes());
                entries.iter().for_each(|e| out.extend(e));
            }
            out.extend([0; 8]);
        }
        let sum = xxh3_64(&out);
        out.extend(sum.to_le_bytes());
        out
    }
}

/// The name of a rejection's variant.
fn kind(rejection: &Rejection) -> String {
    let text = format!("{rejection:?}");
    text.split(|c: char| !c.is_alphanumeric())
        .take(2)
        .collect::<Vec<_>>()
        .join(" ")
        .trim()
        .to_string()
}

#[track_caller]
fn rejected(original: &[u8], expected: &str, change: impl FnOnce(&mut Parts)) {
    let mut parts = Parts::of(original);
    assert_eq!(parts.bytes(), original, "taking apart and putting together changes nothing");
    change(&mut parts);
    let rejection = check(&parts.bytes()).expect_err("the mutant is accepted");
    assert!(kind(&rejection).starts_with(expected), "expected {expected}, got {rejection:?}");
}

#[test]
fn what_the_engines_prove_is_accepted() {
    for (fen, engine, claim) in [
        (LADDER, Engine::Tables, "White wins in 11 plies"),
        (WALL, Engine::Graph, "draw"),
        ("7k/6Q1/5K2/8/8/8/8/8 b - -", Engine::Tables, "White wins in 0 plies"),
        ("k7/2Q5/1K6/8/8/8/8/8 b - -", Engine::Tables, "draw"),
        ("8/8/8/8/8/1k6/7R/K7 b - -", Engine::Tables, "White wins in 30 plies"),
        ("r3k3/8/8/8/8/8/8/4K3 b q -", Engine::Tables, "Black wins in 23 plies"),
    ] {
        let accepted =
            check(&bytes(&certificate(fen, engine))).unwrap_or_else(|e| panic!("{fen}: {e}"));
        assert_eq!(accepted.claim.to_string(), claim, "{fen}");
    }
}

#[test]
fn a_rank_claimed_too_large_is_accepted_as_at_most() {
    let mut parts = Parts::of(ladder());
    parts.head = parts.head.replace("in 11 plies", "in 99 plies");
    assert_eq!(check(&parts.bytes()).unwrap().claim, Claim::Wins(Side::White, 99));
}

#[test]
fn the_ranks_of_the_file_are_not_looked_at() {
    let mut parts = Parts::of(ladder());
    let far = |rank: u32| rank.checked_mul(1 << 28).unwrap_or(u32::MAX - 20 + rank);
    parts.sections[0].2.iter_mut().for_each(|block| block.0 = far(block.0));
    assert_eq!(check(&parts.bytes()).unwrap().plies, Some(11));
    parts.head = parts.head.replace("in 11 plies", "in 9 plies");
    let rejection = check(&parts.bytes()).unwrap_err();
    assert!(matches!(rejection, Rejection::TooSlow { needed: 11, claimed: 9 }), "{rejection:?}");
}

#[test]
fn mutants_of_a_win_are_rejected() {
    let original = ladder();
    rejected(original, "TooSlow", |p| p.head = p.head.replace("in 11 plies", "in 9 plies"));
    rejected(original, "ForeignRoot", |p| p.head = p.head.replace("RR2K3", "R1R1K3"));
    rejected(original, "Format NotACertificate", |p| {
        p.head = p.head.replace("theta-certificate", "beta-certificate")
    });
    rejected(original, "Format Version", |p| {
        p.head = p.head.replace("certificate 4", "certificate 7")
    });
    rejected(original, "Format Root", |p| p.head = p.head.replace("root 8/", "root 9/"));
    rejected(original, "Format Header", |p| p.head = p.head.replace("White wins", "White whines"));
    rejected(original, "Sections", |p| p.head = p.head.replace("White wins", "Black wins"));
    rejected(original, "Format Body", |p| {
        p.head = p.head.replace("White wins in 11 plies", "draw")
    });
    rejected(original, "Format Body", |p| p.sections[0].0 = b'X');
    rejected(original, "Format Body", |p| p.sections[0].1 = b'x');
    // A missing reply: the quickest mates are not there.
    rejected(original, "MissingReply", |p| {
        p.sections[0].2[0].1.clear();
        p.sections[0].2.remove(0);
    });
    rejected(original, "MissingReply", |p| {
        p.sections[0].2[1].1.remove(0);
    });
    rejected(original, "Format Body", |p| p.sections[0].2.swap(0, 1));
    // The order of the entries is what counts: an entry before one that it leads to.
    rejected(original, "MissingReply", |p| {
        let blocks = &mut p.sections[0].2;
        let (low, high) = (blocks[0].1.clone(), blocks[1].1.clone());
        (blocks[0].1, blocks[1].1) = (high, low);
    });
    rejected(original, "Format Body", |p| p.sections[0].2[1].0 = 1);
    rejected(original, "Twice", |p| {
        let entry = p.sections[0].2[0].1[0].clone();
        p.sections[0].2[0].1.push(entry);
    });
    // The move's two bytes are the last of an entry.
    rejected(original, "IllegalMove", |p| {
        let entry = &mut p.sections[0].2[0].1[0];
        let at = entry.len() - 2;
        entry[at..].copy_from_slice(&(1u16 << 6).to_le_bytes());
    });
    rejected(original, "NoMove", |p| {
        let entry = &mut p.sections[0].2[0].1[0];
        let at = entry.len() - 2;
        entry[at..].fill(0);
    });
    rejected(original, "Format Body", |p| {
        let entry = &mut p.sections[0].2[0].1[0];
        let at = entry.len() - 1;
        entry[at] = 0xff;
    });
    // The side to move is the lowest bit of the state, before the move.
    rejected(original, "", |p| {
        let entry = &mut p.sections[0].2[0].1[0];
        let at = entry.len() - 4;
        entry[at] ^= 1;
    });
    rejected(original, "Position", |p| p.sections[0].2[0].1[0][8] = 0xff);
    // A second strategy behind the first.
    rejected(original, "Format", |p| p.sections.push(p.sections[0].clone()));
}

#[test]
fn mutants_of_a_draw_are_rejected() {
    let original = wall();
    rejected(original, "Sections", |p| p.sections.swap(0, 1));
    rejected(original, "Format", |p| {
        p.sections.pop();
    });
    rejected(original, "", |p| {
        p.sections[0].2[0].1.remove(0);
    });
    rejected(original, "MissingReply", |p| {
        p.sections[1].2[0].1.remove(3);
    });
    rejected(original, "ForeignRoot", |p| p.sections[0].2.clear());
    rejected(original, "Twice", |p| {
        let entry = p.sections[0].2[0].1[0].clone();
        p.sections[0].2[0].1.push(entry);
    });
    rejected(original, "NoMove", |p| {
        let entry = &mut p.sections[0].2[0].1[0];
        let at = entry.len() - 2;
        entry[at..].fill(0);
    });
    rejected(original, "Format Body", |p| p.sections[0].2[0].0 = 3);
}

#[test]
fn a_mated_owner_does_not_hold() {
    let mut parts = Parts::of(wall());
    parts.head =
        "theta-certificate 1\nroot 7k/6Q1/5K2/8/8/8/8/8 b - -\nclaim Black holds\n\n".into();
    let mated = Packed::from(&Board::from_fen("7k/6Q1/5K2/8/8/8/8/8 b - -").unwrap().vector());
    let mut entry = [0; 34];
    let used = mated.write(&mut entry);
    parts.sections = vec![(b'H', b'b', vec![(0, vec![entry[..used + 2].to_vec()])])];
    assert!(matches!(check(&parts.bytes()), Err(Rejection::OwnerMated(_))));
}

/// A draw of bare king and knight against rook: both strategies are folded.
fn knight() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| bytes(&certificate("8/8/8/4k3/3r4/8/1BK5/8 w - -", Engine::Tables)))
}

#[test]
fn mutants_of_a_folded_draw_are_rejected() {
    let original = knight();
    assert_eq!(check(original).unwrap().claim, Claim::Draw);
    assert!(Parts::of(original).sections.iter().all(|s| s.0 == b'S'));
    // Read as a plain hold, the images are missing.
    rejected(original, "MissingReply", |p| p.sections[1].0 = b'H');
    rejected(original, "MissingReply", |p| {
        p.sections[1].2[0].1.pop();
    });
    // A position and its image.
    rejected(original, "Twice", |p| {
        let entry = &p.sections[1].2[0].1[0];
        let (position, used) = Packed::read(entry).unwrap();
        let turn = Turn::allowed(&position).nth(2).unwrap();
        let play = Move::from_bits(u16::from_le_bytes([entry[used], entry[used + 1]])).unwrap();
        let mut image = vec![0; 40];
        let used = turn.position(&position).write(&mut image);
        image[used..used + 2].copy_from_slice(&turn.play(play).bits().to_le_bytes());
        image.truncate(used + 2);
        p.sections[1].2[0].1.push(image);
    });
    // No winning strategy is folded.
    rejected(ladder(), "Format Body", |p| p.sections[0].0 = b'S');
}

/// A hold whose only entry plays into a position where the opponent has these men left.
fn one_entry(root: &str, play: &str) -> Result<Accepted, Rejection> {
    let board = Board::from_fen(root).unwrap();
    let mut entry = vec![0; 40];
    let used = board.packed().write(&mut entry);
    entry[used..used + 2].copy_from_slice(&parse_move(play).unwrap().bits().to_le_bytes());
    entry.truncate(used + 2);
    let head = format!("theta-certificate 2\nroot {root}\nclaim White holds\n\n");
    check(&Parts { head, sections: vec![(b'H', b'w', vec![(0, vec![entry])])] }.bytes())
}

#[test]
fn a_line_ends_only_where_no_moves_mate() {
    // White takes and has a bare king against one minor piece, or the opponent's king is bare.
    assert!(one_entry("8/8/8/n7/4k3/8/1rK5/8 w - -", "c2b2").is_ok());
    assert!(one_entry("8/8/8/8/2b1k3/8/1rK5/8 w - -", "c2b2").is_ok());
    assert!(one_entry("8/8/8/8/4k3/8/1rK5/8 w - -", "c2b2").is_ok());
    // Something mates still, or might be helped to: two knights, a rook, a pawn; a man beside the
    // king that holds.
    for root in [
        "8/8/8/n7/4k3/8/1rK4n/8 w - -",
        "8/8/8/7r/4k3/8/1rK5/8 w - -",
        "8/8/8/8/4k3/7p/1rK5/8 w - -",
        "8/8/8/n7/4k3/8/1rK4P/8 w - -",
        "8/8/8/8/2b1k3/8/1rK4N/8 w - -",
    ] {
        let rejection = one_entry(root, "c2b2").expect_err(root);
        assert!(matches!(rejection, Rejection::MissingReply(_)), "{root}: {rejection:?}");
    }
}

#[test]
fn one_minor_piece_never_mates_a_bare_king() {
    let mut mated = 0;
    let mut seen = 0;
    for (king, other, man) in (0..64u32 * 64 * 64).map(|n| (n % 64, n / 64 % 64, n / 4096)) {
        for code in [10, 11] {
            if king == other || king == man || other == man {
                continue;
            }
            let mut men = [(king, 1u128), (other, 7), (man, code)];
            men.sort_unstable();
            let occupied = men.iter().fold(0, |o, m| o | 1u64 << m.0);
            let codes = men.iter().rev().fold(0, |c, m| c << 4 | m.1);
            let Ok(board) = Board::from_packed(&Packed { occupied, men: codes, state: 0 }) else {
                continue;
            };
            assert!(cannot_be_mated(&board.vector(), Side::White));
            seen += 1;
            mated += u32::from(board.in_check() && board.legal_moves().is_empty());
        }
    }
    assert_eq!((mated, seen > 400_000), (0, true), "{seen}");
}

#[test]
fn older_versions_are_still_read() {
    for original in [ladder(), wall()] {
        for version in 1..=3 {
            let mut parts = Parts::of(original);
            parts.head = parts.head.replace("certificate 4", &format!("certificate {version}"));
            assert!(check(&parts.bytes()).is_ok());
            let mut damaged = parts.bytes();
            let middle = damaged.len() / 2;
            damaged[middle] ^= 1;
            assert!(matches!(check(&damaged), Err(Rejection::Format(_))), "version {version}");
        }
    }
    // An aim as text becomes nodes; lines that the older version did not have are refused.
    let head = "theta-certificate 3\nroot 8/1P6/8/8/8/2k5/8/K7 w - -\n\
        claim White forces the aim in 1 plies\naim AF (count(Q) >= 1)\n";
    let entry = Packed::from(&Board::from_fen("8/1P6/8/8/8/2k5/8/K7 w - -").unwrap().vector());
    let mut bytes = [0; 34];
    let used = entry.write(&mut bytes);
    let play = parse_move("b7b8q").unwrap().bits().to_le_bytes();
    bytes[used..used + 2].copy_from_slice(&play);
    let sections = vec![(b'W', b'w', vec![(1, vec![bytes[..used + 2].to_vec()])])];
    let with = |more: &str| Parts { head: format!("{head}{more}\n"), sections: sections.clone() };
    let proved = check(&with("note x\n").bytes()).unwrap();
    assert_eq!(proved.aim.as_deref(), Some("AF count(Q) >= 1"));
    for more in ["node true\n", "rule x\n", "aim AF T\n"] {
        assert!(matches!(check(&with(more).bytes()), Err(Rejection::Format(_))), "{more}");
    }
}

#[test]
fn every_truncation_and_every_flipped_bit_is_noticed() {
    for original in [ladder(), wall()] {
        let step = original.len() / 150 + 1;
        for end in (0..original.len()).step_by(step) {
            assert!(check(&original[..end]).is_err(), "cut at {end}");
        }
        for at in (0..original.len()).step_by(step) {
            let mut damaged = original.to_vec();
            damaged[at] ^= 0x10;
            assert!(check(&damaged).is_err(), "flipped at {at}");
        }
        let mut longer = original.to_vec();
        longer.push(0);
        assert!(check(&longer).is_err());
    }
}

/// Wins of either side, with either side to move, an exchange of the only pawns in passing, a right
/// to castle; holds with pawns and without, whose positions stand for their images.
#[test]
fn strategies_by_slices_prove_the_same() {
    for (fen, engine) in [
        (LADDER, Engine::Tables),
        ("8/8/8/8/8/1k6/7R/K7 b - -", Engine::Tables),
        ("8/8/8/8/8/2k5/8/K6r w - -", Engine::Tables),
        ("8/8/8/8/8/2k5/8/R3K3 w Q -", Engine::Graph),
        ("8/8/8/8/k1p5/8/1P6/1K6 w - -", Engine::Tables),
        ("8/8/8/4k3/3r4/8/1BK5/8 w - -", Engine::Tables),
        (WALL, Engine::Graph),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", Engine::Tables),
    ] {
        let (first, mut file) = (certificate(fen, engine), Vec::new());
        first.write_as(Form::Slices, &mut file).unwrap();
        let accepted = check(&file).unwrap_or_else(|fault| panic!("{fen}: {fault}"));
        assert_eq!(accepted.claim, first.claim, "{fen}");
        // Moves are found again, and prove it too.
        let mut moves = Vec::new();
        Certificate::read(&file).unwrap().write_as(Form::Moves, &mut moves).unwrap();
        let again = check(&moves).unwrap_or_else(|fault| panic!("{fen}: {fault}"));
        assert_eq!(again.claim, first.claim, "{fen}");
        let is_by_slices = |bytes: &[u8]| {
            let read = theta_kernel::Certificate::read(bytes).unwrap();
            read.sections.iter().map(|section| section.kind.is_by_slices()).collect::<Vec<_>>()
        };
        // What needs no move at all has none to leave out.
        let needed: Vec<bool> = first.strategies.iter().map(|s| !s.is_empty()).collect();
        assert_eq!(is_by_slices(&file), needed, "{fen}");
        assert!(!is_by_slices(&moves).contains(&true), "{fen}");
        // A position fewer, with a checksum that fits: the last byte before the end of a section
        // is a square, and another square is no mate or not at home or not what is needed.
        if needed.last() == Some(&true) {
            let at = file.len() - 17;
            file[at] ^= 1;
            let sum = xxh3_64(&file[..file.len() - 8]).to_le_bytes();
            let body = file.len() - 8;
            file[body..].copy_from_slice(&sum);
            assert!(check(&file).is_err(), "{fen}: another square");
        }
    }
}

#[test]
fn policies_that_do_not_win_are_refused() {
    let board = Board::from_fen("7k/8/5K2/8/8/8/6Q1/8 w - -").unwrap();
    let mut there_and_back = |b: &Board| {
        let moves = b.legal_moves();
        Ok::<_, BuildError>(theta_chess::chess::board::move_of(&moves[moves.len() - 1]))
    };
    assert!(win(None, &board, Side::White, &Budget::default(), &mut there_and_back).is_err());
    let stalemate = parse_move("f2f7").unwrap();
    let queen = Board::from_fen("7k/8/6K1/8/8/8/5Q2/8 w - -").unwrap();
    let ended = win(None, &queen, Side::White, &Budget::default(), &mut |_: &Board| {
        Ok::<_, BuildError>(stalemate)
    });
    assert_eq!(ended.err().map(|e| matches!(e, BuildError::NoMate(_))), Some(true));
}

#[test]
fn notes_travel_with_the_certificate() {
    let mut with_notes = certificate("7k/8/5K2/8/8/8/6Q1/8 w - -", Engine::Tables);
    with_notes.notes = vec!["mate at once".into(), "line\nbreak".into()];
    assert_eq!(check(&bytes(&with_notes)).unwrap().notes, ["mate at once", "line break"]);
}

#[test]
fn abandoned_checks_say_nothing() {
    assert!(verify(ladder(), &mut |_| false).unwrap().is_none());
}

proptest! {
    #[test]
    fn any_bytes_are_rejected(head in any::<bool>(), body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut file = Vec::new();
        if head {
            file.extend(b"theta-certificate 1\nroot 7k/8/5K2/8/8/8/6Q1/8 w - -\nclaim White wins in 1 plies\n\n");
        }
        file.extend(body);
        prop_assert!(check(&file).is_err());
    }
}

#[test]
fn values_and_certificates_agree() {
    let verdict = Solver::default().solve(&LADDER.parse().unwrap(), Limits::default()).unwrap();
    assert_eq!(verdict.value(), Some(Value::Wins(Side::White, 11)));
}
