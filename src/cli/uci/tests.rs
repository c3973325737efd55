//! Dialogues: each line is sent when the answer it waits for has come.

use super::*;
use std::collections::VecDeque;
use std::io::BufReader;
use std::time::{Duration, Instant};
use theta_chess::chess::parse_move;
use theta_chess::tables::Tables;

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The chess program: lines, each with the number of answers that begin with a word it waits for
/// first.
struct Gui {
    steps: VecDeque<((&'static str, usize), Vec<u8>)>,
    sink: Sink,
}

impl Read for Gui {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(((word, count), line)) = self.steps.pop_front() else { return Ok(0) };
        let patience = Instant::now() + Duration::from_secs(60);
        while self.sink.text().lines().filter(|l| l.starts_with(word)).count() < count {
            assert!(Instant::now() < patience, "no {count}. `{word}` in\n{}", self.sink.text());
            std::thread::sleep(Duration::from_millis(1));
        }
        out[..line.len()].copy_from_slice(&line);
        Ok(line.len())
    }
}

const AT_ONCE: (&str, usize) = ("", 0);

fn dialogue(steps: &[((&'static str, usize), &[u8])]) -> String {
    let sink = Sink::default();
    let steps =
        steps.iter().map(|(wait, line)| (*wait, [line, b"\n".as_slice()].concat())).collect();
    let input = BufReader::with_capacity(1 << 16, Gui { steps, sink: sink.clone() });
    let port = Arc::new(Port::new(Box::new(sink.clone())));
    let solver = Solver::new(Tables::in_memory());
    Session::new(port, solver, Settings { memory: 1 << 30, threads: 1, ..Settings::default() })
        .serve(input);
    sink.text()
}

fn best_moves(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|l| l.strip_prefix("bestmove "))
        .map(|l| l.split(' ').next().unwrap())
        .collect()
}

#[test]
fn it_introduces_itself() {
    let text =
        dialogue(&[(AT_ONCE, b"uci"), (("uciok", 1), b"isready"), (("readyok", 1), b"quit")]);
    assert!(text.starts_with("id name theta "));
    for option in ["Hash", "Threads", "SyzygyPath", "MultiPV", "UCI_AnalyseMode"] {
        assert!(text.contains(&format!("option name {option} type ")), "{text}");
    }
    assert!(text.ends_with("uciok\nreadyok\n"));
}

#[test]
fn a_proved_mate_is_scored_and_its_line_complete() {
    let text = dialogue(&[
        (AT_ONCE, b"position fen 7k/8/8/5K2/8/8/6Q1/8 w - - 0 1"),
        (AT_ONCE, b"go mate 5"),
        (("bestmove", 1), b"quit"),
    ]);
    assert!(text.contains(" score mate 2 "), "{text}");
    let pv = text
        .lines()
        .find_map(|l| Some(l.split_once(" score mate 2 ")?.1.split_once(" pv ")?.1))
        .unwrap();
    assert_eq!(pv.split(' ').count(), 3, "complete to mate: {pv}");
    assert!(text.contains("info string proved: Θ1, White wins"), "{text}");
    assert_eq!(best_moves(&text), [&pv[..4]]);
}

#[test]
fn the_line_of_a_mate_that_a_search_proved_is_complete() {
    let text = dialogue(&[
        (AT_ONCE, b"position fen 8/5RB1/n2p1bN1/3k1P2/7P/P5K1/4RP2/2R5 w - - 14 56"),
        (AT_ONCE, b"go movetime 20000"),
        (("bestmove", 1), b"quit"),
    ]);
    let pv = text
        .lines()
        .find_map(|l| Some(l.split_once(" score mate 2 ")?.1.split_once(" pv ")?.1))
        .unwrap();
    assert_eq!(pv.split(' ').count(), 3, "{text}");
}

#[test]
fn the_side_that_loses_and_a_draw() {
    let text = dialogue(&[
        (AT_ONCE, b"position fen 7k/8/8/5K2/8/8/6Q1/8 w - - moves f5f6"),
        (AT_ONCE, b"go movetime 20000"),
        (("bestmove", 1), b"position fen 8/8/8/8/8/4k3/4p3/4K3 w - -"),
        (AT_ONCE, b"go infinite"),
        (AT_ONCE, b"isready"),
        (("bestmove", 1), b"position fen 4k3/8/8/8/8/8/4K3/R6r b - -"),
        (AT_ONCE, b"go movetime 20000"),
        (("bestmove", 2), b"quit"),
    ]);
    assert!(text.contains(" score mate -1 "), "{text}");
    // White is stalemated: no move, and the answer waits for the next request because of
    // `infinite`.
    assert_eq!(best_moves(&text)[1], "(none)");
    assert_eq!(best_moves(&text)[2], "h1a1");
}

#[test]
fn searchmoves_and_several_lines() {
    let text = dialogue(&[
        (AT_ONCE, b"setoption name MultiPV value 3"),
        (AT_ONCE, b"position fen 7k/8/8/5K2/8/8/6Q1/8 w - -"),
        (AT_ONCE, b"go mate 9 searchmoves g2a8 g2b7 g2g7"),
        (("bestmove", 1), b"quit"),
    ]);
    let proved: Vec<&str> =
        text.lines().filter(|l| l.contains(" multipv ") && l.contains(" tbhits ")).collect();
    assert_eq!(proved.len(), 3, "{text}");
    assert!(["g2a8", "g2b7"].contains(&best_moves(&text)[0]), "{text}");
    assert!(proved[2].contains("score cp 0 ") && proved[2].ends_with("pv g2g7"), "{text}");
}

#[test]
fn several_guesses_where_nothing_is_proved() {
    let text = dialogue(&[
        (AT_ONCE, b"setoption name MultiPV value 4"),
        (AT_ONCE, b"position startpos"),
        (AT_ONCE, b"go depth 2"),
        (("bestmove", 1), b"quit"),
    ]);
    let lines: Vec<&str> =
        text.lines().filter(|l| l.starts_with("info depth 2 multipv ")).collect();
    assert_eq!(lines.len(), 4, "{text}");
    let first = |line: &str| line.split(" pv ").nth(1).unwrap()[..4].to_string();
    assert_eq!(first(lines[0]), best_moves(&text)[0]);
    assert_eq!(lines.iter().map(|line| first(line)).collect::<HashSet<_>>().len(), 4, "{text}");
}

#[test]
fn infinite_answers_when_told_to() {
    let text = dialogue(&[
        (AT_ONCE, b"position startpos moves e2e4 e7e5"),
        (AT_ONCE, b"go infinite"),
        (("info depth 2", 1), b"isready"),
        (("readyok", 1), b"stop"),
        (("bestmove", 1), b"quit"),
    ]);
    let after_ready = text.split("readyok\n").nth(1).unwrap();
    assert!(!text.split("readyok\n").next().unwrap().contains("bestmove"), "{text}");
    assert!(after_ready.contains("info string not proved"), "{text}");
    assert_eq!(best_moves(&text).len(), 1);
    assert!(!text.contains("score mate"), "nothing is proved of the initial position");
}

#[test]
fn pondering_ends_with_ponderhit() {
    let text = dialogue(&[
        (AT_ONCE, b"position startpos"),
        (AT_ONCE, b"go ponder wtime 3000 btime 3000"),
        (("info depth 2", 1), b"ponderhit"),
        (("bestmove", 1), b"quit"),
    ]);
    assert_eq!(best_moves(&text).len(), 1);
}

#[test]
fn syzygy_tables_choose_and_do_not_prove() {
    let directory = concat!(
        "setoption name SyzygyPath value ",
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/syzygy"
    );
    // The rook is attacked and cannot be defended: a third of the moves lose it.
    let text = dialogue(&[
        (AT_ONCE, directory.as_bytes()),
        (AT_ONCE, b"position fen 8/8/8/8/8/2k5/3R4/K7 w - - 0 1"),
        (AT_ONCE, b"go nodes 1"),
        (("bestmove", 1), b"setoption name SyzygyPath value /no/such/place"),
        (AT_ONCE, b"go nodes 1"),
        (("bestmove", 2), b"setoption name SyzygyPath value <empty>"),
        (AT_ONCE, b"quit"),
    ]);
    assert!(text.contains("info string 9 Syzygy files"), "{text}");
    assert_eq!(text.matches("not proved: Syzygy tables say a win").count(), 1, "{text}");
    assert!(best_moves(&text)[0].starts_with("d2"), "the rook moves: {text}");
    assert!(text.contains("info string error: /no/such/place"), "{text}");
    assert!(!text.contains("score mate") && !text.contains("info string proved"), "{text}");
}

#[test]
fn nonsense_is_survived() {
    let text = dialogue(&[
        (AT_ONCE, b"\xff\xfe\x00 garbage"),
        (AT_ONCE, b"position fen nothing"),
        (AT_ONCE, b"position fen 8/8/8/8/8/8/8/8 w - -"),
        (AT_ONCE, b"position startpos moves e2e5"),
        (AT_ONCE, b"position"),
        (AT_ONCE, b"go depth"),
        (AT_ONCE, b"go searchmoves e2e4e5"),
        (AT_ONCE, b"setoption name Hash value -3"),
        (AT_ONCE, b"setoption name Nothing"),
        (AT_ONCE, b"stop"),
        (AT_ONCE, b"ponderhit"),
        (AT_ONCE, b"ucinewgame"),
        (AT_ONCE, b"go movetime 0"),
        (AT_ONCE, b"go wtime -100 btime 5"),
        (AT_ONCE, b"go nodes 0"),
        (AT_ONCE, b"go depth 0"),
        (AT_ONCE, b"isready"),
        (("readyok", 1), b"quit"),
    ]);
    assert_eq!(text.matches("info string error: ").count(), 8, "{text}");
    let board = Board::from_fen(START).unwrap();
    let answers = best_moves(&text);
    assert_eq!(answers.len(), 4);
    for answer in answers {
        assert!(board.find(parse_move(answer).unwrap()).is_some(), "{answer} is legal");
    }
}

/// A pipe that nobody reads.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_ends_the_session() {
    let port = Arc::new(Port::new(Box::new(Closed)));
    let endless = io::repeat(b'\n').chain(io::empty());
    let input = BufReader::new(io::Cursor::new("isready\n").chain(endless));
    Session::new(port, Solver::new(Tables::in_memory()), Settings::default()).serve(input);
}

#[test]
fn the_book_is_played_while_it_knows_the_position() {
    let path = format!("{}/positions/library/openings/figure-18.tree", env!("CARGO_MANIFEST_DIR"));
    let set = format!("setoption name BookFile value {path}");
    let text = dialogue(&[
        (AT_ONCE, set.as_bytes()),
        (AT_ONCE, b"setoption name OwnBook value true"),
        (AT_ONCE, b"position startpos moves g2g3 g7g6"),
        (AT_ONCE, b"go movetime 10"),
        (("bestmove", 1), b"position startpos moves g2g3 e7e5"),
        (AT_ONCE, b"go depth 1"),
        // Who studies the position wants more than the book's word.
        (("bestmove", 2), b"setoption name UCI_AnalyseMode value true"),
        (AT_ONCE, b"position startpos moves g2g3 g7g6"),
        (AT_ONCE, b"go depth 1"),
        (("bestmove", 3), b"setoption name BookFile value /no/such/book.bin"),
        (AT_ONCE, b"quit"),
    ]);
    assert_eq!(best_moves(&text)[0], "f1g2");
    assert_eq!(text.matches("from the book").count(), 1, "{text}");
    assert!(text.contains("info string error: /no/such/book.bin"), "{text}");
}

#[test]
fn what_is_to_be_kept_restricts_the_proof() {
    let text = dialogue(&[
        (AT_ONCE, b"setoption name Keep value count(Q) ="),
        (AT_ONCE, b"setoption name Keep value count(Q) = 1"),
        (AT_ONCE, b"position fen 7k/8/5K2/8/8/8/6Q1/8 w - -"),
        (AT_ONCE, b"go mate 5"),
        (("bestmove", 1), b"quit"),
    ]);
    assert!(text.contains("info string error: --keep"), "{text}");
    assert!(text.contains("info string a guess has won"), "{text}");
    assert_eq!(best_moves(&text), ["g2g7"], "{text}");
}
