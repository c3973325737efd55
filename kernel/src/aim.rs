//! Aims `AF φ` that a certificate claims to be forced: φ as a list of nodes, and its truth on a
//! position.
//!
//! The nodes stand in postorder, each naming earlier ones by their numbers; the last one is φ. No
//! text is parsed here, and nothing recurses: a position is evaluated by passes over the list.
//!
//! φ speaks of one position, but for `AX`: "after every legal move", whoever is to move; a final
//! position repeats itself. Where the owner of the strategy is to move that is more than it needs,
//! so `AX` may not stand under a negation or an equivalence, and may be nested [`MAX_AHEAD`] deep.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5
//! (reduced aims).

use super::atom::Atom;
use super::claim::number;
use super::meter::{Abandoned, Meter};
use super::moves::{has_move, successors};
use super::vector::{Profile, Vector};
use std::fmt;

/// The most nodes of an aim.
pub const MAX_NODES: usize = 4096;
/// The deepest nesting of `AX`: four moves are about a million positions.
pub const MAX_AHEAD: u8 = 4;

/// A formula of an aim; numbers are those of earlier nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Always or never true.
    Constant(bool),
    /// A statement about the position.
    Atom(Atom),
    /// ¬a, where a does not look ahead.
    Not(u32),
    /// a ∧ b
    And(u32, u32),
    /// a ∨ b
    Or(u32, u32),
    /// a ↔ b, where neither looks ahead.
    Iff(u32, u32),
    /// AX a: a holds after every legal move, or here if there is none.
    Next(u32),
}

/// Why nodes are no aim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AimFault {
    /// There is no node.
    Empty,
    /// More than [`MAX_NODES`].
    TooMany,
    /// A line that is no node.
    Node(usize),
    /// A node that names itself or a later one.
    Order(usize),
    /// `AX` is nested too deep.
    TooFar,
    /// `AX` under a negation or an equivalence.
    Negated,
}

impl fmt::Display for AimFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it has no node"),
            Self::TooMany => write!(f, "it has more than {MAX_NODES} nodes"),
            Self::Node(at) => write!(f, "node {at} cannot be read"),
            Self::Order(at) => write!(f, "node {at} does not name earlier ones"),
            Self::TooFar => write!(f, "AX is nested more than {MAX_AHEAD} deep"),
            Self::Negated => f.write_str("AX stands under a negation or an equivalence"),
        }
    }
}

impl std::error::Error for AimFault {}

impl Node {
    /// Reads the node of this number, as [`Aim::lines`] writes it.
    pub(crate) fn read(text: &str, at: usize) -> Result<Self, AimFault> {
        let words: Vec<&str> = text.split(' ').collect();
        let id = |word: &str| number(word).ok_or(AimFault::Node(at));
        Ok(match words[..] {
            ["true"] => Self::Constant(true),
            ["false"] => Self::Constant(false),
            ["not", a] => Self::Not(id(a)?),
            ["and", a, b] => Self::And(id(a)?, id(b)?),
            ["or", a, b] => Self::Or(id(a)?, id(b)?),
            ["iff", a, b] => Self::Iff(id(a)?, id(b)?),
            ["next", a] => Self::Next(id(a)?),
            _ => Self::Atom(Atom::read(text).ok_or(AimFault::Node(at))?),
        })
    }

    /// The nodes that it names.
    pub fn parts(&self) -> Vec<u32> {
        match *self {
            Self::Constant(_) | Self::Atom(_) => Vec::new(),
            Self::Not(a) | Self::Next(a) => vec![a],
            Self::And(a, b) | Self::Or(a, b) | Self::Iff(a, b) => vec![a, b],
        }
    }
}

/// An aim `AF φ`: the nodes of φ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aim {
    nodes: Vec<Node>,
}

/// What is known of a node in a position: false, true, or nothing before moves are looked at.
type Truth = Option<bool>;

/// A position as an aim sees it: what stands where, and the positions after its legal moves. The
/// kernel's own are vectors under the paper's rules; a faster board may stand for them elsewhere.
pub trait Place: Clone {
    /// The position.
    fn vector(&self) -> Vector;
    /// The positions after each legal move.
    fn after(&self) -> Vec<Self>;
    /// Whether there is a legal move.
    fn has_move(&self) -> bool;
}

impl Place for Vector {
    fn vector(&self) -> Vector {
        *self
    }

    fn after(&self) -> Vec<Self> {
        successors(Profile::Fide, self).into_iter().map(|(_, z)| z).collect()
    }

    fn has_move(&self) -> bool {
        has_move(Profile::Fide, self)
    }
}

/// A position that is being looked at.
struct Frame<P> {
    place: P,
    y: Vector,
    known: Vec<Truth>,
    /// The nodes that are asked for.
    wanted: Vec<u32>,
    /// Whether there is a legal move, once it matters.
    can_move: Truth,
    /// The positions after its moves that are still to be looked at; none before they are needed.
    left: Option<Vec<P>>,
}

