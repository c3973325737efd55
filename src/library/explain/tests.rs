use super::*;
use crate::chess::board::Board;
use crate::chess::{Side, Value, parse_move};
use crate::library::rules::{Collection, Rule, RuleBook, parse_rules};
use crate::limits::{Budget, Limits, StopReason};
use crate::pioneer::image::Horizon;
use crate::pioneer::propose::proposed_moves;
use crate::pioneer::search as pioneer;
use crate::tables::Tables;
use pretty_assertions::assert_eq;

const HOLD: Goal = Goal { owner: Side::White, wins: false };

fn tree(fen: &str, goal: Goal, men: usize, rules: &str) -> (Option<Tree>, u64) {
    let (tables, budget) = (Tables::in_memory(), Budget::default());
    let rules = if rules.is_empty() { Vec::new() } else { parse_rules(rules).unwrap() };
    let (book, failed) = RuleBook::prove(&tables, &rules, &budget).unwrap();
    assert_eq!(failed, Vec::<String>::new());
    let leaves = Leaves::new(&tables, &book, &[], men, &budget);
    let found = explain(&Board::from_fen(fen).unwrap(), goal, &leaves, None, &budget).unwrap();
    if let Some(tree) = &found.tree {
        assert_eq!(tree.fault(&leaves).unwrap(), None);
    }
    (found.tree, found.positions)
}

#[test]
fn a_mate_in_two_is_three_plies() {
    // 1.Kb6 Kb8 2.Rh8#: two moves of White's, one reply.
    let wins = Goal { owner: Side::White, wins: true };
    let (found, _) = tree("k7/8/2K5/8/8/8/8/7R w - -", wins, 2, "");
    let found = found.unwrap();
    assert_eq!(found.moves(), 3);
    assert_eq!(found.nodes.iter().filter(|n| n.kind == NodeKind::Leaf(Leaf::Mate)).count(), 1);
}

#[test]
fn a_table_cuts_where_it_is_allowed() {
    // The king takes the pawn, or the three-man table says it.
    let fen = "8/8/8/8/8/1k6/p7/K7 w - -";
    let (found, _) = tree(fen, HOLD, 3, "");
    assert_eq!(found.unwrap().moves(), 0);
    let (found, _) = tree("8/8/8/8/8/2k5/p7/1K6 w - -", HOLD, 2, "");
    assert_eq!(found.unwrap().moves(), 1, "Kxa2, and the bare king cannot win");
}

#[test]
fn rules_cut_and_are_cited_for_either_colour() {
    let rule = "rule rook material KRvK if white to move then white wins";
    let wins = Goal { owner: Side::Black, wins: true };
    let (found, _) = tree("7r/8/8/8/3k4/8/8/4K3 b - -", wins, 2, rule);
    let found = found.unwrap();
    assert_eq!(found.nodes.len(), 1);
    assert_eq!(
        found.nodes[0].kind,
        NodeKind::Leaf(Leaf::Rule { name: "rook".to_owned(), mirrored: true })
    );
}

#[test]
fn a_rule_that_is_not_proved_is_not_used() {
    let (tables, budget) = (Tables::in_memory(), Budget::default());
    let rules = parse_rules("rule wrong material KPvK if true then white wins").unwrap();
    let (book, failed) = RuleBook::prove(&tables, &rules, &budget).unwrap();
    assert_eq!(failed, ["wrong"]);
    let leaves = Leaves::new(&tables, &book, &[], 2, &budget);
    let board = Board::from_fen("8/8/8/8/8/2k5/2P5/K7 b - -").unwrap();
    let won = Goal { owner: Side::White, wins: true };
    let found = leaf::Look::Open;
    assert_eq!(leaves.look(&board, won).unwrap(), found, "neither the rule nor a table speaks");
}

#[test]
fn a_lost_cause_has_no_tree_and_a_limit_is_told() {
    let (tables, budget) = (Tables::in_memory(), Budget::default());
    let book = RuleBook::default();
    let leaves = Leaves::new(&tables, &book, &[], 3, &budget);
    let lost = Board::from_fen("8/8/8/8/8/1k6/7r/K7 w - -").unwrap();
    let found = explain(&lost, HOLD, &leaves, None, &budget).unwrap();
    assert_eq!((found.tree.is_none(), found.stop), (true, None));
    let few = Budget::new(Limits::default().with_positions(0));
    let open = Board::from_fen("7K/8/k1P5/7p/8/8/8/8 w - -").unwrap();
    let found = explain(&open, HOLD, &leaves, None, &few).unwrap();
    assert_eq!((found.tree.is_none(), found.stop), (true, Some(StopReason::Positions)));
}

/// The owner's moves of a tree, held against its zones.
fn all_in_zones(tree: &Tree, horizon: Horizon) -> bool {
    tree.nodes.iter().all(|node| {
        let NodeKind::Own(branch) = &node.kind else { return true };
        let board = Board::from_fen(&node.fen).unwrap();
        let m = board.find(parse_move(&branch.play).unwrap()).unwrap();
        proposed_moves(&board, tree.goal().owner, horizon).contains(&m)
    })
}

