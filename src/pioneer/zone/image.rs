//! The mathematical image (MO): the zones of a position, carried from node to node of a line.
//!
//! One image serves the whole search. A move freezes the bundles that lost their sense and brings
//! in the new ones; taking it back thaws them. Zones are formed when asked for and kept until
//! something they read has changed.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, "Forming complex zones";
//! docs/theory.md §13.

use crate::chess::Side;
use std::rc::Rc;

use super::members::{Stem, Work, Zone, moves_within};
use super::store::{BundleId, Frozen, Store};
use crate::chess::board::{Bitboard, Board, Piece, Role, Square};
use crate::pioneer::geometry::men::Men;
use crate::pioneer::geometry::route::{Purpose, Routes};
use crate::pioneer::geometry::trajectory::promotion_rank;

/// H_L, the horizon of attack in plies: even, at most [`Horizon::LARGEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct Horizon(u8);

impl Horizon {
    /// The largest horizon: 14 plies, the seven moves of a king across the board. Beyond it every
    /// man sees every other and the zones say nothing.
    pub const LARGEST: u8 = 14;

    /// Six plies.
    pub const SIX: Self = Self(6);

    /// The horizon for a number of plies, made even (upwards) and not above the largest. Zero sees
    /// nothing.
    pub fn new(plies: u32) -> Self {
        Self((plies.min(u32::from(Self::LARGEST)).div_ceil(2) * 2) as u8)
    }

    /// Its plies.
    pub fn plies(self) -> u8 {
        self.0
    }

    /// A: the moves of an attacker within it, the same whoever is to move.
    pub fn moves(self) -> u8 {
        moves_within(self.0, true)
    }

    /// The next larger horizon, none after the largest.
    pub fn wider(self) -> Option<Self> {
        (self.0 < Self::LARGEST).then_some(Self(self.0 + 2))
    }
}

/// How many routes of a stem are kept.
const ROUTES: usize = 6;

/// What is known of a stored bundle at the present node. Cloning shares it.
#[derive(Debug, Clone, Default)]
struct Slot {
    from: Option<Square>,
    routes: Option<Rc<Routes>>,
    zone: Option<Rc<Zone>>,
    /// Squares changed since the zone was formed.
    stale: Bitboard,
}

struct Frame {
    men: Men,
    slots: Vec<Slot>,
    changes: Vec<(BundleId, Option<Frozen>, u16)>,
}

/// The image of one position, that can follow moves and take them back.
pub struct Image {
    men: Men,
    turn: Side,
    horizon: Horizon,
    store: Store,
    slots: Vec<Slot>,
    frames: Vec<Frame>,
    /// What forming zones has cost so far.
    pub work: Work,
}

impl Image {
    /// The image of a position: its stems within the horizon. Zones come later, when asked for.
    pub fn new(board: &Board, horizon: Horizon) -> Self {
        let men = Men::of(board);
        let mut image = Self {
            men,
            turn: board.side_to_move(),
            horizon,
            store: Store::default(),
            slots: Vec::new(),
            frames: Vec::new(),
            work: Work::default(),
        };
        for from in men.occupied() {
            image.look_from(from);
        }
        image
    }

    /// The men of the present position.
    pub fn men(&self) -> &Men {
        &self.men
    }

    /// The side to move.
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// The horizon of attack.
    pub fn horizon(&self) -> Horizon {
        self.horizon
    }

