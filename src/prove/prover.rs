//! Proof by subgoals: Botvinnik's zones propose aims and moves, the proof search proves, and the
//! proofs are chained until they reach mate.
//!
//! The attacker is limited to the moves of its zones, the defender never; so a proof is a proof.
//! Rounds of doubling work, in each: a hold, a chain of aims, the general search for a win or a
//! draw, and a stronger reduced aim than the best so far. Positions of five men whose table is not
//! at hand are searched first, then the table is built.
//!
//! # References
//! R. V. Khelemendik, *On the solution of chess positions using computational tree logic*, §5; M.
//! M. Botvinnik, *On the cybernetic goal of the game*, 1975; docs/theory.md §§7 and 13.

use super::aim_prover::{AimProver, Attempt, Reached, Target, Zones};
use super::chain::{Book, Chains, Proved, Want, Won};
use super::exact::{CertificateError, best, certificate, rate, table_value};
use super::level::{Ascent, Level};
use super::link::{Link, links_of, reduced_link};
use crate::aim::Goal;
use crate::certificate::{Certificate, Strategy};
use crate::chess::Value;
use crate::chess::board::{Board, Position};
use crate::chess::{Move, Profile, Side, fen};
use crate::library::endgames::Class;
use crate::limits::{Budget, StopReason};
use crate::pioneer::exchange::PROMOTION;
use crate::pioneer::image::Horizon;
use crate::pioneer::play::balance;
use crate::search::{Options, quickest, solve, told_hold};
use crate::strategy::{BuildError, Rules, reach, win};
use crate::tables::{Material, TableError, Tables};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What was proved.
#[derive(Debug, Default)]
pub struct Proof {
    /// The value of the position, if it is decided. The plies of a win are an upper bound.
    pub value: Option<Value>,
    /// The aim that is forced, where that is what was asked, or all that could be proved.
    pub aim: Option<String>,
    /// The links of the chain, the root's first. Empty when tables or the general search decide.
    pub links: Vec<Link>,
    /// Whether the side to move is proved never to be mated, where the value is not decided.
    pub holds: bool,
    /// Whether what was asked is answered: yes, or (see `refuted`) no.
    pub complete: bool,
    /// Whether the aim asked for is proved to be out of reach, whatever the attacker plays.
    pub refuted: bool,
    /// The certificate of a win, of an aim, or (if wanted) of a draw.
    pub certificate: Option<Certificate>,
    /// The certificate of the aim, where that of a hold is the one above.
    pub of_aim: Option<Certificate>,
    /// Why there is no certificate of what is proved.
    pub uncertified: Option<String>,
    /// The attacker's first move.
    pub first: Option<Move>,
    /// Positions visited by the proof search.
    pub positions: u64,
    /// Why it ended early.
    pub stop: Option<StopReason>,
}

/// What a prover may use.
#[derive(Debug, Clone, Copy)]
pub struct ProveOptions {
    /// The first horizon of the zones.
    pub horizon: Horizon,
    /// Where the attacker's moves come from.
    pub zones: Zones,
    /// Tables of at most so many men are used, 3 to 5.
    pub table_men: usize,
    /// Whether certificates of draws and table wins are wanted: they may take longer than the
    /// proof.
    pub certify: bool,
}

impl Default for ProveOptions {
    fn default() -> Self {
        Self { horizon: Horizon::new(4), zones: Zones::Auto, table_men: 5, certify: true }
    }
}

/// Proves aims.
pub struct Prover<'a> {
    tables: &'a Arc<Tables>,
    pub(super) budget: &'a Budget,
    pub(super) options: ProveOptions,
    pub(super) aim_prover: AimProver<'a>,
    book: Book,
    /// How the side to move holds.
    held: Option<Strategy>,
    /// What it comes out with.
    ascent: Option<Ascent>,
    /// When chains make room for a table.
    until: Option<Instant>,
    /// What was told last of what is proved.
    told: [Option<String>; 2],
}

