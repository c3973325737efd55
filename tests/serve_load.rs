//! `theta serve` under load: measured, not judged. Each prints what it found; docs/benchmarks.md has
//! the figures. Run them in release, alone on the machine:
//! `cargo test --release --test main -- --ignored --nocapture serve_load::`

use crate::http::Server;
use serde_json::json;
use std::fs::read_to_string;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// Positions that no engine decides within a minute.
const HARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// A reproducible stream of words (G. Marsaglia, *Xorshift RNGs*, 2003).
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Four-man positions: legal ones, of a few materials, their tables at hand.
fn positions(server: &Server, count: usize) -> Vec<String> {
    let mut words = Words(0x2545_f491_4f6c_dd1d);
    let mut found = Vec::new();
    while found.len() < count {
        let men = ["KRkn", "KQkr", "KPkp", "KBNk"][words.next() as usize % 4];
        let mut squares = [b'1'; 64];
        for man in men.bytes() {
            squares[words.next() as usize % 64] = man;
        }
        let ranks: Vec<String> =
            squares.chunks(8).map(|rank| String::from_utf8_lossy(rank).into_owned()).collect();
        let side = if words.next().is_multiple_of(2) { "w" } else { "b" };
        let fen = format!("{}_{side}_-_-", ranks.join("/"));
        let whole = fen.bytes().take(72).filter(u8::is_ascii_alphabetic).count();
        let legal = whole >= 4 && server.get(&format!("/api/v1/position?fen={fen}")).status == 200;
        if legal {
            let found_out = server.get(&format!("/standard?fen={fen}&time=60"));
            assert_eq!(found_out.status, 200, "{fen}: {}", found_out.text());
            found.push(fen);
        }
    }
    found
}

