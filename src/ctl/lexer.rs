//! Tokens of CTL text, read from a stream through a sliding buffer.
//!
//! The tokens are nom parsers in streaming mode: where the buffer ends inside a token they ask for
//! more, the buffer slides on and they are tried again. Blanks and comments are skipped as they
//! come, so memory stays at the buffer's size whatever the length of the text or of a line.

use super::error::{Excerpt, Fault, ParseError, Place};
use super::parser::Notation;
use nom::branch::alt;
use nom::bytes::{tag, take_while, take_while_m_n, take_while1};
use nom::combinator::{recognize, value};
use nom::error::Error;
use nom::{IResult, Parser};
use std::io::{ErrorKind, Read};

/// The longest name, in bytes.
pub const MAX_NAME: usize = 1 << 16;

const BUFFER: usize = 1 << 18;

/// Bytes before a token that are kept to be shown with an error.
const KEPT: usize = 400;

/// The kinds of tokens; the text of a name or number is [`Lexer::text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Name,
    Number,
    True,
    False,
    Let,
    /// `spec`
    Spec,
    /// `SPEC`, `CTLSPEC`
    SmvSpec,
    /// `NAME`, before the name of a specification in NuSMV's notation
    SpecName,
    Module,
    VarSection,
    DefineSection,
    /// `A`, `∀`
    All,
    /// `E`, `∃`
    Some,
    Ax,
    Ex,
    Ag,
    Eg,
    Af,
    Ef,
    Until,
    WeakUntil,
    Release,
    /// `○`, after `∀` or `∃`
    Circle,
    /// `□`, after `∀` or `∃`
    Square,
    /// `◇`: finally after `∀` or `∃`, until between two formulas
    Diamond,
    Not,
    And,
    Or,
    Xor,
    /// `xnor`, as strong as `|`
    Xnor,
    Implies,
    Iff,
    RoundOpen,
    RoundClose,
    SquareOpen,
    SquareClose,
    CurlyOpen,
    CurlyClose,
    Equals,
    /// `:=`
    Becomes,
    Colon,
    Semicolon,
    Comma,
    Plus,
    Minus,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// A character that begins no token.
    Unknown,
    End,
}

type Bytes<'a> = &'a [u8];

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A name, a reserved word or a number: anything of letters, digits and `_`.
fn word<'a>(
    notation: Notation,
) -> impl Parser<Bytes<'a>, Output = Token, Error = Error<Bytes<'a>>> {
    let name = recognize((
        take_while_m_n(1, 1, |b: u8| b.is_ascii_alphabetic() || b == b'_'),
        take_while(is_name_byte),
    ));
    let named = name.map(move |name| reserved(name, notation));
    alt((named, value(Token::Number, take_while1(|b: u8| b.is_ascii_digit()))))
}

