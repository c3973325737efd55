//! Problems in the input language of the solving program Popeye: what `BeginProblem … EndProblem`
//! says of orthodox chess, in English or in German.
//!
//! # References
//! * Popeye's manual `py-engl.txt` (T. Maeder and others), the sections on commands, options and
//!   twins.

mod draft;
mod fault;

use super::stipulation::Stipulation;
use super::twin::{Diagram, Edit, TwinError, read_square, usual_mover};
use crate::chess::{Position, Side, code};
use draft::Draft;
pub use fault::PopeyeError;

/// A problem as it is asked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Posed {
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Author, title and source, as far as they are named.
    pub name: String,
    /// The twin's letter, where there are twins: `a`, `b`.
    pub twin: Option<char>,
    /// What makes the twin, in words; empty for the diagram itself.
    pub edits: String,
    /// The position.
    pub position: Position,
    /// What is asked for.
    pub stipulation: Stipulation,
    /// Whether set play is wanted.
    pub set_play: bool,
    /// With how many refutations at most tries are wanted; 0 where they are not.
    pub tries: usize,
}

/// A problem, or the line on which it begins with what is wrong with it.
pub type Read = Result<Posed, (usize, PopeyeError)>;

/// English and German command words.
const COMMANDS: [(Command, [&str; 2]); 15] = [
    (Command::Begin, ["beginproblem", "anfangproblem"]),
    (Command::Next, ["nextproblem", "weiteresproblem"]),
    (Command::End, ["endproblem", "endeproblem"]),
    (Command::Name, ["author", "autor"]),
    (Command::Name, ["origin", "quelle"]),
    (Command::Name, ["title", "titel"]),
    (Command::Line, ["remark", "bemerkung"]),
    (Command::Line, ["protocol", "protokoll"]),
    (Command::Line, ["award", "auszeichnung"]),
    (Command::Stipulation, ["stipulation", "forderung"]),
    (Command::Pieces, ["pieces", "steine"]),
    (Command::Forsyth, ["forsyth", "forsyth"]),
    (Command::Option, ["option", "option"]),
    (Command::Twin, ["twin", "zwilling"]),
    (Command::Zero, ["zeroposition", "nullstellung"]),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Begin,
    Next,
    End,
    Name,
    Line,
    Stipulation,
    Pieces,
    Forsyth,
    Option,
    Twin,
    Zero,
}

/// Letters of the men, king to pawn.
const LETTERS: [[char; 6]; 2] = [['k', 'q', 'r', 'b', 's', 'p'], ['k', 'd', 't', 'l', 's', 'b']];

/// Reads every problem of a file, twins as problems of their own. A fault spoils its own problem
/// alone.
pub fn read(text: &str) -> Vec<Read> {
    let mut reader = Reader { words: Vec::new(), at: 0, german: 0, found: Vec::new() };
    for (index, line) in text.lines().enumerate() {
        reader.line(index + 1, line);
    }
    reader.run();
    reader.found
}

struct Reader {
    /// Words with their lines; a line of free text is one word after its command.
    words: Vec<(usize, String)>,
    at: usize,
    /// 1 where the file is in German.
    german: usize,
    found: Vec<Read>,
}

impl Reader {
    /// The command that a word begins, in the language of the file.
    fn command(&self, word: &str) -> Option<Command> {
        let word = word.to_lowercase();
        let begins = |names: &[&str; 2]| word.len() >= 3 && names[self.german].starts_with(&word);
        COMMANDS.iter().find(|(_, names)| begins(names)).map(|(command, _)| *command)
    }

    fn line(&mut self, number: usize, line: &str) {
        let mut rest = line.trim();
        while !rest.is_empty() {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if self.words.is_empty() {
                self.german = usize::from(word.to_lowercase().starts_with("anf"));
            }
            self.words.push((number, word.to_string()));
            rest = after.trim_start();
            if matches!(self.command(word), Some(Command::Name | Command::Line)) {
                self.words.push((number, rest.to_string()));
                return;
            }
        }
    }

