//! The formulas as text, written as a stream: nothing of the text is kept but the operators that
//! are open.

use super::Leg;
use super::formula::{Formulas, Name, Op, Pen, Theta};
use super::variables::{COMPONENTS, VARIABLES, bits, place};
use crate::chess::{Side, Vector, fen};
use crate::ctl::Syntax;
use crate::ctl::print::{AND, ATOM, OR, PREFIX, Signs, Strength};
use std::io::{self, BufWriter, Write};

/// How P(y) and the other named parts appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Each is defined once and referred to by name: about 1.6 KB a position and 20 bytes an edge.
    Compact,
    /// Each is written out at every place: about 1.6 KB wherever P(y) stands, twice an edge.
    Expanded,
    /// For a reader who wants to see how the formula is made: as `Compact`, but of each conjunction
    /// and disjunction the first operands and the last, and of the definitions the first few. Dots
    /// stand for the rest. Nothing reads it back.
    Sketch,
}

/// Operands and definitions that a sketch shows before its dots.
const SHOWN: u32 = 3;

/// Writes what is not muted.
struct Muting<W> {
    out: W,
    muted: bool,
}

impl<W: Write> Write for Muting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.muted { Ok(bytes.len()) } else { self.out.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Bytes gathered before they are handed to the output.
const BUFFER: usize = 1 << 20;

/// Writes a formula over Leg(y⁰), a megabyte at a time. Ascii and Unicode are read by
/// [`crate::ctl::parse_reader`], to the formula that [`super::build`] builds. LaTeX is a line of
/// mathematics a definition; SMV is a module for NuSMV (which knows no definitions with temporal
/// operators: there only P(y) has a name).
///
/// # Errors
/// Those of `out`.
///
/// ```
/// use theta_chess::chess::{Profile, parse_fen};
/// use theta_chess::ctl::Syntax;
/// use theta_chess::game::Game;
/// use theta_chess::limits::Budget;
/// use theta_chess::theta::{Form, Theta, write};
/// // Black is mated: one position, and no move.
/// let root = parse_fen("7k/6Q1/6K1/8/8/8/8/8 b - -", Profile::Fide).unwrap();
/// let game = Game::explore(&root, Profile::Fide, &Budget::default()).unwrap();
/// let mut text = Vec::new();
/// write(Theta::One, &game, Form::Compact, Syntax::Ascii, &mut text)?;
/// assert!(String::from_utf8(text).unwrap().contains("AX P0 & ~p270"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write<L: Leg>(
    theta: Theta,
    leg: &L,
    form: Form,
    syntax: Syntax,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let formulas = Formulas::new(leg);
    let out = Muting { out: BufWriter::with_capacity(BUFFER, out), muted: false };
    let mut text = Text {
        formulas: &formulas,
        form,
        syntax,
        signs: syntax.signs(),
        out,
        cubes: cubes(syntax),
        open: Vec::new(),
        hidden: None,
    };
    text.all(theta)?;
    text.out.flush()
}

/// The text of a variable.
fn variable(syntax: Syntax, k: u32) -> String {
    if syntax == Syntax::Latex { format!("p_{{{k}}}") } else { format!("p{k}") }
}

/// For every component and value of y the text of its literals; a sign before all but the first
/// component's.
fn cubes(syntax: Syntax) -> Vec<[String; 16]> {
    let signs = syntax.signs();
    let text = |j: usize, value: u8| {
        let (first, width) = place(j);
        let literal = |(k, bit)| {
            if bit { variable(syntax, k) } else { format!("{}{}", signs.not, variable(syntax, k)) }
        };
        let literals: Vec<String> = (first..).zip(bits(value, width)).map(literal).collect();
        format!("{}{}", if j == 0 { "" } else { signs.and }, literals.join(signs.and))
    };
    (0..COMPONENTS).map(|j| std::array::from_fn(|value| text(j, value as u8))).collect()
}

/// An operator whose operands are being written.
struct Open {
    /// What stands between two operands.
    sign: &'static str,
    /// Operands still to come.
    left: u32,
    /// Operands that were begun.
    begun: u32,
    /// How strongly an operand must hold together to need no brackets.
    least: Strength,
    bracket: bool,
}

struct Text<'a, L, W: Write> {
    formulas: &'a Formulas<'a, L>,
    form: Form,
    syntax: Syntax,
    signs: &'static Signs,
    out: Muting<BufWriter<W>>,
    cubes: Vec<[String; 16]>,
    open: Vec<Open>,
    /// In a sketch: how many operators stand open above the operand that is left out.
    hidden: Option<usize>,
}

