//! Positions from the command line, from EPD files and from standard input.

use super::puzzles::Columns;
use super::{Context, Exit};
use anyhow::Context as _;
use clap::Args;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use theta_chess::chess::{FenError, Operations, Position, Profile};

/// Where positions come from.
#[derive(Debug, Clone, Default, Args)]
#[group(required = true, multiple = false)]
pub struct PositionArgs {
    /// The position in FEN, counters optional, quoted or as separate words; `-` reads one per line
    /// from standard input.
    #[arg(num_args = 1.., allow_hyphen_values = false)]
    pub fen: Vec<String>,
    /// A file with a position per line (EPD or FEN); `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub epd: Option<PathBuf>,
    /// A file of puzzles as lichess publishes them (PuzzleId,FEN,Moves,…); the first move is the
    /// opponent's; `-` is standard input.
    #[arg(long, value_name = "CSV")]
    pub puzzles: Option<PathBuf>,
}

/// The most characters of a faulty FEN that a message repeats.
const MAX_SHOWN: usize = 100;

/// A FEN from the command line.
///
/// # Errors
/// The fault in the FEN, with the FEN.
pub fn read_fen(text: &str, profile: Profile) -> anyhow::Result<Position> {
    let text = text.trim_start_matches('\u{feff}');
    Position::parse(text, profile).with_context(|| match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    })
}

/// A position from the command line; a pasted line of EPD has operations besides.
fn read_words(text: &str, profile: Profile) -> anyhow::Result<(Position, Operations)> {
    match split_epd(text, profile) {
        Ok(Some(found)) => Ok(found),
        _ => Ok((read_fen(text, profile)?, Operations::default())),
    }
}

/// A position of a batch: its line number (0 for the command line's), its text, and what came of
/// it.
#[derive(Debug)]
pub struct Batch {
    /// Line in the file, from 1; `None` for a position on the command line.
    pub line: Option<u64>,
    /// The position.
    pub position: Position,
    /// What the line says besides: EPD operations.
    pub operations: Operations,
}

impl PositionArgs {
    /// Whether positions are read from a file or from standard input.
    pub fn are_many(&self) -> bool {
        self.epd.is_some() || self.puzzles.is_some() || self.fen.as_slice() == ["-"]
    }

    /// Calls `each` for every position; a bad line is reported with its number, and the batch goes
    /// on.
    ///
    /// # Errors
    /// A file that cannot be opened, or the first error of `each`.
    pub fn for_each(
        &self,
        context: &Context,
        profile: Profile,
        mut each: impl FnMut(&Batch) -> anyhow::Result<Exit>,
    ) -> anyhow::Result<Exit> {
        let file = match (&self.epd, &self.puzzles, self.fen.as_slice()) {
            (Some(path), ..) | (_, Some(path), _) => path,
            (.., words) if words == ["-"] => Path::new("-"),
            (.., words) => {
                let (position, operations) = read_words(&words.join(" "), profile)?;
                context.remark_on(&position);
                return each(&Batch { line: None, position, operations });
            }
        };
        let mut lines = Lines { reader: open(file)?, number: 0 };
        let mut positions = 0_u64;
        let mut columns = self.puzzles.is_some().then(Columns::default);
        let mut exit = Exit::Yes;
        while let Some(line) = lines.next()? {
            let parsed = line.map_err(anyhow::Error::from).and_then(|text| match &mut columns {
                Some(columns) => read_puzzle(&text, columns),
                None => Ok(split_epd(&text, profile)?),
            });
            let this = match parsed {
                Ok(None) => continue,
                Ok(Some((position, operations))) => {
                    positions += 1;
                    context.turn_to(lines.number, &position);
                    context.remark_on(&position);
                    each(&Batch { line: Some(lines.number), position, operations })?
                }
                Err(error) => {
                    positions += 1;
                    context.error(&format!("line {}: {error:#}", lines.number));
                    Exit::BadInput
                }
            };
            exit = exit.worst(this);
            if context.interrupted() {
                return Ok(Exit::Interrupted);
            }
        }
        anyhow::ensure!(positions > 0, "{}: no position in it", file.display());
        Ok(exit)
    }
}

