//! Certificates checked: the kernel ([`theta_kernel`]) and what stands around it.
//!
//! The kernel checks with the paper's own rules and nothing else; what it does and why that is
//! enough is said in `docs/kernel.md`. Around it, and not part of it:
//!
//! * The kernel reads version 4. A certificate of version 1 to 3 is turned into one of version 4
//!   ([`crate::certificate::modern`]) and checked as that; what an accepted certificate proves is
//!   printed from what was checked, so that the turning need not be believed.
//! * A certificate may cite rules that end lines. The kernel takes them as hypotheses. Whoever calls
//!   [`verify_with`] proves them; without a proof of every rule the certificate is rejected. All of
//!   the head, the body and the checksum is read before any rule is proved.

use crate::aim::nodes_text;
use crate::certificate::{Claim, modern};
use crate::chess::{Move, Packed, Side, Vector};
use crate::strategy::Rules;
use std::cell::RefCell;
use std::collections::HashMap;
use theta_kernel::{Certificate, Ends, check, memory_needed};

pub use theta_kernel::{FormatError, Rejection};

/// What an accepted certificate proves.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// The root position.
    pub root: Vector,
    /// The claim, proved.
    pub claim: Claim,
    /// The aim that the claim speaks of, written from what was checked.
    pub aim: Option<String>,
    /// The positions with an owner's move, all sections together.
    pub positions: u64,
    /// Plies to mate or to the aim that the strategy needs at most; `None` in a hold.
    pub plies: Option<u32>,
    /// Where keys are claimed, all of them.
    pub keys: Option<Vec<Move>>,
    /// The rules that it cites, and for each the positions in which it ended lines.
    pub rules: Vec<(String, u64)>,
    /// The remarks in the file; not part of the proof.
    pub notes: Vec<String>,
}

/// Proves rules from their texts, all of them or none (`Err` says why); `None` when the proof is
/// abandoned.
pub type Prove<'a> = dyn FnMut(&[String]) -> Result<Option<Box<dyn Rules>>, String> + 'a;

/// Checks a certificate from scratch, if it cites no rules, by one thread. About 3 to 20 µs a
/// position. `progress` is called with the number of entries checked, every few milliseconds; when it answers `false`
/// the check is abandoned (`None`).
///
/// # Errors
/// The first fault found.
pub fn verify(
    bytes: &[u8],
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Accepted>, Rejection> {
    verify_with(bytes, 1, &mut |_| Err("nothing here proves rules".into()), progress)
}

/// As [`verify`], with the rules that are cited proved by `prove`, and sections by slices checked by
/// so many threads, one at least: the answer is the same.
///
/// # Errors
/// The first fault found.
pub fn verify_with(
    bytes: &[u8],
    threads: usize,
    prove: &mut Prove<'_>,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Accepted>, Rejection> {
    let bytes = modern(bytes)?;
    let certificate = Certificate::read(&bytes)?;
    verify_read(certificate, threads, prove, progress)
}

/// Bytes that [`verify_read`] by so many threads takes at most beside the file and the proof of
/// rules.
pub fn memory(certificate: &Certificate<'_>, threads: usize) -> u64 {
    memory_needed(certificate, threads)
}

/// As [`verify_with`], of a certificate that has been read.
///
/// # Errors
/// The first fault found.
pub fn verify_read(
    certificate: Certificate<'_>,
    threads: usize,
    prove: &mut Prove<'_>,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Accepted>, Rejection> {
    let rules = match &certificate.rules[..] {
        [] => None,
        texts => match prove(texts).map_err(Rejection::Rules)? {
            Some(rules) => Some(Cited { rules, ended: RefCell::default() }),
            None => return Ok(None),
        },
    };
    let ends = rules.as_ref().map(|cited| cited as &dyn Ends);
    let proved = match check(&certificate, ends, threads, progress) {
        Err(Rejection::Abandoned) => return Ok(None),
        checked => checked?,
    };
    let count = |rule: usize| rules.as_ref().map_or(0, |cited| cited.count(rule));
    Ok(Some(Accepted {
        root: proved.root,
        claim: proved.claim,
        aim: proved.aim.as_ref().map(nodes_text),
        positions: proved.positions,
        plies: proved.plies,
        keys: matches!(proved.claim, Claim::Keys(..) | Claim::AimKeys(..)).then_some(proved.keys),
        rules: certificate
            .rules
            .into_iter()
            .enumerate()
            .map(|(n, text)| (text, count(n)))
            .collect(),
        notes: certificate.notes,
    }))
}

/// Proved rules, and the positions in which they ended lines, with the rule's number.
struct Cited {
    rules: Box<dyn Rules>,
    ended: RefCell<HashMap<Packed, u32>>,
}

impl Cited {
    fn count(&self, rule: usize) -> u64 {
        self.ended.borrow().values().filter(|&&by| by as usize == rule).count() as u64
    }
}

impl Ends for Cited {
    fn ends(&self, p: &Packed, owner: Side, wins: bool) -> Option<u32> {
        let end = self.rules.end(p, owner, wins)?;
        self.ended.borrow_mut().insert(*p, end.rule);
        Some(end.plies)
    }
}
