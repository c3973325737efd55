//! How long a text will be, said before it is written: some are larger than anyone wants.

use super::Context;
use std::io::{self, Write};
use theta_chess::limits::Budget;

/// Of more positions the length is said before the text is written: it is counted in the time that
/// writing takes, without the output.
pub const LONG: u32 = 10_000;

/// Counts bytes and keeps none.
struct Length(u64);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Fails when the budget is used up: the text may be longer than anyone waits for.
pub struct Bounded<W> {
    /// Where the text goes.
    pub out: W,
    /// The limits.
    pub budget: Budget,
}

impl<W: Write> Write for Bounded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.budget.check(0, 0).map_err(io::Error::other)?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Says how many bytes will be written; nothing if the budget ends before they are counted.
pub fn say_length(
    context: &Context,
    budget: &Budget,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) {
    let mut length = Bounded { out: Length(0), budget: budget.clone() };
    if write(&mut length).is_ok() {
        let bytes = length.out.0;
        context.say(&format!("a text of {bytes} bytes ({} MiB) follows", bytes >> 20));
    }
}
