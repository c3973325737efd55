//! Proof search: wins and holds of positions too large to list, proved with a plan or a closed
//! region.
//!
//! * [`mate_in`]: the shortest mate within a number of plies, depth-first.
//! * [`solve`]: both sides' wins (proof numbers down to mates and probes, then made shorter) and
//!   holds (closed regions).
//! * [`achieve`]: a goal other than mate, with restricted moves if wanted: reduced aims.
//!
//! Every bound that is stored is about "within so many plies" and holds for the position however it
//! is reached. A win comes with a [`Plan`], rebuilt from the root over every reply; a hold with a
//! [`Region`]; `strategy` makes certificates of both.
//!
//! | file | what it is for |
//! |---|---|
//! | `solve`, `shorten` | turns of both sides' wins and holds; a win made shorter |
//! | `pursuit` | one question from several roots, with one table |
//! | `holder`, `first_moves`, `holding` | one side's hold, by all threads: a tree of its first moves, and attempts at each position |
//! | `crew` | several threads at one question |
//! | `attack` | one side's win: `mate` (depth-first) and `pn` (proof numbers) in turns |
//! | `confined`, `forced` | mates in which the king has few flights; mates by a few checks, seen before a position is expanded |
//! | `mate`, `checks` | the shortest mate; its order of moves (`ordered_attack`, `next_defence`) |
//! | `pn`, `prospect` | proof numbers; the first ones of a new position order the moves |
//! | `region`, `walls`, `parts`, `known` | closed sets of positions, by the growth searches of [`crate::hold`] |
//! | `fortress` | holds in which the pieces stand and slices decide what is taken |
//! | `bounds`, `node`, `meter` | the table of bounds, positions with their keys, the work counted |
//! | `learned` | the table kept for the next question |
//! | `plan`, `answer`, `task` | what comes out, what is asked |
//! | `leaves`, `endings` | tables at the leaves, and slices of pawn endings |
//!
//! # References
//! Each file names its own; docs/theory.md §§5–8, 15 and 16 say what is proved.

mod answer;
mod attack;
mod bounds;
mod checks;
mod confined;
mod crew;
mod endings;
mod first_moves;
mod forced;
mod fortress;
mod holder;
mod holding;
mod known;
mod learned;
pub mod leaves;
mod mate;
mod meter;
mod node;
mod parts;
mod plan;
mod pn;
mod prospect;
mod pursuit;
mod region;
mod shorten;
mod solve;
mod task;
#[cfg(test)]
mod tests;
mod walls;

pub use answer::{Options, Outcome, Win, told_hold, told_win};
pub use checks::{Checks, is_mated, mate_in_one};
pub use crew::Threads;
pub use endings::{Play, Solved};
pub use fortress::Fortress;
pub use learned::Learned;
pub use leaves::LeafTables;
pub use plan::{Plan, quickest};
pub use pursuit::{Pursuit, achieve, mate_in, only_wins_of};
pub use region::Region;
pub use solve::{GLANCE, solve};
pub use task::{Aside, AsideTurn, Goal, Moves, Outlook, Probe, Task, no_probe};