    /// The next word, where it is no command.
    fn argument(&mut self) -> Option<String> {
        let (_, word) = self.words.get(self.at)?;
        if self.command(word).is_some() {
            return None;
        }
        self.at += 1;
        Some(self.words[self.at - 1].1.clone())
    }

    fn run(&mut self) {
        let mut draft: Option<Draft> = None;
        while let Some((line, word)) = self.words.get(self.at).cloned() {
            self.at += 1;
            let command = self.command(&word);
            match (command, &mut draft) {
                (Some(Command::Begin), _) => draft = Some(Draft::new(line)),
                (Some(Command::Next | Command::End), open) => {
                    if let Some(done) = open.take().filter(|draft| draft.any) {
                        self.finish(done);
                    }
                    if command == Some(Command::Next) {
                        draft = Some(Draft::new(line));
                    }
                }
                (Some(Command::Name | Command::Line), open) => {
                    let text = self.words.get(self.at).map(|(_, text)| text.clone());
                    self.at += 1;
                    if let (Some(Command::Name), Some(draft), Some(text)) = (command, open, text) {
                        draft.name.push(text);
                    }
                }
                (Some(command), Some(draft)) => {
                    draft.any = true;
                    if let Err(fault) = self.obey(command, draft) {
                        draft.fault.get_or_insert(fault);
                    }
                }
                (None, Some(draft)) => {
                    draft.any = true;
                    draft.fault.get_or_insert_with(|| {
                        let shown = word.chars().take(40).collect();
                        let conditions = ["condition", "bedingung"];
                        let word = word.to_lowercase();
                        match word.len() >= 3 && conditions[self.german].starts_with(&word) {
                            true => PopeyeError::Fairy(shown),
                            false => PopeyeError::Command(shown),
                        }
                    });
                }
                (_, None) => {
                    let shown = word.chars().take(40).collect();
                    self.found.push(Err((line, PopeyeError::Command(shown))));
                    return;
                }
            }
        }
        if let Some(done) = draft.filter(|draft| draft.any) {
            self.finish(done);
        }
    }

    fn obey(&mut self, command: Command, draft: &mut Draft) -> Result<(), PopeyeError> {
        match command {
            Command::Stipulation => {
                let text = self.argument().ok_or(PopeyeError::NoStipulation)?;
                draft.stipulation = Some(text.parse()?);
            }
            Command::Pieces => {
                for (man, square) in self.men()? {
                    if draft.diagram.man(square) != 0 {
                        let square = Edit::Remove(square).to_string();
                        return Err(PopeyeError::Twice(square.replace("remove ", "")));
                    }
                    draft.diagram.put(square, man);
                }
            }
            Command::Forsyth => {
                let text = self.argument_or_nothing();
                let fault = || PopeyeError::Pieces(text.chars().take(80).collect());
                draft.diagram = self.forsyth(&text).ok_or_else(fault)?;
            }
            Command::Option => {
                while let Some(word) = self.argument() {
                    self.option(&word, draft)?;
                }
            }
            Command::Twin => {
                let twin = self.twin()?;
                draft.twins.push(twin);
            }
            Command::Zero => {
                let twin = self.twin()?;
                draft.zero = true;
                draft.twins.insert(0, twin);
            }
            _ => {}
        }
        Ok(())
    }

