//! A strategy put in reading order: every position once, the main line first, then by distance from
//! the root.
//!
//! Text, PGN, JSON, DOT and HTML are all printed from an [`Outline`]: it numbers the positions,
//! says at which of its occurrences a position is written out (elsewhere it is only named), and
//! makes the [`Node`] of a number when it is asked for, so that a strategy of a million positions
//! needs no tree in memory.

use crate::aim::{Aim, Goal};
use crate::certificate::{Answer, Certificate, Claim, Strategy};
use crate::chess::board::{Board, ChessMove, move_of};
use crate::chess::{Packed, Side, Turn, fen};
use crate::chess::{bare_king, cannot_be_mated};
use serde::Serialize;

/// How a game ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The side to move is mated.
    Mate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// The opponent has nothing but its king and can never mate: the owner holds whatever it plays.
    BareKing,
    /// The opponent has a king and one knight or bishop against a bare king: no sequence of moves
    /// leads to mate.
    LoneMinor,
    /// Nothing can mate the owner: a closed set proves it.
    Shut,
    /// The aim of the certificate is reached; what follows is not said.
    Aim,
}

/// A move in both notations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MoveText {
    /// UCI notation: `e7e8q`.
    pub uci: String,
    /// Standard algebraic notation with check and mate signs: `e8=Q#`.
    pub san: String,
}

/// A reply of the opponent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// The move.
    #[serde(flatten)]
    pub text: MoveText,
    /// The node it leads to; `None` (JSON null) where that lies beyond the depth of the outline.
    pub to: Option<u32>,
    /// Plies to mate (in the strategy of an aim, to the aim) at most after it; `None` in a holding
    /// strategy.
    pub mate_plies: Option<u32>,
}

/// A position of the strategy: what its owner plays there, and every reply to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its number; 0 is the root.
    pub id: u32,
    /// The position.
    pub fen: String,
    /// The owner's move. `None` at a root with the opponent to move (the replies are then that
    /// root's moves), and where the game is over.
    pub play: Option<MoveText>,
    /// Plies to mate (in the strategy of an aim, to the aim) at most from this position; `None` in
    /// a holding strategy.
    pub mate_plies: Option<u32>,
    /// How the game ends: after the owner's move, or here where no move is given.
    pub end: Option<End>,
    /// The opponent's moves after the owner's, the one that resists longest first.
    pub replies: Vec<Reply>,
}

/// What stands above a strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Heading {
    /// The root position.
    pub fen: String,
    /// The formula whose model the strategy is: `theta1`, `theta3`, `hold2`, `hold4`, or `aim` for
    /// a reduced aim.
    pub formula: &'static str,
    /// Whose strategy it is.
    #[serde(serialize_with = "crate::chess::serialize_side")]
    pub owner: Side,
    /// What the certificate proves, in words.
    pub claim: String,
    /// The reduced aim that is forced, if that is what the certificate is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim: Option<String>,
    /// Plies to mate at most; `None` in a holding strategy and in that of a reduced aim.
    pub mate_plies: Option<u32>,
    /// Whether no mate takes fewer plies, where that is proved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shortest: bool,
    /// Positions of the strategy with the owner to move.
    pub positions: u32,
    /// Nodes written out here (fewer where `--depth` or a size limit cuts).
    pub shown: u32,
    /// Remarks of the certificate.
    pub notes: Vec<String>,
}

/// Why a certificate has no outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutlineError {
    /// It is about the other side.
    #[error("the certificate has no strategy for {0}")]
    NoStrategy(Side),
    /// A position of the strategy is none, a move is not legal, or a reply has no answer.
    #[error("the strategy is none: {0}")]
    Broken(&'static str),
}

/// The root where it is no position of the strategy: the opponent is to move, or no move is needed.
const AT_ROOT: u32 = u32::MAX;
const UNSEEN: u32 = u32::MAX;

