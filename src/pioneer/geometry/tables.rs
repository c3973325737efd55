//! The seven 15×15 tables: the least number of moves from the centre to every square of an empty
//! board.
//!
//! Laid over the board with its centre on α0, a table numbers the 64 squares; the squares with one
//! number form a *ring*. Rings are all that the making of bundles needs, so they are kept as bit
//! sets: 7 tables × 64 squares × 8 numbers × 8 bytes = 28 KiB, computed at compile time.
//!
//! # References
//! M. M. Botvinnik, *On the cybernetic goal of the game*, 1975, figures 3–5 and appendix 1 (B. M.
//! Stilman); docs/theory.md §13.

use crate::chess::Side;
use crate::chess::board::{Bitboard, Role, Square};

/// What stands on the squares of a table that the piece never reaches.
pub const BLANK: u8 = u8::MAX;

/// A 15×15 table: `grid[7 + ranks up][7 + files right]`.
pub type Grid = [[u8; 15]; 15];

/// The seven tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Table {
    /// The white pawn: pushes and captures, upwards.
    WhitePawn,
    /// The black pawn: pushes and captures, downwards.
    BlackPawn,
    /// The king.
    King,
    /// The knight (figure 4).
    Knight,
    /// The bishop.
    Bishop,
    /// The rook (figure 5).
    Rook,
    /// No. 7: the bishop's table with 2 on its blank squares, for the queen's "rook then bishop".
    Seven,
}

impl Table {
    /// All seven, in the order of their numbers.
    pub const ALL: [Table; 7] = [
        Table::WhitePawn,
        Table::BlackPawn,
        Table::King,
        Table::Knight,
        Table::Bishop,
        Table::Rook,
        Table::Seven,
    ];

    /// The table of a piece; none for the queen, who borrows the bishop's, the rook's and no. 7.
    pub fn of(side: Side, role: Role) -> Option<Table> {
        match role {
            Role::Pawn => Some(side.pick(Table::WhitePawn, Table::BlackPawn)),
            Role::Knight => Some(Table::Knight),
            Role::Bishop => Some(Table::Bishop),
            Role::Rook => Some(Table::Rook),
            Role::King => Some(Table::King),
            Role::Queen => None,
        }
    }

    /// The table to lay on αk: moves run backwards there, which matters to pawns only.
    #[must_use]
    pub fn reversed(self) -> Table {
        match self {
            Table::WhitePawn => Table::BlackPawn,
            Table::BlackPawn => Table::WhitePawn,
            other => other,
        }
    }

    /// The 15×15 table itself.
    pub fn grid(self) -> &'static Grid {
        &GRIDS[self as usize]
    }

    /// n_L: the largest number in the table, 7, 6 or 2.
    pub fn longest(self) -> u8 {
        match self {
            Table::WhitePawn | Table::BlackPawn | Table::King => 7,
            Table::Knight => 6,
            Table::Bishop | Table::Rook | Table::Seven => 2,
        }
    }

    /// T8: the number that falls on `to` when the centre lies on `from`; none on a blank square.
    pub fn number(self, from: Square, to: Square) -> Option<u8> {
        let (x, y) = (
            to.file().to_usize() + 7 - from.file().to_usize(),
            to.rank().to_usize() + 7 - from.rank().to_usize(),
        );
        let n = self.grid()[y][x];
        (n != BLANK).then_some(n)
    }

    /// The squares that bear the number `n` when the centre lies on `from`; empty for `n` above
    /// [`Table::longest`].
    pub fn ring(self, from: Square, n: u8) -> Bitboard {
        RINGS[self as usize][from.to_usize()]
            .get(usize::from(n))
            .map_or(Bitboard::EMPTY, |&ring| Bitboard(ring))
    }

    /// The squares with numbers 1 to `n`: what the piece can reach in at most `n` moves, its own
    /// square left out.
    pub fn within(self, from: Square, n: u8) -> Bitboard {
        (1..=n.min(self.longest())).fold(Bitboard::EMPTY, |all, i| all | self.ring(from, i))
    }
}

const LEAPS: [&[(i32, i32)]; 6] = [
    &[(0, 1), (1, 1), (-1, 1)],
    &[(0, -1), (1, -1), (-1, -1)],
    &[(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)],
    &[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)],
    &[(1, 1), (-1, 1), (-1, -1), (1, -1)],
    &[(1, 0), (0, 1), (-1, 0), (0, -1)],
];

