//! Every form is read back and held against the rules.

use super::{End, Outline, OutlineError, dot, html, json, pgn, svg, text};
use crate::aim::{Aim, Goal};
use crate::certificate::Certificate;
use crate::chess::board::Board;
use crate::chess::{
    Position, Profile, Side, Vector, check_narrow, fen, in_check, parse_fen, successors,
};
use crate::game::Game;
use crate::limits::{Budget, Limits};
use crate::solve::Solver;
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use pretty_assertions::assert_eq;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

const SMALL: &str = "8/8/8/8/8/2R2K2/8/7k w - -";
const BLACK_WINS: &str = "8/8/8/8/8/8/2k4q/K7 w - -";
const KQK: &str = "8/8/8/3k4/8/8/8/KQ6 w - -";
/// A wall of pawns that nobody passes.
pub(super) const WALL: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";
pub(super) const MATED: &str = "7k/6Q1/6K1/8/8/8/8/8 b - -";
pub(super) const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - -";

/// A position's game, explored whole.
pub(super) fn game(text: &str) -> Game {
    Game::explore(&parse_fen(text, Profile::Fide).unwrap(), Profile::Fide, &Budget::default())
        .unwrap()
}

/// Each position is solved once for all tests.
fn certificate(text: &'static str) -> Arc<Certificate> {
    static SOLVED: Mutex<BTreeMap<&str, Arc<Certificate>>> = Mutex::new(BTreeMap::new());
    let mut solved = SOLVED.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(solved.entry(text).or_insert_with(|| Arc::new(solve_now(text))))
}

fn solve_now(text: &str) -> Certificate {
    let verdict = Solver::default().solve(&text.parse().unwrap(), Budget::default()).unwrap();
    verdict.certificate().unwrap()
}

