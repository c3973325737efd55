//! [`Kripke`] as a petgraph graph: the visitor traits, without copying.

use super::{Kripke, VertexSet};
use petgraph::visit::{
    Data, GraphBase, GraphProp, IntoEdgeReferences, IntoNeighbors, IntoNeighborsDirected,
    IntoNodeIdentifiers, IntoNodeReferences, NodeCompactIndexable, NodeCount, NodeIndexable,
    Visitable,
};
use petgraph::{Directed, Direction};

/// The vertices carry no weight beside their number, the edges none at all.
impl Data for Kripke {
    type NodeWeight = ();
    type EdgeWeight = ();
}

impl GraphBase for Kripke {
    type NodeId = u32;
    type EdgeId = (u32, u32);
}

impl GraphProp for Kripke {
    type EdgeType = Directed;
}

impl NodeCount for Kripke {
    fn node_count(&self) -> usize {
        self.vertices() as usize
    }
}

impl NodeIndexable for Kripke {
    fn node_bound(&self) -> usize {
        self.vertices() as usize
    }

    fn to_index(&self, vertex: u32) -> usize {
        vertex as usize
    }

    fn from_index(&self, index: usize) -> u32 {
        index as u32
    }
}

impl NodeCompactIndexable for Kripke {}

impl Visitable for Kripke {
    type Map = VertexSet;

    fn visit_map(&self) -> VertexSet {
        VertexSet::empty(self.vertices())
    }

    fn reset_map(&self, map: &mut VertexSet) {
        *map = self.visit_map();
    }
}

impl<'a> IntoNeighbors for &'a Kripke {
    type Neighbors = std::iter::Copied<std::slice::Iter<'a, u32>>;

    fn neighbors(self, vertex: u32) -> Self::Neighbors {
        self.successors(vertex).iter().copied()
    }
}

impl<'a> IntoNeighborsDirected for &'a Kripke {
    type NeighborsDirected = std::iter::Copied<std::slice::Iter<'a, u32>>;

    fn neighbors_directed(self, vertex: u32, direction: Direction) -> Self::NeighborsDirected {
        match direction {
            Direction::Outgoing => self.successors(vertex),
            Direction::Incoming => self.predecessors(vertex),
        }
        .iter()
        .copied()
    }
}

impl IntoNodeIdentifiers for &Kripke {
    type NodeIdentifiers = std::ops::Range<u32>;

    fn node_identifiers(self) -> Self::NodeIdentifiers {
        0..self.vertices()
    }
}

impl<'a> IntoNodeReferences for &'a Kripke {
    type NodeRef = (u32, &'a ());
    type NodeReferences = std::iter::Map<std::ops::Range<u32>, fn(u32) -> (u32, &'a ())>;

    fn node_references(self) -> Self::NodeReferences {
        (0..self.vertices()).map(|vertex| (vertex, &()))
    }
}

impl<'a> IntoEdgeReferences for &'a Kripke {
    type EdgeRef = (u32, u32, &'a ());
    type EdgeReferences = Box<dyn Iterator<Item = Self::EdgeRef> + 'a>;

    fn edge_references(self) -> Self::EdgeReferences {
        Box::new(
            (0..self.vertices())
                .flat_map(|from| self.successors(from).iter().map(move |&to| (from, to, &()))),
        )
    }
}
