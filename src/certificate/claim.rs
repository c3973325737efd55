//! What is claimed of a root, with the strategies that prove it.

use super::Strategy;
use crate::chess::{Side, Vector};
pub use theta_kernel::Claim;

/// One or two strategies that together prove a claim about a root.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// What is claimed.
    pub claim: Claim,
    /// The strategies: one for a win, a hold or an aim, White's and Black's for a draw.
    pub strategies: Vec<Strategy>,
    /// The aim that [`Claim::Forces`] speaks of, in the syntax that `check` reads.
    pub aim: Option<String>,
    /// Remarks for people, one line each (the intermediate aims of a chain, say). Not part of the
    /// proof.
    pub notes: Vec<String>,
}

impl Certificate {
    /// The certificate of a winning strategy that mates in at most `plies`.
    pub fn of_win(strategy: Strategy, plies: u32) -> Self {
        Self {
            claim: Claim::Wins(strategy.owner(), plies),
            strategies: vec![strategy],
            aim: None,
            notes: Vec::new(),
        }
    }

    /// The certificate of a strategy that reaches φ of `aim` (`AF φ`) in at most `plies`.
    pub fn of_aim(strategy: Strategy, plies: u32, aim: String) -> Self {
        let claim = Claim::Forces(strategy.owner(), plies);
        Self { claim, strategies: vec![strategy], aim: Some(aim), notes: Vec::new() }
    }

    /// The certificate of a holding strategy.
    pub fn of_hold(strategy: Strategy) -> Self {
        Self {
            claim: Claim::Holds(strategy.owner()),
            strategies: vec![strategy],
            aim: None,
            notes: Vec::new(),
        }
    }

    /// The certificate of a draw: the strategies of White and Black.
    pub fn of_draw(white: Strategy, black: Strategy) -> Self {
        Self { claim: Claim::Draw, strategies: vec![white, black], aim: None, notes: Vec::new() }
    }

    /// The root position.
    pub fn root(&self) -> &Vector {
        self.strategies[0].root()
    }

    /// The rules that its strategies cite, each once.
    pub fn cited(&self) -> Vec<&str> {
        let mut cited: Vec<&str> = Vec::new();
        for text in self.strategies.iter().flat_map(|strategy| strategy.cited()) {
            if !cited.contains(&text.as_str()) {
                cited.push(text);
            }
        }
        cited
    }

    /// The certificate of one side's strategy alone, if this one has it; of a draw, that the side
    /// holds.
    #[must_use]
    pub fn of_side(self, side: Side) -> Option<Self> {
        let Self { claim, strategies, aim, notes } = self;
        let strategy = strategies.into_iter().find(|s| s.owner() == side)?;
        let claim = if claim == Claim::Draw { Claim::Holds(side) } else { claim };
        Some(Self { claim, strategies: vec![strategy], aim, notes })
    }
}