/// Breadth-first search from the centre of a 15×15 board; bishop and rook slide.
const fn grid(table: usize) -> Grid {
    let mut grid = [[BLANK; 15]; 15];
    grid[7][7] = 0;
    let slides = table >= Table::Bishop as usize;
    let mut n = 0;
    while n < 7 {
        let mut at = 0;
        while at < 225 {
            if grid[at / 15][at % 15] == n {
                let mut leap = 0;
                while leap < LEAPS[table].len() {
                    let (dx, dy) = LEAPS[table][leap];
                    let (mut x, mut y) = ((at % 15) as i32 + dx, (at / 15) as i32 + dy);
                    while x >= 0 && x < 15 && y >= 0 && y < 15 {
                        if grid[y as usize][x as usize] > n + 1 {
                            grid[y as usize][x as usize] = n + 1;
                        }
                        if !slides {
                            break;
                        }
                        x += dx;
                        y += dy;
                    }
                    leap += 1;
                }
            }
            at += 1;
        }
        n += 1;
    }
    grid
}

const fn grids() -> [Grid; 7] {
    let mut grids = [[[BLANK; 15]; 15]; 7];
    let mut table = 0;
    while table < 6 {
        grids[table] = grid(table);
        table += 1;
    }
    grids[6] = grids[Table::Bishop as usize];
    let mut at = 0;
    while at < 225 {
        if grids[6][at / 15][at % 15] == BLANK {
            grids[6][at / 15][at % 15] = 2;
        }
        at += 1;
    }
    grids
}

const fn rings() -> [[[u64; 8]; 64]; 7] {
    let mut rings = [[[0; 8]; 64]; 7];
    let mut table = 0;
    while table < 7 {
        let mut pair = 0;
        while pair < 64 * 64 {
            let (from, to) = (pair / 64, pair % 64);
            let n = GRID_CONSTANTS[table][to / 8 + 7 - from / 8][to % 8 + 7 - from % 8];
            if n != BLANK {
                rings[table][from][n as usize] |= 1 << to;
            }
            pair += 1;
        }
        table += 1;
    }
    rings
}

static GRIDS: [Grid; 7] = GRID_CONSTANTS;
const GRID_CONSTANTS: [Grid; 7] = grids();
static RINGS: [[[u64; 8]; 64]; 7] = rings();

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// Figures 4 and 5 as scanned: rows by their height above the centre, columns from the left;
    /// the last two columns are lost. Rows whose mirror image is printed differently are the scan's
    /// errors and left out.
    const KNIGHT_AS_PRINTED: &[(usize, [u8; 13])] = &[
        (14, [6, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4]),
        (11, [5, 4, 3, 4, 3, 2, 3, 2, 3, 2, 3, 4, 3]),
        (10, [4, 3, 4, 3, 2, 3, 2, 3, 2, 3, 2, 3, 4]),
        (9, [5, 4, 3, 2, 3, 4, 1, 2, 1, 4, 3, 2, 3]),
        (8, [4, 3, 4, 3, 2, 1, 2, 3, 2, 1, 2, 3, 4]),
        (7, [5, 4, 3, 2, 3, 2, 3, 0, 3, 2, 3, 2, 3]),
        (6, [4, 3, 4, 3, 2, 1, 2, 3, 2, 1, 2, 3, 4]),
        (5, [5, 4, 3, 2, 3, 4, 1, 2, 1, 4, 3, 2, 3]),
    ];

    #[test]
    fn knight_and_rook_as_printed() {
        for (row, printed) in KNIGHT_AS_PRINTED {
            assert_eq!(Table::Knight.grid()[*row][..13], printed[..], "figure 4, row {row}");
        }
        for (y, row) in Table::Rook.grid().iter().enumerate() {
            let printed = if y == 7 { [1, 1, 1, 1, 1, 1, 1, 0] } else { [2, 2, 2, 2, 2, 2, 2, 1] };
            assert_eq!(row[..8], printed[..], "figure 5, row {y}");
            assert!(row.iter().eq(row.iter().rev()), "figure 5 is symmetric, row {y}");
        }
    }

    #[test]
    fn longest_is_the_largest_number() {
        for table in Table::ALL {
            let largest = table.grid().iter().flatten().filter(|&&n| n != BLANK).max();
            assert_eq!(largest, Some(&table.longest()), "{table:?}");
        }
    }

    #[test]
    fn rings_partition_what_the_piece_reaches() {
        for table in Table::ALL {
            for from in Square::ALL {
                for to in Square::ALL {
                    for n in 0..=8 {
                        assert_eq!(
                            table.ring(from, n).contains(to),
                            table.number(from, to) == Some(n)
                        );
                        assert_eq!(
                            table.ring(from, n).contains(to),
                            table.reversed().ring(to, n).contains(from)
                        );
                    }
                }
            }
        }
    }
}
