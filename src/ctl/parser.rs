//! CTL text to formulas: the ASCII notation and the paper's (docs/guide.md), the signs of other
//! tools (`! && || => <=>` and `not and or implies iff`), `let` definitions, `spec`ifications, `#`
//! and `--` comments; and NuSMV's notation.
//!
//! Binding, strongest first: `~ AX EX AG EG AF EF` (prefix); `&`; `|`, `xor` and `xnor` (to the
//! left); `->` (to the right); `<->` (to the left). NuSMV has the last two the other way round.
//! Chains of `&` and of `|` become one n-ary formula; brackets keep a chain apart. Untils stand in
//! brackets: `A[φ U ψ]`, `∃(φ◇ψ)`, and so do `W` and `R`.
//!
//! An operator-precedence loop with stacks of its own: no recursion, O(text) time, memory for the
//! arena, the defined names and the open brackets only. The text is read as a stream.
//!
//! # References
//! R. W. Floyd, *Syntactic analysis and operator precedence* (1963). R. Cavada et al., *NuSMV 2.6
//! User Manual*, for its notation.

use super::arena::{Arena, Id, Node, Path, Symbol};
use super::error::{Fault, ParseError, Place};
use super::lexer::{Lexer, Token};
use super::print::smv_plain_name;
use super::scope::{Scope, Use};
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

/// How an until bracket began: `A[` or `A(`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Round,
    Square,
}

