//! Why a position has its value: the smallest tree for a person, or a mate as composers tell it.

use super::work::{Attempt, Step, Task, internal, position, request};
use crate::cli::cited::read_rules;
use crate::cli::explain::{NEAR, Report, Solution, TRIED, can_arise};
use crate::cli::serve::asked::Asked;
use crate::cli::serve::desk::Desk;
use crate::cli::serve::error::ApiError;
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use theta_chess::chess::board::Board;
use theta_chess::chess::{Position, Side, Value};
use theta_chess::export::{explained, solution};
use theta_chess::library::explain::{Explained, Goal, Leaf, Leaves, NodeKind, Tree, explain};
use theta_chess::library::rules::{Rule, RuleBook};
use theta_chess::limits::Budget;
use theta_chess::solve::Verdict;
use theta_chess::tables::{MAX_MEN, TableError, Tables};

request! {
    /// A position whose value is to be explained.
    Request {
        /// The position: FEN, counters optional, underscores for spaces.
        fen: String,
        /// Whose proof: white or black (the winner's; in a draw both).
        #[serde(default)]
        side: Option<Owner>,
    }
}

/// A side, as requests name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    White,
    Black,
}

impl From<Owner> for Side {
    fn from(owner: Owner) -> Self {
        match owner {
            Owner::White => Self::White,
            Owner::Black => Self::Black,
        }
    }
}

/// Men of the largest tables in which lines end.
const LEAF_MEN: usize = 3;

/// The work.
pub struct Explain {
    root: Position,
    side: Option<Side>,
    asked: Asked,
}

/// A reason for which lines end, in words, and how many do.
#[derive(Serialize)]
struct Ending {
    name: String,
    lines: usize,
    /// What the rule says.
    #[serde(skip_serializing_if = "Option::is_none")]
    says: Option<String>,
}

impl Explain {
    /// # Errors
    /// A request that cannot be read.
    pub fn new(request: Request) -> Result<Self, ApiError> {
        let root = position(&request.fen)?;
        Ok(Self { root, side: request.side.map(Side::from), asked: request.limits()? })
    }

    /// The mate in a few moves as composers tell it, where it is one.
    fn mate(&self, verdict: &Verdict, desk: &Desk, budget: &Budget) -> Option<Json> {
        let mover = self.root.side_to_move();
        let near = matches!(verdict.value(), Some(Value::Wins(_, 0..=NEAR)));
        let told = near || self.root.men() > MAX_MEN;
        if !told || self.side.is_some_and(|side| side != mover) {
            return None;
        }
        let key = desk.solver.solution(verdict, budget).ok()??;
        let mut text = Vec::new();
        solution::write(mover, &key, &mut text).ok()?;
        let fen = self.root.to_string();
        let mut told = serde_json::to_value(Solution { fen, solution: &key }).ok()?;
        told["kind"] = "solution".into();
        told["text"] = String::from_utf8_lossy(&text).into();
        Some(told)
    }

    fn goals(&self, verdict: &Verdict) -> Vec<Goal> {
        let goals = match verdict.value() {
            None => Vec::new(),
            Some(Value::Wins(winner, _)) => vec![Goal { owner: winner, wins: true }],
            Some(Value::Draw) => {
                [Side::White, Side::Black].map(|owner| Goal { owner, wins: false }).to_vec()
            }
        };
        let fits = |goal: &Goal| self.side.is_none_or(|side| side == goal.owner);
        goals.into_iter().filter(fits).collect()
    }
}

impl Task for Explain {
    fn asked(&self) -> Asked {
        self.asked
    }

