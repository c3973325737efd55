//! Graphviz text of a structure.

use super::Kripke;
use petgraph::dot::{Config, Dot};
use std::fmt;
use std::io::{self, Write};

/// Writes the structure in Graphviz's DOT language: `label` names each vertex (its text is escaped
/// here), the root is drawn double.
///
/// # Errors
/// Those of `out`.
pub fn write_dot(
    kripke: &Kripke,
    label: impl Fn(u32) -> String,
    out: &mut impl Write,
) -> io::Result<()> {
    let no_edge_text = |_: &Kripke, _| String::new();
    let vertex_text = |_: &Kripke, (vertex, ()): (u32, &())| {
        let peripheries = if vertex == kripke.root() { " peripheries = 2" } else { "" };
        format!("label = \"{}\"{peripheries}", Escaped(&label(vertex)))
    };
    let config = [Config::NodeNoLabel, Config::EdgeNoLabel];
    write!(
        out,
        "{:?}",
        Dot::with_attr_getters(kripke, &config, &|g, e| no_edge_text(g, e), &|g, v| vertex_text(
            g, v
        ))
    )
}

/// Text inside a quoted DOT string.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                _ => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}
