//! CTL text to formulas: the ASCII notation and the paper's (docs/guide.md), the signs of other
//! tools (`! && || => <=>` and `not and or implies iff`), `let` definitions, `spec`ifications, `#`
//! and `--` comments; and NuSMV's notation.
//!
//! Binding, strongest first: `~ AX EX AG EG AF EF` (prefix); `&`; `|`, `xor` and `xnor` (to the
//! left); `->` (to the right); `<->` (to the left). NuSMV has the last two the other way round.
//! Chains of `&` and of `|` become one n-ary formula; brackets keep a chain apart. Untils stand in
//! brackets: `A[φ U ψ]`, `∃(φ◇ψ)`, and so do `W` and `R`.
//!
//! Here statements are read; [`formula`] has the operators, [`atom`] what stands between them. No
//! recursion, O(text) time, memory for the arena, the defined names and the open brackets only. The
//! text is read as a stream.
//!
//! # References
//! R. Cavada et al., *NuSMV 2.6 User Manual*, for its notation.

mod atom;
mod formula;

use super::arena::{Arena, Id, Symbol};
use super::error::{Fault, ParseError, Place};
use super::lexer::{Lexer, Token};
use super::print::smv_plain_name;
use super::scope::Scope;
use formula::Frame;
use std::borrow::Cow;
use std::io::Read;

/// What may stand as an atom of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Atoms {
    /// Variables only.
    #[default]
    Names,
    /// Also terms with arguments, sums and comparisons, as chess aims have them: `on(P, e4)`,
    /// `material(white) - material(black) >= 3`. Each becomes a variable named by its text, blanks
    /// made equal. Of a set, as in `on(k, {g8, h8})`, one member is meant: it is read as
    /// `on(k, g8) | on(k, h8)`.
    Terms,
}

/// How a text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notation {
    /// NuSMV's if the text begins with one of its words `SPEC`, `CTLSPEC` and `MODULE`, else
    /// theta's.
    #[default]
    Auto,
    /// theta's own: docs/guide.md.
    Theta,
    /// NuSMV's: specifications begin with `SPEC` or `CTLSPEC`, `<->` is stronger than `->`, names
    /// may have `.`, `#`, `-` and `$` (`$` and two hexadecimal digits stand for any character). Of a
    /// module only `DEFINE` and boolean variables are read: there is no transition relation.
    Smv,
}

/// One of the specifications of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Specification {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it says.
    pub formula: Id,
    /// Where it begins.
    pub place: Place,
}

/// A formula, or several, read from text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The formula; of several specifications their conjunction.
    pub formula: Id,
    /// The specifications, in order; one without a name where the text is a formula.
    pub specifications: Vec<Specification>,
    /// How it was read: [`Notation::Theta`] or [`Notation::Smv`].
    pub notation: Notation,
    /// Its variables and those of the definitions, with the place of their first use, in order of
    /// first use.
    pub variables: Vec<(Symbol, Place)>,
}

/// Reads one formula from a text; variables only ([`Atoms::Names`]).
///
/// # Errors
/// The first fault of the text, with its place.
///
/// ```
/// use theta_chess::ctl::{Arena, Syntax, parse, to_text};
/// let mut arena = Arena::new();
/// let formula = parse(&mut arena, "let safe = ~p; AG (safe -> EX q)")?;
/// assert_eq!(to_text(&arena, formula, Syntax::Ascii), "AG (~p -> EX q)");
/// assert_eq!(to_text(&arena, formula, Syntax::Unicode), "∀□(¬p → ∃○q)");
/// # Ok::<(), theta_chess::ctl::ParseError>(())
/// ```
pub fn parse(arena: &mut Arena, text: &str) -> Result<Id, ParseError> {
    parse_reader(arena, text.as_bytes(), Atoms::Names, Notation::Theta).map(|parsed| parsed.formula)
}