/// A strategy in reading order. 13 bytes and a bit for each position. A folded one is
/// unfolded: each image that arises is a node of its own (36 bytes for each position more).
#[derive(Debug)]
pub struct Outline<'a> {
    strategy: &'a Strategy,
    certificate: &'a Certificate,
    /// Where a reduced aim is reached by a reply: positions that the strategy has no move for, in
    /// order. They are numbered after its own. Empty in other strategies.
    ends: Vec<Packed>,
    /// The reduced aim.
    goal: Option<Goal>,
    /// Strategy numbers in reading order.
    order: Vec<u32>,
    /// For each node how the strategy's position is turned.
    turns: Vec<Turn>,
    /// The node of each strategy number, in a folded strategy of each number and turn.
    number: Vec<u32>,
    /// For each node the node under which it is written out.
    parent: Vec<u32>,
    /// Whether a node is named at other places than the one where it is written out.
    shared: Vec<bool>,
    /// Nodes `0..main` are the line of longest resistance.
    main: u32,
    /// Whether no mate takes fewer plies.
    shortest: bool,
}

/// A legal move of the opponent and the strategy number of the position after it.
struct Edge {
    m: ChessMove,
    to: u32,
    turn: Turn,
    rank: u32,
}

/// A position with the owner's move made.
struct Played {
    before: Board,
    play: Option<ChessMove>,
    after: Board,
}

impl<'a> Outline<'a> {
    /// The same outline, said to mate as quickly as can be: a certificate proves that it mates
    /// within so many plies, that fewer are not enough is proved elsewhere.
    #[must_use]
    pub fn with_shortest(self, shortest: bool) -> Self {
        Self { shortest, ..self }
    }

    /// The outline of a certificate's strategy of this side; `depth` is how many moves of the owner
    /// are followed, `None` all. Two look-ups and about 300 ns for each reply in the strategy.
    ///
    /// # Errors
    /// When the certificate has no strategy of this side, or one that is none (what `verify`
    /// accepts is one, down to every depth).
    pub fn new(
        certificate: &'a Certificate,
        owner: Side,
        depth: Option<u32>,
    ) -> Result<Self, OutlineError> {
        let strategy = certificate.strategies.iter().find(|s| s.owner() == owner);
        let strategy = strategy.ok_or(OutlineError::NoStrategy(owner))?;
        let goal = certificate.aim.as_deref().map(goal_of).transpose()?;
        let ends = if goal.is_some() { ends(strategy)? } else { Vec::new() };
        let places =
            (strategy.len() + ends.len()) * if strategy.folded() { Turn::COUNT } else { 1 };
        let mut outline = Self {
            strategy,
            certificate,
            ends,
            goal,
            order: Vec::new(),
            turns: Vec::new(),
            number: vec![UNSEEN; places],
            parent: Vec::new(),
            shared: Vec::new(),
            main: 0,
            shortest: false,
        };
        let depth = depth.unwrap_or(u32::MAX).max(1);
        outline.lay_main_line(depth)?;
        outline.lay_levels(depth)?;
        Ok(outline)
    }

    /// Where the node of a position is noted.
    fn place(&self, id: u32, turn: Turn) -> usize {
        if self.strategy.folded() { id as usize * Turn::COUNT + turn.index() } else { id as usize }
    }

    /// The number of a position and how it is turned.
    fn find(&self, p: &Packed) -> Option<(u32, Turn)> {
        let end =
            || Some(((self.strategy.len() + self.ends.binary_search(p).ok()?) as u32, Turn::NONE));
        self.strategy.find(p).or_else(end)
    }

    /// The position of a number, and the owner's answer.
    fn at(&self, id: u32) -> (Packed, Answer) {
        match (id as usize).checked_sub(self.strategy.len()) {
            Some(end) => (self.ends[end], Answer { play: None, rank: 0 }),
            None => self.strategy.at(id),
        }
    }

    fn add(&mut self, (id, turn): (u32, Turn), parent: u32) -> u32 {
        let number = self.order.len() as u32;
        if id != AT_ROOT {
            let place = self.place(id, turn);
            self.number[place] = number;
        }
        self.order.push(id);
        self.turns.push(turn);
        self.parent.push(parent);
        self.shared.push(false);
        number
    }

    /// The root, and in a winning strategy the line in which the opponent resists longest.
    fn lay_main_line(&mut self, depth: u32) -> Result<(), OutlineError> {
        let root = self.find(&Packed::from(self.strategy.root())).unwrap_or((AT_ROOT, Turn::NONE));
        let mut last = self.add(root, 0);
        while self.strategy.wins() && self.levels_used(last) < depth {
            let Some(edge) = self.try_edges(last)?.into_iter().next() else { break };
            if self.number[self.place(edge.to, edge.turn)] != UNSEEN {
                return Err(OutlineError::Broken("a win runs in a circle"));
            }
            last = self.add((edge.to, edge.turn), last);
        }
        self.main = self.order.len() as u32;
        Ok(())
    }

