//! `theta serve`: what it answers.

use crate::http::{Server, told};
use crate::json::faults;
use crate::program::{run, run_with};
use serde_json::{Value, json};
use std::path::Path;

const MATE: &str = "7k/8/5K2/8/8/8/6Q1/8 w - -";
const ROOK: &str = "8/8/8/8/8/1k6/7R/K7 b - -";
const WALL: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const RETI: &str = "7K/8/k1P5/7p/8/8/8/8 w - -";
/// A mate in seven (mt-059 of positions/mates.epd).
const QUEENS: &str = "5Q2/7k/q3K1p1/7p/4Q2P/5P2/8/8 w - -";
const GAME: &str = "[FEN \"7k/8/5K2/8/8/8/6Q1/8 w - - 0 1\"]\n\n1. Qa2 Kh7 2. Qg8+ *\n";

/// What differs from run to run.
const CHANGING: [&str; 5] = ["seconds", "peak_bytes", "positions", "states", "certificate"];

/// Asserts that an object has all fields that the program prints.
fn assert_has(told: &Value, printed: &Value) {
    for (name, value) in printed.as_object().unwrap() {
        if !CHANGING.contains(&name.as_str()) {
            assert_eq!(&told[name], value, "{name} of {told}");
        }
    }
}

#[test]
fn the_page_is_whole_and_may_run_nothing_else() {
    let server = Server::start();
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/serve/page");
    let mut names: Vec<String> = ["chessground.js", "chessground.css", "pieces.css"]
        .map(String::from)
        .into_iter()
        .chain(
            std::fs::read_dir(dir)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap()),
        )
        .filter(|name| name != "index.html" && !name.ends_with(".md"))
        .collect();
    names.sort();
    for name in names {
        let file = server.get(&format!("/page/{name}"));
        assert_eq!(file.status, 200, "{name}");
        let kind = file.header("content-type").unwrap();
        let wanted = match name.rsplit_once('.').unwrap().1 {
            "js" => "text/javascript",
            "css" => "text/css",
            _ => "image/svg+xml",
        };
        assert!(kind.starts_with(wanted), "{name}: {kind}");
    }
    for path in ["/page/../mod.rs", "/page/%2e%2e%2fmod.rs", "/page/none.js", "/etc/passwd", "/x"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn tablebase_clients_find_their_fields() {
    let server = Server::start();
    let found = server.get("/standard?fen=8/8/8/8/8/1k6/7R/K7_b_-_-_0_1").json();
    assert_eq!((&found["category"], &found["dtm"]), (&json!("loss"), &json!(-30)));
    assert_eq!(found["moves"][0]["san"], "Kc4");
    assert_eq!(
        (&found["moves"][0]["category"], &found["moves"][0]["dtm"]),
        (&json!("win"), &json!(29))
    );
    // Best first: the longest resistance.
    let plies: Vec<i64> =
        found["moves"].as_array().unwrap().iter().map(|m| m["dtm"].as_i64().unwrap()).collect();
    assert!(plies.is_sorted_by(|a, b| a >= b), "{plies:?}");
    let mate = server.get("/standard?fen=7k/8/5K2/8/8/8/6Q1/8%20w%20-%20-").json();
    let first = &mate["moves"][0];
    assert_eq!((&mate["category"], &mate["dtm"]), (&json!("win"), &json!(1)));
    assert_eq!((&first["san"], &first["checkmate"]), (&json!("Qg7#"), &json!(true)));
    assert_eq!((&first["category"], &first["dtm"]), (&json!("loss"), &Value::Null));
    // A queen given away comes last, but for nothing that loses.
    assert_eq!(mate["moves"].as_array().unwrap().last().unwrap()["category"], "draw");
    let stale = server.get("/standard?fen=7k/5Q2/6K1/8/8/8/8/8_b_-_-").json();
    assert_eq!((&stale["stalemate"], &stale["category"]), (&json!(true), &json!("draw")));
    let mated = server.get("/standard?fen=7k/6Q1/6K1/8/8/8/8/8_b_-_-").json();
    assert_eq!((&mated["checkmate"], &mated["category"]), (&json!(true), &json!("loss")));
    let bare = server.get("/standard?fen=4k3/8/8/8/8/8/8/4KN2_w_-_-").json();
    assert_eq!((&bare["insufficient_material"], &bare["dtm"]), (&json!(true), &json!(0)));
    // A capture and a pawn move begin the count anew, and castling rights are solved.
    let pawn = server.get("/standard?fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-").json();
    let zeroing = |uci: &str| {
        let moves = pawn["moves"].as_array().unwrap();
        moves.iter().find(|m| m["uci"] == uci).unwrap()["zeroing"].clone()
    };
    assert_eq!((zeroing("e2e4"), zeroing("e1d1")), (json!(true), json!(false)));
    let castling = server.get("/standard?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-").json();
    assert_eq!(castling["category"], "win");
}

#[test]
fn lines_of_best_play_end_in_mate_and_faults_are_said() {
    let server = Server::start();
    let line = server.get("/standard/mainline?fen=8/8/8/8/8/1k6/7R/K7_b_-_-").json();
    let moves = line["mainline"].as_array().unwrap();
    assert_eq!((moves.len(), &line["winner"]), (30, &json!("w")));
    assert!(moves.last().unwrap()["san"].as_str().unwrap().ends_with('#'));
    assert_eq!(
        server.get("/standard/mainline?fen=4k3/8/8/8/8/8/8/4KN2_w_-_-").json()["winner"],
        Value::Null
    );
    let far = server.get(&format!("/standard/mainline?fen={}", START.replace(' ', "_")));
    assert_eq!(far.status, 404);
    assert!(far.header("content-type").unwrap().starts_with("text/plain"));
    for wrong in ["", "?fen=", "?fen=8/8/8/8_w_-_-", "?fen=8/8/8/8/8/8/8/8_w_-_-", "?x=1"] {
        let answer = server.get(&format!("/standard{wrong}"));
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text());
    }
}

