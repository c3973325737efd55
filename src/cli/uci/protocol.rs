//! The lines of the UCI protocol, read leniently: unknown words are skipped, as the protocol asks.
//!
//! # References
//! * R. Huber, S. Meyer-Kahlen, *Description of the universal chess interface* (2006).

use std::time::Duration;
use theta_chess::chess::{Move, parse_move};

/// What a line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// Name and options, please.
    Uci,
    /// Are you there?
    IsReady,
    /// Another game begins.
    NewGame,
    /// An option: name and value.
    SetOption(String, String),
    /// A position: the FEN (`None` is the initial position) and the moves from there, as written.
    Position(Option<String>, Vec<String>),
    /// Think.
    Go(Box<Go>),
    /// Answer now.
    Stop,
    /// The move that was pondered on was played.
    PonderHit,
    /// End.
    Quit,
    /// A line that says nothing: empty, or of unknown words.
    Nothing,
    /// A line that cannot be understood, and why.
    Wrong(String),
}

/// How long and about what to think.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Go {
    /// Only these moves at the root.
    pub(super) searchmoves: Vec<Move>,
    /// Think on the opponent's time, until `ponderhit` or `stop`.
    pub(super) ponder: bool,
    /// Time left, White's and Black's.
    pub(super) time: [Option<Duration>; 2],
    /// Increment a move, White's and Black's.
    pub(super) increment: [Option<Duration>; 2],
    /// Moves to the next time control.
    pub(super) movestogo: Option<u32>,
    /// Depth of the unproved search.
    pub(super) depth: Option<u32>,
    /// Positions that may be visited.
    pub(super) nodes: Option<u64>,
    /// Look for a mate in this many moves.
    pub(super) mate: Option<u32>,
    /// Time for this move.
    pub(super) movetime: Option<Duration>,
    /// Until `stop`.
    pub(super) infinite: bool,
}

impl Request {
    /// Reads a line.
    pub(super) fn parse(line: &str) -> Self {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        const COMMANDS: [&str; 9] = [
            "uci",
            "isready",
            "ucinewgame",
            "setoption",
            "position",
            "go",
            "stop",
            "ponderhit",
            "quit",
        ];
        let Some(at) = words.iter().position(|w| COMMANDS.contains(w)) else {
            return Self::Nothing;
        };
        let rest = &words[at + 1..];
        match words[at] {
            "uci" => Self::Uci,
            "isready" => Self::IsReady,
            "ucinewgame" => Self::NewGame,
            "setoption" => set_option(rest),
            "position" => position(rest),
            "go" => go(rest),
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            _ => Self::Quit,
        }
    }
}

fn set_option(words: &[&str]) -> Request {
    let Some(name_at) = words.iter().position(|w| *w == "name") else {
        return Request::Wrong("setoption without a name".into());
    };
    let rest = &words[name_at + 1..];
    let value_at = rest.iter().position(|w| *w == "value").unwrap_or(rest.len());
    let value = rest.get(value_at + 1..).unwrap_or(&[]).join(" ");
    Request::SetOption(rest[..value_at].join(" "), value)
}

fn position(words: &[&str]) -> Request {
    let moves_at = words.iter().position(|w| *w == "moves").unwrap_or(words.len());
    let moves = words.get(moves_at + 1..).unwrap_or(&[]).iter().map(ToString::to_string).collect();
    match words[..moves_at] {
        ["startpos"] => Request::Position(None, moves),
        ["fen", ref fen @ ..] => Request::Position(Some(fen.join(" ")), moves),
        _ => Request::Wrong("position: neither startpos nor fen".into()),
    }
}

