//! Classes by material, found by their template U(1..12), and the text of a library.
//!
//! ```text
//! # a comment
//! class KPvKP
//! 1415 4332 01407 13224 | right 0 top 0 | 4 0 1-7 1 4-8
//! ```

use crate::chess::Side;
use std::fmt;

use crate::chess::board::{Piece, Role};
use crate::tables::{Material, TableError};

use super::row::{Row, RowError};

/// The rows of one material.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The material; the first-named side is White, and is never the weaker one.
    pub material: Material,
    /// Its rows, in the order in which they are searched.
    pub rows: Vec<Row>,
}

/// Why a text is no library.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// A class with no such material.
    #[error("line {line}: {error}")]
    Material {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        error: TableError,
    },
    /// A row that is none.
    #[error("line {line}: {error}")]
    Row {
        /// The line.
        line: usize,
        /// What is wrong.
        error: RowError,
    },
    /// A row before the first class, or a word that means nothing.
    #[error("line {line}: expected `class` and a signature, found `{text}`")]
    NoClass {
        /// The line.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// A configuration that an earlier row has.
    #[error("line {line}: the configuration of this row is there already")]
    Twice {
        /// The line.
        line: usize,
    },
}

/// The men of a class in the order of its rows: White's king, White's others from the strongest,
/// then Black's.
pub fn men(material: Material) -> Vec<Piece> {
    let king = |side| Piece { side, role: Role::King };
    Side::ALL
        .into_iter()
        .flat_map(|side| {
            let others = material.list().filter(move |man| man.0 == side);
            std::iter::once(king(side))
                .chain(others.map(|(side, role)| Piece { side, role }))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The template U(1..12): the kings, queens, rooks, bishops, knights, pawns of White, then of
/// Black.
pub fn template(material: Material) -> [u8; 12] {
    const ROLES: [Role; 6] =
        [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    let mut u = [0; 12];
    for (half, side) in [Side::White, Side::Black].into_iter().enumerate() {
        for (at, role) in ROLES.into_iter().enumerate() {
            u[6 * half + at] = if role == Role::King { 1 } else { material.count(side, role) };
        }
    }
    u
}

impl Class {
    /// Its men in the order of its rows.
    pub fn men(&self) -> Vec<Piece> {
        men(self.material)
    }
}

/// Reads the classes of a library.
///
/// # Errors
/// The first line that is wrong.
pub fn parse_classes(text: &str) -> Result<Vec<Class>, LibraryError> {
    let mut classes: Vec<(Class, Vec<Piece>)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if let Some(name) = line.strip_prefix("class ") {
            let material = name
                .trim()
                .parse()
                .map_err(|error| LibraryError::Material { line: number, error })?;
            classes.push((Class { material, rows: Vec::new() }, men(material)));
            continue;
        }
        let Some((class, pieces)) = classes.last_mut() else {
            return Err(LibraryError::NoClass { line: number, text: line.to_owned() });
        };
        let row =
            Row::parse(line, pieces).map_err(|error| LibraryError::Row { line: number, error })?;
        if class.rows.iter().any(|known| same_set(known, &row, pieces)) {
            return Err(LibraryError::Twice { line: number });
        }
        class.rows.push(row);
    }
    Ok(classes.into_iter().map(|(class, _)| class).collect())
}

/// Whether two rows describe the same set.
fn same_set(a: &Row, b: &Row, pieces: &[Piece]) -> bool {
    let frame = a.frame(pieces);
    Row::configuration(&a.men).eq(Row::configuration(&b.men))
        && frame.shifts().any(|shift| a.men.iter().zip(&b.men).all(|(&l, &m)| shift.apply(l) == m))
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "class {}", self.material)?;
        let pieces = men(self.material);
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", row.text(&pieces)))
    }
}
