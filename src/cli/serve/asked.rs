//! What a request may ask of the limits.

use super::error::ApiError;

/// What a request may ask of the limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    /// Seconds.
    pub time: Option<f64>,
    pub positions: Option<u64>,
    /// Bytes.
    pub memory: Option<u64>,
}

impl Asked {
    /// # Errors
    /// A time that is none.
    pub fn checked(self) -> Result<Self, ApiError> {
        match self.time {
            Some(time) if !(0.0..=1e6).contains(&time) => {
                Err(ApiError::bad("bad_request", "`time` is a number of seconds"))
            }
            _ => Ok(self),
        }
    }
}