fn go(words: &[&str]) -> Request {
    const KEYS: [&str; 12] = [
        "searchmoves",
        "ponder",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "infinite",
    ];
    let mut go = Go::default();
    let mut words = words.iter().copied().peekable();
    while let Some(key) = words.next() {
        match key {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "searchmoves" => {
                while let Some(text) = words.next_if(|w| !KEYS.contains(w)) {
                    match parse_move(text) {
                        Ok(m) => go.searchmoves.push(m),
                        Err(_) => {
                            return Request::Wrong(format!("searchmoves: `{text}` is no move"));
                        }
                    }
                }
            }
            _ if KEYS.contains(&key) => {
                let value = words.next().unwrap_or("");
                // A clock may have run out: negative times are none.
                let Ok(number) = value.parse::<i64>().map(|n| n.max(0) as u64) else {
                    return Request::Wrong(format!("go {key}: `{value}` is no number"));
                };
                go.set(key, number);
            }
            _ => {}
        }
    }
    Request::Go(Box::new(go))
}

impl Go {
    fn set(&mut self, key: &str, number: u64) {
        let time = Some(Duration::from_millis(number));
        let count = Some(u32::try_from(number).unwrap_or(u32::MAX));
        match key {
            "wtime" => self.time[0] = time,
            "btime" => self.time[1] = time,
            "winc" => self.increment[0] = time,
            "binc" => self.increment[1] = time,
            "movestogo" => self.movestogo = count,
            "depth" => self.depth = count,
            "nodes" => self.nodes = Some(number),
            "mate" => self.mate = count,
            _ => self.movetime = time,
        }
    }

    /// The time for this move: as given, or a share of the clock (`side` 0 White, 1 Black); `None`
    /// is no limit.
    pub(super) fn allotted(&self, side: usize) -> Option<Duration> {
        if self.infinite {
            return None;
        }
        // What sending the answer may take.
        const MARGIN: Duration = Duration::from_millis(20);
        if let Some(time) = self.movetime {
            return Some(time.saturating_sub(MARGIN).max(time / 2));
        }
        let left = self.time[side]?;
        let share = left / self.movestogo.unwrap_or(30).clamp(1, 30);
        let increment = self.increment[side].unwrap_or_default() * 3 / 4;
        Some((share + increment).min(left.saturating_sub(2 * MARGIN)).max(left / 100))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines() {
        assert_eq!(Request::parse("  joho   uci "), Request::Uci);
        assert_eq!(Request::parse(""), Request::Nothing);
        assert_eq!(
            Request::parse("setoption name Clear Hash value  a b"),
            Request::SetOption("Clear Hash".into(), "a b".into())
        );
        assert_eq!(
            Request::parse("position startpos moves e2e4 e7e5"),
            Request::Position(None, vec!["e2e4".into(), "e7e5".into()])
        );
        assert_eq!(
            Request::parse("position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1"),
            Request::Position(Some("8/8/8/8/8/8/8/K1k5 w - - 0 1".into()), vec![])
        );
        assert!(matches!(Request::parse("position e2e4"), Request::Wrong(_)));
        assert!(matches!(Request::parse("go depth x"), Request::Wrong(_)));
        assert!(matches!(Request::parse("go searchmoves e9e4"), Request::Wrong(_)));
    }

    #[test]
    fn what_go_says() {
        let Request::Go(go) = Request::parse(
            "go wtime 60000 btime -5 winc 1000 searchmoves e2e4 d2d4 movestogo 10 mate 3",
        ) else {
            panic!("a go")
        };
        assert_eq!(go.searchmoves.len(), 2);
        assert_eq!(go.mate, Some(3));
        assert_eq!(go.allotted(0), Some(Duration::from_millis(6750)));
        assert_eq!(go.allotted(1), Some(Duration::ZERO));
        assert_eq!(Go::default().allotted(0), None);
        let blitz = Go { time: [Some(Duration::from_millis(100)); 2], ..Go::default() };
        assert!(blitz.allotted(0).unwrap() < Duration::from_millis(60));
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "\\PC*|(go|position|setoption|name|value|fen|moves|startpos|mate|-?[0-9]{1,30}| ){0,20}") {
            let _ = Request::parse(&line);
        }
    }
}
