//! The satisfying model as a certificate: what is claimed, and the strategies that prove it.
//!
//! A model of Θ1 or Θ3 becomes a winning strategy: positions with the owner to move, the owner's
//! one move, and a rank — the plies to mate at most — that falls strictly along every line. A model
//! of Hold2 or Hold4 becomes a holding strategy: a closed set of positions in which the owner is
//! never mated. A draw is a pair of them. A reduced aim `AF φ` is won like mate: the ranks count
//! the plies until φ holds.
//!
//! * `strategy`: one side's strategy, as it is held in memory.
//! * `claim`: a claim with its strategies: the certificate.
//! * `file`: certificates written as a stream, and read by the kernel's reader.
//! * `closed`: what any legal moves lead to: lines to a mate, and sets that no move leaves.
//! * `keys`: all first moves of a problem judged.
//! * `rows`: large strategies by slices, as sets of positions without moves.
//! * `sealed`: what every file begins and ends with.
//! * `older`: files as they arrive, and those of versions 1 to 3 turned into version 4.
//!
//! How strategies are made is not said here: [`crate::strategy`] builds winning ones from a policy,
//! [`crate::hold`] finds closed sets. What a strategy proves is not said here either: the kernel
//! reads the file and believes nothing else.

mod claim;
mod closed;
mod file;
mod keys;
mod older;
mod rows;
mod sealed;
mod strategy;

pub use claim::{Certificate, Claim};
pub use closed::{Closed, Mates, Reach};
pub use file::Form;
pub use keys::{Keys, Ranked};
pub use older::{Incoming, MAX_AIM, modern};
pub use strategy::{Answer, Strategy};
pub use theta_kernel::FormatError;
