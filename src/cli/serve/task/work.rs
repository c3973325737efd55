//! Work on one request: what every kind of it is, and how a request is read.

use crate::cli::serve::asked::Asked;
use crate::cli::serve::desk::Desk;
use crate::cli::serve::error::ApiError;
use crate::cli::serve::job::Job;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use theta_chess::chess::{Position, Profile};
use theta_chess::limits::Budget;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// All is said.
    Over,
    /// There is more to do, in the slow lane.
    GoOn,
}

/// Work on one request.
pub trait Task: Send {
    /// The limits that were asked for.
    fn asked(&self) -> Asked;

    /// How hard it looks: tasks of lower rank come first in the quick lane.
    fn rank(&self) -> usize {
        usize::MAX
    }

    /// Whether a short attempt at it makes sense.
    fn is_quick(&self) -> bool {
        false
    }

    /// Works at it. In a quick attempt nothing is told that is not final.
    ///
    /// # Errors
    /// What the client is told instead of a result.
    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError>;
}

/// One attempt at a job.
pub struct Attempt<'a> {
    pub job: Arc<Job>,
    pub desk: &'a Desk,
    /// Whether it is a short one: what it tells counts only if it succeeds.
    pub quick: bool,
    told: Vec<(&'static str, Arc<RawValue>)>,
}

impl<'a> Attempt<'a> {
    pub fn new(job: Arc<Job>, desk: &'a Desk, quick: bool) -> Self {
        Self { job, desk, quick, told: Vec::new() }
    }

    /// Tells the client something.
    pub fn tell(&mut self, name: &'static str, data: &impl Serialize) {
        if !self.quick {
            return self.job.tell(name, data);
        }
        if let Ok(data) = to_raw_value(data) {
            self.told.push((name, data.into()));
        }
    }

    /// What a short attempt has told is final.
    pub fn finish(&mut self) {
        for (name, data) in self.told.drain(..) {
            self.job.say(name, data);
        }
    }
}

/// Reads a request.
///
/// # Errors
/// What is wrong with it.
pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::bad("bad_request", error.to_string()))
}

/// A FEN of a request; underscores stand for spaces.
///
/// # Errors
/// What is wrong with it.
pub fn position(fen: &str) -> Result<Position, ApiError> {
    crate::cli::read_fen(fen.replace('_', " ").trim(), Profile::Fide)
        .map_err(|error| ApiError::bad("bad_fen", format!("{error:#}")))
}

/// The beginning of a text that somebody sent.
pub fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

/// A trouble that is no fault of the request.
pub fn internal(error: impl Into<anyhow::Error>) -> ApiError {
    ApiError::internal(format!("{:#}", error.into()))
}

/// A field of a request: name, type, meaning.
pub type Field = (&'static str, &'static str, &'static str);

/// A request: its fields are read strictly, and described for programs (`serve::openapi`).
macro_rules! request {
    ($(#[$about:meta])* $name:ident { $($(#[doc = $doc:literal])* $(#[serde($($how:tt)*)])? $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[doc = $doc])* $(#[serde($($how)*)])? $field: $type,)*
            /// Seconds that the answer may take.
            #[serde(default)]
            time: Option<f64>,
            /// Positions that may be visited.
            #[serde(default)]
            positions: Option<u64>,
            /// Bytes that an engine may take.
            #[serde(default)]
            memory: Option<u64>,
        }

        impl $name {
            /// Name, type and meaning of each field.
            pub const FIELDS: &'static [$crate::cli::serve::task::work::Field] = &[
                $((stringify!($field), stringify!($type), concat!($($doc),*)),)*
                ("time", "Option<f64>", " Seconds that the answer may take."),
                ("positions", "Option<u64>", " Positions that may be visited."),
                ("memory", "Option<u64>", " Bytes that an engine may take."),
            ];

            /// The limits that are asked for.
            fn limits(&self) -> Result<$crate::cli::serve::asked::Asked, $crate::cli::serve::error::ApiError> {
                let Self { time, positions, memory, .. } = *self;
                $crate::cli::serve::asked::Asked { time, positions, memory }.checked()
            }
        }
    };
}
pub(super) use request;
