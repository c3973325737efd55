//! The certificate's reader: from bytes to a head, sections and entries.
//!
//! [`Certificate::read`] looks at every byte, checks the checksum, and refuses whatever the
//! document `docs/certificate.md` does not allow. It proves nothing: [`super::check`] does. The
//! work is one pass without recursion, about 5 ns an entry; every number of the file is compared
//! with what is there before it is used.

use super::aim::{Aim, AimFault, Node};
use super::checksum::xxh3_64;
use super::claim::Claim;
use super::fen::{FenFault, fen, parse_fen};
use super::legal::Side;
use super::packed::Packed;
use super::pattern::{Kings, Man, Pattern};
use super::sets::squares;
use super::text::Plain;
use super::vector::{Move, Profile, Vector};
use std::fmt;

/// What every certificate begins with; the version follows.
const MAGIC: &str = "theta-certificate ";
/// The version that is read.
const VERSION: &str = "4";
/// The most bytes of a certificate: offsets take 32 bits.
pub const MAX_BYTES: usize = u32::MAX as usize - 1;
/// The most bytes of a line of the head, its end included.
pub const MAX_LINE: usize = 1 << 16;
/// The most bytes of the head.
pub const MAX_HEAD: usize = 4 << 20;
/// The most rules and notes.
pub const MAX_LINES: usize = 1000;
/// The most rules that a certificate may cite.
pub const MAX_RULES: usize = 64;
/// The most moves of a line.
pub const MAX_MOVES: u32 = 1 << 16;
/// The most patterns of a section.
pub const MAX_PATTERNS: u32 = 1 << 16;

/// Why bytes are no certificate (`NotACertificate`, `Version`), or a damaged one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormatError {
    /// The file does not begin as a certificate does.
    NotACertificate,
    /// A certificate of another version.
    Version(String),
    /// More than [`MAX_BYTES`].
    TooLarge,
    /// A line of the head that cannot be read.
    Header(String),
    /// The root is no legal position.
    Root(FenFault),
    /// The aim is none that can be forced.
    Aim(AimFault),
    /// The file ends too early: with more bytes it might be a certificate.
    Truncated,
    /// A section, block or entry that cannot be read.
    Body(&'static str),
    /// The checksum does not fit.
    Checksum,
    /// Bytes follow the checksum.
    Trailing,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACertificate => f.write_str("not a theta certificate"),
            Self::Version(v) => write!(f, "certificate version `{}` is not read here", Plain(v)),
            Self::TooLarge => write!(f, "the certificate is larger than {MAX_BYTES} bytes"),
            Self::Header(why) => write!(f, "damaged header: {why}"),
            Self::Root(why) => write!(f, "the root is not a legal position: {why}"),
            Self::Aim(why) => write!(f, "the aim cannot be read: {why}"),
            Self::Truncated => f.write_str("the file is truncated"),
            Self::Body(why) => write!(f, "damaged body: {why}"),
            Self::Checksum => f.write_str("the checksum does not match: the file is damaged"),
            Self::Trailing => f.write_str("bytes follow the end of the certificate"),
        }
    }
}

impl std::error::Error for FormatError {}

/// What a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A winning strategy, down to mate or to the aim.
    Win,
    /// Moves with which the owner does not lose in so many plies.
    Delay,
    /// A holding strategy.
    Hold,
    /// A holding strategy in which positions stand for their images too.
    Folded,
    /// Moves of both sides that end in the owner's mating.
    Line,
    /// Positions and patterns that no legal move leaves, in which the owner is never mated.
    Never,
    /// A winning strategy down to mate: the positions after the owner's moves, by slices.
    WinBySlices,
    /// A holding strategy: the positions after the owner's moves, by slices, up to symmetry.
    HoldBySlices,
}

impl Kind {
    /// Whether a section of this kind lists positions after the owner's moves, by slices.
    pub fn is_by_slices(self) -> bool {
        matches!(self, Self::WinBySlices | Self::HoldBySlices)
    }
}