#[test]
fn distances_are_those_that_the_program_prints() {
    let server = Server::start();
    let printed = run(&["moves", "--json", ROOK]).json().remove(0);
    let found = server.get(&format!("/standard?fen={}", ROOK.replace(' ', "_"))).json();
    for row in printed["moves"].as_array().unwrap() {
        let same = found["moves"].as_array().unwrap().iter().find(|m| m["uci"] == row["uci"]);
        assert_eq!(same.unwrap()["dtm"], row["mate_plies"], "{row}");
    }
    assert_eq!(server.ask("moves", &json!({"fen": ROOK})), printed);
}

#[test]
fn a_verdict_is_told_with_its_certificate() {
    let server = Server::start();
    let job = server.begin("solve", &json!({"fen": ROOK}));
    let told = server.events(&job);
    let named = |name: &str| &told.iter().find(|(own, _)| own == name).unwrap().1;
    assert_eq!(told.last().unwrap(), &("end".to_string(), json!({"state": "done"})));
    let result = named("result");
    assert_has(result, &run(&["solve", "--json", ROOK]).json()[0]);
    assert_eq!(result["headline"], "Θ1: White wins, mate in 30 plies (15 moves)");
    let certificate = named("certificate");
    assert_eq!(certificate["verify"]["accepted"], true);
    let file = server.get(certificate["url"].as_str().unwrap());
    assert_eq!(file.body.len() as u64, certificate["bytes"].as_u64().unwrap());
    let checked = run_with(&["verify", "-"], &file.body);
    assert_eq!(checked.code, 0, "{}", checked.err);
    // Whoever comes later hears the same.
    assert_eq!(server.events(&job), told);
    let status = server.get(&format!("/api/v1/jobs/{job}")).json();
    assert_eq!((&status["state"], &status["result"]), (&json!("done"), result));
    // And whoever brings the certificate back gets it checked.
    let head = ["Content-Type: application/octet-stream"];
    let again = server.request("POST", "/api/v1/verify?wait=1", &head, &file.body).json();
    assert_eq!((&again["accepted"], &again["sides"]), (&json!(true), &json!(["white"])));
    let mut broken = file.body.clone();
    let middle = broken.len() / 2;
    broken[middle] ^= 1;
    let rejected = server.request("POST", "/api/v1/verify?wait=1", &head, &broken).json();
    assert_eq!(rejected["accepted"], false);
}