/// What waits for its right operand or its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    Not,
    Temporal(Unary, Path),
    /// A chain with so many operands on the stack, beside the one to come.
    And(u32),
    Or(u32),
    Xor,
    Xnor,
    Implies,
    Iff,
    /// `(`
    Group(Place),
    /// `A[`
    First(Path, Bracket, Place),
    /// `A[φ U`
    Second(Path, Bracket, Binary, Place),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unary {
    Next,
    Globally,
    Finally,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Binary {
    Until,
    WeakUntil,
    Release,
}

/// How strongly a frame holds the operand before it; brackets not at all.
fn strength(frame: Frame, notation: Notation) -> u8 {
    match frame {
        Frame::Not | Frame::Temporal(..) => 5,
        Frame::And(_) => 4,
        Frame::Or(_) | Frame::Xor | Frame::Xnor => 3,
        Frame::Implies | Frame::Iff => {
            1 + u8::from((frame == Frame::Implies) != (notation == Notation::Smv))
        }
        Frame::Group(_) | Frame::First(..) | Frame::Second(..) => 0,
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

/// The members of a set of arguments, and the variables that the sets of one atom may stand for, at
/// most.
const MOST_MEMBERS: usize = 64;
const MOST_TEXTS: usize = 1024;

fn push_to_each(texts: &mut [String], parts: &[&str]) {
    for text in texts {
        text.extend(parts.iter().copied());
    }
}

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

    /// One formula; the token behind it is unread.
    fn formula(&mut self) -> Result<Id, Fault> {
        debug_assert!(self.frames.is_empty() && self.operands.is_empty());
        loop {
            self.operand()?;
            loop {
                match self.lexer.token()? {
                    Token::RoundClose => self.close(Bracket::Round)?,
                    Token::SquareClose => self.close(Bracket::Square)?,
                    token => {
                        if self.infix(token)? {
                            break;
                        }
                        self.reduce(1);
                        if !self.frames.is_empty() {
                            return Err(self.expected_in_bracket());
                        }
                        self.lexer.unread();
                        return Ok(self.operands.pop().expect("one formula"));
                    }
                }
            }
        }
    }

    /// Prefixes, opening brackets and one atom, pushed as an operand.
    fn operand(&mut self) -> Result<(), Fault> {
        loop {
            let frame = match self.lexer.token()? {
                Token::Not => Frame::Not,
                Token::Ax => Frame::Temporal(Unary::Next, Path::All),
                Token::Ex => Frame::Temporal(Unary::Next, Path::Some),
                Token::Ag => Frame::Temporal(Unary::Globally, Path::All),
                Token::Eg => Frame::Temporal(Unary::Globally, Path::Some),
                Token::Af => Frame::Temporal(Unary::Finally, Path::All),
                Token::Ef => Frame::Temporal(Unary::Finally, Path::Some),
                Token::All => self.quantified(Path::All)?,
                Token::Some => self.quantified(Path::Some)?,
                Token::RoundOpen => Frame::Group(self.lexer.place()),
                token => {
                    let atom = self.atom(token)?;
                    self.operands.push(atom);
                    return Ok(());
                }
            };
            self.frames.push(frame);
        }
    }

    /// What follows `A`, `E`, `∀`, `∃`.
    fn quantified(&mut self, path: Path) -> Result<Frame, Fault> {
        Ok(match self.lexer.token()? {
            Token::SquareOpen => Frame::First(path, Bracket::Square, self.lexer.place()),
            Token::RoundOpen => Frame::First(path, Bracket::Round, self.lexer.place()),
            Token::Circle => Frame::Temporal(Unary::Next, path),
            Token::Square => Frame::Temporal(Unary::Globally, path),
            Token::Diamond => Frame::Temporal(Unary::Finally, path),
            _ => return Err(self.expected("`[`, `(`, `○`, `□` or `◇` after a path quantifier")),
        })
    }

    fn atom(&mut self, token: Token) -> Result<Id, Fault> {
        match token {
            Token::True => Ok(self.arena.truth()),
            Token::False => Ok(self.arena.falsity()),
            Token::Name if self.atoms == Atoms::Names => {
                let name = Self::meant(self.lexer.notation, self.lexer.text());
                Self::resolve(&mut self.scope, self.arena, &name, self.lexer.place())
            }
            Token::Name | Token::Number if self.atoms == Atoms::Terms => self.comparison(token),
            _ => Err(self.expected("a formula")),
        }
    }

    /// The variable or definition of a name.
    fn resolve(
        scope: &mut Scope,
        arena: &mut Arena,
        name: &str,
        place: Place,
    ) -> Result<Id, Fault> {
        match scope.use_name(name, place)? {
            Use::Known(id) => Ok(id),
            Use::New(entry) => {
                let symbol = arena.symbol(name);
                let id = arena.add(Node::Var(symbol));
                scope.bind(entry, symbol, id);
                Ok(id)
            }
        }
    }

    /// A name, or terms joined by `+`, `-` and comparisons, as one variable. What the terms mean,
    /// and which make sense together, is for the reader of the variable's name to judge. With a set
    /// among the arguments, one of the variables for its members.
    fn comparison(&mut self, first: Token) -> Result<Id, Fault> {
        let place = self.lexer.place();
        let mut texts = vec![String::new()];
        let (mut token, mut compared) = (first, false);
        loop {
            self.term(token, &mut texts, compared)?;
            match self.lexer.token()? {
                Token::Plus | Token::Minus | Token::Equals => {}
                Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual => {}
                _ => break,
            }
            if texts.len() > 1 {
                return Err(self.expected("no sum and no comparison with a set"));
            }
            push_to_each(&mut texts, &[" ", self.lexer.text(), " "]);
            (token, compared) = (self.lexer.token()?, true);
        }
        self.lexer.unread();
        let each = texts.iter();
        let each = each.map(|text| Self::resolve(&mut self.scope, self.arena, text, place));
        let ids = each.collect::<Result<Vec<Id>, Fault>>()?;
        Ok(self.arena.or(&ids))
    }

    /// A number, a name, or a name with arguments (reserved words among them: `on(R, a1)`), appended
    /// to each text. An argument may be a set, `{g8, h8}`, where nothing is `compared`: then there is a
    /// text for each member.
    fn term(&mut self, token: Token, texts: &mut Vec<String>, compared: bool) -> Result<(), Fault> {
        if token == Token::Minus {
            if self.lexer.token()? != Token::Number {
                return Err(self.expected("a number"));
            }
            push_to_each(texts, &["-", self.lexer.text()]);
            return Ok(());
        }
        if !matches!(token, Token::Name | Token::Number) {
            return Err(self.expected("a number or a term such as `count(q)`"));
        }
        push_to_each(texts, &[self.lexer.text()]);
        if token == Token::Number {
            return Ok(());
        }
        if self.lexer.token()? != Token::RoundOpen {
            self.lexer.unread();
            return Ok(());
        }
        push_to_each(texts, &["("]);
        loop {
            match self.lexer.token()? {
                Token::CurlyOpen if compared => {
                    return Err(self.expected("no set in a sum or a comparison"));
                }
                Token::CurlyOpen => {
                    let members = self.members()?;
                    if texts.len() * members.len() > MOST_TEXTS {
                        return Err(self.expected("smaller sets"));
                    }
                    let with = |text: &String| members.iter().map(|m| text.clone() + m).collect();
                    *texts = texts.iter().flat_map::<Vec<_>, _>(with).collect();
                }
                _ => push_to_each(texts, &[self.argument()?]),
            }
            match self.lexer.token()? {
                Token::Comma => push_to_each(texts, &[", "]),
                Token::RoundClose => break,
                _ => return Err(self.expected("`,` or `)`")),
            }
        }
        push_to_each(texts, &[")"]);
        Ok(())
    }

    /// The last token as an argument of a term.
    fn argument(&self) -> Result<&str, Fault> {
        let text = self.lexer.text();
        if text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            Ok(text)
        } else {
            Err(self.expected("an argument"))
        }
    }

    /// The members of a set of arguments, after `{`; one that is named twice counts once.
    fn members(&mut self) -> Result<Vec<String>, Fault> {
        let mut members = Vec::new();
        loop {
            self.lexer.token()?;
            let member = self.argument()?.to_owned();
            if !members.contains(&member) {
                members.push(member);
            }
            if members.len() > MOST_MEMBERS {
                return Err(self.expected("at most 64 members of a set"));
            }
            match self.lexer.token()? {
                Token::Comma => {}
                Token::CurlyClose => return Ok(members),
                _ => return Err(self.expected("`,` or `}`")),
            }
        }
    }

    /// Takes an infix operator, after reducing what binds its left operand more strongly. Whether
    /// it is one.
    fn infix(&mut self, token: Token) -> Result<bool, Fault> {
        match token {
            Token::And => {
                self.reduce(5);
                self.chain(Frame::And(1));
            }
            Token::Or => {
                self.reduce(4);
                if matches!(self.frames.last(), Some(Frame::Xor | Frame::Xnor)) {
                    self.reduce(3);
                }
                self.chain(Frame::Or(1));
            }
            Token::Xor | Token::Xnor => {
                self.reduce(3);
                self.frames.push(if token == Token::Xor { Frame::Xor } else { Frame::Xnor });
            }
            // To the right.
            Token::Implies => {
                self.reduce(strength(Frame::Implies, self.lexer.notation) + 1);
                self.frames.push(Frame::Implies);
            }
            Token::Iff => {
                self.reduce(strength(Frame::Iff, self.lexer.notation));
                self.frames.push(Frame::Iff);
            }
            Token::Until | Token::Diamond => self.second(Binary::Until)?,
            Token::WeakUntil => self.second(Binary::WeakUntil)?,
            Token::Release => self.second(Binary::Release)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Continues the chain on top, or begins it.
    fn chain(&mut self, begun: Frame) {
        match (self.frames.last_mut(), begun) {
            (Some(Frame::And(count)), Frame::And(_)) | (Some(Frame::Or(count)), Frame::Or(_)) => {
                *count += 1
            }
            _ => self.frames.push(begun),
        }
    }

    /// Applies the frames on top that are at least so strong. Brackets stay.
    fn reduce(&mut self, least: u8) {
        while let Some(&frame) = self.frames.last() {
            if strength(frame, self.lexer.notation) < least {
                break;
            }
            self.frames.pop();
            self.apply(frame);
        }
    }

    fn apply(&mut self, frame: Frame) {
        let count = match frame {
            Frame::And(count) | Frame::Or(count) => count as usize + 1,
            Frame::Implies | Frame::Iff | Frame::Xor | Frame::Xnor | Frame::Second(..) => 2,
            Frame::Not | Frame::Temporal(..) => 1,
            Frame::Group(_) | Frame::First(..) => return,
        };
        let from = self.operands.len() - count;
        let operands = &self.operands[from..];
        let (first, last) = (operands[0], operands[count - 1]);
        let node = match frame {
            Frame::And(_) => Node::And(operands),
            Frame::Or(_) => Node::Or(operands),
            Frame::Implies => Node::Implies(first, last),
            Frame::Iff | Frame::Xnor | Frame::Xor => Node::Iff(first, last),
            Frame::Temporal(Unary::Next, path) => Node::Next(path, first),
            Frame::Temporal(Unary::Globally, path) => Node::Globally(path, first),
            Frame::Temporal(Unary::Finally, path) => Node::Finally(path, first),
            Frame::Second(path, _, Binary::Until, _) => Node::Until(path, first, last),
            Frame::Second(path, _, Binary::WeakUntil, _) => Node::WeakUntil(path, first, last),
            Frame::Second(path, _, Binary::Release, _) => Node::Release(path, first, last),
            Frame::Not | Frame::Group(_) | Frame::First(..) => Node::Not(first),
        };
        let mut id = self.arena.add(node);
        if frame == Frame::Xor {
            id = self.arena.not(id);
        }
        self.operands.truncate(from);
        self.operands.push(id);
    }

    /// `U`, `W` or `R` after the first operand of an until bracket.
    fn second(&mut self, binary: Binary) -> Result<(), Fault> {
        self.reduce(1);
        match self.frames.last_mut() {
            Some(frame @ &mut Frame::First(path, bracket, place)) => {
                *frame = Frame::Second(path, bracket, binary, place);
                Ok(())
            }
            _ => Err(self.expected_in_bracket()),
        }
    }

    /// `)` or `]`: the bracket on top must be of this kind.
    fn close(&mut self, bracket: Bracket) -> Result<(), Fault> {
        self.reduce(1);
        match self.frames.last() {
            Some(Frame::Group(_)) if bracket == Bracket::Round => {}
            Some(Frame::Second(_, begun, ..)) if *begun == bracket => {}
            _ => return Err(self.expected_in_bracket()),
        }
        let frame = self.frames.pop().expect("a bracket");
        self.apply(frame);
        Ok(())
    }

    /// The error of a token that neither goes on with the formula nor ends what is open.
    fn expected_in_bracket(&self) -> Fault {
        let close = |bracket| if bracket == Bracket::Round { "`)`" } else { "`]`" };
        let expected = match self.frames.last() {
            Some(Frame::Group(place)) => format!("an operator or `)` (for the `(` at {place})"),
            Some(Frame::First(_, _, place)) => {
                format!("an operator, `U`, `W` or `R` (in the bracket opened at {place})")
            }
            Some(Frame::Second(_, bracket, _, place)) => {
                format!("an operator or {} (for the bracket opened at {place})", close(*bracket))
            }
            _ => "an operator or the end of the formula".to_owned(),
        };
        self.expected(&expected)
    }
}
