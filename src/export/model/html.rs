//! A model as a page of its own: what is true in a state stands beside the picture when it is
//! pointed at, and the way in which it keeps a promise is marked.

use super::{Picture, escaped, svg};
use serde_json::json;
use std::io::{self, Write};

/// Writes the page; it needs nothing from outside.
///
/// # Errors
/// Those of `out`.
pub fn write(picture: &Picture, out: &mut dyn Write) -> io::Result<()> {
    let (layout, facts) = (&picture.layout, &picture.facts);
    let mut graph = Vec::new();
    writeln!(
        graph,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" \
         height=\"{1}\" role=\"group\" aria-label=\"The model\">",
        layout.width, layout.height
    )?;
    svg::write_graph(picture, &mut graph)?;
    graph.extend_from_slice(b"</svg>");
    let data = json!({ "model": facts, "subformulas": facts.subformulas });
    let fill = |name: &str| match name {
        "title" => format!("A model of {}", escaped(&picture.formula)),
        "css" => include_str!("model.css").to_owned(),
        "formula" => escaped(&picture.formula),
        "facts" => escaped(&told(picture)),
        "picture" => String::from_utf8_lossy(&graph).into_owned(),
        // Nothing in a script element may look like markup: `</script>`, `<!--`.
        "data" => data.to_string().replace('<', "\\u003c"),
        "script" => include_str!("model.js").to_owned(),
        _ => unreachable!("the page names no other part"),
    };
    for (k, part) in include_str!("model.html").split("@@").enumerate() {
        let text = if k % 2 == 0 { part.to_owned() } else { fill(part) };
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// How large the model is, and what is not drawn.
fn told(picture: &Picture) -> String {
    let (all, drawn) = (picture.facts.states.len(), picture.layout.states.len());
    let mut text = match all {
        1 => "1 state".to_owned(),
        _ => format!("{all} states"),
    };
    if drawn < all {
        text += &format!(", {drawn} of them drawn");
    }
    text += ". The root has a double border, a dead end a dashed one.";
    if !picture.everywhere.is_empty() {
        text += &format!(" True in every state: {}.", picture.everywhere.join(", "));
    }
    text
}
