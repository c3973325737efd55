//! What follows a key, told from decided positions.

use super::engine::{Worker, after, can_reach, follow, is_reached};
use super::script::{Choice, Script};
use super::solution::{Attack, Ply, Solution, Variation};
use crate::chess::board::{Chess, ChessMove, Position, Role, Sides, move_of, passed, san};
use crate::limits::StopReason;

/// Tells with one thread's search.
pub(super) struct Teller<'w, 'e> {
    pub(super) script: &'w Script,
    pub(super) worker: &'w mut Worker<'e>,
    /// Whether variations are told, and not only keys.
    pub(super) variations: bool,
}

/// A move as it is told.
pub(super) fn ply(chess: &Chess, m: ChessMove) -> Ply {
    Ply { san: san(chess, m), uci: move_of(&m).to_string(), side: chess.side_to_move() }
}

/// The moves in the order of the men: king, queen, rook, bishop, knight, pawn.
pub(super) fn by_men(chess: &Chess) -> Vec<ChessMove> {
    let order = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    let mut moves: Vec<ChessMove> = chess.legal_moves().into_iter().collect();
    moves.sort_by_key(|m| {
        let promotion = m.promotion().and_then(|role| order.iter().position(|&r| r == role));
        (order.iter().position(|&r| r == m.role()), m.from(), m.to(), promotion)
    });
    moves
}

impl Teller<'_, '_> {
    /// The moves of a turn of choice with which the rest of the script is fulfilled.
    pub(super) fn leading(
        &mut self,
        chess: &Chess,
        left: usize,
    ) -> Result<Vec<ChessMove>, StopReason> {
        let (turn, goal) = (self.script.turn(left), self.script.goal);
        let mut found = Vec::new();
        if turn.duty && can_reach(chess, goal) {
            return Ok(found);
        }
        for m in by_men(chess) {
            let Some(next) = follow(chess, m, turn) else { continue };
            if turn.aims && is_reached(&next, goal) || self.worker.holds(&next, left - 1)? {
                found.push(m);
            }
        }
        Ok(found)
    }

    /// The quickest moves that fulfil within so many plies, and how many these take.
    pub(super) fn quickest(
        &mut self,
        chess: &Chess,
        most: usize,
    ) -> Result<(Vec<ChessMove>, usize), StopReason> {
        let least = if most.is_multiple_of(2) { 2 } else { 1 };
        for left in (least..=most).step_by(2) {
            let found = self.leading(chess, left)?;
            if !found.is_empty() {
                return Ok((found, left));
            }
        }
        Ok((Vec::new(), most))
    }

    /// A move at a turn of choice with what follows: every defence is answered or listed as a
    /// refutation.
    pub(super) fn attack(
        &mut self,
        chess: &Chess,
        m: ChessMove,
        left: usize,
    ) -> Result<Attack, StopReason> {
        let (turn, goal) = (self.script.turn(left), self.script.goal);
        let next = after(chess, m);
        let mut told = Attack {
            ply: ply(chess, m),
            plies: left,
            threats: Vec::new(),
            zugzwang: false,
            variations: Vec::new(),
            refutations: Vec::new(),
        };
        if turn.aims && is_reached(&next, goal) || !self.variations || left < 2 {
            return Ok(told);
        }
        // Who must reach the aim at once threatens nothing by waiting.
        let obliged = self.script.turn(left - 1).duty && can_reach(&next, goal);
        let mut threats = (Vec::new(), 0);
        if left > 2
            && !obliged
            && let Some(waiting) = passed(&next)
        {
            threats = self.quickest(&waiting, left - 2)?;
            for &threat in &threats.0 {
                told.threats.push(self.attack(&waiting, threat, threats.1)?);
            }
        }
        told.zugzwang = told.threats.is_empty() && !next.is_check();
        (told.variations, told.refutations) = self.defences(&next, left - 1, &threats)?;
        Ok(told)
    }