    fn run(&mut self, at: &mut Attempt<'_>, budget: &Budget) -> Result<Step, ApiError> {
        let (board, desk) = (self.root.board(), at.desk);
        let half = budget.remaining().map_or_else(|| budget.clone(), |left| budget.part(left / 2));
        let verdict = desk.solver.solve(&self.root, &half).map_err(internal)?;
        if let Some(told) = self.mate(&verdict, desk, budget) {
            at.tell("result", &told);
            return Ok(Step::Over);
        }
        let fen = self.root.to_string();
        let none = |why: &str| json!({"kind": "none", "fen": fen, "text": "", "why": why});
        let goals = self.goals(&verdict);
        if goals.is_empty() {
            let told = match verdict.value() {
                None => none("the value is not known within the limits"),
                Some(_) => none("that side loses: there is nothing to show for it"),
            };
            at.tell("result", &told);
            return Ok(Step::Over);
        }
        let rules = fitting(&board)?;
        let (book, complete) = desk.proved(&rules, &half_of(budget)).map_err(internal)?;
        if !complete {
            let text = "some rules are not proved in time: no line ends by them";
            at.tell("note", &json!({"text": text}));
        }
        let (mut trees, mut text, mut endings) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut why = None;
        for goal in goals {
            let (found, leaves) = smallest(&board, goal, desk, &book, budget).map_err(internal)?;
            let Some(tree) = &found.tree else {
                let stop = found.stop.map_or_else(String::new, |stop| format!(" ({stop})"));
                why = Some(format!("no tree of up to {} moves{stop}", found.none_below));
                continue;
            };
            if let Some(fault) = tree.fault(&leaves).map_err(internal)? {
                return Err(ApiError::internal(format!("the tree is wrong: {fault}")));
            }
            count(tree, &mut endings);
            explained::write(tree, &mut text).map_err(internal)?;
            let (moves, leaves) = (tree.moves(), explained::leaves(tree));
            let report =
                Report { fen: fen.clone(), moves, leaves, positions: found.positions, tree };
            trees.push(serde_json::to_value(report).map_err(internal)?);
        }
        let says = |name: &str| {
            let rule = rules.iter().find(|rule| name.starts_with(&format!("rule {}", rule.name)));
            rule.map(|rule| rule.says.clone())
        };
        let endings: Vec<Ending> = endings
            .into_iter()
            .map(|(name, lines)| Ending { says: says(&name), name, lines })
            .collect();
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut told = json!({
            "kind": "tree", "fen": fen, "trees": trees, "text": text, "rules": endings,
        });
        if let Some(why) = why {
            told["why"] = why.into();
        }
        at.tell("result", &told);
        Ok(Step::Over)
    }
}

fn half_of(budget: &Budget) -> Budget {
    budget.remaining().map_or_else(|| budget.clone(), |left| budget.part(left / 2))
}

/// The rules of the collection about men that can be left over.
fn fitting(board: &Board) -> Result<Vec<Rule>, ApiError> {
    let rules = read_rules(None).map_err(internal)?;
    Ok(rules.into_iter().filter(|rule| can_arise(board, rule.material)).collect())
}

/// The smallest tree; where none is found soon, lines also end in tables where the material changes.
fn smallest<'a>(
    board: &Board,
    goal: Goal,
    desk: &'a Desk,
    book: &'a RuleBook,
    budget: &'a Budget,
) -> Result<(Explained, Leaves<'a>), TableError> {
    let leaves = Leaves::new(desk.tables(), book, &[], LEAF_MEN, budget);
    let Some(material) = Tables::material_of(board) else {
        return Ok((explain(board, goal, &leaves, None, budget)?, leaves));
    };
    let found = explain(board, goal, &leaves, None, &budget.at_most(TRIED))?;
    let left = budget.after(found.positions);
    if found.tree.is_some() || left.check(0, 0).is_err() {
        return Ok((found, leaves));
    }
    let leaves = leaves.beyond(material);
    Ok((explain(board, goal, &leaves, None, &left)?, leaves))
}

/// Counts the reasons for which the lines of a tree end.
fn count(tree: &Tree, endings: &mut BTreeMap<String, usize>) {
    for node in &tree.nodes {
        if let NodeKind::Leaf(leaf) = &node.kind
            && !matches!(leaf, Leaf::Mate)
        {
            *endings.entry(explained::reason(leaf)).or_default() += 1;
        }
    }
}
