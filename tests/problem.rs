//! Chess problems: the engine against each stipulation's definition, told as slowly and plainly as
//! can be.

use std::collections::BTreeSet;
use theta_chess::chess::board::{Chess, ChessMove, Position as _, move_of, passed, san};
use theta_chess::chess::{Operations, Position};
use theta_chess::limits::{Budget, Limits};
use theta_chess::problem::{
    Attack, Bounded, Diagram, Edit, Goal, Kind, Solved, Status, Stipulation, Variation, Wishes,
    solve,
};
use theta_chess::search::{Options as SearchOptions, Pursuit};

fn bounded(text: &str) -> Bounded {
    match text.parse() {
        Ok(Stipulation::Bounded(bounded)) => bounded,
        other => panic!("{text}: {other:?}"),
    }
}

fn wishes() -> Wishes {
    let mut wishes = Wishes::default();
    wishes.most = 100_000;
    wishes
}

fn solved(fen: &str, stipulation: &str, wishes: &Wishes) -> Solved {
    solve(&fen.parse().unwrap(), &bounded(stipulation), wishes, Limits::default().with_threads(2))
}

fn after(chess: &Chess, m: ChessMove) -> Chess {
    let mut next = chess.clone();
    next.play_unchecked(m);
    next
}

fn moves(chess: &Chess) -> Vec<ChessMove> {
    chess.legal_moves().into_iter().collect()
}

fn reached(chess: &Chess, goal: Goal) -> bool {
    match goal {
        Goal::Mate => chess.is_checkmate(),
        Goal::Stalemate => chess.is_stalemate(),
    }
}

fn can(chess: &Chess, goal: Goal) -> bool {
    moves(chess).into_iter().any(|m| reached(&after(chess, m), goal))
}

/// Whether a first move is a key, by the definitions of the direct kinds.
fn is_key(chess: &Chess, m: ChessMove, n: u16, of: &Bounded) -> bool {
    let next = after(chess, m);
    let replies = moves(&next);
    let (direct, goal) = (of.kind == Kind::Direct, of.goal);
    if of.kind == Kind::Reflex && can(chess, goal) {
        return false;
    }
    if direct && reached(&next, goal) {
        return true;
    }
    if matches!(of.kind, Kind::Reflex | Kind::SemiReflex) && can(&next, goal) {
        return true;
    }
    !replies.is_empty()
        && replies.into_iter().all(|reply| {
            let met = after(&next, reply);
            !direct && reached(&met, goal) || n > 1 && has_key(&met, n - 1, of)
        })
}

fn has_key(chess: &Chess, n: u16, of: &Bounded) -> bool {
    moves(chess).into_iter().any(|m| is_key(chess, m, n, of))
}

/// How many lines of so many plies there are in which both help; the last `compelled` of them is
/// a move that every reply answers with the aim.
fn lines(chess: &Chess, plies: u16, compelled: bool, goal: Goal) -> usize {
    let count = |m: ChessMove| {
        let next = after(chess, m);
        if compelled && plies == 2 {
            let replies = moves(&next);
            let all = replies.iter().all(|&reply| reached(&after(&next, reply), goal));
            usize::from(all && !replies.is_empty())
        } else if plies == 1 {
            usize::from(reached(&next, goal))
        } else {
            lines(&next, plies - 1, compelled, goal)
        }
    };
    moves(chess).into_iter().map(count).sum()
}

/// How many series of n moves there are.
fn series(chess: &Chess, n: u16, of: &Bounded) -> usize {
    if n == 1 {
        return match of.kind {
            Kind::Series => lines(chess, 1, false, of.goal),
            Kind::SeriesHelp => lines(chess, 2, false, of.goal),
            _ => lines(chess, 2, true, of.goal),
        };
    }
    let quiet = moves(chess).into_iter().map(|m| after(chess, m)).filter(|next| !next.is_check());
    quiet.map(|next| series(&passed(&next).unwrap(), n - 1, of)).sum()
}

