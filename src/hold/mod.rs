//! Holding strategies: closed sets of positions in which one side is never mated.
//!
//! The owner has one move in each position of the set, the opponent all; every line stays inside,
//! ends in stalemate, or goes to a position that needs no more moves. How large the set becomes is
//! the owner's choice, so there are two searches for small ones, and both serve two kinds of
//! askers: an engine that knows which moves hold (`policy`), and a proof search that only knows
//! which are lost (`search::region`). What an asker knows is its [`Defence`].
//!
//! * `defence`: what a search for a closed set is told.
//! * `places`: positions with the owner to move, folded by symmetry if wanted, and numbered.
//! * `set_ups`: what is known of where the owner's men stand after its move.
//! * `closure`: weighs moves by what is left to be answered (depth-first proof numbers): perpetual
//!   checks and exchanges.
//! * `growth`: one move for each position, others only when it has failed: fortresses.
//! * `rows`: the same for all squares of the opponent's king at a time.
//! * `policy`: the smallest strategy that plays the moves of a policy, by both searches.

mod closure;
mod defence;
mod growth;
mod places;
mod policy;
mod rows;
mod set_ups;

pub use closure::close;
pub use defence::{Defence, Sight};
pub use growth::{Grown, Order, grow};
pub use policy::{hold, hold_small};
pub use rows::{Exit, Outpost, Stay, Terms, grow_rows, has_rows};