/// The head of a section, and where its entries are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// What it is.
    pub kind: Kind,
    /// Its owner.
    pub owner: Side,
    /// The number of its entries: of a line its moves, of a closed set its positions, by slices
    /// its rows.
    pub entries: u32,
    /// The number of its slices.
    pub slices: u32,
    /// The number of its patterns.
    pub patterns: u32,
    /// Where its first block begins; of a closed set, its positions; by slices, its slices.
    pub(crate) start: usize,
}

/// One entry of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The position, the owner to move. Not checked.
    pub position: Packed,
    /// The owner's move; `None` where the owner is stalemated (holding strategies only).
    pub play: Option<Move>,
    /// The rank that the file states: in a win for readers, plies to mate (or to the aim) at most,
    /// of which a checker computes its own; in a delay the plies for which it holds; 0 in a hold.
    pub rank: u32,
    /// Where the entry begins in the file.
    pub at: usize,
}

/// A certificate as read: well formed, nothing proved.
#[derive(Debug, Clone)]
pub struct Certificate<'a> {
    bytes: &'a [u8],
    /// The root position.
    pub root: Vector,
    /// The claim.
    pub claim: Claim,
    /// The aim that the claim speaks of.
    pub aim: Option<Aim>,
    /// The rules that it cites, whole. Not proved.
    pub rules: Vec<String>,
    /// The remarks; no part of the proof.
    pub notes: Vec<String>,
    /// One section; for a draw White's and Black's, for keys a win and a delay.
    pub sections: Vec<Section>,
}

impl<'a> Certificate<'a> {
    /// Reads a whole file: head, body and checksum. Of a file that is still arriving,
    /// [`FormatError::Truncated`] says that nothing is wrong so far.
    ///
    /// # Errors
    /// The first fault found.
    pub fn read(bytes: &'a [u8]) -> Result<Self, FormatError> {
        if bytes.len() > MAX_BYTES {
            return Err(FormatError::TooLarge);
        }
        let mut cursor = Cursor { bytes, at: 0 };
        let mut read = cursor.head()?;
        for _ in 0..read.claim.sections().len() {
            read.sections.push(cursor.section()?);
        }
        let body = cursor.at;
        cursor.take(8)?;
        if bytes.len() > cursor.at {
            return Err(FormatError::Trailing);
        }
        if xxh3_64(&bytes[..body]) != Some(number(&bytes[body..])) {
            return Err(FormatError::Checksum);
        }
        Ok(read)
    }

    /// The entries of a section, in the order of the file.
    pub fn entries(&self, section: &Section) -> Entries<'a> {
        let cursor = Cursor { bytes: self.bytes, at: section.start };
        Entries { cursor, left: 0, rank: 0 }
    }

    /// The moves of a line.
    pub fn line(&self, section: &Section) -> impl Iterator<Item = Option<Move>> + use<'a> {
        let mut cursor = Cursor { bytes: self.bytes, at: section.start };
        (0..section.entries).map(move |_| Move::from_bits(number(cursor.take(2).ok()?) as u16))
    }

    /// The positions of a closed set, and where each begins in the file.
    pub fn positions(&self, section: &Section) -> impl Iterator<Item = (Packed, usize)> + use<'a> {
        let mut cursor = Cursor { bytes: self.bytes, at: section.start };
        (0..section.entries).map_while(move |_| cursor.position().ok())
    }

    /// The patterns of a closed set.
    pub fn patterns(&self, section: &Section) -> impl Iterator<Item = Pattern> + use<'a> {
        let mut cursor = Cursor { bytes: self.bytes, at: section.start };
        let walked = (0..section.entries).all(|_| cursor.position().is_ok());
        let count = if walked && cursor.take(4).is_ok() { section.patterns } else { 0 };
        (0..count).map_while(move |_| cursor.pattern().ok())
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// Walks over a section's entries.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    cursor: Cursor<'a>,
    left: u32,
    rank: u32,
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        if self.left == 0 {
            (self.left, self.rank) = self.cursor.block().ok()?;
        }
        self.left = self.left.checked_sub(1)?;
        let entry = self.cursor.entry().ok()?;
        Some(Entry { rank: self.rank, ..entry })
    }
}

/// A number of up to eight bytes, little-endian.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn fault(why: impl fmt::Display) -> FormatError {
    FormatError::Header(why.to_string())
}