    /// Men with their squares: `White Kf3 Sc6 Pd4f2 Black Kf5`.
    fn men(&mut self) -> Result<Vec<(u8, u8)>, PopeyeError> {
        let mut found = Vec::new();
        let mut black = None;
        while let Some(word) = self.argument() {
            let plain = word.to_lowercase();
            let plain = plain.trim_end_matches(',');
            let colours = [["white", "black"], ["weiss", "schwarz"]][self.german];
            let colour = |name: &str| plain.len() >= 2 && name.starts_with(plain);
            if let Some(which) = colours.iter().position(|name| colour(name)) {
                black = Some(which == 1);
                continue;
            }
            let fault = || PopeyeError::Pieces(word.chars().take(40).collect());
            let mut letters = plain.chars();
            let letter = letters.next().ok_or_else(fault)?;
            let man = LETTERS[self.german].iter().position(|&known| known == letter);
            let (man, black) = (man.ok_or_else(fault)? as u8 + 1, black.ok_or_else(fault)?);
            let squares = letters.as_str();
            if squares.is_empty() || !squares.is_ascii() || squares.len() % 2 != 0 {
                return Err(fault());
            }
            for at in (0..squares.len()).step_by(2) {
                let square = read_square(&squares[at..at + 2]).map_err(|_| fault())?;
                found.push((man + if black { code::BLACK } else { 0 }, square));
            }
        }
        Ok(found)
    }

    /// A board from the eighth rank down; numbers are empty squares, and may run over the edge.
    fn forsyth(&self, text: &str) -> Option<Diagram> {
        let (mut diagram, mut at, mut gap) = (Diagram::empty(), 0, 0);
        for c in text.chars().chain(['/']) {
            if let Some(digit) = c.to_digit(10) {
                gap = (10 * gap + digit as usize).min(64);
                continue;
            }
            at += std::mem::take(&mut gap);
            if c == '/' {
                at = usize::div_ceil(at, 8) * 8;
                continue;
            }
            let man = LETTERS[self.german].iter().position(|&l| l == c.to_ascii_lowercase())? as u8;
            if at >= 64 {
                return None;
            }
            let square = (7 - at / 8) * 8 + at % 8;
            let colour = if c.is_ascii_lowercase() { code::BLACK } else { 0 };
            diagram.put(square as u8, man + 1 + colour);
            at += 1;
        }
        (at <= 64).then_some(diagram)
    }