/// A name of NuSMV's: it may have `$`, and between letters or digits `#`, `.` and `-`. (`--` begins a
/// comment, `->` is a sign.)
fn smv_word(text: Bytes<'_>, ended: bool) -> IResult<Bytes<'_>, Token> {
    let mut at = 0;
    loop {
        match (text.get(at), text.get(at + 1)) {
            (Some(&byte), _) if is_name_byte(byte) || byte == b'$' => at += 1,
            (Some(b'#' | b'.' | b'-'), Some(&byte)) if is_name_byte(byte) => at += 2,
            (Some(b'#' | b'.' | b'-') | None, None) if !ended => {
                return Err(nom::Err::Incomplete(nom::Needed::new(1)));
            }
            _ => break,
        }
    }
    Ok((&text[at..], reserved(&text[..at], Notation::Smv)))
}

fn reserved(name: Bytes<'_>, notation: Notation) -> Token {
    match name {
        b"T" | b"true" | b"TRUE" => Token::True,
        b"F" | b"false" | b"FALSE" => Token::False,
        b"A" => Token::All,
        b"E" => Token::Some,
        b"U" => Token::Until,
        b"W" => Token::WeakUntil,
        b"R" => Token::Release,
        b"AX" => Token::Ax,
        b"EX" => Token::Ex,
        b"AG" => Token::Ag,
        b"EG" => Token::Eg,
        b"AF" => Token::Af,
        b"EF" => Token::Ef,
        b"let" => Token::Let,
        b"spec" if notation != Notation::Smv => Token::Spec,
        b"SPEC" | b"CTLSPEC" if notation != Notation::Theta => Token::SmvSpec,
        b"MODULE" if notation != Notation::Theta => Token::Module,
        b"NAME" if notation == Notation::Smv => Token::SpecName,
        b"VAR" if notation == Notation::Smv => Token::VarSection,
        b"DEFINE" if notation == Notation::Smv => Token::DefineSection,
        b"not" => Token::Not,
        b"and" => Token::And,
        b"or" => Token::Or,
        b"xor" => Token::Xor,
        b"xnor" => Token::Xnor,
        b"implies" => Token::Implies,
        b"iff" => Token::Iff,
        _ => Token::Name,
    }
}

/// A sign of either notation, or of those of other tools; of several that begin alike, the longest.
fn sign<'a>() -> impl Parser<Bytes<'a>, Output = Token, Error = Error<Bytes<'a>>> {
    let one = |token, text: &'static str| value(token, tag(text));
    let ascii = alt((
        one(Token::Not, "~"),
        one(Token::And, "&"),
        one(Token::Or, "|"),
        one(Token::Implies, "->"),
        one(Token::Iff, "<->"),
        one(Token::RoundOpen, "("),
        one(Token::RoundClose, ")"),
        one(Token::SquareOpen, "["),
        one(Token::SquareClose, "]"),
        one(Token::Semicolon, ";"),
        one(Token::Equals, "="),
    ));
    let foreign = alt((
        one(Token::Not, "!"),
        one(Token::And, "&&"),
        one(Token::And, "/\\"),
        one(Token::Or, "||"),
        one(Token::Or, "\\/"),
        one(Token::Implies, "=>"),
        one(Token::Iff, "<=>"),
    ));
    let paper = alt((
        one(Token::Not, "¬"),
        one(Token::And, "∧"),
        one(Token::Or, "∨"),
        one(Token::Implies, "→"),
        one(Token::Iff, "↔"),
        one(Token::All, "∀"),
        one(Token::Some, "∃"),
        one(Token::Circle, "○"),
        one(Token::Square, "□"),
        one(Token::Diamond, "◇"),
        one(Token::True, "⊤"),
        one(Token::False, "⊥"),
    ));
    let terms = alt((
        one(Token::Becomes, ":="),
        one(Token::Colon, ":"),
        one(Token::Comma, ","),
        one(Token::CurlyOpen, "{"),
        one(Token::CurlyClose, "}"),
        one(Token::Plus, "+"),
        one(Token::Minus, "-"),
        one(Token::LessEqual, "<="),
        one(Token::Less, "<"),
        one(Token::GreaterEqual, ">="),
        one(Token::Greater, ">"),
    ));
    alt((foreign, ascii, paper, terms))
}

