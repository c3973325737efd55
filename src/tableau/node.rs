//! The numbers of a closure's nodes, which all of the tableau speaks of.

/// A node of a [`Closure`].
pub(super) type NodeId = u32;

/// No node.
pub(super) const NONE: NodeId = u32::MAX;
