//! Formulas as text, with no more brackets than the reader needs, written as a stream.
//!
//! A formula is written out as a tree: shared subformulas are written at each of their places. No
//! recursion; the stack grows with the depth of the formula only.

use super::arena::{Arena, Id, Node, Path};
use std::borrow::Cow;
use std::io::{self, Write};

/// The notation of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// `A[p U ~q] & AG EX T`, as docs/guide.md has it.
    Ascii,
    /// The paper's signs: `∀(p◇¬q) ∧ ∀□∃○T`.
    Unicode,
    /// LaTeX mathematics with the paper's signs (needs `amssymb`).
    Latex,
    /// NuSMV's CTL. It has no `W` and `R`: they are written by `U` (`W` writes its second operand
    /// twice), and names that NuSMV could not read have `$` and two hexadecimal digits for each
    /// foreign character.
    Smv,
}

/// How strongly a formula holds together; an operand weaker than its place needs brackets.
pub(crate) type Strength = u8;
const IFF: Strength = 1;
const IMPLIES: Strength = 2;
pub(crate) const OR: Strength = 3;
pub(crate) const AND: Strength = 4;
pub(crate) const PREFIX: Strength = 5;
pub(crate) const ATOM: Strength = 6;
/// Stronger than all: a place where even an atom gets brackets.
const BRACKETS: Strength = 7;

/// The signs of a notation that only differ by their text.
pub(crate) struct Signs {
    pub(crate) truth: &'static str,
    pub(crate) falsity: &'static str,
    pub(crate) not: &'static str,
    pub(crate) and: &'static str,
    pub(crate) or: &'static str,
    implies: &'static str,
    iff: &'static str,
    paths: [&'static str; 2],
    /// Next, globally, finally, each behind a path quantifier.
    unary: [&'static str; 3],
    open: &'static str,
    until: &'static str,
    weak_until: &'static str,
    release: &'static str,
    close: &'static str,
}

const ASCII: Signs = Signs {
    truth: "T",
    falsity: "F",
    not: "~",
    and: " & ",
    or: " | ",
    implies: " -> ",
    iff: " <-> ",
    paths: ["A", "E"],
    unary: ["X ", "G ", "F "],
    open: "[",
    until: " U ",
    weak_until: " W ",
    release: " R ",
    close: "]",
};

const UNICODE: Signs = Signs {
    truth: "T",
    falsity: "F",
    not: "¬",
    and: " ∧ ",
    or: " ∨ ",
    implies: " → ",
    iff: " ↔ ",
    paths: ["∀", "∃"],
    unary: ["○", "□", "◇"],
    open: "(",
    until: "◇",
    weak_until: " W ",
    release: " R ",
    close: ")",
};

const LATEX: Signs = Signs {
    truth: r"\top",
    falsity: r"\bot",
    not: r"\neg ",
    and: r" \land ",
    or: r" \lor ",
    implies: r" \to ",
    iff: r" \leftrightarrow ",
    paths: [r"\forall", r"\exists"],
    unary: [r"\bigcirc ", r"\Box ", r"\Diamond "],
    open: "(",
    until: r" \mathbin{\Diamond} ",
    weak_until: r" \mathbin{\mathsf{W}} ",
    release: r" \mathbin{\mathsf{R}} ",
    close: ")",
};

const SMV: Signs = Signs { truth: "TRUE", falsity: "FALSE", not: "!", ..ASCII };

impl Syntax {
    /// The signs of this notation, for writers of formulas that are in no arena.
    pub(crate) fn signs(self) -> &'static Signs {
        match self {
            Self::Ascii => &ASCII,
            Self::Unicode => &UNICODE,
            Self::Latex => &LATEX,
            Self::Smv => &SMV,
        }
    }
}

impl Signs {
    /// Next (0), globally (1) or finally (2) behind a path quantifier.
    pub(crate) fn write_unary(
        &self,
        path: Path,
        unary: usize,
        out: &mut impl Write,
    ) -> io::Result<()> {
        out.write_all(self.paths[usize::from(path == Path::Some)].as_bytes())?;
        out.write_all(self.unary[unary].as_bytes())
    }
}

/// One thing left to write.
#[derive(Clone, Copy)]
enum Step {
    Text(&'static str),
    /// A formula in a place that needs this strength.
    Formula(Id, Strength),
    /// The operands of an n-ary formula from this one on, each in a place of this strength, with
    /// signs before.
    Rest(Id, u32, Strength, &'static str),
    /// The negation of a formula (NuSMV's `W` and `R` need it).
    Negated(Id),
}

/// Writes a formula. Makes many small writes: give it a buffered writer.
///
/// # Errors
/// Those of `out`.
pub fn write_formula(
    arena: &Arena,
    id: Id,
    syntax: Syntax,
    out: &mut impl Write,
) -> io::Result<()> {
    let signs = syntax.signs();
    let mut printer = Printer { arena, signs, syntax, steps: vec![Step::Formula(id, 0)] };
    while let Some(step) = printer.steps.pop() {
        match step {
            Step::Text(text) => out.write_all(text.as_bytes())?,
            Step::Formula(id, least) => printer.formula(id, least, out)?,
            Step::Negated(id) => {
                out.write_all(signs.not.as_bytes())?;
                printer.steps.push(Step::Formula(id, printer.prefix_operand(id)));
            }
            Step::Rest(id, from, least, sign) => {
                let operands = arena.operands(id);
                if (from as usize) < operands.len() {
                    out.write_all(sign.as_bytes())?;
                    printer.steps.push(Step::Rest(id, from + 1, least, sign));
                    printer.steps.push(Step::Formula(operands[from as usize], least));
                }
            }
        }
    }
    Ok(())
}

/// A formula as a string.
pub fn to_text(arena: &Arena, id: Id, syntax: Syntax) -> String {
    let mut out = Vec::new();
    write_formula(arena, id, syntax, &mut out).expect("a vector takes all");
    String::from_utf8(out).expect("all signs and names are UTF-8")
}

/// A formula as a string of at most so many characters; of a longer one what fits, and `…`. Takes no
/// longer than the string, however long the formula is.
pub fn to_short_text(arena: &Arena, id: Id, syntax: Syntax, characters: usize) -> String {
    // A character takes four bytes at most.
    let mut out = Short { text: Vec::new(), room: 4 * characters + 4 };
    // What does not fit is no error here.
    let _ = write_formula(arena, id, syntax, &mut out);
    let text = String::from_utf8_lossy(&out.text);
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

/// A writer that takes so many bytes.
struct Short {
    text: Vec<u8>,
    room: usize,
}

impl Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.room - self.text.len());
        self.text.extend_from_slice(&bytes[..taken]);
        if taken == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Printer<'a> {
    arena: &'a Arena,
    signs: &'static Signs,
    syntax: Syntax,
    /// What is left to write, the next thing last.
    steps: Vec<Step>,
}

impl Printer<'_> {
    /// How strong the operand of a prefix operator must be to need no brackets. A comparison gets
    /// them though it is an atom: in `AX (count(Q) >= 1)` they show what `AX` speaks of. NuSMV's
    /// prefix operators get them around everything but atoms: its manual does not say how strongly
    /// `AG` and its like bind.
    fn prefix_operand(&self, operand: Id) -> Strength {
        match self.arena.get(operand) {
            _ if self.syntax == Syntax::Smv => ATOM,
            Node::Var(symbol) if self.arena.name(symbol).contains(['<', '=', '>']) => BRACKETS,
            _ => PREFIX,
        }
    }

