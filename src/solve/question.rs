//! What an engine is asked, and what it may use that was dear.

use super::Options;
use crate::advice::Adviser;
use crate::aim::Goal;
use crate::chess::board::Board;
use crate::chess::{Position, Profile, Vector};
use crate::library::endgames::Class;
use crate::limits::Budget;
use crate::search::leaves::LEAF_MEN;
use crate::search::{Learned, Outlook};
use crate::strategy::{Rules, SyzygyRules, WithSyzygy};
use crate::tables::Tables;
use std::sync::Arc;

/// What is kept between questions.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// Tables, built when they are needed.
    pub(super) tables: Arc<Tables>,
    /// Proved rules that may end lines.
    pub(super) rules: Option<Arc<dyn Rules>>,
    /// The user's Syzygy tables.
    pub(super) syzygy: Option<SyzygyRules>,
    /// What orders the search's work.
    pub(super) outlook: Option<Arc<dyn Outlook>>,
    /// What the owner's moves must keep.
    pub(super) keep: Option<Arc<Goal>>,
    /// Who proposes the winner's moves.
    pub(super) adviser: Option<Arc<Adviser>>,
    /// The endgame library, for links of chains.
    pub(super) library: Option<Arc<[Class]>>,
    /// The search's table of bounds, if it is kept.
    pub(super) learned: Option<Learned>,
}

impl Kept {
    /// Tables and nothing else.
    pub(super) fn new(tables: Arc<Tables>) -> Self {
        let (rules, syzygy, outlook, keep, adviser) = (None, None, None, None, None);
        let (library, learned) = (None, None);
        Self { tables, rules, syzygy, outlook, keep, adviser, library, learned }
    }

    /// The same with an empty table of bounds: what ends lines is going to be another.
    pub(super) fn afresh(&self) -> Self {
        Self { learned: self.learned.as_ref().map(|_| Learned::default()), ..self.clone() }
    }
}

/// What an engine is asked.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    /// The position.
    pub(super) root: &'a Position,
    /// What is kept between questions.
    pub(super) kept: &'a Kept,
    /// How it is asked.
    pub(super) options: &'a Options,
    /// The limits, the interrupt and the receiver of progress.
    pub(super) budget: &'a Budget,
}

impl<'a> Question<'a> {
    pub(super) fn vector(&self) -> &'a Vector {
        self.root.vector()
    }

    pub(super) fn board(&self) -> Board {
        self.root.board()
    }

    pub(super) fn tables(&self) -> &'a Arc<Tables> {
        &self.kept.tables
    }

    /// The Syzygy tables, as they are asked after our own.
    pub(super) fn syzygy(&self) -> Option<SyzygyRules> {
        let stored = self.options.table_men;
        let tables = Arc::clone(self.tables());
        Some(self.kept.syzygy.clone()?.after(tables, LEAF_MEN.min(stored), stored))
    }

    /// What may end the lines of searches: proved rules and Syzygy tables.
    pub(super) fn endings(&self) -> Option<Arc<dyn Rules>> {
        match self.syzygy() {
            Some(tables) => Some(WithSyzygy::join(self.kept.rules.clone(), tables)),
            None => self.kept.rules.clone(),
        }
    }

    /// The same question with other limits.
    pub(super) fn within(self, budget: &'a Budget) -> Self {
        Self { budget, ..self }
    }

    /// Whether it is about the laws of chess, which all engines know.
    pub(super) fn is_fide(&self) -> bool {
        self.options.profile == Profile::Fide
    }
}
