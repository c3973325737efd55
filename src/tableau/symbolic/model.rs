//! Reads a model off the set of vertices that uphold one another's claims.
//!
//! A vertex is a valuation of the atoms with one of the untils it is waiting for as *focus*. Its
//! successors are chosen one for each claim of `EX φ`, one step nearer to the promise in focus;
//! where the promise is kept, or the successor is not the one an `EX` hands the focus on to, the
//! next of the successor's untils in cyclic order comes into focus. So along every path each until
//! is in focus again and again until its promise is kept.
//!
//! A successor is a valuation met before, if one fits. Of the others one is taken that makes few
//! variables true and claims few `EX φ` but many `AX φ`: where more is handed on than is needed,
//! vertices that wait for different things can share their successors. (Of twelve floors, each of
//! which may be asked for at any time, every set would otherwise be waited for somewhere.)

use super::bdd::{Bdd, Bdds};
use super::fixpoint::{Fixpoint, Until};
use super::lean::Atom;
use crate::ctl::{Id, Path};
use crate::kripke::{Builder, Kripke};
use crate::limits::StopReason;
use hashbrown::HashMap;

/// Vertices between two looks at the budget.
const STEPS: u64 = 256;
/// So many valuations are looked through for one that fits again: no fewer than the first, and no
/// more than the second. Each time in vain they become fewer by a part in [`LOSS`], each time with
/// success twice as many.
const KNOWN: (usize, usize) = (64, 4096);
const LOSS: usize = 16;

/// A valuation of the atoms, one bit each by place in the order.
type Valuation = Box<[u64]>;

/// A place in `untils`, or none.
type Focus = Option<usize>;

fn is_true(valuation: &[u64], place: u32) -> bool {
    valuation[place as usize / 64] >> (place % 64) & 1 == 1
}

fn make_true(valuation: &mut [u64], place: u32) {
    valuation[place as usize / 64] |= 1 << (place % 64);
}

/// The place in the order of the atom tested at an (odd) level.
fn place(level: u32) -> u32 {
    level / 2
}

/// A model of the root's formulas, which some vertex left satisfies.
pub(super) fn extract(fixpoint: &mut Fixpoint<'_>) -> Result<Kripke, StopReason> {
    // Of the last round, in which nothing was taken away any more.
    let layers = fixpoint.layers.clone();
    let roots = fixpoint.roots()?;
    let mut reader = Reader::new(fixpoint, layers);
    let valuation = reader.pick(roots);
    let focus = reader.next_focus(&valuation, None);
    let root = reader.vertex(valuation, focus);
    let mut steps = 0_u64;
    while let Some((valuation, focus, vertex)) = reader.pending.pop() {
        reader.read(&valuation, focus, vertex)?;
        steps += 1;
        if steps.is_multiple_of(STEPS) {
            reader.fixpoint.end_round(&[])?;
        }
    }
    Ok(reader.builder.build(root))
}

/// An `AX φ`: the place of its atom, and what it demands.
struct Always {
    place: u32,
    demand: Demand,
}

/// A formula true at a successor.
enum Demand {
    /// An atom, by place, with this value.
    Literal(u32, bool),
    Set(Bdd),
}

struct Reader<'f, 'a> {
    fixpoint: &'f mut Fixpoint<'a>,
    layers: Vec<Vec<Bdd>>,
    always: Vec<Always>,
    /// φ for every `EX φ`, with the place of its atom.
    somes: Vec<(u32, Id)>,
    /// The place of the atom "no dead end".
    alive: Option<u32>,
    /// The variables' places and symbols.
    variables: Vec<(u32, u32)>,
    /// The atoms that must be true at a successor, and those that must be false, by place.
    assumed: Vec<u64>,
    refused: Vec<u64>,
    /// The atoms that say something of all successors.
    handed_on: Vec<u64>,
    builder: Builder,
    vertices: HashMap<(Valuation, Focus), u32>,
    /// The valuations of the vertices made first, which may serve again.
    known: Vec<Valuation>,
    /// How many of them are looked through.
    range: usize,
    pending: Vec<(Valuation, Focus, u32)>,
}

impl<'f, 'a> Reader<'f, 'a> {
    fn new(fixpoint: &'f mut Fixpoint<'a>, layers: Vec<Vec<Bdd>>) -> Self {
        let lean = fixpoint.lean;
        let atoms = lean.atoms.len();
        let mut handed_on = vec![0; atoms.div_ceil(64)];
        let (mut always, mut somes, mut alive, mut variables) =
            (Vec::new(), Vec::new(), None, Vec::new());
        for (number, &atom) in (0..).zip(&lean.atoms) {
            let place = place(lean.level(number));
            match atom {
                Atom::Variable(symbol) => variables.push((place, symbol.0)),
                Atom::Alive => alive = Some(place),
                Atom::Next(Path::Some, operand) => somes.push((place, operand)),
                Atom::Next(Path::All, operand) => {
                    make_true(&mut handed_on, place);
                    always.push(Always {
                        place,
                        demand: demand(&fixpoint.bdds, lean.truth(operand)),
                    });
                }
            }
        }
        Self {
            fixpoint,
            layers,
            always,
            somes,
            alive,
            variables,
            assumed: vec![0; atoms.div_ceil(64)],
            refused: vec![0; atoms.div_ceil(64)],
            handed_on,
            builder: Builder::default(),
            vertices: HashMap::new(),
            known: Vec::new(),
            range: KNOWN.1,
            pending: Vec::new(),
        }
    }

    fn vertex(&mut self, valuation: Valuation, focus: Focus) -> u32 {
        let key = (valuation, focus);
        if let Some(&found) = self.vertices.get(&key) {
            return found;
        }
        let vertex = self.builder.vertex();
        for &(place, symbol) in &self.variables {
            if is_true(&key.0, place) {
                self.builder.label(vertex, symbol);
            }
        }
        self.pending.push((key.0.clone(), focus, vertex));
        self.vertices.insert(key, vertex);
        vertex
    }

