//! EPD operations, puzzles and games from elsewhere, whole and damaged.

use crate::program::{run, run_with};
use pretty_assertions::assert_eq;
use serde_json::Value;

const MATE: &str = "7k/8/5K2/8/8/8/6Q1/8 w - -";

#[test]
fn claims_of_an_epd_file_are_printed_with_the_names() {
    let input = format!(
        "{MATE} dm 1; bm Qg7; id \"one; and only\";\n{MATE} dm 2; am Qg7; id \"wrong\";\n\
         4k3/8/8/8/8/8/8/4K3 w - - ce 0; acd 20; id \"bare\";\n{MATE}\n"
    );
    let ran = run_with(&["solve", "-"], &input);
    assert_eq!(ran.code, 0);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].ends_with("\tone; and only: dm 1 agrees; bm Qg7 agrees"), "{}", lines[0]);
    assert!(lines[1].ends_with("\twrong: dm 2 DIFFERS; am Qg7 DIFFERS"), "{}", lines[1]);
    assert!(lines[2].ends_with("\tbare: ce 0 not decided"), "{}", lines[2]);
    assert!(lines[3].ends_with("\tQg7#"), "{}", lines[3]);
    assert!(
        ran.err.contains("claims of the lines: 2 agree, 2 differ, 1 not decided"),
        "{}",
        ran.err
    );
    let objects = run_with(&["solve", "--json", "-"], &input).json();
    assert_eq!(objects[2]["epd"]["operations"]["acd"], "20");
    assert_eq!(objects[1]["epd"]["claims"][0]["agrees"], false);
    assert!(objects[3].get("epd").is_none());
}

#[test]
fn mates_of_a_collection_are_as_long_as_it_says() {
    let lines =
        include_str!("../positions/mates_in_2.epd").lines().take(12).collect::<Vec<_>>().join("\n");
    let ran = run_with(&["solve", "--json", "-"], &lines);
    let objects = ran.json();
    assert_eq!((ran.code, objects.len()), (0, 11));
    for object in objects {
        let claims = object["epd"]["claims"].as_array().unwrap();
        assert_eq!(
            (&claims[0]["opcode"], &claims[0]["claimed"], &claims[0]["agrees"]),
            (&"dm".into(), &"2".into(), &true.into())
        );
    }
}

#[test]
fn puzzles_are_solved_after_the_opponents_move() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/positions/puzzles.csv");
    let objects = run(&["solve", "--json", "--puzzles", file]).json();
    let summary = |o: &Value| (o["value"].clone(), o["mate_plies"].clone(), o["epd"]["id"].clone());
    assert_eq!(summary(&objects[0]), ("white".into(), 3.into(), "00sHx".into()));
    assert_eq!(summary(&objects[1]), ("white".into(), 3.into(), "000hf".into()));
    for object in objects {
        assert_eq!(object["epd"]["claims"][0]["agrees"], true, "mateIn2");
        assert_eq!(object["epd"]["claims"][1]["agrees"], true, "the solution's first move");
    }
}

#[test]
fn bad_puzzles_are_reported_with_their_lines() {
    let input = "Moves,FEN,PuzzleId\nh8h7 g2g6,7k/8/5K2/8/8/8/6Q1/8 b - - 0 1,a\nnothing\n\
                 h8h6 g2g6,7k/8/5K2/8/8/8/6Q1/8 b - - 0 1,b\nh8h7 g2g7,8/8/8/8 b - -,c\nh8h7,7k/8/5K2/8/8/8/6Q1/8 b - - 0 1,d\n";
    let ran = run_with(&["solve", "--json", "--puzzles", "-"], input);
    assert_eq!((ran.code, ran.json().len()), (2, 1));
    for line in [
        "line 3: no FEN and Moves",
        "line 4: `h8h6` is not legal",
        "line 5: ",
        "line 6: the puzzle has no solution",
    ] {
        assert!(ran.err.contains(line), "{line} in {}", ran.err);
    }
}

fn game(head: &str, moves: &str) -> String {
    format!("[Event \"x\"]\n[White \"A\"]\n[Black \"B\"]\n{head}\n\n{moves}\n")
}

const FROM_MATE: &str = "[SetUp \"1\"]\n[FEN \"7k/8/5K2/8/8/8/6Q1/8 w - - 0 1\"]";

#[test]
fn a_blunder_is_where_the_value_changes() {
    // Qg6 stalemates; the game that mates has no change.
    let text = game(FROM_MATE, "1. Qg6 1/2-1/2")
        + &game(FROM_MATE, "1. Qa2 Kh7 2. Qh2+ (2. Qg8+) Kg8 3. Qg3+ Kh8 4. Qg7# 1-0");
    let objects = run_with(&["solve", "--pgn", "-", "--json"], &text).json();
    let changed: Vec<_> = objects.iter().filter(|o| o["changed"] == true).collect();
    assert_eq!(changed.len(), 1);
    assert_eq!((&changed[0]["game"], &changed[0]["played"]), (&1.into(), &"1. Qg6".into()));
    assert_eq!(objects.len(), 2 + 8);
    let plies: Vec<_> = objects[2..].iter().map(|o| o["mate_plies"].as_u64().unwrap()).collect();
    assert_eq!(plies.last(), Some(&0), "{plies:?}");
    let said = run_with(&["solve", "--pgn", "-"], &text).out;
    assert_eq!(said.matches("<- the value changed").count(), 1, "{said}");
}

