//! Guesses: a restriction of the owner's moves is guessed, what remains is proved.
//!
//! A strategy may renounce moves: a win proved with a few of the winner's moves is a win. Which
//! moves can be spared nobody knows beforehand, so restrictions are guessed by the dozen and tried
//! in turns; a wrong guess costs time, never truth. A winning guess gives a [`Plan`], which
//! `strategy` makes into a certificate over every reply of the defender's.
//!
//! * [`Hunt`]: the guesses for one side in turns of doubled length, and what refuted ones teach.
//! * [`Guesses`]: both sides' hunts, in turns with the proof search.
//! * [`Fortress`]: what came of a guess how a side may hold.
//! * `shorten`: guesses listed breadth first for a win shorter than one that is known.
//! * `batch`: several listings at once, with the same outcome whatever the number of threads.
//!
//! # References
//! Each file names its own. M. M. Botvinnik, *Computers, chess and long-range planning*, 1970: a
//! player looks at few moves; what is looked at is left to the program here.

mod batch;
mod compact;
mod graph;
mod guesses;
mod hold;
mod hunt;
mod key;
mod learn;
mod levels;
mod listing;
mod restriction;
mod shorten;
mod sight;
mod small;
mod starts;
#[cfg(test)]
mod tests;

pub use guesses::{Found, Guesses};
pub use hold::Fortress;
pub use hunt::{Hunt, Spell};
pub use levels::Plan;
