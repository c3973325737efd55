//! A zone: a stem trajectory with the trajectories that negate and support it.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, "Zones of play" and figure 6;
//! docs/theory.md §13.

use crate::chess::Side;
use std::rc::Rc;

use crate::chess::board::{Bitboard, Piece, Role, Square};
use crate::chess::worth::at_stake;
use crate::pioneer::geometry::exchange::PROMOTION;
use crate::pioneer::geometry::men::Men;
use crate::pioneer::geometry::route::{Purpose, Route, Routes};

/// A stem: the attacker's bundle as it lies on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stem {
    /// The attacker, (+,0.0).
    pub piece: Piece,
    /// Where it stands, α0.
    pub from: Square,
    /// Where it is going, αk.
    pub to: Square,
    /// What for: to attack a man, to promote, or (linked zones) to act on a square.
    pub purpose: Purpose,
    /// The man on αk, if it attacks one.
    pub target: Option<Piece>,
    /// Its routes within the horizon, shortest first.
    pub routes: Rc<Routes>,
}

impl Stem {
    /// m_k: what is won on αk, in pawns. Zero for a square.
    pub fn stake(&self) -> i32 {
        match self.purpose {
            Purpose::Promote => PROMOTION,
            _ => self.target.map_or(0, |p| at_stake(p.role)),
        }
    }

    /// The squares of its routes that an opponent may contest, with the number of the attacker's
    /// moves until it comes there, or stands just before it. Control comes before blocking on the
    /// same square.
    pub fn parts(&self, men: &Men) -> Vec<Part> {
        let mut parts = vec![Part { square: self.from, index: 0, purpose: Purpose::Control }];
        for route in &self.routes.routes {
            let t = &route.trajectory;
            let mut index = 0;
            for i in 0..t.moves() {
                let push = t.role_at(i) == Role::Pawn && t.alpha(i).file() == t.alpha(i + 1).file();
                let barred = if push { t.betas(i).with(t.alpha(i + 1)) } else { t.betas(i) };
                for square in barred {
                    add_part(&mut parts, Part { square, index, purpose: Purpose::Block });
                    if men.occupied().contains(square) && square != t.alpha(i + 1) {
                        index += 1;
                        add_part(&mut parts, Part { square, index, purpose: Purpose::Control });
                    }
                }
                index += 1 + u8::from((route.own & !t.betas(i)).contains(t.alpha(i + 1)));
                add_part(
                    &mut parts,
                    Part { square: t.alpha(i + 1), index, purpose: Purpose::Control },
                );
            }
        }
        parts
    }
}

/// A contested square of a stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The α- or β-square.
    pub square: Square,
    /// i: the attacker's true moves until it stands on α_i, or on the α_i before this β-square.
    pub index: u8,
    /// Control of an α-square or block of a β-square.
    pub purpose: Purpose,
}

fn add_part(parts: &mut Vec<Part>, part: Part) {
    match parts.iter_mut().find(|p| p.square == part.square && p.purpose == part.purpose) {
        Some(known) => known.index = known.index.max(part.index),
        None => parts.push(part),
    }
}

/// H_x = H0 − 2(k−i) + 1 with H0 = 2k: the plies within which a negating man must reach α_i or a
/// β-square after it.
pub fn variable_horizon(index: u8) -> u8 {
    2 * index + 1
}

/// The moves that fit into a horizon of plies for the side that is to move (or not): A = ⌊(H+1)/2⌋
/// or ⌊H/2⌋. This is why a zone breathes.
pub fn moves_within(plies: u8, to_move: bool) -> u8 {
    if to_move { plies.div_ceil(2) } else { plies / 2 }
}

/// A trajectory of first negation: a man of the target's side against a part of the stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Negation {
    /// What it acts on.
    pub part: Part,
    /// How it goes there.
    pub route: Route,
}

impl Negation {
    /// Whether it arrives in time, its own side being to move or not.
    pub fn in_time(&self, to_move: bool) -> bool {
        self.route.moves <= moves_within(variable_horizon(self.part.index), to_move)
    }
}

/// All negations by one man, with the squares that were read to find them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    from: Square,
    piece: Piece,
    reads: Bitboard,
    negations: Vec<Negation>,
}

impl Entry {
    /// The negations that arrive in time, or up to `late` moves late.
    fn form(
        men: &Men,
        stem: &Stem,
        parts: &[Part],
        (from, piece): (Square, Piece),
        late: u8,
    ) -> Self {
        let mut entry = Self { from, piece, reads: Bitboard::from(from), negations: Vec::new() };
        for part in parts.iter().filter(|p| p.square != from) {
            let own_target =
                part.square == stem.to && Some(piece) == stem.target && from == stem.to;
            if own_target {
                continue;
            }
            let longest = moves_within(variable_horizon(part.index), true) + late;
            let found = Routes::find(men, piece, from, part.square, longest, part.purpose, 2);
            entry.reads |= found.reads;
            entry
                .negations
                .extend(found.routes.into_iter().map(|route| Negation { part: *part, route }));
        }
        entry
    }
}

/// A move of one man onto a square where it supports or opposes: second negation and further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Support {
    /// 2 for the attacker's side, 3 for the target's side.
    pub order: u8,
    /// Where the man stands.
    pub from: Square,
    /// The square it controls in one move.
    pub to: Square,
}

/// A simple zone: the stem and its first negations; what follows from them is derived on demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// The stem.
    pub stem: Stem,
    parts: Vec<Part>,
    entries: Vec<Rc<Entry>>,
}

/// How much work the forming of zones took: entries (one man against one stem) computed and taken
/// over unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Work {
    /// Computed.
    pub formed: u64,
    /// Kept from the zone before.
    pub kept: u64,
}

