//! Aims that ask who can be mated at all, decided without listing what play leads to.
//!
//! `EF mate(white)`, `AG ~(mate(white) | mate(black))` and whatever is made of such by "and", "or"
//! and "not" hang on two facts: whether White can mate, and whether Black can. (At the root an
//! operator that asks for one line, or for all of them, is a question about what can be reached.)

use super::ask::{Answer, Effort, ask_one};
use crate::aim::{Aim, Atom};
use crate::certificate::Reach;
use crate::chess::{Move, Position, Side};
use crate::ctl::{Arena, Id, Node, Path};
use crate::limits::{Budget, StopReason};

/// An aim's answer.
#[derive(Debug, Clone)]
pub struct Decided {
    /// Whether the aim is true of all legal play.
    pub answer: Result<bool, StopReason>,
    /// The moves to the mate that shows it, where one does.
    pub line: Option<Vec<Move>>,
    /// Positions and patterns looked at.
    pub positions: u64,
}

/// What is asked, in negation normal form.
enum Question {
    Constant(bool),
    All(Vec<Self>),
    Any(Vec<Self>),
    /// One of these sides can be mated; or (false) none of them can.
    Mated(Vec<Side>, bool),
}

/// Decides an aim under all legal play (profile `fide`), if it is of this kind; else `None`. As
/// [`super::ask`] it takes milliseconds, and seconds for the hardest positions.
///
/// ```
/// use theta_chess::{Limits, aim::Aim, dead::decide};
///
/// let locked = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -".parse()?;
/// let decided = |aim: &str| decide(&locked, &Aim::parse(aim).unwrap(), &Limits::default());
/// assert_eq!(decided("EF mate(black)").unwrap().answer, Ok(false));
/// assert!(decided("EF stalemate").is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decide(root: &Position, aim: &Aim, limits: impl Into<Budget>) -> Option<Decided> {
    let question = read(aim)?;
    let budget = limits.into();
    let mut known = Known { root, budget: &budget, answers: [None, None], spent: 0 };
    let answer = known.is_true(&question);
    let (stop, line) = known.shown(&question);
    Some(Decided {
        answer: answer.ok_or_else(|| stop.unwrap_or(StopReason::Exhausted)),
        line: line.filter(|_| answer.is_some()),
        positions: known.spent,
    })
}

/// Whether an aim is of the kind that [`decide`] answers.
pub fn is_of_mates(aim: &Aim) -> bool {
    read(aim).is_some()
}

/// How deep "and" and "or" may be nested: the reading recurses.
const HEIGHT: usize = 100;

fn read(aim: &Aim) -> Option<Question> {
    let mut arena = aim.arena().clone();
    let normal = arena.nnf(aim.formula());
    question(&arena, aim.atoms(), normal, HEIGHT)
}

fn question(arena: &Arena, atoms: &[Atom], id: Id, height: usize) -> Option<Question> {
    let all = |ids: &[Id]| -> Option<Vec<Question>> {
        ids.iter().map(|&id| question(arena, atoms, id, height.checked_sub(1)?)).collect()
    };
    Some(match arena.get(id) {
        Node::True => Question::Constant(true),
        Node::False => Question::Constant(false),
        Node::And(parts) => Question::All(all(parts)?),
        Node::Or(parts) => Question::Any(all(parts)?),
        Node::Until(Path::Some, hold, goal) if arena.get(hold) == Node::True => {
            Question::Mated(sides(arena, atoms, goal, true)?, true)
        }
        Node::Release(Path::All, end, hold) if arena.get(end) == Node::False => {
            Question::Mated(sides(arena, atoms, hold, false)?, false)
        }
        _ => return None,
    })
}

