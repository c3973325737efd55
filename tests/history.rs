//! Repetitions and transpositions (the graph-history interaction problem): what proof search says
//! never contradicts the truth, be its table ever so small. The truth is in tables, or in a
//! fixpoint over the whole graph.

use pretty_assertions::assert_eq;
use std::collections::HashMap;
use theta_chess::certificate::{Certificate, Claim};
use theta_chess::chess::Value;
use theta_chess::chess::board::{Board, BySide as _, MoveList, Position, Square};
use theta_chess::chess::{Packed, Profile, Side, parse_fen};
use theta_chess::game::Game;
use theta_chess::limits::{Budget, Limits};
use theta_chess::search::{Options, Outcome, Task, achieve, no_probe, solve};
use theta_chess::tables::{Material, Tables};
use theta_chess::verify::verify;

/// Tables of bounds: one that forgets nearly everything, one that forgets little.
const BYTES: [u64; 2] = [1 << 16, 1 << 24];

fn positions(n: u64) -> Budget {
    Budget::new(Limits::default().with_positions(n).with_threads(1))
}

fn verified(certificate: &Certificate) -> bool {
    let mut file = Vec::new();
    certificate.write(&mut file).unwrap();
    verify(&file[..], &mut |_| true).is_ok_and(|v| v.is_some_and(|v| v.claim == certificate.claim))
}

/// What is wrong with an answer.
fn contradiction(root: &Board, outcome: &Outcome, truth: Value) -> Option<String> {
    let winner = truth.outcome().winner();
    let shortest = truth.plies().unwrap_or(0) as u16;
    if let Some(win) = &outcome.win {
        if Some(win.side) != winner {
            return Some(format!("{} wins", win.side));
        }
        if win.plies < shortest || win.shortest && win.plies != shortest {
            return Some(format!("wins in {} plies, the shortest: {}", win.plies, win.shortest));
        }
        let Ok((strategy, plies)) = win.strategy(root, &no_probe, &Budget::default()) else {
            return Some("no strategy".into());
        };
        if plies > win.plies.into() || !verified(&Certificate::of_win(strategy, plies)) {
            return Some(format!("a certificate of {plies} plies"));
        }
    }
    for (i, side) in [Side::White, Side::Black].into_iter().enumerate() {
        if winner == Some(side.other()) && outcome.safe[i] {
            return Some(format!("{side} is safe"));
        }
        if winner == Some(side) && outcome.at_least[i] > shortest {
            return Some(format!("{side} needs at least {} plies", outcome.at_least[i]));
        }
        if let Some(region) = &outcome.holds[i] {
            let held = region.strategy(root, &no_probe, &Budget::default());
            if !held.is_ok_and(|strategy| verified(&Certificate::of_hold(strategy))) {
                return Some(format!("{side}'s region"));
            }
        }
    }
    None
}

