//! CTL text to formulas: the ASCII notation and the paper's (docs/guide.md), the signs of other
//! tools (`! && || => <=>` and `not and or implies iff`), `let` definitions, `#` comments.
//!
//! Binding, strongest first: `~ AX EX AG EG AF EF` (prefix); `&`; `|`; `->` (to the right); `<->`
//! (to the left). Chains of `&` and of `|` become one n-ary formula; brackets keep a chain apart.
//! Untils stand in brackets: `A[φ U ψ]`, `∃(φ◇ψ)`, and so do `W` and `R`.
//!
//! An operator-precedence loop with stacks of its own: no recursion, O(text) time, memory for the
//! arena, the defined names and the open brackets only. The text is read as a stream.
//!
//! # References
//! R. W. Floyd, *Syntactic analysis and operator precedence* (1963).

use super::arena::{Arena, Id, Node, Path, Symbol};
use super::error::{ParseError, Place};
use super::lexer::{Lexer, Token};
use super::scope::{Scope, Use};
use std::io::Read;

/// What may stand as an atom of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Atoms {
    /// Variables only.
    #[default]
    Names,
    /// Also terms with arguments, sums and comparisons, as chess aims have them: `on(P, e4)`,
    /// `material(white) - material(black) >= 3`. Each becomes a variable named by its text, blanks
    /// made equal.
    Terms,
}

/// A formula read from text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The formula.
    pub formula: Id,
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
    parse_reader(arena, text.as_bytes(), Atoms::Names).map(|parsed| parsed.formula)
}

/// Reads definitions and one formula from a stream, unbuffered readers included.
///
/// # Errors
/// The first fault of the text, with its place, or that of the stream.
pub fn parse_reader(
    arena: &mut Arena,
    source: impl Read,
    atoms: Atoms,
) -> Result<Parsed, ParseError> {
    let scope = Scope::default();
    Parser {
        arena,
        lexer: Lexer::new(source),
        atoms,
        scope,
        operands: Vec::new(),
        frames: Vec::new(),
    }
    .run()
}

/// How an until bracket began: `A[` or `A(`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Round,
    Square,
}

/// What waits for its right operand or its end.
#[derive(Clone, Copy)]
enum Frame {
    Not,
    Temporal(Unary, Path),
    /// A chain with so many operands on the stack, beside the one to come.
    And(u32),
    Or(u32),
    Implies,
    Iff,
    /// `(`
    Group(Place),
    /// `A[`
    First(Path, Bracket, Place),
    /// `A[φ U`
    Second(Path, Bracket, Binary, Place),
}

#[derive(Clone, Copy)]
enum Unary {
    Next,
    Globally,
    Finally,
}

#[derive(Clone, Copy)]
enum Binary {
    Until,
    WeakUntil,
    Release,
}

/// How strongly a frame holds the operand before it; brackets not at all.
fn strength(frame: Frame) -> u8 {
    match frame {
        Frame::Not | Frame::Temporal(..) => 5,
        Frame::And(_) => 4,
        Frame::Or(_) => 3,
        Frame::Implies => 2,
        Frame::Iff => 1,
        Frame::Group(_) | Frame::First(..) | Frame::Second(..) => 0,
    }
}

struct Parser<'a, R> {
    arena: &'a mut Arena,
    lexer: Lexer<R>,
    atoms: Atoms,
    scope: Scope,
    operands: Vec<Id>,
    frames: Vec<Frame>,
}

