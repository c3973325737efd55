//! The formulas, each written once, for a pen that takes them down in Polish notation.
//!
//! An operator comes before its operands and says how many there are. Parts that the paper names
//! are referred to by [`Name`]: a pen may write the name, or call [`Formulas::body`] for what it
//! stands for.

use super::Leg;
use super::variables::{BLACK_CAN_MOVE, WHITE_CAN_MOVE};
use crate::chess::{Side, safe_black_king, safe_white_king};
use crate::ctl::Path;

/// One of the formulas that decide a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Theta {
    /// Θ1 = Init ∧ Rules1 ∧ Aim1: White has a strategy that mates.
    One,
    /// Θ2 = Init ∧ Rules2 ∧ Aim2, as printed: White has a strategy that is never mated and does not
    /// mate on every path.
    Two,
    /// Θ3 = Init ∧ Rules3 ∧ Aim3: Black has a strategy that mates.
    Three,
    /// Θ4 = Init ∧ Rules4 ∧ Aim4, as printed: the mirror of Θ2.
    Four,
    /// Hold2 = Init ∧ Rules2 ∧ Hold_W: White can hold for ever.
    Hold2,
    /// Hold4 = Init ∧ Rules4 ∧ Hold_B: Black can hold for ever.
    Hold4,
    /// Θ2* = Θ4* = EX Hold2 ∧ EX Hold4: a draw. The root is a fresh vertex, no position; the two
    /// strategies lie below it.
    Draw,
}

impl Theta {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::One, Self::Two, Self::Three, Self::Four, Self::Hold2, Self::Hold4, Self::Draw];

    /// The parts it is made of, a part before what refers to it, itself last.
    pub(super) fn parts(self) -> Vec<Name> {
        let hold = |side| [Name::Safe(side), Name::Hold(side)];
        let mate = |n, loser| [Name::Attacked(loser), Name::Aim(n)];
        let mut parts = vec![Name::Init];
        match self {
            Self::One => {
                parts.push(Name::Rules(1));
                parts.extend(mate(1, Side::Black));
            }
            Self::Two => {
                parts.push(Name::Rules(2));
                parts.extend(mate(1, Side::Black));
                parts.extend(hold(Side::White));
                parts.push(Name::Aim(2));
            }
            Self::Three => {
                parts.push(Name::Rules(3));
                parts.extend(mate(3, Side::White));
            }
            Self::Four => {
                parts.push(Name::Rules(4));
                parts.extend(mate(3, Side::White));
                parts.extend(hold(Side::Black));
                parts.push(Name::Aim(4));
            }
            Self::Hold2 => {
                parts.push(Name::Rules(2));
                parts.extend(hold(Side::White));
            }
            Self::Hold4 => {
                parts.push(Name::Rules(4));
                parts.extend(hold(Side::Black));
            }
            Self::Draw => {
                parts.extend([Name::Rules(2), Name::Rules(4)]);
                parts.extend(hold(Side::White));
                parts.extend(hold(Side::Black));
                parts.extend([Name::Formula(Self::Hold2), Name::Formula(Self::Hold4)]);
            }
        }
        parts.push(Name::Formula(self));
        parts
    }

    /// The sides whose one-move rules it uses.
    pub(super) fn owners(self) -> &'static [Side] {
        match self {
            Self::One | Self::Two | Self::Hold2 => &[Side::White],
            Self::Three | Self::Four | Self::Hold4 => &[Side::Black],
            Self::Draw => &Side::ALL,
        }
    }
}

/// A part of a formula that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// P(y) of a position.
    Position(u32),
    /// WM1(y), BM1(y) where White owns the strategy, WM2(y), BM2(y) where Black does.
    Moves(Side, u32),
    /// P(y⁰).
    Init,
    /// Rules1 … Rules4.
    Rules(u8),
    /// ⋁ P(y) over the positions with this side to move and in check.
    Attacked(Side),
    /// ⋁ P(y) over the positions with this side to move and not in check.
    Safe(Side),
    /// Aim1 … Aim4.
    Aim(u8),
    /// Hold_W, Hold_B.
    Hold(Side),
    /// A whole formula.
    Formula(Theta),
}

/// An operator and, of those that take any number of operands, how many follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Not,
    Next(Path),
    Globally(Path),
    Finally(Path),
    And(u32),
    Or(u32),
}

