//! A tree of opening lines as three arrays of equal length: LIB, the coded moves; SON, the index of
//! a move's first reply; BRAT, the index of its next sibling; 0 = none.
//!
//! As text, one entry a line, numbers from 1, trees begun by the word `tree`:
//!
//! ```text
//! tree
//! 1 01523 2 0
//! 2 05547 0 0
//! ```

use std::fmt;

use crate::chess::board::{Board, ChessMove};

use super::START;
use super::code::MoveCode;

/// One opening tree. Entries are numbered from 1; twelve bytes each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    lib: Vec<MoveCode>,
    son: Vec<u32>,
    brat: Vec<u32>,
}

/// Why a text is no opening library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// A line that is neither `tree` nor an entry.
    #[error(
        "line {line}: expected `tree` or an entry: number, coded move, son, brother; found `{text}`"
    )]
    Line {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// An entry with another number than its place.
    #[error("line {line}: the entry should have number {expected}")]
    Number {
        /// The line.
        line: usize,
        /// The number it should have.
        expected: u32,
    },
    /// A son or brother that is no later entry, or one that two entries name.
    #[error(
        "entry {entry} of tree {tree}: son or brother {link} is no later entry, or named twice"
    )]
    Link {
        /// The tree, from 1.
        tree: usize,
        /// The entry.
        entry: u32,
        /// The number.
        link: u32,
    },
    /// A move that is not legal where it stands.
    #[error("entry {entry} of tree {tree}: {code} is not legal there")]
    Illegal {
        /// The tree, from 1.
        tree: usize,
        /// The entry.
        entry: u32,
        /// The coded move.
        code: MoveCode,
    },
    /// There is no tree.
    #[error("there is no tree in it")]
    Empty,
}

impl Tree {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.lib.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lib.is_empty()
    }

    /// `LIB[i]`, i from 1.
    pub fn lib(&self, i: u32) -> MoveCode {
        self.lib[i as usize - 1]
    }

    /// `SON[i]`.
    pub fn son(&self, i: u32) -> u32 {
        self.son[i as usize - 1]
    }

    /// `BRAT[i]`.
    pub fn brat(&self, i: u32) -> u32 {
        self.brat[i as usize - 1]
    }

    /// The replies to move i: J(1) = SON(I), J(k) = BRAT(J(k−1)). For i = 0 the first moves.
    pub fn replies(&self, i: u32) -> impl Iterator<Item = u32> + '_ {
        let first = if i == 0 { u32::from(!self.is_empty()) } else { self.son(i) };
        std::iter::successors(Some(first).filter(|&j| j > 0), |&j| {
            Some(self.brat(j)).filter(|&j| j > 0)
        })
    }

    /// Appends an entry and gives its number; sons and brothers are linked by the caller.
    pub(super) fn push(&mut self, code: MoveCode) -> u32 {
        self.lib.push(code);
        self.son.push(0);
        self.brat.push(0);
        self.lib.len() as u32
    }

    pub(super) fn set_son(&mut self, i: u32, son: u32) {
        self.son[i as usize - 1] = son;
    }

    pub(super) fn set_brat(&mut self, i: u32, brat: u32) {
        self.brat[i as usize - 1] = brat;
    }

    /// Gives every move the best value for its replier among the replies, from the leaves up;
    /// leaves keep theirs.
    pub fn minimax(&mut self) {
        let depth = self.depths();
        // Sons and brothers come after their entry.
        for i in (1..=self.len() as u32).rev() {
            let values: Vec<i8> = self.replies(i).map(|j| self.lib(j).value).collect();
            let white_moved = depth[i as usize - 1].is_multiple_of(2);
            let best = if white_moved { values.iter().min() } else { values.iter().max() };
            if let Some(&best) = best {
                self.lib[i as usize - 1].value = best;
            }
        }
    }

    /// Plies before each entry: 0 for White's first move.
    fn depths(&self) -> Vec<u32> {
        let mut depth = vec![0; self.len()];
        for i in 1..=self.len() as u32 {
            for j in self.replies(i) {
                depth[j as usize - 1] = depth[i as usize - 1] + 1;
            }
        }
        depth
    }

    /// Calls `each` with the position before every entry, its number and its move.
    ///
    /// # Errors
    /// The number of the first entry whose move is not legal.
    pub fn walk(&self, mut each: impl FnMut(&Board, u32, &ChessMove)) -> Result<(), u32> {
        let root = Board::from_fen(START).expect("the initial position");
        let mut open: Vec<(Board, u32)> = self.replies(0).map(|j| (root.clone(), j)).collect();
        while let Some((board, i)) = open.pop() {
            let m = self.lib(i).decode(&board).ok_or(i)?;
            each(&board, i, &m);
            let after = board.after(m);
            open.extend(self.replies(i).map(|j| (after.clone(), j)));
        }
        Ok(())
    }

    /// Links must lead to later entries, each from one place, and moves must be legal.
    fn check(&self, tree: usize) -> Result<(), TreeError> {
        let mut named = vec![false; self.len() + 1];
        for entry in 1..=self.len() as u32 {
            for link in [self.son(entry), self.brat(entry)].into_iter().filter(|&link| link > 0) {
                let later = link > entry && link as usize <= self.len();
                if !later || std::mem::replace(&mut named[link as usize], true) {
                    return Err(TreeError::Link { tree, entry, link });
                }
            }
        }
        self.walk(|_, _, _| ()).map_err(|entry| TreeError::Illegal {
            tree,
            entry,
            code: self.lib(entry),
        })
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "tree")?;
        (1..=self.len() as u32)
            .try_for_each(|i| writeln!(f, "{i} {} {} {}", self.lib(i), self.son(i), self.brat(i)))
    }
}

/// `12 +11522 13 0`
fn entry(text: &str) -> Option<(u32, MoveCode, u32, u32)> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [number, code, son, brat] = words[..] else { return None };
    Some((number.parse().ok()?, code.parse().ok()?, son.parse().ok()?, brat.parse().ok()?))
}

/// Reads the trees of an opening library; `#` begins a comment.
///
/// # Errors
/// The first line, link or move that is wrong.
pub fn parse_trees(text: &str) -> Result<Vec<Tree>, TreeError> {
    let mut trees: Vec<Tree> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line_number = at + 1;
        let line = line.split('#').next().unwrap_or_default().trim();
        let wrong = || TreeError::Line { line: line_number, text: line.to_owned() };
        match line {
            "" => {}
            "tree" => trees.push(Tree::default()),
            _ => {
                let (number, code, son, brat) = entry(line).ok_or_else(wrong)?;
                let tree = trees.last_mut().ok_or_else(wrong)?;
                let expected = tree.push(code);
                if number != expected {
                    return Err(TreeError::Number { line: line_number, expected });
                }
                tree.set_son(expected, son);
                tree.set_brat(expected, brat);
            }
        }
    }
    if trees.iter().all(Tree::is_empty) {
        return Err(TreeError::Empty);
    }
    trees.iter().enumerate().try_for_each(|(at, tree)| tree.check(at + 1))?;
    Ok(trees)
}
