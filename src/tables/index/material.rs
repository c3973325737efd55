//! Material signatures: which men stand on the board, the stronger side first.

use crate::chess::Side;
use hashbrown::HashMap;
use std::fmt;
use std::str::FromStr;

use crate::chess::board::Role;

use crate::tables::TableError;

/// The roles a signature counts, strongest first; the king is always there.
pub(in crate::tables) const ROLES: [Role; 5] =
    [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

/// The largest number of men, kings included, of the tables that are solved where a position asks
/// for them.
pub const MAX_MEN: usize = 5;

/// The largest number of men a table can have, kings included: one more than [`MAX_MEN`]. Such a
/// table is built by its name, and used where it is stored.
pub const MAX_STORED_MEN: usize = 6;

/// A material signature such as KRvKN. Read as `KRKN` or `KRvKN`, printed as `KRvKN`, the stronger
/// side first: more men, then the stronger men (Q > R > B > N > P), the order of the Syzygy files.
/// In a table of the signature White is the first-named side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Material {
    /// Men of the first-named and the second-named side, in the order of [`ROLES`].
    sides: [[u8; 5]; 2],
}

impl Material {
    /// The signature of given men (kings left out) and whether White had to become the second-named
    /// side.
    pub fn new(men: impl IntoIterator<Item = (Side, Role)>) -> (Self, bool) {
        let mut sides = [[0u8; 5]; 2];
        for (side, role) in men {
            if let Some(at) = ROLES.iter().position(|&r| r == role) {
                sides[side as usize][at] += 1;
            }
        }
        let strength = |side: &[u8; 5]| (side.iter().sum::<u8>(), *side);
        let flip = strength(&sides[1]) > strength(&sides[0]);
        if flip {
            sides.swap(0, 1);
        }
        (Self { sides }, flip)
    }

    /// The number of men, kings included.
    pub fn men(&self) -> usize {
        2 + self.sides.iter().flatten().map(|&n| usize::from(n)).sum::<usize>()
    }

    /// Is there a pawn?
    pub fn has_pawns(&self) -> bool {
        self.sides.iter().any(|side| side[4] > 0)
    }

    /// How many pawns there are.
    pub(in crate::tables) fn pawns(&self) -> u8 {
        self.sides.iter().map(|side| side[4]).sum()
    }

    /// Whether its table is one slice, too large for a byte a position in memory: six men without
    /// pawns.
    pub(in crate::tables) fn is_one_large_slice(&self) -> bool {
        self.men() > MAX_MEN && !self.has_pawns()
    }

    /// How many men of this role the side has (White = the first-named side).
    pub fn count(&self, side: Side, role: Role) -> u8 {
        ROLES.iter().position(|&r| r == role).map_or(1, |at| self.sides[side as usize][at])
    }

