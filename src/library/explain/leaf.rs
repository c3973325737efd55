//! Where a line may be cut: the game is over, a proved rule applies, the library knows the
//! position, a small table holds it.

use crate::chess::board::{Board, Position};
use crate::chess::{Outcome, Side};
use crate::limits::Budget;
use crate::tables::{Material, Placement, TableError, Tables};

use super::Goal;
use crate::library::endgames::{Class, find};
use crate::library::rules::RuleBook;

/// Why a line ends.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaf {
    /// The other side is mated.
    Mate,
    /// Stalemate.
    Stalemate,
    /// The other side has nothing but its king: it can never win.
    BareKing,
    /// A proved rule, by name; mirrored when Black is the side that the rule calls White.
    Rule {
        /// Its name.
        name: String,
        /// Black plays the part of White.
        mirrored: bool,
    },
    /// A row of the endgame library.
    Row {
        /// The class.
        class: String,
        /// The row's number, from 1.
        row: usize,
    },
    /// A table of so few men that the user allowed it.
    Table {
        /// Its signature.
        material: String,
        /// Plies to mate; none for a draw.
        plies: Option<u32>,
    },
}

/// What a look at a position says of the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Look {
    /// It is reached.
    Reached(Leaf),
    /// It is out of reach.
    Lost,
    /// Moves must tell.
    Open,
}

/// The leaves at hand.
#[derive(Debug, Clone, Copy)]
pub struct Leaves<'a> {
    tables: &'a Tables,
    budget: &'a Budget,
    rules: &'a RuleBook,
    classes: &'a [Class],
    /// Men of the largest table asked, kings included.
    men: usize,
    /// Tables of any other material are asked too.
    beyond: Option<Material>,
}

fn rated(outcome: Outcome, goal: Goal) -> bool {
    outcome.winner().map_or(!goal.wins, |winner| winner == goal.owner)
}

impl<'a> Leaves<'a> {
    /// The leaves that may be used: tables of at most `men` men, and proved rules.
    pub fn new(
        tables: &'a Tables,
        rules: &'a RuleBook,
        classes: &'a [Class],
        men: usize,
        budget: &'a Budget,
    ) -> Self {
        Self { tables, budget, rules, classes, men, beyond: None }
    }

    /// The same, and lines may end in a table wherever a capture or a promotion has left this
    /// material.
    #[must_use]
    pub fn beyond(self, material: Material) -> Self {
        Self { beyond: Some(material), ..self }
    }

    /// Whether a position's table may be asked.
    fn in_tables(&self, board: &Board) -> bool {
        let few = board.chess().board().occupied().count() <= self.men;
        let left = |from: Material| Tables::material_of(board).is_some_and(|now| now != from);
        few || self.beyond.is_some_and(left)
    }

    pub(super) fn look(&self, board: &Board, goal: Goal) -> Result<Look, TableError> {
        let mover = board.side_to_move();
        if board.legal_moves().is_empty() {
            return Ok(match (board.in_check(), goal.wins) {
                (true, _) if mover != goal.owner => Look::Reached(Leaf::Mate),
                (false, false) => Look::Reached(Leaf::Stalemate),
                _ => Look::Lost,
            });
        }
        let bare = |side| board.has_bare_king(side);
        if !goal.wins && bare(goal.owner.other()) {
            return Ok(Look::Reached(Leaf::BareKing));
        }
        if goal.wins && bare(goal.owner) {
            return Ok(Look::Lost);
        }
        match self.by_rule(board, goal) {
            Look::Open => self.by_table(board, goal),
            found => Ok(found),
        }
    }

    fn by_rule(&self, board: &Board, goal: Goal) -> Look {
        let mover = board.side_to_move();
        for (material, placement, mirrored) in Placement::views(board) {
            let white = if mirrored { Side::Black } else { Side::White };
            for (scene, rule) in self.rules.about(material) {
                match rule.conclusion.settles(white, mover, goal.owner, goal.wins) {
                    Some(reached) if rule.applies(scene, &placement) => {
                        return match reached {
                            true => Look::Reached(Leaf::Rule { name: rule.name.clone(), mirrored }),
                            false => Look::Lost,
                        };
                    }
                    _ => {}
                }
            }
        }
        Look::Open
    }

    fn by_table(&self, board: &Board, goal: Goal) -> Result<Look, TableError> {
        if self.in_tables(board)
            && let Some(value) = self.tables.value(board, self.budget)?
        {
            let material = Tables::material_of(board).map_or_else(String::new, |m| m.to_string());
            return Ok(match rated(value.outcome(), goal) {
                true => Look::Reached(Leaf::Table { material, plies: value.plies() }),
                false => Look::Lost,
            });
        }
        if self.classes.is_empty() || board.chess().maybe_ep_square().is_some() {
            return Ok(Look::Open);
        }
        let Some(found) = find(self.classes, board) else { return Ok(Look::Open) };
        let told = found.of(board.side_to_move()).outcome;
        Ok(match told {
            Some(outcome) if rated(outcome, goal) => Look::Reached(row(&found)),
            Some(_) => Look::Lost,
            None => Look::Open,
        })
    }
}

fn row(found: &crate::library::endgames::Found) -> Leaf {
    Leaf::Row { class: found.material.to_string(), row: found.row }
}
