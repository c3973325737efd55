//! A decision tree over the cubes of a big disjunction: which disjuncts may still be true under a
//! partial assignment?
//!
//! A disjunction of 10^5 disjuncts, each of which holds a cube (a conjunction of literals), is
//! common where a formula lists the states of a system. Testing the disjuncts one by one costs
//! their number; here a label that decides the cubes' variables finds its disjunct in a number of
//! steps about the logarithm of their number, plus the literals of the cubes it ends at. Where a
//! tested variable is undecided both branches are searched. A cube that does not mention the tested
//! variable goes into a third branch, searched always.
//!
//! 16 bytes per tree node (fewer than two nodes per cube) and 4 bytes per cube.
//!
//! # References
//! J. R. Quinlan, *Induction of decision trees* (1986), for choosing the test that splits best;
//! here on a sample of the cubes.

use super::node::NodeId;

/// Cubes no longer told apart by a test.
const LEAF: usize = 4;
/// The branch that holds no cube.
const EMPTY: u32 = u32::MAX;
/// One of so many cubes is looked at to choose a test, but no fewer than `SAMPLE.0` and no more
/// than `SAMPLE.1`.
const SPARSE: usize = 16;
const SAMPLE: (usize, usize) = (3, 32);

#[derive(Debug, Clone, Copy)]
enum Tree {
    Leaf {
        start: u32,
        len: u32,
    },
    /// The branches for the cubes with the variable negated, plain, and absent.
    Test {
        variable: u32,
        branches: [u32; 3],
    },
}

/// See the module. Disjuncts are named by their position in the disjunction.
#[derive(Debug)]
pub(super) struct CubeIndex {
    tree: Vec<Tree>,
    /// Positions of disjuncts, leaf by leaf.
    leaves: Vec<u32>,
}

/// What a lookup needs to know of a partial assignment.
pub(super) trait Assignment {
    /// The variable's value, if decided.
    fn value(&self, variable: u32) -> Option<bool>;
}

impl CubeIndex {
    /// The index of these cubes, each an ascending list of literal nodes (empty: no cube, always
    /// possible); `literal` gives a node's variable and sign, `nodes` a variable's negated and
    /// plain literal nodes.
    pub(super) fn new(
        cubes: &[&[NodeId]],
        literal: impl Fn(NodeId) -> (u32, bool),
        nodes: &[[NodeId; 2]],
    ) -> Self {
        let index = Self { tree: Vec::new(), leaves: Vec::new() };
        let mut planter =
            Planter { cubes, literal, nodes, counts: vec![[0; 2]; nodes.len()], index };
        planter.plant((0..cubes.len() as u32).collect());
        planter.index
    }

    /// Calls `visit` with every disjunct whose tests the assignment passes (its cube may still be
    /// false: the tests are only those that tell cubes apart) until it answers false. `used` is
    /// called with every variable whose value cut branches off: these literals are why no other
    /// disjunct is visited.
    pub(super) fn visit(
        &self,
        assignment: &impl Assignment,
        mut visit: impl FnMut(u32) -> bool,
        mut used: impl FnMut(u32, bool),
    ) {
        let mut pending = vec![0];
        while let Some(at) = pending.pop() {
            if at == EMPTY {
                continue;
            }
            match self.tree[at as usize] {
                Tree::Leaf { start, len } => {
                    for &disjunct in &self.leaves[start as usize..][..len as usize] {
                        if !visit(disjunct) {
                            return;
                        }
                    }
                }
                Tree::Test { variable, branches: [when_false, when_true, always] } => {
                    pending.push(always);
                    match assignment.value(variable) {
                        Some(value) => {
                            used(variable, value);
                            pending.push(if value { when_true } else { when_false });
                        }
                        None => pending.extend([when_false, when_true]),
                    }
                }
            }
        }
    }
}

struct Planter<'a, L> {
    cubes: &'a [&'a [NodeId]],
    literal: L,
    nodes: &'a [[NodeId; 2]],
    /// How many cubes of the sample hold the variable negated, and plain.
    counts: Vec<[u32; 2]>,
    index: CubeIndex,
}

