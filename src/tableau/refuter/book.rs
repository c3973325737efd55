//! The book of a refutation: its nodes, its clauses, and why each clause holds.
//!
//! A node is a formula of a small core of CTL, named by a number; a literal is a node or, negative,
//! its negation. Every node brings the clauses that define it. Clauses hold at every vertex of every
//! model of the refuted formula; *edge* clauses hold of every edge, their last literal at its end.
//! docs/refutation.md describes the file that is written from this.

use hashbrown::{HashMap, HashSet};

/// A node, negated if negative. Nodes are numbered from 1.
pub(super) type Lit = i32;
/// A clause of the book.
pub(super) type ClauseId = u32;

/// The node of the constant `T`.
pub(super) const TRUE: Lit = 1;
/// The node of `EX T`: this is no dead end.
pub(super) const ALIVE: Lit = 2;

/// Repeated literals of longer clauses are found by hashing.
const SHORT: usize = 64;

/// What a node says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Node {
    True,
    Atom(Box<str>),
    /// The conjunction of two literals or more.
    And(Box<[Lit]>),
    /// `EX` of a literal.
    Next(Lit),
    /// `E[a U b]`; the node after it is `EX` of it.
    SomeUntil(Lit, Lit),
    /// `A[a U b]`; the node after it is `EX` of its negation.
    AllUntil(Lit, Lit),
}

/// Why a clause holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It defines a node, the one with this number; the last literal of an edge clause is meant at
    /// the end of the edge.
    Definition(u32),
    /// By unit propagation.
    Propagation,
    /// From what holds at a successor with this literal.
    Step(Lit),
    /// A conjunct `AG φ` of the root holds everywhere.
    Everywhere,
    /// By induction: the set, and the until that it never keeps.
    Induction(Lit, Lit),
}

#[derive(Debug, Clone, Copy)]
struct Record {
    start: usize,
    len: u32,
    hints: u32,
    why: Why,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) nodes: Vec<Node>,
    /// The first clause of each node's definition.
    pub(super) firsts: Vec<ClauseId>,
    table: HashMap<Node, Lit>,
    records: Vec<Record>,
    /// The literals of each clause, then its hints: clauses by number, those used at the end of the
    /// edge negative.
    words: Vec<i32>,
    pub(super) total: bool,
}

impl Book {
    /// A book with the nodes `T` and `EX T`; with `total`, for models without dead ends.
    pub(super) fn new(total: bool) -> Self {
        let mut book = Self {
            nodes: Vec::new(),
            firsts: Vec::new(),
            table: HashMap::new(),
            records: Vec::new(),
            words: Vec::new(),
            total,
        };
        // Clauses are numbered from 1: number 0 is none.
        book.clause(&[TRUE], &[], Why::Definition(0));
        book.node(Node::True);
        book.node(Node::Next(TRUE));
        if total {
            book.clause(&[ALIVE], &[], Why::Definition(ALIVE as u32));
        }
        book
    }

    /// The number of clauses, the one without number included.
    pub(super) fn clauses(&self) -> usize {
        self.records.len()
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        (self.words.capacity() * 4 + self.records.capacity() * 24 + self.nodes.len() * 150) as u64
    }

    pub(super) fn literals(&self, clause: ClauseId) -> &[Lit] {
        let record = &self.records[clause as usize];
        &self.words[record.start..][..record.len as usize]
    }

    /// The same, to be reordered.
    pub(super) fn literals_mut(&mut self, clause: ClauseId) -> &mut [Lit] {
        let record = &self.records[clause as usize];
        &mut self.words[record.start..][..record.len as usize]
    }

    pub(super) fn hints(&self, clause: ClauseId) -> &[i32] {
        let record = &self.records[clause as usize];
        &self.words[record.start + record.len as usize..][..record.hints as usize]
    }

    pub(super) fn why(&self, clause: ClauseId) -> Why {
        self.records[clause as usize].why
    }

    /// Whether the clause speaks of an edge.
    pub(super) fn is_edge(&self, clause: ClauseId) -> bool {
        match self.why(clause) {
            Why::Definition(node) if node > 0 => {
                let of_next = matches!(self.nodes[node as usize - 1], Node::Next(_));
                of_next && self.firsts[node as usize - 1] == clause
            }
            _ => false,
        }
    }

