//! What the fixpoint took away when, and why: what a refutation is made from.

use super::bdd::{Bdd, Bdds};
use super::fixpoint::{Fixpoint, Removal, Why};
use super::lean::{Atom, Lean};
use super::{Question, STACK};
use crate::ctl::{Id, Path};
use crate::limits::{Budget, StopReason};

/// Why a vertex was taken away.
#[derive(Debug, Clone, Copy)]
pub(in crate::tableau) enum Reason {
    /// It claims a successor where this is true (or any), and none is left.
    Successor(Option<Id>),
    /// It claims that this until is true at the next vertices, and they cannot keep it.
    Promise(Id, Path),
}

/// A test of a diagram: an atom, and where to go on if it is not claimed and if it is.
#[derive(Debug, Clone, Copy)]
pub(in crate::tableau) enum Branch {
    /// The end.
    Constant(bool),
    /// The diagram goes on at these numbers.
    Test(usize, u32, u32),
}

/// See the module.
pub(in crate::tableau) struct Elimination<'a> {
    fixpoint: Fixpoint<'a>,
    log: Vec<Removal>,
    /// The atom of each level.
    atoms: Vec<usize>,
}

/// Runs the fixpoint; if no root is left, hands what was taken away to `then`, in a thread of its
/// own. `None` if the formula has models.
pub(in crate::tableau) fn eliminate<T: Send>(
    question: &Question<'_>,
    budget: &Budget,
    then: impl FnOnce(&Elimination<'_>) -> T + Send,
) -> Result<Option<T>, StopReason> {
    std::thread::scope(|scope| {
        let work = || {
            let &Question { arena, formula, options, .. } = question;
            let mut lean = Lean::new(arena, formula, options.total, budget)?;
            let mut bdds = Bdds::new(budget.clone());
            lean.draw(&mut bdds)?;
            let mut fixpoint = Fixpoint::new(arena, &lean, bdds)?;
            fixpoint.log = Some(Vec::new());
            if fixpoint.run()? {
                return Ok(None);
            }
            Ok(Some(then(&Elimination::new(fixpoint))))
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let result = thread.expect("the system has room for one more thread").join();
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

impl<'a> Elimination<'a> {
    fn new(mut fixpoint: Fixpoint<'a>) -> Self {
        let log = fixpoint.log.take().unwrap_or_default();
        let mut atoms = vec![0; 2 * fixpoint.lean.atoms.len() + 2];
        for number in 0..fixpoint.lean.atoms.len() {
            atoms[fixpoint.lean.level(number as u32) as usize] = number;
        }
        Self { fixpoint, log, atoms }
    }

    /// Rounds that the fixpoint took.
    pub(in crate::tableau) fn rounds(&self) -> u64 {
        self.fixpoint.rounds
    }

    pub(in crate::tableau) fn atoms(&self) -> &[Atom] {
        &self.fixpoint.lean.atoms
    }

    /// When the vertex of these atoms was taken away: a number that grows with time. `None` if it
    /// never was, or was none from the beginning.
    pub(in crate::tableau) fn gone(&self, claims: impl Fn(usize) -> bool) -> Option<usize> {
        let holds =
            |set: Bdd| self.fixpoint.bdds.holds(set, |level| claims(self.atoms[level as usize]));
        let after = self.log.partition_point(|removal| holds(removal.before));
        let is_left = after == self.log.len() && holds(self.fixpoint.left);
        if is_left { None } else { after.checked_sub(1) }
    }

    pub(in crate::tableau) fn reason(&self, time: usize) -> Reason {
        match self.log[time].why {
            Why::Successor(operand) => Reason::Successor(operand),
            Why::Promise(at, _) => {
                let until = &self.fixpoint.untils[at];
                Reason::Promise(until.formula, until.path)
            }
        }
    }

    /// The vertices that could keep the promise, when some were taken away because they could not
    /// reach one of these; each diagram by its number, the last one the whole.
    pub(in crate::tableau) fn kept(&self, time: usize) -> Vec<Branch> {
        let Why::Promise(_, kept) = self.log[time].why else { return Vec::new() };
        let mut branches = Vec::new();
        let mut numbers = hashbrown::HashMap::new();
        let mut pending = vec![kept];
        while let Some(&set) = pending.last() {
            if numbers.contains_key(&set) {
                pending.pop();
                continue;
            }
            let branch = match self.fixpoint.bdds.split(set) {
                None => Branch::Constant(set == Bdd::TRUE),
                Some((level, low, high)) => match (numbers.get(&low), numbers.get(&high)) {
                    (Some(&low), Some(&high)) => {
                        Branch::Test(self.atoms[level as usize], low, high)
                    }
                    _ => {
                        pending.extend([low, high]);
                        continue;
                    }
                },
            };
            pending.pop();
            numbers.insert(set, branches.len() as u32);
            branches.push(branch);
        }
        branches
    }
}
