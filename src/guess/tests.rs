//! A win by a guess is a win: plans become certificates that `verify` accepts, and no guess wins
//! what tables call a draw.

use super::guesses::{Found, Guesses};
use super::hunt::{Hunt, Spell};
use super::levels::plan;
use super::listing::{End, Listing, Quest};
use super::restriction::{ANY, Kinds, Restriction};
use crate::certificate::Certificate;
use crate::chess::board::{Board, Role, Square};
use crate::chess::{Side, Value};
use crate::limits::{Budget, Limits};
use crate::search::{Aside, AsideTurn, LeafTables};
use crate::tables::{Material, Tables};
use crate::verify;
use std::sync::Arc;

fn little(positions: u64) -> Budget {
    Budget::new(Limits::default().with_positions(positions).with_threads(1))
}

/// Has a certificate checked.
fn accept(certificate: &Certificate) {
    let accepted = verify(certificate).expect("accepted");
    assert_eq!(accepted.claim, certificate.claim);
}

/// Each guess that is tried first, alone: it learns nothing, and what one wins is certified.
#[test]
fn a_guess_alone_has_no_other_beside_it() {
    let root = Board::from_fen("8/8/7P/8/pp6/kp6/1p6/1Kb5 w - -").unwrap();
    let (mut names, mut wins) = (Vec::new(), 0);
    for (name, hunt) in Hunt::alone(&root, Side::White) {
        let spell = hunt.work(5_000, 1, &little(1_000_000));
        assert_eq!(hunt.tried(), 1, "{name}");
        names.push(name);
        let Spell::Won(plan) = spell else { continue };
        let found = Found { side: Side::White, plan: *plan };
        let (strategy, plies) = found.strategy(&root, &Budget::default()).expect("a plan wins");
        accept(&Certificate::of_win(strategy, plies));
        assert!(plies >= 13, "{name}");
        wins += 1;
    }
    assert!(0 < wins && wins < names.len(), "{wins} of {names:?}");
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "{names:?}");
}

/// The plies of a certified win by a guess, after so many positions at most.
fn won(fen: &str, positions: u64) -> Option<u32> {
    let root = Board::from_fen(fen).unwrap();
    let guesses = Guesses::new(&root, [true; 2], [false; 2]);
    guesses.run(1, &little(positions));
    guesses.shorten_all(1, &little(positions));
    let found = guesses.take()?;
    let (strategy, plies) = found.strategy(&root, &Budget::default()).expect("a plan wins");
    assert!(plies <= u32::from(found.plan.plies()), "{fen}");
    accept(&Certificate::of_win(strategy, plies));
    Some(plies)
}

#[test]
fn long_mates_are_won_and_certified() {
    // Problems with few mobile men, from the public collection that comes with matetb (A. Pliss).
    for (fen, moves) in [
        ("8/8/7P/8/pp6/kp6/1p6/1Kb5 w - -", 7),
        ("8/8/1p6/1p6/1p6/1p6/pppbK3/rbk3N1 w - -", 13),
        ("8/7p/8/8/NK6/1B1N4/2rpn1pp/2bk1brq w - -", 27),
        ("8/1p2k3/8/8/5Q2/8/ppp1p3/qrrbK3 w - -", 50),
    ] {
        let plies = won(fen, 200_000).expect(fen);
        assert!((2 * moves - 1..5 * moves).contains(&plies), "{fen}: {plies}");
    }
}

#[test]
fn walks_that_leave_nothing_but_mates_in_one_win() {
    // The king walks until the defender's pawns are blocked; any other reply than the bishop's is answered
    // by mate. A mate in 27 and one in 87 from the same collection.
    let men = ["d1", "f1", "g1", "h1", "c2", "e2"].map(|square| square.parse::<Square>().unwrap());
    let rules = Restriction {
        movers: Kinds::only(Role::King),
        jail: men.iter().fold(0, |set, &square| set | 1 << square as u32),
        exits: ANY,
        exit_search: 0,
        ..Restriction::NONE
    };
    for (fen, most) in [
        ("8/7p/8/8/NK6/1B1N4/2rpn1pp/2bk1brq w - -", 57),
        ("8/5ppp/5p2/8/NK6/1B1N4/2rpn1pp/2bk1brq w - -", 2 * 87 - 1),
    ] {
        let root = Board::from_fen(fen).unwrap();
        let mut listing = Listing::new(&root, Side::White, Quest::Mate, rules);
        assert_eq!(listing.run(400_000, &Budget::default(), 0), End::Won, "{fen}");
        let found = Found { side: Side::White, plan: plan(&listing).expect(fen) };
        let (strategy, plies) = found.strategy(&root, &Budget::default()).expect("a plan wins");
        assert!(plies <= most, "{fen}: {plies}");
        accept(&Certificate::of_win(strategy, plies));
        assert!(found.plan.renounced().ends_with("replies that allow mate in one"), "{fen}");
    }
}