/// Calls `each` for every position of a file of EPD lines that is to be whole: the first line with a fault
/// ends it.
///
/// # Errors
/// A file that cannot be read or has no position in it, and a faulty line, with its number.
pub(super) fn each_line(
    path: &Path,
    profile: Profile,
    mut each: impl FnMut(&Position, &Operations) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut lines = Lines { reader: open(path)?, number: 0 };
    let mut positions = 0_u64;
    while let Some(line) = lines.next().with_context(|| path.display().to_string())? {
        let read = line.map_err(anyhow::Error::from).and_then(|text| {
            let Some((position, operations)) = split_epd(&text, profile)? else { return Ok(0) };
            each(&position, &operations).map(|()| 1)
        });
        positions += read.with_context(|| format!("{}, line {}", path.display(), lines.number))?;
    }
    anyhow::ensure!(positions > 0, "{}: no position in it", path.display());
    Ok(())
}

/// A file to read, or standard input.
fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let name = || path.display().to_string();
    let file = File::open(path).with_context(name)?;
    anyhow::ensure!(
        !file.metadata().with_context(name)?.is_dir(),
        "{} is a directory",
        path.display()
    );
    Ok(Box::new(BufReader::new(file)))
}

/// A puzzle's position; `None` for an empty line, a comment, and a header, which sets the columns.
fn read_puzzle(
    text: &str,
    columns: &mut Columns,
) -> anyhow::Result<Option<(Position, Operations)>> {
    if text.trim().is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    match Columns::of_header(text) {
        Some(named) => *columns = named,
        None => return Ok(Some(columns.read(text)?)),
    }
    Ok(None)
}

/// A line that is too long or not UTF-8.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error("longer than 64 KiB")]
    TooLong,
    #[error("not UTF-8")]
    NotUtf8,
}

struct Lines {
    reader: Box<dyn BufRead>,
    number: u64,
}

const MAX_LINE: usize = 1 << 16;

/// What some editors put before UTF-8 text.
pub(super) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl Lines {
    /// The next line, in bounded memory.
    fn next(&mut self) -> io::Result<Option<Result<String, LineError>>> {
        let mut bytes = Vec::new();
        let mut too_long = false;
        loop {
            let available = self.reader.fill_buf()?;
            if available.is_empty() {
                if bytes.is_empty() && !too_long {
                    return Ok(None);
                }
                break;
            }
            let end = available.iter().position(|&b| b == b'\n');
            let taken = end.unwrap_or(available.len());
            if bytes.len() + taken > MAX_LINE {
                too_long = true;
            } else {
                bytes.extend_from_slice(&available[..taken]);
            }
            let used = taken + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.number += 1;
        if self.number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Some(if too_long {
            Err(LineError::TooLong)
        } else {
            String::from_utf8(bytes).map_err(|_| LineError::NotUtf8)
        }))
    }
}

/// A position and the operations of its line; `None` for an empty line or a comment. The FEN may
/// have its two counters; then EPD operations follow.
fn split_epd(line: &str, profile: Profile) -> Result<Option<(Position, Operations)>, FenError> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let mut rest = line;
    let mut fields = Vec::new();
    while fields.len() < 6 {
        let trimmed = rest.trim_start();
        let end = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        let field = &trimmed[..end];
        let counter = !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit());
        if field.is_empty() || fields.len() >= 4 && !counter {
            break;
        }
        // An EPD writer may set the en-passant field directly before the operations' semicolon.
        fields.push(field.trim_end_matches([';', ',']));
        rest = &trimmed[end..];
    }
    let position = Position::parse(&fields.join(" "), profile)?;
    Ok(Some((position, Operations::parse(rest))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epd_lines_are_split() {
        let split = |line| split_epd(line, Profile::Fide).unwrap().unwrap().1;
        assert_eq!(
            split("4k3/8/8/8/8/8/8/4K2R w K - dm 3; id \"x\";"),
            Operations::parse("dm 3; id \"x\";")
        );
        assert_eq!(split("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), Operations::default());
        assert_eq!(split("4k3/8/8/8/8/8/8/4K2R w K -; am Nxb6"), Operations::parse("am Nxb6"));
        assert!(split_epd("  # comment", Profile::Fide).unwrap().is_none());
        assert!(split_epd("4k3/8/8 w", Profile::Fide).is_err());
    }
}
