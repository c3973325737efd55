//! A win is made shorter, or proved the shortest, by the search and the method aside in turns. In every
//! other turn all threads are together at one search: going two ways finds shorter wins, one search
//! excludes lengths.

use super::bounds::Bounds;
use super::meter::Meter;
use super::solve::{ASIDE_SHARE, FIRST_TURN, Solver, unless_slice};
use crate::limits::Budget;

/// Where it is to be brief: times as much work as finding a win took that making it shorter may
/// take of each thread, and what it may always take: a second or two, and for long wins some
/// seconds. (A long win that is found in a moment is seldom the shortest, and a turn that looks so
/// far takes longer.)
const PATIENCE: u64 = 3;
const LEAST: u64 = 2_000_000;
const A_PLY: u64 = 100_000;
const AT_MOST: u64 = 10_000_000;
/// Where the method aside has the shortest win it has as much work as the search, else one of so many
/// parts.
const FEW: u64 = 8;
/// Parts of a turn that few flights and depth-first search get while lengths are bisected, in turns of up to
/// so many positions: some seconds.
const FEW_FLIGHTS: u64 = 10;
const BELOW: u64 = 2;
const BISECTING: u64 = 1_000_000;
/// Threads that the method aside keeps busy: it has few games that are worth a turn at the same
/// time (2.6 of 16 were busy in a mate in 36). Work of the search is that of all threads, which it is
/// to take no longer than.
const BUSY: u64 = 2;

/// The work of each thread that making a win of so many plies shorter may take at least.
fn patience(plies: Option<u16>) -> u64 {
    (u64::from(plies.unwrap_or(0)) * A_PLY).clamp(LEAST, AT_MOST)
}

impl Solver<'_> {
    /// Makes the win shorter while the budget lasts: by restricted games, by proof numbers for the
    /// lengths between, and from below depth-first. The positions visited.
    pub(super) fn shorten(&mut self, bounds: &mut Bounds, winner: usize, budget: &Budget) -> u64 {
        let threads = self.options.threads.get() as u64;
        let most = match self.options.brief {
            true => (self.spent() * PATIENCE).max(patience(self.attacks[winner].found())) * threads,
            false => u64::MAX,
        };
        let budget = &budget.at_most(most);
        budget.progress().stage("looking for a shorter mate", None);
        let mut meter = Meter::new(budget, bounds.bytes());
        let (mut searching, mut listing) = (true, self.options.aside.is_some());
        let (mut turn, mut work, mut together) = (FIRST_TURN, 0, false);
        while (searching || listing) && work < most && !self.attacks[winner].is_settled() {
            let (before, visited) = (self.attacks[winner].found(), meter.visited());
            if searching {
                let attack = &mut self.attacks[winner];
                let is_narrow = turn <= BISECTING && attack.bisects(turn);
                let part = |one| if is_narrow { turn / one } else { turn };
                if winner == 0 && attack.has_pieces() {
                    let (confined, positions) = (&mut self.confined, part(FEW_FLIGHTS));
                    let done = attack.confine(confined, bounds, &mut meter, positions);
                    searching = done.is_ok();
                }
                let above = attack.shorten(bounds, &mut meter, turn, together);
                together = !together;
                meter.slice(part(BELOW));
                let below = attack.deepen(bounds, &mut meter, u16::MAX - 2);
                searching &= unless_slice(below).and(unless_slice(above)).is_ok();
            }
            let searched = meter.visited() - visited;
            work += searched;
            if listing {
                let idle = threads.div_ceil(BUSY);
                let share = searched.max(turn) / idle;
                let (visited, open) = self.list_shorter(winner, share, &meter);
                meter.spend(visited);
                work += visited * ASIDE_SHARE * idle;
                listing = open;
            }
            if self.attacks[winner].found() != before {
                self.tell_win(winner);
            }
            if meter.check().is_err() {
                break;
            }
            turn = turn.saturating_mul(2);
        }
        meter.visited()
    }

    /// A turn of the method aside, that costs about as much as so many positions of the search: the
    /// positions visited, and whether more turns may help.
    fn list_shorter(&mut self, winner: usize, share: u64, meter: &Meter) -> (u64, bool) {
        let attack = &self.attacks[winner];
        let unsettled = attack.found().filter(|&plies| plies > attack.lower);
        let (Some(aside), Some(plies)) = (&self.options.aside, unsettled) else {
            return (0, false);
        };
        let leads = attack.beaten == plies;
        let share = if leads { share } else { share / FEW } / ASIDE_SHARE;
        let threads = self.options.threads.get();
        let done = aside.shorten(attack.task.attacker, plies, share, threads, meter.budget());
        self.told_by_aside();
        (done.visited, done.open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_wins_get_more_patience() {
        assert_eq!([None, Some(13)].map(patience), [LEAST; 2]);
        assert_eq!(patience(Some(61)), 61 * A_PLY);
        assert_eq!(patience(Some(199)), AT_MOST);
    }
}