/// The positions of one attempt in the first round, doubled from round to round.
const SLICE: u64 = 50_000;
/// Bytes of the general search's table.
const TABLE_BYTES: u64 = 256 << 20;
/// Rounds without a limit: the last slice is 25 million positions.
const ROUNDS: u32 = 10;
/// A round's chain may take so many slices.
const LONGEST_CHAIN: u64 = 40;
/// How long a plan for an aim that was asked for is made shorter.
pub(super) const SHORTEN: Duration = Duration::from_millis(200);
/// Tables up to this size are built in the middle of a search; larger ones take up to some minutes.
const SMALL_TABLE: usize = 4;
/// How long a position is searched before a large table is built for it: at most this, and a third
/// of the time.
const BEFORE_TABLES: Duration = Duration::from_secs(10);
/// What the certificate of an aim may take at least, whatever became of the budget: a plan is small.
const GRACE: Duration = Duration::from_secs(1);

impl<'a> Prover<'a> {
    /// A prover that has proved nothing yet.
    pub fn new(tables: &'a Arc<Tables>, budget: &'a Budget, options: ProveOptions) -> Self {
        let leaf_men = options.table_men.min(SMALL_TABLE);
        let aim_prover = AimProver::new(tables, budget, leaf_men, options.zones, options.horizon);
        Self {
            tables,
            budget,
            options,
            aim_prover,
            book: Book::default(),
            held: None,
            ascent: None,
            until: None,
            told: [None, None],
        }
    }

    /// Lines may end where a proved rule says that they are won or held; certificates then cite it.
    #[must_use]
    pub fn with_rules(mut self, rules: Arc<dyn Rules>) -> Self {
        self.aim_prover.rules = Some(rules);
        self
    }

    /// Close won positions of the endgame library, and endings one capture away that tables call
    /// won, become links of chains.
    #[must_use]
    pub fn striving(mut self, library: Arc<[Class]>) -> Self {
        self.aim_prover.library = Some(library);
        self
    }

    /// Proves an aim of the form `AF φ` for a side, whoever is to move.
    pub fn prove_aim(&mut self, root: &Board, side: Side, goal: &Goal) -> Proof {
        let asked = || Some(goal.aim().to_string());
        if goal.holds(root) {
            let certificate =
                reach(root, side, &|b| goal.holds(b), self.budget, &mut |b: &Board| no_move(b))
                    .ok();
            let certificate =
                certificate.map(|(s, plies)| Certificate::of_aim(s, plies, goal.aim().to_string()));
            return Proof { aim: asked(), complete: true, certificate, ..Proof::default() };
        }
        let proof = self.rounds(|prover, slice| match prover.reach(root, side, goal, slice) {
            Attempt::Open => None,
            Attempt::Refuted => Some(Proof { refuted: true, complete: true, ..Proof::default() }),
            Attempt::Reached(reached) => {
                let link = reduced_link(root, format!("{side} forces the aim"), goal, &reached);
                let (certificate, uncertified) = prover.of_aim(root, side, goal, &[&reached]);
                let ours = root.side_to_move() == side;
                let first =
                    ours.then(|| reached.plan.play(root, &prover.aim_prover.probe())).flatten();
                let links = vec![link];
                Some(Proof {
                    links,
                    complete: true,
                    certificate,
                    uncertified,
                    first,
                    ..Proof::default()
                })
            }
        });
        Proof { aim: asked(), ..proof }
    }

    fn reach(&mut self, root: &Board, attacker: Side, goal: &Goal, slice: u64) -> Attempt {
        self.aim_prover.reach(root, attacker, Target::Goal(goal), slice, SHORTEN)
    }

