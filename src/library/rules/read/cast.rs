//! Conditions, read for the men of a material.

use std::cell::Cell;

use nom::branch::alt;
use nom::combinator::{cut, map};
use nom::sequence::{delimited, preceded};
use nom::{Err, Parser};

use crate::chess::board::{Bitboard, Piece};
use crate::library::rules::condition::{Condition, Man, Number, Place, is_king, is_pawn, name_of};
use crate::tables::Material;

use super::words::{
    Fault, Read, better, blank, comparison_sign, constant, fault, named, phrase, side, sign,
    square, squares, word,
};

/// How deep conditions may be nested, and how many terms a sum may have: nobody writes more, and a
/// text from a stranger must not exhaust the stack.
const DEEPEST: u32 = 64;

/// The material and how its men are called.
pub(super) struct Cast {
    pieces: Vec<Piece>,
    /// Parentheses and negations around what is being read.
    depth: Cell<u32>,
}

impl Cast {
    pub(super) fn new(material: Material) -> Self {
        Self { pieces: material.men_in_order(), depth: Cell::new(0) }
    }

    /// One level further in.
    fn nested<'a>(
        &self,
        text: &'a str,
        inner: impl Fn(&'a str) -> Read<'a, Condition>,
    ) -> Read<'a, Condition> {
        if self.depth.get() == DEEPEST {
            return Err(Err::Failure(Fault {
                at: blank(text),
                expected: "less nesting".to_owned(),
            }));
        }
        self.depth.set(self.depth.get() + 1);
        let found = inner(text);
        self.depth.set(self.depth.get() - 1);
        found
    }

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
        for _ in 0..DEEPEST {
            let plus: Read<'a, bool> =
                alt((map(sign("+"), |()| true), map(sign("-"), |()| false))).parse(rest);
            let Ok((after, plus)) = plus else { return Ok((rest, sum)) };
            let (after, term) = cut(|t| self.term(t)).parse(after)?;
            let (left, right) = (Box::new(sum), Box::new(term));
            sum = if plus { Number::Plus(left, right) } else { Number::Minus(left, right) };
            rest = after;
        }
        Err(Err::Failure(Fault { at: blank(rest), expected: "fewer terms".to_owned() }))
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
            map(preceded(phrase("attacked by"), cut(side)), |white| {
                Condition::Attacked(place, white)
            }),
            map(preceded(phrase("beside"), cut(|t| self.place(t))), |other| {
                Condition::Beside(place, other)
            }),
            map(preceded(phrase("in front of"), cut(|t| self.pawn(t))), |pawn| {
                Condition::InFront(place, pawn)
            }),
        ))
        .parse(rest);
        if let Some(king) = king {
            let square = map(preceded(phrase("in square of"), cut(|t| self.pawn(t))), |p| {
                Condition::InSquare(king, p)
            });
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
        let group = delimited(sign("("), cut(|t| self.nested(t, |t| self.any(t))), cut(sign(")")));
        let falls = |t| {
            let (t, pawn) = preceded(phrase("queen of"), cut(|t| self.pawn(t))).parse(t)?;
            let (t, other) =
                cut(preceded(phrase("falls to queen of"), |t| self.pawn(t))).parse(t)?;
            Ok((t, Condition::QueenFalls(pawn, other)))
        };
        let fixed = alt((
            map(phrase("true"), |()| Condition::True),
            map(alt((phrase("white to move"), phrase("white_to_move"))), |()| {
                Condition::ToMove(true)
            }),
            map(alt((phrase("black to move"), phrase("black_to_move"))), |()| {
                Condition::ToMove(false)
            }),
            map(phrase("white in check"), |()| Condition::Check(true)),
            map(phrase("black in check"), |()| Condition::Check(false)),
            map(
                preceded(phrase("check"), cut(delimited(sign("("), side, sign(")")))),
                Condition::Check,
            ),
            map(phrase("stalemate"), |()| Condition::Stalemate),
            map(phrase("kings in opposition"), |()| Condition::Opposition),
            map(phrase("kings in distant opposition"), |()| Condition::DistantOpposition),
            map(phrase("en passant"), |()| Condition::EnPassant),
        ));
        let on = |t| {
            let (t, ()) = preceded(phrase("on"), sign("(")).parse(t)?;
            let pair = (|t| self.place(t), sign(","), square, sign(")"));
            cut(map(pair, |(place, _, square, _)| Condition::On(place, Bitboard::from(square))))
                .parse(t)
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
                let (rest, inner) = cut(|t| self.nested(t, |t| self.not(t))).parse(rest)?;
                Ok((rest, inner.negated()))
            }
            Err(_) => self.atom(text),
        }
    }

    fn all<'a>(&self, text: &'a str) -> Read<'a, Condition> {
        chain(text, |t| self.not(t), alt((phrase("and"), sign("&"))), Condition::All)
    }

    pub(super) fn any<'a>(&self, text: &'a str) -> Read<'a, Condition> {
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