    /// The store of bundles.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The bundles in use, in the order they were found.
    pub fn live(&self) -> impl Iterator<Item = BundleId> + '_ {
        (0..self.store.len() as BundleId).filter(|&id| self.store.get(id).frozen.is_none())
    }

    /// The stem of a bundle; none if no route of it is within the horizon on this board, or it is to
    /// promote where a king stands. (The bundle is kept: the king may go.)
    pub fn stem(&mut self, id: BundleId) -> Option<Stem> {
        let stored = *self.store.get(id);
        let kings = self.men.of_role(Role::King);
        if stored.purpose == Purpose::Promote && kings.contains(stored.to) {
            return None;
        }
        let from = self.slots[id as usize].from?;
        let routes = match &self.slots[id as usize].routes {
            Some(routes) => Rc::clone(routes),
            None => {
                let purpose = stored.purpose;
                let found = Routes::find(
                    &self.men,
                    stored.piece,
                    from,
                    stored.to,
                    stored.longest,
                    purpose,
                    ROUTES,
                );
                let found = Rc::new(found);
                self.slots[id as usize].routes = Some(Rc::clone(&found));
                found
            }
        };
        let target = self.men.at(stored.to).filter(|p| p.side != stored.piece.side);
        let stem = Stem {
            piece: stored.piece,
            from,
            to: stored.to,
            purpose: stored.purpose,
            target,
            routes,
        };
        (!stem.routes.routes.is_empty()).then_some(stem)
    }

    /// The zone of a bundle, formed or brought up to date if need be.
    pub fn zone(&mut self, id: BundleId) -> Option<Rc<Zone>> {
        let stem = self.stem(id)?;
        let slot = &mut self.slots[id as usize];
        if let Some(zone) = slot.zone.as_ref().filter(|z| slot.stale.is_empty() && z.stem == stem) {
            return Some(Rc::clone(zone));
        }
        let before = slot.zone.as_deref().map(|zone| (zone, slot.stale));
        let zone = Rc::new(Zone::form(&self.men, stem, before, &mut self.work));
        slot.zone = Some(Rc::clone(&zone));
        slot.stale = Bitboard::EMPTY;
        Some(zone)
    }

    /// Goes to the position after a move. New bundles (a man comes into view) are reported, oldest
    /// first.
    pub fn play(&mut self, after: &Board) -> Vec<BundleId> {
        let men = Men::of(after);
        let changed = differences(&self.men, &men);
        self.frames.push(Frame { men: self.men, slots: self.slots.clone(), changes: Vec::new() });
        self.men = men;
        self.turn = after.side_to_move();
        for id in 0..self.store.len() as BundleId {
            self.freeze_if_gone(id);
            let slot = &mut self.slots[id as usize];
            slot.stale |= changed;
            if slot.routes.as_ref().is_some_and(|r| (r.reads & changed).any()) {
                slot.routes = None;
            }
        }
        let mut new = Vec::new();
        for square in changed & men.occupied() {
            new.extend(self.look_from(square));
            let mover = men.at(square).expect("occupied");
            for from in men.of_side(mover.side.other()) {
                new.extend(self.look(from, square));
            }
        }
        new
    }

    /// Goes back to the position before the last [`Image::play`].
    ///
    /// # Panics
    /// When there is none.
    pub fn undo(&mut self) {
        let frame = self.frames.pop().expect("a move to take back");
        for (id, frozen, ply) in frame.changes.into_iter().rev() {
            self.store.set_frozen(id, frozen, ply);
        }
        self.men = frame.men;
        self.turn = self.turn.other();
        let newer = frame.slots.len()..self.slots.len();
        self.slots.truncate(frame.slots.len());
        self.slots[..].clone_from_slice(&frame.slots);
        for id in newer {
            self.slots.push(Slot::default());
            self.store.set_frozen(id as BundleId, Some(Frozen::PieceGone), 0);
        }
    }

    fn set_frozen(&mut self, id: BundleId, frozen: Option<Frozen>) {
        let before = self.store.get(id);
        let (old, ply) = (before.frozen, before.frozen_at);
        if old == frozen {
            return;
        }
        let now = self.frames.len() as u16;
        if let Some(frame) = self.frames.last_mut() {
            frame.changes.push((id, old, ply));
        }
        self.store.set_frozen(id, frozen, now);
    }

    fn freeze_if_gone(&mut self, id: BundleId) {
        let stored = *self.store.get(id);
        if stored.frozen.is_some() {
            return;
        }
        let at_home = self.slots[id as usize]
            .from
            .is_some_and(|from| self.men.at(from) == Some(stored.piece));
        if !at_home {
            self.set_frozen(id, Some(Frozen::PieceGone));
        } else if stored.purpose == Purpose::Attack
            && !self.men.of_side(stored.piece.side.other()).contains(stored.to)
        {
            self.set_frozen(id, Some(Frozen::TargetGone));
        }
    }

    /// The bundles of the man on `from`: to every enemy man, and a pawn's to its promotion squares.
    fn look_from(&mut self, from: Square) -> Vec<BundleId> {
        let Some(piece) = self.men.at(from) else { return Vec::new() };
        let mut new: Vec<BundleId> = self
            .men
            .of_side(piece.side.other())
            .into_iter()
            .filter_map(|to| self.look(from, to))
            .collect();
        if piece.role == Role::Pawn {
            let last = Bitboard::from_rank(promotion_rank(piece.side));
            let near = |to: &Square| to.file().distance(from.file()) <= 1;
            new.extend(
                last.into_iter()
                    .filter(near)
                    .filter_map(|to| self.enter(from, piece, to, Purpose::Promote)),
            );
        }
        new
    }

    /// The bundle of the man on `from` against the man on `to`.
    fn look(&mut self, from: Square, to: Square) -> Option<BundleId> {
        let piece = self.men.at(from)?;
        self.enter(from, piece, to, Purpose::Attack)
    }

    fn enter(
        &mut self,
        from: Square,
        piece: Piece,
        to: Square,
        purpose: Purpose,
    ) -> Option<BundleId> {
        let longest = self.horizon.moves();
        if longest == 0 {
            return None;
        }
        let (id, new) = self.store.enter(from, piece, to, longest, purpose);
        if new {
            self.slots.push(Slot { from: Some(from), ..Slot::default() });
            return Some(id);
        }
        let was_frozen = self.store.get(id).frozen.is_some();
        if was_frozen {
            self.set_frozen(id, None);
            self.slots[id as usize] = Slot { from: Some(from), ..Slot::default() };
        }
        was_frozen.then_some(id)
    }
}

