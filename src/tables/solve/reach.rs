//! The slices that play from one position can lead to: pawns keep to their files unless they
//! capture, and never go back.

use crate::chess::Side;
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

use crate::chess::board::{Bitboard, Role, Square, attacks};

use crate::tables::index::layout::{Layout, MAX_OTHERS};
use crate::tables::index::material::Material;

/// A man that is no king. The square counts for pawns only; pieces can be anywhere and stand on a1
/// here.
pub(in crate::tables) type Placed = (Side, Role, Square);

/// What is reached of one signature.
pub(in crate::tables) struct Reached {
    pub(in crate::tables) layout: Arc<Layout>,
    /// By slice: can play lead to it?
    pub(in crate::tables) slices: Vec<bool>,
}

impl Reached {
    fn new(material: Material) -> Self {
        let layout = Arc::new(Layout::new(material));
        Self { slices: vec![false; layout.slices()], layout }
    }

    fn add(&mut self, men: &[Placed], flip: bool) {
        let mut squares = [Square::A1; MAX_OTHERS];
        let mut left: Vec<Placed> = men.to_vec();
        for (slot, man) in squares.iter_mut().zip(&self.layout.men) {
            let side = if flip { man.side.other() } else { man.side };
            let at = left.iter().position(|&(c, role, _)| c == side && role == man.role);
            let (_, _, square) = left.swap_remove(at.expect("the same men"));
            *slot = if flip { square.flip_vertical() } else { square };
        }
        let (slice, _) = self.layout.slice(&squares);
        self.slices[slice] = true;
    }
}

/// Everything that can arise from these men, by signature. Some of it no legal game reaches: where
/// pieces stand is not looked at. A few hundred placements of up to two pawns.
pub(in crate::tables) fn reachable(men: &[Placed]) -> HashMap<Material, Reached> {
    let mut found: HashMap<Material, Reached> = HashMap::new();
    let mut seen: HashSet<Vec<Placed>> = HashSet::new();
    let mut open = vec![men.to_vec()];
    while let Some(mut men) = open.pop() {
        for man in &mut men {
            if man.1 != Role::Pawn {
                man.2 = Square::A1;
            }
        }
        men.sort_by_key(|&(side, role, square)| (side as u8, role as u8, square as u8));
        if !seen.insert(men.clone()) {
            continue;
        }
        let (material, flip) = Material::new(men.iter().map(|&(side, role, _)| (side, role)));
        found.entry(material).or_insert_with(|| Reached::new(material)).add(&men, flip);
        for at in 0..men.len() {
            open.push(without(&men, at));
            if men[at].1 == Role::Pawn {
                pawn_moves(&men, at, &mut open);
            }
        }
    }
    found
}

fn without(men: &[Placed], at: usize) -> Vec<Placed> {
    let mut left = men.to_vec();
    left.remove(at);
    left
}

/// A pawn's steps and captures. (A double step is two steps: only another pawn can stand in the way
/// for good.)
fn pawn_moves(men: &[Placed], at: usize, open: &mut Vec<Vec<Placed>>) {
    let (side, _, from) = men[at];
    let pawn_on = |square| men.iter().any(|&(_, role, on)| role == Role::Pawn && on == square);
    let one = from.offset(side.pick(8, -8)).expect("pawns stand on ranks 2 to 7");
    if !pawn_on(one) {
        open.extend(arrivals(men, at, one));
    }
    for to in attacks::pawn_attacks(side, from) {
        for (victim, &(whose, role, on)) in men.iter().enumerate() {
            let passed = Square::from_coords(to.file(), from.rank());
            if whose != side && (role != Role::Pawn || on == to || on == passed && !pawn_on(to)) {
                open.extend(arrivals(men, at, to).into_iter().map(|after| without(&after, victim)));
            }
        }
    }
}

/// The men after a pawn has gone to a square: one way, or four where it promotes.
fn arrivals(men: &[Placed], at: usize, to: Square) -> Vec<Vec<Placed>> {
    let with = |role| {
        let mut after = men.to_vec();
        (after[at].1, after[at].2) = (role, to);
        after
    };
    if Bitboard::BACKRANKS.contains(to) {
        [Role::Queen, Role::Rook, Role::Bishop, Role::Knight].map(with).to_vec()
    } else {
        vec![with(Role::Pawn)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn counts(men: &[Placed]) -> Vec<(String, usize)> {
        let reached = reachable(men).into_iter().filter(|(material, _)| material.has_pawns());
        let count = |r: &Reached| r.slices.iter().filter(|&&s| s).count();
        let mut counts: Vec<_> =
            reached.map(|(material, r)| (material.to_string(), count(&r))).collect();
        counts.sort();
        counts
    }

    #[test]
    fn pawns_keep_to_their_files_and_ranks_ahead() {
        let pawns = [(Side::White, Role::Pawn, Square::C5), (Side::White, Role::Pawn, Square::G6)];
        let expected =
            [("KBPvK", 5), ("KNPvK", 5), ("KPPvK", 6), ("KPvK", 5), ("KQPvK", 5), ("KRPvK", 5)]
                .map(|(m, n)| (m.into(), n));
        assert_eq!(counts(&pawns), expected);
    }

    #[test]
    fn captures_change_files() {
        // The white pawn may take the knight on b6, d6, b7 …: the b, c and d files from the sixth
        // rank on.
        let men = [(Side::White, Role::Pawn, Square::C5), (Side::Black, Role::Knight, Square::H8)];
        assert_eq!(counts(&men), [("KNvKP".to_string(), 3), ("KPvK".to_string(), 7)]);
        // En passant: the pawn beside may be taken by a step to its file. One capture each: the
        // a-file is out of reach.
        let men = [(Side::White, Role::Pawn, Square::C5), (Side::Black, Role::Pawn, Square::D5)];
        let taken = reachable(&men);
        let lone = &taken[&"KPvK".parse::<Material>().unwrap()];
        let on = |square| {
            lone.slices[lone.layout.slice(&[square, Square::A1, Square::A1, Square::A1]).0]
        };
        assert!(on(Square::D6) && on(Square::C5) && !on(Square::A6));
    }
}
