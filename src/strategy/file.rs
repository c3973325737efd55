//! Certificate files: written and read as a stream.
//!
//! ```text
//! theta-certificate 3\n
//! root FEN\n
//! claim White wins in N plies | Black wins in N plies | White holds | Black holds | draw
//!       | White forces the aim in N plies | Black forces the aim in N plies\n
//! aim AF φ\n                           (where the claim speaks of one, else no such line)
//! rule NAME …\n                        (any number: proved rules that end lines, each whole)
//! note TEXT\n                          (any number; remarks, no part of the proof)
//! \n
//! section*                             (one; for a draw White's and Black's)
//! checksum                             XXH3-64 of everything before it, 8 bytes
//! ```
//! All numbers are little-endian. A section is `kind` (1 byte: `W` win, `H` hold, `S` hold up to
//! symmetry), `owner` (1 byte: `w`, `b`), and then blocks of entries: `count` (u32), `rank` (u32; 0
//! in a hold), and `count` entries, each a packed position ([`Packed`], `10 + ⌈men/2⌉` bytes) with
//! the owner to move and the owner's move (2 bytes; 0 where the owner is stalemated). A block of
//! count 0 and rank 0 ends the section. In a win the blocks' ranks rise strictly, so a reader has
//! checked every position an entry leads to before it meets the entry: one pass, and no backward
//! jumps. A KQK position costs 14 bytes.
//!
//! In a section `S` a position stands for all its images under the reflections that the laws do not
//! notice ([`crate::chess::Turn`]), and its answer for the answers' images. In a hold nothing
//! follows a position in which the owner cannot be mated by any sequence of moves
//! ([`super::cannot_be_mated`]).
//!
//! A line that a cited rule ends goes no further than the first position that the rule speaks of;
//! see [`super::Rules`].
//!
//! Version 2 had no rules, and is still written where none is cited. Version 1 had no sections `S`,
//! and only the bare king ended a line. Both are still read.

use super::{Answer, Certificate, Claim, Strategy};
use crate::chess::{FenError, Interner, Move, Packed, Profile, Side, Vector, fen, parse_fen};
use std::io::{self, BufRead, Read, Write};
use xxhash_rust::xxh3::Xxh3;

const MAGIC: &str = "theta-certificate ";
/// With rules, and without.
const VERSIONS: [&str; 2] = ["3", "2"];
const MAX_HEADER_LINE: u64 = 1 << 16;
const MAX_HEADER_LINES: usize = 1000;

/// Why a file is no certificate of this version (`NotACertificate`, `Version`), or a damaged one.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The file does not begin as a certificate does.
    #[error("not a theta certificate")]
    NotACertificate,
    /// A certificate of another version.
    #[error("certificate version `{0}` is not supported (this program reads 1 to 3)")]
    Version(String),
    /// A header line that cannot be read.
    #[error("damaged header: {0}")]
    Header(String),
    /// The root is no legal position.
    #[error("the root is not a legal position: {0}")]
    Root(#[from] FenError),
    /// The file ends too early.
    #[error("the file is truncated")]
    Truncated,
    /// A section, block or entry that cannot be read.
    #[error("damaged body: {0}")]
    Body(&'static str),
    /// The checksum does not fit.
    #[error("the checksum does not match: the file is damaged")]
    Checksum,
    /// Bytes follow the checksum.
    #[error("bytes follow the end of the certificate")]
    Trailing,
    /// The operating system's error.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for FormatError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::Truncated } else { Self::Io(error) }
    }
}

/// Hashes what passes through it.
struct Hashing<T> {
    inner: T,
    hash: Xxh3,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.hash.update(&bytes[..n]);
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(out)?;
        self.hash.update(&out[..n]);
        Ok(n)
    }
}

impl Certificate {
    /// Writes the certificate. Sorting the entries by rank takes 4 bytes an entry.
    ///
    /// # Errors
    /// The writer's.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut out = Hashing { inner: out, hash: Xxh3::new() };
        let rules = self.cited();
        let version = VERSIONS[usize::from(rules.is_empty())];
        write!(out, "{MAGIC}{version}\nroot {}\nclaim {}\n", fen(self.root()), self.claim)?;
        if let Some(aim) = &self.aim {
            writeln!(out, "aim {aim}")?;
        }
        for rule in rules {
            writeln!(out, "{rule}")?;
        }
        for note in &self.notes {
            let line: String =
                note.chars().map(|c| if c.is_control() { ' ' } else { c }).take(1000).collect();
            writeln!(out, "note {line}")?;
        }
        writeln!(out)?;
        for strategy in &self.strategies {
            write_section(&mut out, strategy)?;
        }
        let sum = out.hash.digest();
        out.inner.write_all(&sum.to_le_bytes())?;
        out.flush()
    }
}