/// The squares on which two positions differ in men, en-passant marks or castling rights.
pub fn differences(a: &Men, b: &Men) -> Bitboard {
    let mut changed =
        (a.occupied() ^ b.occupied()) | (a.of_side(Side::White) ^ b.of_side(Side::White));
    for role in Role::ALL {
        changed |= a.of_role(role) ^ b.of_role(role);
    }
    if a.passant != b.passant {
        changed |= [a.passant, b.passant].into_iter().flatten().collect::<Bitboard>();
    }
    changed | (a.castling ^ b.castling)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    type Key = (Square, Square, u8, Purpose);

    fn zones(image: &mut Image) -> Vec<(Key, Rc<Zone>)> {
        let live: Vec<BundleId> = image.live().collect();
        let mut zones: Vec<_> = live
            .into_iter()
            .filter_map(|id| {
                let zone = image.zone(id)?;
                let stem = &zone.stem;
                Some(((stem.from, stem.to, stem.piece.role as u8, stem.purpose), Rc::clone(&zone)))
            })
            .collect();
        zones.sort_by_key(|(key, _)| *key);
        zones
    }

    /// Walks a line, comparing the carried image with a fresh one at every node, and takes it back.
    fn follow(fen: &str, plies: usize, mut seed: u64) -> Work {
        let horizon = Horizon::new(4);
        let mut board = Board::from_fen(fen).unwrap();
        let mut image = Image::new(&board, horizon);
        let mut line = vec![zones(&mut image)];
        for _ in 0..plies {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            board.play(moves[(seed >> 33) as usize % moves.len()]);
            image.play(&board);
            let carried = zones(&mut image);
            assert_eq!(carried, zones(&mut Image::new(&board, horizon)), "{:?}", board.vector());
            line.push(carried);
        }
        let forward = image.work;
        while let Some(before) = line.pop() {
            assert_eq!(zones(&mut image), before);
            if !line.is_empty() {
                image.undo();
            }
        }
        assert_eq!(image.work, forward, "taking back costs nothing");
        image.work
    }

    #[test]
    fn carried_images_are_fresh_images() {
        let mut work = Work::default();
        for (seed, fen) in [
            "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
            "5rk1/5ppp/p1Q1p3/1R6/q7/4b1P1/P2RPP1P/6K1 w - - 0 1",
            "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
            "8/P5k1/8/3pP3/8/8/6pK/8 w - d6 0 1",
        ]
        .into_iter()
        .enumerate()
        {
            let done = follow(fen, 10, seed as u64 + 1);
            work.formed += done.formed;
            work.kept += done.kept;
        }
        assert!(2 * work.kept > work.formed, "what did not change is kept: {work:?}");
    }

    const STARTS: [&str; 4] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "6rk/6pp/8/8/QQQQ4/QQQQ4/Q7/K7 b - - 0 1",
    ];

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(16))]

        /// Freezing and thawing along a random game, and taking it back: at every node as if formed
        /// from scratch.
        #[test]
        fn random_games_carry_their_image(start in 0..STARTS.len(), seed: u64) {
            follow(STARTS[start], 8, seed);
        }
    }

    #[test]
    fn horizons_are_even_and_bounded() {
        assert_eq!([0, 1, 2, 5, 1000].map(|h| Horizon::new(h).plies()), [0, 2, 2, 6, 14]);
        let bare = Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        assert_eq!(Image::new(&bare, Horizon::new(0)).live().count(), 0);
        let mut crossing = Image::new(&bare, Horizon::new(14));
        assert_eq!(zones(&mut crossing).len(), 2, "king against king, both ways");
    }
}
