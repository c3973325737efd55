//! Advice: moves that a file or another engine proposes. Nothing of it is believed: what is proved with
//! advice is proved over every reply, and checked like anything else.
//!
//! | file | what it is for |
//! |---|---|
//! | `adviser` | who is asked: the moves of a file, and an engine |
//! | `engine` | an engine that speaks UCI, in a process of its own |

mod adviser;
mod engine;

pub use adviser::{AdviceError, Adviser, Proposal};
pub use engine::{EngineError, UciEngine};