#[test]
fn what_is_proved_is_told_while_the_work_goes_on() {
    let server = Server::start();
    let asked = json!({"fen": QUEENS, "shortest": true, "positions": 400_000, "time": 60});
    let told = server.events(&server.begin("solve", &asked));
    let place = |name: &str| told.iter().position(|(own, _)| own == name);
    let (fact, result) = (place("proved").unwrap(), place("result").unwrap());
    assert!(fact < result, "{told:?}");
    let words = told[fact].1["text"].as_str().unwrap();
    assert!(words.starts_with("White wins, mate in "), "{words}");
    assert_eq!(told[result].1["value"], "white");
}

#[test]
fn a_strategy_is_walked_to_mate_and_written_in_every_form() {
    let server = Server::start();
    let job = server.begin("solve", &json!({"fen": ROOK}));
    server.events(&job);
    let at = |rest: &str| format!("/api/v1/jobs/{job}/{rest}");
    let (mut here, mut plies) = (server.get(&at("walk")).json(), 30);
    assert_eq!((&here["owner"], &here["play"]), (&json!("white"), &Value::Null));
    loop {
        assert_eq!(here["mate_plies"], plies, "{here}");
        let Some(reply) = here["replies"].as_array().unwrap().first() else { break };
        let fen = reply["fen"].as_str().unwrap().replace(' ', "_");
        plies = reply["mate_plies"].as_u64().unwrap();
        here = server.get(&at(&format!("walk?side=white&fen={fen}"))).json();
    }
    assert_eq!((&here["end"], plies), (&json!("mate"), 1));
    assert_eq!(server.get(&at("walk?side=black")).status, 404);
    assert_eq!(server.get(&at("walk?fen=4k3/8/8/8/8/8/8/4K2R_w_-_-")).status, 404);
    assert_eq!(server.get(&at("walk?fen=nonsense")).code(), "bad_fen");
    for (form, begins) in [
        ("pgn", "[Event"),
        ("svg", "<svg"),
        ("html", "<!DOCTYPE html>"),
        ("text", "8/8/8/8/8/1k6/7R/K7 b - -"),
        ("json", "{\"fen\""),
        ("dot", "digraph"),
    ] {
        let file = server.get(&at(&format!("export?format={form}&depth=3")));
        assert!(file.text().starts_with(begins), "{form}: {:.80}", file.text());
        assert!(file.header("content-disposition").unwrap().starts_with("attachment"), "{form}");
    }
    assert_eq!(server.get(&at("export?format=exe")).status, 400);
}

#[test]
fn both_sides_of_a_draw_have_their_walk() {
    let server = Server::start();
    let found = server.ask("strategy", &json!({"fen": WALL, "limit": 5}));
    let strategies = found["strategies"].as_array().unwrap();
    assert_eq!(strategies.len(), 2);
    assert_eq!(
        (&strategies[0]["formula"], &strategies[1]["formula"]),
        (&json!("hold2"), &json!("hold4"))
    );
    assert_eq!(strategies[0]["nodes"].as_array().unwrap().len(), 5);
    let job = server.begin("strategy", &json!({"fen": WALL}));
    server.events(&job);
    for side in ["white", "black"] {
        let here = server.get(&format!("/api/v1/jobs/{job}/walk?side={side}")).json();
        assert_eq!(here["owner"], side);
        assert_eq!((&here["mate_plies"], &here["end"]), (&Value::Null, &Value::Null));
        assert!(!here["replies"].as_array().unwrap().is_empty());
    }
}