    /// The edge clause of a node `EX φ`: if φ holds at the end of an edge, `EX φ` at its beginning.
    pub(super) fn link(&self, next: Lit) -> ClauseId {
        debug_assert!(matches!(self.nodes[next as usize - 1], Node::Next(_)));
        self.firsts[next as usize - 1]
    }

    pub(super) fn clause(&mut self, literals: &[Lit], hints: &[i32], why: Why) -> ClauseId {
        let id = u32::try_from(self.records.len()).expect("fewer than 2^32 clauses");
        let start = self.words.len();
        // Repeated literals, as in the definition of `E[p U p]`, are written once.
        if literals.len() > SHORT {
            let mut seen = HashSet::with_capacity(literals.len());
            self.words.extend(literals.iter().filter(|&&l| seen.insert(l)));
        } else {
            for &literal in literals {
                if !self.words[start..].contains(&literal) {
                    self.words.push(literal);
                }
            }
        }
        let len = (self.words.len() - start) as u32;
        self.records.push(Record { start, len, hints: hints.len() as u32, why });
        self.words.extend_from_slice(hints);
        id
    }

    /// The node, made with its clauses if it is new.
    fn node(&mut self, node: Node) -> Lit {
        if let Some(&found) = self.table.get(&node) {
            return found;
        }
        let n = self.push(node.clone());
        let define = |book: &mut Self, clause: &[Lit]| {
            book.clause(clause, &[], Why::Definition(n as u32));
        };
        match node {
            Node::True => define(self, &[n]),
            Node::Atom(_) => {}
            Node::And(parts) => {
                let mut all: Vec<Lit> = parts.iter().map(|&p| -p).collect();
                all.insert(0, n);
                define(self, &all);
                parts.iter().for_each(|&p| define(self, &[-n, p]));
            }
            Node::Next(a) => define(self, &[n, -a]),
            Node::SomeUntil(a, b) => {
                let later = n + 1;
                define(self, &[-n, b, a]);
                define(self, &[-n, b, later]);
                define(self, &[n, -b]);
                define(self, &[n, -a, -later]);
                self.node(Node::Next(n));
            }
            Node::AllUntil(a, b) => {
                let fails = n + 1;
                define(self, &[-n, b, a]);
                define(self, &[-n, b, ALIVE]);
                define(self, &[-n, b, -fails]);
                define(self, &[n, -b]);
                define(self, &[n, -a, -ALIVE, fails]);
                self.node(Node::Next(-n));
            }
        }
        n
    }

    fn push(&mut self, node: Node) -> Lit {
        self.nodes.push(node.clone());
        self.firsts.push(self.records.len() as ClauseId);
        let n = i32::try_from(self.nodes.len()).expect("fewer than 2^31 nodes");
        self.table.insert(node, n);
        n
    }

    pub(super) fn atom(&mut self, name: &str) -> Lit {
        self.node(Node::Atom(name.into()))
    }

    /// The conjunction; of one literal the literal itself, of none `T`.
    pub(super) fn and(&mut self, parts: &[Lit]) -> Lit {
        match parts {
            [] => TRUE,
            [one] => *one,
            _ => self.node(Node::And(parts.into())),
        }
    }

    /// The disjunction; of one literal the literal itself, of none `F`.
    pub(super) fn or(&mut self, parts: &[Lit]) -> Lit {
        let negated: Vec<Lit> = parts.iter().map(|&p| -p).collect();
        -self.and(&negated)
    }

    /// `EX a`
    pub(super) fn some_next(&mut self, a: Lit) -> Lit {
        self.node(Node::Next(a))
    }

    /// `AX a`
    pub(super) fn all_next(&mut self, a: Lit) -> Lit {
        -self.some_next(-a)
    }

    /// `E[a U b]`
    pub(super) fn some_until(&mut self, a: Lit, b: Lit) -> Lit {
        self.node(Node::SomeUntil(a, b))
    }

    /// `A[a U b]`
    pub(super) fn all_until(&mut self, a: Lit, b: Lit) -> Lit {
        self.node(Node::AllUntil(a, b))
    }
}