    fn push(&mut self, steps: &[Step]) {
        self.steps.extend(steps.iter().rev());
    }

    fn formula(&mut self, id: Id, least: Strength, out: &mut impl Write) -> io::Result<()> {
        let node = self.arena.get(id);
        if self.strength(node) < least {
            out.write_all(b"(")?;
            self.steps.push(Step::Text(")"));
        }
        let signs = self.signs;
        let path = |path: Path| signs.paths[usize::from(path == Path::Some)];
        match node {
            Node::True => out.write_all(signs.truth.as_bytes())?,
            Node::False => out.write_all(signs.falsity.as_bytes())?,
            Node::Var(symbol) => self.name(self.arena.name(symbol), out)?,
            Node::Not(a) => self.push(&[Step::Negated(a)]),
            Node::And(operands) => {
                self.push(&[
                    Step::Formula(operands[0], PREFIX),
                    Step::Rest(id, 1, PREFIX, signs.and),
                ]);
            }
            Node::Or(operands) => {
                self.push(&[Step::Formula(operands[0], AND), Step::Rest(id, 1, AND, signs.or)])
            }
            Node::Implies(a, b) => self.arrow(a, b, [OR, IMPLIES], signs.implies),
            Node::Iff(a, b) => self.arrow(a, b, [IFF, IMPLIES], signs.iff),
            Node::Next(p, a) => self.prefix(path(p), signs.unary[0], a),
            Node::Globally(p, a) => self.prefix(path(p), signs.unary[1], a),
            Node::Finally(p, a) => self.prefix(path(p), signs.unary[2], a),
            Node::Until(p, a, b) => self.until(path(p), a, signs.until, b),
            Node::WeakUntil(p, a, b) if self.syntax == Syntax::Smv => {
                let [not, quantifier, and] = [signs.not, path(p.dual()), signs.and].map(Step::Text);
                let [open, until, close] = [signs.open, signs.until, signs.close].map(Step::Text);
                let [not_a, not_b] = [a, b].map(Step::Negated);
                self.push(&[not, quantifier, open, not_b, until, not_a, and, not_b, close]);
            }
            Node::Release(p, a, b) if self.syntax == Syntax::Smv => {
                let [not, quantifier] = [signs.not, path(p.dual())].map(Step::Text);
                let [open, until, close] = [signs.open, signs.until, signs.close].map(Step::Text);
                self.push(&[
                    not,
                    quantifier,
                    open,
                    Step::Negated(a),
                    until,
                    Step::Negated(b),
                    close,
                ]);
            }
            Node::WeakUntil(p, a, b) => self.until(path(p), a, signs.weak_until, b),
            Node::Release(p, a, b) => self.until(path(p), a, signs.release, b),
        }
        Ok(())
    }

