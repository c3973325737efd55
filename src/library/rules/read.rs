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
//! The first-named side of the material is White in the rule. Men are named by their FEN letters, `P1` and `P2` (the one
//! on the lower square first) where there are two. `or` binds weakest, then `and`, then `not`; the aims' spellings
//! (`|`, `&`, `~`, `white_to_move`, `on(P, e4)`, `attacked(e4, white)`, `check(white)`) are read too.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while1};
use nom::combinator::{cut, map, opt};
use nom::error::{ErrorKind, ParseError};
use nom::multi::separated_list1;
use nom::sequence::{delimited, preceded};
use nom::{Err, IResult, Parser};

use crate::chess::board::{Bitboard, Piece, Square};
use crate::ctl::Place as TextPlace;
use crate::tables::{Material, TableError};

use super::condition::{Comparison, Condition, Man, Number, Place, is_king, is_pawn, name_of};
use super::{Conclusion, Rule};

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

/// A fault at the rest of the text, while reading.
#[derive(Debug, Clone)]
struct Fault<'a> {
    at: &'a str,
    expected: String,
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
            std::cmp::Ordering::Equal if self.expected.is_empty() || other.expected.contains(&self.expected) => other,
            std::cmp::Ordering::Equal if other.expected.is_empty() || self.expected.contains(&other.expected) => self,
            std::cmp::Ordering::Equal => {
                Self { at: self.at, expected: format!("{}, {}", self.expected, other.expected) }
            }
        }
    }
}

type Read<'a, T> = IResult<&'a str, T, Fault<'a>>;

fn fault<'a, T>(at: &'a str, expected: impl Into<String>) -> Read<'a, T> {
    Err(Err::Error(Fault { at, expected: expected.into() }))
}

/// Spaces and comments.
fn blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        match text.strip_prefix('#') {
            Some(rest) => text = rest.find('\n').map_or("", |end| &rest[end..]),
            None => return text,
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words in a row, each whole.
fn phrase<'a>(words: &'static str) -> impl Parser<&'a str, Output = (), Error = Fault<'a>> {
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

fn sign<'a>(text: &'static str) -> impl Parser<&'a str, Output = (), Error = Fault<'a>> {
    move |input: &'a str| match blank(input).strip_prefix(text) {
        Some(rest) => Ok((rest, ())),
        None => fault(blank(input), format!("`{text}`")),
    }
}

fn word<'a>(expected: &'static str) -> impl Parser<&'a str, Output = &'a str, Error = Fault<'a>> {
    move |text: &'a str| {
        let start = blank(text);
        let found: Read<'a, &'a str> = take_while1(is_word).parse(start);
        found.or_else(|_| fault(start, expected))
    }
}

/// `white` is true.
fn side(text: &str) -> Read<'_, bool> {
    alt((map(phrase("white"), |()| true), map(phrase("black"), |()| false))).parse(text)
}

fn square(text: &str) -> Read<'_, Square> {
    let start = blank(text);
    let (rest, name) = word("a square").parse(start)?;
    name.parse().map_or_else(|_| fault(start, "a square"), |square| Ok((rest, square)))
}

/// The material and how its men are called.
struct Cast {
    pieces: Vec<Piece>,
}

