//! `theta serve`: whom it answers, and that nobody keeps it from answering others.

use crate::http::Server;
use crate::program::run;
use serde_json::json;
use std::io::{Read, Write};

const MATE: &str = "7k/8/5K2/8/8/8/6Q1/8 w - -";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

#[test]
fn other_sites_may_not_ask() {
    let server = Server::start();
    let info = |head: &[&str]| server.request("GET", "/api/v1/info", head, b"");
    for host in ["evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example"] {
        assert_eq!(info(&[&format!("Host: {host}")]).code(), "bad_host", "{host}");
    }
    assert_eq!(info(&["Host: localhost:9000"]).status, 200);
    let evil = info(&["Origin: http://evil.example"]);
    assert_eq!((evil.status, evil.code()), (403, "bad_origin".into()));
    assert_eq!(evil.header("access-control-allow-origin"), None);
    let own = format!("Origin: http://{}", server.address);
    assert_eq!(info(&[&own]).status, 200);
    // A form of another site has another type, and so it never gets as far as the engines.
    let body = json!({"fen": MATE}).to_string();
    let form =
        server.request("POST", "/api/v1/solve", &["Content-Type: text/plain"], body.as_bytes());
    assert_eq!((form.status, form.code()), (415, "bad_media".into()));
    assert_eq!(server.request("OPTIONS", "/api/v1/solve", &[], b"").status, 405);
    let open = Server::with(&["--cors", "https://chess.example", "--host", "chess.lan"]);
    let asked = open.request(
        "GET",
        "/api/v1/info",
        &["Host: chess.lan:9000", "Origin: https://chess.example"],
        b"",
    );
    assert_eq!(asked.header("access-control-allow-origin"), Some("https://chess.example"));
}

#[test]
fn faults_are_named() {
    let server = Server::start();
    let long = "8/".repeat(50_000);
    for fen in [
        "",
        "x",
        "8/8/8/8/8/8/8/8 w - -",
        "K7/8/8/8/8/8/8/8 w - -",
        "kK6/8/8/8/8/8/8/8 w - -",
        "9/8/8/8/8/8/8/kK6 w - -",
        "k6K/8/8/8/8/8/8/8 x - -",
        "k6K/8/8/8/8/8/8/8 w KQkq -",
        "k6K/8/8/8/8/8/8/8 w - e9",
        "k6K/8/8/8/8/8/8/7P w - -",
        "k6K/8/8/8/8/8/8/8 w - - -1 1",
        "k6K/8/8/8/8/8/8/8\u{0}w",
        "ключ",
        &long,
    ] {
        let answer = server.post("/api/v1/solve", &json!({"fen": fen}));
        assert_eq!((answer.status, answer.code()), (400, "bad_fen".into()), "{fen:.60}");
    }
    let bomb = {
        let names = (0..40).map(|k| format!("let a{} = a{k} & AX a{k}; ", k + 1));
        format!("let a0 = p & EX q; {} a40", names.collect::<String>())
    };
    let kept = server.ask("sat", &json!({"formula": bomb, "positions": 200}));
    assert!(kept["headline"].is_string());
    let deep = format!("{}p", "~".repeat(100_000));
    assert!(server.ask("sat", &json!({"formula": deep}))["headline"].is_string());
    let huge = "(".repeat(900_000);
    assert_eq!(server.post("/api/v1/sat", &json!({"formula": huge})).status, 413);
    assert_eq!(server.post("/api/v1/sat", &json!({"formula": "p &"})).code(), "bad_formula");
    assert_eq!(
        server.post("/api/v1/check", &json!({"fen": MATE, "aim": "mate("})).code(),
        "bad_aim"
    );
    let head = ["Content-Type: application/octet-stream"];
    assert_eq!(
        server.request("POST", "/api/v1/verify", &head, b"nothing").code(),
        "bad_certificate"
    );
    let large = vec![b'x'; (1 << 20) + 1];
    assert_eq!(server.request("POST", "/api/v1/verify", &head, &large).code(), "too_large");
    assert_eq!(server.post("/api/v1/none", &json!({})).code(), "not_found");
    assert_eq!(server.get("/api/v1/jobs/00000000000000000000000000000000").code(), "no_job");
    let json = ["Content-Type: application/json"];
    assert_eq!(server.request("POST", "/api/v1/solve", &json, b"{").code(), "bad_request");
    let time = json!({"fen": MATE, "time": -1.0});
    assert_eq!(server.post("/api/v1/solve", &time).code(), "bad_request");
    assert_eq!(server.get(&format!("/standard?fen={}", "x".repeat(4_000))).status, 413);
}

