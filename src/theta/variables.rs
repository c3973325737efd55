//! The 271 variables (the paper's §2, docs/theory.md §2): p0..p268 are the bits of y, p269 and p270
//! say who can move.

use crate::chess::Vector;

/// The number of variables that describe a position: p0..p268.
pub const POSITION_VARIABLES: u32 = 269;
/// p269: White has a legal move here.
pub const WHITE_CAN_MOVE: u32 = 269;
/// p270: Black has a legal move here.
pub const BLACK_CAN_MOVE: u32 = 270;
/// The number of all variables: p0..p270.
pub const VARIABLES: u32 = 271;

/// The number of components of y.
pub(super) const COMPONENTS: usize = 69;

/// The first variable of y_j and how many there are: 1 for y0, 4 for y1..y66, 2 for y67 and y68.
pub(super) const fn place(j: usize) -> (u32, u32) {
    match j {
        0 => (0, 1),
        1..=66 => (4 * (j as u32 - 1) + 1, 4),
        _ => (264 + 2 * (j as u32 - 67) + 1, 2),
    }
}

/// The bits of a value from the left, `width` of them.
pub(super) fn bits(value: u8, width: u32) -> impl Iterator<Item = bool> {
    (0..width).rev().map(move |shift| value >> shift & 1 == 1)
}

/// The 269 literals of P(y): whether p0, p1, … p268 is true.
pub fn literals(y: &Vector) -> impl Iterator<Item = bool> + '_ {
    (0..COMPONENTS).flat_map(|j| bits(y[j], place(j).1))
}

/// A label that is no vector's: a component out of its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the label is no position: y{component} would be {value}, more than {most}")]
pub struct LabelError {
    /// The component j of y.
    pub component: usize,
    /// The value that the label's bits give it.
    pub value: u8,
    /// The greatest value it can have.
    pub most: u8,
}

/// Reads a vertex of a model back: the vector y with P(y) true there. `holds(k)` says whether p_k
/// is true at the vertex, k < 269. The inverse of [`literals`].
///
/// # Errors
/// When a component is out of its range (a square above 12, a mark above 8). The position need not
/// be legal.
pub fn position_of_label(holds: impl Fn(u32) -> bool) -> Result<Vector, LabelError> {
    let mut y = Vector::EMPTY;
    for component in 0..COMPONENTS {
        let (first, width) = place(component);
        let value = (first..first + width).fold(0, |value, k| 2 * value + u8::from(holds(k)));
        let most = match component {
            0 => 1,
            1..=64 => 12,
            65 | 66 => 8,
            _ => 3,
        };
        if value > most {
            return Err(LabelError { component, value, most });
        }
        y[component] = value;
    }
    Ok(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Profile, parse_fen};
    use pretty_assertions::assert_eq;

    /// The true variables of P(y).
    fn truths(fen: &str) -> Vec<u32> {
        let y = parse_fen(fen, Profile::Paper).unwrap();
        assert_eq!(literals(&y).count(), POSITION_VARIABLES as usize);
        (0..).zip(literals(&y)).filter_map(|(k, is_true)| is_true.then_some(k)).collect()
    }

    #[test]
    fn the_bits_stand_where_the_paper_puts_them() {
        // White's king a1: y1 = 1 = 0001, its last bit is p4. Black's king h8: y64 = 7 = 0111:
        // p254, p255, p256.
        assert_eq!(truths("7k/8/8/8/8/8/8/K7 w - -"), [4, 254, 255, 256]);
        assert_eq!(truths("7k/8/8/8/8/8/8/K7 b - -"), [0, 4, 254, 255, 256]);
    }

    #[test]
    fn castling_rights_are_the_last_four() {
        // e1: y5 = 1, p20. h1: y8 = 3 = 0011, p31, p32. e8: y61 = 7, p242..p244. a8: y57 = 9 =
        // 1001, p225, p228. K is the short one, value 2: y67 = 10 from the left, p265. q is the
        // long one, value 1: y68 = 01, p268.
        assert_eq!(
            truths("r3k3/8/8/8/8/8/8/4K2R w Kq -"),
            [20, 31, 32, 225, 228, 242, 243, 244, 265, 268]
        );
    }

    #[test]
    fn en_passant_marks_follow_the_squares() {
        // d5 (square 36): white pawn 6 = 0110, p142, p143. e5 (37): black pawn 12 = 1100, p145,
        // p146. Black's mark y66 = 5 = 0101: p262, p264. Kings e1: p20, e8: p242..p244.
        assert_eq!(
            truths("4k3/8/8/3Pp3/8/8/8/4K3 w - e6"),
            [20, 142, 143, 145, 146, 242, 243, 244, 262, 264]
        );
    }

    #[test]
    fn labels_are_read_back() {
        for fen in [
            "r3k2r/8/8/3Pp3/8/8/8/R3K2R w KQkq e6",
            "4k3/8/8/8/3Pp3/8/8/4K3 b - d3",
            "7k/8/8/8/8/8/8/K7 b - -",
        ] {
            let y = parse_fen(fen, Profile::Paper).unwrap();
            let label: Vec<bool> = literals(&y).collect();
            assert_eq!(position_of_label(|k| label[k as usize]), Ok(y));
        }
    }

    #[test]
    fn labels_out_of_range_are_refused() {
        let error = position_of_label(|k| (5..9).contains(&k)).unwrap_err();
        assert_eq!(error, LabelError { component: 2, value: 15, most: 12 });
        assert_eq!(position_of_label(|k| k == 257 || k == 260).unwrap_err().component, 65);
    }
}