    /// Proves as much as it can: the value, by tables, by a chain of aims or by the general search;
    /// else the best reduced aim.
    pub fn prove(&mut self, root: &Board) -> Proof {
        let men = root.chess().board().occupied().count();
        let tabled = men <= self.options.table_men && Tables::covers(root);
        if tabled && (men <= SMALL_TABLE || self.has_table(root)) {
            return self.by_tables(root);
        }
        let patience =
            self.budget.remaining().map_or(BEFORE_TABLES, |left| BEFORE_TABLES.min(left / 3));
        self.until = tabled.then(|| Instant::now() + patience);
        let mut proof = self.rounds(|prover, slice| {
            if prover.until.is_some_and(|until| Instant::now() >= until) {
                return Some(Proof::default());
            }
            // What a move secures at once costs next to nothing, and is an answer whatever becomes
            // of the rest.
            let ascent = prover.ascent.get_or_insert_with(|| Ascent::new(root.clone(), None));
            if ascent.level().is_none() {
                ascent.step(&mut prover.aim_prover, slice, SHORTEN);
            }
            prover.hold(root, slice);
            prover.tell(root);
            prover.chain(root, slice).or_else(|| prover.value(root, slice * 2)).or_else(|| {
                if let Some(ascent) = &mut prover.ascent {
                    ascent.go_on(&mut prover.aim_prover, slice * 2, SHORTEN);
                }
                prover.tell(root);
                None
            })
        });
        if tabled && !proof.complete {
            proof = self.by_tables(root);
        }
        if proof.complete {
            return proof;
        }
        let held = self.held.take().map(Certificate::of_hold);
        proof.holds = held.is_some();
        let mut proof = self.best_partial(root, proof);
        proof.of_aim = proof.certificate.clone();
        if held.is_some() {
            // That the side holds is the stronger claim, and is certified.
            (proof.certificate, proof.uncertified) = (held, None);
        }
        proof
    }

    /// Tells what is proved so far, if that has changed.
    fn tell(&mut self, root: &Board) {
        let (us, now) = (root.side_to_move(), balance(root, root.side_to_move()));
        let level = self.ascent.as_ref().and_then(Ascent::level);
        let held = self.held.is_some().then(|| told_hold(us));
        let facts = [held, level.map(|level| level.words(us, now))];
        for (told, fact) in self.told.iter_mut().zip(facts) {
            if let Some(words) = &fact
                && *told != fact
            {
                self.budget.progress().proved(words);
                *told = fact;
            }
        }
    }

    /// Tries again with more time until it succeeds or the budget ends.
    pub(super) fn rounds(
        &mut self,
        mut attempt: impl FnMut(&mut Self, u64) -> Option<Proof>,
    ) -> Proof {
        let mut stop = Some(StopReason::Exhausted);
        for round in 0..ROUNDS {
            if let Err(reason) = self.aim_prover.check() {
                stop = Some(reason);
                break;
            }
            if round > 0 {
                self.aim_prover.widen();
                self.book.forget_failures();
            }
            if let Some(proof) = attempt(self, SLICE << round) {
                return Proof { positions: self.aim_prover.positions, ..proof };
            }
        }
        Proof { positions: self.aim_prover.positions, stop, ..Proof::default() }
    }

    /// Whether the table of a position is kept on disk or in memory.
    fn has_table(&self, root: &Board) -> bool {
        // No time to build one: only what is at hand answers.
        let none = self.budget.part(Duration::ZERO);
        Tables::material_of(root)
            .is_some_and(|material| self.tables.ensure_values(material, &none).is_ok())
    }

    /// Positions that tables cover need no chain.
    pub(super) fn by_tables(&mut self, root: &Board) -> Proof {
        if let Some(material) = Tables::material_of(root) {
            self.budget.progress().note(&announce(material, self.has_table(root)));
        }
        let mut proof = Proof { positions: self.aim_prover.positions, ..Proof::default() };
        match self.tables.ensure_for(root, self.budget) {
            Ok(()) => {}
            Err(TableError::Stopped(reason)) => return Proof { stop: Some(reason), ..proof },
            Err(error) => {
                self.budget.progress().note(&error.to_string());
                return proof;
            }
        }
        let known = |board: &Board| table_value(self.tables, board);
        let Some(value) = known(root) else { return proof };
        self.aim_prover.positions += 1;
        (proof.value, proof.complete) = (Some(value), true);
        proof.positions = self.aim_prover.positions;
        let rated = rate(|p| known(&Board::of_legal(p)), &root.vector(), Profile::Fide);
        proof.first = best(&rated).and_then(|moves| moves.first().copied());
        if self.options.certify {
            match certificate(&known, None, root, value, self.budget) {
                Ok(certificate) => proof.certificate = Some(certificate),
                Err(error) => proof.uncertified = Some(error.to_string()),
            }
        }
        proof
    }

