//! Models for other tools, in the Aldebaran format of CADP and mCRL2.

use crate::kripke::Kripke;
use std::io::{self, Write};

/// Writes a model as a labelled transition system: edges are labelled `step`, and each state has a
/// loop labelled with the atoms that are true in it, `state: p q`. Other tools' formulas can ask
/// for both.
///
/// # Errors
/// Those of `out`.
///
/// # References
/// H. Garavel et al., *CADP: aut manual page*.
pub fn write_aut(
    model: &Kripke,
    names: impl Fn(u32) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    let states = model.vertices();
    writeln!(out, "des ({}, {}, {states})", model.root(), model.edges() + states as usize)?;
    for v in 0..states {
        let label = names(v).replace(['"', '\n'], "_");
        writeln!(out, "({v},\"state: {label}\",{v})")?;
        for z in model.successors(v) {
            writeln!(out, "({v},\"step\",{z})")?;
        }
    }
    Ok(())
}
