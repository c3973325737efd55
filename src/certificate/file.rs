//! Certificate files: written as a stream, read by the kernel's reader.
//!
//! ```text
//! theta-certificate 4\n
//! root FEN\n
//! claim White wins in N plies | Black wins in N plies | White holds | Black holds | draw
//!       | White forces the aim in N plies | Black forces the aim in N plies\n
//! node …\n                             (the nodes of φ, where the claim speaks of an aim)
//! rule NAME …\n                        (any number: proved rules that end lines, each whole)
//! note TEXT\n                          (any number; remarks, no part of the proof)
//! \n
//! section*                             (one; for a draw White's and Black's)
//! checksum                             XXH3-64 of everything before it, 8 bytes
//! ```
//! All numbers are little-endian. A section is `kind` (1 byte: `W` win, `H` hold, `S` hold up to
//! symmetry), `owner` (1 byte: `w`, `b`), and then blocks of entries: `count` (u32), `rank` (u32; 0
//! in a hold), and `count` entries, each a packed position ([`crate::chess::Packed`],
//! `10 + ⌈men/2⌉` bytes) with the owner to move and the owner's move (2 bytes; 0 where the owner is
//! stalemated). A block of count 0 and rank 0 ends the section. In a win the blocks' ranks rise
//! strictly, so a reader has checked every position an entry leads to before it meets the entry:
//! one pass, and no backward jumps. A KQK position costs 14 bytes.
//!
//! In a section `S` a position stands for all its images under the reflections that the laws do not
//! notice ([`crate::chess::Turn`]), and its answer for the answers' images. In a hold nothing
//! follows a position in which the owner cannot be mated by any sequence of moves
//! ([`crate::chess::cannot_be_mated`]).
//!
//! A line that a cited rule ends goes no further than the first position that the rule speaks of;
//! see [`crate::strategy::Rules`].
//!
//! Files of versions 1 to 3 are read as what they are in version 4: [`super::older`]. The whole
//! format: `docs/certificate.md`.

use super::closed::Closed;
use super::older::modern;
use super::rows::Rows;
use super::sealed::{MAGIC, seal, side};
use super::strategy::Moves;
use super::{Answer, Certificate, Strategy};
use crate::aim::{Aim, Goal, nodes_text};
use crate::chess::{Interner, Move, Side, Turn, fen};
use std::io::{self, Write};
use std::sync::Arc;
use theta_kernel::{Entry, FormatError, Kind, Plain, Section, steers};

/// How strategies are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// Strategies of more than 100,000 positions by slices, smaller ones with their moves.
    #[default]
    Either,
    /// With a move for each position of the owner's.
    Moves,
    /// By slices, without moves.
    Slices,
}

impl Form {
    /// The most positions of a strategy that is written with its moves.
    pub(super) fn most(self) -> usize {
        match self {
            Self::Either => 100_000,
            Self::Moves => usize::MAX,
            Self::Slices => 0,
        }
    }
}

impl Certificate {
    /// Writes the certificate, by its strategies' sizes: [`Form::Either`].
    ///
    /// # Errors
    /// The writer's.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        self.write_as(Form::Either, out)
    }

    /// Writes the certificate. Sorting takes 4 bytes an entry, by slices 24. What rules end, aims,
    /// and positions with too many men are not written by slices, whatever is asked for.
    ///
    /// # Errors
    /// The writer's.
    pub fn write_as(&self, form: Form, out: impl Write) -> io::Result<()> {
        seal(out, |out| self.write_to(out, form.most()))
    }

    fn write_to(&self, mut out: &mut impl Write, most: usize) -> io::Result<()> {
        let rules = self.cited();
        let goal =
            self.aim.as_deref().map(|text| Aim::parse(text).ok().and_then(|a| Goal::of(a).ok()));
        // An aim that cannot be checked has no nodes: its text is for whoever reads the rejection.
        let version = if matches!(goal, Some(None)) { 3 } else { 4 };
        write!(out, "{MAGIC}{version}\nroot {}\nclaim {}\n", fen(self.root()), self.claim)?;
        match (goal.flatten(), &self.aim) {
            (Some(goal), _) => {
                goal.nodes().lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
            }
            (None, Some(aim)) => writeln!(out, "aim {aim}")?,
            (None, None) => {}
        }
        for rule in rules {
            writeln!(out, "{rule}")?;
        }
        for note in &self.notes {
            let line: String =
                note.chars().map(|c| if steers(c) { ' ' } else { c }).take(1000).collect();
            writeln!(out, "note {line}")?;
        }
        writeln!(out)?;
        let ends_itself = self.aim.is_none() && self.cited().is_empty();
        for strategy in &self.strategies {
            let by_slices = ends_itself && strategy.is_longer(most);
            let rows = by_slices.then(|| Rows::of(strategy)).flatten();
            match rows {
                Some(rows) => rows.write(&mut out, strategy.wins, strategy.owner)?,
                None => write_section(&mut out, strategy)?,
            }
        }
        Ok(())
    }
}