/// Holds what the engine says against the definition.
fn check(fen: &str, stipulation: &str) -> Option<Status> {
    let position: Position = fen.parse().ok()?;
    let (chess, of) = (position.board().chess().clone(), bounded(stipulation));
    let found = solved(fen, stipulation, &wishes());
    assert!(found.complete && found.stop.is_none());
    let halves = 2 * of.moves + u16::from(of.half);
    let count = match of.kind {
        Kind::Help => lines(&chess, halves, false, of.goal),
        Kind::HelpSelf => lines(&chess, halves, true, of.goal),
        Kind::Series | Kind::SeriesHelp | Kind::SeriesSelf => series(&chess, of.moves, &of),
        _ => {
            let keys = moves(&chess).into_iter().filter(|&m| is_key(&chess, m, of.moves, &of));
            let keys: BTreeSet<String> = keys.map(|m| san(&chess, m)).collect();
            let plays: Vec<&Attack> = found.solutions.iter().flat_map(|s| &s.play).collect();
            let told: BTreeSet<String> = plays.iter().map(|play| play.ply.san.clone()).collect();
            assert_eq!(told, keys, "{fen} {stipulation}");
            let short = (1..of.moves).find(|&n| has_key(&chess, n, &of));
            assert_eq!(!found.short.is_empty(), short.is_some(), "{fen} {stipulation}");
            plays.iter().for_each(|play| follow(&chess, play, of.moves, &of));
            keys.len()
        }
    };
    assert_eq!(found.solutions.len(), count, "{fen} {stipulation}");
    Some(found.status())
}

/// Every reply to a key is told with all its quickest answers, or a threat meets it.
fn follow(chess: &Chess, told: &Attack, n: u16, of: &Bounded) {
    let find = |chess: &Chess, uci: &str| {
        moves(chess).into_iter().find(|m| move_of(m).to_string() == uci).unwrap()
    };
    let next = after(chess, find(chess, &told.ply.uci));
    let direct = of.kind == Kind::Direct;
    if direct && reached(&next, of.goal) {
        return;
    }
    let reflex = matches!(of.kind, Kind::Reflex | Kind::SemiReflex);
    let obliged = reflex && can(&next, of.goal);
    let threats: BTreeSet<&str> = told.threats.iter().map(|t| t.ply.uci.as_str()).collect();
    for reply in moves(&next) {
        let uci = move_of(&reply).to_string();
        let met = after(&next, reply);
        let has = |v: &&Variation| v.defences.iter().any(|d| d.uci == uci);
        let variation = told.variations.iter().find(has);
        if of.kind != Kind::Direct && reached(&met, of.goal) {
            assert!(variation.unwrap().reached);
            continue;
        }
        if obliged {
            assert!(variation.is_none());
            continue;
        }
        let quickest = (1..n).find(|&n| has_key(&met, n, of)).unwrap();
        let answers = |n: u16| {
            let keys = moves(&met).into_iter().filter(|&m| is_key(&met, m, n, of));
            keys.map(|m| move_of(&m).to_string()).collect::<BTreeSet<_>>()
        };
        match variation {
            Some(variation) => {
                let listed: BTreeSet<String> =
                    variation.answers.iter().map(|a| a.ply.uci.clone()).collect();
                assert_eq!(listed, answers(quickest));
                assert_eq!(variation.short, quickest < n - 1);
                variation.answers.iter().for_each(|a| follow(&met, a, quickest, of));
            }
            None => {
                let met = answers(n - 1);
                let all = threats.iter().all(|&threat| met.contains(threat));
                // Who allows something quicker does not defend either.
                let plies = usize::from(2 * quickest - u16::from(direct));
                let quicker = told.threats.first().is_some_and(|threat| plies < threat.plies);
                assert!(!threats.is_empty() && (all || quicker), "{uci}");
            }
        }
    }
}