    /// How the side to move holds, if few positions suffice: perpetual check, fortress, blockade.
    fn hold(&mut self, root: &Board, positions: u64) {
        if self.held.is_some() {
            return;
        }
        let own = usize::from(root.side_to_move() == Side::Black);
        let rules = self.aim_prover.rules.clone();
        let mut options = Options {
            table_bytes: 1 << 20,
            wins: [false; 2],
            holds: [false; 2],
            rules,
            ..Options::default()
        };
        options.holds[own] = true;
        let probe = self.aim_prover.probe();
        let outcome = solve(root, &options, &probe, &self.aim_prover.part(positions).quietly());
        self.aim_prover.positions += outcome.positions;
        let region = outcome.holds[own].as_ref();
        self.held = region.and_then(|region| region.strategy(root, &probe, self.budget).ok());
    }

    /// The value by the general search, all moves of both sides: a win or a draw that no chain
    /// found.
    pub(super) fn value(&mut self, root: &Board, slice: u64) -> Option<Proof> {
        let probe = self.aim_prover.probe();
        let rules = self.aim_prover.rules.clone();
        let options =
            Options { table_bytes: TABLE_BYTES, shorten: SHORTEN * 5, rules, ..Options::default() };
        let outcome = solve(root, &options, &probe, &self.aim_prover.part(slice).quietly());
        self.aim_prover.positions += outcome.positions;
        let (mover, budget) = (root.side_to_move(), self.budget);
        let mut proof = Proof { complete: true, ..Proof::default() };
        let built = if let Some(win) = &outcome.win {
            proof.value = Some(Value::Wins(win.side, win.plies.into()));
            proof.first = (win.side == mover).then(|| win.plan.play(root, &probe)).flatten();
            win.strategy(root, &probe, budget)
                .map(|(strategy, plies)| Certificate::of_win(strategy, plies))
        } else if let [Some(white), Some(black)] = &outcome.holds {
            proof.value = Some(Value::Draw);
            let own = if mover == Side::White { white } else { black };
            proof.first = own.plays(root, &probe).first().copied();
            if !self.options.certify {
                return Some(proof);
            }
            let white = white.strategy(root, &probe, budget);
            white.and_then(|white| {
                Ok(Certificate::of_draw(white, black.strategy(root, &probe, budget)?))
            })
        } else {
            return None;
        };
        match built {
            Ok(certificate) => proof.certificate = Some(certificate),
            Err(error) => proof.uncertified = Some(error.to_string()),
        }
        Some(proof)
    }

    /// A win by a chain of aims.
    fn chain(&mut self, root: &Board, slice: u64) -> Option<Proof> {
        let limit = self.aim_prover.positions + slice * LONGEST_CHAIN;
        let won = self.chains(slice).win(root, 0, limit)?;
        self.chained(root, won)
    }

    fn chains(&mut self, slice: u64) -> Chains<'_, 'a> {
        Chains {
            aim_prover: &mut self.aim_prover,
            book: &mut self.book,
            slice,
            until: self.until,
            earned: 0,
        }
    }

    /// The certificate is built over every reply, so it is also the last check of a chain.
    fn chained(&mut self, root: &Board, won: Won) -> Option<Proof> {
        let Won::Link(link) = won else { return None };
        let used = self.book.closure(link);
        let owner = root.side_to_move();
        let probe = self.aim_prover.probe();
        let rules = self.aim_prover.rules.clone();
        let built = win(rules.as_deref(), root, owner, self.budget, &mut |board| {
            let play = self.book.play(&used, board, &probe);
            play.ok_or_else(|| CertificateError::from(BuildError::NoMate(fen(&board.vector()))))
        });
        let first = self.book.play(&used, root, &probe);
        let mut proof = Proof { complete: true, first, ..Proof::default() };
        match built {
            Ok((strategy, plies)) => {
                proof.links =
                    links_of(&self.book, link, &used, &strategy, self.aim_prover.leaf_men);
                proof.value = Some(Value::Wins(owner, plies));
                let mut certificate = Certificate::of_win(strategy, plies);
                certificate.notes = proof.links.iter().map(Link::note).collect();
                proof.certificate = Some(certificate);
                Some(proof)
            }
            Err(error) => {
                // That the work has ended, perhaps because another method was faster, is no fault.
                if self.budget.check(0, 0).is_ok() {
                    self.budget.progress().note(&format!("a chain fell apart: {error}"));
                }
                None
            }
        }
    }