/// Takes a formula down.
pub(super) trait Pen {
    /// What may go wrong.
    type Error;

    /// An operator with at least one operand (two for `And` and `Or`); its operands follow.
    fn operator(&mut self, op: Op) -> Result<(), Self::Error>;
    /// `T` or `F`.
    fn constant(&mut self, value: bool) -> Result<(), Self::Error>;
    /// The variable p_k.
    fn variable(&mut self, k: u32) -> Result<(), Self::Error>;
    /// A named part.
    fn name(&mut self, name: Name) -> Result<(), Self::Error>;

    /// p_k or ¬p_k.
    fn literal(&mut self, k: u32, positive: bool) -> Result<(), Self::Error> {
        if !positive {
            self.operator(Op::Not)?;
        }
        self.variable(k)
    }

    /// The conjunction of the next `n` formulas: nothing is written for one, `T` for none.
    fn and(&mut self, n: usize) -> Result<(), Self::Error> {
        match n {
            0 => self.constant(true),
            1 => Ok(()),
            _ => self.operator(Op::And(n as u32)),
        }
    }

    /// The disjunction of the next `n` formulas: nothing is written for one, `F` for none.
    fn or(&mut self, n: usize) -> Result<(), Self::Error> {
        match n {
            0 => self.constant(false),
            1 => Ok(()),
            _ => self.operator(Op::Or(n as u32)),
        }
    }
}

/// What the formulas need to know of a position. One byte each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    mover: Side,
    /// SafeWKing or SafeBKing of the side to move.
    safe: bool,
}

/// The formulas over one Leg(y⁰). Takes 2 bytes a position.
pub(super) struct Formulas<'a, L> {
    pub(super) leg: &'a L,
    kinds: Vec<Kind>,
}

/// The variable that says whether a side can move.
fn can_move(side: Side) -> u32 {
    if side == Side::White { WHITE_CAN_MOVE } else { BLACK_CAN_MOVE }
}

/// The side whose strategy a model of Θn is.
fn owner(n: u8) -> Side {
    if n <= 2 { Side::White } else { Side::Black }
}

impl<'a, L: Leg> Formulas<'a, L> {
    /// Looks at every position once: about 100 ns each.
    pub(super) fn new(leg: &'a L) -> Self {
        let kind = |id| {
            let y = leg.vector(id);
            let mover = Side::to_move(&y);
            Kind {
                mover,
                safe: if mover == Side::White { safe_white_king(&y) } else { safe_black_king(&y) },
            }
        };
        Self { leg, kinds: (0..leg.positions()).map(kind).collect() }
    }

    pub(super) fn mover(&self, id: u32) -> Side {
        self.kinds[id as usize].mover
    }

    /// What a name other than [`Name::Position`] stands for.
    pub(super) fn body<P: Pen>(&self, name: Name, pen: &mut P) -> Result<(), P::Error> {
        match name {
            Name::Position(_) => unreachable!("every pen writes P(y) itself"),
            Name::Moves(owner, id) => self.moves(owner, id, pen),
            Name::Init => pen.name(Name::Position(0)),
            Name::Rules(n) => self.rules(owner(n), pen),
            Name::Attacked(side) => {
                self.disjunction(|kind| kind == Kind { mover: side, safe: false }, pen)
            }
            Name::Safe(side) => {
                self.disjunction(|kind| kind == Kind { mover: side, safe: true }, pen)
            }
            Name::Aim(n @ (1 | 3)) => aim_mate(owner(n), pen),
            Name::Aim(n) => {
                pen.and(2)?;
                pen.name(Name::Hold(owner(n)))?;
                pen.operator(Op::Not)?;
                pen.name(Name::Aim(n - 1))
            }
            Name::Hold(side) => hold(side, pen),
            Name::Formula(theta) => formula(theta, pen),
        }
    }