/// Positions of few men, by a linear congruential generator.
fn random_positions(count: usize, men: &str) -> Vec<String> {
    let seed = men.bytes().fold(0, |seed: u64, b| seed * 131 + u64::from(b));
    let mut state = 0x2545_f491_4f6c_dd1d_u64 ^ seed;
    let mut next = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut found = Vec::new();
    while found.len() < count {
        let mut board = ['1'; 64];
        for man in men.chars() {
            // In a corner, so that there is something to find.
            let (file, rank) = (next(4), next(4));
            board[(rank * 8 + file) as usize] = man;
        }
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let side = if next(2) == 0 { 'w' } else { 'b' };
        let fen = format!("{} {side} - -", ranks.join("/"));
        if let Ok(position) = fen.parse::<Position>() {
            found.push(position.to_string());
        }
    }
    found
}

/// Each kind with positions that have solutions, found by search among random ones.
const SOLVED: &[(&str, &[&str])] = &[
    ("8/8/2q5/KRk5/8/8/8/8 b - -", &["#1", "#2"]),
    ("k1K5/3Q4/3q4/8/8/8/8/8 w - -", &["#2"]),
    ("kN6/1p6/1K6/8/8/8/8/8 w - -", &["=1", "=2"]),
    ("K7/1Q1r4/2k5/8/8/8/8/8 b - -", &["=2"]),
    ("5r2/8/8/8/8/3Q4/PP5p/K6k w - -", &["s#1", "r#1", "semi-r#1", "hs#1", "ser-s#1", "ser-s#2"]),
    ("5r2/8/8/8/8/3Q4/PP5p/K6k b - -", &["hs#1.5"]),
    ("k7/2Q5/K1P5/2q5/8/8/8/8 b - -", &["s=1", "hs=1"]),
    ("2r5/2k5/K1Q5/8/8/8/8/8 b - -", &["r#1", "semi-r#1"]),
    ("qQK5/kR6/8/8/8/8/8/8 b - -", &["r#2"]),
    ("1Q1K4/1qP5/2k5/8/8/8/8/8 w - -", &["semi-r#2"]),
    ("k7/1p6/PK6/P7/8/8/8/8 b - -", &["r=1"]),
    ("qR2Q3/2k1K3/8/8/8/8/8/8 w - -", &["h#0.5", "ser-#1", "ser-#2"]),
    ("2k5/1r6/2K5/1Q6/8/8/8/8 b - -", &["h#1", "ser-h#1"]),
    ("N1k5/K1p5/2bR4/8/8/8/8/8 w - -", &["h#1.5"]),
    // The mate is a promotion's: men arrive from either side of the board.
    ("8/6p1/6pk/6p1/8/1p6/1P1p4/1K1R4 b - -", &["h#1.5"]),
    ("1k1r4/1p1P4/1P6/8/6P1/6PK/6P1/8 w - -", &["h#1.5"]),
    ("q7/kP6/8/KQ6/8/8/8/8 b - -", &["h=1"]),
    ("K7/Q7/kr6/8/8/8/8/8 b - -", &["h=1.5"]),
    ("2kN4/8/R7/b1pK4/8/8/8/8 w - -", &["ser-#2"]),
    ("1K6/8/q7/k1P5/8/8/8/8 b - -", &["ser-=2"]),
    ("8/kPQ5/2K5/8/8/8/8/8 b - -", &["ser-h#1"]),
    ("2Q5/kP1K4/8/8/8/8/8/8 b - -", &["ser-h#2"]),
    ("k7/N1p5/B7/3K4/8/8/8/8 b - -", &["ser-h=2"]),
    ("R2K4/kq6/1Q6/8/8/8/8/8 b - -", &["ser-s=2"]),
    ("8/8/8/3pP3/2k5/8/8/4K2R w K d6", &["h#1", "#1"]),
];