/// What a writer writes of every strategy of a certificate.
fn written(
    certificate: &Certificate,
    depth: Option<u32>,
    write: impl Fn(&Outline, &mut dyn std::io::Write) -> std::io::Result<()>,
) -> Vec<String> {
    let owners = certificate.strategies.iter().map(|s| s.owner());
    owners
        .map(|owner| {
            let mut bytes = Vec::new();
            write(&Outline::new(certificate, owner, depth).unwrap(), &mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        })
        .collect()
}

fn play(y: &Vector, uci: &Json) -> Vector {
    let moves = successors(Profile::Fide, y);
    moves
        .into_iter()
        .find(|(m, _)| m.to_string() == *uci)
        .expect("a legal move by the paper's rules")
        .1
}

/// Follows a JSON document by the paper's rules alone: every reply is there, and leads to the node
/// it names.
fn check_json(text: &str) {
    let doc: Json = serde_json::from_str(text).unwrap();
    let nodes = doc["nodes"].as_array().unwrap();
    assert_eq!(nodes.len() as u64, doc["shown"].as_u64().unwrap());
    let position =
        |id: u64| parse_fen(nodes[id as usize]["fen"].as_str().unwrap(), Profile::Fide).unwrap();
    assert_eq!(fen(&position(0)), doc["fen"].as_str().unwrap());
    for (id, node) in nodes.iter().enumerate() {
        assert_eq!(node["id"], id as u64);
        let mut y = position(id as u64);
        if node["play"].is_object() {
            y = play(&y, &node["play"]["uci"]);
        }
        check_narrow(&y).unwrap();
        let replies = node["replies"].as_array().unwrap();
        let legal = successors(Profile::Fide, &y);
        match node["end"].as_str() {
            None => assert_eq!(replies.len(), legal.len(), "all replies to {}", fen(&y)),
            Some("mate") => assert!(legal.is_empty() && in_check(&y)),
            Some("stalemate") => assert!(legal.is_empty() && !in_check(&y)),
            Some("aim") => assert_eq!(replies.len(), 0),
            Some(end) => {
                assert!(end == "bare_king" || end == "lone_minor", "{end}");
                assert_eq!(replies.len(), 0);
            }
        }
        for reply in replies {
            if let Some(to) = reply["to"].as_u64() {
                assert_eq!(fen(&play(&y, &reply["uci"])), fen(&position(to)));
                if doc["mate_plies"].is_u64() {
                    assert!(
                        nodes[to as usize]["mate_plies"].as_u64() < node["mate_plies"].as_u64()
                    );
                    assert_eq!(nodes[to as usize]["mate_plies"], reply["mate_plies"]);
                }
            }
        }
    }
}

#[test]
fn json_holds_every_reply() {
    for text in
        [SMALL, BLACK_WINS, KQK, WALL, "7k/6Q1/5K2/8/8/8/8/8 b - -", "7k/5Q2/6K1/8/8/8/8/8 b - -"]
    {
        for depth in [None, Some(1), Some(3)] {
            written(&certificate(text), depth, json::write).iter().for_each(|doc| check_json(doc));
        }
    }
}

/// A knight's fork: the aim is reached by White's move, or, said of the moment after it, by
/// Black's.
fn of_aim(fen: &str, aim: &str, owner: Side) -> Certificate {
    let goal = Goal::of(Aim::parse(aim).unwrap()).unwrap();
    let root = fen.parse().unwrap();
    let proof = Solver::default().prove_aim(&root, owner, &goal, Budget::default()).unwrap();
    proof.certificate().expect("the aim is forced")
}

#[test]
fn strategies_of_reduced_aims_are_written_in_every_form() {
    let fork = "r3k3/8/8/1N6/8/8/5PPP/6K1 w - -";
    for (root, aim, nodes) in [
        (fork, "AF count(r) = 0", true),
        (fork, "AF (count(r) = 0 & white_to_move)", true),
        ("r3k3/2N5/8/8/8/8/5PPP/6K1 b - -", "AF (count(r) = 0 & white_to_move)", true),
        (fork, "AF count(r) = 1", false),
    ] {
        let certificate = of_aim(root, aim, Side::White);
        let outline = Outline::new(&certificate, Side::White, None).unwrap();
        assert!(outline.nodes().any(|node| node.end == Some(End::Aim)), "{aim}");
        assert_eq!(outline.len() > 1, nodes, "{aim}");
        assert!(outline.nodes().all(|node| node.end != Some(End::Aim) || node.replies.is_empty()));
        for depth in [None, Some(1)] {
            let json = written(&certificate, depth, json::write).remove(0);
            check_json(&json);
            let doc: Json = serde_json::from_str(&json).unwrap();
            assert_eq!((doc["formula"].as_str(), doc["mate_plies"].is_null()), (Some("aim"), true));
            assert_eq!(doc["aim"].as_str(), certificate.aim.as_deref());
            let text = written(&certificate, depth, text::write).remove(0);
            assert!(text.contains("forces the aim") && !text.contains("mate"), "{text}");
            let game = written(&certificate, depth, pgn::write).remove(0);
            assert!(game.contains("[Result \"*\"]"), "{game}");
            assert!(written(&certificate, depth, dot::write)[0].contains("aim"));
        }
        let (mut page, mut picture) = (Vec::new(), Vec::new());
        html::write(
            &[Outline::new(&certificate, Side::White, None).unwrap()],
            html::DEFAULT_LIMIT,
            &mut page,
        )
        .unwrap();
        assert!(String::from_utf8(page).unwrap().contains("forces the aim"));
        svg::write(certificate.root(), &svg::Marks::of_root(&outline), &mut picture).unwrap();
        assert!(picture.starts_with(b"<svg"));
    }
}

#[test]
fn every_position_is_written_out_once() {
    for text in [KQK, WALL] {
        let certificate = certificate(text);
        for owner in certificate.strategies.iter().map(|s| s.owner()) {
            let outline = Outline::new(&certificate, owner, None).unwrap();
            let mut written = vec![0; outline.len() as usize];
            let mut named = vec![0; outline.len() as usize];
            for node in outline.nodes() {
                for to in node.replies.iter().filter_map(|r| r.to) {
                    let count =
                        if outline.written_under(to, node.id) { &mut written } else { &mut named };
                    count[to as usize] += 1;
                }
            }
            assert_eq!(written[0], 0);
            assert!(written[1..].iter().all(|&n| n == 1));
            for (id, &n) in named.iter().enumerate() {
                assert_eq!(outline.shared(id as u32), n > 0, "node {id}");
            }
        }
    }
}

#[test]
fn the_main_line_runs_to_mate_at_the_distance() {
    let certificate = certificate(KQK);
    let outline = Outline::new(&certificate, Side::White, None).unwrap();
    let plies = outline.heading().mate_plies.unwrap();
    let ranks: Vec<u32> =
        (0..outline.main_line()).map(|id| outline.node(id).mate_plies.unwrap()).collect();
    assert_eq!(ranks, (1..=plies).rev().step_by(2).collect::<Vec<_>>());
}

/// Plays through a PGN game, variations and all; counts moves, and the leaves that are mates or
/// refer elsewhere.
#[derive(Default)]
struct Replay {
    moves: usize,
    mates: usize,
    references: usize,
    labels: usize,
}

struct Line {
    /// Positions before and after the last move, for each open variation.
    stack: Vec<(Board, Board)>,
    now: (Board, Board),
}

impl Visitor for Replay {
    type Tags = Option<Board>;
    type Movetext = Line;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Option<Board>> {
        ControlFlow::Continue(None)
    }

    fn tag(
        &mut self,
        board: &mut Option<Board>,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<()> {
        if name == b"FEN" {
            *board = Some(Board::from_fen(&value.decode_utf8_lossy()).unwrap());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, board: Option<Board>) -> ControlFlow<(), Line> {
        let board = board.expect("a FEN tag");
        ControlFlow::Continue(Line { stack: Vec::new(), now: (board.clone(), board) })
    }

    fn san(&mut self, line: &mut Line, san: SanPlus) -> ControlFlow<()> {
        let m = san.san.to_move(line.now.1.chess()).expect("a legal move");
        let next = line.now.1.after(m);
        assert_eq!(san.to_string(), line.now.1.san(m));
        self.moves += 1;
        self.mates += usize::from(next.legal_moves().is_empty() && next.in_check());
        line.now = (line.now.1.clone(), next);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, _line: &mut Line, comment: RawComment<'_>) -> ControlFlow<()> {
        let text = std::str::from_utf8(comment.as_bytes()).unwrap().replace('\n', " ");
        self.references += usize::from(text.starts_with("= ["));
        self.labels += usize::from(text.starts_with('['));
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, line: &mut Line) -> ControlFlow<(), Skip> {
        line.stack.push(line.now.clone());
        line.now.1 = line.now.0.clone();
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, line: &mut Line) -> ControlFlow<()> {
        line.now = line.stack.pop().expect("an open variation");
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, line: Line) {
        assert!(line.stack.is_empty());
    }
}

#[test]
fn pgn_is_read_back() {
    for text in [SMALL, BLACK_WINS, KQK, WALL] {
        let certificate = certificate(text);
        for (game, strategy) in
            written(&certificate, None, pgn::write).iter().zip(&certificate.strategies)
        {
            assert!(
                game.lines().all(|line| line.len() <= 80 || line.starts_with("[Event")),
                "{game}"
            );
            let outline = Outline::new(&certificate, strategy.owner(), None).unwrap();
            let mut expected = Replay::default();
            for node in outline.nodes() {
                expected.moves += usize::from(node.play.is_some()) + node.replies.len();
                expected.mates += usize::from(node.play.is_some() && node.replies.is_empty());
                expected.labels += usize::from(outline.shared(node.id));
                let elsewhere = |to: &u32| !outline.written_under(*to, node.id);
                expected.references +=
                    node.replies.iter().filter_map(|r| r.to).filter(elsewhere).count();
            }
            let mut read = Replay::default();
            let mut reader = Reader::new(game.as_bytes());
            reader.read_game(&mut read).unwrap().expect("a game");
            assert!(reader.read_game(&mut Replay::default()).unwrap().is_none(), "one game only");
            assert_eq!(
                (read.moves, read.mates, read.references, read.labels),
                (expected.moves, expected.mates, expected.references, expected.labels)
            );
        }
    }
}

#[test]
fn a_tree_to_read() {
    let [tree] = &written(&certificate(KQK), Some(2), text::write)[..] else {
        panic!("one strategy")
    };
    insta::assert_snapshot!(tree);
}

#[test]
fn text_has_every_node() {
    let certificate = certificate(KQK);
    let [tree] = &written(&certificate, None, text::write)[..] else { panic!("one strategy") };
    let outline = Outline::new(&certificate, Side::White, None).unwrap();
    let mates = outline.nodes().filter(|n| n.end.is_some()).count();
    assert_eq!(tree.matches('#').count(), mates);
    let references: usize = outline
        .nodes()
        .map(|n| {
            n.replies
                .iter()
                .filter(|r| r.to.is_some_and(|to| !outline.written_under(to, n.id)))
                .count()
        })
        .sum();
    assert_eq!(tree.matches(" = [").count(), references);
    assert!(tree.lines().all(|line| line.len() < 400), "lines stay readable");
}

#[test]
fn dot_has_every_node_and_reply() {
    let certificate = certificate(BLACK_WINS);
    let [graph] = &written(&certificate, Some(2), dot::write)[..] else { panic!("one strategy") };
    let outline = Outline::new(&certificate, Side::Black, Some(2)).unwrap();
    let replies: usize = outline.nodes().map(|n| n.replies.len()).sum();
    assert_eq!(graph.matches(" -> ").count(), replies);
    assert!(graph.starts_with("digraph strategy {\n") && graph.ends_with("}\n"));
}

#[test]
fn a_diagram_names_what_it_shows() {
    let certificate = certificate(SMALL);
    let outline = Outline::new(&certificate, Side::White, Some(1)).unwrap();
    let mut bytes = Vec::new();
    svg::write(certificate.root(), &svg::Marks::of_root(&outline), &mut bytes).unwrap();
    let picture = String::from_utf8(bytes).unwrap();
    assert!(
        picture.contains("White: rook c3, king f3. Black: king h1. White to move."),
        "{picture}"
    );
    assert_eq!(picture.matches("<svg ").count(), 1 + 3, "the board and its men");
    assert_eq!(picture.matches("<line ").count(), 1, "the owner's move");
    assert_eq!(picture.matches("<rect ").count(), 65);
}

/// The data that a page carries.
fn page_data(outlines: &[Outline], limit: usize) -> (String, Json) {
    let mut bytes = Vec::new();
    html::write(outlines, limit, &mut bytes).unwrap();
    let page = String::from_utf8(bytes).unwrap();
    let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let data = &page[start..][..page[start..].find("</script>").unwrap()];
    let data = serde_json::from_str(data).unwrap();
    (page, data)
}

#[test]
fn a_page_is_complete_in_itself() {
    let certificate = certificate(WALL);
    let outlines = Side::ALL.map(|owner| Outline::new(&certificate, owner, None).unwrap());
    let (page, data) = page_data(&outlines, html::DEFAULT_LIMIT);
    for reference in [" src=", "href=", "@import", "url(http", "url('http", "url(\"http"] {
        assert!(!page.contains(reference), "the page fetches nothing: {reference}");
    }
    for (outline, book) in outlines.iter().zip(data["books"].as_array().unwrap()) {
        assert_eq!(book["nodes"].as_array().unwrap().len() as u32, outline.len());
        assert_eq!(book["left_out"], 0);
    }
}

#[test]
fn a_page_within_a_limit_says_what_is_left_out_and_keeps_the_main_line() {
    let certificate = certificate(KQK);
    let outline = Outline::new(&certificate, Side::White, None).unwrap();
    let limit = 10_000;
    let (page, data) = page_data(std::slice::from_ref(&outline), limit);
    let book = &data["books"][0];
    let nodes = book["nodes"].as_array().unwrap();
    assert!(nodes.len() < outline.len() as usize && nodes.len() as u32 > outline.main_line());
    assert_eq!(nodes.len() as u64 + book["left_out"].as_u64().unwrap(), u64::from(outline.len()));
    assert!(page.len() < limit + 100_000);
    for (id, row) in nodes.iter().enumerate() {
        let node = outline.node(id as u32);
        assert_eq!(row[0], node.play.as_ref().map_or("", |p| &p.uci));
        assert_eq!(row[4].as_array().unwrap().len(), node.replies.len());
    }
}

#[test]
fn a_strategy_that_is_none_is_refused() {
    let root: Position = "7k/8/5K2/8/8/8/6Q1/8 w - -".parse().unwrap();
    let whole = Solver::default().solve(&root, Limits::seconds(60)).unwrap().certificate().unwrap();
    assert!(Outline::new(&whole, Side::White, None).is_ok());
    assert!(matches!(
        Outline::new(&whole, Side::Black, None),
        Err(OutlineError::NoStrategy(Side::Black))
    ));
    // The aim of another certificate, and the position of another.
    let aimed = Certificate { aim: Some("AX p".into()), ..whole.clone() };
    assert!(matches!(Outline::new(&aimed, Side::White, None), Err(OutlineError::Broken(_))));
}