impl<R: Read> Parser<'_, R> {
    fn run(mut self) -> Result<Parsed, ParseError> {
        while self.lexer.token()? == Token::Let {
            self.definition()?;
        }
        self.lexer.unread();
        let formula = self.formula()?;
        match self.lexer.token()? {
            Token::End => Ok(Parsed { formula, variables: self.scope.into_variables() }),
            _ => Err(self.expected("an operator or the end of the text")),
        }
    }

    /// `NAME = φ ;` after `let`.
    fn definition(&mut self) -> Result<(), ParseError> {
        if self.lexer.token()? != Token::Name {
            return Err(self.expected("a name to define (not a reserved word)"));
        }
        let name = self.scope.open(self.lexer.text(), self.lexer.place())?;
        if self.lexer.token()? != Token::Equals {
            return Err(self.expected("`=`"));
        }
        let formula = self.formula()?;
        if self.lexer.token()? != Token::Semicolon {
            return Err(self.expected("an operator or `;`"));
        }
        self.scope.close(name, formula);
        Ok(())
    }

    fn expected(&self, expected: &str) -> ParseError {
        ParseError::Syntax {
            place: self.lexer.place(),
            expected: expected.to_owned(),
            found: self.lexer.found(),
        }
    }

    /// One formula; the token behind it is unread.
    fn formula(&mut self) -> Result<Id, ParseError> {
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
    fn operand(&mut self) -> Result<(), ParseError> {
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
    fn quantified(&mut self, path: Path) -> Result<Frame, ParseError> {
        Ok(match self.lexer.token()? {
            Token::SquareOpen => Frame::First(path, Bracket::Square, self.lexer.place()),
            Token::RoundOpen => Frame::First(path, Bracket::Round, self.lexer.place()),
            Token::Circle => Frame::Temporal(Unary::Next, path),
            Token::Square => Frame::Temporal(Unary::Globally, path),
            Token::Diamond => Frame::Temporal(Unary::Finally, path),
            _ => return Err(self.expected("`[`, `(`, `○`, `□` or `◇` after a path quantifier")),
        })
    }

    fn atom(&mut self, token: Token) -> Result<Id, ParseError> {
        match token {
            Token::True => Ok(self.arena.truth()),
            Token::False => Ok(self.arena.falsity()),
            Token::Name if self.atoms == Atoms::Names => {
                Self::resolve(&mut self.scope, self.arena, self.lexer.text(), self.lexer.place())
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
    ) -> Result<Id, ParseError> {
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
    /// and which make sense together, is for the reader of the variable's name to judge.
    fn comparison(&mut self, first: Token) -> Result<Id, ParseError> {
        let place = self.lexer.place();
        let mut text = String::new();
        let mut token = first;
        loop {
            self.term(token, &mut text)?;
            match self.lexer.token()? {
                Token::Plus | Token::Minus | Token::Equals => {}
                Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual => {}
                _ => break,
            }
            text.extend([" ", self.lexer.text(), " "]);
            token = self.lexer.token()?;
        }
        self.lexer.unread();
        Self::resolve(&mut self.scope, self.arena, &text, place)
    }

    /// A number, a name, or a name with arguments (reserved words among them: `on(R, a1)`).
    fn term(&mut self, token: Token, text: &mut String) -> Result<(), ParseError> {
        if token == Token::Minus {
            text.push('-');
            if self.lexer.token()? != Token::Number {
                return Err(self.expected("a number"));
            }
            text.push_str(self.lexer.text());
            return Ok(());
        }
        if !matches!(token, Token::Name | Token::Number) {
            return Err(self.expected("a number or a term such as `count(q)`"));
        }
        text.push_str(self.lexer.text());
        if token == Token::Number {
            return Ok(());
        }
        if self.lexer.token()? != Token::RoundOpen {
            self.lexer.unread();
            return Ok(());
        }
        text.push('(');
        loop {
            self.lexer.token()?;
            if !self.lexer.text().starts_with(|c: char| c.is_ascii_alphanumeric()) {
                return Err(self.expected("an argument"));
            }
            text.push_str(self.lexer.text());
            match self.lexer.token()? {
                Token::Comma => text.push_str(", "),
                Token::RoundClose => break,
                _ => return Err(self.expected("`,` or `)`")),
            }
        }
        text.push(')');
        Ok(())
    }

    /// Takes an infix operator, after reducing what binds its left operand more strongly. Whether
    /// it is one.
    fn infix(&mut self, token: Token) -> Result<bool, ParseError> {
        match token {
            Token::And => {
                self.reduce(5);
                self.chain(Frame::And(1));
            }
            Token::Or => {
                self.reduce(4);
                self.chain(Frame::Or(1));
            }
            Token::Implies => {
                self.reduce(3);
                self.frames.push(Frame::Implies);
            }
            Token::Iff => {
                self.reduce(1);
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
            if strength(frame) < least {
                break;
            }
            self.frames.pop();
            self.apply(frame);
        }
    }

    fn apply(&mut self, frame: Frame) {
        let count = match frame {
            Frame::And(count) | Frame::Or(count) => count as usize + 1,
            Frame::Implies | Frame::Iff | Frame::Second(..) => 2,
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
            Frame::Iff => Node::Iff(first, last),
            Frame::Temporal(Unary::Next, path) => Node::Next(path, first),
            Frame::Temporal(Unary::Globally, path) => Node::Globally(path, first),
            Frame::Temporal(Unary::Finally, path) => Node::Finally(path, first),
            Frame::Second(path, _, Binary::Until, _) => Node::Until(path, first, last),
            Frame::Second(path, _, Binary::WeakUntil, _) => Node::WeakUntil(path, first, last),
            Frame::Second(path, _, Binary::Release, _) => Node::Release(path, first, last),
            Frame::Not | Frame::Group(_) | Frame::First(..) => Node::Not(first),
        };
        let id = self.arena.add(node);
        self.operands.truncate(from);
        self.operands.push(id);
    }

    /// `U`, `W` or `R` after the first operand of an until bracket.
    fn second(&mut self, binary: Binary) -> Result<(), ParseError> {
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
    fn close(&mut self, bracket: Bracket) -> Result<(), ParseError> {
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
    fn expected_in_bracket(&self) -> ParseError {
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