    fn option(&mut self, word: &str, draft: &mut Draft) -> Result<(), PopeyeError> {
        // Options that change how Popeye works or prints, not what is true.
        const IDLE: [&str; 18] = [
            "intelligent",
            "variation",
            "noboard",
            "movenumbers",
            "maxtime",
            "maxsolutions",
            "nothreat",
            "noshortvariations",
            "noshort",
            "brett",
            "variante",
            "keinbrett",
            "nontrivial",
            "postkeyplay",
            "zugnummern",
            "maxzeit",
            "maxloesungen",
            "spielenachschluessel",
        ];
        let plain = word.to_lowercase();
        let is = |names: [&str; 2]| plain.len() >= 3 && names[self.german].starts_with(&plain);
        if plain.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(());
        }
        if is(["setplay", "satzspiel"]) {
            draft.set_play = true;
        } else if is(["try", "verfuehrung"]) {
            draft.tries = true;
        } else if is(["defence", "widerlegungen"]) {
            draft.tries = true;
            let text = self.argument().unwrap_or_default();
            draft.refutations = text.parse().map_err(|_| PopeyeError::Option(plain))?;
        } else if is(["enpassant", "enpassant"]) {
            // The pawn's path: from, over, to; or the square over which it went alone.
            let path = self.squares()?;
            draft.passed = path.get(path.len() / 2).copied();
        } else if is(["nocastling", "keinerochade"]) {
            draft.moved = self.squares()?;
        } else if is(["whitetoplay", "weissbeginnt"]) {
            draft.white = true;
        } else if !IDLE.iter().any(|known| plain.len() >= 3 && known.starts_with(&plain)) {
            return Err(PopeyeError::Option(word.chars().take(40).collect()));
        }
        Ok(())
    }

    /// The edits of a twin, and whether they continue the twin before.
    fn twin(&mut self) -> Result<(bool, Vec<Edit>), PopeyeError> {
        let (mut continued, mut edits) = (false, Vec::new());
        while let Some(word) = self.argument() {
            let plain = word.to_lowercase();
            let german = self.german;
            let is = |names: [&str; 2]| plain.len() >= 3 && names[german].starts_with(&plain);
            if is(["continued", "ferner"]) {
                continued = true;
            } else if is(["move", "versetze"]) {
                edits.push(Edit::Move(self.square()?, self.square()?));
            } else if is(["exchange", "tausche"]) {
                edits.push(Edit::Exchange(self.square()?, self.square()?));
            } else if is(["remove", "entferne"]) {
                edits.push(Edit::Remove(self.square()?));
            } else if is(["add", "hinzufuegen"]) {
                edits.extend(self.men()?.into_iter().map(|(man, at)| Edit::Add(man, at)));
            } else if is(["stipulation", "forderung"]) {
                edits.push(Edit::Ask(self.argument_or_nothing().parse()?));
            } else {
                return Err(TwinError::Unknown(word.chars().take(40).collect()).into());
            }
        }
        // The word is a command too, and ends the arguments.
        if self
            .words
            .get(self.at)
            .is_some_and(|(_, word)| self.command(word) == Some(Command::Stipulation))
        {
            self.at += 1;
            edits.push(Edit::Ask(self.argument_or_nothing().parse()?));
        }
        Ok((continued, edits))
    }

    /// Squares written together, such as `f7f6f5`.
    fn squares(&mut self) -> Result<Vec<u8>, TwinError> {
        let text = self.argument_or_nothing();
        if text.is_empty() || !text.is_ascii() || !text.len().is_multiple_of(2) {
            return Err(TwinError::Square(text.chars().take(20).collect()));
        }
        (0..text.len()).step_by(2).map(|at| read_square(&text[at..at + 2])).collect()
    }

    fn square(&mut self) -> Result<u8, TwinError> {
        read_square(&self.argument_or_nothing())
    }

    fn argument_or_nothing(&mut self) -> String {
        self.argument().unwrap_or_default()
    }

    /// The problem with its twins.
    fn finish(&mut self, mut draft: Draft) {
        let line = draft.line;
        let fail = |fault: PopeyeError| Err((line, fault));
        if let Some(fault) = draft.fault.take() {
            return self.found.push(fail(fault));
        }
        let Some(asked) = draft.stipulation else {
            return self.found.push(fail(PopeyeError::NoStipulation));
        };
        let mut stages: Vec<(bool, Vec<Edit>)> = Vec::new();
        if !draft.zero {
            stages.push((false, Vec::new()));
        }
        stages.append(&mut draft.twins);
        let many = stages.len() > 1;
        let (mut diagram, mut stipulation) = (draft.diagram, asked);
        for (index, (continued, edits)) in stages.into_iter().enumerate() {
            if !continued {
                (diagram, stipulation) = (draft.diagram, asked);
            }
            // What is put aside for all twins stays so.
            let made = edits.iter().try_for_each(|edit| {
                if let Edit::Ask(other) = edit {
                    stipulation = *other;
                }
                diagram.edit(edit)
            });
            let side = if draft.white { Side::White } else { usual_mover(&stipulation) };
            let position = made
                .map_err(PopeyeError::from)
                .and_then(|()| draft.position(&diagram, side).map_err(PopeyeError::from));
            let edits: Vec<String> = edits.iter().map(Edit::to_string).collect();
            self.found.push(match position {
                Err(fault) => fail(fault),
                Ok(position) => Ok(Posed {
                    line,
                    name: draft.name.join(", "),
                    twin: many.then(|| (b'a' + (index % 26) as u8) as char),
                    edits: edits.join(", "),
                    position,
                    stipulation,
                    set_play: draft.set_play,
                    tries: if draft.tries { draft.refutations } else { 0 },
                }),
            });
        }
    }
}

#[cfg(test)]
mod tests;
