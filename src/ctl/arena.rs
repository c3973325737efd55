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

/// Fills the unused operand places.
const NONE: Id = Id(0);

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
    /// The operands; for `And` and `Or` the start and length of a slice of `children`, for a variable its symbol.
    args: Vec<[Id; 2]>,
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
        match tag {
            tag::TRUE => Node::True,
            tag::FALSE => Node::False,
            tag::VAR => Node::Var(Symbol(a.0)),
            tag::NOT => Node::Not(a),
            tag::AND => Node::And(self.slice(a, b)),
            tag::OR => Node::Or(self.slice(a, b)),
            tag::IMPLIES => Node::Implies(a, b),
            tag::IFF => Node::Iff(a, b),
            _ => {
                let path = path_of(tag);
                match tag & !1 {
                    tag::NEXT => Node::Next(path, a),
                    tag::GLOBALLY => Node::Globally(path, a),
                    tag::FINALLY => Node::Finally(path, a),
                    tag::UNTIL => Node::Until(path, a, b),
                    tag::WEAK_UNTIL => Node::WeakUntil(path, a, b),
                    _ => Node::Release(path, a, b),
                }
            }
        }
    }

    /// The immediate subformulas, in order. O(1).
    pub fn operands(&self, id: Id) -> &[Id] {
        let args = &self.args[id.index()];
        match self.tags[id.index()] {
            tag::TRUE | tag::FALSE | tag::VAR => &[],
            tag::AND | tag::OR => self.slice(args[0], args[1]),
            tag::NOT | tag::NEXT..tag::UNTIL => &args[..1],
            _ => args,
        }
    }

    fn slice(&self, start: Id, len: Id) -> &[Id] {
        &self.children[start.index()..start.index() + len.index()]
    }

    /// The bytes that the arena holds, without the text of the names.
    pub fn bytes(&self) -> u64 {
        let per_node = 1 + size_of::<[Id; 2]>();
        (self.tags.capacity() * per_node + self.children.capacity() * size_of::<Id>() + self.nodes.allocation_size())
            as u64
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
            Node::True => (tag::TRUE, [NONE; 2]),
            Node::False => (tag::FALSE, [NONE; 2]),
            Node::Var(s) => (tag::VAR, [Id(s.0), NONE]),
            Node::Not(a) => (tag::NOT, [a, NONE]),
            Node::And(ids) => (tag::AND, self.add_children(ids)),
            Node::Or(ids) => (tag::OR, self.add_children(ids)),
            Node::Implies(a, b) => (tag::IMPLIES, [a, b]),
            Node::Iff(a, b) => (tag::IFF, [a, b]),
            Node::Next(p, a) => (with_path(tag::NEXT, p), [a, NONE]),
            Node::Globally(p, a) => (with_path(tag::GLOBALLY, p), [a, NONE]),
            Node::Finally(p, a) => (with_path(tag::FINALLY, p), [a, NONE]),
            Node::Until(p, a, b) => (with_path(tag::UNTIL, p), [a, b]),
            Node::WeakUntil(p, a, b) => (with_path(tag::WEAK_UNTIL, p), [a, b]),
            Node::Release(p, a, b) => (with_path(tag::RELEASE, p), [a, b]),
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

    fn add_children(&mut self, ids: &[Id]) -> [Id; 2] {
        assert!(ids.len() >= 2, "And and Or have two children or more");
        let start = u32::try_from(self.children.len()).expect("fewer than 2^32 children");
        self.children.extend_from_slice(ids);
        [Id(start), Id(ids.len() as u32)]
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

/// The distinct subformulas of a formula, itself first, each before its operands. See [`Arena::subformulas`].
#[derive(Debug)]
pub struct Subformulas<'a> {
    arena: &'a Arena,
    seen: Vec<u64>,
    next: usize,
}

impl Arena {
    /// The distinct subformulas of `id`, in descending order of their ids: a formula before its operands.
    /// O(ids up to `id`) time, one bit for each.
    pub fn subformulas(&self, id: Id) -> Subformulas<'_> {
        let mut seen = vec![0; id.index() / 64 + 1];
        seen[id.index() / 64] |= 1 << (id.index() % 64);
        Subformulas { arena: self, seen, next: id.index() + 1 }
    }
}

impl Iterator for Subformulas<'_> {
    type Item = Id;

    fn next(&mut self) -> Option<Id> {
        while self.next > 0 {
            self.next -= 1;
            if self.seen[self.next / 64] >> (self.next % 64) & 1 == 1 {
                let id = Id::from_index(self.next);
                for operand in self.arena.operands(id) {
                    self.seen[operand.index() / 64] |= 1 << (operand.index() % 64);
                }
                return Some(id);
            }
        }
        None
    }
}