#[test]
fn black_wins_by_guesses_too_and_whoever_is_to_move() {
    // The first problem above with colours exchanged; then after a first move.
    assert!(won("1kB5/1P6/KP6/PP6/8/7p/8/8 b - -", 200_000).is_some());
    assert!(won("2Q5/k7/8/8/8/8/1pp1p3/brrbK3 b - -", 200_000).is_some());
}

#[test]
fn no_guess_wins_what_tables_call_a_draw() {
    let tables = Tables::in_memory();
    let (mut wins, mut draws) = (0, 0);
    for name in ["KQvK", "KRvK", "KPvKP"] {
        let material: Material = name.parse().unwrap();
        tables.ensure(material, &Budget::default()).unwrap();
        // Short mates, which guesses of so few positions can find, and draws, which none may win.
        let valued = Tables::sample(material, 7).map(|root| {
            let truth = tables.probe(&root).unwrap().unwrap();
            (root, truth)
        });
        let within_reach = |truth: &Value| !matches!(truth, Value::Wins(_, plies) if *plies > 7);
        for (root, truth) in valued.filter(|(_, truth)| within_reach(truth)).take(5) {
            let guesses = Guesses::new(&root, [true; 2], [false; 2]);
            guesses.run(1, &little(15_000));
            let Some(found) = guesses.take() else {
                draws += usize::from(truth == Value::Draw);
                continue;
            };
            let Value::Wins(side, plies) = truth else {
                panic!("{root:?} is a draw, {} does not win", found.side)
            };
            assert_eq!(side, found.side, "{root:?}");
            assert!(u32::from(found.plan.plies()) >= plies, "{root:?}");
            found.strategy(&root, &Budget::default()).expect("a plan wins");
            wins += 1;
        }
    }
    assert!(wins > 0 && draws > 0, "{wins} wins, {draws} draws");
}

#[test]
fn a_budget_ends_the_hunt() {
    let root = Board::from_fen("8/8/8/1p6/6k1/1p2Q3/p1p1p3/rbrbK3 w - -").unwrap();
    let guesses = Guesses::new(&root, [true, false], [false; 2]);
    let none = little(0);
    assert_eq!(guesses.turn(1_000, 1, &none), AsideTurn { visited: 0, open: false });
    assert_eq!(guesses.listed(), 0);
    let tight = Budget::new(Limits::default().with_memory(1 << 16));
    guesses.turn(20_000, 1, &tight);
    assert!(guesses.listed() > 0);
}

#[test]
fn several_threads_list_what_one_lists() {
    // A mate in 30 and one in 36 from the same collection: found by which guess, after how much.
    for fen in
        ["4k3/3p4/5Q2/8/8/1p1p4/pp1p4/rrbK4 w - -", "8/8/8/1p6/6k1/1p2Q3/p1p1p3/rbrbK3 w - -"]
    {
        let root = Board::from_fen(fen).unwrap();
        let run = |threads: usize| {
            let guesses = Guesses::new(&root, [true; 2], [false; 2]);
            guesses.run(threads, &little(200_000));
            guesses.shorten_all(threads, &little(50_000));
            let (tried, listed) = (guesses.tried(), guesses.listed());
            let found = guesses.take().expect(fen);
            (tried, listed, found.plan.plies(), found.plan.renounced())
        };
        let alone = run(1);
        for threads in [2, 3] {
            assert_eq!(run(threads), alone, "{fen}");
        }
    }
}

#[test]
fn a_win_that_another_method_has_found_is_made_shorter() {
    // A mate in 16 from the same collection, of which a longer win is known.
    let root = Board::from_fen("2Q5/k7/8/8/8/8/1pp1p3/brrbK3 w - -").unwrap();
    let guesses = Guesses::new(&root, [true; 2], [false; 2]);
    let (mut plies, mut turn) = (51, 1_000);
    while guesses.shorten(Side::White, plies, turn, 1, &little(400_000)).open {
        plies = guesses.won().map_or(plies, |(side, plies)| {
            assert_eq!(side, Side::White);
            plies
        });
        turn *= 2;
    }
    assert_eq!(plies, 31);
    let found = guesses.take().expect("a shorter win");
    let (strategy, plies) = found.strategy(&root, &Budget::default()).expect("a plan wins");
    assert!(plies <= 31);
    accept(&Certificate::of_win(strategy, plies));
    // Nothing is shorter than a mate in one move, and no guess says so.
    let (mated, mate) = (Board::from_fen("6k1/5ppp/8/8/8/8/8/R6K w - -").unwrap(), 1);
    let guesses = Guesses::new(&mated, [true; 2], [false; 2]);
    guesses.shorten(Side::White, mate, 1_000, 1, &little(1_000));
    assert_eq!(guesses.won(), None);
}

