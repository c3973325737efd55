//! Tests of the search of lines.

use super::*;
use crate::pioneer::search::experience::Unlearned;
use pretty_assertions::assert_eq;

fn find(fen: &str, horizon: u32) -> (Found, Vec<String>) {
    let board = Board::from_fen(fen).unwrap();
    let found = search(&board, Bounds::of(Horizon::new(horizon)), &Unlearned, &Budget::default());
    let mut names = Vec::new();
    let mut at = board;
    for step in found.lines.first().map_or(&[][..], |l| &l.steps) {
        let Step::Move(m) = step else {
            at = at.passed().unwrap();
            names.push("pause".to_string());
            continue;
        };
        names.push(at.san(*m));
        at.play(*m);
    }
    (found, names)
}

#[test]
fn wins_what_hangs_and_leaves_what_is_guarded() {
    let (found, line) = find("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", 4);
    assert_eq!((found.lines[0].gain, line[0].as_str()), (3, "Rxd5"));
    let (found, _) = find("4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1", 2);
    assert_eq!(found.lines[0].gain, 0);
}

#[test]
fn finds_mates_and_forks() {
    let (found, line) = find("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 4);
    assert!(found.lines[0].gain >= WIN);
    assert_eq!(line, ["Rd8#"]);
    let (found, line) = find("r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", 4);
    assert_eq!((found.lines[0].gain, line[0].as_str()), (5, "Nc7+"), "{line:?}");
}

#[test]
fn nothing_to_attack_nothing_found() {
    let (found, _) = find("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 6);
    assert!(found.lines.is_empty() && found.trees.is_empty() && found.stop.is_none());
    let (found, _) = find("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 0);
    assert!(found.lines.is_empty());
}

#[test]
fn a_side_saves_what_is_attacked() {
    let (found, line) = find("4k3/8/8/3p4/4N3/8/8/4K3 w - - 0 1", 2);
    assert!(found.lines[0].gain >= 0, "the knight is attacked and saved: {line:?}");
    assert!(line[0].starts_with('N'), "{line:?}");
}

#[test]
fn a_tree_with_every_reply_is_a_proof() {
    // 1.Qg8+ Rxg8 2.Nf7#.
    let board = Board::from_fen("r6k/6pp/7N/8/8/1Q6/8/7K w - - 0 1").unwrap();
    let bounds = Bounds { replies: Replies::All, ..Bounds::of(Horizon::new(4)) };
    let found = search(&board, bounds, &Unlearned, &Budget::default());
    assert!(found.lines[0].gain >= WIN, "{:?}", found.lines);
    assert!(found.trees[0].proves(&board, &Unlearned));
    // White does not win by force from here; what is only believed is no proof.
    let board = Board::from_fen("4k3/8/4p3/3n4/8/8/8/3RK3 w - - 0 1").unwrap();
    let found = search(&board, bounds, &Unlearned, &Budget::default());
    assert!(found.trees.iter().all(|tree| !tree.proves(&board, &Unlearned)));
}

#[test]
fn trees_are_bounded() {
    let board =
        Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .unwrap();
    let bounds = Bounds { made: 300, ..Bounds::of(Horizon::new(4)) };
    let found = search(&board, bounds, &Unlearned, &Budget::default());
    assert!(!found.lines.is_empty());
    assert!(found.made <= 300 * found.lines.len() as u64 + 64, "{}", found.made);
    for tree in &found.trees {
        let moves = tree.nodes()[1..].iter().filter(|node| node.step != Step::Pause).count();
        assert_eq!(moves as u64, tree.moves());
        assert!(tree.moves() <= found.made);
    }
}
