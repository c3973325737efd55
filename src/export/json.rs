//! The strategy as one JSON object: the heading's fields and `nodes`, a list in which positions are
//! referred to by number.

use super::outline::{Heading, Outline};
use serde::{Serialize, Serializer};
use std::io::{self, Write};

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    heading: Heading,
    #[serde(serialize_with = "stream")]
    nodes: &'a Outline<'a>,
}

fn stream<S: Serializer>(outline: &&Outline, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(outline.nodes())
}

/// Writes the outline as one line of JSON, a node at a time.
///
/// # Errors
/// Those of `out`.
pub fn write(outline: &Outline, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Document { heading: outline.heading(), nodes: outline })?;
    writeln!(out)
}
