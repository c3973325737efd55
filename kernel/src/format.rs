//! The certificate's reader: from bytes to a head, sections and entries.
//!
//! [`Certificate::read`] looks at every byte, checks the checksum, and refuses whatever the
//! document `docs/certificate.md` does not allow. It proves nothing: [`super::check`] does. The
//! work is one pass without recursion, about 5 ns an entry; every number of the file is compared
//! with what is there before it is used.

use super::aim::{Aim, AimFault, Node};
use super::checksum::xxh3_64;
use super::claim::Claim;
use super::fen::{FenError, fen, parse_fen};
use super::legal::Side;
use super::packed::Packed;
use super::text::Plain;
use super::vector::{Move, Profile, Vector};
use std::fmt;

/// What every certificate begins with; the version follows.
const MAGIC: &str = "theta-certificate ";
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
    Root(FenError),
    /// The aim is none that can be forced.
    Aim(AimFault),
    /// The file ends too early.
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
            Self::Version(v) => {
                let v = Plain(v);
                write!(f, "certificate version `{v}` is not supported (1 to 4 are read)")
            }
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

/// The aim as the head states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stated {
    /// Versions 1 to 3: `AF φ` as text, which the kernel does not read.
    Text(String),
    /// Version 4: the nodes of φ.
    Nodes(Aim),
}

/// The head of a section, and where its entries are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// Whether it is a winning strategy, down to mate or to the aim (else a holding one).
    pub wins: bool,
    /// Whether positions stand for their images too (holding strategies only).
    pub folded: bool,
    /// Its owner.
    pub owner: Side,
    /// The number of its entries.
    pub entries: u32,
    /// Where its first block begins.
    start: usize,
}

/// One entry of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The position, the owner to move. Not checked.
    pub position: Packed,
    /// The owner's move; `None` where the owner is stalemated (holding strategies only).
    pub play: Option<Move>,
    /// The rank that the file states, for readers: plies to mate (or to the aim) at most; 0 in a
    /// hold. A checker computes its own.
    pub rank: u32,
    /// Where the entry begins in the file.
    pub at: usize,
}

/// A certificate as read: well formed, nothing proved.
#[derive(Debug, Clone)]
pub struct Certificate<'a> {
    bytes: &'a [u8],
    /// 1 to 4.
    pub version: u8,
    /// The root position.
    pub root: Vector,
    /// The claim.
    pub claim: Claim,
    /// The aim that the claim speaks of.
    pub aim: Option<Stated>,
    /// The rules that it cites, whole. Not proved.
    pub rules: Vec<String>,
    /// The remarks; no part of the proof.
    pub notes: Vec<String>,
    /// One section, or for a draw White's and Black's.
    pub sections: Vec<Section>,
}

impl<'a> Certificate<'a> {
    /// Reads a whole file: head, body and checksum.
    ///
    /// # Errors
    /// The first fault found.
    pub fn read(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let mut reader = Reader::default();
        if !reader.advance(bytes)? {
            return Err(FormatError::Truncated);
        }
        let body = bytes.len() - 8;
        if xxh3_64(&bytes[..body]) != Some(word(bytes, body)) {
            return Err(FormatError::Checksum);
        }
        let Reader {
            head: Head { version, root, claim, aim, nodes, rules, notes }, sections, ..
        } = reader;
        let (Some(root), Some(claim)) = (root, claim) else { return Err(FormatError::Truncated) };
        let aim = match (aim, nodes.is_empty()) {
            (Some(text), _) => Some(Stated::Text(text)),
            (None, true) => None,
            (None, false) => Some(Stated::Nodes(Aim::new(nodes).map_err(FormatError::Aim)?)),
        };
        Ok(Self { bytes, version, root, claim, aim, rules, notes, sections })
    }

    /// The entries of a section, in the order of the file.
    pub fn entries(&self, section: &Section) -> Entries<'a> {
        Entries { bytes: self.bytes, at: section.start, left: 0, rank: 0 }
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// Walks over a section's entries.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    bytes: &'a [u8],
    at: usize,
    left: u32,
    rank: u32,
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        if self.left == 0 {
            (self.left, self.rank) = block_head(self.bytes, self.at)?;
            self.at += 8;
            if self.left == 0 {
                return None;
            }
        }
        let (position, used) = Packed::read(self.bytes.get(self.at..)?).ok()?;
        let bits = half(self.bytes, self.at + used)?;
        let entry = Entry { position, play: Move::from_bits(bits), rank: self.rank, at: self.at };
        self.left -= 1;
        self.at += used + 2;
        Some(entry)
    }
}

