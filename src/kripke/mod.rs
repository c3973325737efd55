//! Finite labelled graphs: Kripke structures whose transition relation need not be total.
//!
//! Vertices and symbols are `u32`. Successors and predecessors lie in compressed rows ([`Rows`]),
//! labels in bit rows, sets of vertices in [`VertexSet`]s. [`Kripke`] implements petgraph's visitor
//! traits, so its algorithms run on it without copying.

mod dot;
mod quotient;
mod rows;
mod set;
mod view;

pub use dot::write_dot;
pub use quotient::quotient;
pub use rows::Rows;
pub use set::VertexSet;

/// A finite labelled graph with a distinguished root. Takes 8 bytes per edge and, per vertex, 8
/// bytes and the label: 8 bytes for every 64 symbols begun.
///
/// ```
/// use theta_chess::kripke::Builder;
/// let mut builder = Builder::new(1);
/// let (day, night) = (builder.vertex(), builder.vertex());
/// builder.edge(day, night);
/// builder.edge(night, day);
/// builder.label(day, 0);
/// let kripke = builder.build(day);
/// assert_eq!(kripke.successors(day), [night]);
/// assert!(kripke.holds(day, 0) && !kripke.holds(night, 0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kripke {
    successors: Rows,
    predecessors: Rows,
    /// `words` words per vertex, bit `s` of a row = symbol `s` holds.
    labels: Vec<u64>,
    words: usize,
    symbols: u32,
    root: u32,
}

impl Kripke {
    /// A structure of these successor rows with `symbols` symbols, none of them true anywhere yet.
    ///
    /// # Panics
    /// When the root or an edge's target is no vertex.
    pub fn new(successors: Rows, symbols: u32, root: u32) -> Self {
        let predecessors = successors.transpose();
        let vertices = successors.len();
        assert!((root as usize) < vertices, "the root is a vertex");
        let words = symbols.div_ceil(64) as usize;
        Self { successors, predecessors, labels: vec![0; words * vertices], words, symbols, root }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.successors.len() as u32
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.successors.entries()
    }

    /// The number of symbols the labels speak of.
    pub fn symbols(&self) -> u32 {
        self.symbols
    }

    /// The distinguished vertex v0.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// The successors of a vertex, ascending when built by [`Builder`]; empty at a dead end.
    pub fn successors(&self, vertex: u32) -> &[u32] {
        self.successors.row(vertex)
    }

    /// The predecessors of a vertex, ascending.
    pub fn predecessors(&self, vertex: u32) -> &[u32] {
        self.predecessors.row(vertex)
    }

    /// Whether a symbol is true at a vertex; a symbol unknown to the structure is true nowhere.
    pub fn holds(&self, vertex: u32, symbol: u32) -> bool {
        symbol < self.symbols && self.label(vertex)[symbol as usize / 64] >> (symbol % 64) & 1 == 1
    }

    /// Makes a symbol true at a vertex.
    ///
    /// # Panics
    /// When there is no such vertex or symbol.
    pub fn set(&mut self, vertex: u32, symbol: u32) {
        assert!(symbol < self.symbols, "a symbol of the structure");
        self.labels[vertex as usize * self.words + symbol as usize / 64] |= 1 << (symbol % 64);
    }

    /// The label of a vertex as words of 64 symbols, the lowest symbol in the lowest bit of the
    /// first word.
    pub fn label(&self, vertex: u32) -> &[u64] {
        &self.labels[vertex as usize * self.words..][..self.words]
    }

    /// Replaces the label of a vertex by these words (as [`Kripke::label`] has them).
    ///
    /// # Panics
    /// When there is no such vertex or the number of words differs.
    pub fn set_label(&mut self, vertex: u32, words: &[u64]) {
        self.labels[vertex as usize * self.words..][..self.words].copy_from_slice(words);
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> u64 {
        let rows =
            self.successors.entries() + self.predecessors.entries() + 2 * self.successors.len();
        (4 * rows + 8 * self.labels.len()) as u64
    }

    /// The symbols true at a vertex, ascending.
    pub fn true_symbols(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        set::ones(self.label(vertex))
    }

    /// The vertices at which a symbol is true. O(vertices).
    pub fn vertices_with(&self, symbol: u32) -> VertexSet {
        let mut set = VertexSet::empty(self.vertices());
        for vertex in (0..self.vertices()).filter(|&v| self.holds(v, symbol)) {
            set.insert(vertex);
        }
        set
    }

    /// The strongly connected components, every component before those that reach it. O(V + E), no
    /// recursion.
    pub fn components(&self) -> Vec<Vec<u32>> {
        petgraph::algo::kosaraju_scc(self)
    }
}

/// Gathers vertices, edges and labels in any order. 8 bytes per edge and per label entry until
/// built.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    vertices: u32,
    symbols: u32,
    edges: Vec<(u32, u32)>,
    labels: Vec<(u32, u32)>,
}

impl Builder {
    /// An empty structure over `symbols` symbols (more are added when a label names them).
    pub fn new(symbols: u32) -> Self {
        Self { symbols, ..Self::default() }
    }

    /// A new vertex; they are numbered from 0.
    pub fn vertex(&mut self) -> u32 {
        self.vertices += 1;
        self.vertices - 1
    }

    /// Adds an edge (once, however often it is added).
    pub fn edge(&mut self, from: u32, to: u32) {
        self.edges.push((from, to));
    }

    /// Makes a symbol true at a vertex.
    pub fn label(&mut self, vertex: u32, symbol: u32) {
        self.symbols = self.symbols.max(symbol + 1);
        self.labels.push((vertex, symbol));
    }

    /// The structure with this root. O(V + E log E).
    ///
    /// # Panics
    /// When the root, an edge or a label names a vertex that was not made.
    pub fn build(mut self, root: u32) -> Kripke {
        self.edges.sort_unstable();
        self.edges.dedup();
        let mut rows = Rows::default();
        let mut edges = self.edges.iter().peekable();
        for vertex in 0..self.vertices {
            while let Some(&(_, to)) = edges.next_if(|(from, _)| *from == vertex) {
                rows.push(to);
            }
            rows.end_row();
        }
        assert!(edges.next().is_none(), "an edge leaves a vertex that was not made");
        let mut kripke = Kripke::new(rows, self.symbols, root);
        for (vertex, symbol) in self.labels {
            kripke.set(vertex, symbol);
        }
        kripke
    }
}

#[cfg(test)]
mod tests;