/// Reads definitions and a formula, or several specifications, from a stream, unbuffered readers
/// included. Terms ([`Atoms::Terms`]) are read in theta's notation, and in one formula only.
///
/// # Errors
/// The first fault of the text, with its place, or that of the stream.
///
/// ```
/// use theta_chess::ctl::{Arena, Atoms, Notation, Syntax, parse_reader, to_text};
/// let mut arena = Arena::new();
/// let text = "CTLSPEC NAME answered := AG (req -> AF ack); SPEC !E [ ack U req ]";
/// let parsed = parse_reader(&mut arena, text.as_bytes(), Atoms::Names, Notation::Auto)?;
/// assert_eq!(parsed.specifications[0].name.as_deref(), Some("answered"));
/// let second = parsed.specifications[1].formula;
/// assert_eq!(to_text(&arena, second, Syntax::Ascii), "~E[ack U req]");
/// # Ok::<(), theta_chess::ctl::ParseError>(())
/// ```
pub fn parse_reader(
    arena: &mut Arena,
    source: impl Read,
    atoms: Atoms,
    notation: Notation,
) -> Result<Parsed, ParseError> {
    let notation = if atoms == Atoms::Terms { Notation::Theta } else { notation };
    let mut parser = Parser {
        arena,
        lexer: Lexer::new(source, notation, atoms == Atoms::Names),
        atoms,
        scope: Scope::default(),
        specifications: Vec::new(),
        operands: Vec::new(),
        frames: Vec::new(),
    };
    match parser.run() {
        Ok(()) => Ok(parser.parsed()),
        Err(fault) => Err(parser.lexer.point(fault)),
    }
}

struct Parser<'a, R> {
    arena: &'a mut Arena,
    lexer: Lexer<R>,
    atoms: Atoms,
    scope: Scope,
    specifications: Vec<Specification>,
    operands: Vec<Id>,
    frames: Vec<Frame>,
}

/// What may begin a statement behind the first one.
const STATEMENT: &str = "`let`, `spec` or the end of the text";
const SMV_STATEMENT: &str = "`SPEC`, `CTLSPEC`, `DEFINE`, `VAR`, `MODULE` or the end of the text (of \
    a module its specifications are read, not its transitions)";

