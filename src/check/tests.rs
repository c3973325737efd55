use super::*;
use crate::chess::parse_fen;
use crate::ctl::testing::{Tree, trees};
use crate::ctl::{Syntax, to_text};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn game(fen: &str) -> Game {
    Game::explore(&parse_fen(fen, Profile::Fide).unwrap(), Profile::Fide, &Budget::default())
        .unwrap()
}

/// The answers under all rules, White's and Black's, and for the sides whether fixpoints gave them.
fn answers(game: &Game, aim: &str) -> [bool; 3] {
    [Rules::All, Rules::Owner(Side::White), Rules::Owner(Side::Black)].map(|rules| {
        let aim = Aim::parse(aim).unwrap();
        let leg = Leg::new(game, &aim, &Budget::default()).unwrap();
        let (answer, method) = on_leg(&leg, &aim, rules, &Budget::default());
        assert_ne!(method, Some(Method::Tableau), "{aim} is of the form of the fixpoints");
        answer.unwrap_or_else(|stop| panic!("{aim}: {stop}"))
    })
}

#[test]
fn aims_of_a_rook_ending() {
    let game = game("k7/8/1K6/8/8/8/8/7R w - -");
    for (aim, expected) in [
        ("AF mate(black)", [false, true, false]),
        // White can leave Black nothing but to take the rook.
        ("AF count(R) = 0", [false, true, false]),
        ("AX (on(R, h8) & mate(black)) | AX on(K, c7)", [false, true, false]),
        ("A[~check(black) U mate(black)] & AG count(R) = 1", [false, true, false]),
        ("E[~check(black) U stalemate]", [true, true, true]),
    ] {
        assert_eq!(answers(&game, aim), expected, "{aim}");
    }
}

#[test]
fn aims_behind_a_locked_wall() {
    let game = game("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -");
    for (aim, expected) in [
        ("~EF (mate(white) | mate(black))", [true, true, true]),
        ("AG (count(P) = 8 & count(p) = 8)", [true, true, true]),
        ("AF on(K, e2)", [false, true, false]),
        // The king comes to a2 and on to h2 for good, without stepping on the first rank in
        // between.
        (
            "AF (on(K, a2) & A[~attacked(a1, white) | on(K, a2) U AG ~on(K, a2)])",
            [false, true, false],
        ),
        (
            "AG (white_to_move -> ~on(K, e1)) | white_to_move & AX AG (white_to_move -> ~on(K, e1))",
            [false, true, false],
        ),
        ("AF AG on(K, e1)", [false, false, false]),
        ("EG on(k, e8)", [false, false, false]),
        ("EG attacked(d8, black)", [true, true, true]),
    ] {
        assert_eq!(answers(&game, aim), expected, "{aim}");
    }
}

/// Positions from which few others can be reached, with mates, stalemates and walks.
const SMALL: &[&str] = &[
    "7k/5Q2/6K1/8/8/8/8/8 b - -",
    "2b5/6k1/p3p2p/P1p1P1pP/KpPp2P1/1P1P1p2/5P2/8 b - -",
    "8/2N5/6p1/p2K1pPk/P1p1pP1p/1pP1P2P/1P6/8 w - -",
    "8/8/4p3/2p1P1p1/2Pp1pPk/3P1P1p/2B4P/4K3 w - -",
    "8/1K6/5p2/1p3Pp1/kPp3P1/p1P1p2p/P3P2P/8 w - -",
    "8/5K2/6p1/3p1pPk/1p1P1P1p/1P5P/8/8 w - -",
];

#[test]
fn full_boards_are_searched_only_as_far_as_needed() {
    let start =
        parse_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", Profile::Fide).unwrap();
    for (rules, aim, expected) in [
        // Fool's mate is the shortest of all mates.
        (Rules::All, "EX EX EX EX mate(white)", true),
        (Rules::All, "EX EX EX (mate(white) | mate(black))", false),
        (Rules::All, "~EF check(black)", false),
        (Rules::Owner(Side::White), "AX AX AX ~check(white)", true),
        // 1. e4 f6 2. Qh5+, but Black need not play 1. … f6.
        (Rules::All, "AX AX AX ~check(black)", false),
        (Rules::Owner(Side::Black), "AX AX AX ~check(black)", true),
        (Rules::Owner(Side::White), "E[~check(black) U check(white)]", true),
        // One move of White's has to serve both, however the aim is written.
        (Rules::Owner(Side::White), "AX (on(P, e4) & ~check(black))", true),
        (Rules::Owner(Side::White), "AX on(P, e4) & AX ~check(black)", true),
        (Rules::Owner(Side::White), "EX on(P, e4) & EX on(P, d4)", false),
        (Rules::Owner(Side::Black), "EX on(P, e4) & EX on(P, d4)", true),
        (Rules::Owner(Side::White), "EX EX on(p, e5) & AX EX on(p, d5) & AX on(P, e4)", true),
        (Rules::Owner(Side::Black), "AX EX on(p, e5) & AX EX on(p, d5)", false),
    ] {
        let checked =
            check(&start, &Aim::parse(aim).unwrap(), rules, Profile::Fide, &Budget::default());
        assert_eq!((checked.answer, checked.method), (Ok(expected), Some(Method::Local)), "{aim}");
    }
}

