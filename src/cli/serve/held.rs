//! What a job keeps for those who come back: a certificate with its strategies, or a text.

use crate::cli::serve::error::ApiError;
use serde::Serialize;
use std::io::{self, Write};
use theta_chess::certificate::Certificate;
use theta_chess::chess::Side;
use theta_chess::chess::board::Board;
use theta_chess::export::walk::{Stop, step};
use theta_chess::export::{Outline, dot, html, json, pgn, svg, text};
use theta_chess::limits::Budget;

/// Bytes of a certificate that is kept.
pub const MAX_KEPT: usize = 32 << 20;
/// Bytes of a strategy in another form.
const MAX_EXPORT: usize = 32 << 20;

/// What a job keeps.
pub enum Held {
    /// A certificate, its file, and whether no mate is shorter.
    Certificate { certificate: Box<Certificate>, file: Vec<u8>, shortest: bool },
    /// A text.
    Text(String),
}

/// The forms in which a strategy is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// A game with variations.
    Pgn,
    /// The diagram of the root.
    Svg,
    /// A page to walk through.
    Html,
    /// An indented tree.
    Text,
    /// The nodes.
    Json,
    /// A graph for Graphviz.
    Dot,
    /// The certificate.
    Cert,
}

impl Form {
    /// The media type, and the ending of a file's name.
    pub fn media(self) -> (&'static str, &'static str) {
        match self {
            Self::Pgn => ("application/x-chess-pgn", "pgn"),
            Self::Svg => ("image/svg+xml", "svg"),
            Self::Html => ("text/html; charset=utf-8", "html"),
            Self::Text => ("text/plain; charset=utf-8", "txt"),
            Self::Json => ("application/json", "json"),
            Self::Dot => ("text/vnd.graphviz", "dot"),
            Self::Cert => ("application/octet-stream", "cert"),
        }
    }
}

impl Held {
    /// A certificate, unless its file is too large to be kept.
    pub fn of_certificate(certificate: Certificate, shortest: bool) -> Option<Self> {
        let mut file = Capped::new(MAX_KEPT, Budget::default());
        certificate.write(&mut file).ok()?;
        let certificate = Box::new(certificate);
        Some(Self::Certificate { certificate, file: file.bytes, shortest })
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        match self {
            // The strategies in memory are about as large as the file.
            Self::Certificate { file, .. } => 3 * file.len(),
            Self::Text(text) => text.len(),
        }
    }

    /// The certificate's file, or nothing.
    pub fn file(&self) -> &[u8] {
        match self {
            Self::Certificate { file, .. } => file,
            Self::Text(_) => &[],
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Certificate { .. } => None,
        }
    }

