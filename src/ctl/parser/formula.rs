//! The operators of a formula: an operator-precedence loop with stacks of its own.
//!
//! # References
//! R. W. Floyd, *Syntactic analysis and operator precedence* (1963).

use super::{Notation, Parser};
use crate::ctl::arena::{Id, Node, Path};
use crate::ctl::error::{Fault, Place};
use crate::ctl::lexer::Token;
use std::io::Read;

/// How an until bracket began: `A[` or `A(`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Square,
}

/// What waits for its right operand or its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
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
pub(super) enum Unary {
    Next,
    Globally,
    Finally,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
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

impl<R: Read> Parser<'_, R> {
    /// One formula; the token behind it is unread.
    pub(super) fn formula(&mut self) -> Result<Id, Fault> {
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