impl Aim {
    /// The aim of these nodes.
    ///
    /// # Errors
    /// What is not as it should be.
    pub fn new(nodes: Vec<Node>) -> Result<Self, AimFault> {
        if nodes.is_empty() {
            return Err(AimFault::Empty);
        }
        if nodes.len() > MAX_NODES {
            return Err(AimFault::TooMany);
        }
        let mut ahead: Vec<u8> = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            if matches!(node, Node::Atom(atom) if !atom.is_sound()) {
                return Err(AimFault::Node(at));
            }
            let parts = node.parts();
            if parts.iter().any(|&part| part as usize >= at) {
                return Err(AimFault::Order(at));
            }
            let most = parts.iter().map(|&part| ahead[part as usize]).max().unwrap_or(0);
            if most > 0 && matches!(node, Node::Not(_) | Node::Iff(..)) {
                return Err(AimFault::Negated);
            }
            let moves = most + u8::from(matches!(node, Node::Next(_)));
            if moves > MAX_AHEAD {
                return Err(AimFault::TooFar);
            }
            ahead.push(moves);
        }
        Ok(Self { nodes })
    }

    /// The nodes in postorder; the last one is φ.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The lines that a certificate of version 4 carries: `node` and what [`Node`] is.
    pub fn lines(&self) -> Vec<String> {
        let line = |node: &Node| match node {
            Node::Constant(value) => format!("node {value}"),
            Node::Atom(atom) => format!("node {}", atom.words()),
            Node::Not(a) => format!("node not {a}"),
            Node::And(a, b) => format!("node and {a} {b}"),
            Node::Or(a, b) => format!("node or {a} {b}"),
            Node::Iff(a, b) => format!("node iff {a} {b}"),
            Node::Next(a) => format!("node next {a}"),
        };
        self.nodes.iter().map(line).collect()
    }

    /// Whether φ holds at a place. A position is looked at once and every node once in it, moves only
    /// where atoms leave a question open: about 100 ns a node, and what the moves cost.
    pub fn holds_at<P: Place>(&self, place: &P) -> bool {
        matches!(self.holds(place, &mut Meter::new(&mut |_| true)), Ok(true))
    }

    /// As [`Aim::holds_at`]; what it takes is counted on the meter.
    pub(crate) fn holds<P: Place>(
        &self,
        place: &P,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Abandoned> {
        let goal = self.nodes.len() - 1;
        let mut stack = vec![self.look(place.clone(), vec![goal as u32], meter)?];
        while let Some(frame) = stack.last_mut() {
            if frame.wanted.iter().all(|&node| frame.known[node as usize].is_some()) {
                let Some(done) = stack.pop() else { break };
                match stack.last_mut() {
                    None => return Ok(done.known[goal] == Some(true)),
                    Some(before) => self.refute(before, &done, meter)?,
                }
                continue;
            }
            let open = self.open(frame);
            match frame.left.as_mut().map(Vec::pop) {
                // The first question that only moves can answer.
                None => {
                    meter.moves()?;
                    let after = frame.place.after();
                    frame.can_move = Some(!after.is_empty());
                    frame.left = Some(after);
                    self.settle(frame, meter)?;
                }
                Some(Some(z)) => {
                    let mut wanted: Vec<u32> = open.iter().map(|&(_, asked)| asked).collect();
                    wanted.sort_unstable();
                    wanted.dedup();
                    let after = self.look(z, wanted, meter)?;
                    stack.push(after);
                }
                // No move refutes what is open.
                Some(None) => {
                    open.iter().for_each(|&(node, _)| frame.known[node as usize] = Some(true));
                    self.settle(frame, meter)?;
                }
            }
        }
        Ok(false)
    }

    fn look<P: Place>(
        &self,
        place: P,
        wanted: Vec<u32>,
        meter: &mut Meter<'_>,
    ) -> Result<Frame<P>, Abandoned> {
        let (y, known) = (place.vector(), vec![None; self.nodes.len()]);
        let mut frame = Frame { place, y, known, wanted, can_move: None, left: None };
        self.settle(&mut frame, meter)?;
        Ok(frame)
    }

    /// What a position after a move says of the open `AX` nodes.
    fn refute<P: Place>(
        &self,
        frame: &mut Frame<P>,
        after: &Frame<P>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Abandoned> {
        let mut refuted = false;
        for (node, asked) in self.open(frame) {
            if after.known[asked as usize] == Some(false) {
                frame.known[node as usize] = Some(false);
                refuted = true;
            }
        }
        if refuted { self.settle(frame, meter) } else { Ok(()) }
    }

    /// The `AX` nodes that what is wanted depends on and that are not known, with what they ask of
    /// the positions after the moves.
    fn open<P>(&self, frame: &Frame<P>) -> Vec<(u32, u32)> {
        let mut matters = vec![false; self.nodes.len()];
        frame.wanted.iter().for_each(|&node| matters[node as usize] = true);
        let mut found = Vec::new();
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if !matters[at] || frame.known[at].is_some() {
                continue;
            }
            match *node {
                Node::Next(asked) => found.push((at as u32, asked)),
                _ => node.parts().iter().for_each(|&part| matters[part as usize] = true),
            }
        }
        found
    }

    /// Works out what follows from the atoms and from what is known of `AX` nodes.
    fn settle<P: Place>(
        &self,
        frame: &mut Frame<P>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Abandoned> {
        meter.spend(self.nodes.len() as u64)?;
        for (at, node) in self.nodes.iter().enumerate() {
            if frame.known[at].is_some() {
                continue;
            }
            let known = |part: u32| frame.known[part as usize];
            frame.known[at] = match node {
                Node::Constant(value) => Some(*value),
                Node::Atom(atom) => {
                    let ends = atom.asks_for_moves(&frame.y);
                    if ends && frame.can_move.is_none() {
                        meter.moves()?;
                        frame.can_move = Some(frame.place.has_move());
                    }
                    Some(atom.holds(&frame.y, !ends || frame.can_move == Some(true)))
                }
                Node::Not(a) => known(*a).map(|a| !a),
                Node::And(a, b) => match (known(*a), known(*b)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                },
                Node::Or(a, b) => match (known(*a), known(*b)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                },
                Node::Iff(a, b) => known(*a).and_then(|a| Some(a == known(*b)?)),
                // A final position repeats itself.
                Node::Next(a) if frame.can_move == Some(false) => known(*a),
                Node::Next(_) => None,
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::atom::{Comparison, Sum, Term};
    use super::super::legal::Side;
    use super::*;
    use crate::{code, parse_fen};

    fn holds(aim: &Aim, fen: &str) -> Option<bool> {
        let y = parse_fen(fen, Profile::Fide).unwrap();
        let mut steps = 0u32;
        let mut go_on = |_: u64| {
            steps += 1;
            steps < 1000
        };
        aim.holds(&y, &mut Meter::new(&mut go_on)).ok()
    }

    fn queens(at_least: i32) -> Node {
        let sum = |term| Sum(vec![(false, term)]);
        let (left, right) = (sum(Term::Count(code::QUEEN)), sum(Term::Number(at_least)));
        Node::Atom(Atom::Compare(left, Comparison::GreaterEqual, right))
    }
    /// A queen that the opponent cannot take at once: `count(Q) >= 1 & black_to_move & AX …`.
    fn safe_queen() -> Aim {
        Aim::new(vec![
            queens(1),
            Node::Atom(Atom::ToMove(Side::Black)),
            Node::Next(0),
            Node::And(0, 1),
            Node::And(3, 2),
        ])
        .unwrap()
    }

    #[test]
    fn looking_ahead() {
        for (fen, expected) in [
            ("7k/8/8/3Q4/8/8/8/K7 b - -", true),
            ("8/8/4k3/3Q4/8/8/8/K7 b - -", false),
            ("7k/8/8/3Q4/8/8/8/K7 w - -", false),
            ("7k/5Q2/6K1/8/8/8/8/8 b - -", true),
        ] {
            assert_eq!(holds(&safe_queen(), fen), Some(expected), "{fen}");
        }
    }

    #[test]
    fn written_and_read() {
        let aim = safe_queen();
        let lines = aim.lines();
        let read = |(at, line): (usize, &String)| {
            Node::read(line.strip_prefix("node ").unwrap(), at).unwrap()
        };
        let again = Aim::new(lines.iter().enumerate().map(read).collect()).unwrap();
        assert_eq!(again, aim);
        assert_eq!(lines[0], "node compare + count Q >= + 1");
    }

    #[test]
    fn what_is_no_aim() {
        let king = || Node::Atom(Atom::On(code::KING, 5));
        assert_eq!(Aim::new(vec![]), Err(AimFault::Empty));
        assert_eq!(Aim::new(vec![king(), Node::Not(1)]), Err(AimFault::Order(1)));
        let negated = vec![king(), Node::Next(0), Node::Not(1)];
        assert_eq!(Aim::new(negated), Err(AimFault::Negated));
        let far = (0..6).map(|n| if n == 0 { king() } else { Node::Next(n - 1) }).collect();
        assert_eq!(Aim::new(far), Err(AimFault::TooFar));
        assert_eq!(Aim::new(vec![Node::Atom(Atom::On(1, 65))]), Err(AimFault::Node(0)));
        assert_eq!(Aim::new(vec![king(); MAX_NODES + 1]), Err(AimFault::TooMany));
        assert_eq!(Node::read("on K i9", 0), Err(AimFault::Node(0)));
    }

    #[test]
    fn a_shared_graph_is_walked_once_and_a_hopeless_one_is_left() {
        let mut nodes = vec![Node::Atom(Atom::ToMove(Side::White))];
        nodes.extend((0..2000).map(|n| Node::And(n, n)));
        let aim = Aim::new(nodes).unwrap();
        assert_eq!(holds(&aim, "7k/8/8/3Q4/8/8/8/K7 w - -"), Some(true));
        let mut nodes = vec![Node::Atom(Atom::ToMove(Side::White))];
        nodes.extend((0..4).map(Node::Next));
        let far = Aim::new(nodes).unwrap();
        let open = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -";
        assert_eq!(holds(&far, open), None, "a thousand looks at the limits are not enough");
    }
}
