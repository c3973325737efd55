//! What an EPD line claims of its position, held against what is proved.

use super::{Bound, Verdict};
use crate::chess::board::{Board, move_of};
use crate::chess::{Move, Operations, Position, Side, Value, parse_move};
use serde::Serialize;
use std::collections::BTreeMap;

/// A claim of a line, held against the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LineClaim {
    /// The opcode: `bm`, `am`, `dm`, `ce` or `pv`.
    pub opcode: &'static str,
    /// What is claimed.
    pub claimed: String,
    /// Whether the proved result agrees; null where it does not say.
    pub agrees: Option<bool>,
}

/// What a line said besides its position.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Annotation {
    /// The position's name, or null.
    pub id: Option<String>,
    /// The claims that a proof can speak about.
    pub claims: Vec<LineClaim>,
    /// Every operation as it stood in the line, operands joined by blanks.
    pub operations: BTreeMap<String, String>,
}

impl Verdict {
    /// What an EPD line says of the root, each claim held against what is proved; `None` where it
    /// says nothing.
    pub fn judge(&self, line: &Operations) -> Option<Annotation> {
        if line.is_empty() {
            return None;
        }
        let judge = Judge::new(self);
        let mut claims = Vec::new();
        let mut claim =
            |opcode, claimed: String, agrees| claims.push(LineClaim { opcode, claimed, agrees });
        if let Some(mate) = line.mate() {
            claim("dm", mate.to_string(), judge.mate(mate));
        }
        let moves = |opcode: &str| {
            let named = line.operands(opcode)?.iter().filter(|word| !word.starts_with('#'));
            Some(named.cloned().collect::<Vec<_>>()).filter(|list| !list.is_empty())
        };
        let exact = line.mate().is_some();
        if let Some(list) = moves("bm") {
            claim("bm", list.join(" "), all(list.iter().map(|text| judge.good(text, exact))));
        }
        if let Some(list) = moves("am") {
            claim("am", list.join(" "), all(list.iter().map(|text| judge.bad(text))));
        }
        if let Some(ce) = line.operands("ce").and_then(|words| words.first()?.parse::<i64>().ok()) {
            claim("ce", ce.to_string(), judge.evaluation(ce));
        }
        if let Some(moves) = moves("pv").or_else(|| moves("PV")) {
            claim("pv", moves.join(" "), judge.line(&moves));
        }
        let operations = line
            .iter()
            .map(|(opcode, operands)| (opcode.to_string(), operands.join(" ")))
            .collect();
        Some(Annotation { id: line.id(), claims, operations })
    }
}

impl std::fmt::Display for Annotation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts: Vec<String> = self.id.iter().map(|id| format!("{id}:")).collect();
        parts.extend(self.claims.iter().map(|claim| {
            let word = claim
                .agrees
                .map_or("not decided", |agrees| if agrees { "agrees" } else { "DIFFERS" });
            format!("{} {} {word};", claim.opcode, claim.claimed)
        }));
        f.write_str(parts.join(" ").trim_end_matches([';', ':']))
    }
}

/// True if all are, false if one is; else not known.
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let answers: Vec<Option<bool>> = answers.collect();
    if answers.contains(&Some(false)) {
        return Some(false);
    }
    answers.iter().all(Option::is_some).then_some(true)
}

/// A verdict that is asked about claims.
struct Judge<'a> {
    verdict: &'a Verdict,
    board: Board,
    mover: Side,
}

impl<'a> Judge<'a> {
    fn new(verdict: &'a Verdict) -> Self {
        let root = verdict.root();
        Self { verdict, board: root.board(), mover: root.side_to_move() }
    }

    /// `moves` is from the side to move: negative where it is mated.
    fn mate(&self, moves: i64) -> Option<bool> {
        let winner = if moves > 0 { self.mover } else { self.mover.other() };
        let loser_holds = if winner == Side::White { Bound::BlackHolds } else { Bound::WhiteHolds };
        match self.verdict.value() {
            Some(Value::Wins(side, plies)) if side == winner => {
                let proved = i64::from(if moves > 0 { plies.div_ceil(2) } else { plies / 2 });
                // An upper bound can only show that there is a shorter mate.
                (self.verdict.is_shortest() || proved < moves.abs())
                    .then_some(proved == moves.abs())
            }
            Some(_) => Some(false),
            None => self.verdict.bounds().contains(&loser_holds).then_some(false),
        }
    }

    /// Whether a move keeps the value; with `exact` also the distance.
    fn good(&self, text: &str, exact: bool) -> Option<bool> {
        let Some(m) = read(&self.board, text) else { return Some(false) };
        if self.verdict.first_moves().contains(&m) {
            return Some(true);
        }
        if exact && self.verdict.names_all_best() {
            return Some(false);
        }
        let kept = keeps(self.verdict, self.verdict.root(), m)?;
        if exact && kept { None } else { Some(kept) }
    }