impl Cast {
    fn man<'a>(&self, text: &'a str) -> Read<'a, Man> {
        let start = blank(text);
        let names = || (0..self.pieces.len() as Man).map(|man| name_of(&self.pieces, man));
        if let Ok((rest, name)) = word("a man").parse(start)
            && let Some(man) = names().position(|n| n == name)
        {
            return Ok((rest, man as Man));
        }
        fault(start, format!("a man of the material ({})", names().collect::<Vec<_>>().join(" ")))
    }

    fn king<'a>(&self, text: &'a str) -> Read<'a, Man> {
        match self.man(text)? {
            (rest, man) if is_king(&self.pieces, man) => Ok((rest, man)),
            _ => fault(blank(text), "a king (K or k)"),
        }
    }

    fn pawn<'a>(&self, text: &'a str) -> Read<'a, Man> {
        match self.man(text)? {
            (rest, man) if is_pawn(&self.pieces, man) => Ok((rest, man)),
            _ => fault(blank(text), "a pawn"),
        }
    }

    /// `name ( argument )`
    fn of_pawn<'a>(&self, name: &'static str, text: &'a str) -> Read<'a, Man> {
        let argument = cut(delimited(sign("("), |t| self.pawn(t), sign(")")));
        preceded(phrase(name), argument).parse(text)
    }

    fn place<'a>(&self, text: &'a str) -> Read<'a, Place> {
        alt((
            map(|t| self.of_pawn("queening", t), Place::Queening),
            map(|t| self.of_pawn("ahead", t), Place::Ahead),
            map(square, Place::Square),
            map(|t| self.man(t), Place::Man),
        ))
        .parse(text)
    }

    fn of_place<'a>(&self, name: &'static str, text: &'a str) -> Read<'a, Place> {
        preceded(phrase(name), cut(delimited(sign("("), |t| self.place(t), sign(")")))).parse(text)
    }

    fn term<'a>(&self, text: &'a str) -> Read<'a, Number> {
        let two = |t| {
            let (rest, _) = phrase("distance").parse(t)?;
            let pair = (sign("("), |t| self.place(t), sign(","), |t| self.place(t), sign(")"));
            cut(map(pair, |(_, a, _, b, _)| Number::Distance(a, b))).parse(rest)
        };
        let plies = |t| {
            let (rest, _) = phrase("plies").parse(t)?;
            let pair = (sign("("), |t| self.king(t), sign(","), |t| self.place(t), sign(")"));
            cut(map(pair, |(_, a, _, b, _)| Number::Plies(a, b))).parse(rest)
        };
        let to_rank = |t| {
            let (rest, _) = phrase("plies to rank").parse(t)?;
            let pair = (sign("("), |t| self.king(t), sign(","), constant, sign(")"));
            cut(map(pair, |(_, a, _, n, _)| Number::PliesToRank(a, n))).parse(rest)
        };
        alt((
            two,
            to_rank,
            plies,
            map(|t| self.of_place("file", t), Number::File),
            map(|t| self.of_place("rank", t), Number::Rank),
            map(|t| self.of_pawn("moves", t), Number::Moves),
            map(|t| self.of_pawn("queens", t), Number::Queens),
            map(constant, Number::Constant),
        ))
        .parse(text)
    }

    fn sum<'a>(&self, text: &'a str) -> Read<'a, Number> {
        let (mut rest, mut sum) = self.term(text)?;
        loop {
            let plus: Read<'a, bool> = alt((map(sign("+"), |()| true), map(sign("-"), |()| false))).parse(rest);
            let Ok((after, plus)) = plus else { return Ok((rest, sum)) };
            let (after, term) = cut(|t| self.term(t)).parse(after)?;
            let (left, right) = (Box::new(sum), Box::new(term));
            sum = if plus { Number::Plus(left, right) } else { Number::Minus(left, right) };
            rest = after;
        }
    }

    fn comparison<'a>(&self, text: &'a str) -> Read<'a, Condition> {
        let (mut rest, first) = self.sum(text)?;
        let (mut numbers, mut signs) = (vec![first], Vec::new());
        loop {
            match comparison_sign(rest) {
                Ok((after, sign)) => {
                    let (after, number) = cut(|t| self.sum(t)).parse(after)?;
                    signs.push(sign);
                    numbers.push(number);
                    rest = after;
                }
                Err(error) if signs.is_empty() => return Err(error),
                Err(_) => return Ok((rest, Condition::Compare(numbers, signs))),
            }
        }
    }

    /// What can be said of a place.
    fn statement<'a>(&self, text: &'a str) -> Read<'a, Condition> {
        let (rest, place) = self.place(text)?;
        let man = match place {
            Place::Man(man) => Some(man),
            _ => None,
        };
        let king = man.filter(|&m| is_king(&self.pieces, m));
        let pawn = man.filter(|&m| is_pawn(&self.pieces, m));
        let mut found = alt((
            map(preceded(phrase("on"), cut(squares)), |set| Condition::On(place, set)),
            map(preceded(phrase("attacked by"), cut(side)), |white| Condition::Attacked(place, white)),
            map(preceded(phrase("beside"), cut(|t| self.place(t))), |other| Condition::Beside(place, other)),
            map(preceded(phrase("in front of"), cut(|t| self.pawn(t))), |pawn| Condition::InFront(place, pawn)),
        ))
        .parse(rest);
        if let Some(king) = king {
            let square = map(preceded(phrase("in square of"), cut(|t| self.pawn(t))), |p| Condition::InSquare(king, p));
            let closer = |t| {
                let (t, ()) = phrase("closer to").parse(t)?;
                let (t, to) = cut(|t| self.place(t)).parse(t)?;
                let (t, other) = cut(preceded(phrase("than"), |t| self.king(t))).parse(t)?;
                Ok((t, Condition::Closer(king, to, other)))
            };
            found = better(found, rest, alt((square, closer)));
        }
        if let Some(pawn) = pawn {
            let check = map(phrase("queens with check"), |()| Condition::QueensWithCheck(pawn));
            found = better(found, rest, check);
        }
        found
    }

    fn atom<'a>(&self, text: &'a str) -> Read<'a, Condition> {
        let group = delimited(sign("("), cut(|t| self.any(t)), cut(sign(")")));
        let falls = |t| {
            let (t, pawn) = preceded(phrase("queen of"), cut(|t| self.pawn(t))).parse(t)?;
            let (t, other) = cut(preceded(phrase("falls to queen of"), |t| self.pawn(t))).parse(t)?;
            Ok((t, Condition::QueenFalls(pawn, other)))
        };
        let fixed = alt((
            map(phrase("true"), |()| Condition::True),
            map(alt((phrase("white to move"), phrase("white_to_move"))), |()| Condition::ToMove(true)),
            map(alt((phrase("black to move"), phrase("black_to_move"))), |()| Condition::ToMove(false)),
            map(phrase("white in check"), |()| Condition::Check(true)),
            map(phrase("black in check"), |()| Condition::Check(false)),
            map(preceded(phrase("check"), cut(delimited(sign("("), side, sign(")")))), Condition::Check),
            map(phrase("stalemate"), |()| Condition::Stalemate),
            map(phrase("kings in opposition"), |()| Condition::Opposition),
            map(phrase("kings in distant opposition"), |()| Condition::DistantOpposition),
            map(phrase("en passant"), |()| Condition::EnPassant),
        ));
        let on = |t| {
            let (t, ()) = preceded(phrase("on"), sign("(")).parse(t)?;
            let pair = (|t| self.place(t), sign(","), square, sign(")"));
            cut(map(pair, |(place, _, square, _)| Condition::On(place, Bitboard::from(square)))).parse(t)
        };
        let attacked = |t| {
            let (t, ()) = preceded(phrase("attacked"), sign("(")).parse(t)?;
            let pair = (|t| self.place(t), sign(","), side, sign(")"));
            cut(map(pair, |(place, _, side, _)| Condition::Attacked(place, side))).parse(t)
        };
        alt((group, fixed, falls, on, attacked, |t| self.statement(t), |t| self.comparison(t)))
            .parse(text)
            .map_err(|error| named(error, blank(text), "a condition"))
    }

    fn not<'a>(&self, text: &'a str) -> Read<'a, Condition> {
        let begun: Read<'a, ()> = alt((phrase("not"), sign("~"))).parse(text);
        match begun {
            Ok((rest, ())) => {
                let (rest, inner) = cut(|t| self.not(t)).parse(rest)?;
                Ok((rest, inner.negated()))
            }
            Err(_) => self.atom(text),
        }
    }

    fn all<'a>(&self, text: &'a str) -> Read<'a, Condition> {
        chain(text, |t| self.not(t), alt((phrase("and"), sign("&"))), Condition::All)
    }

    fn any<'a>(&self, text: &'a str) -> Read<'a, Condition> {
        chain(text, |t| self.all(t), alt((phrase("or"), sign("|"))), Condition::Any)
    }
}

