//! The strategy as one self-contained page: board, replies to choose from, the owner's moves
//! played, the formula explained.
//!
//! The page carries the nodes as one JSON value in reading order — the line of longest resistance
//! first, then by distance from the root — until a size limit is reached; what is left out is said
//! on the page, and replies that lead there are marked. Board and pieces are vendored (see
//! `page/README.md`); nothing is fetched.

use super::outline::{End, Node, Outline};
use super::svg::{self, PIECES};
use super::text::{moves_of, sentence};
use crate::chess::{Profile, parse_fen};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Bytes of strategy data that a page carries unless told otherwise.
pub const DEFAULT_LIMIT: usize = 4 << 20;

#[derive(Serialize)]
struct Book<'a> {
    #[serde(serialize_with = "crate::chess::serialize_side")]
    owner: crate::chess::Side,
    formula: &'a str,
    sentence: String,
    positions: u32,
    /// Nodes of the strategy that the page does not carry.
    left_out: u32,
    notes: Vec<String>,
    /// The reduced aim, if the strategy is about one.
    aim: Option<String>,
    /// `[play in UCI or "", its SAN, plies to mate (or to the aim) or -1, end or "", [[reply in
    /// UCI, SAN, node or -1, plies to mate or -1], …]]`
    nodes: Vec<serde_json::Value>,
}

/// A node as a row of the page's data.
fn row(node: &Node) -> serde_json::Value {
    let (uci, san) = node.play.as_ref().map_or(("", ""), |play| (&play.uci, &play.san));
    let end = match node.end {
        None => "",
        Some(End::Mate) => "mate",
        Some(End::Stalemate) => "stalemate",
        Some(End::BareKing) => "bare_king",
        Some(End::Shut) => "shut",
        Some(End::LoneMinor) => "lone_minor",
        Some(End::Aim) => "aim",
    };
    let number = |n: Option<u32>| n.map_or(-1, i64::from);
    let replies = node.replies.iter();
    let replies: Vec<_> = replies
        .map(|r| serde_json::json!([r.text.uci, r.text.san, number(r.to), number(r.mate_plies)]))
        .collect();
    serde_json::json!([uci, san, number(node.mate_plies), end, replies])
}

/// The part of a strategy that fits into `limit` bytes; at least the root.
fn book<'a>(outline: &Outline, limit: usize) -> Book<'a> {
    let heading = outline.heading();
    let mut nodes = Vec::new();
    let mut bytes = 0;
    for node in outline.nodes() {
        let row = row(&node);
        bytes += row.to_string().len();
        if bytes > limit && !nodes.is_empty() {
            break;
        }
        nodes.push(row);
    }
    Book {
        owner: heading.owner,
        formula: heading.formula,
        sentence: sentence(&heading),
        positions: heading.positions,
        left_out: outline.len() - nodes.len() as u32,
        notes: heading.notes,
        aim: heading.aim,
        nodes,
    }
}

/// Writes the page for one strategy, or for the two of a draw; `limit` is how many bytes of
/// strategy data it may carry. The page without data is about 70 KB. Memory: about five times the
/// limit.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// Without an outline.
pub fn write(outlines: &[Outline], limit: usize, out: &mut dyn Write) -> io::Result<()> {
    let books: Vec<Book> = outlines.iter().map(|o| book(o, limit / outlines.len())).collect();
    let heading = outlines[0].heading();
    let root = parse_fen(&heading.fen, Profile::Fide).map_err(io::Error::other)?;
    let verdict = match (outlines.len(), heading.mate_plies) {
        (1, Some(plies)) if plies > 0 => {
            let most = if heading.shortest { "" } else { "at most " };
            format!("{} wins: mate in {most}{}", heading.owner, moves_of(plies))
        }
        (1, Some(_)) => format!("{} is mated", heading.owner.other()),
        (1, None) if heading.aim.is_some() => heading.claim.clone(),
        (1, None) => format!("{} holds", heading.owner),
        _ => "A draw: both sides can hold for ever".to_string(),
    };
    let data = serde_json::json!({"fen": heading.fen, "verdict": verdict, "books": books});
    let mut picture = Vec::new();
    svg::write(&root, &svg::Marks::default(), &mut picture)?;
    let fill = |name: &str| match name {
        "title" => format!("{verdict} · {}", heading.fen),
        "verdict" => verdict.clone(),
        "sentence" => books.iter().map(|b| b.sentence.as_str()).collect::<Vec<_>>().join(" "),
        "fen" => heading.fen.clone(),
        "css" => {
            [include_str!("page/chessground.css"), include_str!("page/page.css"), &piece_styles()]
                .concat()
        }
        "picture" => String::from_utf8_lossy(&picture).into_owned(),
        "chessground" => include_str!("page/chessground.js").to_string(),
        "script" => include_str!("page/page.js").to_string(),
        // Nothing in a script element may look like markup: `</script>`, `<!--`.
        "data" => data.to_string().replace('<', "\\u003c"),
        _ => unreachable!("the page names no other part"),
    };
    for (k, part) in include_str!("page/page.html").split("@@").enumerate() {
        if k % 2 == 0 {
            out.write_all(part.as_bytes())?;
        } else {
            out.write_all(fill(part).as_bytes())?;
        }
    }
    Ok(())
}

/// The pieces as background images of chessground's elements.
pub fn piece_styles() -> String {
    const ROLES: [&str; 6] = ["king", "queen", "rook", "bishop", "knight", "pawn"];
    let mut css = String::new();
    for (k, (_, picture)) in PIECES.iter().enumerate() {
        let color = if k < 6 { "white" } else { "black" };
        let url = picture.trim().replace('#', "%23").replace('"', "'");
        let _ = writeln!(
            css,
            ".cg-wrap piece.{}.{color}{{background-image:url(\"data:image/svg+xml,{url}\")}}",
            ROLES[k % 6]
        );
    }
    css
}