    /// Moves of the owner down to a node of the main line, its own included.
    fn levels_used(&self, node: u32) -> u32 {
        if self.order[0] == AT_ROOT { node } else { node + 1 }
    }

    /// What is reached from the main line, level by level. Every node's replies are looked at here:
    /// those of an outline that is made are all there.
    fn lay_levels(&mut self, depth: u32) -> Result<(), OutlineError> {
        let mut level = vec![0];
        let mut at = 0;
        while !level.is_empty() {
            // At the last level nothing is added, but what is known already is named there.
            let last = self.levels_used(at) >= depth;
            let mut next = Vec::new();
            for &node in &level {
                for edge in self.try_edges(node)? {
                    let known = self.number[self.place(edge.to, edge.turn)];
                    if known == UNSEEN {
                        if !last {
                            next.push(self.add((edge.to, edge.turn), node));
                        }
                    } else if self.parent[known as usize] != node || known == 0 {
                        self.shared[known as usize] = true;
                    }
                }
            }
            at += 1;
            if last {
                break;
            }
            // A node of the main line is written out there, even where a shorter way leads to it.
            next.extend((at < self.main).then_some(at));
            level = next;
        }
        Ok(())
    }

    /// The number of nodes.
    pub fn len(&self) -> u32 {
        self.order.len() as u32
    }

    /// Never: the root is always there.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// How many nodes, from the root, are the line of longest resistance.
    pub fn main_line(&self) -> u32 {
        self.main
    }

    /// Whether a node is met at more than one place.
    pub fn shared(&self, node: u32) -> bool {
        self.shared[node as usize]
    }

    /// Whether any node is.
    pub fn shares(&self) -> bool {
        self.shared.contains(&true)
    }

    /// Whether `child`, a reply's target, is written out under `node` (else it is written out
    /// elsewhere).
    pub fn written_under(&self, child: u32, node: u32) -> bool {
        child != 0 && self.parent[child as usize] == node
    }

    /// Whose strategy it is.
    pub fn owner(&self) -> Side {
        self.strategy.owner()
    }

    /// The side to move at the root.
    pub fn first_mover(&self) -> Side {
        Side::to_move(self.strategy.root())
    }

    /// The heading.
    pub fn heading(&self) -> Heading {
        let owner = self.owner();
        let formula = match (self.strategy.wins(), owner) {
            (true, Side::White) => "theta1",
            (true, Side::Black) => "theta3",
            (false, Side::White) => "hold2",
            (false, Side::Black) => "hold4",
        };
        let formula = if self.goal.is_some() { "aim" } else { formula };
        Heading {
            fen: fen(self.strategy.root()),
            formula,
            owner,
            claim: self.certificate.claim.to_string(),
            aim: self.certificate.aim.clone(),
            mate_plies: match self.certificate.claim {
                Claim::Wins(_, plies) => Some(plies),
                _ => None,
            },
            shortest: self.shortest,
            positions: self.strategy.len() as u32,
            shown: self.len(),
            notes: self.certificate.notes.clone(),
        }
    }

    fn played(&self, node: u32) -> Played {
        self.try_played(node).expect("looked at when the outline was made")
    }

    fn try_played(&self, node: u32) -> Result<Played, OutlineError> {
        let (packed, answer) = match self.order[node as usize] {
            AT_ROOT => (Packed::from(self.strategy.root()), None),
            id => {
                let ((packed, answer), turn) = (self.at(id), self.turns[node as usize]);
                (turn.position(&packed), answer.play.map(|m| turn.play(m)))
            }
        };
        let before = board(&packed)?;
        let legal = |m| before.find(m).ok_or(OutlineError::Broken("a move is not legal"));
        let play = answer.map(legal).transpose()?;
        let after = play.map_or_else(|| before.clone(), |m| before.after(m));
        Ok(Played { before, play, after })
    }

    /// The opponent's moves below a node, the longest resistance first.
    fn try_edges(&self, node: u32) -> Result<Vec<Edge>, OutlineError> {
        self.edges_after(&self.try_played(node)?.after)
    }

