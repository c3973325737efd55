//! Aims as text, in the spelling that [`super::Aim::parse`] reads. Atoms are written by the kernel.

use super::Aim;
use crate::ctl::{Syntax, to_text};
use std::fmt::{self, Display, Formatter};

/// The formula in plain letters, with no more brackets than it needs.
impl Display for Aim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&to_text(&self.arena, self.formula, Syntax::Ascii))
    }
}
