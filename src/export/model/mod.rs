//! Models of formulas to look at: as a picture, a page, a graph for other tools.
//!
//! * `layout`: where states stand and how edges run; the page of `theta serve` uses the same.
//! * `facts`: the subformulas that are true in each state, the atoms that matter, and how each
//!   eventuality is fulfilled.
//! * `svg`, `html`, `graph`: the files.

mod facts;
mod graph;
mod html;
mod layout;
mod svg;

pub use facts::{Facts, Kept, State};
pub use graph::write_aut;
pub use html::write as write_html;
pub use layout::{Curve, Layout, Placed};
pub use svg::write as write_svg;

use crate::ctl::{Arena, Id};
use crate::kripke::Kripke;
use crate::limits::{Budget, StopReason};

/// States that are drawn.
pub const DRAWN: usize = 60;

/// States of a model of which a picture is made.
pub const MOST_STATES: u32 = 500;

/// Characters of a line in a state, and lines.
const WIDE: usize = 18;
const TALL: usize = 4;
/// So many atoms of a state are shown before those that are true everywhere are left out.
const MANY: usize = 8;

/// A model with all that is said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The formula as text, or its beginning.
    pub formula: String,
    /// What is true where.
    pub facts: Facts,
    /// The drawing, of at most [`DRAWN`] states.
    pub layout: Layout,
    /// Atoms that are true in every state, where they were left out of the states' texts.
    pub everywhere: Vec<String>,
}

impl Picture {
    /// Of a model of a formula. Takes states² times subformulas in the worst case: meant for models
    /// of up to [`MOST_STATES`].
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn new(
        arena: &mut Arena,
        formula: Id,
        model: &Kripke,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let facts = Facts::new(arena, formula, model, budget)?;
        let everywhere = everywhere(&facts);
        let layout = Layout::new(model, DRAWN, |v| lines(&facts.states[v as usize], &everywhere));
        let formula = facts.subformulas.first().cloned().unwrap_or_default();
        Ok(Self { formula, facts, layout, everywhere })
    }
}

/// The atoms that need not be said of each state.
fn everywhere(facts: &Facts) -> Vec<String> {
    let most = facts.states.iter().map(|state| state.r#true.len()).max().unwrap_or(0);
    if facts.states.len() < 2 || most <= MANY {
        return Vec::new();
    }
    let mut common = facts.states[0].r#true.clone();
    for state in &facts.states {
        let own: std::collections::HashSet<&String> = state.r#true.iter().collect();
        common.retain(|name| own.contains(name));
    }
    common
}

/// The text of a state: the atoms that are true in it, then those whose falsehood matters.
fn lines(state: &State, everywhere: &[String]) -> Vec<String> {
    let mut words: Vec<String> =
        state.r#true.iter().filter(|name| !everywhere.contains(name)).cloned().collect();
    let matters = state.matters.iter().flatten();
    let fails: Vec<String> = matters
        .filter(|name| !state.r#true.contains(name))
        .map(|name| format!("~{name}"))
        .collect();
    if words.len() + fails.len() <= MANY {
        words.extend(fails);
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let long = word.chars().count() > WIDE;
        let word = if long { word.chars().take(WIDE - 1).chain(['…']).collect() } else { word };
        let is_full = lines.len() == TALL;
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDE => {
                line.push(' ');
                line.push_str(&word);
            }
            Some(last) if is_full && last.ends_with('…') => {}
            Some(last) if is_full => last.push_str(" …"),
            _ => lines.push(word),
        }
    }
    if lines.is_empty() {
        lines.push("∅".into());
    }
    lines
}

/// Text as it may stand in markup.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
