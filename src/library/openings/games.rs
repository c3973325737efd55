//! Opening trees from played games.
//!
//! A line's value is that of the annotator's sign after its last book move ($10–$13 equal, $14–$17
//! better, $18–$21 decisive, as the Chess Informant has them); without one it is the mean result of
//! the games that followed the line, twice, rounded (a line that White always won is worth +2).
//! Then minimax.

use crate::chess::Side;
use std::io::{self, Read};
use std::ops::ControlFlow;

use pgn_reader::{KnownOutcome, Nag, Outcome, RawTag, Reader, SanPlus, Skip, Visitor};

use crate::chess::board::Board;

use super::START;
use super::code::MoveCode;
use super::tree::Tree;

/// What is wrong with a game. The moves before the fault are used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("game {game}: {what}")]
pub struct GameFault {
    /// The game's number in the file, from 1.
    pub game: u64,
    /// What is wrong.
    pub what: String,
}

#[derive(Debug, Default)]
struct Node {
    /// Squares of the move that leads here (its value is not set yet); none at the root.
    code: Option<MoveCode>,
    children: Vec<u32>,
    /// Results of the games that went through here: their sum and number.
    results: (i64, u64),
    /// The annotator's value.
    sign: Option<i8>,
}

/// Gathers games into trees, one for each first move.
#[derive(Debug)]
pub struct Builder {
    nodes: Vec<Node>,
    plies: usize,
    games: u64,
}

/// A game's opening.
struct Opening {
    board: Board,
    codes: Vec<MoveCode>,
    sign: Option<i8>,
    result: Option<i64>,
    fault: Option<String>,
    plies: usize,
}

struct Gather {
    plies: usize,
}

/// The value that an annotation says.
fn value_of(nag: Nag) -> Option<i8> {
    match nag.0 {
        10..=13 => Some(0),
        14 | 16 => Some(1),
        15 | 17 => Some(-1),
        18 | 20 => Some(2),
        19 | 21 => Some(-2),
        _ => None,
    }
}

impl Visitor for Gather {
    type Tags = Option<String>;
    type Movetext = Opening;
    type Output = Opening;

    fn begin_tags(&mut self) -> ControlFlow<Opening, Option<String>> {
        ControlFlow::Continue(None)
    }

    fn tag(
        &mut self,
        fault: &mut Option<String>,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Opening> {
        if name == b"FEN"
            && Board::from_fen(&value.decode_utf8_lossy()).ok() != Board::from_fen(START).ok()
        {
            *fault = Some("it does not begin with the initial position".to_owned());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, fault: Option<String>) -> ControlFlow<Opening, Opening> {
        let board = Board::from_fen(START).expect("the initial position");
        ControlFlow::Continue(Opening {
            board,
            codes: Vec::new(),
            sign: None,
            result: None,
            fault,
            plies: self.plies,
        })
    }

    fn san(&mut self, game: &mut Opening, san: SanPlus) -> ControlFlow<Opening> {
        if game.fault.is_some() || game.codes.len() == game.plies {
            return ControlFlow::Continue(());
        }
        match game.board.parse_san(&san.san.to_string()) {
            Some(m) => {
                game.codes.push(MoveCode::new(&m, 0));
                game.board.play(m);
                game.sign = None;
            }
            None => {
                let number = game.codes.len() / 2 + 1;
                let dots = if game.board.side_to_move() == Side::White { "." } else { "..." };
                game.fault = Some(format!("{number}{dots} {san} is not legal"));
            }
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, game: &mut Opening, nag: Nag) -> ControlFlow<Opening> {
        game.sign = value_of(nag).or(game.sign);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _game: &mut Opening) -> ControlFlow<Opening, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, game: &mut Opening, outcome: Outcome) -> ControlFlow<Opening> {
        game.result = match outcome {
            Outcome::Known(KnownOutcome::Draw) => Some(0),
            Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner.fold_wb(1, -1)),
            Outcome::Unknown => None,
        };
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Opening) -> Opening {
        game
    }
}

impl Builder {
    /// A builder of lines of at most so many plies.
    pub fn new(plies: usize) -> Self {
        Self { nodes: vec![Node::default()], plies, games: 0 }
    }

    /// Games read so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Reads the games of a PGN stream; each fault goes to `fault`, and the reading goes on.
    ///
    /// # Errors
    /// When the stream cannot be read.
    pub fn read(&mut self, source: impl Read, mut fault: impl FnMut(GameFault)) -> io::Result<()> {
        let mut reader = Reader::new(source);
        while let Some(game) = reader.read_game(&mut Gather { plies: self.plies })? {
            self.games += 1;
            self.add(&game);
            if let Some(what) = game.fault {
                fault(GameFault { game: self.games, what });
            }
        }
        Ok(())
    }

    fn add(&mut self, game: &Opening) {
        let mut at = 0;
        for &code in &game.codes {
            at = self.child(at, code);
            if let Some(result) = game.result {
                let (sum, count) = &mut self.nodes[at as usize].results;
                (*sum, *count) = (*sum + result, *count + 1);
            }
        }
        // The sign stands behind the line's last move, if the line ends in the book.
        self.nodes[at as usize].sign = game.sign.or(self.nodes[at as usize].sign);
    }

    fn child(&mut self, at: u32, code: MoveCode) -> u32 {
        let known = self.nodes[at as usize]
            .children
            .iter()
            .copied()
            .find(|&c| self.nodes[c as usize].code == Some(code));
        known.unwrap_or_else(|| {
            let new = self.nodes.len() as u32;
            self.nodes.push(Node { code: Some(code), ..Node::default() });
            self.nodes[at as usize].children.push(new);
            new
        })
    }

    fn value(&self, node: u32) -> i8 {
        let Node { results: (sum, count), sign, .. } = self.nodes[node as usize];
        let mean = || if count == 0 { 0 } else { (2.0 * sum as f64 / count as f64).round() as i8 };
        sign.unwrap_or_else(mean)
    }

    /// The trees, one for each first move in the order of their appearance, every move with its
    /// minimax value.
    pub fn trees(&self) -> Vec<Tree> {
        let first = self.nodes[0].children.iter();
        first
            .map(|&root| {
                let mut tree = Tree::default();
                self.write(root, &mut tree);
                tree.minimax();
                tree
            })
            .collect()
    }

    /// Writes a node and what follows it, sons directly after their father. As deep as lines are
    /// long.
    fn write(&self, node: u32, tree: &mut Tree) -> u32 {
        let code = self.nodes[node as usize].code.expect("a move leads here");
        let entry = tree.push(MoveCode { value: self.value(node), ..code });
        let mut last = None;
        for &child in &self.nodes[node as usize].children {
            let number = self.write(child, tree);
            match last.replace(number) {
                None => tree.set_son(entry, number),
                Some(before) => tree.set_brat(before, number),
            }
        }
        entry
    }
}