#[test]
fn the_same_is_told_as_printed() {
    let server = Server::start();
    let proposed = server.ask("subgoals", &json!({"fen": RETI}));
    assert_has(&proposed, &run(&["subgoals", "--json", RETI]).json()[0]);
    let aim = "AF mate(black)";
    let checked = server.ask("check", &json!({"fen": MATE, "aim": aim, "rules": "white"}));
    assert_has(&checked, &run(&["check", "--json", MATE, aim, "--rules", "white"]).json()[0]);
    let ending = "8/4k3/8/8/4P3/4K3/8/8 w - -";
    assert_has(
        &server.ask("squares", &json!({"fen": ending})),
        &run(&["squares", "--json", ending]).json()[0],
    );
    let formula = "AG EF p & EG ~p";
    let decided = server.ask("sat", &json!({"formula": formula}));
    let printed = run_with(&["sat", "-", "--json"], formula).json().remove(0);
    assert_eq!(decided["satisfiable"], printed["satisfiable"]);
    let mated = "7k/6Q1/6K1/8/8/8/8/8 b - -";
    let text = server.ask("formula", &json!({"fen": mated, "theta": "1"}));
    let printed = run(&["formula", mated, "--theta", "1"]).out;
    assert_eq!(text["head"], printed.chars().take(4_000).collect::<String>());
    assert_eq!(
        (text["bytes"].as_u64(), &text["complete"]),
        (Some(printed.len() as u64), &json!(true))
    );
}

#[test]
fn a_game_is_told_position_by_position() {
    let server = Server::start();
    let told = server.events(&server.begin("game", &json!({"pgn": GAME})));
    let positions: Vec<&Value> =
        told.iter().filter(|(name, _)| name == "position").map(|(_, data)| data).collect();
    let input = run_with(&["solve", "--json", "--pgn", "-"], GAME).json();
    assert_eq!(positions.len(), input.len());
    for (told, printed) in positions.iter().zip(&input) {
        assert_has(told, printed);
    }
    let result = &told.iter().find(|(name, _)| name == "result").unwrap().1;
    assert_eq!((&result["changes"], &result["positions"]), (&json!([3]), &json!(4)));
    let listed = server.post("/api/v1/pgn", &json!({"pgn": "1. e4 e5 2. Ke3"})).json();
    assert_eq!(listed["positions"].as_array().unwrap().len(), 3);
    assert!(listed["fault"].as_str().unwrap().starts_with("2. Ke3 is not legal"));
    let many = "[White \"A\"]\n\n1. e4 *\n\n".repeat(10_000);
    let listed = server.post("/api/v1/pgn", &json!({"pgn": many, "game": 9_999})).json();
    assert_eq!((&listed["games"], &listed["game"]), (&json!(10_000), &json!(9_999)));
    assert_eq!(server.post("/api/v1/pgn", &json!({"pgn": "nothing"})).code(), "bad_pgn");
}