#[test]
fn variations_a_thousand_deep_are_passed_over() {
    let depth = 1000;
    let nested = format!("1. Qa2 {}{} Kh7 2. Qg8+ *", "(1. Qb2 ".repeat(depth), ")".repeat(depth));
    let ran = run_with(&["solve", "--pgn", "-", "--json"], game(FROM_MATE, &nested));
    assert_eq!((ran.code, ran.json().len()), (0, 4), "{}", ran.err);
    // Left open, they swallow the rest of the game, and nothing breaks.
    let open = format!("1. Qa2 {} Kh7 2. Qg8+ *", "(1. Qb2 ".repeat(depth));
    let ran = run_with(&["solve", "--pgn", "-", "--json"], game(FROM_MATE, &open));
    assert!(matches!(ran.code, 0 | 2) && ran.json().len() >= 2, "{}", ran.err);
}

#[test]
fn a_games_faults_end_it_and_not_the_file() {
    let text = game(FROM_MATE, "1. Qa2 Kh7 2. Ke1 Kh6 *")
        + &game("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]", "1. e4 e5 *")
        + &game(FROM_MATE, "1. Qg7# 1-0");
    let ran = run_with(&["solve", "--pgn", "-", "--json"], &text);
    assert_eq!(ran.code, 2);
    let games: Vec<u64> = ran.json().iter().map(|o| o["game"].as_u64().unwrap()).collect();
    assert_eq!(games, [1, 1, 1, 3, 3]);
    assert!(
        ran.err.contains("game 1: 2. Ke1 is not legal") && ran.err.contains("game 2: FEN"),
        "{}",
        ran.err
    );
}

#[test]
fn a_puzzle_is_unique_or_its_duals_are_named() {
    // Black's queen has its checks next: only the mate wins.
    let ran = run(&["moves", "--unique", "--json", "k7/8/1K6/8/8/8/6q1/2R5 w - -"]);
    let only = &ran.json()[0];
    assert_eq!(
        (ran.code, &only["first_unique"], &only["unique"]),
        (0, &Value::Bool(true), &Value::Bool(true))
    );
    assert_eq!(
        only["line"],
        serde_json::json!([{"uci": "c1c8", "san": "Rc8#", "owner": true, "duals": [], "open": []}])
    );
    let ran = run(&["moves", "--unique", "--json", MATE]);
    let dual = &ran.json()[0];
    assert_eq!(
        (ran.code, &dual["first_unique"], &dual["unique"]),
        (1, &Value::Bool(false), &Value::Bool(false))
    );
    let duals: Vec<&str> =
        dual["line"][0]["duals"].as_array().unwrap().iter().map(|d| d.as_str().unwrap()).collect();
    assert!(
        duals.contains(&"Qa8+") && !duals.contains(&"Qg6"),
        "wins are duals, stalemate is none: {duals:?}"
    );
    // Each dual named keeps the value, and no other move does.
    let moves = &run(&["moves", "--json", MATE]).json()[0]["moves"];
    let winning = moves.as_array().unwrap().iter().filter(|m| m["value"] == "white").count();
    assert_eq!(winning, duals.len() + 1);
}

#[test]
fn the_shortest_mate_alone_may_be_unique() {
    // Of all the moves that win only one mates at once; in the second two mate in two.
    let shortest = ["moves", "--unique", "--shortest", "--json"];
    let first =
        |fen: &str| run(&[&shortest[..], &[fen]].concat()).json().remove(0)["line"][0].take();
    let one = first(MATE);
    assert_eq!(
        (&one["san"], &one["duals"], &one["open"]),
        (&"Qg7#".into(), &serde_json::json!([]), &serde_json::json!([]))
    );
    let two = first("7k/8/8/5K2/8/8/6Q1/8 w - -");
    assert_eq!((&two["san"], &two["duals"]), (&"Kg6".into(), &serde_json::json!(["Kf6"])));
    // The same where the search has proved the root alone: each move is searched.
    let puzzles =
        include_str!("../positions/puzzles.csv").lines().take(3).collect::<Vec<_>>().join("\n");
    let puzzle =
        run_with(&[&shortest[..], &["--puzzles", "-"]].concat(), &puzzles).json().remove(0);
    let line: Vec<&Value> =
        puzzle["line"].as_array().unwrap().iter().map(|step| &step["san"]).collect();
    assert_eq!(
        (&puzzle["unique"], line),
        (&Value::Bool(true), vec![&"Be6+".into(), &"Kd8".into(), &"Qf8#".into()])
    );
}