impl<L: Leg, W: Write> Text<'_, L, W> {
    fn all(&mut self, theta: Theta) -> io::Result<()> {
        if self.syntax == Syntax::Smv {
            return self.module(theta);
        }
        if self.form != Form::Expanded {
            let whole = Name::Formula(theta);
            self.each_position(|text, id| text.definition(Name::Position(id)))?;
            for &owner in theta.owners() {
                self.each_position(|text, id| text.definition(Name::Moves(owner, id)))?;
            }
            for part in theta.parts().into_iter().filter(|&part| part != whole) {
                self.definition(part)?;
            }
        }
        let dollar: &[u8] = if self.syntax == Syntax::Latex { b"$" } else { b"" };
        self.out.write_all(dollar)?;
        self.formulas.body(Name::Formula(theta), self)?;
        self.out.write_all(dollar)?;
        self.out.write_all(b"\n")
    }

    fn each_position(
        &mut self,
        mut write: impl FnMut(&mut Self, u32) -> io::Result<()>,
    ) -> io::Result<()> {
        let positions = self.formulas.leg.positions();
        let shown = if self.form == Form::Sketch { SHOWN.min(positions) } else { positions };
        (0..shown).try_for_each(|id| write(self, id))?;
        if shown < positions {
            let dots = self.dots();
            let end = if self.syntax == Syntax::Latex { "\n\n" } else { "\n" };
            let dollar = if self.syntax == Syntax::Latex { "$" } else { "" };
            write!(self.out, "{dollar}{dots}{dollar} ({} more){end}", positions - shown)?;
        }
        Ok(())
    }

    /// What stands for what a sketch leaves out.
    fn dots(&self) -> &'static str {
        match self.syntax {
            Syntax::Latex => r"\dots",
            Syntax::Unicode => "…",
            Syntax::Ascii | Syntax::Smv => "...",
        }
    }

    /// A module with the formula as its specification.
    fn module(&mut self, theta: Theta) -> io::Result<()> {
        self.out.write_all(b"MODULE main\nVAR\n")?;
        for k in 0..VARIABLES {
            writeln!(self.out, "  p{k} : boolean;")?;
        }
        if self.form == Form::Compact {
            self.out.write_all(b"DEFINE\n")?;
            self.each_position(|text, id| text.definition(Name::Position(id)))?;
        }
        self.out.write_all(b"CTLSPEC\n  ")?;
        self.formulas.body(Name::Formula(theta), self)?;
        self.out.write_all(b";\n")
    }

    /// A line that defines a name; behind a position's stands its FEN, as a comment.
    fn definition(&mut self, name: Name) -> io::Result<()> {
        let (begin, equals, end, comment) = match self.syntax {
            Syntax::Ascii | Syntax::Unicode => ("let ", " = ", ";", " # "),
            Syntax::Latex => ("$", " := ", "$", " % "),
            Syntax::Smv => ("  ", " := ", ";", " -- "),
        };
        self.out.write_all(begin.as_bytes())?;
        self.write_name(name)?;
        self.out.write_all(equals.as_bytes())?;
        match name {
            Name::Position(id) => {
                let y = self.formulas.leg.vector(id);
                self.cube(&y)?;
                write!(self.out, "{end}{comment}{}", fen(&y))?;
            }
            _ => {
                self.formulas.body(name, self)?;
                self.out.write_all(end.as_bytes())?;
            }
        }
        // LaTeX: an empty line ends the paragraph.
        self.out.write_all(if self.syntax == Syntax::Latex { b"\n\n" } else { b"\n" })
    }

    fn cube(&mut self, y: &Vector) -> io::Result<()> {
        for (j, texts) in self.cubes.iter().enumerate() {
            if self.form != Form::Sketch || j == 0 || j + 1 == COMPONENTS {
                self.out.write_all(texts[y[j] as usize].as_bytes())?;
            } else if j == 1 {
                let (and, dots) = (self.signs.and, self.dots());
                write!(self.out, "{and}{dots}")?;
            }
        }
        Ok(())
    }

    fn write_name(&mut self, name: Name) -> io::Result<()> {
        let latex = self.syntax == Syntax::Latex;
        let letter = |side| if side == Side::White { 'W' } else { 'B' };
        let indexed = |word: &str, index: char| {
            if latex { format!(r"\mathrm{{{word}}}_{{{index}}}") } else { format!("{word}{index}") }
        };
        let digit = |n: u8| char::from(b'0' + n);
        let text = match name {
            // The most frequent by far: no string is made.
            Name::Position(id) if latex => return write!(self.out, "P(y^{{{id}}})"),
            Name::Position(id) => return write!(self.out, "P{id}"),
            Name::Moves(owner, id) => {
                let (mover, set) =
                    (letter(self.formulas.mover(id)), if owner == Side::White { 1 } else { 2 });
                return match self.syntax {
                    Syntax::Latex => write!(self.out, r"\mathrm{{{mover}M{set}}}(y^{{{id}}})"),
                    _ => write!(self.out, "{mover}M{set}_{id}"),
                };
            }
            Name::Init if latex => r"\mathrm{Init}".into(),
            Name::Init => "Init".into(),
            Name::Rules(n) => indexed("Rules", digit(n)),
            Name::Aim(n) => indexed("Aim", digit(n)),
            Name::Attacked(side) => indexed("Checked", letter(side)),
            Name::Safe(side) => indexed("Safe", letter(side)),
            Name::Hold(side) => indexed("Hold", letter(side)),
            Name::Formula(Theta::Hold2) => indexed("Hold", '2'),
            Name::Formula(Theta::Hold4) => indexed("Hold", '4'),
            Name::Formula(_) => unreachable!("the whole formula is written, not named"),
        };
        self.out.write_all(text.as_bytes())
    }

    /// The sign before an operand, if it is not the first, and how strongly it must hold together.
    fn begin_operand(&mut self) -> io::Result<Strength> {
        let (depth, dots) = (self.open.len(), self.dots());
        let Some(open) = self.open.last_mut() else { return Ok(0) };
        let at = open.begun;
        open.begun += 1;
        let left_out = self.form == Form::Sketch && at >= SHOWN && open.left > 1;
        if at > 0 && (!left_out || at == SHOWN) {
            self.out.write_all(open.sign.as_bytes())?;
        }
        if left_out && self.hidden.is_none() {
            if at == SHOWN {
                self.out.write_all(dots.as_bytes())?;
            }
            (self.hidden, self.out.muted) = (Some(depth), true);
        }
        Ok(open.least)
    }

    /// Ends an operand, and the operators that it completes.
    fn end_operand(&mut self) -> io::Result<()> {
        loop {
            if self.hidden == Some(self.open.len()) {
                (self.hidden, self.out.muted) = (None, false);
            }
            let Some(open) = self.open.last_mut() else { break };
            open.left -= 1;
            if open.left > 0 {
                break;
            }
            if open.bracket {
                self.out.write_all(b")")?;
            }
            self.open.pop();
        }
        Ok(())
    }
}