/// One operand, or several joined; after a joint an operand must follow.
fn chain<'a>(
    text: &'a str,
    operand: impl Fn(&'a str) -> Read<'a, Condition>,
    mut joint: impl Parser<&'a str, Output = (), Error = Fault<'a>>,
    several: impl Fn(Vec<Condition>) -> Condition,
) -> Read<'a, Condition> {
    let (mut rest, first) = operand(text)?;
    let mut list = vec![first];
    while let Ok((after, ())) = joint.parse(rest) {
        let (after, next) = cut(&operand).parse(after)?;
        list.push(next);
        rest = after;
    }
    Ok((rest, if list.len() == 1 { list.remove(0) } else { several(list) }))
}

/// An error that came no further than the start of something says what is missing in one word.
fn named<'a>(error: Err<Fault<'a>>, start: &'a str, name: &str) -> Err<Fault<'a>> {
    error
        .map(|fault| if fault.at.len() == start.len() { Fault { at: start, expected: name.to_owned() } } else { fault })
}

/// The outcome of `parser`, if what was found before is an error.
fn better<'a, T>(
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
fn constant(text: &str) -> Read<'_, i32> {
    let start = blank(text);
    let (rest, minus) = opt(tag::<_, _, Fault<'_>>("-")).parse(start)?;
    let (rest, name) = word("a number").parse(rest).map_err(|e| named(e, rest, "a number"))?;
    match (name.as_bytes(), name.parse::<i32>()) {
        (_, Ok(n)) if n < 1000 => Ok((rest, if minus.is_some() { -n } else { n })),
        (&[file @ b'a'..=b'h'], _) if minus.is_none() => Ok((rest, i32::from(file - b'a') + 1)),
        _ => fault(start, "a number"),
    }
}