#[test]
fn a_longer_win_is_kept_behind_a_shorter_one() {
    // matetb's mate in 36, which comes down in steps: each of its plans is a strategy.
    let root = Board::from_fen("8/8/8/1p6/6k1/1p2Q3/p1p1p3/rbrbK3 w - -").unwrap();
    let guesses = Guesses::new(&root, [true; 2], [false; 2]);
    guesses.run(1, &little(600_000));
    let (_, first) = guesses.won().expect("a win");
    guesses.shorten_all(1, &little(600_000));
    let shortest = guesses.take().expect("the shortest win");
    assert!(shortest.plan.plies() < first);
    let (mut last, mut kept) = (shortest, 0);
    while let Some(found) = guesses.take() {
        assert!(found.plan.plies() > last.plan.plies());
        let (strategy, plies) = found.strategy(&root, &Budget::default()).expect("a plan wins");
        assert!(plies <= u32::from(found.plan.plies()));
        accept(&Certificate::of_win(strategy, plies));
        (last, kept) = (found, kept + 1);
    }
    assert_eq!((kept > 0, last.plan.plies()), (true, first));
}

#[test]
fn a_win_is_made_shorter_by_other_guesses_too() {
    // From the collection that comes with matetb: a mate in 36.
    let fen = "8/8/8/1p6/6k1/1p2Q3/p1p1p3/rbrbK3 w - -";
    assert_eq!(won(fen, 600_000), Some(71));
}

/// The certificate of the first hold by a guess, accepted.
fn held(guesses: &Guesses, root: &Board, holder: Side, budget: &Budget) -> Option<Certificate> {
    while guesses.turn(10_000, 1, budget).open {}
    let fortress = guesses.fortresses()[holder as usize].clone()?;
    assert_eq!(fortress.holder(), holder);
    let strategy = fortress.strategy(root, &Budget::default()).expect("a closed set");
    let certificate = Certificate::of_hold(strategy);
    accept(&certificate);
    Some(certificate)
}

#[test]
fn tables_end_what_a_holder_lists() {
    let tables = LeafTables::new(Arc::new(Tables::in_memory()), 4);
    for (fen, holder, most) in [
        // The corner that the bishop does not guard; a rook that wants to be taken.
        ("7k/7p/7P/8/8/3B1K2/7P/8 b - -", Side::Black, 400_000),
        ("8/7p/8/8/8/pk5R/p7/K7 b - -", Side::White, 10_000),
    ] {
        let root = Board::from_fen(fen).unwrap();
        let mut holds = [false; 2];
        holds[holder as usize] = true;
        let guesses = Guesses::new(&root, [false; 2], holds).ended_by(&tables);
        assert!(held(&guesses, &root, holder, &little(most)).is_some(), "{fen}");
    }
}

#[test]
fn fortresses_are_held_and_certified() {
    for (fen, holder, most) in [
        // A wall of pawns against two rooks; Penrose's puzzle (The Telegraph, 14 March 2017);
        // perpetual check.
        ("r3k2r/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -", Side::White, 400_000),
        ("8/p7/kpP5/qrp1b3/rpP2b2/pP4b1/P3K3/8 w - -", Side::White, 400_000),
        ("r4rk1/5p1p/8/4Q3/8/q7/q4PPP/6K1 w - -", Side::White, 20_000),
    ] {
        let root = Board::from_fen(fen).unwrap();
        let own = usize::from(holder == Side::Black);
        let mut holds = [false; 2];
        holds[own] = true;
        let guesses = Guesses::new(&root, [false; 2], holds);
        assert!(held(&guesses, &root, holder, &little(most)).is_some(), "{fen}");
    }
}

#[test]
fn no_guess_holds_what_tables_call_lost() {
    let tables = Arc::new(Tables::in_memory());
    let leaves = LeafTables::new(Arc::clone(&tables), 3);
    let (mut held, mut lost) = (0, 0);
    for name in ["KRvKP", "KPvKP", "KRvKB"] {
        let material: Material = name.parse().unwrap();
        tables.ensure(material, &Budget::default()).unwrap();
        for root in Tables::sample(material, 5).take(5) {
            let truth = tables.probe(&root).unwrap().unwrap();
            // Alone, and told by the tables of three men.
            let alone = Guesses::new(&root, [false; 2], [true; 2]);
            let told = Guesses::new(&root, [false; 2], [true; 2]).ended_by(&leaves);
            let budget = little(4_000);
            for guesses in [&alone, &told] {
                while guesses.turn(2_000, 1, &budget).open {}
            }
            let fortresses = [alone.fortresses(), told.fortresses()];
            for fortress in fortresses.into_iter().flatten().flatten() {
                let lost = |side| matches!(truth, Value::Wins(winner, _) if winner != side);
                let is_lost = lost(fortress.holder());
                assert!(!is_lost, "{root:?} is {truth:?}, {} does not hold", fortress.holder());
                fortress.strategy(&root, &Budget::default()).expect("a closed set");
                held += 1;
            }
            lost += usize::from(truth != Value::Draw);
        }
    }
    assert!(held > 2 && lost > 2, "{held} held, {lost} lost");
}