impl Certificate {
    /// Reads a certificate into memory, by the kernel's reader. What it claims is not checked here:
    /// `verify` does that.
    ///
    /// # Errors
    /// When it is no certificate, or a damaged one.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let bytes = modern(bytes)?;
        let read = theta_kernel::Certificate::read(&bytes)?;
        let strategies = read
            .sections
            .iter()
            .map(|section| strategy(&read, section))
            .collect::<Result<_, _>>()?;
        let aim = read.aim.as_ref().map(nodes_text);
        let notes = read.notes.iter().map(|note| Plain(note).to_string()).collect();
        Ok(Self { claim: read.claim, strategies, aim, notes })
    }
}

/// A whole section.
fn strategy(
    read: &theta_kernel::Certificate<'_>,
    section: &Section,
) -> Result<Strategy, FormatError> {
    let root = read.root;
    match section.kind {
        Kind::Line => return Err(FormatError::Body("a line is no strategy")),
        Kind::Delay => return Err(FormatError::Body("a delay is no strategy")),
        Kind::Never => {
            let mut positions = Interner::new(root.men());
            for (position, _) in read.positions(section) {
                if position.len() > root.men() {
                    return Err(FormatError::Body("more men than the root has"));
                }
                positions.insert(&position);
            }
            let closed = Closed { positions, patterns: read.patterns(section).collect() };
            return Ok(Strategy::shut(root, section.owner, Arc::new(closed)));
        }
        Kind::WinBySlices | Kind::HoldBySlices => {
            let (wins, rows) = (section.kind == Kind::WinBySlices, Rows::read(read, section));
            return Ok(Strategy::of_moves(
                root,
                section.owner,
                wins,
                rows.moves(&root, section.owner, wins),
            ));
        }
        Kind::Win | Kind::Hold | Kind::Folded => {}
    }
    let (owner, folded) = (section.owner, section.kind == Kind::Folded);
    let mut moves = Moves { positions: Interner::new(root.men()), answers: Vec::new() };
    for Entry { position, play, rank, .. } in read.entries(section) {
        if position.len() > root.men() {
            return Err(FormatError::Body("more men than the root has"));
        }
        position.vector().map_err(|_| FormatError::Body("a position"))?;
        let turn = if folded { Turn::home(&position, owner) } else { Turn::NONE };
        if !moves.positions.insert(&turn.position(&position)).1 {
            return Err(FormatError::Body("a position is answered twice"));
        }
        moves.answers.push(Answer { play: play.map(|m| turn.play(m)), rank });
    }
    let strategy = Strategy::of_moves(root, owner, section.kind == Kind::Win, moves);
    let strategy = if section.kind == Kind::Hold { strategy.unfolded() } else { strategy };
    Ok(strategy.citing(read.rules.clone()))
}

fn write_section(out: &mut impl Write, strategy: &Strategy) -> io::Result<()> {
    if let Some(closed) = &strategy.closed {
        return closed.write(out, strategy.owner);
    }
    let kind = match (strategy.wins, strategy.folded) {
        (true, _) => b'W',
        (false, false) => b'H',
        (false, true) => b'S',
    };
    let Moves { positions, answers } = strategy.moves();
    write_blocks(out, kind, strategy.owner, positions, answers)
}

/// A section of positions with their answers, by rank.
pub(super) fn write_blocks(
    out: &mut impl Write,
    kind: u8,
    owner: Side,
    positions: &Interner,
    answers: &[Answer],
) -> io::Result<()> {
    out.write_all(&[kind, side(owner)])?;
    let rank = |id: u32| answers[id as usize].rank;
    let mut order: Vec<u32> = (0..answers.len() as u32).collect();
    order.sort_by_key(|&id| rank(id));
    for block in order.chunk_by(|&a, &b| rank(a) == rank(b)) {
        write_block_head(out, block.len() as u32, rank(block[0]))?;
        for &id in block {
            let mut bytes = [0; 34];
            let used = positions.at(id).write(&mut bytes);
            let play = answers[id as usize].play.map_or(0, Move::bits);
            bytes[used..used + 2].copy_from_slice(&play.to_le_bytes());
            out.write_all(&bytes[..used + 2])?;
        }
    }
    write_block_head(out, 0, 0)
}

fn write_block_head(out: &mut impl Write, count: u32, rank: u32) -> io::Result<()> {
    out.write_all(&count.to_le_bytes())?;
    out.write_all(&rank.to_le_bytes())
}