/// The token a text begins with; at the text's end the answer depends on whether more may come.
fn scan(text: Bytes<'_>, ended: bool, notation: Notation) -> IResult<Bytes<'_>, Token> {
    if notation == Notation::Smv && (text[0].is_ascii_alphabetic() || text[0] == b'_') {
        return smv_word(text, ended);
    }
    let mut token = alt((word(notation), sign()));
    if ended { token.parse_complete(text) } else { token.parse(text) }
}

/// Reads tokens one by one from a byte stream.
pub(super) struct Lexer<R> {
    source: R,
    /// Which words are reserved, what a name may have, and what begins a comment.
    pub(super) notation: Notation,
    /// Whether `--` begins a comment; where terms are read it is two signs.
    dashes: bool,
    buffer: Vec<u8>,
    /// Where the unread text begins; what lies before it and after `token_start` is the last token.
    at: usize,
    token_start: usize,
    /// Where the bytes known to be UTF-8 end; behind it at most a cut character, unless `not_utf8`.
    valid: usize,
    not_utf8: bool,
    ended: bool,
    /// Bytes before the buffer.
    dropped: u64,
    /// The place of `at`, and that of the last token.
    here: Place,
    token_place: Place,
    last: Token,
    again: bool,
}

impl<R: Read> Lexer<R> {
    pub(super) fn new(source: R, notation: Notation, dashes: bool) -> Self {
        Self {
            source,
            notation,
            dashes,
            buffer: Vec::new(),
            at: 0,
            token_start: 0,
            valid: 0,
            not_utf8: false,
            ended: false,
            dropped: 0,
            here: Place::START,
            token_place: Place::START,
            last: Token::End,
            again: false,
        }
    }

    /// The text of the last token; valid until the next one is read.
    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.buffer[self.token_start..self.at])
            .expect("the buffer is valid up to here")
    }

    /// The place of the last token.
    pub(super) fn place(&self) -> Place {
        self.token_place
    }

    /// The fault with the line on which the last token stands.
    pub(super) fn point(&self, fault: Fault) -> ParseError {
        let at = match fault {
            Fault::Io(_) => return ParseError::new(fault, None),
            Fault::NotUtf8(_) => self.valid,
            _ => self.token_start,
        };
        let is_behind = matches!(fault, Fault::NotUtf8(_));
        let line = if is_behind { self.here.line } else { self.token_place.line };
        let text = std::str::from_utf8(&self.buffer[..self.valid]).expect("valid up to here");
        let excerpt = Excerpt::of(line, text, at, self.dropped == 0);
        ParseError::new(fault, Some(excerpt))
    }

    /// Makes [`Lexer::token`] answer the last token once more.
    pub(super) fn unread(&mut self) {
        self.again = true;
    }

    /// The last token as an error names it.
    pub(super) fn found(&self) -> String {
        match self.last {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text()),
        }
    }

    /// The next token; [`Token::End`] at the end of the text.
    pub(super) fn token(&mut self) -> Result<Token, Fault> {
        if !std::mem::take(&mut self.again) {
            self.skip_blanks()?;
            self.last = self.read_token()?;
        }
        Ok(self.last)
    }

    fn read_token(&mut self) -> Result<Token, Fault> {
        self.token_start = self.at;
        self.token_place = self.here;
        if self.at == self.valid {
            return Ok(Token::End);
        }
        loop {
            let text = &self.buffer[self.at..self.valid];
            let (length, token) = match scan(text, self.ended, self.notation) {
                Ok((rest, token)) => (text.len() - rest.len(), token),
                Err(nom::Err::Incomplete(_)) => {
                    if text.len() > MAX_NAME {
                        return Err(Fault::LongName(self.here));
                    }
                    self.fill()?;
                    continue;
                }
                Err(_) => (first_char_len(text), Token::Unknown),
            };
            if length > MAX_NAME {
                return Err(Fault::LongName(self.here));
            }
            self.at += length;
            // Signs are one character each, or ASCII.
            let columns = if text[0].is_ascii() { length as u32 } else { 1 };
            self.here.column = self.here.column.saturating_add(columns);
            return Ok(token);
        }
    }

    /// Skips blanks and comments; afterwards there is unread text, or none left.
    fn skip_blanks(&mut self) -> Result<(), Fault> {
        let mut comment = false;
        loop {
            while let Some(&byte) = self.buffer[..self.valid].get(self.at) {
                match byte {
                    b'\n' => {
                        comment = false;
                        self.here = Place { line: self.here.line.saturating_add(1), column: 0 };
                    }
                    b'#' if self.notation != Notation::Smv => comment = true,
                    b'-' if self.dashes && !comment => {
                        match self.buffer[..self.valid].get(self.at + 1) {
                            Some(b'-') => comment = true,
                            None if !self.ended => break,
                            _ => return Ok(()),
                        }
                    }
                    _ if comment || byte.is_ascii_whitespace() => {}
                    _ => return Ok(()),
                }
                // Bytes 10xxxxxx continue a character.
                if byte & 0xC0 != 0x80 {
                    self.here.column = self.here.column.saturating_add(1);
                }
                self.at += 1;
            }
            self.token_start = self.at;
            if self.ended {
                return Ok(());
            }
            self.fill()?;
        }
    }

    /// Reads on: drops what is read, appends at least one byte or notices the end.
    fn fill(&mut self) -> Result<(), Fault> {
        if self.not_utf8 {
            return Err(Fault::NotUtf8(self.place_of_end()));
        }
        // Some of the line is kept for errors, as long as that is little.
        let mut gone = self.token_start.saturating_sub(KEPT);
        while gone < self.token_start && self.buffer[gone] & 0xC0 == 0x80 {
            gone += 1;
        }
        self.dropped += gone as u64;
        self.buffer.drain(..gone);
        self.at -= gone;
        self.valid -= gone;
        self.token_start -= gone;
        let old = self.buffer.len();
        self.buffer.resize(old + BUFFER, 0);
        let read = loop {
            match self.source.read(&mut self.buffer[old..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.buffer.truncate(old + read);
        self.ended = read == 0;
        match std::str::from_utf8(&self.buffer[self.valid..]) {
            Ok(text) => self.valid += text.len(),
            Err(error) => {
                self.valid += error.valid_up_to();
                // What is read before the fault is parsed first: an earlier fault is told earlier.
                self.not_utf8 = self.ended || error.error_len().is_some();
                self.ended = false;
            }
        }
        Ok(())
    }

    /// The place behind the valid text, for the fault that lies there.
    fn place_of_end(&self) -> Place {
        let characters =
            self.buffer[self.at..self.valid].iter().filter(|&b| b & 0xC0 != 0x80).count();
        Place { column: self.here.column.saturating_add(characters as u32), ..self.here }
    }
}

fn first_char_len(text: &[u8]) -> usize {
    match text[0] {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}
