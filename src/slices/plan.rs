//! What an ending would take: the placements of its pawns that can come about, counted before a
//! slice is solved.

use super::bits::Officer;
use super::children::children;
use super::closure::is_read_still;
use super::engine::{Analysis, Unfit};
use super::key::Key;
use super::store::positions;
use crate::chess::Side;
use crate::chess::board::Board;
use hashbrown::HashSet;

/// Placements that are counted before the rest is left out: about a second.
const MOST: usize = 200_000;

/// Slices that can come about from a position, for one attacker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plan {
    /// Slices of kings and pawns.
    pub small: u64,
    /// Slices with an officer that come about by a promotion in one of them. (Those that pawn moves
    /// and captures lead to from there are more, and seldom needed.)
    pub large: u64,
    /// Slices with two officers.
    pub duels: u64,
    /// Slices with three.
    pub vast: u64,
    /// What solving those takes, in thousandths of a second of one thread.
    millis: u64,
    /// Whether all were counted; else there are more.
    pub whole: bool,
}

impl Plan {
    /// Positions of these slices, both sides to move: 8,192, 524,288, 33,554,432 and
    /// 2,147,483,648 each.
    pub fn positions(&self) -> u64 {
        positions([self.small, self.large, self.duels, self.vast])
    }

    /// Bytes of these slices, amply: three levels of kings and pawns, two with officers.
    pub fn bytes(&self) -> u64 {
        self.small * 4096
            + self.large * (140 << 10)
            + self.duels * (9 << 20)
            + self.vast * (257 << 20)
    }

    /// Seconds of one thread that it takes to solve each of them once: 0.1 ms, 1 ms and
    /// 0.3 s, with three officers 2 to 12 s.
    pub fn seconds(&self) -> f64 {
        self.small as f64 * 1e-4
            + self.large as f64 * 1e-3
            + self.duels as f64 * 0.3
            + self.millis as f64 * 1e-3
    }
}

/// Counts the slices that can come about from a position with an attacker; at most a second.
///
/// # Errors
/// When slices do not know the men or the rights.
pub fn plan(board: &Board, attacker: Side) -> Result<Plan, Unfit> {
    Analysis::suits(board)?;
    // With more officers than slices have all but one are at rest.
    let read = Key::of(board, attacker).or_else(|| Key::readings(board, attacker).first().copied());
    let Some((root, _)) = read else {
        // The defender has the officers: until they are gone nothing is solved for this attacker.
        return Ok(Plan { whole: true, ..Plan::default() });
    };
    let child_of = |key: &Key, child: &Key| {
        let promoted = key.officer == Officer::None
            && child.officer == Officer::Queen
            && child.theirs == key.theirs
            && child.ours & !key.ours == 0;
        let same = if key.is_several() {
            child.kind() <= key.kind()
        } else {
            child.kind() <= key.kind()
                && (child.officer == key.officer || child.officer == Officer::None)
        };
        let still = same && !child.is_below() || child.is_below() && key.is_below();
        match (still, promoted) {
            (true, _) => Child::Followed,
            (false, true) => Child::Counted,
            _ => Child::LeftOut,
        }
    };
    Ok(counted(root, child_of))
}

/// Counts the slices that a win of an attacker takes whose pawns stand still but for captures, as
/// those of three officers are asked for wins.
///
/// # Errors
/// When slices do not know the men or the rights.
pub fn plan_still(board: &Board, attacker: Side) -> Result<Plan, Unfit> {
    Analysis::suits(board)?;
    let Some((root, _)) = Key::of(board, attacker) else {
        return Ok(Plan { whole: true, ..Plan::default() });
    };
    Ok(counted(root, |key, child| {
        if !child.is_below() && is_read_still(key, child) {
            Child::Followed
        } else {
            Child::LeftOut
        }
    }))
}

/// What a slice of three officers takes, in thousandths of a second of one thread: 3 to 9 s were measured,
/// more with a queen; half of that for each bishop beside the axis, which has half of the squares, and
/// for those without pawns, which are read from their table where it is at hand.
fn millis(key: &Key) -> u64 {
    let bishops = key.movers().skip(1).filter(|man| man.officer.home() != !0).count();
    let most = if key.movers().any(|man| man.officer == Officer::Queen) { 12_000 } else { 8_000 };
    most >> (bishops + usize::from(key.pawns() == 0))
}

/// What a plan does with a slice that another leads to.
enum Child {
    LeftOut,
    /// Counted, and not what it leads to.
    Counted,
    Followed,
}

fn counted(root: Key, child_of: impl Fn(&Key, &Key) -> Child) -> Plan {
    let mut seen: HashSet<Key> = HashSet::from_iter([root]);
    let mut agenda = vec![root];
    let mut plan = Plan { whole: true, ..Plan::default() };
    while let Some(key) = agenda.pop() {
        if seen.len() >= MOST {
            plan.whole = false;
            break;
        }
        for child in children(&key) {
            let next = child_of(&key, &child);
            let new = !matches!(next, Child::LeftOut) && seen.insert(child);
            if new && matches!(next, Child::Followed) {
                agenda.push(child);
            }
        }
    }
    let count = |kind| seen.iter().filter(|key: &&Key| key.kind() == kind).count() as u64;
    [plan.small, plan.large, plan.duels, plan.vast] = [0, 1, 2, 3].map(count);
    plan.millis = seen.iter().filter(|key| key.is_vast()).map(millis).sum();
    plan
}