    /// The strongest reduced aim among those forced from the root: a queen, else the most material,
    /// the fewest plies.
    fn best_partial(&self, root: &Board, proof: Proof) -> Proof {
        let us = root.side_to_move();
        let now = balance(root, us);
        let of_chain = |p: &Proved| {
            let worth = match &p.want {
                Want::Win(_) | Want::Strive(_) => return None,
                Want::Queen => PROMOTION,
                Want::Gain(gain) => *gain,
            };
            Some((worth, p.reached.plan.plies()))
        };
        let known = self.book.partial.iter().filter_map(|p| Some((of_chain(p)?, p)));
        let known = known.max_by_key(|((worth, plies), _)| (*worth, std::cmp::Reverse(*plies)));
        let reached_level = self.ascent.as_ref().and_then(|ascent| ascent.best.as_ref());
        let worth = reached_level.map(|(level, reached)| match level {
            Level::Material(least) => (least - now, reached.plan.plies()),
            Level::Mate => (i32::MAX, reached.plan.plies()),
        });
        let better = |k: (i32, u16), w: (i32, u16)| {
            (k.0, std::cmp::Reverse(k.1)) >= (w.0, std::cmp::Reverse(w.1))
        };
        let (goal, claim, reached) = match (known, reached_level.zip(worth)) {
            (Some((k, p)), reached_level) if reached_level.is_none_or(|(_, w)| better(k, w)) => {
                let Some(goal) = p.want.aim(root) else { return proof };
                (goal, p.claim.clone().unwrap_or_else(|| p.want.words(us)), &p.reached)
            }
            (_, Some(((level, reached), _))) => (level.goal(us), level.words(us, now), reached),
            _ => return proof,
        };
        let link = reduced_link(root, claim, &goal, reached);
        let (certificate, uncertified) = self.of_aim(root, us, &goal, &[reached]);
        let first = reached.plan.own_play(root);
        Proof {
            aim: Some(goal.to_string()),
            links: vec![link],
            certificate,
            uncertified,
            first,
            ..proof
        }
    }

    /// The certificate of an aim that plans reach. The first plan that knows a position is followed
    /// there: along a line the number of the plan never rises, and within a plan its plies fall, so
    /// that no line runs in a circle.
    pub(super) fn of_aim(
        &self,
        root: &Board,
        owner: Side,
        goal: &Goal,
        plans: &[&Reached],
    ) -> (Option<Certificate>, Option<String>) {
        // What is proved is not lost because the proof took all of the time.
        let budget = &self.budget.with_grace(GRACE);
        let probe = self.aim_prover.probe();
        let mut policy = |board: &Board| {
            let play = plans.iter().find_map(|reached| reached.plan.own_play(board));
            let play = play.or_else(|| quickest(board, &probe));
            play.ok_or_else(|| CertificateError::from(BuildError::NoMate(fen(&board.vector()))))
        };
        let built = if goal.is_mate_of(owner.other()) {
            win(self.aim_prover.rules.as_deref(), root, owner, budget, &mut policy)
                .map(|(strategy, plies)| Certificate::of_win(strategy, plies))
        } else {
            let text = goal.aim().to_string();
            reach(root, owner, &|b| goal.holds(b), budget, &mut policy)
                .map(|(s, plies)| Certificate::of_aim(s, plies, text))
        };
        match built {
            Ok(certificate) => (Some(certificate), None),
            Err(error) => (None, Some(error.to_string())),
        }
    }
}

/// The policy where no move is needed.
fn no_move(board: &Board) -> Result<Move, BuildError> {
    Err(BuildError::NoMate(fen(&board.vector())))
}

fn announce(material: Material, at_hand: bool) -> String {
    let cost = if !at_hand && material.men() > SMALL_TABLE {
        ": building it takes a minute or more, once"
    } else {
        ""
    };
    format!("answering from the table {material}{cost}")
}
