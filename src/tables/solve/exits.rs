//! Moves that leave the slice: captures, promotions and pawn moves. Where they lead is solved
//! already, so their best outcome is known before the slice is solved.

use hashbrown::HashMap;
use std::sync::Arc;

use crate::chess::board::{Bitboard, Rank, Role, Square, attacks};
use crate::chess::symmetry::Images;
use crate::chess::{Side, Turn};

use crate::tables::file::source::{Ahead, Source};
use crate::tables::index::geometry::attacks_of;
use crate::tables::index::layout::{Layout, MAX_OTHERS, Man, Squares};
use crate::tables::index::material::Material;
use crate::tables::index::symmetry::bytes;
use crate::tables::index::value::{Code, ILLEGAL, Scale, is_long, loss, win};
use crate::tables::{Metric, TableError};

/// What a pawn may become, by number; number 0 is "no promotion".
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// How positions of a smaller table are found from the squares of ours.
struct View {
    table: Source,
    /// The smaller table has the colours exchanged.
    flip: bool,
    /// For each man of the smaller table, which of our men it is.
    men: [usize; MAX_OTHERS],
}

impl View {
    fn new(ours: &[(usize, Man)], tables: &HashMap<Material, Source>) -> Self {
        let (material, flip) = Material::new(ours.iter().map(|(_, man)| (man.side, man.role)));
        let table = tables[&material].clone();
        let mut left: Vec<(usize, Man)> = ours.to_vec();
        let mut men = [0; MAX_OTHERS];
        for (slot, wanted) in table.layout().men.iter().enumerate() {
            let side = if flip { wanted.side.other() } else { wanted.side };
            let at = left.iter().position(|(_, man)| man.side == side && man.role == wanted.role);
            men[slot] = left.swap_remove(at.expect("the same men")).0;
        }
        Self { table, flip, men }
    }

    fn squares(&self, ours: &Squares) -> Squares {
        let mut squares = [Square::A1; MAX_OTHERS];
        for (slot, square) in squares[..self.table.layout().men.len()].iter_mut().enumerate() {
            *square = ours[self.men[slot]];
            if self.flip {
                *square = square.flip_vertical();
            }
        }
        squares
    }

    /// The codes with `to_move` to move, by the square of Black's king.
    fn row(&self, to_move: Side, king: Square, ours: &Squares) -> Result<[Code; 64], TableError> {
        let squares = self.squares(ours);
        if !self.flip {
            return self.table.row(to_move, king, &squares);
        }
        let codes = self.table.column(to_move.other(), king.flip_vertical(), &squares)?;
        Ok(Turn::MIRROR_RANKS.read(&codes))
    }

    /// Whether there are values in the table that ours may not be able to say.
    fn is_long(&self) -> bool {
        self.table.layout().deep || self.table.layout().wide
    }

    /// Whether a code of the table may stand for a value too long for the mover's scale.
    fn is_unspeakable(&self, code: Code, of: Scale, mover: Scale) -> bool {
        self.table.layout().wide && is_long(code) || of.unspeakable(code, mover)
    }

    /// What the codes with this side to move mean.
    fn scale(&self, to_move: Side) -> Scale {
        self.table.layout().scale(if self.flip { to_move.other() } else { to_move })
    }

    fn code(
        &self,
        to_move: Side,
        king: Square,
        other: Square,
        ours: &Squares,
    ) -> Result<Code, TableError> {
        let squares = self.squares(ours);
        if self.flip {
            self.table.code(to_move.other(), other.flip_vertical(), king.flip_vertical(), &squares)
        } else {
            self.table.code(to_move, king, other, &squares)
        }
    }
}

/// The best outcomes found for one row, by the square of Black's king.
pub(in crate::tables) struct Best {
    /// [`ILLEGAL`] where there is none.
    pub(in crate::tables) codes: [Code; 64],
    /// Where a move that wins in more plies than the mover's scale can say is left out.
    pub(in crate::tables) late: Bitboard,
    /// Where a move that loses in more plies than that is left out.
    pub(in crate::tables) slow: Bitboard,
    metric: Metric,
    /// The mover's.
    scale: Scale,
}

impl Best {
    fn new(metric: Metric, scale: Scale) -> Self {
        let (late, slow) = (Bitboard::EMPTY, Bitboard::EMPTY);
        Self { codes: [ILLEGAL; 64], late, slow, metric, scale }
    }

    /// The same as [`Best::offer`], of positions of another table with this side to move.
    fn offer_row(&mut self, view: &View, next: Side, mut reached: [Code; 64], open: Bitboard) {
        let of = view.scale(next);
        if view.is_long() {
            for (at, code) in reached.iter_mut().enumerate() {
                if view.is_unspeakable(*code, of, self.scale) {
                    let square = Bitboard::from_square(Square::new(at as u32));
                    self.leave_out(*code, of, square & open);
                    *code = ILLEGAL;
                }
            }
        }
        self.offer(reached, of, open);
    }