/// Searches random positions without tables and holds the answers against the tables. Returns how
/// many were decided.
fn against_tables(materials: &[Material], each: usize, budget: u64, seed: u64) -> usize {
    let tables = Tables::in_memory();
    let (mut wrong, mut decided) = (Vec::new(), 0);
    for (n, &material) in materials.iter().enumerate() {
        for (k, root) in Tables::sample(material, seed + n as u64).take(each).enumerate() {
            let truth = tables.value(&root, &Budget::default()).unwrap().unwrap();
            let options = Options {
                table_bytes: BYTES[k % 2],
                shorten: std::time::Duration::MAX,
                ..Options::default()
            };
            let outcome = solve(&root, &options, &no_probe, &positions(budget));
            decided += usize::from(outcome.is_decided());
            wrong.extend(
                contradiction(&root, &outcome, truth)
                    .map(|what| format!("{root:?}: {what}, in truth {truth:?}")),
            );
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    decided
}

#[test]
fn search_never_contradicts_the_tables_it_is_not_shown() {
    let four = ["KRvKN", "KQvKQ", "KBNvK", "KBvKP"].map(|text| text.parse().unwrap());
    let materials = [Material::all(3), four.to_vec()].concat();
    let decided = against_tables(&materials, 30, 4000, 1);
    assert!(decided > 4, "{decided}");
}

#[test]
#[ignore = "thousands of positions of all 35 signatures, 3 minutes in the dev profile"]
fn search_never_contradicts_the_tables_at_length() {
    let materials = [Material::all(3), Material::all(4)].concat();
    let decided = against_tables(&materials, 200, 40_000, 7);
    assert!(decided > 1000, "{decided}");
}

type Moves<'a> = &'a dyn Fn(&Board) -> MoveList;

/// Plies until `goal` with best play by a side that may use `moves`, for every position of a graph
/// where it can force it: the least fixpoint, computed round by round.
fn truth(
    game: &Game,
    side: Side,
    goal: &dyn Fn(&Board) -> bool,
    moves: &dyn Fn(&Board) -> MoveList,
) -> Vec<Option<u16>> {
    let boards: Vec<Board> =
        (0..game.len()).map(|id| Board::from_packed(&game.position(id)).unwrap()).collect();
    let ids: HashMap<Packed, usize> =
        boards.iter().enumerate().map(|(id, b)| (b.packed(), id)).collect();
    let list = |b: &Board| if b.side_to_move() == side { moves(b) } else { b.legal_moves() };
    let next: Vec<Vec<usize>> = boards
        .iter()
        .map(|b| list(b).into_iter().map(|m| ids[&b.after(m).packed()]).collect())
        .collect();
    let mut plies: Vec<Option<u16>> = boards.iter().map(|b| goal(b).then_some(0)).collect();
    for round in 1.. {
        let reached = |id: &usize| plies[*id].is_some();
        let forced = |id: &usize| {
            let list = &next[*id];
            let mover = boards[*id].side_to_move() == side;
            if mover {
                list.iter().any(reached)
            } else {
                !list.is_empty() && list.iter().all(reached)
            }
        };
        let new: Vec<usize> =
            (0..boards.len()).filter(|id| plies[*id].is_none() && forced(id)).collect();
        if new.is_empty() {
            break;
        }
        new.into_iter().for_each(|id| plies[id] = Some(round));
    }
    plies
}

/// A king behind a wall wanders for ever: nearly every line repeats, and the way to a square
/// differs with the enemy king.
#[test]
fn aims_among_repetitions_agree_with_the_fixpoint() {
    let (mut reached, mut refuted) = (0, 0);
    for (fen, side) in [
        ("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -", Side::White),
        ("8/8/1k6/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/K7 b - -", Side::Black),
    ] {
        let game = Game::explore(
            &parse_fen(fen, Profile::Fide).unwrap(),
            Profile::Fide,
            &Budget::default(),
        )
        .unwrap();
        let root = Board::from_fen(fen).unwrap();
        let (us, them) = (side, side.other());
        for target in Square::ALL.into_iter().step_by(3) {
            let king_at = |b: &Board, side| b.chess().board().king(side).unwrap();
            // The king on its square while the other stands in its column: a matter of tempo.
            let goal =
                |b: &Board| king_at(b, us) == target && king_at(b, them).file() == target.file();
            // From dark squares the king may not step sideways, so that ways part and meet again.
            let ways = |b: &Board| {
                let king = king_at(b, us);
                let mut moves = b.legal_moves();
                moves.retain(|m| !king.is_dark() || m.to().rank() != king.rank());
                moves
            };
            let plain = |b: &Board| b.legal_moves();
            let task = Task::mate(side).with_goal(&goal);
            let cases: [(Task, Moves); 2] = [(task, &plain), (task.with_moves(&ways), &ways)];
            for (task, moves) in cases {
                let known = truth(&game, side, &goal, moves)[0];
                for table_bytes in BYTES {
                    let options = Options { table_bytes, ..Options::default() };
                    let outcome = achieve(&root, &task, &options, &positions(60_000));
                    let safe = outcome.safe[if side == Side::White { 1 } else { 0 }];
                    match (&outcome.win, known) {
                        (Some(win), Some(plies)) => {
                            assert!(
                                win.plies >= plies && (!win.shortest || win.plies == plies),
                                "{fen} {target}"
                            );
                            reached += 1;
                        }
                        (Some(win), None) => {
                            panic!("{fen} {target}: {} plies, in truth never", win.plies)
                        }
                        (None, Some(_)) => assert!(!safe, "{fen} {target}: refuted"),
                        (None, None) => refuted += usize::from(safe),
                    }
                    let lower = outcome.at_least[if side == Side::White { 0 } else { 1 }];
                    assert!(
                        known.is_none_or(|plies| plies >= lower),
                        "{fen} {target}: at least {lower}"
                    );
                }
            }
        }
    }
    assert!(reached > 5, "{reached} reached, {refuted} refuted");
}

/// White wins only by losing a move: Kd5–c4–d4–d5 comes back to the root's men with Black to move.
/// A search that takes the first return of a king for a failure, and keeps that, never finds it.
#[test]
fn triangulation_is_found_among_repetitions() {
    let tables = Tables::in_memory();
    let probe = |b: &Board| {
        let few = b.chess().board().occupied().count() <= 3;
        if few { tables.value(b, &Budget::default()).unwrap() } else { None }
    };
    let root = Board::from_fen("2k5/8/p1P5/P2K4/8/8/8/8 w - -").unwrap(); // Fahrni–Alapin, 1912
    for table_bytes in [1 << 16, 1 << 20] {
        let options =
            Options { table_bytes, shorten: std::time::Duration::ZERO, ..Options::default() };
        let outcome = solve(&root, &options, &probe, &positions(1_000_000));
        // What forgets nearly everything may find nothing; a wrong answer it does not give.
        let Some(win) = outcome.win else {
            assert!(
                table_bytes == 1 << 16 && !outcome.safe[1],
                "not found with {table_bytes} bytes"
            );
            continue;
        };
        let (strategy, plies) = win.strategy(&root, &probe, &Budget::default()).unwrap();
        let certificate = Certificate::of_win(strategy, plies);
        assert!(verified(&certificate) && matches!(certificate.claim, Claim::Wins(Side::White, _)));
    }
}