/// Kibibytes that a process has in memory, and clock ticks that it has used.
fn used(server: &Server) -> (u64, u64) {
    let status = read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    let kib = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    let stat = read_to_string(format!("/proc/{}/stat", server.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    (kib, [11, 12].iter().map(|&k: &usize| fields[k].parse::<u64>().unwrap()).sum())
}

fn threads(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/task", server.id())).unwrap().count()
}

/// One request on a connection that stays open; how long the answer took.
fn once(stream: &mut BufReader<TcpStream>, path: &str, host: &str) -> Duration {
    let start = Instant::now();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.get_mut().write_all(request.as_bytes()).unwrap();
    let (mut length, mut line) = (0, String::new());
    stream.read_line(&mut line).unwrap();
    assert!(line.contains(" 200 "), "{path}: {line}");
    while line.trim() != "" {
        line.clear();
        stream.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    start.elapsed()
}

/// So many requests from 16 connections at once; all times, and how long it took.
fn load(server: &Server, fens: &[String], count: usize) -> (Vec<Duration>, Duration) {
    let (next, host) = (AtomicUsize::new(0), server.address.to_string());
    let start = Instant::now();
    let mut times: Vec<Duration> = scope(|scope| {
        let one = || {
            let mut stream = BufReader::new(server.connect());
            stream.get_ref().set_nodelay(true).unwrap();
            let mut times = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return times;
                }
                let path = format!("/standard?fen={}", fens[number % fens.len()]);
                times.push(once(&mut stream, &path, &host));
            }
        };
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(one)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let time = start.elapsed();
    times.sort();
    (times, time)
}

#[test]
#[ignore = "a measurement of some minutes, for release builds"]
fn tables_answer_many() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::with(&["--cache", dir.path().to_str().unwrap()]);
    let fens = positions(&server, 1_000);
    for count in [1_000, 100_000] {
        let before = used(&server);
        let (times, time) = load(&server, &fens, count);
        let after = used(&server);
        let at = |part: f64| times[(times.len() as f64 * part) as usize].as_micros();
        println!(
            "{count} requests in {:.2} s: {:.0} a second; median {} us, 99 % {} us, longest {} us; \
             server CPU {:.2} s; memory {} -> {} KiB; {} threads",
            time.as_secs_f64(),
            count as f64 / time.as_secs_f64(),
            at(0.5),
            at(0.99),
            times.last().unwrap().as_micros(),
            (after.1 - before.1) as f64 / 100.0,
            before.0,
            after.0,
            threads(&server),
        );
    }
}

#[test]
#[ignore = "a measurement of a minute, for release builds"]
fn hard_positions_leave_room_for_easy_ones() {
    let server = Server::start();
    let hard = json!({"fen": HARD, "time": 5});
    scope(|scope| {
        let one = || {
            let start = Instant::now();
            let answer = server.post("/api/v1/solve?wait=1", &hard);
            (answer.status, start.elapsed())
        };
        let threads: Vec<_> = (0..50).map(|_| scope.spawn(one)).collect();
        sleep(Duration::from_millis(500));
        let easy = [
            "7k/8/5K2/8/8/8/6Q1/8 w - -",
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -",
        ];
        for (round, fen) in (0..10).flat_map(|round| easy.map(|fen| (round, fen))) {
            let start = Instant::now();
            let answer = server.post("/api/v1/solve?wait=1", &json!({"fen": fen}));
            println!("round {round}: easy: {} after {:?}", answer.status, start.elapsed());
            let start = Instant::now();
            let path = "/standard?fen=8/8/8/8/8/1k6/7R/K7_b_-_-";
            let status = server.get(path).status;
            println!("round {round}: table: {status} after {:?}", start.elapsed());
            sleep(Duration::from_millis(500));
        }
        let answers: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        let of = |status| answers.iter().filter(|(own, _)| *own == status).count();
        let longest = answers.iter().map(|(_, time)| time).max();
        println!("50 hard: {} answered, {} busy; longest {longest:?}", of(200), of(503));
        assert_eq!(of(200) + of(503), 50);
    });
}

/// Sends nonsense of some kind.
fn noise(server: &Server, words: &mut Words, held: &mut Vec<TcpStream>) {
    let Ok(mut stream) = TcpStream::connect(server.address) else { return };
    let _ = stream.set_write_timeout(Some(Duration::from_secs(5)));
    let length = words.next() as usize % 4_096;
    let mut bytes: Vec<u8> = (0..length).map(|_| words.next() as u8).collect();
    match words.next() % 7 {
        0 => {}
        1 => bytes.splice(0..0, *b"GET / HTTP/1.1\r\nHost: localhost\r\n").for_each(drop),
        2 => bytes
            .splice(
                0..0,
                *b"POST /api/v1/solve HTTP/1.1\r\nHost: localhost\r\n\
                   Content-Type: application/json\r\nContent-Length: 2000\r\n\r\n",
            )
            .for_each(drop),
        3 => bytes
            .splice(0..0, *b"GET /standard?fen=")
            .for_each(drop),
        4 => {
            let fen = json!({"fen": HARD, "time": 1}).to_string();
            bytes = format!(
                "POST /api/v1/moves HTTP/1.1\r\nHost: localhost\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{fen}",
                fen.len()
            )
            .into_bytes();
        }
        5 => bytes = b"GET /api/v1/info HTTP/1.1\r\nHost: localhost\r\n".to_vec(),
        _ => bytes.splice(0..0, *b"POST /api/v1/verify?wait=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n").for_each(drop),
    }
    let _ = stream.write_all(&bytes);
    match words.next() % 3 {
        // Half open for a while, closed on one side, or at once.
        0 => held.push(stream),
        1 => drop(stream.shutdown(Shutdown::Write)),
        _ => {}
    }
    if held.len() > 100 {
        held.drain(..50);
    }
}

#[test]
#[ignore = "ten minutes of nonsense, for release builds (THETA_MINUTES says how many)"]
fn nonsense_is_survived() {
    let minutes = std::env::var("THETA_MINUTES").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs_f64(minutes.unwrap_or(10.0) * 60.0);
    let mut server = Server::start();
    assert_eq!(server.get("/standard?fen=8/8/8/8/8/1k6/7R/K7_b_-_-").status, 200);
    let (sent, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let before = (used(&server).0, threads(&server));
    println!("before: {} KiB, {} threads", before.0, before.1);
    scope(|scope| {
        for seed in 1..=4_u64 {
            let (server, sent, over) = (&server, &sent, &over);
            scope.spawn(move || {
                let (mut words, mut held) =
                    (Words(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)), Vec::new());
                while !over.load(Ordering::Relaxed) {
                    noise(server, &mut words, &mut held);
                    sent.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        while Instant::now() < end {
            sleep(Duration::from_secs(30).min(end - Instant::now()));
            let start = Instant::now();
            let status = server.get("/standard?fen=8/8/8/8/8/1k6/7R/K7_b_-_-").status;
            println!(
                "{} sent; {} KiB, {} threads; a table: {status} after {:?}",
                sent.load(Ordering::Relaxed),
                used(&server).0,
                threads(&server),
                start.elapsed()
            );
            assert_eq!(status, 200);
        }
        over.store(true, Ordering::Relaxed);
    });
    sleep(Duration::from_secs(20));
    println!("after: {} KiB, {} threads", used(&server).0, threads(&server));
    assert!(server.is_alive());
    assert_eq!(threads(&server), before.1, "no thread is lost");
}