    fn holds(&self, set: Bdd, valuation: &[u64]) -> bool {
        self.fixpoint.bdds.holds(set, |level| is_true(valuation, place(level)))
    }

    /// The until that comes after `last` in cyclic order among those the vertex waits for.
    fn next_focus(&self, valuation: &[u64], last: Focus) -> Focus {
        let untils = &self.fixpoint.untils;
        let from = last.map_or(0, |l| l + 1);
        let mut order = (from..untils.len()).chain(0..from);
        order.find(|&u| {
            self.holds(untils[u].truth, valuation) && !self.holds(untils[u].promise, valuation)
        })
    }

    fn read(&mut self, valuation: &[u64], focus: Focus, vertex: u32) -> Result<(), StopReason> {
        if self.alive.is_some_and(|place| !is_true(valuation, place)) {
            return Ok(());
        }
        let demands = self.demand_of(valuation);
        let mut claimed: Vec<Option<Id>> = self
            .somes
            .iter()
            .filter(|(place, _)| is_true(valuation, *place))
            .map(|&(_, operand)| Some(operand))
            .collect();
        if claimed.is_empty() {
            claimed.push(None);
        }
        let mut demanded = None;
        for operand in claimed {
            let (set, follows) = self.target(valuation, focus, operand);
            let truth = operand.map_or(Bdd::TRUE, |o| self.fixpoint.lean.truth(o));
            let successor = match self.known(&[truth, set], &demands) {
                Some(known) => known,
                None => {
                    let all = match demanded {
                        Some(all) => all,
                        None => self.conjunction(&demands)?,
                    };
                    demanded = Some(all);
                    let set = self.fixpoint.bdds.and(set, truth)?;
                    let set = self.fixpoint.bdds.and(set, all)?;
                    let new = self.pick(set);
                    self.known.push(new.clone());
                    new
                }
            };
            // A focus that is handed on stays until its promise is kept.
            let stays = follows
                && focus.is_some_and(|f| !self.holds(self.fixpoint.untils[f].promise, &successor));
            let focus = if stays { focus } else { self.next_focus(&successor, focus) };
            let to = self.vertex(successor, focus);
            self.builder.edge(vertex, to);
        }
        self.assumed.fill(0);
        self.refused.fill(0);
        Ok(())
    }

    /// What a valuation demands of every successor: the atoms it assumes and refuses are marked,
    /// the sets it has to be in are the answer.
    fn demand_of(&mut self, valuation: &[u64]) -> Vec<Bdd> {
        let mut sets = Vec::new();
        for always in self.always.iter().filter(|a| is_true(valuation, a.place)) {
            match always.demand {
                Demand::Literal(place, true) => make_true(&mut self.assumed, place),
                Demand::Literal(place, false) => make_true(&mut self.refused, place),
                Demand::Set(set) => sets.push(set),
            }
        }
        sets
    }

    fn conjunction(&mut self, sets: &[Bdd]) -> Result<Bdd, StopReason> {
        sets.iter().try_fold(Bdd::TRUE, |all, &set| self.fixpoint.bdds.and(all, set))
    }

    /// A valuation met before that is in all these sets and agrees with what is assumed and
    /// refused: so a model goes round in circles as soon as it can.
    fn known(&mut self, sets: &[Bdd], demands: &[Bdd]) -> Option<Valuation> {
        let fits = |v: &&Valuation| {
            let words = v.iter().zip(self.assumed.iter().zip(&self.refused));
            words.clone().all(|(&v, (&t, &f))| v & t == t && v & f == 0)
                && sets.iter().chain(demands).all(|&set| self.holds(set, v))
        };
        let found = self.known.iter().take(self.range).find(fits).cloned();
        self.range = match found {
            Some(_) => (2 * self.range).min(KNOWN.1),
            None => (self.range - self.range / LOSS).max(KNOWN.0),
        };
        found
    }

    /// Where the successor for a claim is chosen from, and whether the focus is handed on to it.
    fn target(&self, valuation: &[u64], focus: Focus, operand: Option<Id>) -> (Bdd, bool) {
        if let Some(at) = focus {
            let Until { formula, path, .. } = self.fixpoint.untils[at];
            if path == Path::All || operand == Some(formula) {
                let layers = &self.layers[at];
                let steps = layers.partition_point(|&layer| !self.holds(layer, valuation));
                debug_assert!(
                    0 < steps && steps < layers.len(),
                    "a focus is waited for, and can be kept"
                );
                return (layers[steps - 1], true);
            }
        }
        (self.fixpoint.left, false)
    }

    /// A valuation in the set that agrees with what is forced.
    fn pick(&mut self, set: Bdd) -> Valuation {
        let mut valuation = self.assumed.clone().into_boxed_slice();
        let forced = |level| {
            let place = place(level);
            i8::from(is_true(&self.assumed, place)) - i8::from(is_true(&self.refused, place))
        };
        let preferred = |level| is_true(&self.handed_on, place(level));
        let found = self.fixpoint.bdds.satisfy(set, forced, preferred, |level| {
            make_true(&mut valuation, place(level));
        });
        assert!(found, "a vertex left has every successor it claims");
        valuation
    }
}

fn demand(bdds: &Bdds, truth: Bdd) -> Demand {
    match bdds.split(truth) {
        Some((level, Bdd::FALSE, Bdd::TRUE)) => Demand::Literal(place(level), true),
        Some((level, Bdd::TRUE, Bdd::FALSE)) => Demand::Literal(place(level), false),
        _ => Demand::Set(truth),
    }
}
