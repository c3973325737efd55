//! Proofs of rules kept on disk, so that a rule is put to its millions of positions once and not in
//! every run.
//!
//! A file holds the rule's text, what the proof depends on (the version of the program, whose
//! conditions it was put in) and the outcome, with a checksum. What does not fit in every byte is
//! proved again and written anew. A kept proof is believed as the tables beside it are:
//! certificates are not checked with it.

use std::io::Write;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{Check, Rule};

/// Raised when a condition's meaning or a table's content changes.
const VERSION: &str = concat!("theta-rule-proof 1 ", env!("CARGO_PKG_VERSION"));

/// A directory of proofs, one file for each rule.
#[derive(Debug)]
pub(super) struct Kept {
    directory: PathBuf,
}

fn subject(rule: &Rule) -> String {
    format!("{VERSION}\n{rule}\n")
}

impl Kept {
    /// The proofs below a cache directory.
    pub(super) fn below(cache: &Path) -> Self {
        Self { directory: cache.join("rules") }
    }

    fn path(&self, rule: &Rule) -> PathBuf {
        self.directory.join(format!("{:032x}.proof", xxh3_128(subject(rule).as_bytes())))
    }

    /// The outcome of an earlier check, without its counter-examples.
    pub(super) fn recall(&self, rule: &Rule) -> Option<Check> {
        let text = std::fs::read_to_string(self.path(rule)).ok()?;
        let (body, sum) = text.trim_end().rsplit_once("\nsum ")?;
        if u64::from_str_radix(sum, 16).ok()? != xxh3_64(body.as_bytes()) {
            return None;
        }
        let numbers: Vec<u64> =
            body.strip_prefix(&subject(rule))?.split(' ').map_while(|n| n.parse().ok()).collect();
        let [legal, applies, wrong, longest] = numbers[..] else { return None };
        let longest = longest.try_into().ok()?;
        Some(Check { legal, applies, wrong, longest, counterexamples: Vec::new() })
    }

    /// Keeps an outcome. A disk that is full or must not be written to costs the next run its time,
    /// nothing else.
    pub(super) fn keep(&self, rule: &Rule, check: &Check) {
        let Check { legal, applies, wrong, longest, .. } = check;
        let body = format!("{}{legal} {applies} {wrong} {longest}", subject(rule));
        let text = format!("{body}\nsum {:016x}\n", xxh3_64(body.as_bytes()));
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&self.directory)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
            file.write_all(text.as_bytes())?;
            file.persist(self.path(rule))?;
            Ok(())
        };
        let _ = write();
    }
}