#[test]
fn every_kind_is_its_definition() {
    for (fen, stipulations) in &SOLVED[..SOLVED.len() - 1] {
        for stipulation in *stipulations {
            let status = check(fen, stipulation).expect("a legal position");
            assert_ne!(status, Status::NoSolution, "{fen} {stipulation}");
        }
    }
    let (castling, kinds) = SOLVED[SOLVED.len() - 1];
    for stipulation in kinds {
        check(castling, stipulation).expect("a legal position");
    }
    for men in ["KkQr", "KkRPp", "KkPPpp"] {
        for fen in random_positions(3, men) {
            for stipulation in ["#2", "=1", "s#1", "r#1", "h#1", "h=1.5", "hs#1", "ser-h#2"] {
                check(&fen, stipulation).expect("a legal position");
            }
        }
    }
}

#[test]
#[ignore = "more positions and longer stipulations: minutes in the dev profile"]
fn every_kind_is_its_definition_at_length() {
    let stipulations = [
        "#3", "s#2", "r#2", "semi-r#2", "=3", "h#2", "h=2", "hs#2", "ser-#4", "ser-h#3", "ser-s#3",
        "ser-h=3", "ser-=4",
    ];
    for (fen, stipulations) in SOLVED {
        for stipulation in *stipulations {
            check(fen, stipulation).expect("a legal position");
        }
    }
    for men in ["KkQr", "KkRPp", "KkBNp", "KkRq", "KkPPpp", "KkBBp", "KkNNp"] {
        for fen in random_positions(12, men) {
            for stipulation in stipulations {
                check(&fen, stipulation).expect("a legal position");
            }
        }
    }
}

/// Every line of a collection: the position and its operations.
fn collection(text: &str) -> impl Iterator<Item = (Position, Operations)> + '_ {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let at = line.match_indices(' ').nth(3).expect("four fields").0;
        (line[..at].parse().expect("a position"), Operations::parse(&line[at..]))
    })
}

/// The problems of the corpus have exactly the solutions that are stated, and each of their twins.
fn hold_corpus(wanted: impl Fn(&Position, &Bounded) -> bool) -> usize {
    let mut count = 0;
    for (position, operations) in collection(include_str!("../positions/problems.epd")) {
        let asked = bounded(&operations.operands("stip").unwrap().concat());
        if !wanted(&position, &asked) {
            continue;
        }
        let mut wishes = Wishes::default();
        wishes.intended = operations.operands("sols").map_or(1, |n| n.concat().parse().unwrap());
        let mut positions = vec![position];
        for (_, words) in operations.iter().filter(|(opcode, _)| *opcode == "twin") {
            let mut diagram = Diagram::from(&position);
            diagram.edit(&words.join(" ").parse::<Edit>().unwrap()).unwrap();
            positions.push(diagram.position(position.side_to_move(), None).unwrap());
        }
        for position in positions {
            let found = solve(&position, &asked, &wishes, Limits::default());
            let name = operations.id().unwrap();
            assert!(matches!(found.status(), Status::Sound | Status::Dual), "{position} {name}");
            assert!(!found.more && found.stop.is_none());
            count += 1;
        }
    }
    count
}

#[test]
fn small_problems_of_the_corpus_have_their_solutions() {
    let small = |position: &Position, asked: &Bounded| position.men() <= 7 && asked.moves <= 3;
    assert!(hold_corpus(small) >= 4);
}

#[test]
#[ignore = "224 diagrams: some minutes of one core in release"]
fn all_problems_of_the_corpus_have_their_solutions() {
    assert_eq!(hold_corpus(|_, _| true), 224);
}

/// Keys of direct mates are the moves that the proof search finds to mate in time.
fn hold_keys(text: &str, plies: u16, count: usize) {
    for (position, _) in collection(text).take(count) {
        let board = position.board();
        let budget = Budget::default();
        let mut pursuit = Pursuit::new(&SearchOptions::default(), &budget);
        let (mating, _) = pursuit.mating_moves(&board, plies, &budget).expect("no limit");
        let wanted: BTreeSet<String> = mating.iter().map(|m| m.to_string()).collect();
        let mut wishes = Wishes::default();
        wishes.variations = false;
        let asked = bounded(&format!("#{}", plies.div_ceil(2)));
        let found = solve(&position, &asked, &wishes, &budget);
        let keys = found.solutions.iter().map(|s| s.play.as_ref().unwrap().ply.uci.clone());
        assert_eq!(keys.collect::<BTreeSet<_>>(), wanted, "{position}");
    }
}