/// The sides of `mate(side) | …`; or of `~mate(side) & …`.
fn sides(arena: &Arena, atoms: &[Atom], id: Id, mated: bool) -> Option<Vec<Side>> {
    let side = |id: Id| match (arena.get(id), mated) {
        (Node::Var(symbol), true) => match atoms.get(symbol.0 as usize)? {
            Atom::Mate(side) => Some(*side),
            _ => None,
        },
        (Node::Not(below), false) => match arena.get(below) {
            Node::Var(symbol) => match atoms.get(symbol.0 as usize)? {
                Atom::Mate(side) => Some(*side),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    match (arena.get(id), mated) {
        (Node::Or(parts), true) | (Node::And(parts), false) => {
            parts.iter().map(|&part| side(part)).collect()
        }
        _ => Some(vec![side(id)?]),
    }
}

/// What has been found out.
struct Known<'a> {
    root: &'a Position,
    budget: &'a Budget,
    /// Whether White, and whether Black, can be mated.
    answers: [Option<Answer>; 2],
    spent: u64,
}

impl Known<'_> {
    fn answer(&mut self, mated: Side) -> &Answer {
        let at = usize::from(mated == Side::Black);
        if self.answers[at].is_none() {
            let left = self.budget.after(self.spent);
            let (answer, looked_at) = ask_one(self.root, mated.other(), Effort::Full, &left);
            self.spent += looked_at;
            self.answers[at] = Some(answer);
        }
        self.answers[at].as_ref().expect("just put there")
    }

    /// S. C. Kleene's three values: what is not known may not matter.
    fn is_true(&mut self, question: &Question) -> Option<bool> {
        let mut unknown = false;
        let (found, parts): (bool, Vec<Option<bool>>) = match question {
            Question::Constant(value) => return Some(*value),
            Question::All(parts) => (false, parts.iter().map(|q| self.is_true(q)).collect()),
            Question::Any(parts) => (true, parts.iter().map(|q| self.is_true(q)).collect()),
            Question::Mated(sides, can) => {
                let any = sides.iter().map(|&side| self.answer(side).can());
                (*can, any.map(|any| any.map(|any| any == *can)).collect())
            }
        };
        for part in parts {
            match part {
                Some(value) if value == found => return Some(found),
                Some(_) => {}
                None => unknown = true,
            }
        }
        if unknown { None } else { Some(!found) }
    }

    /// Why something is open; and the line to a mate, where the whole question is about one.
    fn shown(&self, question: &Question) -> (Option<StopReason>, Option<Vec<Move>>) {
        let stop = self.answers.iter().flatten().find_map(|answer| match answer {
            Answer::Unknown(stop) => Some(*stop),
            Answer::Known(_) => None,
        });
        let line = |side: &Side| match &self.answers[usize::from(*side == Side::Black)] {
            Some(Answer::Known(Reach::Line(moves))) => Some(moves.clone()),
            _ => None,
        };
        let line = match question {
            Question::Mated(sides, _) => sides.iter().find_map(line),
            _ => None,
        };
        (stop, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn decided(fen: &str, aim: &str) -> Option<Result<bool, StopReason>> {
        let root = fen.parse().unwrap();
        decide(&root, &Aim::parse(aim).unwrap(), Limits::default()).map(|found| found.answer)
    }

    #[test]
    fn aims_that_ask_who_can_be_mated_are_decided() {
        // White can mate, Black never can.
        let fen = "7b/1k5B/7b/8/1p1p1p1p/1PpP1P1P/2P3K1/N7 b - -";
        for (aim, answer) in [
            ("EF mate(black)", true),
            ("EF mate(white)", false),
            ("AG ~mate(white)", true),
            ("AG ~(mate(white) | mate(black))", false),
            ("~EF (mate(white) | mate(black))", false),
            ("EF mate(black) & AG ~mate(white)", true),
            ("EF mate(white) | AG ~mate(black)", false),
            ("EF mate(black) -> EF mate(white)", false),
        ] {
            assert_eq!(decided(fen, aim), Some(Ok(answer)), "{aim}");
        }
        for other in ["EF stalemate", "AF mate(black)", "EF (mate(black) & white_to_move)"] {
            assert_eq!(decided(fen, other), None, "{other}");
        }
    }

    #[test]
    fn a_line_shows_it_and_limits_are_answers() {
        let root: Position = "7k/5Q2/6K1/8/8/8/8/8 w - -".parse().unwrap();
        let aim = Aim::parse("AG ~mate(black)").unwrap();
        let found = decide(&root, &aim, Limits::default()).unwrap();
        assert_eq!((found.answer, found.line.map(|line| line.len())), (Ok(false), Some(1)));
        let none = decide(&root, &aim, Limits::default().with_positions(0)).unwrap();
        assert_eq!(none.answer, Err(StopReason::Positions));
    }
}
