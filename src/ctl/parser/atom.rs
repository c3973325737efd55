//! What stands between the operators of a formula: constants, names, and the terms of chess aims.

use super::{Atoms, Parser};
use crate::ctl::arena::{Arena, Id, Node};
use crate::ctl::error::{Fault, Place};
use crate::ctl::lexer::Token;
use crate::ctl::scope::{Scope, Use};
use std::io::Read;

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
    pub(super) fn atom(&mut self, token: Token) -> Result<Id, Fault> {
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
}