fn zone_tree(fen: &str, goal: Goal, men: usize, rules: &str, horizon: Horizon) -> Tree {
    let (tables, budget) = (Tables::in_memory(), Budget::default());
    let rules = if rules.is_empty() { Vec::new() } else { parse_rules(rules).unwrap() };
    let (book, failed) = RuleBook::prove(&tables, &rules, &budget).unwrap();
    assert_eq!(failed, Vec::<String>::new());
    let leaves = Leaves::new(&tables, &book, &[], men, &budget);
    let found =
        explain_in_zones(&Board::from_fen(fen).unwrap(), goal, &leaves, horizon, &budget).unwrap();
    let tree = found.tree.expect("a tree");
    assert_eq!(tree.fault(&leaves).unwrap(), None);
    assert!(all_in_zones(&tree, horizon));
    // Every leaf, whatever it cites, against the table of its material.
    for node in tree.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Leaf(_))) {
        let board = Board::from_fen(&node.fen).unwrap();
        let reached = match tables.value(&board, &budget).unwrap().expect("a table") {
            Value::Wins(side, _) => side == goal.owner,
            Value::Draw => !goal.wins,
        };
        assert!(reached, "{}", node.fen);
    }
    tree
}

#[test]
fn a_tree_in_the_zones() {
    // The skewer wins the queen; tables of three men end the lines.
    let wins = Goal { owner: Side::White, wins: true };
    let tree = zone_tree("8/8/8/q3k3/8/8/6K1/7R w - -", wins, 3, "", Horizon::new(4));
    let NodeKind::Own(first) = &tree.nodes[0].kind else { panic!("White moves") };
    assert_eq!(first.san, "Rh5+");
    let none = explain_in_zones(
        &Board::from_fen("8/8/8/q3k3/8/8/6K1/7R w - -").unwrap(),
        wins,
        &Leaves::new(&Tables::in_memory(), &RuleBook::default(), &[], 3, &Budget::default()),
        Horizon::new(0),
        &Budget::default(),
    );
    assert!(none.unwrap().tree.is_none(), "without a horizon there are no zones");
}

/// What a position of at most four men is worth to White, by the table of its material.
fn exact(tables: &Tables, board: &Board) -> i32 {
    let value = tables.value(board, &Budget::default()).unwrap().expect("a table");
    value.outcome().sign(Side::White)
}

/// Every line of a tree of White's, its last position held against the table.
fn check_leaves(found: &pioneer::Tree, at: usize, board: &Board, tables: &Tables) -> usize {
    let node = &found.nodes()[at];
    if let Some(end) = node.end {
        assert_eq!(end, pioneer::End::Known, "{:?}", board.vector());
        let truth = exact(tables, board);
        assert!(
            if node.value > 0 { truth > 0 } else { truth >= 0 },
            "{:?}: {}",
            board.vector(),
            node.value
        );
        return 1;
    }
    let after = |next: &usize| match found.nodes()[*next].step {
        pioneer::Step::Move(m) => board.after(m),
        pioneer::Step::Pause => board.passed().unwrap(),
    };
    node.replies.iter().map(|next| check_leaves(found, *next, &after(next), tables)).sum()
}

#[test]
fn retis_trees_are_of_human_size() {
    // Three-man tables and proved rules end the lines; PIONEER's tree had 54 moves.
    const RULES: [&str; 5] = [
        "pawn-runs",
        "far-pawn",
        "second-sufficient-moves-a-corrected",
        "second-sufficient-moves-b-corrected",
        "runs-alone-and-wins",
    ];
    let (tables, budget) = (Tables::in_memory(), Budget::default());
    let rules: Vec<Rule> = Collection::built_in()
        .rules
        .into_iter()
        .filter(|rule| RULES.contains(&rule.name.as_str()))
        .collect();
    let (book, failed) = RuleBook::prove(&tables, &rules, &budget).unwrap();
    assert_eq!((rules.len(), failed.len()), (RULES.len(), 0));
    let leaves = Leaves::new(&tables, &book, &[], 3, &budget);
    let root = Board::from_fen("7K/8/k1P5/7p/8/8/8/8 w - -").unwrap();

    // The search with zones: what it believes by the zones' replies, and what it proves by all of
    // them.
    for replies in [pioneer::Replies::Zones, pioneer::Replies::All] {
        let bounds = pioneer::Bounds { replies, ..pioneer::Bounds::of(Horizon::new(10)) };
        let found = pioneer::search(&root, bounds, &leaves, &budget);
        let [tree] = &found.trees[..] else { panic!("one group of zones: {found:?}") };
        assert!(tree.moves() <= 54, "{} moves", tree.moves());
        assert_eq!((found.stop, tree.nodes()[0].value), (None, 0));
        assert_eq!(tree.proves(&root, &leaves), replies == pioneer::Replies::All);
        assert!(check_leaves(tree, 0, &root, &tables) >= 20, "whole");
        let pioneer::Step::Move(first) = tree.line(0)[0] else { panic!("White moves") };
        assert_eq!(root.san(first), "Kg7");
    }

    // The smallest tree that can be found for a person, with White's moves free and within the
    // zones.
    let free = explain(&root, HOLD, &leaves, None, &budget).unwrap().tree.expect("a tree");
    let zones = explain_in_zones(&root, HOLD, &leaves, Horizon::new(10), &budget)
        .unwrap()
        .tree
        .expect("a tree");
    assert!(all_in_zones(&zones, Horizon::new(10)));
    for tree in [free, zones] {
        assert_eq!(tree.fault(&leaves).unwrap(), None);
        assert!(tree.moves() <= 54, "{} moves", tree.moves());
        let NodeKind::Own(first) = &tree.nodes[0].kind else { panic!("White moves") };
        assert_eq!(first.san, "Kg7");
        for node in tree.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Leaf(_))) {
            assert!(exact(&tables, &Board::from_fen(&node.fen).unwrap()) >= 0, "{}", node.fen);
        }
    }
}
