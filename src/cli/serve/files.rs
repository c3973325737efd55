//! The page: every file of it is in the program.

use std::sync::OnceLock;
use theta_chess::export::html::piece_styles;

/// The files under `/page/`: name, media type, content.
pub const FILES: &[(&str, &str, &[u8])] = &[
    ("aim.js", SCRIPT, include_bytes!("page/aim.js")),
    ("aim.js", SCRIPT, include_bytes!("page/aim.js")),
    ("api.js", SCRIPT, include_bytes!("page/api.js")),
    ("board.css", STYLE, include_bytes!("page/board.css")),
    ("board.js", SCRIPT, include_bytes!("page/board.js")),
    ("certificate.js", SCRIPT, include_bytes!("page/certificate.js")),
    ("dom.js", SCRIPT, include_bytes!("page/dom.js")),
    ("drop.js", SCRIPT, include_bytes!("page/drop.js")),
    ("editor.js", SCRIPT, include_bytes!("page/editor.js")),
    ("fen.js", SCRIPT, include_bytes!("page/fen.js")),
    ("game.js", SCRIPT, include_bytes!("page/game.js")),
    ("graph.js", SCRIPT, include_bytes!("page/graph.js")),
    ("help.js", SCRIPT, include_bytes!("page/help.js")),
    ("icon.svg", PICTURE, include_bytes!("page/icon.svg")),
    ("layout.css", STYLE, include_bytes!("page/layout.css")),
    ("line.js", SCRIPT, include_bytes!("page/line.js")),
    ("logic.js", SCRIPT, include_bytes!("page/logic.js")),
    ("main.js", SCRIPT, include_bytes!("page/main.js")),
    ("mini.js", SCRIPT, include_bytes!("page/mini.js")),
    ("moves.js", SCRIPT, include_bytes!("page/moves.js")),
    ("parts.css", STYLE, include_bytes!("page/parts.css")),
    ("pgn.js", SCRIPT, include_bytes!("page/pgn.js")),
    ("playground.js", SCRIPT, include_bytes!("page/playground.js")),
    ("print.css", STYLE, include_bytes!("page/print.css")),
    ("state.js", SCRIPT, include_bytes!("page/state.js")),
    ("strategy.js", SCRIPT, include_bytes!("page/strategy.js")),
    ("task.js", SCRIPT, include_bytes!("page/task.js")),
    ("theme.css", STYLE, include_bytes!("page/theme.css")),
    ("theme.js", SCRIPT, include_bytes!("page/theme.js")),
    ("tree.js", SCRIPT, include_bytes!("page/tree.js")),
    ("verdict.js", SCRIPT, include_bytes!("page/verdict.js")),
    ("walk.js", SCRIPT, include_bytes!("page/walk.js")),
    ("why.js", SCRIPT, include_bytes!("page/why.js")),
    ("words.js", SCRIPT, include_bytes!("page/words.js")),
    ("chessground.js", SCRIPT, include_bytes!("../../export/page/chessground.js")),
    ("chessground.css", STYLE, include_bytes!("../../export/page/chessground.css")),
];

/// The page itself.
pub const INDEX: &str = include_str!("page/index.html");

const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";
const STYLE: &str = "text/css; charset=utf-8";

/// A file by its name, with its media type.
pub fn file(name: &str) -> Option<(&'static str, &'static [u8])> {
    static PIECES: OnceLock<String> = OnceLock::new();
    if name == "pieces.css" {
        return Some((STYLE, PIECES.get_or_init(piece_styles).as_bytes()));
    }
    let (_, media, content) = FILES.iter().find(|(own, ..)| *own == name)?;
    Some((media, content))
}