    fn edges_after(&self, after: &Board) -> Result<Vec<Edge>, OutlineError> {
        if self.decided(after) || after.side_to_move() == self.owner() {
            return Ok(Vec::new());
        }
        let edge = |m: ChessMove| {
            let found = self.find(&after.after(m).packed());
            let (to, turn) = found.ok_or(OutlineError::Broken("a reply is not answered"))?;
            Ok(Edge { m, to, turn, rank: self.at(to).1.rank })
        };
        let mut edges: Vec<Edge> =
            after.legal_moves().into_iter().map(edge).collect::<Result<_, _>>()?;
        edges.sort_by_key(|e| std::cmp::Reverse(e.rank));
        Ok(edges)
    }

    /// Whether a reduced aim is reached, or a holding strategy needs no more moves.
    fn decided(&self, board: &Board) -> bool {
        self.reached(board)
            || !self.strategy.wins()
                && (self.strategy.closed().is_some()
                    || cannot_be_mated(&board.vector(), self.owner()))
    }

    fn reached(&self, board: &Board) -> bool {
        self.goal.as_ref().is_some_and(|goal| goal.holds(board))
    }

    /// Whether the strategy is about a reduced aim.
    pub fn of_aim(&self) -> bool {
        self.goal.is_some()
    }

    fn end(&self, after: &Board) -> Option<End> {
        if self.reached(after) {
            return Some(End::Aim);
        }
        if after.legal_moves().is_empty() {
            return Some(if after.in_check() { End::Mate } else { End::Stalemate });
        }
        let end = if bare_king(&after.vector(), self.owner().other()) {
            End::BareKing
        } else if self.strategy.closed().is_some() {
            End::Shut
        } else {
            End::LoneMinor
        };
        self.decided(after).then_some(end)
    }

    fn mate_plies(&self, id: u32) -> Option<u32> {
        if !self.strategy.wins() {
            return None;
        }
        match (id, self.certificate.claim) {
            (AT_ROOT, Claim::Wins(_, plies) | Claim::Forces(_, plies)) => Some(plies),
            (AT_ROOT, _) => None,
            _ => Some(self.at(id).1.rank),
        }
    }

    /// The node of a number, its moves in both notations. About 1 µs for each reply.
    ///
    /// # Panics
    /// If no node has it.
    pub fn node(&self, number: u32) -> Node {
        let Played { before, play, after } = self.played(number);
        let edges = self.edges_after(&after).expect("looked at when the outline was made");
        let text = |board: &Board, m: ChessMove| MoveText {
            uci: move_of(&m).to_string(),
            san: board.san(m),
        };
        let reply = |edge: Edge| {
            let to = self.number[self.place(edge.to, edge.turn)];
            Reply {
                text: text(&after, edge.m),
                to: (to != UNSEEN).then_some(to),
                mate_plies: self.mate_plies(edge.to),
            }
        };
        Node {
            id: number,
            fen: fen(&before.vector()),
            play: play.map(|m| text(&before, m)),
            mate_plies: self.mate_plies(self.order[number as usize]),
            end: self.end(&after),
            replies: edges.into_iter().map(reply).collect(),
        }
    }

    /// All nodes in order of their numbers, made one at a time.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        (0..self.len()).map(|number| self.node(number))
    }
}

/// The positions after every reply that a strategy has no answer to, in order, each once: there its
/// aim is reached.
fn ends(strategy: &Strategy) -> Result<Vec<Packed>, OutlineError> {
    let mut ends = Vec::new();
    let mut note = |after: &Board| {
        let next = after.legal_moves().into_iter().map(|m| after.after(m).packed());
        ends.extend(next.filter(|p| strategy.find(p).is_none()));
    };
    if Side::to_move(strategy.root()) != strategy.owner() {
        note(&board(&Packed::from(strategy.root()))?);
    }
    for (packed, answer) in strategy.iter() {
        let board = board(&packed)?;
        if let Some(m) = answer.play.and_then(|play| board.find(play)) {
            note(&board.after(m));
        }
    }
    ends.sort_unstable();
    ends.dedup();
    Ok(ends)
}

fn board(packed: &Packed) -> Result<Board, OutlineError> {
    Board::from_packed(packed).map_err(|_| OutlineError::Broken("a position is none"))
}

/// The reduced aim of a certificate.
fn goal_of(text: &str) -> Result<Goal, OutlineError> {
    let broken = OutlineError::Broken("its aim is not of the form AF φ");
    Goal::of(Aim::parse(text).map_err(|_| broken)?).map_err(|_| broken)
}