    /// Whether a move is one to avoid: it gives the value away, or is not among the best.
    fn bad(&self, text: &str) -> Option<bool> {
        let Some(m) = read(&self.board, text) else { return Some(false) };
        if self.verdict.first_moves().contains(&m) {
            return Some(false);
        }
        let given_away = keeps(self.verdict, self.verdict.root(), m) == Some(false);
        (given_away || self.verdict.names_all_best()).then_some(true)
    }

    /// An evaluation in centipawns speaks of the winner only; of a draw it says nothing that can be
    /// wrong.
    fn evaluation(&self, ce: i64) -> Option<bool> {
        let winner = self.verdict.value()?.winner()?;
        Some(if winner == self.mover { ce > 0 } else { ce < 0 })
    }

    /// Whether each move of the side to move along a line keeps the value.
    fn line(&self, line: &[String]) -> Option<bool> {
        let mut board = self.board.clone();
        let mut answer = Some(true);
        for text in line {
            let Some(legal) = read(&board, text).and_then(|m| board.find(m)) else {
                return Some(false);
            };
            if board.side_to_move() == self.mover {
                answer =
                    all([answer, keeps(self.verdict, &Position::from(&board), move_of(&legal))]
                        .into_iter());
            }
            board.play(legal);
        }
        answer
    }
}

/// Whether a move keeps the best value of a position; none where the engine does not know.
fn keeps(verdict: &Verdict, at: &Position, m: Move) -> Option<bool> {
    let rated = verdict.rate(at);
    let after = rated.iter().find(|r| r.play == m)?.value?;
    let here = if at == verdict.root() { verdict.value() } else { rated.first()?.value };
    Some(after.winner() == here?.winner())
}

/// A legal move in algebraic or UCI notation.
fn read(board: &Board, text: &str) -> Option<Move> {
    let by_squares = || parse_move(text).ok().and_then(|m| board.find(m));
    board.parse_san(text).or_else(by_squares).map(|legal| move_of(&legal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::solve::Solver;
    use pretty_assertions::assert_eq;

    fn judged(fen: &str, operations: &str) -> Vec<(&'static str, Option<bool>)> {
        let verdict = Solver::default().solve(&fen.parse().unwrap(), Limits::default()).unwrap();
        let annotation = verdict.judge(&Operations::parse(operations)).unwrap();
        annotation.claims.iter().map(|claim| (claim.opcode, claim.agrees)).collect()
    }

    #[test]
    fn claims_are_held_against_the_proof() {
        const MATE: &str = "7k/8/5K2/8/8/8/6Q1/8 w - -";
        let [yes, no] = [Some(true), Some(false)];
        assert_eq!(judged(MATE, "dm 1; bm Qg7#;"), [("dm", yes), ("bm", yes)]);
        assert_eq!(judged(MATE, "dm 2; bm g2a8"), [("dm", no), ("bm", no)]);
        assert_eq!(judged(MATE, "bm Qa8"), [("bm", yes)], "slower, but it wins");
        assert_eq!(judged(MATE, "bm Qg6"), [("bm", no)], "stalemate");
        assert_eq!(judged(MATE, "bm Qh7 Qg7"), [("bm", no)], "one of them is not legal");
        assert_eq!(judged(MATE, "am Qg6; ce 900"), [("am", yes), ("ce", yes)]);
        assert_eq!(judged(MATE, "am Qg7; ce -1"), [("am", no), ("ce", no)]);
        assert_eq!(judged("7k/8/8/5K2/8/8/6Q1/8 w - -", "pv Kf6 Kh7 Qg7#"), [("pv", yes)]);
        assert_eq!(judged("7k/8/8/5K2/8/8/6Q1/8 w - -", "pv Kf6 Kh7 Qg3"), [("pv", yes)]);
        assert_eq!(
            judged("7k/8/8/5K2/8/8/6Q1/8 w - -", "pv Kf6 Kh8"),
            [("pv", no)],
            "an illegal reply"
        );
        assert_eq!(judged("7k/5Q2/5K2/8/8/8/8/8 b - -", "dm 1"), [("dm", no)]);
        assert_eq!(
            judged("8/8/8/8/8/1k6/7R/K7 b - -", "dm -15; bm Kc4"),
            [("dm", yes), ("bm", yes)]
        );
        assert_eq!(judged("4k3/8/8/8/8/8/8/4K3 w - -", "dm 3; ce 0"), [("dm", no), ("ce", None)]);
    }
}
