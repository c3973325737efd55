//! Rules from text.
//!
//! ```text
//! # a comment
//! rule absolute-1 "what it says, in a sentence"
//! material KPvK
//! if k in square of P and not (K closer to P than k)
//! unless P attacked by black
//! then draw
//! ```
//!
//! The first-named side of the material is White in the rule. Men are named by their FEN letters,
//! `P1` and `P2` (the one on the lower square first) where there are two. `or` binds weakest, then
//! `and`, then `not`; the aims' spellings (`|`, `&`, `~`, `white_to_move`, `on(P, e4)`,
//! `attacked(e4, white)`, `check(white)`) are read too.

mod cast;
mod words;

use nom::branch::alt;
use nom::bytes::complete::{take_till, take_while1};
use nom::combinator::{cut, map, opt};
use nom::sequence::{delimited, preceded};
use nom::{Err, Parser};

use crate::chess::Side;
use crate::ctl::Place as TextPlace;
use crate::tables::{MAX_MEN, Material, TableError};

use super::condition::Condition;
use super::{Conclusion, Rule};
use cast::Cast;
use words::{Fault, Read, blank, fault, is_word, phrase, sign, word};

/// Why a text holds no rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Something else should stand here.
    #[error("{place}: expected {expected}, found {found}")]
    Syntax {
        /// Where.
        place: TextPlace,
        /// What may stand here.
        expected: String,
        /// What stands here.
        found: String,
    },
    /// Two rules of one name.
    #[error("the rule `{0}` is there twice")]
    Twice(String),
}

fn conclusion(text: &str) -> Read<'_, Conclusion> {
    let fixed = |words, conclusion| map(phrase(words), move |()| conclusion);
    alt((
        fixed("white wins", Conclusion::Wins(Side::White)),
        fixed("black wins", Conclusion::Wins(Side::Black)),
        fixed("draw", Conclusion::Draw),
        fixed("white holds", Conclusion::Holds(Side::White)),
        fixed("black holds", Conclusion::Holds(Side::Black)),
        fixed("side to move wins", Conclusion::MoverWins),
        fixed("side to move holds", Conclusion::MoverHolds),
        fixed("side to move loses", Conclusion::MoverLoses),
    ))
    .parse(text)
}

/// The signature, first-named side first.
fn material(text: &str) -> Read<'_, Material> {
    let start = blank(text);
    let (rest, name) = word("a signature such as KPvK").parse(start)?;
    let parsed: Result<Material, TableError> = name.parse();
    match parsed {
        Ok(material) if material.men() > MAX_MEN => {
            fault(start, format!("{} men: a rule's tables end at {MAX_MEN}", material.men()))
        }
        Ok(material) if same_order(name, material) => Ok((rest, material)),
        Ok(material) => {
            fault(start, format!("{material} (the stronger side first: it is White in the rule)"))
        }
        Err(error) => fault(start, error.to_string()),
    }
}

/// Whether the signature as written names the stronger side first.
fn same_order(text: &str, material: Material) -> bool {
    let upper = text.to_ascii_uppercase();
    let end = upper.find('V').or_else(|| upper.rfind('K')).unwrap_or(0);
    let sorted = |side: &str| {
        let mut letters: Vec<char> = side.chars().collect();
        letters.sort_unstable();
        letters
    };
    let printed = material.to_string();
    printed.split('v').next().is_some_and(|first| sorted(first) == sorted(&upper[..end]))
}

fn rule(text: &str) -> Read<'_, Rule> {
    let name = |t| {
        let start = blank(t);
        let found: Read<'_, &str> = take_while1(|c: char| is_word(c) || c == '-').parse(start);
        found.or_else(|_| fault(start, "the rule's name"))
    };
    let (rest, name) = preceded(phrase("rule"), cut(name)).parse(text)?;
    let quoted = delimited(sign("\""), take_till(|c| c == '"' || c == '\n'), cut(sign("\"")));
    let (rest, says) = opt(quoted).parse(rest)?;
    let (rest, material) = cut(preceded(phrase("material"), material)).parse(rest)?;
    let cast = Cast::new(material);
    let (rest, condition) = cut(preceded(phrase("if"), |t| cast.any(t))).parse(rest)?;
    let (rest, exception) = opt(preceded(phrase("unless"), cut(|t| cast.any(t)))).parse(rest)?;
    let (rest, conclusion) = cut(preceded(phrase("then"), conclusion))
        .parse(rest)
        .map_err(|e| or_operator(e, blank(rest)))?;
    let says = says.unwrap_or_default().to_owned();
    Ok((rest, Rule { name: name.to_owned(), says, material, condition, exception, conclusion }))
}

/// After a condition an operator may stand as well.
fn or_operator<'a>(error: Err<Fault<'a>>, start: &'a str) -> Err<Fault<'a>> {
    error.map(|fault| {
        if fault.at.len() == start.len() {
            Fault { at: start, expected: "`and`, `or`, `unless` or `then`".to_owned() }
        } else {
            fault
        }
    })
}

fn place_of(text: &str, rest: &str) -> TextPlace {
    let before = &text[..text.len() - rest.len()];
    let line = before.matches('\n').count() as u32 + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    TextPlace { line, column: before[start..].chars().count() as u32 + 1 }
}

fn syntax(text: &str, fault: &Fault<'_>) -> RuleError {
    let found = match fault.at.chars().next() {
        None => "the end of the text".to_owned(),
        Some(c) if is_word(c) => {
            format!("`{}`", fault.at.split(|c| !is_word(c)).next().unwrap_or_default())
        }
        Some(c) => format!("`{c}`"),
    };
    RuleError::Syntax { place: place_of(text, fault.at), expected: fault.expected.clone(), found }
}

fn told<'a, T>(text: &'a str, read: Read<'a, T>) -> Result<(&'a str, T), RuleError> {
    read.map_err(|error| match error {
        Err::Error(fault) | Err::Failure(fault) => syntax(text, &fault),
        Err::Incomplete(_) => syntax(text, &Fault { at: "", expected: "more text".to_owned() }),
    })
}

/// Reads the rules of a text, in order.
///
/// # Errors
/// The first fault, with line and column; two rules of one name.
pub fn parse_rules(text: &str) -> Result<Vec<Rule>, RuleError> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut rest = text;
    while !blank(rest).is_empty() || rules.is_empty() {
        let (after, rule) = told(text, rule(rest))?;
        if rules.iter().any(|known| known.name == rule.name) {
            return Err(RuleError::Twice(rule.name));
        }
        rules.push(rule);
        rest = after;
    }
    Ok(rules)
}

/// Reads one condition about a material.
///
/// # Errors
/// The first fault, with line and column.
pub fn parse_condition(material: Material, text: &str) -> Result<Condition, RuleError> {
    let cast = Cast::new(material);
    let (rest, condition) = told(text, cast.any(text))?;
    if blank(rest).is_empty() {
        return Ok(condition);
    }
    Err(syntax(
        text,
        &Fault { at: blank(rest), expected: "an operator or the end of the condition".to_owned() },
    ))
}