/// What follows the line's first word, which must be this one.
fn field<'a>(line: &'a str, name: &str) -> Result<&'a str, FormatError> {
    match line.split_once(' ') {
        Some((found, rest)) if found == name => Ok(rest),
        _ => Err(fault(format_args!("no `{name}` line"))),
    }
}

/// Bytes, and how many of them have been read.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], FormatError> {
        let taken = self.bytes[self.at..].get(..count).ok_or(FormatError::Truncated)?;
        self.at += count;
        Ok(taken)
    }

    /// A line without its end.
    fn line(&mut self) -> Result<&'a str, FormatError> {
        let rest = &self.bytes[self.at..];
        let Some(end) = rest.iter().take(MAX_LINE).position(|&b| b == b'\n') else {
            let long = rest.len() >= MAX_LINE;
            return Err(if long { fault("a line is too long") } else { FormatError::Truncated });
        };
        let line = std::str::from_utf8(&rest[..end]).map_err(|_| fault("not UTF-8"))?;
        self.at += end + 1;
        if self.at > MAX_HEAD { Err(fault("it is longer than 4 MiB")) } else { Ok(line) }
    }

    /// The head; the sections are none yet.
    fn head(&mut self) -> Result<Certificate<'a>, FormatError> {
        if self.bytes.iter().zip(MAGIC.as_bytes()).any(|(found, wanted)| found != wanted) {
            return Err(FormatError::NotACertificate);
        }
        match self.line()?.strip_prefix(MAGIC) {
            Some(VERSION) => {}
            Some(other) if other.len() < 20 => return Err(FormatError::Version(other.to_string())),
            _ => return Err(FormatError::NotACertificate),
        }
        let text = field(self.line()?, "root")?;
        let root = parse_fen(text, Profile::Fide).map_err(FormatError::Root)?;
        if fen(&root) != text {
            return Err(fault("the root is not written as four canonical fields"));
        }
        let text = field(self.line()?, "claim")?;
        let claim = Claim::read(text).ok_or_else(|| {
            let short: String = text.chars().take(60).collect();
            fault(format_args!("unknown claim `{}`", Plain(&short)))
        })?;
        let (forces, may_cite) = (claim.has_aim(), claim.may_cite());
        let (mut nodes, mut rules, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let line = self.line()?;
            match line.split_once(' ') {
                Some(("node", node)) if forces && notes.is_empty() => {
                    nodes.push(Node::read(node, nodes.len()).map_err(FormatError::Aim)?);
                }
                _ if forces && nodes.is_empty() => return Err(fault("no `node` line")),
                Some(("rule", _)) if may_cite && notes.is_empty() => rules.push(line.to_string()),
                Some(("note", note)) => notes.push(note.to_string()),
                None if line.is_empty() => break,
                _ => return Err(fault("unknown line")),
            }
            if rules.len() > MAX_RULES {
                return Err(fault(format_args!("more than {MAX_RULES} rules")));
            }
            if rules.len() + notes.len() > MAX_LINES {
                return Err(fault(format_args!("more than {MAX_LINES} rules and notes")));
            }
        }
        let aim = if forces { Some(Aim::new(nodes).map_err(FormatError::Aim)?) } else { None };
        let sections = Vec::new();
        Ok(Certificate { bytes: self.bytes, root, claim, aim, rules, notes, sections })
    }

    fn section(&mut self) -> Result<Section, FormatError> {
        let head = self.take(2)?;
        let kind = match head[0] {
            b'W' => Kind::Win,
            b'D' => Kind::Delay,
            b'H' => Kind::Hold,
            b'S' => Kind::Folded,
            b'L' => Kind::Line,
            b'N' => Kind::Never,
            b'w' => Kind::WinBySlices,
            b'h' => Kind::HoldBySlices,
            _ => return Err(FormatError::Body("unknown section")),
        };
        let owner = match head[1] {
            b'w' => Side::White,
            b'b' => Side::Black,
            _ => return Err(FormatError::Body("unknown owner")),
        };
        let mut section =
            Section { kind, owner, entries: 0, slices: 0, patterns: 0, start: self.at };
        match kind {
            Kind::Line => self.moves(&mut section)?,
            Kind::Never => self.closed(&mut section)?,
            Kind::WinBySlices | Kind::HoldBySlices => self.by_slices(&mut section)?,
            _ => self.blocks(&mut section)?,
        }
        Ok(section)
    }

    fn moves(&mut self, section: &mut Section) -> Result<(), FormatError> {
        section.entries = self.count(MAX_MOVES)?;
        section.start = self.at;
        for _ in 0..section.entries {
            let play = Move::from_bits(number(self.take(2)?) as u16);
            play.ok_or(FormatError::Body("a move"))?;
        }
        Ok(())
    }

    fn closed(&mut self, section: &mut Section) -> Result<(), FormatError> {
        section.entries = self.count(u32::MAX)?;
        section.start = self.at;
        for _ in 0..section.entries {
            self.position()?;
        }
        section.patterns = self.count(MAX_PATTERNS)?;
        for _ in 0..section.patterns {
            self.pattern()?;
        }
        Ok(())
    }

    pub(crate) fn count(&mut self, most: u32) -> Result<u32, FormatError> {
        let count = number(self.take(4)?) as u32;
        if count > most { Err(FormatError::Body("too many entries")) } else { Ok(count) }
    }

    /// A pattern: its men, each on one square or on several, and the kings.
    fn pattern(&mut self) -> Result<Pattern, FormatError> {
        let fault = || FormatError::Body("a pattern");
        let count = usize::from(self.take(1)?[0]);
        if count > 30 {
            return Err(fault());
        }
        let mut men = Vec::with_capacity(count);
        for _ in 0..count {
            let code = self.take(1)?[0];
            let squares = match code >> 7 {
                0 => 1u64.checked_shl(u32::from(self.take(1)?[0])).unwrap_or(0),
                _ => Some(number(self.take(8)?)).filter(|set| set.count_ones() > 1).unwrap_or(0),
            };
            men.push(Man { code: code & 127, squares });
        }
        let mut kings = Kings::none();
        for to_move in 0..2 {
            for white in squares(number(self.take(8)?)) {
                kings.0[to_move][white] = number(self.take(8)?);
            }
        }
        let pattern = Pattern { men, kings };
        if pattern.is_sound() { Ok(pattern) } else { Err(fault()) }
    }

    fn blocks(&mut self, section: &mut Section) -> Result<(), FormatError> {
        let ranked = matches!(section.kind, Kind::Win | Kind::Delay);
        let mut last = 0;
        loop {
            let (count, rank) = self.block()?;
            if count == 0 {
                return if rank == 0 { Ok(()) } else { Err(FormatError::Body("an empty block")) };
            }
            if ranked && rank <= last || !ranked && rank != 0 {
                return Err(FormatError::Body("ranks do not rise"));
            }
            let entries = section.entries.checked_add(count);
            section.entries = entries.ok_or(FormatError::Body("too many entries"))?;
            last = rank;
            for _ in 0..count {
                self.entry()?;
            }
        }
    }

    /// The count and the rank of a block.
    pub(crate) fn block(&mut self) -> Result<(u32, u32), FormatError> {
        let both = number(self.take(8)?);
        Ok((both as u32, (both >> 32) as u32))
    }

    /// A position, and where it begins.
    pub(crate) fn position(&mut self) -> Result<(Packed, usize), FormatError> {
        let at = self.at;
        let men = number(self.take(8)?).count_ones() as usize;
        if men > 32 {
            return Err(FormatError::Body("more than 32 men"));
        }
        self.take(Packed::bytes(men) - 8)?;
        let position = Packed::read(&self.bytes[at..]).map_err(|_| FormatError::Truncated)?.0;
        Ok((position, at))
    }

    /// An entry; its rank is its block's.
    fn entry(&mut self) -> Result<Entry, FormatError> {
        let (position, at) = self.position()?;
        let bits = number(self.take(2)?) as u16;
        let play = Move::from_bits(bits);
        if bits != 0 && play.is_none() {
            return Err(FormatError::Body("a move"));
        }
        Ok(Entry { position, play, rank: 0, at })
    }
}