#[test]
fn a_contradiction_has_its_reason_and_a_model_its_truths() {
    let server = Server::start();
    let none = server.ask("sat", &json!({"formula": "AG p & EF ~p & q & EX r & AG (p -> q)"}));
    assert_eq!(none["reason"]["core"], json!(["AG p", "EF ~p"]));
    assert_eq!((&none["reason"]["minimal"], &none["model"]), (&json!(true), &Value::Null));
    let some = server.ask("sat", &json!({"formula": "p & EX ~p"}));
    let names: Vec<&str> =
        some["subformulas"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
    for state in some["model"]["states"].as_array().unwrap() {
        let holds = |name: &str| {
            let place = names.iter().position(|own| *own == name).unwrap();
            state["holds"].as_array().unwrap().contains(&json!(place))
        };
        assert_eq!(holds("p"), state["true"].as_array().unwrap().contains(&json!("p")));
        assert_ne!(holds("p"), holds("~p"));
    }
    let valid = server.ask("sat", &json!({"formula": "AG p -> p", "valid": true}));
    assert_eq!(valid["valid"], true);
}

/// A real answer of each kind.
fn answers(server: &Server) -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> = Vec::new();
    for (kind, body) in [
        ("solve", json!({"fen": ROOK})),
        ("solve", json!({"fen": START, "positions": 1_000})),
        ("moves", json!({"fen": START, "positions": 2_000})),
        ("strategy", json!({"fen": WALL, "limit": 3})),
        ("subgoals", json!({"fen": RETI, "horizon": 6})),
        ("explain", json!({"fen": "4k3/8/4K3/8/8/8/8/7R w - -"})),
        ("explain", json!({"fen": START, "positions": 1_000})),
        ("formula", json!({"fen": MATE, "theta": "2", "form": "sketch"})),
        ("check", json!({"fen": MATE, "aim": "EF stalemate"})),
        ("sat", json!({"formula": "p & ~p"})),
        ("sat", json!({"formula": "AG EX p"})),
        ("squares", json!({"fen": "8/4k3/8/8/4P3/4K3/8/8 w - -"})),
        ("game", json!({"pgn": GAME})),
    ] {
        all.push((format!("{kind}_result"), server.ask(kind, &body)));
    }
    let job = server.begin("solve", &json!({"fen": ROOK}));
    let told = server.events(&job);
    let event = |name: &str| told.iter().find(|(own, _)| own == name).unwrap().1.clone();
    all.push(("certificate_event".into(), event("certificate")));
    let file = server.get(&format!("/api/v1/jobs/{job}/certificate")).body;
    let head = ["Content-Type: application/octet-stream"];
    let verified = server.request("POST", "/api/v1/verify?wait=1", &head, &file);
    all.push(("verify_result".into(), verified.json()));
    for (name, path) in [
        ("status", format!("/api/v1/jobs/{job}")),
        ("walk", format!("/api/v1/jobs/{job}/walk")),
        ("info", "/api/v1/info".into()),
        ("position", "/api/v1/position?fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-".into()),
        ("standard", "/standard?fen=8/8/8/8/8/1k6/7R/K7_b_-_-".into()),
        ("mainline", "/standard/mainline?fen=8/8/8/8/8/1k6/7R/K7_b_-_-".into()),
        ("error", "/nowhere".into()),
    ] {
        all.push((name.into(), server.get(&path).json()));
    }
    all.push(("listing".into(), server.post("/api/v1/pgn", &json!({"pgn": GAME})).json()));
    all.push(("job".into(), server.post("/api/v1/sat", &json!({"formula": "p"})).json()));
    all
}

#[test]
fn answers_are_as_the_description_says() {
    let server = Server::start();
    let text = server.get("/api/v1/openapi.json").text();
    let description: Value = serde_json::from_str(&text).unwrap();
    let text = text.replace("#/components/schemas/", "#/$defs/");
    let described: Value = serde_json::from_str(&text).unwrap();
    let schema = json!({"$defs": described["components"]["schemas"]});
    for (name, answer) in answers(&server) {
        let rule = &schema["$defs"][&name];
        assert!(rule.is_object(), "`{name}` is not described");
        let found = faults(&schema, rule, &answer, &name);
        assert!(found.is_empty(), "{found:#?}\n{answer}");
    }
    let words = include_str!("../docs/api.md");
    for path in description["paths"].as_object().unwrap().keys() {
        let last = path.rsplit('/').next().unwrap();
        let told = path.contains('{') && last.ends_with('}') || words.contains(last);
        assert!(told || path == "/favicon.ico", "docs/api.md does not speak of {path}");
    }
    // Every address that is described is there, and no request has a field that is not.
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let path = path.replace("{id}", "none").replace("{name}", "none.js");
            let answer = server.request(&method.to_uppercase(), &path, &[], b"");
            assert_ne!(answer.status, 405, "{method} {path}");
        }
    }
    let wrong = server.post("/api/v1/solve", &json!({"fen": MATE, "speed": 3}));
    assert_eq!((wrong.status, wrong.code()), (400, "bad_request".into()));
}

#[test]
fn events_of_a_stream_are_read() {
    let text = ": still there\n\nid: 1\nevent: end\ndata: {\"state\":\"done\"}\n\n";
    assert_eq!(told(text), [("end".to_string(), json!({"state": "done"}))]);
}