impl Zone {
    /// Forms the zone of a stem. `before` is the same stem's zone in an earlier position of the
    /// line, and `changed` the squares that are different now: negations that read none of them are
    /// taken over.
    pub fn form(men: &Men, stem: Stem, before: Option<(&Zone, Bitboard)>, work: &mut Work) -> Self {
        let parts = stem.parts(men);
        let before = before.filter(|(old, _)| old.parts == parts && old.stem.target == stem.target);
        let minus = stem.piece.side.other();
        let entries = men.of_side(minus).into_iter().map(|from| {
            let piece = men.at(from).expect("a man of this side");
            let known = before.and_then(|(old, changed)| {
                old.entries
                    .iter()
                    .find(|e| e.from == from && e.piece == piece && (e.reads & changed).is_empty())
            });
            if let Some(entry) = known {
                work.kept += 1;
                return Rc::clone(entry);
            }
            work.formed += 1;
            Rc::new(Entry::form(men, &stem, &parts, (from, piece), 0))
        });
        let entries = entries.collect();
        Self { stem, parts, entries }
    }

    /// The attacker's side, (+).
    pub fn plus(&self) -> Side {
        self.stem.piece.side
    }

    /// The contested squares of the stem.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The first negations that arrive in time when (−) is to move, or not.
    pub fn negations(&self, minus_to_move: bool) -> impl Iterator<Item = &Negation> {
        self.entries.iter().flat_map(|e| &e.negations).filter(move |n| n.in_time(minus_to_move))
    }

    /// Every first negation, in time or not: the wider of the zone's two limits.
    pub fn all_negations(&self) -> impl Iterator<Item = &Negation> {
        self.entries.iter().flat_map(|e| &e.negations)
    }

    /// The first negations that come one to `most` moves too late when (−) is to move, with the
    /// moves they lack: what had to begin earlier in the line.
    pub fn late_negations(&self, men: &Men, most: u8) -> Vec<(Negation, u8)> {
        let minus = men
            .of_side(self.plus().other())
            .into_iter()
            .filter_map(|from| Some((from, men.at(from)?)));
        let entries = minus.map(|man| Entry::form(men, &self.stem, &self.parts, man, most));
        let late = entries.flat_map(|e| e.negations).filter_map(|n| {
            let missing =
                n.route.moves.checked_sub(moves_within(variable_horizon(n.part.index), true))?;
            (missing > 0).then_some((n, missing))
        });
        late.collect()
    }

    /// Second and third negations: (+) men one move from a square of a first negation, (−) men one
    /// move from there.
    pub fn supports(&self, men: &Men, minus_to_move: bool) -> Vec<Support> {
        let mut found = Vec::new();
        for negation in self.negations(minus_to_move) {
            let by = negation.route.trajectory.from();
            for &to in &negation.route.trajectory.alphas()[1..] {
                let plus = men.controllers(to, self.plus()).without(self.stem.from);
                found.extend(plus.into_iter().map(|from| Support { order: 2, from, to }));
                if plus.any() {
                    let minus = men.controllers(to, self.plus().other()).without(by);
                    found.extend(minus.into_iter().map(|from| Support { order: 3, from, to }));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where the target may retreat to, in one move.
    pub fn retreats(&self, men: &Men) -> Bitboard {
        if self.stem.target.is_some() { men.steps_from(self.stem.to) } else { Bitboard::EMPTY }
    }

    /// The men of the attacker's side in the stem's way, and where each can go in one move.
    pub fn unblocks(&self, men: &Men) -> Vec<(Square, Bitboard)> {
        let own = self.stem.routes.routes.iter().fold(Bitboard::EMPTY, |all, r| all | r.own);
        own.into_iter().map(|square| (square, men.steps_from(square) & !self.path())).collect()
    }

    /// The squares of the stem's routes.
    pub fn path(&self) -> Bitboard {
        self.stem
            .routes
            .routes
            .iter()
            .fold(self.stem.from.into(), |all, r| all | r.trajectory.ahead())
    }

    /// The men and squares of the zone: zones that share one belong together.
    pub fn extent(&self) -> Bitboard {
        self.all_negations().fold(self.path().with(self.stem.to), |all, n| {
            all | n.route.trajectory.ahead().with(n.route.trajectory.from())
        })
    }

    /// The steps of its men along trajectories, one move each: (from, to).
    pub fn steps(&self, men: &Men, minus_to_move: bool) -> Vec<(Square, Square)> {
        let first = |r: &Route| (r.trajectory.from(), r.trajectory.alpha(1));
        let mut steps: Vec<_> = self.stem.routes.routes.iter().map(first).collect();
        steps.extend(self.negations(minus_to_move).map(|n| first(&n.route)));
        steps.extend(self.supports(men, minus_to_move).iter().map(|s| (s.from, s.to)));
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}

/// Complex zones: the groups of zones that share men or squares, directly or through others. Zones
/// of different groups are independent.
pub fn complexes(extents: &[Bitboard]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Bitboard, Vec<usize>)> = Vec::new();
    for (i, &extent) in extents.iter().enumerate() {
        let (joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(all, _)| (*all & extent).any());
        let mut members: Vec<usize> =
            joined.iter().flat_map(|(_, m)| m.iter().copied()).chain([i]).collect();
        members.sort_unstable();
        groups = apart;
        groups.push((joined.iter().fold(extent, |all, (e, _)| all | *e), members));
    }
    let mut groups: Vec<_> = groups.into_iter().map(|(_, members)| members).collect();
    groups.sort();
    groups
}
