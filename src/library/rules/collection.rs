//! The rules and the vocabulary that come with the program.

use crate::chess::board::Piece;
use crate::tables::Material;

use super::condition::{is_king, is_pawn, name_of};
use super::{Condition, Rule, RuleError, parse_condition, parse_rules};

/// The rule files of `positions/library/rules/`: name and text.
pub const BUILT_IN: [(&str, &str); 7] = [
    ("absolute.rule", include_str!("../../../positions/library/rules/absolute.rule")),
    (
        "first-sufficient.rule",
        include_str!("../../../positions/library/rules/first-sufficient.rule"),
    ),
    (
        "second-sufficient.rule",
        include_str!("../../../positions/library/rules/second-sufficient.rule"),
    ),
    (
        "second-sufficient-corrected.rule",
        include_str!("../../../positions/library/rules/second-sufficient-corrected.rule"),
    ),
    (
        "queens-and-pawns.rule",
        include_str!("../../../positions/library/rules/queens-and-pawns.rule"),
    ),
    ("wins.rule", include_str!("../../../positions/library/rules/wins.rule")),
    ("classical.rule", include_str!("../../../positions/library/rules/classical.rule")),
];

/// The vocabulary file.
const VOCABULARY: &str = include_str!("../../../positions/library/rules/vocabulary.txt");

/// Rules at hand, in order.
#[derive(Debug, Clone, Default)]
pub struct Collection {
    /// The rules.
    pub rules: Vec<Rule>,
}

impl Collection {
    /// The rules of the files that come with the program.
    ///
    /// # Panics
    /// Never: a test reads them all.
    pub fn built_in() -> Self {
        let read = |(name, text): &(&str, &str)| {
            parse_rules(text).unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        Self { rules: BUILT_IN.iter().flat_map(read).collect() }
    }

    /// The rules of this name, or whose names begin with it and a dash (`absolute`: `absolute-1`,
    /// `absolute-2`).
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Rule> {
        let exact = self.rules.iter().any(|rule| rule.name == name);
        self.rules.iter().filter(move |rule| {
            let family = || rule.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
            rule.name == name || !exact && family()
        })
    }
}

/// The conditions of a vocabulary that speak of a material's men, each once, in the order of the
/// text; `None` is the vocabulary that comes with the program.
///
/// # Errors
/// The first line that is no condition, with its line number in place of the rule's.
pub fn vocabulary(material: Material, text: Option<&str>) -> Result<Vec<Condition>, RuleError> {
    let pieces = material.men_in_order();
    let mut found: Vec<Condition> = Vec::new();
    for (number, line) in text.unwrap_or(VOCABULARY).lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        for filled in filled(line, &pieces) {
            let condition = parse_condition(material, &filled)
                .map_err(|error| on_line(error, number as u32 + 1))?;
            if !found.contains(&condition) {
                found.push(condition);
            }
        }
    }
    Ok(found)
}

fn on_line(error: RuleError, line: u32) -> RuleError {
    match error {
        RuleError::Syntax { mut place, expected, found } => {
            place.line = line;
            RuleError::Syntax { place, expected, found }
        }
        other => other,
    }
}

/// The line with every way to fill its blanks.
fn filled(line: &str, pieces: &[Piece]) -> Vec<String> {
    let men = || 0..pieces.len() as u8;
    let names = |wanted: &dyn Fn(u8) -> bool| {
        men().filter(|&m| wanted(m)).map(|m| name_of(pieces, m)).collect()
    };
    let fill = |lines: Vec<String>, blank: &str, names: &Vec<String>| -> Vec<String> {
        let one = |line: String| -> Vec<String> {
            if !line.contains(blank) {
                return vec![line];
            }
            names.iter().map(|name| line.replace(blank, name)).collect()
        };
        lines.into_iter().flat_map(one).collect()
    };
    let pawns: Vec<String> = names(&|m| is_pawn(pieces, m));
    let lines = fill(vec![line.to_owned()], "%man", &names(&|_| true));
    let lines = fill(lines, "%king", &names(&|m| is_king(pieces, m)));
    let with_pawns = |line: String| -> Vec<String> {
        if !line.contains("%pawn") {
            return vec![line];
        }
        let other = |pawn: &String| -> Vec<String> {
            pawns.iter().filter(|p| *p != pawn).cloned().collect()
        };
        pawns
            .iter()
            .flat_map(|pawn| fill(vec![line.replace("%pawn", pawn)], "%other", &other(pawn)))
            .collect()
    };
    lines.into_iter().flat_map(with_pawns).collect()
}
