//! Closed sets: positions and patterns that no legal move leaves, in which a side is never mated.
//!
//! The root is in the set. From each position listed every legal move leads to a position of the
//! set, and so it does from each position of a pattern; dead material ([`dead_men`]) counts as the
//! set. No position listed is a mate of the owner, and no move from one leads to such a mate in a
//! pattern. Within patterns no move leads to one: that is what [`Pattern::quiet_mate`] and
//! [`Event::mates`] exclude. By induction over the moves of any game from the root: each position is
//! in the set, and none is a mate of the owner.
//!
//! A position with a mark, of which a pattern knows nothing: its moves are those of the same
//! position without the mark, and the capture in passing, which the event before it brought along.
//! So the induction speaks of positions up to a mark that a pattern's own move has left.
//!
//! Everything is stored: nothing here grows a pattern.
//!
//! [`dead_men`]: super::dead::dead_men
//! [`Event::mates`]: super::follow::Event

use super::dead::dead_men;
use super::fen::fen;
use super::format::{Certificate, Section};
use super::legal::Side;
use super::meter::{Abandoned, Meter};
use super::moves::successors;
use super::packed::Packed;
use super::pattern::Pattern;
use super::rejection::{Rejection, is_mated, legal};
use super::sets::kind;
use super::table::Table;
use super::vector::{Profile, Vector, code};
use std::collections::BTreeMap;

/// Bytes that a pattern takes at most.
pub(crate) const PATTERN: u64 = 1800;

/// The set.
struct Closed<'a> {
    listed: Table<'a>,
    patterns: Vec<Pattern>,
    /// The patterns of each material.
    by_men: BTreeMap<Vec<u8>, Vec<usize>>,
    owner: Side,
}

/// Checks that the section's owner is never mated.
pub(crate) fn never(
    certificate: &Certificate<'_>,
    section: &Section,
    meter: &mut Meter<'_>,
) -> Result<(), Rejection> {
    let root = &certificate.root;
    let mut set = Closed {
        listed: Table::new(section.entries, Some(certificate.bytes())),
        patterns: certificate.patterns(section).collect(),
        by_men: BTreeMap::new(),
        owner: section.owner,
    };
    for (at, pattern) in set.patterns.iter().enumerate() {
        set.by_men.entry(pattern.material()).or_default().push(at);
    }
    for (number, (p, at)) in (meter.done + 1..).zip(certificate.positions(section)) {
        meter.spend(1)?;
        let y = legal(&p, root, number)?;
        if !set.listed.insert(&p, at, 0, meter)? {
            return Err(Rejection::Twice(number, fen(&y)));
        }
    }
    if !set.covers(root, meter)? {
        return Err(Rejection::ForeignRoot(fen(root)));
    }
    for (p, _) in certificate.positions(section) {
        meter.done += 1;
        meter.moves()?;
        for (_, z) in successors(Profile::Fide, &legal(&p, root, meter.done)?) {
            if !set.covers(&z, meter)? {
                return Err(Rejection::MissingReply(fen(&z)));
            }
        }
    }
    for pattern in &set.patterns {
        meter.done += 1;
        set.leads_nowhere_else(pattern, meter)?;
    }
    Ok(())
}

impl Closed<'_> {
    /// Whether a position is in the set and no mate of the owner.
    fn covers(&self, y: &Vector, meter: &mut Meter<'_>) -> Result<bool, Rejection> {
        if is_mated(y, self.owner) {
            return Err(Rejection::OwnerMated(fen(y)));
        }
        let men = (0u32..).zip(y.squares()).filter(|&(_, &man)| kind(man) > code::KING);
        if dead_men(men.map(|(at, &man)| (man, 1 << at)), self.owner)
            || self.listed.get(&Packed::from(y), meter)?.is_some()
        {
            return Ok(true);
        }
        match Pattern::of(y) {
            Some(pattern) => Ok(self.holds(&pattern, meter)?),
            None => Ok(false),
        }
    }

    /// Whether all positions of a pattern are in one of the set's.
    fn holds(&self, pattern: &Pattern, meter: &mut Meter<'_>) -> Result<bool, Abandoned> {
        for &at in self.by_men.get(&pattern.material()).into_iter().flatten() {
            meter.spend(1)?;
            if pattern.within(&self.patterns[at]) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// No legal move leads from a pattern out of the set, or to a mate of the owner.
    fn leads_nowhere_else(
        &self,
        pattern: &Pattern,
        meter: &mut Meter<'_>,
    ) -> Result<(), Rejection> {
        let fault = |why| Err(Rejection::Pattern(meter.done, why));
        let officer = |at: &usize| kind(pattern.men[*at].code) != code::PAWN;
        let leaves = |at: usize| pattern.arrivals(at) & !pattern.men[at].squares != 0;
        if (0..pattern.men.len()).filter(officer).any(leaves) {
            return fault("a man may leave its squares");
        }
        if !pattern.kings_after().within(&pattern.kings) {
            return fault("the kings may come to stand otherwise");
        }
        if pattern.quiet_mate(self.owner) {
            return fault("a mate is not excluded");
        }
        let mut outcome = Ok(());
        pattern.events(self.owner, &mut |event| {
            let within = match meter.ask() {
                Err(abandoned) => Err(abandoned.into()),
                Ok(()) if event.mates => {
                    Err(Rejection::Pattern(meter.done, "a mate after a capture or a pawn's move"))
                }
                Ok(()) => match self.holds(&event.pattern, meter) {
                    Err(abandoned) => Err(abandoned.into()),
                    Ok(true) => Ok(()),
                    Ok(false) => {
                        Err(Rejection::Pattern(meter.done, "a capture or a pawn's move leads out"))
                    }
                },
            };
            outcome = within;
            outcome.is_ok()
        });
        outcome
    }
}
