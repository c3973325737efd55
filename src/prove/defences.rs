//! Every defence by itself: what the side that is not to move comes out with after each move of the
//! other.
//!
//! "What does this move force?" is asked of the position after it. The answer names a level of
//! material for each reply; what is forced whatever the reply is the least of them, and that has a
//! certificate. A chain is as strong as its weakest link: after the first round only replies that
//! cost something are looked at again.
//!
//! # References
//! docs/theory.md §§7 and 13.

use super::aim_prover::Reached;
use super::level::{Ascent, Level};
use super::link::Link;
use super::prover::{Proof, Prover};
use crate::certificate::Claim;
use crate::chess::Side;
use crate::chess::Value;
use crate::chess::board::{Board, Position as _};
use crate::chess::{Move, fen};
use crate::pioneer::image::Horizon;
use crate::pioneer::play::balance;
use crate::tables::Tables;
use std::time::Duration;

impl Prover<'_> {
    /// Proves as much as it can for the side that is *not* to move: the value, or what it comes out
    /// with against each move of the other side.
    pub fn prove_against(&mut self, root: &Board) -> Proof {
        let men = root.chess().board().occupied().count();
        if men <= self.options.table_men && Tables::covers(root) {
            return self.by_tables(root);
        }
        let us = root.side_to_move().other();
        let now = balance(root, us);
        let mut ascents = Ascent::after_each_reply(root);
        let mut first_round = true;
        let proof = self.rounds(|prover, slice| {
            if first_round {
                // Every defence has an answer before any has a better one.
                for ascent in &mut ascents {
                    ascent.step(&mut prover.aim_prover, slice, Duration::ZERO);
                }
            }
            if let Some(decided) = prover.value(root, slice) {
                return Some(decided);
            }
            ascents.sort_by_key(Ascent::level);
            let least = ascents.first().and_then(Ascent::level);
            for ascent in &mut ascents {
                let costs = ascent.level() < Some(Level::Material(now)) || ascent.level() == least;
                if first_round {
                    ascent.mate(&mut prover.aim_prover, slice / 4);
                }
                if first_round || costs {
                    ascent.go_on(&mut prover.aim_prover, slice, Duration::ZERO);
                }
            }
            first_round = false;
            None
        });
        if proof.complete { proof } else { self.against_each(root, proof, ascents) }
    }

    /// What is forced against the best defence, with its certificate, and against each.
    fn against_each(&self, root: &Board, proof: Proof, mut ascents: Vec<Ascent>) -> Proof {
        ascents.sort_by_key(Ascent::level);
        let us = root.side_to_move().other();
        let Some(level) = ascents.first().and_then(Ascent::level) else { return proof };
        let goal = level.goal(us);
        let plans: Vec<&Reached> =
            ascents.iter().filter_map(|ascent| Some(&ascent.best.as_ref()?.1)).collect();
        let owner = us;
        let (mut certificate, uncertified) = self.of_aim(root, owner, &goal, &plans);
        let mut whole = link(root, us, level, &ascents.iter().collect::<Vec<_>>());
        (whole.positions, whole.fen) = (1, fen(&root.vector()));
        if let Some(Claim::Forces(_, plies) | Claim::Wins(_, plies)) =
            certificate.as_ref().map(|c| c.claim)
        {
            // The strategy ends where the least is safe, before the ends of the plans that reach
            // more.
            (whole.plies, whole.ends) = (plies as u16, 0);
        }
        let groups = ascents.chunk_by(|a, b| a.level() == b.level());
        let told = groups.filter_map(|group| against(root, us, group));
        let links: Vec<Link> = std::iter::once(whole).chain(told).collect();
        if let Some(certificate) = &mut certificate {
            certificate.notes = links.iter().map(Link::note).collect();
        }
        let value = (level == Level::Mate).then(|| Value::Wins(owner, links[0].plies.into()));
        Proof { value, aim: Some(goal.aim().to_string()), links, certificate, uncertified, ..proof }
    }
}

/// The link of the replies after which one level is reached.
fn against(root: &Board, us: Side, group: &[Ascent]) -> Option<Link> {
    let level = group.first()?.level()?;
    let mut link = link(root, us, level, &group.iter().collect::<Vec<_>>());
    let san = |reply: Move| root.find(reply).map(|m| root.san(m));
    let replies: Vec<String> = group.iter().filter_map(|ascent| san(ascent.reply?)).collect();
    link.claim = format!("after {}: {}", replies.join(", "), link.claim);
    (link.depth, link.plies) = (1, link.plies - 1);
    Some(link)
}

/// The claim of a level from the positions after these replies; plies from `root`.
fn link(root: &Board, us: Side, level: Level, ascents: &[&Ascent]) -> Link {
    let reached = || ascents.iter().filter_map(|ascent| Some(&ascent.best.as_ref()?.1));
    let widest = reached()
        .map(|r| r.horizon.map(Horizon::plies))
        .reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b)));
    Link {
        depth: 0,
        claim: level.words(us, balance(root, us)),
        positions: ascents.len(),
        fen: ascents.first().map_or_else(String::new, |ascent| fen(&ascent.from.vector())),
        aim: level.goal(us).aim().to_string(),
        plies: reached().map(|r| r.plan.plies()).max().unwrap_or(0) + 1,
        horizon: widest.flatten(),
        ends: reached().map(|r| r.plan.ends().len()).sum(),
    }
}
