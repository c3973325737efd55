//! The hash-consed formula arena: one `u32` id per distinct subformula, children before parents.
//!
//! A node takes 9 bytes (tag and two words), an n-ary node 4 bytes more per child, and the interning
//! table about 5 bytes per node. Interning is O(children); two formulas are equal exactly when their ids are.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// A formula in an [`Arena`]. Ids grow: a child's id is smaller than its parent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u32);

impl Id {
    /// The index of the formula in its arena, for arrays of per-formula data.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The id with this index. The caller vouches that it was handed out by the arena it is used with.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 formulas"))
    }
}

/// A propositional variable of an [`Arena`], numbered from 0 in order of first use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The path quantifier: on all paths, or on some path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Path {
    /// `A`, on all full paths.
    All,
    /// `E`, on some full path.
    Some,
}

impl Path {
    /// The other quantifier.
    #[must_use]
    pub fn dual(self) -> Self {
        match self {
            Self::All => Self::Some,
            Self::Some => Self::All,
        }
    }
}

/// One node of a formula, with its children's ids. `And` and `Or` are n-ary (2 or more children, order kept).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node<'a> {
    /// `T`
    True,
    /// `F`
    False,
    /// A variable.
    Var(Symbol),
    /// `~φ`
    Not(Id),
    /// `φ & ψ & …`
    And(&'a [Id]),
    /// `φ | ψ | …`
    Or(&'a [Id]),
    /// `φ -> ψ`
    Implies(Id, Id),
    /// `φ <-> ψ`
    Iff(Id, Id),
    /// `AX φ`, `EX φ`
    Next(Path, Id),
    /// `AG φ`, `EG φ`
    Globally(Path, Id),
    /// `AF φ`, `EF φ`
    Finally(Path, Id),
    /// `A[φ U ψ]`, `E[φ U ψ]`
    Until(Path, Id, Id),
    /// `A[φ W ψ]`, `E[φ W ψ]`: weak until
    WeakUntil(Path, Id, Id),
    /// `A[φ R ψ]`, `E[φ R ψ]`: release
    Release(Path, Id, Id),
}

mod tag {
    pub(super) const TRUE: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const VAR: u8 = 2;
    pub(super) const NOT: u8 = 3;
    pub(super) const AND: u8 = 4;
    pub(super) const OR: u8 = 5;
    pub(super) const IMPLIES: u8 = 6;
    pub(super) const IFF: u8 = 7;
    /// The temporal tags: this + 2·(operator) + (0 for all paths, 1 for some path).
    pub(super) const NEXT: u8 = 8;
    pub(super) const GLOBALLY: u8 = 10;
    pub(super) const FINALLY: u8 = 12;
    pub(super) const UNTIL: u8 = 14;
    pub(super) const WEAK_UNTIL: u8 = 16;
    pub(super) const RELEASE: u8 = 18;
}

fn with_path(base: u8, path: Path) -> u8 {
    base + u8::from(path == Path::Some)
}

fn path_of(tag: u8) -> Path {
    if tag & 1 == 0 { Path::All } else { Path::Some }
}

/// A set of formulas that share all their common subformulas.
#[derive(Debug, Default, Clone)]
pub struct Arena {
    tags: Vec<u8>,
    /// The operands: two ids, or (start, length) of a slice of `children`, or a symbol.
    args: Vec<[u32; 2]>,
    children: Vec<Id>,
    nodes: HashTable<u32>,
    names: Vec<Box<str>>,
    symbols: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Arena {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of distinct formulas.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether the arena holds no formula.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// The number of distinct variables.
    pub fn symbols(&self) -> usize {
        self.names.len()
    }

    /// The name of a variable.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The symbol of this name, made if new.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        let hash = self.hasher.hash_one(name);
        if let Some(&found) = self.symbols.find(hash, |&s| &*self.names[s as usize] == name) {
            return Symbol(found);
        }
        let new = u32::try_from(self.names.len()).expect("fewer than 2^32 variables");
        self.names.push(name.into());
        let (names, hasher) = (&self.names, &self.hasher);
        self.symbols.insert_unique(hash, new, |&s| hasher.hash_one(&*names[s as usize]));
        Symbol(new)
    }

    /// The node of a formula. O(1).
    pub fn get(&self, id: Id) -> Node<'_> {
        let [a, b] = self.args[id.index()];
        let tag = self.tags[id.index()];
        let slice = || &self.children[a as usize..(a + b) as usize];
        match tag {
            tag::TRUE => Node::True,
            tag::FALSE => Node::False,
            tag::VAR => Node::Var(Symbol(a)),
            tag::NOT => Node::Not(Id(a)),
            tag::AND => Node::And(slice()),
            tag::OR => Node::Or(slice()),
            tag::IMPLIES => Node::Implies(Id(a), Id(b)),
            tag::IFF => Node::Iff(Id(a), Id(b)),
            _ => {
                let path = path_of(tag);
                match tag & !1 {
                    tag::NEXT => Node::Next(path, Id(a)),
                    tag::GLOBALLY => Node::Globally(path, Id(a)),
                    tag::FINALLY => Node::Finally(path, Id(a)),
                    tag::UNTIL => Node::Until(path, Id(a), Id(b)),
                    tag::WEAK_UNTIL => Node::WeakUntil(path, Id(a), Id(b)),
                    _ => Node::Release(path, Id(a), Id(b)),
                }
            }
        }
    }

    /// Interns a node whose children are in this arena. Does not simplify. O(children), amortised.
    ///
    /// # Panics
    /// When the arena would hold 2^32 formulas, or an `And`/`Or` has fewer than two children.
    pub fn add(&mut self, node: Node<'_>) -> Id {
        let hash = self.hasher.hash_one(node);
        if let Some(&found) = self.nodes.find(hash, |&i| self.get(Id(i)) == node) {
            return Id(found);
        }
        let (tag, args) = match node {
            Node::True => (tag::TRUE, [0, 0]),
            Node::False => (tag::FALSE, [0, 0]),
            Node::Var(s) => (tag::VAR, [s.0, 0]),
            Node::Not(a) => (tag::NOT, [a.0, 0]),
            Node::And(ids) => (tag::AND, self.add_children(ids)),
            Node::Or(ids) => (tag::OR, self.add_children(ids)),
            Node::Implies(a, b) => (tag::IMPLIES, [a.0, b.0]),
            Node::Iff(a, b) => (tag::IFF, [a.0, b.0]),
            Node::Next(p, a) => (with_path(tag::NEXT, p), [a.0, 0]),
            Node::Globally(p, a) => (with_path(tag::GLOBALLY, p), [a.0, 0]),
            Node::Finally(p, a) => (with_path(tag::FINALLY, p), [a.0, 0]),
            Node::Until(p, a, b) => (with_path(tag::UNTIL, p), [a.0, b.0]),
            Node::WeakUntil(p, a, b) => (with_path(tag::WEAK_UNTIL, p), [a.0, b.0]),
            Node::Release(p, a, b) => (with_path(tag::RELEASE, p), [a.0, b.0]),
        };
        let new = Id::from_index(self.tags.len());
        self.tags.push(tag);
        self.args.push(args);
        // The table borrows itself while it grows, so it leaves the arena for the insertion.
        let mut nodes = std::mem::take(&mut self.nodes);
        nodes.insert_unique(hash, new.0, |&i| self.hasher.hash_one(self.get(Id(i))));
        self.nodes = nodes;
        new
    }

    fn add_children(&mut self, ids: &[Id]) -> [u32; 2] {
        assert!(ids.len() >= 2, "And and Or have two children or more");
        let start = u32::try_from(self.children.len()).expect("fewer than 2^32 children");
        self.children.extend_from_slice(ids);
        [start, ids.len() as u32]
    }

    /// `T`
    pub fn truth(&mut self) -> Id {
        self.add(Node::True)
    }

    /// `F`
    pub fn falsity(&mut self) -> Id {
        self.add(Node::False)
    }

    /// The variable of this name.
    pub fn var(&mut self, name: &str) -> Id {
        let symbol = self.symbol(name);
        self.add(Node::Var(symbol))
    }

    /// `~φ`
    pub fn not(&mut self, a: Id) -> Id {
        self.add(Node::Not(a))
    }

    /// The conjunction of any number of formulas: `T` for none, the formula itself for one.
    pub fn and(&mut self, ids: &[Id]) -> Id {
        match ids {
            [] => self.truth(),
            [one] => *one,
            _ => self.add(Node::And(ids)),
        }
    }

    /// The disjunction of any number of formulas: `F` for none, the formula itself for one.
    pub fn or(&mut self, ids: &[Id]) -> Id {
        match ids {
            [] => self.falsity(),
            [one] => *one,
            _ => self.add(Node::Or(ids)),
        }
    }
}