    /// WM1, WM2, BM1, BM2 (page 1.5).
    fn moves<P: Pen>(&self, owner: Side, id: u32, pen: &mut P) -> Result<(), P::Error> {
        let (mover, after) = (self.mover(id), self.leg.successors(id));
        if after.is_empty() {
            pen.and(3)?;
            pen.name(Name::Position(id))?;
            pen.operator(Op::Next(Path::All))?;
            pen.name(Name::Position(id))?;
            return pen.literal(can_move(mover), false);
        }
        if mover == owner {
            pen.and(3)?;
            pen.name(Name::Position(id))?;
            pen.or(after.len())?;
            for &z in after {
                pen.operator(Op::Next(Path::All))?;
                pen.name(Name::Position(z))?;
            }
        } else {
            pen.and(after.len() + 3)?;
            pen.name(Name::Position(id))?;
            for &z in after {
                pen.operator(Op::Next(Path::Some))?;
                pen.name(Name::Position(z))?;
            }
            pen.operator(Op::Next(Path::All))?;
            pen.or(after.len())?;
            for &z in after {
                pen.name(Name::Position(z))?;
            }
        }
        pen.variable(can_move(mover))
    }

    /// AG((¬p0 ∧ ⋁ WM) ∨ (p0 ∧ ⋁ BM)).
    fn rules<P: Pen>(&self, owner: Side, pen: &mut P) -> Result<(), P::Error> {
        pen.operator(Op::Globally(Path::All))?;
        pen.or(2)?;
        for side in Side::ALL {
            pen.and(2)?;
            pen.literal(0, side == Side::Black)?;
            self.each(|kind| kind.mover == side, |id| Name::Moves(owner, id), pen)?;
        }
        Ok(())
    }

    fn disjunction<P: Pen>(
        &self,
        wanted: impl Fn(Kind) -> bool,
        pen: &mut P,
    ) -> Result<(), P::Error> {
        self.each(wanted, Name::Position, pen)
    }

    /// The disjunction of a name for every position of a kind.
    fn each<P: Pen>(
        &self,
        wanted: impl Fn(Kind) -> bool,
        name: impl Fn(u32) -> Name,
        pen: &mut P,
    ) -> Result<(), P::Error> {
        pen.or(self.kinds.iter().filter(|kind| wanted(**kind)).count())?;
        let ids = (0..).zip(&self.kinds).filter(|(_, kind)| wanted(**kind));
        for (id, _) in ids {
            pen.name(name(id))?;
        }
        Ok(())
    }
}

/// Aim1 = AF(p0 ∧ ⋁{P(y) : y ∈ LB, ¬SafeBKing(y)} ∧ ¬p270), and Aim3 with colours exchanged.
fn aim_mate<P: Pen>(winner: Side, pen: &mut P) -> Result<(), P::Error> {
    let loser = winner.other();
    pen.operator(Op::Finally(Path::All))?;
    pen.and(3)?;
    pen.literal(0, loser == Side::Black)?;
    pen.name(Name::Attacked(loser))?;
    pen.literal(can_move(loser), false)
}

/// Hold_W = AG(p0 ∨ (¬p0 ∧ (p269 ∨ ⋁{P(y) : y ∈ LW, SafeWKing(y)}))) ∧ AG EX T, and Hold_B with
/// colours exchanged.
fn hold<P: Pen>(side: Side, pen: &mut P) -> Result<(), P::Error> {
    pen.and(2)?;
    pen.operator(Op::Globally(Path::All))?;
    pen.or(2)?;
    pen.literal(0, side == Side::White)?;
    pen.and(2)?;
    pen.literal(0, side == Side::Black)?;
    pen.or(2)?;
    pen.variable(can_move(side))?;
    pen.name(Name::Safe(side))?;
    pen.operator(Op::Globally(Path::All))?;
    pen.operator(Op::Next(Path::Some))?;
    pen.constant(true)
}

fn formula<P: Pen>(theta: Theta, pen: &mut P) -> Result<(), P::Error> {
    let (rules, aim) = match theta {
        Theta::One => (1, Name::Aim(1)),
        Theta::Two => (2, Name::Aim(2)),
        Theta::Three => (3, Name::Aim(3)),
        Theta::Four => (4, Name::Aim(4)),
        Theta::Hold2 => (2, Name::Hold(Side::White)),
        Theta::Hold4 => (4, Name::Hold(Side::Black)),
        Theta::Draw => {
            pen.and(2)?;
            for hold in [Theta::Hold2, Theta::Hold4] {
                pen.operator(Op::Next(Path::Some))?;
                pen.name(Name::Formula(hold))?;
            }
            return Ok(());
        }
    };
    pen.and(3)?;
    pen.name(Name::Init)?;
    pen.name(Name::Rules(rules))?;
    pen.name(aim)
}
