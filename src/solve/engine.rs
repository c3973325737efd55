//! The names of the engines.

use std::fmt;
use std::str::FromStr;

/// The engine that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Engine {
    /// Chooses for each position.
    #[default]
    Auto,
    /// Leg(y⁰) listed and solved by fixpoints: the reference.
    Graph,
    /// Tables of the position's material, up to five men; positions with castling rights are listed
    /// on top of them.
    Tables,
    /// Proof search: wins by proof numbers, holds by closed regions.
    Search,
    /// Pawn endings of any size by slices: one for each placement of the pawns, as far as needed.
    Slices,
    /// Proof by subgoals: chains of aims that Botvinnik's zones propose, as `prove` makes them.
    Subgoals,
    /// The general CTL tableau on the formulas themselves; the model is read back as the strategy.
    /// For small Leg(y⁰).
    Tableau,
}

/// A name that no engine has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no engine: they are auto, graph, tables, search, slices, subgoals and tableau")]
pub struct UnknownEngine(String);

impl Engine {
    /// Every engine, in the order in which they are listed to users.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::Graph,
        Self::Tables,
        Self::Search,
        Self::Slices,
        Self::Subgoals,
        Self::Tableau,
    ];

    /// Its name, as it is written in reports and read by [`Engine::from_str`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Graph => "graph",
            Self::Tables => "tables",
            Self::Search => "search",
            Self::Slices => "slices",
            Self::Subgoals => "subgoals",
            Self::Tableau => "tableau",
        }
    }

    /// What it does, in a sentence for its user.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Auto => "Chooses for each position",
            Self::Graph => "Leg(y⁰) listed and solved by fixpoints: the reference",
            Self::Tables => {
                "Tables of the position's material, up to five men; positions with castling rights \
                 are listed on top of them"
            }
            Self::Search => "Proof search: wins by proof numbers, holds by closed regions",
            Self::Slices => {
                "Pawn endings of any size by slices: one for each placement of the pawns, as far as \
                 needed"
            }
            Self::Subgoals => {
                "Proof by subgoals: chains of aims that Botvinnik's zones propose, as `prove` makes \
                 them"
            }
            Self::Tableau => {
                "The general CTL tableau on the formulas themselves; the model is read back as the \
                 strategy. For small Leg(y⁰)"
            }
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        let known = Self::ALL.into_iter().find(|engine| engine.name() == name);
        known.ok_or_else(|| UnknownEngine(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_read_as_they_are_written() {
        for engine in Engine::ALL {
            assert_eq!(engine.to_string().parse(), Ok(engine));
            assert_eq!(serde_json::to_value(engine).unwrap(), engine.name());
        }
        let error = "stockfish".parse::<Engine>().unwrap_err().to_string();
        assert!(error.contains("stockfish") && error.contains("subgoals"), "{error}");
    }
}