    fn strength(&self, node: Node<'_>) -> Strength {
        match node {
            Node::Iff(..) => IFF,
            Node::Implies(..) => IMPLIES,
            Node::Or(_) => OR,
            Node::And(_) => AND,
            Node::Not(_) | Node::Next(..) | Node::Globally(..) | Node::Finally(..) => PREFIX,
            Node::WeakUntil(..) | Node::Release(..) if self.syntax == Syntax::Smv => PREFIX,
            _ => ATOM,
        }
    }

    /// `->` and `<->`. NuSMV binds them the other way round, so there an arrow inside an arrow gets
    /// brackets.
    fn arrow(&mut self, a: Id, b: Id, [left, right]: [Strength; 2], sign: &'static str) {
        let [left, right] = if self.syntax == Syntax::Smv { [OR, OR] } else { [left, right] };
        self.push(&[Step::Formula(a, left), Step::Text(sign), Step::Formula(b, right)]);
    }

    fn prefix(&mut self, path: &'static str, unary: &'static str, a: Id) {
        self.push(&[Step::Text(path), Step::Text(unary), Step::Formula(a, self.prefix_operand(a))]);
    }

    fn until(&mut self, path: &'static str, a: Id, sign: &'static str, b: Id) {
        let [quantifier, open, until, close] =
            [path, self.signs.open, sign, self.signs.close].map(Step::Text);
        self.push(&[quantifier, open, Step::Formula(a, 0), until, Step::Formula(b, 0), close]);
    }

    fn name(&self, name: &str, out: &mut impl Write) -> io::Result<()> {
        match self.syntax {
            Syntax::Ascii | Syntax::Unicode => out.write_all(name.as_bytes()),
            Syntax::Latex => latex_name(name, out),
            Syntax::Smv => smv_name(name, out),
        }
    }
}

/// `p12` as p with an index, other names upright with their special characters escaped.
fn latex_name(name: &str, out: &mut impl Write) -> io::Result<()> {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name[letters.len()..];
    if letters.len() == 1 && letters != "_" && !digits.is_empty() {
        return write!(out, "{letters}_{{{digits}}}");
    }
    out.write_all(br"\mathrm{")?;
    for c in name.chars() {
        match c {
            '_' => out.write_all(br"\_")?,
            ' ' => out.write_all(br"\ ")?,
            _ => write!(out, "{c}")?,
        }
    }
    out.write_all(b"}")
}

/// Words NuSMV keeps for itself that are names here.
const SMV_RESERVED: &[&str] = &[
    "MODULE",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "FUN",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "PSLSPEC",
    "COMPUTE",
    "NAME",
    "INVARSPEC",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "ISA",
    "ASSIGN",
    "CONSTRAINT",
    "SIMPWFF",
    "CTLWFF",
    "LTLWFF",
    "PSLWFF",
    "COMPWFF",
    "IN",
    "MIN",
    "MAX",
    "MIRROR",
    "PRED",
    "PREDICATES",
    "process",
    "array",
    "of",
    "boolean",
    "integer",
    "real",
    "word",
    "word1",
    "bool",
    "signed",
    "unsigned",
    "extend",
    "resize",
    "sizeof",
    "uwconst",
    "swconst",
    "EBF",
    "ABF",
    "EBG",
    "ABG",
    "BU",
    "O",
    "H",
    "X",
    "Y",
    "Z",
    "G",
    "S",
    "V",
    "xor",
    "xnor",
    "mod",
    "case",
    "esac",
    "union",
    "in",
    "self",
    "next",
    "init",
    "count",
    "abs",
    "max",
    "min",
    "floor",
    "toint",
    "TRUE",
    "FALSE",
    "time",
    "typeof",
    "READ",
    "WRITE",
    "CONSTARRAY",
    "clock",
    "noncontinuous",
    "initial",
];

/// Injective: `$` stands in no name of ours but as `$24`.
fn smv_name(name: &str, out: &mut impl Write) -> io::Result<()> {
    let bytes = name.as_bytes();
    let is_plain = |at: usize| {
        bytes.get(at).is_some_and(|byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            _ if is_plain(at) => out.write_all(&[*byte])?,
            b'.' | b'-' | b'#' if at > 0 && is_plain(at - 1) && is_plain(at + 1) => {
                out.write_all(&[*byte])?;
            }
            _ => write!(out, "${byte:02X}")?,
        }
    }
    if SMV_RESERVED.contains(&name) { out.write_all(b"$") } else { Ok(()) }
}

/// The name that [`smv_name`] writes so; one that it never writes is itself.
pub(super) fn smv_plain_name(text: &str) -> Cow<'_, str> {
    if let Some(reserved) = text.strip_suffix('$')
        && SMV_RESERVED.contains(&reserved)
    {
        return Cow::Borrowed(reserved);
    }
    if !text.contains('$') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code =
            digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_lowercase()));
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(code) if byte == b'$' => {
                bytes.push(code);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}
