//! The rules of chess: perft against published counts, and move for move against an independent
//! generator.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use theta_chess::chess::board::move_of;
use theta_chess::chess::{
    Board, CodeError, FenError, KrinitskyCode, Move, Packed, PositionError, Profile, Side, Vector,
    attacked, check_narrow, fen, parse_fen, parse_move, perft, successors,
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn fide(text: &str) -> Vector {
    parse_fen(text, Profile::Fide).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Every row of a perft file: (id, FEN, depth, nodes).
fn perft_rows(name: &str) -> Vec<(String, String, u32, u64)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("positions").join(name);
    let (mut id, mut epd, mut rows) = (String::new(), String::new(), Vec::new());
    for line in fs::read_to_string(path).unwrap().lines() {
        match line.split_once(' ') {
            Some(("id", rest)) => id = rest.to_string(),
            Some(("epd", rest)) => epd = rest.to_string(),
            Some(("perft", rest)) => {
                let (depth, nodes) = rest.split_once(' ').unwrap();
                rows.push((
                    id.clone(),
                    epd.clone(),
                    depth.parse().unwrap(),
                    nodes.trim().parse().unwrap(),
                ));
            }
            _ => {}
        }
    }
    assert!(!rows.is_empty());
    rows
}

fn perft_failures(name: &str, up_to: u64) -> Vec<String> {
    let rows = perft_rows(name);
    let in_reach = rows.iter().filter(|row| row.3 <= up_to);
    in_reach
        .filter_map(|(id, epd, depth, nodes)| {
            let got = perft(Profile::Fide, &fide(epd), *depth);
            (got != *nodes).then(|| format!("{id} depth {depth}: {got} nodes, not {nodes}"))
        })
        .collect()
}

#[test]
fn perft_of_the_standard_positions() {
    assert_eq!(perft_failures("standard.perft", 5_000_000), Vec::<String>::new());
}

#[test]
fn perft_of_the_tricky_positions() {
    assert_eq!(perft_failures("tricky.perft", 2_500_000), Vec::<String>::new());
}

/// xorshift64*, so that the random games are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}

/// The two generators agree on y: the same moves, leading to the same vectors.
fn assert_same_moves(y: &Vector) -> Vec<Move> {
    let board = Board::from_vector(y).unwrap();
    assert_eq!(board.vector(), *y, "{}", fen(y));
    let ours: BTreeMap<Move, Vector> = successors(Profile::Fide, y).into_iter().collect();
    let theirs: BTreeMap<Move, Vector> =
        board.legal_moves().into_iter().map(|m| (move_of(&m), board.after(m).vector())).collect();
    assert_eq!(ours, theirs, "{}", fen(y));
    ours.into_keys().collect()
}

#[test]
fn moves_equal_shakmatys_on_random_positions() {
    let roots = [
        START,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - -",
        "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R b KQkq -",
    ];
    let mut random = Random(0x7468_6574_6121);
    let mut positions = 0;
    while positions < 12_000 {
        let mut y = fide(roots[random.below(roots.len())]);
        for _ in 0..120 {
            let moves = assert_same_moves(&y);
            positions += 1;
            if moves.is_empty() {
                break;
            }
            let m = moves[random.below(moves.len())];
            y = successors(Profile::Fide, &y).into_iter().find(|(n, _)| *n == m).unwrap().1;
            assert_eq!(fide(&fen(&y)), y);
            assert_eq!(Packed::from(&y).vector(), Ok(y));
            let code = KrinitskyCode::encode(&y).unwrap();
            assert_eq!(code.decode(), Ok(y), "{}", fen(&y));
            assert_eq!(KrinitskyCode::from_digits(&code.to_string(), code.turned), Ok(code));
        }
    }
}

#[test]
fn mirrored_positions_have_mirrored_moves() {
    for (_, epd, ..) in perft_rows("tricky.perft") {
        let y = fide(&epd);
        let mut straight: Vec<Vector> = successors(Profile::Fide, &y.mirrored())
            .into_iter()
            .map(|(_, z)| z.mirrored())
            .collect();
        let mut expected: Vec<Vector> =
            successors(Profile::Fide, &y).into_iter().map(|(_, z)| z).collect();
        straight.sort();
        expected.sort();
        assert_eq!(straight, expected, "{epd}");
        assert_eq!(y.mirrored().mirrored(), y);
    }
}

/// Plays UCI moves by the paper's rules in a profile.
fn play(profile: Profile, text: &str, line: &[&str]) -> Vector {
    let mut y = parse_fen(text, profile).unwrap();
    for uci in line {
        let m = parse_move(uci).unwrap();
        let found = successors(profile, &y).into_iter().find(|(n, _)| *n == m);
        y = found.unwrap_or_else(|| panic!("{uci} is not legal in {}", fen(&y))).1;
    }
    y
}

fn has_move(profile: Profile, y: &Vector, uci: &str) -> bool {
    successors(profile, y).iter().any(|(m, _)| m.to_string() == uci)
}

#[test]
fn e1_a_king_that_came_back_castles_only_in_the_paper() {
    let line = ["e1e2", "e8e7", "e2e1", "e7e8"];
    let start = "4k3/8/8/8/8/8/8/4K2R w K -";
    assert!(has_move(Profile::Paper, &play(Profile::Paper, start, &line), "e1g1"));
    assert!(!has_move(Profile::Fide, &play(Profile::Fide, start, &line), "e1g1"));
}

#[test]
fn e2_en_passant_to_the_right_needs_a_pawn_on_the_left_in_the_paper() {
    let y = "4k3/8/8/3Pp3/8/8/8/4K3 w - e6";
    assert!(has_move(Profile::Fide, &parse_fen(y, Profile::Fide).unwrap(), "d5e6"));
    assert!(!has_move(Profile::Paper, &parse_fen(y, Profile::Paper).unwrap(), "d5e6"));
    let wrong_side = "4k3/8/8/2pPp3/8/8/8/4K3 w - e6";
    assert!(has_move(Profile::Paper, &parse_fen(wrong_side, Profile::Paper).unwrap(), "d5e6"));
}

#[test]
fn e3_marks_multiply_the_vectors_of_the_paper() {
    let start = "4k3/8/8/8/8/8/P7/4K3 w - -";
    let line = ["a2a4", "e8e7"];
    let direct = parse_fen("8/4k3/8/8/P7/8/8/4K3 w - -", Profile::Paper).unwrap();
    assert_eq!(play(Profile::Fide, start, &line), direct);
    let stale = play(Profile::Paper, start, &line);
    assert_eq!(stale[65], 1, "White's mark survives Black's move");
    assert!(stale != direct);
}

#[test]
fn idle_en_passant_marks_are_normalised() {
    let y = fide("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3");
    assert_eq!(fen(&y), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -");
    // The capture would expose the king along the rank.
    assert_eq!(fide("8/8/8/K2pP2r/8/8/8/4k3 w - d6")[66], 0);
    assert_eq!(fide("8/8/8/K2pP3/8/8/8/4k3 w - d6")[66], 4);
}

#[test]
fn illegal_positions_are_named() {
    let rows: &[(&str, FenError)] = &[
        ("", FenError::Empty),
        ("8/8/8/8/8/8/8/8 w - -", PositionError::NoKing(Side::White).into()),
        ("4k3/8/8/8/8/8/8/8 w - -", PositionError::NoKing(Side::White).into()),
        ("4k3/8/8/8/8/8/8/3KK3 w - -", PositionError::ManyKings(Side::White).into()),
        ("3kk3/8/8/8/8/8/8/3K4 w - -", PositionError::ManyKings(Side::Black).into()),
        ("4k3/8/8/8/8/8/8/3KR3 w - -", PositionError::KingCapturable(Side::Black).into()),
        ("8/8/8/8/8/8/3k4/3K4 b - -", PositionError::KingCapturable(Side::White).into()),
        ("P3k3/8/8/8/8/8/8/3K4 w - -", PositionError::PawnOnEdgeRank.into()),
        ("4k3/8/8/8/8/8/8/3K3p w - -", PositionError::PawnOnEdgeRank.into()),
        ("4k3/8/8/8/8/8/8/R2K4 w Q -", PositionError::CastlingRight(Side::White).into()),
        ("4k3/8/8/8/8/8/8/4K3 w k -", PositionError::CastlingRight(Side::Black).into()),
        (
            "4k3/8/8/8/8/8/8/4K3 w - e6",
            PositionError::EnPassant("no pawn stands beyond the marked square").into(),
        ),
        (
            "4k3/4p3/8/4pP2/8/8/8/4K3 w - e6",
            PositionError::EnPassant("the pawn's way was not free").into(),
        ),
        ("4k3/8/8/4pP2/8/8/8/4K3 w - e3", FenError::EnPassantRank("e3".into())),
        ("4k3/8/8/4pP2/8/8/8/4K3 w - e5", FenError::EnPassantField("e5".into())),
        ("4k3/8/8/8/8/8/8/4K3 w KK -", FenError::Castling("KK".into())),
        ("4k3/8/8/8/8/8/8/4K3 x - -", FenError::Side("x".into())),
        ("4k3/8/8/8/8/8/8/4K3", FenError::NoSideToMove),
        ("4k3/8/8/8/8/8/4K3 w - -", FenError::Ranks(7)),
        ("4k4/8/8/8/8/8/8/4K3 w - -", FenError::RankLength(8)),
        ("4k3/8/8/8/8/8/8/4K2 w - -", FenError::RankLength(1)),
        ("4k3/8/8/8/8/8/8/4KX2 w - -", FenError::Piece('X')),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 0", FenError::Counter("-1".into())),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", FenError::TooManyFields),
        ("4k3/8/8/8/8/8/8/4K3 w - - \u{fc}", FenError::NotAscii),
        (
            "qqqqkqqq/qqqqqqqq/qqqqqqqq/qqqqqqqq/qqqqqqqq/8/8/K7 b - -",
            PositionError::TooManyMen.into(),
        ),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(text, expected)| {
            let got = parse_fen(text, Profile::Fide);
            (got.as_ref() != Err(expected)).then(|| format!("{text}: {got:?}, not {expected:?}"))
        })
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn attacks_agree_with_bitboards() {
    use theta_chess::chess::board::{BySide as _, Position as _, Square};
    for (_, epd, ..) in perft_rows("tricky.perft") {
        let (y, board) = (fide(&epd), Board::from_fen(&epd).unwrap());
        for i in 1..=64u32 {
            for (white, side) in [(true, Side::White), (false, Side::Black)] {
                let chess = board.chess();
                let theirs = chess
                    .board()
                    .attackers(Square::new(i - 1), side, chess.board().occupied())
                    .any();
                assert_eq!(attacked(&y, i as usize, white), theirs, "{epd} square {i} {side}");
            }
        }
    }
}

#[test]
fn krinitskys_lengths_and_the_example_of_two_kings() {
    let kings = KrinitskyCode::encode(&fide("4k3/8/8/8/8/8/8/4K3 w - -")).unwrap();
    let digits = kings.to_string();
    assert_eq!(digits.len(), 194);
    assert_eq!(&digits[..8], "00001000");
    assert_eq!(&digits[64..72], "11101111");
    assert!(digits[72..].bytes().all(|b| b == b'0'));
    let start = KrinitskyCode::encode(&fide(START)).unwrap().to_string();
    assert_eq!(&start[64..68], "1010");
    assert_eq!(&start[192..], "11");
}

#[test]
fn krinitskys_code_rejects_what_is_not_canonical() {
    let digits = |text: &str| KrinitskyCode::encode(&fide(text)).unwrap().to_string();
    let decode =
        |digits: &str| KrinitskyCode::from_digits(digits, false).and_then(|code| code.decode());
    let kings = digits("4k3/8/8/8/8/8/8/4K3 w - -");
    let set = |text: &str, at: usize, bits: &str| {
        format!("{}{bits}{}", &text[..at], &text[at + bits.len()..])
    };
    assert_eq!(decode(&set(&kings, 193, "1")), Err(CodeError::Tail));
    assert_eq!(decode(&kings[1..]), Err(CodeError::Length));
    assert_eq!(decode(&set(&kings, 0, "2")), Err(CodeError::Length));
    let castling = digits("4k3/8/8/8/8/8/8/4K2R w K -");
    assert_eq!(&castling[68..72], "1010");
    assert_eq!(decode(&set(&castling, 76, "0")), Err(CodeError::Tail));
    let stray = digits("4k3/8/8/8/8/8/8/4K1R1 w - -");
    assert_eq!(decode(&set(&stray, 68, "1010")), Err(CodeError::Rook));
    let marked = digits("4k3/8/8/3pP3/8/8/8/4K3 w - d6");
    assert_eq!(&marked[68..72], "0011");
    assert!(decode(&marked).is_ok());
    assert_eq!(decode(&set(&marked, 72, "0010")), Err(CodeError::WhiteMark));
    let idle = digits("4k3/8/8/3p4/8/8/8/4K3 w - -");
    assert_eq!(decode(&set(&idle, 68, "0011")), Err(CodeError::Mark));
    assert_eq!(
        decode(&set(&kings, 64, "11101110")),
        Err(CodeError::Position(PositionError::ManyKings(Side::White)))
    );
    let full = "1".repeat(194);
    assert_eq!(decode(&full), Err(CodeError::TooManyMen));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,90}") {
        if let Ok(y) = parse_fen(&text, Profile::Fide) {
            prop_assert_eq!(parse_fen(&fen(&y), Profile::Fide), Ok(y));
        }
    }

    #[test]
    fn almost_fens_are_read_or_refused(text in "[pnbrqkPNBRQK1-8/]{20,70} [wb] (-|[KQkq]{1,4}) (-|[a-h][36])") {
        if let Ok(y) = parse_fen(&text, Profile::Paper) {
            prop_assert!(check_narrow(&y).is_ok());
        }
    }

    #[test]
    fn any_bytes_unpack_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        if let Ok((packed, used)) = Packed::read(&bytes) {
            let mut again = [0; 64];
            prop_assert_eq!(packed.write(&mut again), used);
            if let Ok(y) = packed.vector() {
                prop_assert_eq!(Packed::from(&y).vector(), Ok(y));
            }
        }
    }

    #[test]
    fn any_digits_decode_canonically_or_are_refused(bits in proptest::collection::vec(any::<bool>(), 194)) {
        let digits: String = bits.iter().map(|&b| if b { '1' } else { '0' }).collect();
        if let Ok(y) = KrinitskyCode::from_digits(&digits, false).unwrap().decode() {
            prop_assert_eq!(KrinitskyCode::encode(&y).unwrap().to_string(), digits);
        }
    }

    #[test]
    fn moves_print_and_parse(bits in any::<u16>()) {
        if let Some(m) = Move::from_bits(bits) {
            prop_assert_eq!(parse_move(&m.to_string()), Ok(m));
        }
    }
}
