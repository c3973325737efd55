//! What ends the lines of a search: tables of up to four men, and of five where they are stored; and
//! slices of pawn endings.

use super::endings::{Endings, Play, Solved};
use crate::chess::board::{Board, Position as _};
use crate::chess::{Move, Side, Value};
use crate::limits::Budget;
use crate::tables::{MAX_MEN, Tables};
use std::sync::Arc;
use std::time::Duration;

/// Tables that are built in the middle of a search: these take a second at most.
pub const LEAF_MEN: usize = 4;

/// What tables know of a board; those of few men are built when first asked for, those of five used
/// where they are stored.
pub fn probe(tables: &Tables, budget: &Budget, board: &Board) -> Option<Value> {
    let men = board.chess().board().occupied().count();
    if men > MAX_MEN {
        return None;
    }
    // Mostly it is at hand.
    if men <= LEAF_MEN
        && let Ok(Some(value)) = tables.probe(board)
    {
        return Some(value);
    }
    let material = Tables::material_of(board)?;
    if !tables.is_at_hand(material, budget) {
        if men > LEAF_MEN {
            return None;
        }
        // A limit on positions is about those of the search: what it proves must not depend on the
        // tables that earlier runs have left. Of the memory a quarter is the table of bounds.
        tables.ensure(material, &budget.without_positions().memory_of(2)).ok()?;
    }
    tables.probe(board).ok().flatten()
}

/// The tables at the leaves of a search, and their men at most; slices beside them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LeafTables {
    tables: Arc<Tables>,
    men: usize,
    endings: Option<Endings>,
    /// Whether tables with two pawns are built too: with all that they depend on they take some
    /// seconds.
    patient: bool,
}

/// With less time than so much tables that take seconds are not built in the middle of a search.
const PATIENCE: Duration = Duration::from_secs(20);

impl LeafTables {
    /// Tables of at most so many men (five are the most there are).
    pub fn new(tables: Arc<Tables>, men: usize) -> Self {
        Self { tables, men: men.min(MAX_MEN), endings: None, patient: true }
    }

    /// The same tables for a search within a budget: what takes a good part of its time is used only
    /// where it is stored.
    #[must_use]
    pub fn within(self, budget: &Budget) -> Self {
        let patient = budget.limits().time.is_none_or(|time| time >= PATIENCE);
        Self { patient, ..self }
    }

    /// The same tables, and slices of endings with fewer men or pawns than a root. How soon these are won
    /// is not known, nor which are decided the same every time.
    #[must_use]
    pub fn with_endings(self, root: &Board) -> Self {
        let endings = Endings::below(root, &self.tables);
        Self { endings: Some(endings), ..self }
    }

    /// The tables alone.
    #[must_use]
    pub fn without_endings(self) -> Self {
        Self { endings: None, ..self }
    }

    /// The same for several threads that write down what was proved: what slices know is told to each,
    /// which waits for the others.
    #[must_use]
    pub fn waiting(self) -> Self {
        Self { endings: self.endings.map(Endings::waiting), ..self }
    }

    /// Has the tables keep up to so many bytes of what they decompress ([`Tables::widen`]).
    pub fn widen(&self, bytes: u64) {
        self.tables.widen(bytes);
    }

    /// The value of a position that a table covers, or that slices decide.
    pub fn probe(&self, budget: &Budget, board: &Board) -> Option<Value> {
        let by_slices = || self.endings.as_ref()?.value(budget, board);
        self.tabled(budget, board).or_else(by_slices)
    }

    /// The moves of the side to move that hold, where slices know that it holds and no table does; else
    /// none. What they have forgotten they prove `again` if that is asked for: some seconds at most.
    pub fn holding(&self, budget: &Budget, board: &Board, again: bool) -> Vec<Move> {
        match &self.endings {
            Some(endings) if self.tabled(budget, board).is_none() => match again {
                true => endings.holding_again(budget, board),
                false => endings.holding(board),
            },
            _ => Vec::new(),
        }
    }

    /// Has `use_it` ask for a side's moves in positions where slices know that it wins.
    pub fn winning<T>(&self, side: Side, use_it: impl FnOnce(&mut Play) -> T) -> T {
        let (mut use_it, mut result) = (Some(use_it), None);
        let mut once = |play: &mut Play| result = use_it.take().map(|use_it| use_it(play));
        match &self.endings {
            Some(endings) => endings.winning(side, &mut once),
            None => once(&mut |_| None),
        }
        result.expect("it is called once")
    }

    /// Has positions that others know be told, where slices are, instead of what these are asked.
    pub fn beside(&self, solved: Arc<dyn Solved>) {
        self.endings.iter().for_each(|endings| endings.beside(Arc::clone(&solved)));
    }

    /// Has them be told no more; whether any was.
    pub fn alone(&self) -> bool {
        self.endings.as_ref().is_some_and(Endings::alone)
    }

    /// Whether slices have told any win: what rests on it cannot be shown where they do not know it.
    pub fn slices_have_told(&self) -> bool {
        self.endings.as_ref().is_some_and(Endings::have_told)
    }

    #[cfg(test)]
    pub(super) fn endings(&self) -> Option<&Endings> {
        self.endings.as_ref()
    }

    fn tabled(&self, budget: &Budget, board: &Board) -> Option<Value> {
        let men = board.chess().board();
        if men.occupied().count() > self.men {
            return None;
        }
        if !self.patient && men.pawns().more_than_one() {
            let material = Tables::material_of(board)?;
            if !self.tables.is_at_hand(material, budget) {
                return None;
            }
        }
        probe(&self.tables, budget, board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn a_search_of_seconds_does_not_build_what_takes_seconds() {
        let tables = Arc::new(Tables::in_memory());
        let leaves = LeafTables::new(Arc::clone(&tables), LEAF_MEN);
        let brief = Budget::new(Limits::seconds(5));
        let board = |fen: &str| Board::from_fen(fen).unwrap();
        let (two, one) =
            (board("4k3/4p3/8/8/8/8/4P3/4K3 w - -"), board("4k3/8/8/8/8/8/4P3/4K3 w - -"));
        let within = leaves.clone().within(&brief);
        assert_eq!(within.probe(&brief, &two), None);
        assert!(!tables.is_at_hand(Tables::material_of(&two).unwrap(), &brief));
        assert!(within.probe(&brief, &one).is_some());
        assert!(leaves.clone().within(&Budget::new(Limits::seconds(60))).patient);
        assert!(leaves.within(&Budget::default()).patient);
    }
}