impl<R: Read> Parser<'_, R> {
    fn parsed(mut self) -> Parsed {
        let formulas: Vec<Id> = self.specifications.iter().map(|s| s.formula).collect();
        Parsed {
            formula: self.arena.and(&formulas),
            specifications: std::mem::take(&mut self.specifications),
            notation: match self.lexer.notation {
                Notation::Smv => Notation::Smv,
                _ => Notation::Theta,
            },
            variables: self.scope.into_variables(),
        }
    }

    fn run(&mut self) -> Result<(), Fault> {
        let mut in_module = false;
        loop {
            let token = self.lexer.token()?;
            let place = self.lexer.place();
            self.lexer.notation = match (self.lexer.notation, token) {
                (Notation::Auto, Token::SmvSpec | Token::Module) => Notation::Smv,
                (Notation::Auto, _) => Notation::Theta,
                (notation, _) => notation,
            };
            match token {
                Token::Let => self.definition()?,
                Token::Spec if self.atoms == Atoms::Names => self.specification(place)?,
                Token::SmvSpec => self.smv_specification(place)?,
                Token::Module => {
                    self.name("a name of the module")?;
                    in_module = true;
                }
                Token::VarSection => self.smv_variables()?,
                Token::DefineSection => self.smv_definitions()?,
                Token::End if !self.specifications.is_empty() => return Ok(()),
                _ if self.specifications.is_empty() && !in_module => {
                    self.lexer.unread();
                    let formula = self.formula()?;
                    self.specifications.push(Specification { name: None, formula, place });
                    let mut token = self.lexer.token()?;
                    if token == Token::Semicolon && self.lexer.notation == Notation::Smv {
                        token = self.lexer.token()?;
                    }
                    return match token {
                        Token::End => Ok(()),
                        _ => Err(self.expected("an operator or the end of the text")),
                    };
                }
                _ if self.lexer.notation == Notation::Smv => {
                    return Err(self.expected(SMV_STATEMENT));
                }
                _ => return Err(self.expected(STATEMENT)),
            }
        }
    }

    /// `NAME = φ ;` after `let`.
    fn definition(&mut self) -> Result<(), Fault> {
        self.named().map(drop)
    }

    /// `NAME = φ ;` after `spec`: a definition that is a specification.
    fn specification(&mut self, place: Place) -> Result<(), Fault> {
        let (name, formula) = self.named()?;
        self.specifications.push(Specification { name: Some(name), formula, place });
        Ok(())
    }

    fn named(&mut self) -> Result<(String, Id), Fault> {
        let name = self.name("a name to define (not a reserved word)")?;
        let entry = self.scope.open(&name, self.lexer.place())?;
        match self.lexer.token()? {
            Token::Equals | Token::Becomes => {}
            _ => return Err(self.expected("`=`")),
        }
        let formula = self.formula()?;
        if self.lexer.token()? != Token::Semicolon {
            return Err(self.expected("an operator or `;`"));
        }
        self.scope.close(entry, formula);
        Ok((name, formula))
    }

    /// `NAME n := φ ;` after `CTLSPEC`; the name and the semicolon may be left out. A
    /// specification's name is no variable's.
    fn smv_specification(&mut self, place: Place) -> Result<(), Fault> {
        let mut name = None;
        if self.lexer.token()? == Token::SpecName {
            let new = self.name("a name of the specification")?;
            let same = |s: &&Specification| s.name.as_ref() == Some(&new);
            if let Some(first) = self.specifications.iter().find(same) {
                let (place, first) = (self.lexer.place(), first.place);
                return Err(Fault::Redefined { place, name: new, first });
            }
            name = Some(new);
            if self.lexer.token()? != Token::Becomes {
                return Err(self.expected("`:=`"));
            }
        } else {
            self.lexer.unread();
        }
        let formula = self.formula()?;
        if self.lexer.token()? != Token::Semicolon {
            self.lexer.unread();
        }
        self.specifications.push(Specification { name, formula, place });
        Ok(())
    }

    /// `name : boolean ;` any number of times.
    fn smv_variables(&mut self) -> Result<(), Fault> {
        while self.lexer.token()? == Token::Name {
            if self.lexer.token()? != Token::Colon {
                return Err(self.expected("`:`"));
            }
            if self.lexer.token()? != Token::Name || self.lexer.text() != "boolean" {
                return Err(self.expected("`boolean` (other variables are not read)"));
            }
            if self.lexer.token()? != Token::Semicolon {
                return Err(self.expected("`;`"));
            }
        }
        self.lexer.unread();
        Ok(())
    }

    /// `name := φ ;` any number of times.
    fn smv_definitions(&mut self) -> Result<(), Fault> {
        while self.lexer.token()? == Token::Name {
            self.lexer.unread();
            self.definition()?;
        }
        self.lexer.unread();
        Ok(())
    }

    /// The next token, which is a name, as it is meant.
    fn name(&mut self, expected: &str) -> Result<String, Fault> {
        match self.lexer.token()? {
            Token::Name => Ok(Self::meant(self.lexer.notation, self.lexer.text()).into_owned()),
            _ => Err(self.expected(expected)),
        }
    }

    /// The name that a text stands for.
    fn meant(notation: Notation, text: &str) -> Cow<'_, str> {
        if notation == Notation::Smv { smv_plain_name(text) } else { Cow::Borrowed(text) }
    }

    fn expected(&self, expected: &str) -> Fault {
        Fault::Syntax {
            place: self.lexer.place(),
            expected: expected.to_owned(),
            found: self.lexer.found(),
        }
    }
}