fn comparison_sign(text: &str) -> Read<'_, Comparison> {
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
fn squares(text: &str) -> Read<'_, Bitboard> {
    let list = map(separated_list1(sign(","), square), |list: Vec<Square>| list.into_iter().collect());
    alt((delimited(sign("{"), cut(list), cut(sign("}"))), map(square, Bitboard::from))).parse(text)
}

fn conclusion(text: &str) -> Read<'_, Conclusion> {
    let fixed = |words, conclusion| map(phrase(words), move |()| conclusion);
    alt((
        fixed("white wins", Conclusion::Wins(true)),
        fixed("black wins", Conclusion::Wins(false)),
        fixed("draw", Conclusion::Draw),
        fixed("white holds", Conclusion::Holds(true)),
        fixed("black holds", Conclusion::Holds(false)),
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
        Ok(material) if same_order(name, material) => Ok((rest, material)),
        Ok(material) => fault(start, format!("{material} (the stronger side first: it is White in the rule)")),
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
    let cast = Cast { pieces: material.men_in_order() };
    let (rest, condition) = cut(preceded(phrase("if"), |t| cast.any(t))).parse(rest)?;
    let (rest, exception) = opt(preceded(phrase("unless"), cut(|t| cast.any(t)))).parse(rest)?;
    let (rest, conclusion) =
        cut(preceded(phrase("then"), conclusion)).parse(rest).map_err(|e| or_operator(e, blank(rest)))?;
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
        Some(c) if is_word(c) => format!("`{}`", fault.at.split(|c| !is_word(c)).next().unwrap_or_default()),
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
    let cast = Cast { pieces: material.men_in_order() };
    let (rest, condition) = told(text, cast.any(text))?;
    if blank(rest).is_empty() {
        return Ok(condition);
    }
    Err(syntax(text, &Fault { at: blank(rest), expected: "an operator or the end of the condition".to_owned() }))
}