/// Eight bytes at a place that is there.
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_le_bytes(*b))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|b| u16::from_le_bytes(*b))
}

/// The count and the rank of a block.
fn block_head(bytes: &[u8], at: usize) -> Option<(u32, u32)> {
    let eight: &[u8; 8] = bytes.get(at..)?.first_chunk()?;
    let number = u64::from_le_bytes(*eight);
    Some((number as u32, (number >> 32) as u32))
}

/// What comes next in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Magic,
    Root,
    Claim,
    Aim,
    Lines,
    Section,
    Block,
    Entries(u32),
    Checksum,
    Done,
}

/// The head as far as it has been read.
#[derive(Debug, Default)]
struct Head {
    version: u8,
    root: Option<Vector>,
    claim: Option<Claim>,
    aim: Option<String>,
    nodes: Vec<Node>,
    rules: Vec<String>,
    notes: Vec<String>,
}

/// Reads a certificate as it arrives: a file that cannot become one is refused at the first byte
/// that shows it.
#[derive(Debug, Default)]
pub struct Reader {
    stage: Stage,
    at: usize,
    rank: u32,
    head: Head,
    sections: Vec<Section>,
}

/// What a step needs: more bytes, or the next step.
type Step = Result<bool, FormatError>;

impl Reader {
    /// Looks at the bytes so far: those of the last call, and what has come since. Whether the
    /// certificate is complete.
    ///
    /// # Errors
    /// The first fault found, also bytes after the end.
    pub fn advance(&mut self, bytes: &[u8]) -> Result<bool, FormatError> {
        if bytes.len() > MAX_BYTES {
            return Err(FormatError::TooLarge);
        }
        while self.stage != Stage::Done {
            let more = match self.stage {
                Stage::Section => self.section(bytes)?,
                Stage::Block => self.block(bytes)?,
                Stage::Entries(left) => self.entries(bytes, left)?,
                Stage::Checksum => self.take(bytes, 8, Stage::Done),
                _ => self.line(bytes)?,
            };
            if !more {
                return Ok(false);
            }
        }
        if bytes.len() > self.at { Err(FormatError::Trailing) } else { Ok(true) }
    }

    /// The positions of the sections so far: what [`super::check`] will look at, at least.
    pub fn entries_so_far(&self) -> u64 {
        self.sections.iter().map(|section| u64::from(section.entries)).sum()
    }

    fn take(&mut self, bytes: &[u8], count: usize, next: Stage) -> bool {
        let there = bytes.len() - self.at >= count;
        if there {
            (self.at, self.stage) = (self.at + count, next);
        }
        there
    }

    fn line(&mut self, bytes: &[u8]) -> Step {
        let rest = &bytes[self.at..];
        if self.stage == Stage::Magic {
            let common = rest.len().min(MAGIC.len());
            if rest[..common] != MAGIC.as_bytes()[..common] {
                return Err(FormatError::NotACertificate);
            }
        }
        let Some(end) = rest.iter().take(MAX_LINE).position(|&b| b == b'\n') else {
            return if rest.len() < MAX_LINE {
                Ok(false)
            } else {
                Err(fault("a line is too long"))
            };
        };
        let line = std::str::from_utf8(&rest[..end]).map_err(|_| fault("not UTF-8"))?;
        self.at += end + 1;
        if self.at > MAX_HEAD {
            return Err(fault("it is longer than 4 MiB"));
        }
        self.stage = match self.stage {
            Stage::Magic => self.head.magic(line)?,
            Stage::Root => self.head.root(field(line, "root")?)?,
            Stage::Claim => self.head.claim(field(line, "claim")?)?,
            Stage::Aim if self.head.version < 4 => {
                self.head.aim = Some(field(line, "aim")?.to_string());
                Stage::Lines
            }
            Stage::Aim => self.head.node(field(line, "node")?)?,
            _ => self.head.line(line)?,
        };
        Ok(true)
    }

    fn section(&mut self, bytes: &[u8]) -> Step {
        let Some(&[kind, owner]) = bytes[self.at..].first_chunk() else { return Ok(false) };
        let (wins, folded) = match kind {
            b'W' => (true, false),
            b'H' => (false, false),
            b'S' => (false, true),
            _ => return Err(FormatError::Body("unknown section")),
        };
        let owner = match owner {
            b'w' => Side::White,
            b'b' => Side::Black,
            _ => return Err(FormatError::Body("unknown owner")),
        };
        (self.at, self.rank, self.stage) = (self.at + 2, 0, Stage::Block);
        self.sections.push(Section { wins, folded, owner, entries: 0, start: self.at });
        Ok(true)
    }

