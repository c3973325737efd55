//! Bisimilar vertices made one.

use super::{Builder, Kripke};
use hashbrown::HashMap;

/// The quotient of the part that the root reaches by its coarsest bisimulation: the least structure
/// with the same CTL formulas true at its root as long as vertices may not be relabelled. Vertices
/// are numbered breadth first, the root 0; symbols stay.
///
/// Partition refinement by what successors look like: O(E) a round, at most a round for each class.
///
/// # References
/// P. C. Kanellakis, S. A. Smolka, *CCS expressions, finite state processes, and three problems of
/// equivalence* (1990): the naive method.
///
/// ```
/// use theta_chess::kripke::{Builder, quotient};
/// let mut builder = Builder::new(1);
/// let [a, b, c] = [builder.vertex(), builder.vertex(), builder.vertex()];
/// builder.edge(a, b);
/// builder.edge(b, c);
/// builder.edge(c, b);
/// builder.label(a, 0);
/// builder.label(c, 0);
/// assert_eq!(quotient(&builder.build(a)).vertices(), 2);
/// ```
pub fn quotient(kripke: &Kripke) -> Kripke {
    let order = breadth_first(kripke);
    let mut classes = vec![0_u32; kripke.vertices() as usize];
    let mut count = number(&order, &mut classes, |v, _| kripke.label(v).to_vec());
    loop {
        let finer = number(&order, &mut classes, |v, classes| {
            let successors = kripke.successors(v).iter();
            let mut key: Vec<u64> = successors.map(|&z| u64::from(classes[z as usize])).collect();
            key.sort_unstable();
            key.dedup();
            key.push(u64::from(classes[v as usize]));
            key
        });
        if finer == count {
            break;
        }
        count = finer;
    }
    let mut builder = Builder::new(kripke.symbols());
    for _ in 0..count {
        builder.vertex();
    }
    let mut done = 0;
    for &v in &order {
        let class = classes[v as usize];
        // Classes are numbered in the order in which they are met.
        if class < done {
            continue;
        }
        done = class + 1;
        kripke.true_symbols(v).for_each(|symbol| builder.label(class, symbol));
        for &z in kripke.successors(v) {
            builder.edge(class, classes[z as usize]);
        }
    }
    builder.build(0)
}

/// The vertices that the root reaches, nearest first.
fn breadth_first(kripke: &Kripke) -> Vec<u32> {
    let mut seen = vec![false; kripke.vertices() as usize];
    seen[kripke.root() as usize] = true;
    let mut order = vec![kripke.root()];
    let mut next = 0;
    while let Some(&v) = order.get(next) {
        next += 1;
        for &z in kripke.successors(v) {
            if !std::mem::replace(&mut seen[z as usize], true) {
                order.push(z);
            }
        }
    }
    order
}

/// Gives vertices with the same key the same class, in the order in which the keys are met; how
/// many there are.
fn number(order: &[u32], classes: &mut Vec<u32>, key: impl Fn(u32, &[u32]) -> Vec<u64>) -> u32 {
    let mut numbers: HashMap<Vec<u64>, u32> = HashMap::new();
    let mut new = classes.clone();
    for &v in order {
        let next = numbers.len() as u32;
        new[v as usize] = *numbers.entry(key(v, classes)).or_insert(next);
    }
    *classes = new;
    numbers.len() as u32
}
