//! Aims from text: the CTL parser finds the atoms, their words are read here.

use super::{Aim, Atom, Comparison, Sum, Term};
use crate::chess::{Side, code};
use crate::ctl::{Arena, Atoms, Notation, ParseError, Place, parse_reader};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::i32 as number;
use nom::combinator::{all_consuming, opt, value};
use nom::multi::{many0, separated_list1};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};
use std::io::Read;

/// Why a text is no aim.
#[derive(Debug, thiserror::Error)]
pub enum AimError {
    /// It is no formula.
    #[error(transparent)]
    Formula(#[from] ParseError),
    /// One of its variables is no chess atom.
    #[error("{place}: `{text}` is no chess atom: {fault}")]
    Atom {
        /// Where it is used first.
        place: Place,
        /// Its text.
        text: String,
        /// What is wrong with it.
        fault: AtomFault,
    },
}

/// What is wrong with an atom.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AtomFault {
    /// No atom has this name.
    #[error(
        "the atoms are white_to_move, black_to_move, mate(side), stalemate, check(side), on(man, square), \
         attacked(square, side), can_castle(K|Q|k|q) and comparisons of count(man), material(side), flights(side), \
         moves(side) and numbers"
    )]
    Name,
    /// An argument is missing or one too many.
    #[error("it takes {0}")]
    Arguments(&'static str),
    /// An argument should be `white` or `black`.
    #[error("`{0}` is neither `white` nor `black`")]
    Side(String),
    /// An argument should be one of `KQRBNPkqrbnp`.
    #[error("`{0}` is no man's letter (KQRBNP for White's, kqrbnp for Black's)")]
    Man(String),
    /// An argument should be a square.
    #[error("`{0}` is no square (a1 to h8)")]
    Square(String),
    /// An argument should be one of `KQkq`.
    #[error("`{0}` is no castling right (K, Q, k or q)")]
    Castling(String),
    /// A number stands where something true or false should.
    #[error("a number must be compared with another (< <= = >= >)")]
    Number,
    /// Something true or false stands where a number should.
    #[error(
        "`{0}` is no number: numbers are count(man), material(side), flights(side), moves(side) and \
         integers of 32 bits"
    )]
    NoNumber(String),
    /// More than one comparison.
    #[error("a comparison is: sum, one of < <= = >= >, sum")]
    Comparison,
}

impl Aim {
    /// Reads an aim.
    ///
    /// # Errors
    /// The first fault of the formula, or the first variable that is no chess atom, with its place.
    pub fn parse(text: &str) -> Result<Self, AimError> {
        Self::read(text.as_bytes())
    }

    /// Reads an aim from a stream.
    ///
    /// # Errors
    /// As [`Aim::parse`], and those of the stream.
    pub fn read(source: impl Read) -> Result<Self, AimError> {
        let mut arena = Arena::new();
        let parsed = parse_reader(&mut arena, source, Atoms::Terms, Notation::Theta)?;
        let atoms = parsed.variables.iter().map(|&(symbol, place)| {
            let text = arena.name(symbol);
            atom(text).map_err(|fault| AimError::Atom { place, text: text.to_owned(), fault })
        });
        let atoms = atoms.collect::<Result<_, _>>()?;
        Ok(Self { arena, formula: parsed.formula, atoms })
    }
}

/// A term as written: a name with or without arguments, or a number.
enum Word<'a> {
    Number(i32),
    Name(&'a str, Vec<&'a str>),
}

fn name(text: &str) -> IResult<&str, &str> {
    take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_').parse(text)
}

fn word(text: &str) -> IResult<&str, Word<'_>> {
    let arguments = opt(delimited(tag("("), separated_list1(tag(", "), name), tag(")")));
    alt((
        number.map(Word::Number),
        (name, arguments).map(|(name, list)| Word::Name(name, list.unwrap_or_default())),
    ))
    .parse(text)
}

type Words<'a> = Vec<(bool, Word<'a>)>;

/// Words joined by `+` and `-`, each with whether it is subtracted.
fn words(text: &str) -> IResult<&str, Words<'_>> {
    let sign = alt((value(false, tag(" + ")), value(true, tag(" - "))));
    (word, many0((sign, word)))
        .map(|(first, rest)| std::iter::once((false, first)).chain(rest).collect())
        .parse(text)
}

