//! Building tables with several processes, on one machine or on many, over timely dataflow.
//!
//! | file | what it is for |
//! |---|---|
//! | `hosts` | the list of processes and where each listens |
//! | `meet` | the processes find each other, and see that they belong together |
//! | `link` | a connection that notices when the process at its other end is gone |
//! | `place` | the directory that they share |
//! | `flow` | the dataflow: tasks go out step by step, each to one process |
//! | `sent` | tasks on their way, and who gets which |
//! | `together` | a table that all solve together: what crosses, a timestamp a round |
//!
//! How data runs through: process 0 splits the work into steps of [`Task`]s
//! ([`Tables::steps`]) and feeds those of step n into the dataflow with the timestamp n, each
//! addressed to a process. A process does its tasks ([`Tables::perform`]) and reports them to
//! process 0 with the same timestamp. When the frontier has passed n, whatever the tasks of step
//! n + 1 need is stored in the directory that all processes share, and they are sent: order and end
//! are the frontier's, there is no protocol beside it. The bytes of a table do not depend on how
//! many processes there were.
//!
//! Timely gives no fault tolerance back: when a process is gone the others end too, with a message
//! that names it, and each table and each group of slices that was finished is in the directory.
//! The same command goes on from there.
//!
//! # References
//! * D. G. Murray, F. McSherry, R. Isaacs, M. Isard, P. Barham, M. Abadi, *Naiad: a timely dataflow
//!   system*, SOSP 2013: timestamps and frontiers.
//! * R. L. Graham, *Bounds on multiprocessing timing anomalies*, SIAM J. Appl. Math. 17(2), 1969:
//!   the longest task first.
//!
//! [`Task`]: crate::tables::Task
//! [`Tables::steps`]: crate::tables::Tables::steps
//! [`Tables::perform`]: crate::tables::Tables::perform

mod flow;
mod hosts;
mod link;
mod meet;
mod place;
mod sent;
mod together;

pub use flow::{Done, build};
pub use hosts::Hosts;

use std::path::PathBuf;

use crate::limits::StopReason;
use crate::tables::TableError;

/// Why processes could not build together, or did not end.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The list of hosts is wrong.
    #[error("{}", if *line == 0 { fault.clone() } else { format!("line {line}: {fault}") })]
    Hosts {
        /// Counted from 1; 0 where no line is at fault.
        line: usize,
        /// What is wrong.
        fault: String,
    },
    /// This process cannot listen where the list says.
    #[error("process {process} cannot listen at {address}: {error}{hint}")]
    Listen {
        /// The number of this process.
        process: usize,
        /// Where.
        address: String,
        /// What the system says.
        error: std::io::Error,
        /// What it may mean.
        hint: &'static str,
    },
    /// Another process does not belong to this run.
    #[error("process {process} at {address} {fault}")]
    Stranger {
        /// Its number in the list.
        process: usize,
        /// Where it is.
        address: String,
        /// What is wrong with it.
        fault: String,
    },
    /// Another process has ended before the work was done.
    #[error(
        "process {process} at {address} is gone; what was finished is stored, and the same command \
         goes on from there"
    )]
    Lost {
        /// Its number in the list.
        process: usize,
        /// Where it was.
        address: String,
    },
    /// The directory cannot be used by this process.
    #[error("process {process}, directory {}: {fault}", directory.display())]
    Directory {
        /// The number of this process.
        process: usize,
        /// The directory.
        directory: PathBuf,
        /// What is wrong.
        fault: String,
    },
    /// A table cannot be built.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A limit, or Ctrl-C.
    #[error("not finished: {0}; what was finished is stored")]
    Stopped(#[from] StopReason),
    /// The dataflow engine could not be started.
    #[error("the dataflow could not be started: {0}")]
    Dataflow(String),
}
