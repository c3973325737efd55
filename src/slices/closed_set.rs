//! A closed set of positions, read out in pieces.

use super::bits::squares;
use super::key::{Key, MOVERS, Place};
use crate::chess::board::{Piece, Role, code_of};
use crate::chess::symmetry::at_home;
use crate::chess::{Packed, Side, Turn};
use theta_kernel::{Slice, Spot};

/// Positions with the attacker to move: after every reply to one of them the holder has a move that leads to
/// another, or to where it cannot be mated.
#[derive(Debug)]
pub struct ClosedSet {
    pub(super) attacker: Side,
    pub(super) slices: Vec<Listed>,
    pub(super) odd: Vec<Packed>,
}

/// The positions of one slice.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) key: Key,
    pub(super) turned: bool,
    /// Rows that have some, in their order.
    pub(super) rows: Vec<(u32, u64)>,
}

/// Rows of a piece.
const ROWS: usize = 1 << 10;

impl ClosedSet {
    /// The positions in pieces, each some thousands, made one after the other: of all images of one the one that
    /// is at home ([`Turn::home`]), as certificates have them. Some 20 ns a position with pawns, and some 300
    /// without.
    pub fn pieces(&self) -> impl Iterator<Item = Vec<Spot>> + '_ {
        let holder = self.attacker.other();
        let home = move |p: &Packed| at_home(p, holder).expect("a few officers, and pawns");
        let odd = std::iter::once_with(move || self.odd.iter().map(home).collect());
        self.slices.iter().flat_map(|listed| listed.pieces(self.attacker)).chain(odd)
    }
}

impl Listed {
    fn pieces(&self, attacker: Side) -> impl Iterator<Item = Vec<Spot>> + '_ {
        let mut homes = Homes::of(self, attacker);
        self.rows.chunks(ROWS).map(move |rows| {
            let places = rows.iter().flat_map(|&(row, bits)| {
                let place = move |square| self.key.place(row as usize, square, !self.turned);
                squares(bits).map(place)
            });
            places.map(|place| homes.spot(&place)).collect()
        })
    }
}

/// What finds where positions of one slice stand at home. The slice that a certificate has there is one of two
/// with pawns, by the half of the board that the holder's king is in, and is worked out once.
struct Homes<'a> {
    listed: &'a Listed,
    attacker: Side,
    /// Colours are turned where the slice is about Black.
    flip: u8,
    /// Of the holder's king, and of the officers in the slice's order.
    codes: [u8; 1 + MOVERS],
    slices: [Option<Slice>; 2],
}

impl<'a> Homes<'a> {
    fn of(listed: &'a Listed, attacker: Side) -> Self {
        let holder = attacker.other();
        let about = if listed.turned { holder } else { attacker };
        let mut codes = [0; 1 + MOVERS];
        codes[0] = code_of(Piece::new(holder, Role::King));
        codes[1..].copy_from_slice(&listed.key.codes(about));
        Self { listed, attacker, flip: about.pick(0, 56), codes, slices: [None; 2] }
    }

    fn spot(&mut self, place: &Place) -> Spot {
        let Listed { key, turned, .. } = *self.listed;
        let (own, square) =
            if turned { (place.king, place.other) } else { (place.other, place.king) };
        let half = usize::from((own ^ self.flip) & 7 > 3);
        match self.slices[half] {
            Some(slice) => {
                let turn = [Turn::NONE, Turn::MIRROR_FILES][half];
                let home = |square: u8| turn.square(square ^ self.flip);
                Spot { slice, row: self.row(own, place, home), square: home(square) }
            }
            None => {
                let about = if turned { self.attacker.other() } else { self.attacker };
                let spot = at_home(&key.packed(place, about), self.attacker.other());
                let spot = spot.expect("three officers at most, and pawns");
                // Without pawns there are more images, and which is at home more men say.
                self.slices[half] = (key.pawns() != 0).then_some(spot.slice);
                spot
            }
        }
    }

    /// The squares of the men, in the order of their codes, then of their squares.
    fn row(&self, own: u8, place: &Place, home: impl Fn(u8) -> u8) -> u64 {
        let men = std::iter::once(own).chain(place.men);
        let mut list: [u16; 1 + MOVERS] = [0; 1 + MOVERS];
        for (slot, (code, at)) in list.iter_mut().zip(self.codes.into_iter().zip(men)) {
            // No man has no code, and comes first.
            *slot = if code == 0 { 0 } else { u16::from(code) << 6 | u16::from(home(at)) };
        }
        list.sort_unstable();
        let there = list.iter().rev().filter(|man| **man != 0);
        there.fold(0, |row, man| row << 6 | u64::from(man & 63))
    }
}