fn comparison(text: &str) -> IResult<&str, Comparison> {
    let sign = alt((
        value(Comparison::LessEqual, tag("<=")),
        value(Comparison::Less, tag("<")),
        value(Comparison::Equal, tag("=")),
        value(Comparison::GreaterEqual, tag(">=")),
        value(Comparison::Greater, tag(">")),
    ));
    preceded(tag(" "), terminated(sign, tag(" "))).parse(text)
}

/// Reads one atom, in the spelling of [`Atoms::Terms`].
fn atom(text: &str) -> Result<Atom, AtomFault> {
    let whole = all_consuming((words, opt((comparison, words)))).parse(text);
    match whole.map_err(|_| AtomFault::Comparison)?.1 {
        (left, Some((comparison, right))) => Ok(Atom::Compare(sum(left)?, comparison, sum(right)?)),
        (mut words, None) => match words.pop() {
            Some((false, Word::Name(name, arguments))) if words.is_empty() => {
                statement(name, &arguments)
            }
            _ => Err(AtomFault::Number),
        },
    }
}

fn statement(name: &str, arguments: &[&str]) -> Result<Atom, AtomFault> {
    let wrong = |usage| Err(AtomFault::Arguments(usage));
    match (name, arguments) {
        ("white_to_move", []) => Ok(Atom::ToMove(Side::White)),
        ("black_to_move", []) => Ok(Atom::ToMove(Side::Black)),
        ("stalemate", []) => Ok(Atom::Stalemate),
        ("white_to_move" | "black_to_move" | "stalemate", _) => wrong("no arguments"),
        ("mate", [side]) => Ok(Atom::Mate(read_side(side)?)),
        ("check", [side]) => Ok(Atom::Check(read_side(side)?)),
        ("mate" | "check", _) => wrong("one argument, a side"),
        ("on", [man, square]) => Ok(Atom::On(read_man(man)?, read_square(square)?)),
        ("on", _) => wrong("two arguments, a man and a square"),
        ("attacked", [square, side]) => Ok(Atom::Attacked(read_square(square)?, read_side(side)?)),
        ("attacked", _) => wrong("two arguments, a square and a side"),
        ("can_castle", [right]) => read_castling(right),
        ("can_castle", _) => wrong("one argument, a castling right"),
        ("count" | "material" | "flights" | "moves", _) => Err(AtomFault::Number),
        _ => Err(AtomFault::Name),
    }
}

fn sum(words: Words<'_>) -> Result<Sum, AtomFault> {
    let terms = words.into_iter().map(|(minus, word)| Ok((minus, term(word)?)));
    Ok(Sum(terms.collect::<Result<_, _>>()?))
}

fn term(word: Word<'_>) -> Result<Term, AtomFault> {
    match word {
        Word::Number(number) => Ok(Term::Number(number)),
        Word::Name("count", arguments) => match arguments[..] {
            [man] => Ok(Term::Count(read_man(man)?)),
            _ => Err(AtomFault::Arguments("one argument, a man")),
        },
        Word::Name("material", arguments) => term_of_side(&arguments, Term::Material),
        Word::Name("flights", arguments) => term_of_side(&arguments, Term::Flights),
        Word::Name("moves", arguments) => term_of_side(&arguments, Term::Moves),
        Word::Name(name, _) => Err(AtomFault::NoNumber(name.to_owned())),
    }
}

fn term_of_side(arguments: &[&str], term: fn(Side) -> Term) -> Result<Term, AtomFault> {
    match arguments {
        [side] => read_side(side).map(term),
        _ => Err(AtomFault::Arguments("one argument, a side")),
    }
}

fn read_side(text: &str) -> Result<Side, AtomFault> {
    match text {
        "white" => Ok(Side::White),
        "black" => Ok(Side::Black),
        _ => Err(AtomFault::Side(text.to_owned())),
    }
}

fn read_man(text: &str) -> Result<u8, AtomFault> {
    let place = code::LETTERS.iter().position(|&letter| text.as_bytes() == [letter]);
    place.map(|at| at as u8 + 1).ok_or_else(|| AtomFault::Man(text.to_owned()))
}

fn read_square(text: &str) -> Result<u8, AtomFault> {
    match text.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(8 * (rank - b'1') + (file - b'a') + 1),
        _ => Err(AtomFault::Square(text.to_owned())),
    }
}

fn read_castling(text: &str) -> Result<Atom, AtomFault> {
    let (side, wing) = match text {
        "K" => (Side::White, 2),
        "Q" => (Side::White, 1),
        "k" => (Side::Black, 2),
        "q" => (Side::Black, 1),
        _ => return Err(AtomFault::Castling(text.to_owned())),
    };
    Ok(Atom::CanCastle(side, wing))
}
