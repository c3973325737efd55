//! What is to be said of a model's states: which atoms matter, which subformulas are true, and how
//! each eventuality is fulfilled.

use crate::ctl::{Arena, Id, Node, Path, Symbol, Syntax, to_short_text};
use crate::kripke::{Kripke, VertexSet};
use crate::limits::{Budget, StopReason};
use crate::modelcheck::{holds, satisfying};
use serde::Serialize;

/// Subformulas that are named, and characters of each.
const SUBFORMULAS: usize = 200;
const SHOWN: usize = 400;
/// Eventualities that are followed.
const PROMISES: usize = 50;
/// Formulas times states times atoms until which it is asked which atoms matter.
const FLIPS: usize = 400_000;

/// What is true in a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct State {
    /// The atoms that are true in it.
    pub r#true: Vec<String>,
    /// The states that follow.
    pub successors: Vec<u32>,
    /// The subformulas that are true in it, by their places.
    pub holds: Vec<usize>,
    /// The atoms whose value in this state matters: were it the other one, with all else the same,
    /// the formula would be false. None where that was not asked, as the model is large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matters: Option<Vec<String>>,
    /// The eventualities that are true in it.
    pub kept: Vec<Kept>,
}

/// How a state keeps a promise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// The eventuality, as text.
    pub formula: String,
    /// On all paths, or on some.
    pub on_all: bool,
    /// Steps until it is fulfilled, at most (of one on some path: of the shortest).
    pub steps: u32,
    /// The edges that lead to where it is fulfilled: of one on some path those of a shortest path,
    /// else all that can be taken until then.
    pub edges: Vec<[u32; 2]>,
    /// The same in words.
    pub words: String,
}

/// What is to be said of a model of a formula.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// The root.
    pub root: u32,
    /// The subformulas, the formula itself first.
    #[serde(skip)]
    pub subformulas: Vec<String>,
    /// The states.
    pub states: Vec<State>,
}

impl Facts {
    /// Works out what is true where. O(states times subformulas), and for small models once more for
    /// each atom of each state.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn new(
        arena: &mut Arena,
        formula: Id,
        model: &Kripke,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let places: Vec<Id> = arena.subformulas(formula).take(SUBFORMULAS).collect();
        let matters = matters(arena, formula, model, budget)?;
        let mut states: Vec<State> = (0..model.vertices())
            .map(|v| State {
                r#true: model.true_symbols(v).map(|s| arena.name(Symbol(s)).to_owned()).collect(),
                successors: model.successors(v).to_vec(),
                holds: Vec::new(),
                matters: matters.as_ref().map(|all| all[v as usize].clone()),
                kept: Vec::new(),
            })
            .collect();
        for (place, &id) in places.iter().enumerate() {
            for v in satisfying(arena, id, model, budget)?.iter() {
                states[v as usize].holds.push(place);
            }
        }
        for promise in promises(arena, formula) {
            let promise = Promise::new(arena, promise, model, budget)?;
            for v in promise.distance.iter().enumerate().filter(|(_, d)| d.is_some()) {
                states[v.0].kept.push(promise.kept(model, v.0 as u32));
            }
        }
        let text = |&id: &Id| to_short_text(arena, id, Syntax::Ascii, SHOWN);
        let subformulas = places.iter().map(text).collect();
        Ok(Self { root: model.root(), subformulas, states })
    }
}

/// For each state the atoms that matter there; none if the model is large.
fn matters(
    arena: &Arena,
    formula: Id,
    model: &Kripke,
    budget: &Budget,
) -> Result<Option<Vec<Vec<String>>>, StopReason> {
    let formulas: Vec<Id> = arena.subformulas(formula).collect();
    let symbol = |&id: &Id| match arena.get(id) {
        Node::Var(symbol) if symbol.0 < model.symbols() => Some(symbol),
        _ => None,
    };
    let mut symbols: Vec<Symbol> = formulas.iter().filter_map(symbol).collect();
    symbols.sort_unstable();
    let states = model.vertices() as usize;
    if formulas.len().saturating_mul(states * states).saturating_mul(symbols.len()) > FLIPS {
        return Ok(None);
    }
    let mut found = Vec::with_capacity(states);
    let mut other = model.clone();
    for v in 0..model.vertices() {
        let mut names = Vec::new();
        for symbol in &symbols {
            let mut label = model.label(v).to_vec();
            label[symbol.0 as usize / 64] ^= 1 << (symbol.0 % 64);
            other.set_label(v, &label);
            if !holds(arena, formula, &other, budget)? {
                names.push(arena.name(*symbol).to_owned());
            }
        }
        other.set_label(v, model.label(v));
        found.push(names);
    }
    Ok(Some(found))
}