impl<L: Fn(NodeId) -> (u32, bool)> Planter<'_, L> {
    /// Plants the tree of these cubes. No recursion: trees may be as deep as there are variables.
    fn plant(&mut self, all: Vec<u32>) {
        self.index.tree.push(Tree::Leaf { start: 0, len: 0 });
        let mut pending = vec![(0_usize, all)];
        while let Some((at, cubes)) = pending.pop() {
            let test = if cubes.len() <= LEAF { None } else { self.choose(&cubes) };
            let Some(variable) = test else {
                let start = self.index.leaves.len() as u32;
                self.index.tree[at] = Tree::Leaf { start, len: cubes.len() as u32 };
                self.index.leaves.extend(cubes);
                continue;
            };
            let mut split = [Vec::new(), Vec::new(), Vec::new()];
            for cube in cubes {
                split[self.branch(cube, variable)].push(cube);
            }
            let mut branches = [EMPTY; 3];
            for (branch, part) in
                branches.iter_mut().zip(split).filter(|(_, part)| !part.is_empty())
            {
                *branch = self.index.tree.len() as u32;
                self.index.tree.push(Tree::Leaf { start: 0, len: 0 });
                pending.push((*branch as usize, part));
            }
            self.index.tree[at] = Tree::Test { variable, branches };
        }
    }

    fn branch(&self, cube: u32, variable: u32) -> usize {
        let holds = |sign: usize| {
            let node = self.nodes[variable as usize][sign];
            self.cubes[cube as usize].binary_search(&node).is_ok()
        };
        if holds(0) {
            0
        } else if holds(1) {
            1
        } else {
            2
        }
    }

    /// The variable that splits a sample best; if none splits the sample, one that splits the
    /// whole.
    fn choose(&mut self, cubes: &[u32]) -> Option<u32> {
        let sample = (cubes.len() / SPARSE).clamp(SAMPLE.0, SAMPLE.1);
        let step = cubes.len().div_ceil(sample);
        self.best(cubes.iter().step_by(step)).or_else(|| self.best(cubes.iter()))
    }

    fn best<'c>(&mut self, sample: impl Iterator<Item = &'c u32>) -> Option<u32> {
        let mut touched = Vec::new();
        for &cube in sample {
            for &node in self.cubes[cube as usize] {
                let (variable, sign) = (self.literal)(node);
                let count = &mut self.counts[variable as usize];
                if *count == [0, 0] {
                    touched.push(variable);
                }
                count[usize::from(sign)] += 1;
            }
        }
        let gain = |v: u32| {
            let [negated, plain] = self.counts[v as usize];
            (negated.min(plain), negated + plain, std::cmp::Reverse(v))
        };
        let best = touched.iter().copied().max_by_key(|&v| gain(v)).filter(|&v| gain(v).0 > 0);
        touched.iter().for_each(|&v| self.counts[v as usize] = [0, 0]);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const VARIABLES: u32 = 9;

    /// Node `2 v` is the negated literal of variable v, node `2 v + 1` the plain one.
    fn index(cubes: &[Vec<NodeId>]) -> CubeIndex {
        let cubes: Vec<&[NodeId]> = cubes.iter().map(Vec::as_slice).collect();
        let nodes: Vec<[NodeId; 2]> = (0..VARIABLES).map(|v| [2 * v, 2 * v + 1]).collect();
        CubeIndex::new(&cubes, |node| (node / 2, node % 2 == 1), &nodes)
    }

    struct Partial([i8; VARIABLES as usize]);

    impl Assignment for Partial {
        fn value(&self, variable: u32) -> Option<bool> {
            Some(self.0[variable as usize]).filter(|&v| v != 0).map(|v| v > 0)
        }
    }

    impl Partial {
        fn falsifies(&self, cube: &[NodeId]) -> bool {
            cube.iter().any(|&node| self.value(node / 2) == Some(node % 2 == 0))
        }
    }

    fn random(state: &mut u32, n: u32) -> u32 {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*state >> 8) % n
    }

    #[test]
    fn every_possible_disjunct_is_visited_and_the_others_are_excused() {
        let mut state = 7;
        for _ in 0..200 {
            let cubes: Vec<Vec<NodeId>> = (0..60)
                .map(|_| {
                    let mut value = |v: u32| match random(&mut state, 5) {
                        0 => None,
                        n => Some(2 * v + n % 2),
                    };
                    (0..VARIABLES).filter_map(&mut value).collect()
                })
                .collect();
            let index = index(&cubes);
            let partial = Partial(std::array::from_fn(|_| random(&mut state, 3) as i8 - 1));
            let (mut visited, mut used) = (Vec::new(), Vec::new());
            index.visit(
                &partial,
                |disjunct| {
                    visited.push(disjunct as usize);
                    true
                },
                |variable, value| used.push((variable, value)),
            );
            visited.sort_unstable();
            let mut excuse = Partial([0; VARIABLES as usize]);
            for (variable, value) in used {
                assert_eq!(partial.value(variable), Some(value));
                excuse.0[variable as usize] = if value { 1 } else { -1 };
            }
            for (at, cube) in cubes.iter().enumerate() {
                let is_visited = visited.binary_search(&at).is_ok();
                assert!(is_visited || partial.falsifies(cube), "disjunct {at} is possible");
                assert!(is_visited || excuse.falsifies(cube), "disjunct {at} is not excused");
            }
        }
    }

    #[test]
    fn a_complete_assignment_visits_few_of_many() {
        let cubes: Vec<Vec<NodeId>> = (0..512)
            .map(|code| (0..VARIABLES).map(|v| 2 * v + (code >> v & 1)).collect())
            .collect();
        let index = index(&cubes);
        let partial = Partial(std::array::from_fn(|v| if 300 >> v & 1 == 1 { 1 } else { -1 }));
        let mut visited = Vec::new();
        index.visit(
            &partial,
            |d| {
                visited.push(d);
                true
            },
            |_, _| {},
        );
        assert!(visited.contains(&300) && visited.len() <= LEAF, "{visited:?}");
    }
}