    /// A move into a position of this code is left out.
    fn leave_out(&mut self, code: Code, of: Scale, open: Bitboard) {
        let set = if code < of.draw { &mut self.late } else { &mut self.slow };
        *set |= open;
    }

    /// Moves into these positions, whose codes are on the scale `of`, are available where Black's
    /// king is in `open`.
    pub(super) fn offer(&mut self, mut reached: [Code; 64], of: Scale, open: Bitboard) {
        if open != Bitboard::FULL {
            reached.iter_mut().zip(bytes(open)).for_each(|(code, open)| *code &= open);
        }
        // Where both scales are usual, nothing unspeakable is ever stored.
        if of != self.scale {
            for (at, code) in reached
                .iter_mut()
                .enumerate()
                .filter(|(_, code)| of.unspeakable(**code, self.scale))
            {
                self.late.add(Square::new(at as u32));
                *code = ILLEGAL;
            }
        }
        match self.metric {
            Metric::Mate => of.before_each(&mut reached, self.scale),
            Metric::Conversion => {
                reached.iter_mut().for_each(|code| *code = converted(*code, of, self.scale));
            }
        }
        self.codes.iter_mut().zip(reached).for_each(|(best, code)| *best = (*best).max(code));
    }

    /// One move, into this position of another table with this side to move, is available where
    /// Black's king is in `open`.
    fn offer_one(&mut self, view: &View, next: Side, reached: Code, open: Bitboard) {
        let of = view.scale(next);
        if (view.is_long() || of != self.scale) && view.is_unspeakable(reached, of, self.scale) {
            return self.leave_out(reached, of, open);
        }
        let code = self.metric.leaving(reached, of, self.scale);
        for square in open {
            let best = &mut self.codes[square as usize];
            *best = (*best).max(code);
        }
    }
}

impl Metric {
    /// The code for the side that leaves the table into a position of this code.
    fn leaving(self, code: Code, of: Scale, mover: Scale) -> Code {
        match self {
            Self::Mate => of.before(code, mover),
            Self::Conversion => converted(code, of, mover),
        }
    }
}

/// The same where leaving ends the play.
fn converted(code: Code, of: Scale, mover: Scale) -> Code {
    match code {
        ILLEGAL => ILLEGAL,
        _ if code < of.draw => win(1),
        _ if code == of.draw => mover.draw,
        _ => loss(2),
    }
}

/// The ways out of a table.
pub(in crate::tables) struct Exits {
    layout: Arc<Layout>,
    metric: Metric,
    /// By removed man (0 = none, man + 1), promoting man (likewise) and promotion.
    views: Vec<Option<View>>,
}

impl Exits {
    /// `tables` must hold the table of every child of the layout's signature.
    pub(in crate::tables) fn new(
        layout: &Arc<Layout>,
        metric: Metric,
        tables: &HashMap<Material, Source>,
    ) -> Self {
        let count = layout.men.len();
        let mut views = Vec::new();
        for removed in 0..=count {
            for promoting in 0..=count {
                for role in PROMOTIONS {
                    let is_pawn = |man: usize| layout.men[man - 1].role == Role::Pawn;
                    let own = removed > 0 && promoting > 0;
                    let sane = (removed > 0 || promoting > 0)
                        && (promoting == 0 || is_pawn(promoting))
                        && !(own && layout.men[removed - 1].side == layout.men[promoting - 1].side);
                    views.push(sane.then(|| {
                        let mut men: Vec<(usize, Man)> =
                            layout.men.iter().copied().enumerate().collect();
                        if promoting > 0 {
                            men[promoting - 1].1.role = role;
                        }
                        if removed > 0 {
                            men.remove(removed - 1);
                        }
                        View::new(&men, tables)
                    }));
                }
            }
        }
        Self { layout: Arc::clone(layout), metric, views }
    }

    fn view(&self, removed: Option<usize>, promoting: Option<(usize, usize)>) -> &View {
        let number = |man: Option<usize>| man.map_or(0, |m| m + 1);
        let (man, role) = promoting.map_or((None, 0), |(man, role)| (Some(man), role));
        let at =
            (number(removed) * (self.layout.men.len() + 1) + number(man)) * PROMOTIONS.len() + role;
        self.views[at].as_ref().expect("an exit that the rules allow")
    }

    /// The best that `mover` gets by leaving, for each square of Black's king.
    pub(in crate::tables) fn best(
        &self,
        mover: Side,
        king: Square,
        squares: &Squares,
        occupied: Bitboard,
        ahead: &Ahead<'_>,
    ) -> Result<Best, TableError> {
        let mut best = Best::new(self.metric, self.layout.scale(mover));
        for (victim, man) in self.layout.men.iter().enumerate() {
            if man.side != mover {
                self.captures(&mut best, mover, victim, king, squares, occupied)?;
            }
        }
        for (pawn, man) in self.layout.men.iter().enumerate().skip(self.layout.pieces) {
            if man.side == mover {
                self.pushes(&mut best, pawn, king, squares, occupied, ahead)?;
            }
        }
        Ok(best)
    }