/// The untils of the normal form, each once.
fn promises(arena: &mut Arena, formula: Id) -> Vec<Id> {
    let normal = arena.nnf(formula);
    let is_until = |id: &Id| matches!(arena.get(*id), Node::Until(..) | Node::Finally(..));
    arena.subformulas(normal).filter(is_until).take(PROMISES).collect()
}

/// An until, and how far its fulfilment is from each state.
struct Promise {
    text: String,
    path: Path,
    /// Steps to the fulfilment, where it is true.
    distance: Vec<Option<u32>>,
}

impl Promise {
    fn new(
        arena: &mut Arena,
        until: Id,
        model: &Kripke,
        budget: &Budget,
    ) -> Result<Self, StopReason> {
        let (path, hold, goal) = match arena.get(until) {
            Node::Until(path, a, b) => (path, Some(a), b),
            Node::Finally(path, b) => (path, None, b),
            _ => unreachable!("an until"),
        };
        let hold = hold.filter(|&a| arena.get(a) != Node::True);
        let shown = match hold {
            None => arena.add(Node::Finally(path, goal)),
            Some(_) => until,
        };
        let text = to_short_text(arena, shown, Syntax::Ascii, SHOWN);
        let all = VertexSet::full(model.vertices());
        let hold = hold.map_or(Ok(all), |a| satisfying(arena, a, model, budget))?;
        let goal = satisfying(arena, goal, model, budget)?;
        let mut distance: Vec<Option<u32>> = vec![None; model.vertices() as usize];
        goal.iter().for_each(|v| distance[v as usize] = Some(0));
        // Round by round: what follows is known from rounds before.
        for steps in 1..model.vertices() {
            let reached = |&z: &u32| distance[z as usize].is_some();
            let new: Vec<u32> = hold
                .iter()
                .filter(|&v| distance[v as usize].is_none())
                .filter(|&v| {
                    let mut next = model.successors(v).iter();
                    match path {
                        Path::Some => next.any(reached),
                        Path::All => !model.successors(v).is_empty() && next.all(reached),
                    }
                })
                .collect();
            if new.is_empty() {
                break;
            }
            new.into_iter().for_each(|v| distance[v as usize] = Some(steps));
        }
        Ok(Self { text, path, distance })
    }

    /// How a state in which it is true keeps it.
    fn kept(&self, model: &Kripke, from: u32) -> Kept {
        let far = |v: u32| self.distance[v as usize].unwrap_or(0);
        let mut edges = Vec::new();
        let mut way = vec![from];
        let mut pending = vec![from];
        let mut seen = VertexSet::empty(model.vertices());
        seen.insert(from);
        while let Some(v) = pending.pop() {
            if far(v) == 0 {
                break;
            }
            for &z in model.successors(v) {
                if self.path == Path::Some && far(z) + 1 != far(v) {
                    continue;
                }
                edges.push([v, z]);
                if far(z) + 1 == far(v) && way.last() == Some(&v) {
                    way.push(z);
                }
                if far(z) > 0 && seen.insert(z) {
                    pending.push(z);
                }
                if self.path == Path::Some {
                    break;
                }
            }
        }
        let way: Vec<String> = way.iter().map(|v| format!("s{v}")).collect();
        let words = match (far(from), self.path) {
            (0, _) => format!("fulfilled in s{from}"),
            (_, Path::Some) => way.join(" → "),
            (_, Path::All) if edges.len() + 1 == way.len() => way.join(" → "),
            (1, Path::All) => "in every next state".to_owned(),
            (steps, Path::All) => format!("on every path within {steps} steps"),
        };
        Kept {
            formula: self.text.clone(),
            on_all: self.path == Path::All,
            steps: far(from),
            edges,
            words,
        }
    }
}