    fn block(&mut self, bytes: &[u8]) -> Step {
        let Some((count, rank)) = block_head(bytes, self.at) else { return Ok(false) };
        let wanted = if self.head.claim == Some(Claim::Draw) { 2 } else { 1 };
        let count_of = self.sections.len();
        let Some(section) = self.sections.last_mut() else { return Ok(false) };
        self.at += 8;
        if count == 0 {
            if rank != 0 {
                return Err(FormatError::Body("an empty block"));
            }
            self.stage = if count_of < wanted { Stage::Section } else { Stage::Checksum };
            return Ok(true);
        }
        if section.wins && rank <= self.rank || !section.wins && rank != 0 {
            return Err(FormatError::Body("ranks do not rise"));
        }
        section.entries =
            section.entries.checked_add(count).ok_or(FormatError::Body("too many entries"))?;
        (self.rank, self.stage) = (rank, Stage::Entries(count));
        Ok(true)
    }

    fn entries(&mut self, bytes: &[u8], mut left: u32) -> Step {
        while left > 0 {
            let rest = &bytes[self.at..];
            let Some(occupied) = rest.first_chunk() else { break };
            let men = u64::from_le_bytes(*occupied).count_ones() as usize;
            if men > 32 {
                return Err(FormatError::Body("more than 32 men"));
            }
            let Some(bits) = half(rest, Packed::bytes(men)) else { break };
            if bits != 0 && Move::from_bits(bits).is_none() {
                return Err(FormatError::Body("a move"));
            }
            (self.at, left) = (self.at + Packed::bytes(men) + 2, left - 1);
        }
        self.stage = if left > 0 { Stage::Entries(left) } else { Stage::Block };
        Ok(left == 0)
    }
}

fn fault(why: &str) -> FormatError {
    FormatError::Header(why.to_string())
}

/// What follows the line's first word, which must be this one.
fn field<'a>(line: &'a str, name: &str) -> Result<&'a str, FormatError> {
    match line.split_once(' ') {
        Some((found, rest)) if found == name => Ok(rest),
        _ => Err(FormatError::Header(format!("no `{name}` line"))),
    }
}

impl Head {
    fn magic(&mut self, line: &str) -> Result<Stage, FormatError> {
        let version = line.strip_prefix(MAGIC).ok_or(FormatError::NotACertificate)?;
        self.version = match version {
            "1" => 1,
            "2" => 2,
            "3" => 3,
            "4" => 4,
            _ if version.len() < 20 => return Err(FormatError::Version(version.to_string())),
            _ => return Err(FormatError::NotACertificate),
        };
        Ok(Stage::Root)
    }

    fn root(&mut self, text: &str) -> Result<Stage, FormatError> {
        let root = parse_fen(text, Profile::Fide).map_err(FormatError::Root)?;
        if fen(&root) != text {
            return Err(fault("the root is not written as four canonical fields"));
        }
        self.root = Some(root);
        Ok(Stage::Claim)
    }

    fn claim(&mut self, text: &str) -> Result<Stage, FormatError> {
        let Some(claim) = Claim::read(text) else {
            let short: String = text.chars().take(60).collect();
            return Err(FormatError::Header(format!("unknown claim `{}`", Plain(&short))));
        };
        self.claim = Some(claim);
        Ok(if matches!(claim, Claim::Forces(..)) { Stage::Aim } else { Stage::Lines })
    }

    fn node(&mut self, text: &str) -> Result<Stage, FormatError> {
        let node = Node::read(text, self.nodes.len()).map_err(FormatError::Aim)?;
        self.nodes.push(node);
        Ok(Stage::Lines)
    }

    /// A line after the claim or the aim; the empty one ends the head.
    fn line(&mut self, line: &str) -> Result<Stage, FormatError> {
        let of_aim = matches!(self.claim, Some(Claim::Forces(..)));
        match line.split_once(' ') {
            None if line.is_empty() => return Ok(Stage::Section),
            Some(("node", text)) if !self.nodes.is_empty() && self.notes.is_empty() => {
                return self.node(text);
            }
            Some(("rule", _)) if self.version >= 3 && !of_aim && self.notes.is_empty() => {
                self.rules.push(line.to_string());
            }
            Some(("note", text)) => self.notes.push(text.to_string()),
            _ => return Err(fault("unknown line")),
        }
        if self.rules.len() > MAX_RULES {
            return Err(FormatError::Header(format!("more than {MAX_RULES} rules")));
        }
        if self.rules.len() + self.notes.len() > MAX_LINES {
            return Err(FormatError::Header(format!("more than {MAX_LINES} rules and notes")));
        }
        Ok(Stage::Lines)
    }
}
