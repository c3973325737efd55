//! The smallest parts of rules: words, signs, squares, and what is said of a text that cannot be
//! read.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::combinator::{cut, map, opt};
use nom::error::{ErrorKind, ParseError};
use nom::multi::separated_list1;
use nom::sequence::delimited;
use nom::{Err, IResult, Parser};

use crate::chess::board::{Bitboard, Square};
use crate::library::rules::condition::Comparison;

/// A fault at the rest of the text, while reading.
#[derive(Debug, Clone)]
pub(super) struct Fault<'a> {
    pub(super) at: &'a str,
    pub(super) expected: String,
}

impl<'a> ParseError<&'a str> for Fault<'a> {
    fn from_error_kind(at: &'a str, _: ErrorKind) -> Self {
        Self { at, expected: String::new() }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }

    /// Of two alternatives the one that came further speaks.
    fn or(self, other: Self) -> Self {
        match self.at.len().cmp(&other.at.len()) {
            std::cmp::Ordering::Less => self,
            std::cmp::Ordering::Greater => other,
            std::cmp::Ordering::Equal
                if self.expected.is_empty() || other.expected.contains(&self.expected) =>
            {
                other
            }
            std::cmp::Ordering::Equal
                if other.expected.is_empty() || self.expected.contains(&other.expected) =>
            {
                self
            }
            std::cmp::Ordering::Equal => {
                Self { at: self.at, expected: format!("{}, {}", self.expected, other.expected) }
            }
        }
    }
}

pub(super) type Read<'a, T> = IResult<&'a str, T, Fault<'a>>;

pub(super) fn fault<'a, T>(at: &'a str, expected: impl Into<String>) -> Read<'a, T> {
    Err(Err::Error(Fault { at, expected: expected.into() }))
}

/// Spaces and comments.
pub(super) fn blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        match text.strip_prefix('#') {
            Some(rest) => text = rest.find('\n').map_or("", |end| &rest[end..]),
            None => return text,
        }
    }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words in a row, each whole.
pub(super) fn phrase<'a>(
    words: &'static str,
) -> impl Parser<&'a str, Output = (), Error = Fault<'a>> {
    move |text: &'a str| {
        let start = blank(text);
        let mut rest = start;
        for word in words.split(' ') {
            match blank(rest).strip_prefix(word).filter(|after| !after.starts_with(is_word)) {
                Some(after) => rest = after,
                None => return fault(start, format!("`{words}`")),
            }
        }
        Ok((rest, ()))
    }
}

pub(super) fn sign<'a>(text: &'static str) -> impl Parser<&'a str, Output = (), Error = Fault<'a>> {
    move |input: &'a str| match blank(input).strip_prefix(text) {
        Some(rest) => Ok((rest, ())),
        None => fault(blank(input), format!("`{text}`")),
    }
}

pub(super) fn word<'a>(
    expected: &'static str,
) -> impl Parser<&'a str, Output = &'a str, Error = Fault<'a>> {
    move |text: &'a str| {
        let start = blank(text);
        let found: Read<'a, &'a str> = take_while1(is_word).parse(start);
        found.or_else(|_| fault(start, expected))
    }
}

/// `white` is true.
pub(super) fn side(text: &str) -> Read<'_, bool> {
    alt((map(phrase("white"), |()| true), map(phrase("black"), |()| false))).parse(text)
}

pub(super) fn square(text: &str) -> Read<'_, Square> {
    let start = blank(text);
    let (rest, name) = word("a square").parse(start)?;
    name.parse().map_or_else(|_| fault(start, "a square"), |square| Ok((rest, square)))
}

/// An error that came no further than the start of something says what is missing in one word.
pub(super) fn named<'a>(error: Err<Fault<'a>>, start: &'a str, name: &str) -> Err<Fault<'a>> {
    error.map(|fault| {
        if fault.at.len() == start.len() {
            Fault { at: start, expected: name.to_owned() }
        } else {
            fault
        }
    })
}

/// The outcome of `parser`, if what was found before is an error.
pub(super) fn better<'a, T>(
    found: Read<'a, T>,
    text: &'a str,
    mut parser: impl Parser<&'a str, Output = T, Error = Fault<'a>>,
) -> Read<'a, T> {
    match found {
        Err(Err::Error(first)) => parser.parse(text).map_err(|e| e.map(|second| first.or(second))),
        found => found,
    }
}

/// A number as written, or a file's letter.
pub(super) fn constant(text: &str) -> Read<'_, i32> {
    let start = blank(text);
    let (rest, minus) = opt(tag::<_, _, Fault<'_>>("-")).parse(start)?;
    let (rest, name) = word("a number").parse(rest).map_err(|e| named(e, rest, "a number"))?;
    match (name.as_bytes(), name.parse::<i32>()) {
        (_, Ok(n)) if n < 1000 => Ok((rest, if minus.is_some() { -n } else { n })),
        (&[file @ b'a'..=b'h'], _) if minus.is_none() => Ok((rest, i32::from(file - b'a') + 1)),
        _ => fault(start, "a number"),
    }
}

pub(super) fn comparison_sign(text: &str) -> Read<'_, Comparison> {
    alt((
        map(sign("<="), |()| Comparison::LessEqual),
        map(sign(">="), |()| Comparison::GreaterEqual),
        map(sign("!="), |()| Comparison::NotEqual),
        map(sign("<"), |()| Comparison::Less),
        map(sign(">"), |()| Comparison::Greater),
        map(sign("="), |()| Comparison::Equal),
    ))
    .parse(text)
    .map_err(|error| named(error, blank(text), "a comparison (< <= = != >= >)"))
}

/// `{e4, h8}`
pub(super) fn squares(text: &str) -> Read<'_, Bitboard> {
    let list =
        map(separated_list1(sign(","), square), |list: Vec<Square>| list.into_iter().collect());
    alt((delimited(sign("{"), cut(list), cut(sign("}"))), map(square, Bitboard::from))).parse(text)
}