/// What the variables p0..p4 of a random formula stand for.
const ATOMS: [&str; 5] =
    ["white_to_move", "mate(white)", "stalemate", "attacked(d6, white)", "on(k, h5)"];

fn aim_of(tree: &Tree) -> Aim {
    let mut arena = crate::ctl::Arena::new();
    let id = tree.build(&mut arena);
    let text = to_text(&arena, id, Syntax::Ascii);
    Aim::parse(&(0..5).fold(text, |text, i| text.replace(&format!("p{i}"), ATOMS[i]))).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Two methods that share nothing but the positions: fixpoints, and the tableau on the formula.
    #[test]
    fn fixpoints_agree_with_the_tableau(tree in trees(5, 3), at in 0..SMALL.len(), white in any::<bool>()) {
        let aim = aim_of(&tree);
        let game = game(SMALL[at]);
        let leg = Leg::new(&game, &aim, &Budget::default()).unwrap();
        let owner = if white { Side::White } else { Side::Black };
        let fixpoints = by_fixpoints(&leg, &aim, owner, &Budget::default());
        if let Some(answer) = fixpoints {
            prop_assert_eq!(by_tableau(&leg, &aim, owner, &Budget::default()), answer, "{} in {}", aim, SMALL[at]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The search outwards and the methods on the whole graph.
    #[test]
    fn local_search_agrees_with_the_whole_graph(tree in trees(5, 2), head in 0..5_u8, at in 0..SMALL.len()) {
        // As it is, or under one of EF, AF, EG and AG.
        let path = if head & 1 == 0 { crate::ctl::Path::Some } else { crate::ctl::Path::All };
        let tree = if head < 4 { Tree::Unary(2 + head / 2, path, Box::new(tree)) } else { tree };
        let aim = aim_of(&tree);
        let y = parse_fen(SMALL[at], Profile::Fide).unwrap();
        let game = game(SMALL[at]);
        let budget = Budget::default();
        let leg = Leg::new(&game, &aim, &budget).unwrap();
        for rules in [Rules::All, Rules::Owner(Side::White), Rules::Owner(Side::Black)] {
            if let Some(mut local) = Local::new(&y, &aim, rules, Profile::Fide, &budget) {
                prop_assert_eq!(local.run(), on_leg(&leg, &aim, rules, &budget).0, "{} in {}", aim, SMALL[at]);
            }
        }
    }
}

/// The end of a line that answers an aim under all rules; the line is legal and ends or repeats as
/// it says.
fn shown(fen: &str, aim: &str) -> (bool, Vec<String>, Option<usize>, Vector) {
    let root = parse_fen(fen, Profile::Fide).unwrap();
    let parsed = Aim::parse(aim).unwrap();
    let checked = check(&root, &parsed, Rules::All, Profile::Fide, &Budget::default());
    let line = checked.line.unwrap_or_else(|| panic!("{aim}: no line"));
    let mut passed = vec![crate::chess::Board::from_vector(&root).unwrap()];
    for m in &line.moves {
        let last = passed.last().unwrap();
        passed.push(last.after(last.find(*m).expect("a legal move")));
    }
    let last = passed.last().unwrap();
    if let Some(back) = line.repeats_from {
        assert_eq!(passed[back].packed(), last.packed(), "{aim}");
    }
    let moves = line.moves.iter().map(ToString::to_string).collect();
    (checked.answer.unwrap(), moves, line.repeats_from, last.vector())
}

#[test]
fn answers_come_with_a_line_that_shows_them() {
    let morphy = "kbK5/pp6/1P6/8/8/8/8/R7 w - -";
    let mated = |y: &Vector| crate::chess::Board::from_vector(y).unwrap().legal_moves().is_empty();
    let (answer, moves, back, end) = shown(morphy, "EF mate(black)");
    assert!(answer && back.is_none() && mated(&end), "{moves:?}");
    assert_eq!(moves.len(), 3, "{moves:?}");
    let (answer, moves, _, end) = shown(morphy, "AX ~check(black)");
    let checked = crate::chess::Board::from_vector(&end).unwrap().in_check();
    assert!(!answer && moves.len() == 1 && checked, "{moves:?}");
    // A counter-example to AF is a circle.
    let (answer, moves, back, _) = shown("k7/8/1K6/8/8/8/8/7R w - -", "AF mate(black)");
    assert!(!answer && back.is_some() && !moves.is_empty(), "{moves:?}");
    // On a fuller board too, without listing it: both sides step out and back.
    let (answer, moves, back, _) = shown(morphy, "AF mate(black)");
    assert!(!answer && back.is_some() && moves.len() <= 8, "{moves:?}");
    let (answer, moves, back, _) = shown(morphy, "AF (mate(black) | count(r) > 0)");
    assert!(!answer && back.is_some() && moves.len() <= 8, "{moves:?}");
    // Witnesses go on below each other.
    let (answer, moves, back, end) =
        shown("k7/8/1K6/8/8/8/8/7R w - -", "EF (on(R, h7) & EX EX EF mate(black))");
    assert!(answer && back.is_none() && mated(&end), "{moves:?}");
    let (answer, moves, back, _) = shown("k7/8/1K6/8/8/8/8/7R w - -", "~EG ~mate(black)");
    assert!(!answer && back.is_some(), "{moves:?}");
}
