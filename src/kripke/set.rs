//! Sets of vertices as bit rows.

/// A set of vertices out of a fixed number of them, one bit each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VertexSet {
    words: Vec<u64>,
    vertices: u32,
}

impl VertexSet {
    /// No vertex out of `vertices`.
    pub fn empty(vertices: u32) -> Self {
        Self { words: vec![0; vertices.div_ceil(64) as usize], vertices }
    }

    /// All `vertices` vertices.
    pub fn full(vertices: u32) -> Self {
        let mut set = Self::empty(vertices);
        set.complement();
        set
    }

    /// The number of vertices it is chosen from.
    pub fn universe(&self) -> u32 {
        self.vertices
    }

    /// The number of its vertices.
    pub fn len(&self) -> u32 {
        self.words.iter().map(|w| w.count_ones()).sum()
    }

    /// Whether it holds no vertex.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// Whether it holds this vertex.
    ///
    /// # Panics
    /// When there is no such vertex (up to the next multiple of 64).
    pub fn contains(&self, vertex: u32) -> bool {
        self.words[vertex as usize / 64] >> (vertex % 64) & 1 == 1
    }

    /// Adds a vertex; whether it is new.
    pub fn insert(&mut self, vertex: u32) -> bool {
        let new = !self.contains(vertex);
        self.words[vertex as usize / 64] |= 1 << (vertex % 64);
        new
    }

    /// Takes a vertex out.
    pub fn remove(&mut self, vertex: u32) {
        self.words[vertex as usize / 64] &= !(1 << (vertex % 64));
    }

    /// Becomes the set of the other vertices.
    pub fn complement(&mut self) {
        self.words.iter_mut().for_each(|w| *w = !*w);
        if let (Some(last), tail @ 1..) = (self.words.last_mut(), self.vertices % 64) {
            *last &= (1 << tail) - 1;
        }
    }

    /// Keeps the vertices that are in `other` too.
    pub fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(w, o)| *w &= o);
    }

    /// Adds the vertices of `other`.
    pub fn unite(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(w, o)| *w |= o);
    }

    /// Takes the vertices of `other` out.
    pub fn subtract(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(w, o)| *w &= !o);
    }

    /// Becomes the set of the vertices that are in one of the two only.
    pub fn toggle(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(w, o)| *w ^= o);
    }

    /// Its vertices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        ones(&self.words)
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.words) as u64
    }
}

/// The positions of the one bits, ascending.
pub(super) fn ones(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(index as u32 * 64 + bit)
        })
    })
}

/// Lets petgraph's algorithms mark visited vertices.
impl petgraph::visit::VisitMap<u32> for VertexSet {
    fn visit(&mut self, vertex: u32) -> bool {
        self.insert(vertex)
    }

    fn is_visited(&self, vertex: &u32) -> bool {
        self.contains(*vertex)
    }

    fn unvisit(&mut self, vertex: u32) -> bool {
        let was = self.contains(vertex);
        self.remove(vertex);
        was
    }
}
