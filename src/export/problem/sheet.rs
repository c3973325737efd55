//! A problem on a sheet: its diagram with what stands above and below it, and its solution.

use super::{Letters, text};
use crate::chess::{Position, code};
use crate::export::svg::{Diagram, MARGIN, SIZE, in_words};
use crate::problem::{Solved, Status};
use std::io::{self, Write};

/// What a sheet shows.
#[derive(Debug, Clone, Copy)]
pub struct Sheet<'a> {
    /// The diagram.
    pub position: &'a Position,
    /// Author and source, or another name.
    pub name: Option<&'a str>,
    /// The solution.
    pub solved: &'a Solved,
    /// The letters that moves are written with.
    pub letters: Letters,
}

/// Height of what stands below the diagram.
const FOOT: i32 = 30;

/// The text with what has a meaning in HTML and SVG escaped.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Sheet<'_> {
    /// White's and Black's men, counted as composers do: `4+5`.
    pub fn count(&self) -> String {
        let men = self.position.vector().squares();
        let white = men.iter().filter(|&&man| (1..=code::BLACK).contains(&man)).count();
        let black = men.iter().filter(|&&man| man > code::BLACK).count();
        format!("{white}+{black}")
    }

    /// The solution as text, with the verdict.
    pub(super) fn solution(&self) -> String {
        let mut bytes = Vec::new();
        text::write(self.solved, self.letters, &mut bytes).expect("memory takes what is written");
        String::from_utf8(bytes).expect("text was written")
    }

    /// The diagram with the stipulation and the number of men beneath.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_svg(&self, out: &mut dyn Write) -> io::Result<()> {
        let (y, height) = (self.position.vector(), SIZE + FOOT);
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {height}\" \
             width=\"{SIZE}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\" \
             font-family=\"sans-serif\" font-size=\"12\">"
        )?;
        let stipulation = self.solved.stipulation;
        let title = self.name.unwrap_or("chess problem");
        writeln!(
            out,
            "<title id=\"title\">{}, {stipulation}</title>\n<desc id=\"desc\">{} {}.</desc>",
            escaped(title),
            in_words(y),
            text::task(self.solved)
        )?;
        writeln!(out, "<rect width=\"{SIZE}\" height=\"{height}\" fill=\"#fff\"/>")?;
        Diagram { flipped: false }.position(y, None, out)?;
        let (line, right) = (SIZE + 18, SIZE - MARGIN);
        writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"{line}\" font-size=\"16\">{stipulation}</text>\n\
             <text x=\"{right}\" y=\"{line}\" font-size=\"16\" text-anchor=\"end\">({})</text>\n\
             </svg>",
            self.count()
        )
    }

    /// A section of a page: name, diagram, solution.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_html(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<section>")?;
        if let Some(name) = self.name {
            writeln!(out, "<h2>{}</h2>", escaped(name))?;
        }
        self.write_svg(out)?;
        writeln!(out, "<p>{}</p>", escaped(&text::task(self.solved)))?;
        writeln!(out, "<pre>{}</pre>\n</section>", escaped(&self.solution()))
    }

    /// The environment `diagram` of the LaTeX package of that name, with the solution.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_latex(&self, out: &mut dyn Write) -> io::Result<()> {
        // The package's letters are German, and its Black is called `s`.
        const LETTERS: [char; 6] = ['K', 'D', 'T', 'L', 'S', 'B'];
        let mut men = Vec::new();
        for (colour, first) in [('w', 1), ('s', 1 + code::BLACK)] {
            for (letter, man) in LETTERS.iter().zip(first..) {
                let all = self.position.vector().squares().iter().enumerate();
                let squares = all
                    .filter(|(_, there)| **there == man)
                    .map(|(at, _)| format!("{}{}", char::from(b'a' + at as u8 % 8), at / 8 + 1));
                let squares: String = squares.collect();
                if !squares.is_empty() {
                    men.push(format!("{colour}{letter}{squares}"));
                }
            }
        }
        writeln!(out, "\\begin{{diagram}}")?;
        if let Some(name) = self.name {
            writeln!(out, "\\source{{{}}}", latex(name))?;
        }
        writeln!(out, "\\pieces[{}]{{{}}}", self.count(), men.join(", "))?;
        writeln!(out, "\\stip{{{}}}", latex(&self.solved.stipulation.to_string()))?;
        // The package prints C- where nothing is said.
        if matches!(self.solved.status(), Status::Sound | Status::Dual) {
            writeln!(out, "\\Co+")?;
        }
        let solution = self.solution();
        let lines: Vec<String> = solution.lines().map(indented).collect();
        writeln!(out, "\\sol{{{}}}", lines.join("\\\\\n"))?;
        writeln!(out, "\\end{{diagram}}")
    }
}

/// A line of the solution, its indentation kept.
fn indented(line: &str) -> String {
    let text = line.trim_start();
    match (line.len() - text.len()) / 2 {
        0 => latex(text),
        depth => format!("\\hspace*{{{depth}em}}{}", latex(text)),
    }
}

/// The text with what has a meaning in LaTeX escaped; figurines become those of the package.
fn latex(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '#' | '&' | '%' | '$' | '_' | '{' | '}' => out.extend(['\\', c]),
            '♔' => out.push_str("\\wK{}"),
            '♕' => out.push_str("\\wD{}"),
            '♖' => out.push_str("\\wT{}"),
            '♗' => out.push_str("\\wL{}"),
            '♘' => out.push_str("\\wS{}"),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            _ => out.push(c),
        }
    }
    out
}

/// What a page of sheets begins with.
pub const HTML_HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\
<title>Chess problems</title>\n<style>body{font-family:sans-serif;max-width:45em;margin:auto}\
pre{font-size:1.05em;white-space:pre-wrap}</style></head>\n<body>\n";

/// What a page of sheets ends with.
pub const HTML_TAIL: &str = "</body>\n</html>\n";

/// What a LaTeX document of diagrams begins with.
pub const LATEX_HEAD: &str = "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\
\\usepackage[utf8]{inputenc}\n\\usepackage{diagram}\n\\begin{document}\n\\noindent\n";

/// What a LaTeX document of diagrams ends with.
pub const LATEX_TAIL: &str = "\\par\\bigskip\\noindent\n\\putsol\n\\end{document}\n";