impl Certificate {
    /// Reads a certificate into memory. What it claims is not checked here: `verify` does that.
    ///
    /// # Errors
    /// When it is no certificate, or a damaged one.
    pub fn read(input: impl BufRead) -> Result<Self, FormatError> {
        let (mut reader, Header { root, claim, aim, rules, notes }) = Reader::open(input)?;
        let sections = if claim == Claim::Draw { 2 } else { 1 };
        let strategies =
            (0..sections).map(|_| reader.strategy(root, &rules)).collect::<Result<_, _>>()?;
        reader.finish()?;
        Ok(Self { claim, strategies, aim, notes })
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads a whole section.
    fn strategy(&mut self, root: Vector, rules: &[String]) -> Result<Strategy, FormatError> {
        let section = self.section()?;
        let mut strategy = Strategy {
            root,
            owner: section.owner,
            wins: section.wins,
            folded: section.folded,
            positions: Interner::new(root.men()),
            answers: Vec::new(),
            cited: rules.to_vec(),
        };
        while let Some(Record { position, answer }) = self.entry(section)? {
            if position.len() > root.men() {
                return Err(FormatError::Body("more men than the root has"));
            }
            let turn = strategy.turn(&position);
            if !strategy.positions.insert(&turn.position(&position)).1 {
                return Err(FormatError::Body("a position is answered twice"));
            }
            strategy.answers.push(Answer { play: answer.play.map(|m| turn.play(m)), ..answer });
        }
        Ok(strategy)
    }
}

fn write_section(out: &mut impl Write, strategy: &Strategy) -> io::Result<()> {
    let owner = if strategy.owner == Side::White { b'w' } else { b'b' };
    let kind = match (strategy.wins, strategy.folded) {
        (true, _) => b'W',
        (false, false) => b'H',
        (false, true) => b'S',
    };
    out.write_all(&[kind, owner])?;
    let mut order: Vec<u32> = (0..strategy.answers.len() as u32).collect();
    order.sort_by_key(|&id| strategy.answers[id as usize].rank);
    for block in order
        .chunk_by(|&a, &b| strategy.answers[a as usize].rank == strategy.answers[b as usize].rank)
    {
        write_block_head(out, block.len() as u32, strategy.answers[block[0] as usize].rank)?;
        for &id in block {
            let mut bytes = [0; 34];
            let used = strategy.positions.at(id).write(&mut bytes);
            let play = strategy.answers[id as usize].play.map_or(0, Move::bits);
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

/// The head of a certificate.
#[derive(Debug, Clone)]
pub struct Header {
    /// The root position.
    pub root: Vector,
    /// The claim.
    pub claim: Claim,
    /// The aim it speaks of, as text.
    pub aim: Option<String>,
    /// The rules that it cites, whole. Not proved yet.
    pub rules: Vec<String>,
    /// The remarks.
    pub notes: Vec<String>,
}

/// The head of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// Whether it is a winning strategy, down to mate or to the aim (else a holding one).
    pub wins: bool,
    /// Whether positions stand for their images too (holding strategies only).
    pub folded: bool,
    /// Its owner.
    pub owner: Side,
}

/// One entry of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The position, the owner to move.
    pub position: Packed,
    /// The owner's answer there.
    pub answer: Answer,
}

/// Reads a certificate as a stream; holds no more than one entry.
pub struct Reader<R> {
    input: Hashing<R>,
    left_in_block: u32,
    rank: u32,
}

impl<R: BufRead> Reader<R> {
    /// Reads the head.
    ///
    /// # Errors
    /// When it is no certificate, or its head is damaged.
    pub fn open(input: R) -> Result<(Self, Header), FormatError> {
        let mut reader =
            Self { input: Hashing { inner: input, hash: Xxh3::new() }, left_in_block: 0, rank: 0 };
        let magic = reader.line().map_err(|e| {
            if matches!(e, FormatError::Io(_)) { e } else { FormatError::NotACertificate }
        })?;
        match magic.strip_prefix(MAGIC) {
            Some("1" | "2" | "3") => {}
            Some(version) if version.len() < 20 => {
                return Err(FormatError::Version(version.to_string()));
            }
            _ => return Err(FormatError::NotACertificate),
        }
        let root = parse_fen(reader.field("root")?.as_str(), Profile::Fide)?;
        let claim = parse_claim(&reader.field("claim")?)?;
        let aim = if let Claim::Forces(..) = claim { Some(reader.field("aim")?) } else { None };
        let with_rules = magic.ends_with(VERSIONS[0]) && aim.is_none();
        let (mut rules, mut notes) = (Vec::new(), Vec::new());
        loop {
            let line = reader.line()?;
            match line.split_once(' ') {
                None if line.is_empty() => {
                    return Ok((reader, Header { root, claim, aim, rules, notes }));
                }
                Some(("rule", _)) if with_rules && notes.is_empty() => rules.push(line),
                Some(("note", text)) => notes.push(text.to_string()),
                _ => return Err(FormatError::Header("unknown line".into())),
            }
            if rules.len() + notes.len() > MAX_HEADER_LINES {
                return Err(FormatError::Header("too many lines".into()));
            }
        }
    }

    fn line(&mut self) -> Result<String, FormatError> {
        let mut bytes = Vec::new();
        (&mut self.input.inner).take(MAX_HEADER_LINE).read_until(b'\n', &mut bytes)?;
        self.input.hash.update(&bytes);
        if bytes.pop() != Some(b'\n') {
            return Err(if bytes.len() + 1 < MAX_HEADER_LINE as usize {
                FormatError::Truncated
            } else {
                FormatError::Header("a line is too long".into())
            });
        }
        String::from_utf8(bytes).map_err(|_| FormatError::Header("not UTF-8".into()))
    }

    fn field(&mut self, name: &str) -> Result<String, FormatError> {
        let line = self.line()?;
        match line.split_once(' ') {
            Some((found, rest)) if found == name => Ok(rest.to_string()),
            _ => Err(FormatError::Header(format!("no `{name}` line"))),
        }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads the head of the next section.
    ///
    /// # Errors
    /// A damaged file.
    pub fn section(&mut self) -> Result<Section, FormatError> {
        let [kind, owner] = self.bytes()?;
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
        (self.left_in_block, self.rank) = (0, 0);
        Ok(Section { wins, folded, owner })
    }

    /// Reads the next entry of the section, `None` at its end.
    ///
    /// # Errors
    /// A damaged file.
    pub fn entry(&mut self, section: Section) -> Result<Option<Record>, FormatError> {
        if self.left_in_block == 0 {
            let count = u32::from_le_bytes(self.bytes()?);
            let rank = u32::from_le_bytes(self.bytes()?);
            if count == 0 {
                return if rank == 0 { Ok(None) } else { Err(FormatError::Body("an empty block")) };
            }
            if section.wins && rank <= self.rank || !section.wins && (rank != 0 || self.rank != 0) {
                return Err(FormatError::Body("ranks do not rise"));
            }
            (self.left_in_block, self.rank) = (count, rank);
        }
        self.left_in_block -= 1;
        let occupied: [u8; 8] = self.bytes()?;
        let men = u64::from_le_bytes(occupied).count_ones() as usize;
        if men > 32 {
            return Err(FormatError::Body("more than 32 men"));
        }
        let mut bytes = [0; 34];
        let end = Packed::bytes(men);
        bytes[..8].copy_from_slice(&occupied);
        self.input.read_exact(&mut bytes[8..end + 2])?;
        let (position, _) =
            Packed::read(&bytes[..end]).map_err(|_| FormatError::Body("a position"))?;
        let play = match u16::from_le_bytes([bytes[end], bytes[end + 1]]) {
            0 => None,
            bits => Some(Move::from_bits(bits).ok_or(FormatError::Body("a move"))?),
        };
        Ok(Some(Record { position, answer: Answer { play, rank: self.rank } }))
    }

    /// Checks the checksum and that nothing follows.
    ///
    /// # Errors
    /// A damaged file.
    pub fn finish(mut self) -> Result<(), FormatError> {
        let computed = self.input.hash.digest();
        let mut sum = [0; 8];
        self.input.inner.read_exact(&mut sum)?;
        if u64::from_le_bytes(sum) != computed {
            return Err(FormatError::Checksum);
        }
        if self.input.inner.fill_buf()?.is_empty() { Ok(()) } else { Err(FormatError::Trailing) }
    }
}

fn parse_claim(text: &str) -> Result<Claim, FormatError> {
    let words: Vec<&str> = text.split(' ').collect();
    let side = |word: &str| match word {
        "White" => Some(Side::White),
        "Black" => Some(Side::Black),
        _ => None,
    };
    let claim = match words[..] {
        ["draw"] => Some(Claim::Draw),
        [who, "holds"] => side(who).map(Claim::Holds),
        [who, "wins", "in", plies, "plies"] => {
            side(who).and_then(|s| plies.parse().ok().map(|plies| Claim::Wins(s, plies)))
        }
        [who, "forces", "the", "aim", "in", plies, "plies"] => {
            side(who).and_then(|s| plies.parse().ok().map(|plies| Claim::Forces(s, plies)))
        }
        _ => None,
    };
    claim.ok_or_else(|| FormatError::Header(format!("unknown claim `{text}`")))
}
