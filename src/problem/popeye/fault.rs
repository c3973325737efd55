//! What is wrong with a problem in Popeye's language.

use crate::chess::FenError;
use crate::problem::stipulation::StipulationError;
use crate::problem::twin::TwinError;

/// What is wrong with a problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PopeyeError {
    /// A word that is no command, or one that this reader does not know.
    #[error("`{0}` is no command that is known here")]
    Command(String),
    /// A command of fairy chess.
    #[error("`{0}` is no orthodox chess")]
    Fairy(String),
    /// An option that would change the answer.
    #[error("option `{0}` is not known here")]
    Option(String),
    /// Pieces that cannot be read.
    #[error("`{0}` is no man with its squares, such as Kf3 or Pa2b3")]
    Pieces(String),
    /// Two men on one square.
    #[error("two men stand on {0}")]
    Twice(String),
    /// No stipulation.
    #[error("no stipulation")]
    NoStipulation,
    /// The stipulation.
    #[error(transparent)]
    Stipulation(#[from] StipulationError),
    /// A twin.
    #[error(transparent)]
    Twin(#[from] TwinError),
    /// The position that the pieces make.
    #[error(transparent)]
    Position(#[from] FenError),
}