    /// Its men without the kings: White's, then Black's, each strongest first.
    pub fn list(&self) -> impl Iterator<Item = (Side, Role)> + '_ {
        Side::ALL.into_iter().flat_map(move |side| {
            ROLES
                .into_iter()
                .flat_map(move |role| (0..self.count(side, role)).map(move |_| (side, role)))
        })
    }

    /// The signatures that a capture or promotion by `mover` (or both at once) leads to, each once,
    /// and whether the colours are exchanged there.
    pub fn conversions(&self, mover: Side) -> Vec<(Self, bool)> {
        let men: Vec<(Side, Role)> = self.list().collect();
        let captures = |men: &[(Side, Role)]| -> Vec<(Self, bool)> {
            let victims = (0..men.len()).filter(|&at| men[at].0 != mover);
            let without = |at: usize| {
                Self::new(men.iter().enumerate().filter(|&(i, _)| i != at).map(|(_, &man)| man))
            };
            victims.map(without).collect()
        };
        let mut found = captures(&men);
        for at in (0..men.len()).filter(|&at| men[at] == (mover, Role::Pawn)) {
            for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                let mut promoted = men.clone();
                promoted[at].1 = role;
                found.push(Self::new(promoted.iter().copied()));
                found.extend(captures(&promoted));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The signatures one capture or promotion away (or both at once), each once, in order.
    pub fn children(&self) -> Vec<Self> {
        let by = |mover| self.conversions(mover).into_iter().map(|(material, _)| material);
        let mut found: Vec<Self> = by(Side::White).chain(by(Side::Black)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The signature itself and all that can arise from it, in an order in which every one comes
    /// after those it depends on.
    pub fn closure(&self) -> Vec<Self> {
        let mut order = Vec::new();
        self.visit(&mut order);
        order
    }

    fn visit(&self, order: &mut Vec<Self>) {
        if order.contains(self) {
            return;
        }
        for child in self.children() {
            child.visit(order);
        }
        order.push(*self);
    }

    /// Every signature of `men` men (2..=[`MAX_MEN`]), in no meaningful order.
    pub fn all(men: usize) -> Vec<Self> {
        let mut found: Vec<Vec<(Side, Role)>> = vec![Vec::new()];
        for _ in 2..men {
            found = found
                .iter()
                .flat_map(|list| {
                    Side::ALL.into_iter().flat_map(move |side| {
                        ROLES
                            .into_iter()
                            .map(move |role| list.iter().copied().chain([(side, role)]).collect())
                    })
                })
                .collect();
        }
        let mut all: Vec<Self> = found.into_iter().map(|list| Self::new(list).0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Groups signatures so that each depends on earlier groups alone; the order within the list
    /// must respect the dependencies already.
    pub(in crate::tables) fn by_depth(materials: &[Material]) -> Vec<Vec<Material>> {
        let mut depths: HashMap<Material, usize> = HashMap::new();
        let mut groups: Vec<Vec<Material>> = Vec::new();
        for &material in materials {
            let depth =
                material.children().iter().filter_map(|c| depths.get(c)).max().map_or(0, |d| d + 1);
            depths.insert(material, depth);
            if groups.len() <= depth {
                groups.push(Vec::new());
            }
            groups[depth].push(material);
        }
        groups
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in Side::ALL {
            f.write_str(if side == Side::White { "K" } else { "vK" })?;
            for role in ROLES {
                for _ in 0..self.count(side, role) {
                    write!(f, "{}", role.upper_char())?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Material {
    type Err = TableError;

    /// # Errors
    /// [`TableError::Signature`] when the text is not `K…K…` or `K…vK…`, [`TableError::TooManyMen`]
    /// beyond [`MAX_STORED_MEN`].
    fn from_str(text: &str) -> Result<Self, TableError> {
        let bad = |why: &'static str| TableError::Signature { text: text.to_owned(), why };
        let upper = text.to_ascii_uppercase();
        let (first, second) = match upper.split_once('V') {
            Some(halves) => halves,
            None => {
                let second = upper
                    .rfind('K')
                    .filter(|&at| at > 0)
                    .ok_or_else(|| bad("two kings are needed"))?;
                upper.split_at(second)
            }
        };
        let mut men = Vec::new();
        for (side, men_of_side) in [(Side::White, first), (Side::Black, second)] {
            let rest = men_of_side
                .strip_prefix('K')
                .ok_or_else(|| bad("each side begins with its king"))?;
            for letter in rest.chars() {
                let role = Role::from_char(letter).filter(|&r| r != Role::King);
                men.push((
                    side,
                    role.ok_or_else(|| bad("men are Q, R, B, N, P, one king a side"))?,
                ));
            }
        }
        if men.len() + 2 > MAX_STORED_MEN {
            return Err(TableError::TooManyMen { men: men.len() + 2 });
        }
        Ok(Self::new(men).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn reads_both_spellings_and_puts_the_stronger_side_first() {
        for (text, printed) in [
            ("KRKN", "KRvKN"),
            ("KRvKN", "KRvKN"),
            ("krvkn", "KRvKN"),
            ("KNKR", "KRvKN"),
            ("KvKQ", "KQvK"),
            ("KPRvK", "KRPvK"),
            ("KQvKPP", "KPPvKQ"),
            ("KK", "KvK"),
        ] {
            assert_eq!(text.parse::<Material>().unwrap().to_string(), printed);
        }
    }

    #[test]
    fn refuses_what_is_no_signature() {
        for text in ["", "K", "KR", "RKK", "KRvN", "KXvK", "KRvKvK", "KKK"] {
            assert!(
                matches!(text.parse::<Material>(), Err(TableError::Signature { .. })),
                "{text}"
            );
        }
        for text in ["KQRvKRNP", "KQRvKRNN"] {
            let read = text.parse::<Material>();
            assert!(matches!(read, Err(TableError::TooManyMen { men: 7 })), "{text}");
        }
        assert_eq!("KPvKNNN".parse::<Material>().unwrap().to_string(), "KNNNvKP");
        assert_eq!("KNNvKRN".parse::<Material>().unwrap().to_string(), "KRNvKNN");
    }

    #[test]
    fn counts_of_signatures() {
        assert_eq!(Material::all(3).len(), 5);
        assert_eq!(Material::all(4).len(), 30);
        assert_eq!(Material::all(5).len(), 110);
    }

    #[test]
    fn children_come_first_in_the_closure() {
        let krpkr: Material = "KRPvKR".parse().unwrap();
        let order = krpkr.closure();
        for (at, material) in order.iter().enumerate() {
            for child in material.children() {
                assert!(order[..at].contains(&child), "{child} of {material}");
            }
        }
        assert_eq!(order.last(), Some(&krpkr));
        let names: Vec<String> = krpkr.children().iter().map(ToString::to_string).collect();
        assert!(
            ["KQRvKR", "KQRvK", "KRvKP", "KRvKR", "KRPvK"]
                .iter()
                .all(|n| names.contains(&(*n).to_string()))
        );
    }
}