    fn captures(
        &self,
        best: &mut Best,
        mover: Side,
        victim: usize,
        king: Square,
        squares: &Squares,
        occupied: Bitboard,
    ) -> Result<(), TableError> {
        let on = squares[victim];
        let next = mover.other();
        let kings = attacks::king_attacks(on);
        let taken = self.view(Some(victim), None);
        if mover == Side::Black {
            best.offer_one(taken, next, taken.code(next, king, on, squares)?, kings);
        } else if kings.contains(king) {
            best.offer_row(taken, next, taken.row(next, on, squares)?, Bitboard::FULL);
        }
        for (hunter, man) in self.layout.men.iter().enumerate() {
            if man.side != mover
                || !attacks_of(mover, man.role, squares[hunter], occupied).contains(on)
            {
                continue;
            }
            let mut after = *squares;
            after[hunter] = on;
            let open = !attacks::between(squares[hunter], on);
            if man.role == Role::Pawn && Bitboard::BACKRANKS.contains(on) {
                for role in 0..PROMOTIONS.len() {
                    let view = self.view(Some(victim), Some((hunter, role)));
                    best.offer_row(view, next, view.row(next, king, &after)?, open);
                }
            } else {
                best.offer_row(taken, next, taken.row(next, king, &after)?, open);
            }
        }
        Ok(())
    }

    fn pushes(
        &self,
        best: &mut Best,
        pawn: usize,
        king: Square,
        squares: &Squares,
        occupied: Bitboard,
        ahead: &Ahead<'_>,
    ) -> Result<(), TableError> {
        let mover = self.layout.men[pawn].side;
        let next = mover.other();
        let step =
            |from: Square| from.offset(mover.pick(8, -8)).expect("pawns stand on ranks 2 to 7");
        let one = step(squares[pawn]);
        if occupied.contains(one) {
            return Ok(());
        }
        let open = !Bitboard::from_square(one);
        let mut after = *squares;
        after[pawn] = one;
        if Bitboard::BACKRANKS.contains(one) {
            for role in 0..PROMOTIONS.len() {
                let view = self.view(None, Some((pawn, role)));
                best.offer_row(view, next, view.row(next, king, &after)?, open);
            }
            return Ok(());
        }
        let scale = self.layout.scale(next);
        best.offer(ahead.row(next, king, &after)?, scale, open);
        let two = step(one);
        if squares[pawn].rank() != mover.pick(Rank::Second, Rank::Seventh) || occupied.contains(two)
        {
            return Ok(());
        }
        after[pawn] = two;
        let mut reached = ahead.row(next, king, &after)?;
        self.allow_en_passant(&mut reached, pawn, one, king, &after)?;
        best.offer(reached, scale, open.without_const(Bitboard::from_square(two)));
        Ok(())
    }

    /// Corrects a row, reached by the double step of `pawn` over `passed`, for the captures en
    /// passant that the side to move has there beside its other moves.
    fn allow_en_passant(
        &self,
        reached: &mut [Code; 64],
        pawn: usize,
        passed: Square,
        king: Square,
        squares: &Squares,
    ) -> Result<(), TableError> {
        let mover = self.layout.men[pawn].side;
        let scale = self.layout.scale(mover.other());
        let mut captures = Best::new(Metric::Mate, scale);
        for (hunter, man) in self.layout.men.iter().enumerate() {
            let stands_by = attacks::pawn_attacks(mover, passed).contains(squares[hunter]);
            if man.role == Role::Pawn && man.side != mover && stands_by {
                let mut after = *squares;
                after[hunter] = passed;
                let view = self.view(Some(pawn), None);
                let row = view.row(mover, king, &after)?;
                captures.offer_row(view, mover, row, Bitboard::FULL);
            }
        }
        let left_out = captures.late | captures.slow;
        if left_out.into_iter().any(|square| reached[square as usize] != ILLEGAL) {
            return Err(TableError::TooDeep { material: self.layout.material });
        }
        for (at, code) in reached.iter_mut().enumerate() {
            if *code != ILLEGAL && captures.codes[at] != ILLEGAL {
                let other = Square::new(at as u32);
                *code = en_passant_value(scale, *code, captures.codes[at], || {
                    self.layout.has_move(mover.other(), king, other, squares)
                });
            }
        }
        Ok(())
    }
}

/// The code of a position with a legal capture en passant, from its code without that right, the
/// code of the best such capture, and whether there is any other legal move.
fn en_passant_value(
    scale: Scale,
    without: Code,
    capture: Code,
    has_other_move: impl FnOnce() -> bool,
) -> Code {
    // Only a stalemate is worse off for the right: the capture is then forced.
    if without == scale.draw && capture < scale.draw && !has_other_move() {
        capture
    } else {
        without.max(capture)
    }
}