    /// Whose strategies the certificate has.
    pub fn sides(&self) -> impl Iterator<Item = Side> + '_ {
        let certificate = match self {
            Self::Certificate { certificate, .. } => Some(certificate),
            Self::Text(_) => None,
        };
        certificate.into_iter().flat_map(|c| c.strategies.iter().map(|s| s.owner()))
    }

    fn certificate(&self) -> Result<(&Certificate, bool), ApiError> {
        match self {
            Self::Certificate { certificate, shortest, .. } => Ok((certificate, *shortest)),
            Self::Text(_) => Err(no_strategy()),
        }
    }

    /// One position of a strategy; the root where none is named.
    ///
    /// # Errors
    /// No strategy of that side, or a position that is not in it.
    pub fn walk(&self, side: Option<Side>, at: Option<&Board>) -> Result<Stop, ApiError> {
        let (certificate, _) = self.certificate()?;
        let owner = match side {
            Some(side) => side,
            None => self.sides().next().ok_or_else(no_strategy)?,
        };
        step(certificate, owner, at)
            .map_err(|error| ApiError::not_found(error.to_string()))?
            .ok_or_else(|| ApiError::not_found("the strategy does not lead to this position"))
    }

    /// The strategies in another form.
    ///
    /// # Errors
    /// No strategy of that side, a form that is too long, or a limit that came first.
    pub fn export(
        &self,
        form: Form,
        side: Option<Side>,
        depth: Option<u32>,
        budget: Budget,
    ) -> Result<Vec<u8>, ApiError> {
        let (certificate, shortest) = self.certificate()?;
        if form == Form::Cert {
            return Ok(self.file().to_vec());
        }
        if !certificate.cited().is_empty() {
            return Err(ApiError::not_found(
                "tables end the lines of this certificate: there is no whole strategy to write",
            ));
        }
        let sides: Vec<Side> = self.sides().filter(|own| side.is_none_or(|s| s == *own)).collect();
        let mut outlines = Vec::new();
        for &owner in &sides {
            let depth = if form == Form::Svg { Some(1) } else { depth };
            let outline = Outline::new(certificate, owner, depth);
            let outline = outline.map_err(|error| ApiError::not_found(error.to_string()))?;
            outlines.push(outline.with_shortest(shortest));
        }
        if outlines.is_empty() {
            return Err(no_strategy());
        }
        let mut out = Capped::new(MAX_EXPORT, budget);
        match write(form, &outlines, certificate, &mut out) {
            Ok(()) => Ok(out.bytes),
            Err(error) => Err(ApiError::too_large(format!(
                "{error}; `depth` shortens it, and `theta strategy --from FILE` writes it whole"
            ))),
        }
    }

    /// The strategies as `theta strategy --json` prints them, with so many nodes.
    ///
    /// # Errors
    /// A certificate without a whole strategy.
    pub fn nodes(&self, limit: usize) -> Result<Vec<Nodes>, ApiError> {
        let (certificate, shortest) = self.certificate()?;
        let mut found = Vec::new();
        for owner in self.sides() {
            let outline = Outline::new(certificate, owner, None)
                .map_err(|error| ApiError::not_found(error.to_string()))?
                .with_shortest(shortest);
            let nodes: Vec<_> = outline.nodes().take(limit).collect();
            let mut heading = outline.heading();
            heading.shown = nodes.len() as u32;
            found.push(Nodes { heading, nodes });
        }
        Ok(found)
    }
}

/// A strategy as far as it is shown.
#[derive(Serialize)]
pub struct Nodes {
    #[serde(flatten)]
    heading: theta_chess::export::Heading,
    nodes: Vec<theta_chess::export::Node>,
}

fn no_strategy() -> ApiError {
    ApiError::not_found("this job has no strategy of that side")
}

fn write(
    form: Form,
    outlines: &[Outline],
    certificate: &Certificate,
    out: &mut Capped,
) -> io::Result<()> {
    let each = |out: &mut Capped, one: &dyn Fn(&Outline, &mut dyn Write) -> io::Result<()>| {
        outlines.iter().try_for_each(|outline| one(outline, &mut *out))
    };
    match form {
        Form::Html => html::write(outlines, html::DEFAULT_LIMIT, out),
        Form::Svg => {
            let root = certificate.root();
            let own = outlines.iter().find(|outline| outline.owner() == Side::to_move(root));
            svg::write(root, &svg::Marks::of_root(own.unwrap_or(&outlines[0])), out)
        }
        Form::Pgn => each(out, &|outline, out| pgn::write(outline, out)),
        Form::Text => each(out, &|outline, out| text::write(outline, out)),
        Form::Json => each(out, &|outline, out| json::write(outline, out)),
        Form::Dot => each(out, &|outline, out| dot::write(outline, out)),
        Form::Cert => certificate.write(out),
    }
}

/// Bytes up to a limit of their number, and of time.
pub struct Capped {
    pub bytes: Vec<u8>,
    limit: usize,
    budget: Budget,
}

impl Capped {
    pub fn new(limit: usize, budget: Budget) -> Self {
        Self { bytes: Vec::new(), limit, budget }
    }
}

impl Write for Capped {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + piece.len() > self.limit {
            return Err(io::Error::other(format!("longer than {} MiB", self.limit >> 20)));
        }
        if self.bytes.len() >> 16 != (self.bytes.len() + piece.len()) >> 16 {
            self.budget.check(0, 0).map_err(io::Error::other)?;
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
