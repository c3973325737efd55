//! Officers of the attacker's at rest: they guard and give check, but do not move.

use super::bits::{Officer, between, bit};

/// Officers at rest, at most.
const MOST: usize = 3;

/// Officers at rest and their squares, in one order: the stronger first, of like ones that on the lower
/// square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rest {
    /// Those of `len` that count.
    men: [(Officer, u8); MOST],
    len: u8,
}

impl Rest {
    /// Nobody is at rest.
    pub(super) const NONE: Self = Self { men: [(Officer::None, 0); MOST], len: 0 };

    /// These officers; none where they are too many.
    pub(super) fn of(men: impl IntoIterator<Item = (Officer, u8)>) -> Option<Self> {
        men.into_iter().try_fold(Self::NONE, |rest, (officer, at)| rest.with(officer, at))
    }

    /// With one more, if there is room.
    pub(super) fn with(mut self, officer: Officer, at: u8) -> Option<Self> {
        let free = self.men.get_mut(usize::from(self.len))?;
        *free = (officer, at);
        self.len += 1;
        self.men[..usize::from(self.len)].sort_unstable();
        Some(self)
    }

    /// Whether one more would fit.
    pub(super) fn has_room(&self) -> bool {
        usize::from(self.len) < MOST
    }

    /// Whether nobody is at rest.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The officers with their squares.
    pub(super) fn men(&self) -> &[(Officer, u8)] {
        &self.men[..usize::from(self.len)]
    }

    /// Their squares.
    pub(super) fn squares(&self) -> u64 {
        self.men().iter().fold(0, |all, man| all | bit(man.1))
    }

    /// The strongest of them.
    pub(super) fn first(&self) -> Option<(Officer, u8)> {
        self.men().first().copied()
    }

    /// Without those on the squares of a set.
    pub(super) fn without(&self, set: u64) -> Self {
        let left = self.men().iter().copied().filter(|man| bit(man.1) & set == 0);
        Self::of(left).expect("no more than before")
    }

    /// On the board turned over.
    pub(super) fn turned(&self) -> Self {
        Self::of(self.men().iter().map(|man| (man.0.turned(), man.1 ^ 56)))
            .expect("as many as before")
    }

    /// Whether one of them attacks a square.
    pub(super) fn attacks(&self, at: u8, occupied: u64) -> bool {
        self.men().iter().any(|man| man.0.attacks(man.1, occupied) & bit(at) != 0)
    }

    /// All squares that they attack.
    pub(super) fn attacked(&self, occupied: u64) -> u64 {
        self.men().iter().fold(0, |all, man| all | man.0.attacks(man.1, occupied))
    }

    /// The squares of another man with which one of them attacks a square: all but those that block.
    /// `occupied` is without that man.
    pub(super) fn attacks_past(&self, at: u8, occupied: u64) -> u64 {
        let attackers =
            self.men().iter().filter(|man| man.0.attacks(man.1, occupied) & bit(at) != 0);
        attackers.fold(0, |all, man| all | !between(man.1, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn men_at_rest_come_in_one_order_whatever_the_order_in_which_they_are_named() {
        let (rook, far, knight) = ((Officer::Rook, 9), (Officer::Rook, 3), (Officer::Knight, 1));
        let rest = Rest::of([knight, rook, far]).unwrap();
        assert_eq!(rest.men(), [far, rook, knight]);
        assert_eq!(Rest::of([rook, knight, far]), Some(rest));
        assert_eq!(rest.first(), Some(far));
        assert_eq!(rest.squares(), bit(9) | bit(3) | bit(1));
        assert!(!rest.has_room() && rest.with(Officer::Queen, 5).is_none());
        let left = rest.without(bit(3));
        assert_eq!(
            (left.men(), left.turned().men()),
            (&[rook, knight][..], &[(Officer::Rook, 49), (Officer::Knight, 57)][..])
        );
        assert!(rest.without(!0).is_empty() && Rest::NONE.is_empty());
    }

    #[test]
    fn a_man_between_blocks() {
        // Rooks on a1 and h8, a knight on c3; what stands on d4 or a4 blocks, or does not.
        let rest =
            Rest::of([(Officer::Rook, 0), (Officer::Rook, 63), (Officer::Knight, 18)]).unwrap();
        // a8 is attacked by both rooks, so that no single man blocks.
        assert_eq!(rest.attacks_past(56, rest.squares()), !0);
        assert!(rest.attacks(56, rest.squares() | bit(24)));
        // h1 by both, a3 by one, a4 by that and the knight, d4 by none.
        assert_eq!(rest.attacks_past(16, rest.squares()), !bit(8));
        assert_eq!(rest.attacks_past(24, rest.squares()), !0);
        assert_eq!(rest.attacks_past(27, rest.squares()), 0);
        assert!(!rest.attacks(27, rest.squares()));
    }
}