    /// The defences at a turn of the defender's that meet a threat and allow nothing quicker, with
    /// their answers; and those that nothing answers.
    pub(super) fn defences(
        &mut self,
        chess: &Chess,
        left: usize,
        threats: &(Vec<ChessMove>, usize),
    ) -> Result<(Vec<Variation>, Vec<Ply>), StopReason> {
        let (turn, goal) = (self.script.turn(left), self.script.goal);
        let obliged = turn.duty && can_reach(chess, goal);
        let (mut variations, mut refutations): (Vec<Variation>, Vec<Ply>) = Default::default();
        for m in by_men(chess) {
            let next = after(chess, m);
            let reached = turn.aims && is_reached(&next, goal);
            if obliged && !reached {
                continue;
            }
            let mut told = Variation {
                defences: vec![ply(chess, m)],
                reached,
                short: reached && left > 1,
                answers: Vec::new(),
            };
            if !reached {
                if left < 2 {
                    refutations.append(&mut told.defences);
                    continue;
                }
                if self.all_lead(&next, threats)? {
                    continue;
                }
                let (answers, plies) = self.quickest(&next, left - 1)?;
                if answers.is_empty() {
                    refutations.append(&mut told.defences);
                    continue;
                }
                // Who allows a quicker end than what is threatened does not defend.
                if !threats.0.is_empty() && plies < threats.1 {
                    continue;
                }
                told.short = plies < left - 1;
                for &answer in &answers {
                    told.answers.push(self.attack(&next, answer, plies)?);
                }
            }
            let same = |known: &&mut Variation| {
                known.reached == told.reached && known.answers == told.answers
            };
            match variations.iter_mut().find(same) {
                Some(known) => known.defences.append(&mut told.defences),
                None => variations.push(told),
            }
        }
        Ok((variations, refutations))
    }

    /// Whether there are threats, and all of them still fulfil: such a defence changes nothing.
    fn all_lead(
        &mut self,
        chess: &Chess,
        (threats, plies): &(Vec<ChessMove>, usize),
    ) -> Result<bool, StopReason> {
        if threats.is_empty() {
            return Ok(false);
        }
        let same = |a: &ChessMove, b: &ChessMove| move_of(a) == move_of(b) && a.role() == b.role();
        let leading = self.leading(chess, *plies)?;
        Ok(threats.iter().all(|threat| leading.iter().any(|m| same(m, threat))))
    }

    /// How many defences refute, counted to one more than `most`; at a turn of the defender's.
    pub(super) fn refuted(
        &mut self,
        chess: &Chess,
        left: usize,
        most: usize,
    ) -> Result<usize, StopReason> {
        let (turn, goal) = (self.script.turn(left), self.script.goal);
        let obliged = turn.duty && can_reach(chess, goal);
        let mut count = 0;
        for m in chess.legal_moves() {
            let next = after(chess, m);
            let reached = turn.aims && is_reached(&next, goal);
            if !obliged && !reached && !self.worker.holds(&next, left - 1)? {
                count += 1;
                if count > most {
                    break;
                }
            }
        }
        Ok(count)
    }

    /// The turns left at which somebody begins to resist: the key; 0 where nobody ever does.
    pub(super) fn key_turn(&self) -> usize {
        let resists = |&left: &usize| {
            self.script.early && left == self.script.plies()
                || left > 1
                    && self.script.turn(left).choice == Choice::Some
                    && self.script.turn(left - 1).choice == Choice::Every
        };
        (1..=self.script.plies()).rev().find(resists).unwrap_or(0)
    }

    /// Every solution from a position, at most so many, each after the line that led here.
    pub(super) fn solutions(
        &mut self,
        chess: &Chess,
        left: usize,
        line: &mut Vec<Ply>,
        most: usize,
        found: &mut Vec<Solution>,
    ) -> Result<(), StopReason> {
        let (turn, goal) = (self.script.turn(left), self.script.goal);
        let key = self.key_turn();
        for m in by_men(chess) {
            let Some(next) = follow(chess, m, turn) else { continue };
            if left == 1 {
                if is_reached(&next, goal) {
                    let line = line.iter().cloned().chain([ply(chess, m)]).collect();
                    found.push(Solution { line, play: None });
                }
            } else if self.worker.holds(&next, left - 1)? {
                if left == key {
                    let play = Some(self.attack(chess, m, left)?);
                    found.push(Solution { line: line.clone(), play });
                } else {
                    line.push(ply(chess, m));
                    self.solutions(&next, left - 1, line, most, found)?;
                    line.pop();
                }
            }
            if found.len() > most {
                break;
            }
        }
        Ok(())
    }
}
