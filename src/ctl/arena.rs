//! The hash-consed formula arena: one `u32` id per distinct subformula, children before parents.
//!
//! A node takes 12 bytes (kind and two words), an n-ary node 4 bytes more per child, and the
//! interning table 5 to 11 bytes per node. Interning is O(children), without hashing for literals;
//! two formulas are equal exactly when their ids are.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::{BuildHasher, Hasher};

/// A formula in an [`Arena`]. Ids grow: a child's id is smaller than its parent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u32);

impl Id {
    /// The index of the formula in its arena, for arrays of per-formula data.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The id with this index. The caller vouches that it was handed out by the arena it is used
    /// with.
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

/// One node of a formula, with its children's ids. `And` and `Or` are n-ary (2 or more children,
/// order kept).
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

/// Fills the unused operand places, and those of literals not yet made.
const NONE: Id = Id(u32::MAX);

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

/// A node as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    tag: u8,
    /// The operands; for `And` and `Or` the start and length of a slice of `children`, for a
    /// variable its symbol.
    args: [Id; 2],
}

/// A set of formulas that share all their common subformulas.
#[derive(Debug, Default, Clone)]
pub struct Arena {
    entries: Vec<Entry>,
    children: Vec<Id>,
    /// All but the literals.
    table: HashTable<u32>,
    /// By symbol: the variable and its negation.
    literals: Vec<[Id; 2]>,
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
        self.entries.len()
    }

    /// Whether the arena holds no formula.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
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
        self.literals.push([NONE; 2]);
        let (names, hasher) = (&self.names, &self.hasher);
        self.symbols.insert_unique(hash, new, |&s| hasher.hash_one(&*names[s as usize]));
        Symbol(new)
    }

    /// The node of a formula. O(1).
    pub fn get(&self, id: Id) -> Node<'_> {
        let Entry { tag, args: [a, b] } = self.entries[id.index()];
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
        let Entry { tag, args } = &self.entries[id.index()];
        match *tag {
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
        let nodes = self.entries.capacity() * size_of::<Entry>() + self.table.allocation_size();
        (nodes + (self.children.capacity() + 2 * self.literals.capacity()) * size_of::<Id>()) as u64
    }

    /// Interns a node whose children are in this arena. Does not simplify. O(children), amortised.
    ///
    /// # Panics
    /// When the arena would hold 2^32 formulas, or an `And`/`Or` has fewer than two children.
    pub fn add(&mut self, node: Node<'_>) -> Id {
        let (tag, args) = match node {
            Node::Var(s) => {
                return self.literal(s, 0, Entry { tag: tag::VAR, args: [Id(s.0), NONE] });
            }
            Node::Not(a) => match self.get(a) {
                Node::Var(s) => {
                    return self.literal(s, 1, Entry { tag: tag::NOT, args: [a, NONE] });
                }
                _ => (tag::NOT, [a, NONE]),
            },
            Node::And(ids) => return self.add_nary(tag::AND, ids),
            Node::Or(ids) => return self.add_nary(tag::OR, ids),
            Node::True => (tag::TRUE, [NONE; 2]),
            Node::False => (tag::FALSE, [NONE; 2]),
            Node::Implies(a, b) => (tag::IMPLIES, [a, b]),
            Node::Iff(a, b) => (tag::IFF, [a, b]),
            Node::Next(p, a) => (with_path(tag::NEXT, p), [a, NONE]),
            Node::Globally(p, a) => (with_path(tag::GLOBALLY, p), [a, NONE]),
            Node::Finally(p, a) => (with_path(tag::FINALLY, p), [a, NONE]),
            Node::Until(p, a, b) => (with_path(tag::UNTIL, p), [a, b]),
            Node::WeakUntil(p, a, b) => (with_path(tag::WEAK_UNTIL, p), [a, b]),
            Node::Release(p, a, b) => (with_path(tag::RELEASE, p), [a, b]),
        };
        let entry = Entry { tag, args };
        let hash = self.hash(tag, &args);
        match self.table.find(hash, |&i| self.entries[i as usize] == entry) {
            Some(&found) => Id(found),
            None => self.insert(hash, entry),
        }
    }

    /// The variable (sign 0) or its negation (sign 1).
    fn literal(&mut self, symbol: Symbol, sign: usize, entry: Entry) -> Id {
        if self.literals[symbol.0 as usize][sign] == NONE {
            self.literals[symbol.0 as usize][sign] = self.push(entry);
        }
        self.literals[symbol.0 as usize][sign]
    }

    fn add_nary(&mut self, tag: u8, ids: &[Id]) -> Id {
        assert!(ids.len() >= 2, "And and Or have two children or more");
        let hash = self.hash(tag, ids);
        let same = |&i: &u32| {
            let Entry { tag: other, args: [start, len] } = self.entries[i as usize];
            other == tag && len.index() == ids.len() && self.slice(start, len) == ids
        };
        if let Some(&found) = self.table.find(hash, same) {
            return Id(found);
        }
        let start = u32::try_from(self.children.len()).expect("fewer than 2^32 children");
        self.children.extend_from_slice(ids);
        self.insert(hash, Entry { tag, args: [Id(start), Id(ids.len() as u32)] })
    }

    fn hash(&self, tag: u8, operands: &[Id]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        for pair in operands.chunks(2) {
            hasher.write_u64(
                pair.iter().fold(u64::from(tag), |word, id| word << 32 | u64::from(id.0)),
            );
        }
        hasher.write_u8(tag);
        hasher.finish()
    }

    fn push(&mut self, entry: Entry) -> Id {
        let new = Id::from_index(self.entries.len());
        assert!(new != NONE, "fewer than 2^32 - 1 formulas");
        self.entries.push(entry);
        new
    }

    fn insert(&mut self, hash: u64, entry: Entry) -> Id {
        let new = self.push(entry);
        // The table borrows the entries while it grows, so it leaves the arena for the insertion.
        let mut table = std::mem::take(&mut self.table);
        table.insert_unique(hash, new.0, |&i| match self.entries[i as usize] {
            Entry { tag: tag @ (tag::AND | tag::OR), args: [start, len] } => {
                self.hash(tag, self.slice(start, len))
            }
            Entry { tag, args } => self.hash(tag, &args),
        });
        self.table = table;
        new
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

/// The distinct subformulas of a formula, itself first, each before its operands. See
/// [`Arena::subformulas`].
#[derive(Debug)]
pub struct Subformulas<'a> {
    arena: &'a Arena,
    seen: Vec<u64>,
    next: usize,
}

impl Arena {
    /// The distinct subformulas of `id`, in descending order of their ids: a formula before its
    /// operands. O(ids up to `id`) time, one bit for each.
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
