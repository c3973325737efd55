//! The links of a chain as they are told: one for each class of positions and each aim.

use super::aim_prover::Reached;
use super::chain::{Book, Proved, Want};
use crate::aim::Goal;
use crate::certificate::Strategy;
use crate::chess::board::Board;
use crate::chess::fen;
use crate::library::rules::read_cited;
use crate::pioneer::aims::mate;
use crate::pioneer::image::Horizon;
use crate::strategy::{Citation, CitedRules};
use crate::tables::Tables;
use std::collections::BTreeMap;

/// One link of a chain: an aim that is forced from a position, or from every position of a class.
#[derive(Debug, Clone, serde::Serialize)]
#[non_exhaustive]
pub struct Link {
    /// How many links lie before it.
    pub depth: usize,
    /// The claim in words.
    pub claim: String,
    /// From how many positions.
    pub positions: usize,
    /// One of them.
    pub fen: String,
    /// The aim from there, in the syntax that `check` reads.
    pub aim: String,
    /// It is reached in at most this many plies.
    pub plies: u16,
    /// The horizon whose zones gave the attacker's moves, the widest; none if all moves were needed
    /// somewhere, or tables or planned trajectories gave them.
    pub horizon: Option<u8>,
    /// The positions in which it may be reached; 0 for mate and tables.
    pub ends: usize,
}

impl Link {
    /// The link in one line.
    pub fn note(&self) -> String {
        format!("{}. {} in at most {} plies: {}", self.depth + 1, self.claim, self.plies, self.aim)
    }

    fn of(proved: &Proved, depth: usize) -> Self {
        let us = proved.from.side_to_move();
        Self {
            depth,
            claim: proved.claim.clone().unwrap_or_else(|| proved.want.words(us)),
            positions: 1,
            fen: fen(&proved.from.vector()),
            aim: proved.want.aim(&proved.from).unwrap_or_else(|| mate(us)).to_string(),
            plies: proved.reached.plan.plies(),
            horizon: proved.reached.horizon.map(Horizon::plies),
            ends: proved.reached.plan.ends().len(),
        }
    }

    fn join(&mut self, other: Self) {
        self.positions += other.positions;
        self.plies = self.plies.max(other.plies);
        self.horizon = self.horizon.zip(other.horizon).map(|(a, b)| a.max(b));
        self.ends += other.ends;
    }
}

/// A single link to an aim that was asked for, or that leads no further.
pub(super) fn reduced_link(root: &Board, claim: String, goal: &Goal, reached: &Reached) -> Link {
    Link {
        depth: 0,
        claim,
        positions: 1,
        fen: fen(&root.vector()),
        aim: goal.aim().to_string(),
        plies: reached.plan.plies(),
        horizon: reached.horizon.map(Horizon::plies),
        ends: reached.plan.ends().len(),
    }
}

/// The links that a chain uses, by depth; those of one depth with the same kind of aim as one. The
/// endings of at most `table_men` men that the strategy enters, and plays by their tables, are the
/// last link.
pub(super) fn links_of(
    book: &Book,
    root: usize,
    used: &[usize],
    strategy: &Strategy,
    table_men: usize,
) -> Vec<Link> {
    let mut depths = vec![0; book.links.len()];
    // A link's followers are older: newest first, each has its depth before it hands it on.
    for &id in used.iter().rev() {
        for &next in &book.links[id].next {
            depths[next] = depths[next].max(depths[id] + 1);
        }
    }
    let mut joined: Vec<(usize, &Want, Link)> = Vec::new();
    for &id in used.iter().rev() {
        let (proved, depth) = (&book.links[id], depths[id]);
        let link = Link::of(proved, depth);
        let same = |(d, want, _): &&mut (usize, &Want, Link)| {
            *d == depth && id != root && **want == proved.want
        };
        match joined.iter_mut().find(same) {
            Some((.., known)) => known.join(link),
            None => joined.push((depth, &proved.want, link)),
        }
    }
    joined.sort_by_key(|(depth, ..)| *depth);
    let mut links: Vec<Link> = joined.into_iter().map(|(.., link)| link).collect();
    let depth = links.last().map_or(0, |link| link.depth + 1);
    links.extend(by_tables(strategy, depth, table_men));
    let [rules, tables] = CitedRules::split(strategy.cited());
    let texts: Vec<String> = rules.into_iter().map(|(_, text)| text).collect();
    let rules = read_cited(&texts).unwrap_or_default();
    let rules: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
    let tables = tables.iter().filter_map(|(_, text)| Some(Citation::read(text)?.table));
    let tables: Vec<&str> = tables.collect();
    for (what, names) in [("proved rules", rules), ("Syzygy tables", tables)] {
        if let (Some(last), false) = (links.last_mut(), names.is_empty()) {
            last.claim = format!("{}; {what} ({}) end lines too", last.claim, names.join(", "));
        }
    }
    links
}

/// The last link: the tables that the strategy ends in.
fn by_tables(strategy: &Strategy, depth: usize, men: usize) -> Option<Link> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut longest: Option<(u32, Board)> = None;
    for (packed, answer) in strategy.iter().filter(|(packed, _)| packed.len() <= men) {
        let board = Board::of_legal(&packed);
        let Some(material) = Tables::material_of(&board) else { continue };
        *names.entry(material.to_string()).or_default() += 1;
        if longest.as_ref().is_none_or(|(rank, _)| answer.rank > *rank) {
            longest = Some((answer.rank, board));
        }
    }
    let (plies, board) = longest?;
    let us = board.side_to_move();
    Some(Link {
        depth,
        claim: format!(
            "{} wins by the tables {}",
            us,
            names.keys().cloned().collect::<Vec<_>>().join(", ")
        ),
        positions: names.values().sum(),
        fen: fen(&board.vector()),
        aim: mate(us).to_string(),
        plies: plies as u16,
        horizon: None,
        ends: 0,
    })
}
