//! Where problems come from: positions and lines of EPD, Popeye's input, games in PGN.

use super::Posed;
use crate::cli::input::{Batch, read_fen};
use anyhow::{Context as _, anyhow, ensure};
use pgn_reader::{RawTag, Reader, Skip, Visitor};
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use theta_chess::chess::{Position, Profile};
use theta_chess::problem::{Diagram, Edit, Stipulation, castling_of, popeye};

/// The most bytes of a file of problems that are read.
const MOST: u64 = 64 << 20;

/// A problem, or what is wrong with it and where.
pub type Found = Result<Posed, (String, anyhow::Error)>;

/// The problem of a line with its twins; `default` is what is asked for where the line does not say.
///
/// # Errors
/// What is wrong with the line's operations.
pub fn of_line(
    batch: &Batch,
    default: Option<Stipulation>,
    intended: usize,
    twins: &[Edit],
) -> anyhow::Result<Vec<Posed>> {
    let operations = &batch.operations;
    let own = operations.operands("stip").map(|words| words.concat());
    let own = own.map(|text| text.parse()).transpose()?;
    let stipulation = own
        .or(default)
        .ok_or_else(|| anyhow!("no stipulation: give --stip, such as --stip '#2'"))?;
    let intended = match operations.operands("sols") {
        None => intended,
        Some(words) => {
            let count = words.concat().parse().ok().filter(|&count| count > 0);
            count.ok_or_else(|| anyhow!("`sols {}` is no number of solutions", words.concat()))?
        }
    };
    let mut edits = twins.to_vec();
    for (opcode, words) in operations.iter().filter(|(opcode, _)| *opcode == "twin") {
        let read = words.join(" ").parse::<Edit>();
        edits.push(read.with_context(|| opcode.to_string())?);
    }
    let twin = |letter| (!edits.is_empty()).then_some(letter);
    let mut found = vec![Posed {
        name: operations.id(),
        twin: twin('a'),
        edits: String::new(),
        position: batch.position,
        stipulation,
        intended,
        set_play: false,
        tries: 0,
    }];
    for (index, edit) in edits.iter().enumerate() {
        let mut diagram = Diagram::from(&batch.position);
        diagram.edit(edit)?;
        let stipulation = if let Edit::Ask(other) = edit { *other } else { stipulation };
        let castling = castling_of(batch.position.vector());
        let made = diagram.position(batch.position.side_to_move(), Some(&castling));
        found.push(Posed {
            name: operations.id(),
            twin: twin((b'b' + (index % 25) as u8) as char),
            edits: edit.to_string(),
            position: made.with_context(|| format!("twin {edit}"))?,
            stipulation,
            intended,
            set_play: false,
            tries: 0,
        });
    }
    Ok(found)
}

/// The bytes of a file; `-` is standard input.
fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let name = || path.display().to_string();
    let input: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).with_context(name)?)
    };
    let mut bytes = Vec::new();
    input.take(MOST + 1).read_to_end(&mut bytes).with_context(name)?;
    ensure!(bytes.len() as u64 <= MOST, "{}: more than 64 MiB", path.display());
    Ok(bytes)
}

/// Every problem of a file in Popeye's input language.
///
/// # Errors
/// A file that cannot be read, or without a problem.
pub fn of_popeye(path: &Path, intended: usize) -> anyhow::Result<Vec<Found>> {
    // Old files are in Latin-1; names may suffer, men and squares do not.
    let text = String::from_utf8_lossy(&bytes(path)?).into_owned();
    let read = popeye::read(text.trim_start_matches('\u{feff}'));
    ensure!(!read.is_empty(), "{}: no problem in it", path.display());
    let posed = |found: popeye::Read| match found {
        Err((line, fault)) => Err((format!("line {line}"), anyhow::Error::new(fault))),
        Ok(problem) => Ok(Posed {
            name: Some(problem.name).filter(|name| !name.is_empty()),
            twin: problem.twin,
            edits: problem.edits,
            position: problem.position,
            stipulation: problem.stipulation,
            intended,
            set_play: problem.set_play,
            tries: problem.tries,
        }),
    };
    Ok(read.into_iter().map(posed).collect())
}

/// Every problem of a PGN file: games with the tags `FEN` and `Stipulation`.
///
/// # Errors
/// A file that cannot be read, or without a game.
pub fn of_pgn(
    path: &Path,
    default: Option<Stipulation>,
    intended: usize,
) -> anyhow::Result<Vec<Found>> {
    let bytes = bytes(path)?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let mut reader = Reader::new(bytes);
    let mut found = Vec::new();
    while let Some(tags) = reader.read_game(&mut Gather)? {
        if tags.any {
            let place = || format!("game {}", found.len() + 1);
            let posed = tags.posed(default, intended).map_err(|error| (place(), error));
            found.push(posed);
        }
    }
    ensure!(!found.is_empty(), "{}: no game in it", path.display());
    Ok(found)
}

#[derive(Default)]
struct Tags {
    any: bool,
    names: Vec<String>,
    fen: Option<String>,
    stipulation: Option<String>,
    solutions: Option<String>,
}

impl Tags {
    fn posed(self, default: Option<Stipulation>, intended: usize) -> anyhow::Result<Posed> {
        let fen = self.fen.context("no tag FEN")?;
        let position: Position = read_fen(&fen, Profile::Fide)?;
        let own = self.stipulation.map(|text| text.parse()).transpose()?;
        let stipulation = own.or(default).context("no tag Stipulation, and no --stip")?;
        let intended = match self.solutions {
            None => intended,
            Some(text) => text.parse().ok().filter(|&n| n > 0).context("tag Solutions")?,
        };
        Ok(Posed {
            name: Some(self.names.join(", ")).filter(|name| !name.is_empty()),
            twin: None,
            edits: String::new(),
            position,
            stipulation,
            intended,
            set_play: false,
            tries: 0,
        })
    }
}

/// Gathers tags; moves are passed over.
struct Gather;

impl Visitor for Gather {
    type Tags = Tags;
    type Movetext = Tags;
    type Output = Tags;

    fn begin_tags(&mut self) -> ControlFlow<Tags, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Tags> {
        let text = value.decode_utf8_lossy().into_owned();
        tags.any = true;
        match name.to_ascii_lowercase().as_slice() {
            b"fen" => tags.fen = Some(text),
            b"stipulation" | b"stip" => tags.stipulation = Some(text),
            b"solutions" => tags.solutions = Some(text),
            b"white" | b"event" if !matches!(text.as_str(), "" | "?") => tags.names.push(text),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Tags, Tags> {
        ControlFlow::Continue(tags)
    }

    fn begin_variation(&mut self, _tags: &mut Tags) -> ControlFlow<Tags, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, tags: Tags) -> Tags {
        tags
    }
}