#[test]
fn keys_are_those_of_the_proof_search() {
    hold_keys(include_str!("../positions/mates_in_2.epd"), 3, 12);
}

#[test]
#[ignore = "200 mates in two and 20 mates in three: a minute in release"]
fn keys_are_those_of_the_proof_search_at_length() {
    hold_keys(include_str!("../positions/mates_in_2.epd"), 3, 200);
    hold_keys(include_str!("../positions/mates.epd"), 5, 20);
}

/// The first move with its threats and what answers each defence, in one line.
fn told(fen: &str, stipulation: &str) -> String {
    let found = solved(fen, stipulation, &wishes());
    let list = |attacks: &[Attack]| {
        attacks.iter().map(|a| a.ply.san.clone()).collect::<Vec<_>>().join("/")
    };
    let mut words = Vec::new();
    for solution in &found.solutions {
        words.extend(solution.line.iter().map(|ply| ply.san.clone()));
        let Some(key) = &solution.play else { continue };
        words.push(format!("{}! [{}]", key.ply.san, list(&key.threats)));
        for variation in &key.variations {
            let defences: Vec<&str> = variation.defences.iter().map(|d| d.san.as_str()).collect();
            words.push(format!("{}:{}", defences.join(","), list(&variation.answers)));
        }
    }
    words.join(" ")
}

/// What Popeye 4.87 prints of these, as tests of a diagram editor quote it; its notation is put into
/// ours. (More of its solutions: `popeye.rs`.)
#[test]
fn popeye_prints_the_same() {
    for (fen, stipulation, printed) in [
        (
            "3N1n2/K2b1Rn1/1Q6/p2k1q2/2p1pP2/2r1r3/3P4/3N4 w - -",
            "#2",
            "d4! [Qc5#] Nge6:Rxf5# Nfe6:Rxd7# cxd3:Nxe3# exd3:Nxc3#",
        ),
        (
            "r3k3/ppp1p2p/Nb2p3/P1PP2Pp/4N3/7B/3PPRP1/4K2R w Kq -",
            "#3",
            "Rhf1! [Rf8+/Bxe6] Kd7:Bxe6+ O-O-O:Bxe6+ Bxa5:Rf8+ Bxc5:Rf8+",
        ),
        ("3bk2r/7p/8/4P3/8/B7/4K3/8 b k -", "h#3", "Bf6 Bb2 O-O exf6 Kh8 f7#"),
        ("3bk2r/7p/8/4P3/8/B7/4K3/8 w k -", "h#3", "Kf3 Rf8+ Kg4 Rf4+ Kh5 Rh4#"),
        ("8/n7/8/1p6/3b4/4k3/N7/R3K3 b Q -", "h#3", "Nc8 Nc3 Nd6 Ra3 Ne4 Nd5#"),
        ("8/n7/8/1p6/3b4/4k3/N7/R3K3 w Q -", "h#3", "O-O-O b4 Kb1 Nb5 Rc1 Na3#"),
        ("8/8/6N1/8/6pp/6k1/4K1B1/7R b - -", "h#2", "h3 Nf4 hxg2 Nh5#"),
        ("8/8/6N1/8/6pp/6k1/6B1/4K2R w K -", "s#2", "O-O! [] h3:Bh1"),
        ("rnbqkbnr/ppppppp1/8/8/8/8/PPPP1PPP/RNB1KBNR w KQkq -", "h#1.5", "Bd3 f6 Bg6#"),
    ] {
        assert_eq!(told(fen, stipulation), printed, "{fen} {stipulation}");
    }
}