#[test]
fn broken_requests_leave_it_alive() {
    let mut server = Server::start();
    for bytes in [
        &b"\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x00\xff\xfe\x01\x02\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
        b"POST /api/v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
          Content-Length: -1\r\nConnection: close\r\n\r\n",
        b"POST /api/v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
          Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let back = String::from_utf8_lossy(&server.send(bytes)).into_owned();
        assert!(!back.contains("200 OK"), "{back}");
    }
    // Some who say nothing do not keep others waiting.
    let silent: Vec<_> = (0..50).map(|_| server.connect()).collect();
    let mut half = server.connect();
    half.write_all(
        b"POST /api/v1/solve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{",
    )
    .unwrap();
    assert_eq!(server.get("/api/v1/info").status, 200);
    drop((silent, half));
    assert!(server.is_alive());
}

/// How many jobs are not over.
fn active(server: &Server) -> u64 {
    server.get("/api/v1/info").json()["jobs"].as_u64().unwrap()
}

#[test]
fn work_is_stopped_when_it_is_told_to_or_nobody_waits() {
    let server = Server::start();
    let job = server.begin("solve", &json!({"fen": START, "time": 60}));
    let mut stream = server.connect();
    let head =
        format!("GET /api/v1/jobs/{job}/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    stream.write_all(head.as_bytes()).unwrap();
    let mut piece = [0; 64];
    stream.read_exact(&mut piece).unwrap();
    let stopped = server.request("DELETE", &format!("/api/v1/jobs/{job}"), &[], b"");
    assert_eq!(stopped.status, 202);
    let told = server.events(&job);
    assert_eq!(told.last().unwrap().1["state"], "stopped");
    if let Some((_, result)) = told.iter().find(|(name, _)| name == "result") {
        assert_eq!(
            (&result["verdict"], &result["stop"]),
            (&json!("unknown"), &json!("interrupted"))
        );
    }
    // A client that waits for the answer goes away.
    let body = json!({"fen": START, "time": 60}).to_string();
    let mut gone = server.connect();
    let head = format!(
        "POST /api/v1/solve?wait=1 HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    );
    gone.write_all(head.as_bytes()).unwrap();
    while active(&server) == 0 {}
    drop(gone);
    while active(&server) > 0 {}
}

#[test]
fn who_asks_too_much_is_told_so_and_others_are_answered() {
    let server = Server::start();
    let hard = json!({"fen": START, "time": 60});
    let jobs: Vec<_> = (0..60).map(|_| server.post("/api/v1/solve", &hard)).collect();
    // Easy ones have their own way, and the hard ones wait or are refused.
    assert_eq!(server.ask("solve", &json!({"fen": MATE}))["value"], "white");
    assert_eq!(server.get("/standard?fen=8/8/8/8/8/1k6/7R/K7_b_-_-").json()["category"], "loss");
    let mate = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -";
    // Where the machine is busy with much else, the short attempt may end before it has begun.
    let answer = (0..300).find_map(|_| {
        let answer = server.post("/api/v1/solve?wait=1", &json!({"fen": mate}));
        if answer.status == 200 {
            return Some(answer.json());
        }
        assert_eq!(answer.status, 503, "{}", answer.text());
        std::thread::sleep(std::time::Duration::from_millis(50));
        None
    });
    assert_eq!(answer.expect("an easy question has its own way")["mate_plies"], 1);
    let last = jobs.last().unwrap();
    let refused = last.status == 503 || {
        let job = last.json()["job"].as_str().unwrap().to_string();
        let told = server.events(&job);
        told.iter().any(|(name, data)| name == "error" && data["code"] == "busy")
    };
    assert!(refused, "more than a client may ask for");
}

#[test]
fn it_ends_when_it_is_told_to_and_says_why_it_cannot_begin() {
    let mut server = Server::start();
    let address = server.address.to_string();
    let second = run(&["serve", "--bind", &address]);
    assert_eq!(second.code, 2);
    assert!(second.err.contains("is the port taken?"), "{}", second.err);
    assert_eq!(run(&["serve", "--bind", "nowhere"]).code, 2);
    server.post("/api/v1/solve", &json!({"fen": START, "time": 60}));
    server.signal("-TERM");
    assert_eq!(server.wait(), Some(0));
}
