//! What is true while a fortress stands: where the men are, and what the opponent may try.

use super::squares::Squares;
use super::survey::{Survey, man_on, own};
use super::{Answer, Break, Fate, Kind, Man, Standing};
use crate::chess::board::{Bitboard, Board, BySide as _, ChessMove, Position as _, Role, move_of};
use crate::chess::fen;
use crate::export::stages::{men, named};
use crate::export::svg::{role_name, square_name};
use crate::limits::{Budget, StopReason};
use std::collections::BTreeMap;

const BETWEEN_CHECKS: u64 = 1 << 10;

/// What is found of the positions of one structure.
pub(super) struct Inside<'s, 'a> {
    survey: &'s Survey<'a>,
    structure: u32,
    positions: u64,
    /// By the man of the root: where it stands, and what it is.
    regions: Vec<u64>,
    roles: Vec<Option<Role>>,
    /// The first row of men: those that are there.
    first: Vec<u8>,
    checks: u64,
    king: u64,
    pawns: u64,
    breaks: BTreeMap<(Kind, String), Break>,
}

impl<'s, 'a> Inside<'s, 'a> {
    /// # Errors
    /// The end of the budget.
    pub(super) fn of(
        survey: &'s Survey<'a>,
        structure: u32,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let mut inside = Self {
            survey,
            structure,
            positions: 0,
            regions: vec![0; 64],
            roles: vec![None; 64],
            first: Vec::new(),
            checks: 0,
            king: 0,
            pawns: u64::MAX,
            breaks: BTreeMap::new(),
        };
        for id in survey.of_structure(structure) {
            if inside.positions.is_multiple_of(BETWEEN_CHECKS) {
                budget.check(survey.len() as u64 + inside.positions, 0)?;
            }
            inside.look(id);
        }
        Ok(inside)
    }

    fn look(&mut self, id: u32) {
        let (survey, board) = (self.survey, self.survey.board(id));
        let row = survey.row(id);
        if self.positions == 0 {
            self.first = row[..own(&board, survey.owner).count_ones() as usize].to_vec();
        }
        self.positions += 1;
        self.see(&board, row);
        let Some(legal) = survey.play(&board) else { return };
        let after = board.after(legal);
        if !survey.stands(self.structure, &after) {
            return;
        }
        self.see(&after, &survey.row_after(row, &board, &after));
        self.checks += u64::from(after.in_check());
        if survey.is_over(&after) {
            return;
        }
        for reply in after.legal_moves() {
            self.try_break(&after, reply);
        }
    }

    /// Notes where everybody stands.
    fn see(&mut self, board: &Board, row: &[u8]) {
        let (men, owner) = (board.chess().board(), self.survey.owner);
        let all = own(board, owner);
        for square in Bitboard(all) {
            let man = man_on(all, row, square as u8) as usize;
            self.regions[man] |= 1 << square as u8;
            self.roles[man] = men.role_at(square);
        }
        self.king |= men.king(owner.other()).map_or(0, |square| 1 << square as u8);
        self.pawns &= (men.pawns() & men.men_of(owner.other())).0;
    }

    /// Notes a reply that changes something for good, and what meets it.
    fn try_break(&mut self, after: &Board, reply: ChessMove) {
        let survey = self.survey;
        let next = after.after(reply);
        let answer = survey.play(&next);
        let offered = |answer: &ChessMove| answer.is_capture() && answer.to() == reply.to();
        let kind = match reply {
            _ if reply.is_capture() => Kind::Takes,
            _ if answer.as_ref().is_some_and(offered) => Kind::Offers,
            _ if reply.role() == Role::Pawn => Kind::Pawn,
            _ => return,
        };
        let found = self.breaks.entry((kind, plain(reply))).or_insert_with(|| Break {
            kind,
            play: plain(reply),
            square: move_of(&reply).to(),
            example: fen(&after.vector()),
            times: 0,
            answers: Vec::new(),
        });
        found.times += 1;
        let (fate, left) = match answer {
            None if next.legal_moves().is_empty() => (Fate::Stalemate, None),
            None => (Fate::Cited, None),
            Some(legal) => {
                let then = next.after(legal);
                let fate = match () {
                    () if survey.stands(self.structure, &then) => Fate::Stands,
                    () if then.legal_moves().is_empty() => Fate::Over,
                    () if survey.is_over(&then) => Fate::Harmless,
                    () => Fate::Falls,
                };
                (fate, (fate == Fate::Falls).then(|| named(&men(&then))))
            }
        };
        let play = answer.map(plain);
        match found.answers.iter_mut().find(|a| a.play == play && a.fate == fate) {
            Some(known) => known.times += 1,
            None => found.answers.push(Answer { play, times: 1, fate, men: left }),
        }
    }

    /// What stands, and the ways that were tried against it: what takes or gives up a man first,
    /// each kind by how often.
    pub(super) fn told(self, root: &Board) -> (Standing, Vec<Break>) {
        let men_there = self.men(root);
        let mut breaks: Vec<Break> = self.breaks.into_values().collect();
        for found in &mut breaks {
            found.answers.sort_by_key(|answer| std::cmp::Reverse(answer.times));
        }
        breaks.sort_by_key(|found| (found.kind, std::cmp::Reverse(found.times)));
        let standing = Standing {
            entry: Vec::new(),
            positions: self.positions,
            checks: self.checks,
            men: men_there,
            king: Squares(self.king),
            locked: Squares(self.pawns),
        };
        (standing, breaks)
    }

    /// The owner's men, those that can change places together; the king first, pawns last.
    fn men(&self, root: &Board) -> Vec<Man> {
        let homes: Vec<u8> = Squares(own(root, self.survey.owner)).iter().collect();
        let mut classes: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for man in 0..homes.len() as u8 {
            classes.entry(self.survey.class(man)).or_default().push(man);
        }
        let mut list: Vec<Man> = classes.values().filter_map(|all| self.man(all, &homes)).collect();
        let rank = |man: &Man| std::cmp::Reverse(man.role);
        list.sort_by_key(|man| (rank(man), man.home.0));
        list
    }

    /// The men of a class; none if they are no longer there.
    fn man(&self, all: &[u8], homes: &[u8]) -> Option<Man> {
        let there = self.first.iter().filter(|man| all.contains(&self.survey.class(**man)));
        let count = there.count() as u32;
        let region = all.iter().fold(0, |set, &man| set | self.regions[man as usize]);
        let role = all.iter().find_map(|&man| self.roles[man as usize])?;
        let home = all.iter().fold(0, |set, &man| set | 1 << homes[man as usize]);
        Some(Man {
            role,
            kind: role_name(role),
            count,
            home: Squares(home),
            keeps_to: Squares(region),
        })
    }
}

/// A move as it is told for many positions at once: the man, whether it takes, where to.
fn plain(legal: ChessMove) -> String {
    if let ChessMove::Castle { king, rook } = legal {
        return if rook > king { "O-O" } else { "O-O-O" }.to_owned();
    }
    let play = move_of(&legal);
    let (to, takes) = (square_name(play.to()), if legal.is_capture() { "x" } else { "" });
    let new = legal.promotion().map_or_else(String::new, |role| format!("={}", role.upper_char()));
    match legal.role() {
        Role::Pawn if takes.is_empty() => format!("{to}{new}"),
        Role::Pawn => format!("{}x{to}{new}", (b'a' + play.from() % 8) as char),
        role => format!("{}{takes}{to}", role.upper_char()),
    }
}