impl<L: Leg, W: Write> Pen for Text<'_, L, W> {
    type Error = io::Error;

    fn operator(&mut self, op: Op) -> io::Result<()> {
        let signs = self.signs;
        let prefix = if self.syntax == Syntax::Smv { ATOM } else { PREFIX };
        let (strength, sign, left, least) = match op {
            Op::And(n) => (AND, signs.and, n, PREFIX),
            Op::Or(n) => (OR, signs.or, n, AND),
            _ => (PREFIX, "", 1, prefix),
        };
        let bracket = strength < self.begin_operand()?;
        if bracket {
            self.out.write_all(b"(")?;
        }
        match op {
            Op::Not => self.out.write_all(signs.not.as_bytes())?,
            Op::Next(path) => signs.write_unary(path, 0, &mut self.out)?,
            Op::Globally(path) => signs.write_unary(path, 1, &mut self.out)?,
            Op::Finally(path) => signs.write_unary(path, 2, &mut self.out)?,
            Op::And(_) | Op::Or(_) => {}
        }
        self.open.push(Open { sign, left, begun: 0, least, bracket });
        Ok(())
    }

    fn constant(&mut self, value: bool) -> io::Result<()> {
        self.begin_operand()?;
        self.out.write_all(if value { self.signs.truth } else { self.signs.falsity }.as_bytes())?;
        self.end_operand()
    }

    fn variable(&mut self, k: u32) -> io::Result<()> {
        self.begin_operand()?;
        self.out.write_all(variable(self.syntax, k).as_bytes())?;
        self.end_operand()
    }

    fn name(&mut self, name: Name) -> io::Result<()> {
        match name {
            Name::Position(id) if self.form == Form::Expanded => {
                let bracket = AND < self.begin_operand()?;
                let [before, behind]: [&[u8]; 2] = if bracket { [b"(", b")"] } else { [b"", b""] };
                self.out.write_all(before)?;
                self.cube(&self.formulas.leg.vector(id))?;
                self.out.write_all(behind)?;
                self.end_operand()
            }
            Name::Position(_) => self.reference(name),
            _ if self.form == Form::Expanded || self.syntax == Syntax::Smv => {
                self.formulas.body(name, self)
            }
            _ => self.reference(name),
        }
    }
}

impl<L: Leg, W: Write> Text<'_, L, W> {
    fn reference(&mut self, name: Name) -> io::Result<()> {
        self.begin_operand()?;
        self.write_name(name)?;
        self.end_operand()
    }
}
