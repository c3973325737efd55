//! `theta strategy --explain`: the smallest tree for a person.

use super::accounts::{Accounts, deliver};
use super::cited::{proved, read_rules};
use super::context::counted;
use super::library::read_library;
use super::{Context, Exit};
use anyhow::bail;
use std::io::Write;
use std::path::{Path, PathBuf};
use theta_chess::certificate::Certificate;
use theta_chess::chess::board::{Board, BySide as _, Position as _, Role};
use theta_chess::chess::{Position, Side, Value};
use theta_chess::export::{explained, solution};
use theta_chess::library::endgames::{BUILT_IN, Class, contradictions, parse_classes};
use theta_chess::library::explain::{
    Explained, Goal, Leaves, Striver, Tree, explain, explain_in_zones,
};
use theta_chess::library::rules::Rule;
use theta_chess::library::striving::Bounds;
use theta_chess::limits::Budget;
use theta_chess::pioneer::image::Horizon;
use theta_chess::solve::{Attack, Engine, Verdict};
use theta_chess::tables::{MAX_MEN, Material, Tables};

/// Arguments of `theta strategy --explain`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Readable proofs")]
pub struct Explain {
    /// Show a proof for a person to read: the smallest tree that can be found. Its lines end early
    /// where a proved rule or a small table decides, and name it. Of a fortress it is told which
    /// squares each man keeps to and what meets each break.
    #[arg(long)]
    explain: bool,
    /// Draw what a fortress consists of: `fortress.svg` in this directory, or one picture for each
    /// side.
    #[arg(long, value_name = "DIR", requires = "explain")]
    svg: Option<PathBuf>,
    /// Lines may end in tables of at most so many men, kings included; 2 for none.
    #[arg(long, value_name = "N", default_value_t = 3, requires = "explain",
          value_parser = clap::value_parser!(u8).range(2..=5))]
    leaf_men: u8,
    /// The rules that may end lines [default: those that come with the program]. Each is proved
    /// before it is used; rules that fail are left out.
    #[arg(long, value_name = "FILE", requires = "explain")]
    rules: Option<PathBuf>,
    /// End no line by a rule.
    #[arg(long, requires = "explain", conflicts_with = "rules")]
    no_rules: bool,
    /// Lines may also end in rows of the endgame library.
    #[arg(long, requires = "explain")]
    rows: bool,
    /// With --rows: try moves first that lead towards library positions of the wanted value.
    #[arg(long, requires = "rows")]
    strive: bool,
    /// Let the side whose proof it is play moves of its zones only, with this horizon in plies (an
    /// even number, at most 14). The tree is then Botvinnik's, with every reply of the opponent.
    /// Réti's study takes a horizon of 10.
    #[arg(long, value_name = "H", requires = "explain", conflicts_with = "strive")]
    zones: Option<u32>,
    /// The library for --rows [default: the one that comes with the program].
    #[arg(long, value_name = "FILE", requires = "rows")]
    library: Option<PathBuf>,
}

/// The longest mate of few men that is told move by move, in plies: mates in three.
pub(super) const NEAR: u32 = 5;

/// A tree as it is told.
#[derive(serde::Serialize)]
pub(super) struct Report<'a> {
    pub(super) fen: String,
    pub(super) moves: usize,
    pub(super) leaves: usize,
    pub(super) positions: u64,
    #[serde(flatten)]
    pub(super) tree: &'a Tree,
}

/// A mate in a few moves as composers write it.
#[derive(serde::Serialize)]
pub(super) struct Solution<'a> {
    pub(super) fen: String,
    pub(super) solution: &'a Attack,
}

/// Whether a material can arise from a position: no more men of either side, and pieces only from
/// promotions.
pub(super) fn can_arise(board: &Board, material: Material) -> bool {
    let men = board.chess().board();
    let fits = |own: Side, theirs: Side| {
        let count = |role: Role| (men.men_of(theirs) & men.by_role(role)).count() as u8;
        let pieces = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let missing: u8 =
            pieces.iter().map(|&r| material.count(own, r).saturating_sub(count(r))).sum();
        material.count(own, Role::Pawn) + missing <= count(Role::Pawn)
    };
    let as_named = fits(Side::White, Side::White) && fits(Side::Black, Side::Black);
    as_named || fits(Side::White, Side::Black) && fits(Side::Black, Side::White)
}

impl Explain {
    /// Whether `--explain` was given.
    pub fn wanted(&self) -> bool {
        self.explain
    }

    fn rules(&self, board: &Board) -> anyhow::Result<Vec<Rule>> {
        let rules = if self.no_rules { Vec::new() } else { read_rules(self.rules.as_deref())? };
        Ok(rules.into_iter().filter(|rule| can_arise(board, rule.material)).collect())
    }

    /// The classes that can arise from a position, without the rows that contradict the tables.
    fn classes(
        &self,
        board: &Board,
        tables: &Tables,
        context: &Context,
    ) -> anyhow::Result<Vec<Class>> {
        let mut classes = match (&self.library, self.rows) {
            (_, false) => Vec::new(),
            // Those of five men would have their tables built.
            (None, true) => parse_classes(BUILT_IN)?,
            (path, true) => read_library(path.as_deref())?,
        };
        classes.retain(|class| can_arise(board, class.material));
        for class in &mut classes {
            let wrong = contradictions(tables, class, &context.budget())?;
            for found in wrong.iter().rev() {
                context.say(&format!(
                    "{}, row {} is left out: {}: {}",
                    class.material, found.row, found.fen, found.what
                ));
                class.rows.remove(found.row - 1);
            }
        }
        Ok(classes)
    }

    /// Whether a mate in a few moves is told as composers do it: where nothing is asked of the tree,
    /// and the mate is near or no table decides. Longer mates of few men are told by rules.
    fn tells_mates(&self, side: Option<Side>, verdict: &Verdict) -> bool {
        let root = verdict.root();
        let near = matches!(verdict.value(), Some(Value::Wins(_, 0..=NEAR)));
        let told = near || root.men() > MAX_MEN;
        self.is_plain() && told && side.is_none_or(|side| side == root.side_to_move())
    }

    /// Whether nothing is asked of the tree, so that another account may take its place.
    fn is_plain(&self) -> bool {
        self.zones.is_none() && !self.rows && self.rules.is_none()
    }

    /// A proof that is too long for a tree: by stages where slices have made it, and what a fortress
    /// consists of where there are more men than tables know. None where a tree is wanted.
    fn told_at_length(
        &self,
        verdict: &Verdict,
        accounts: &Accounts<'_>,
        context: &Context,
    ) -> anyhow::Result<Option<Exit>> {
        let staged = verdict.value().is_some() && verdict.engine() == Engine::Slices;
        let held = match verdict.value() {
            Some(value) => value == Value::Draw,
            None => !verdict.bounds().is_empty(),
        };
        if !self.is_plain() || !(staged || held && verdict.root().men() > MAX_MEN) {
            return Ok(None);
        }
        let budget = context.question_budget().with_at_least(verdict.grace());
        match verdict.certificate_within(budget.clone()) {
            Ok(certificate) => {
                let budget = budget.with_at_least(verdict.grace());
                accounts.tell(&certificate, !staged, &budget, context)
            }
            Err(error) if staged => Err(error.into()),
            Err(_) => Ok(None),
        }
    }

    /// What is told of a certificate that was verified.
    ///
    /// # Errors
    /// Nothing to show for that side, or output that cannot be written.
    pub(super) fn of_certificate(
        &self,
        certificate: &Certificate,
        side: Option<Side>,
        output: Option<&Path>,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let accounts = Accounts { side, svg: self.svg.as_deref(), output };
        let told = accounts.tell(certificate, false, &context.budget(), context)?;
        Ok(told.unwrap_or(Exit::Undecided))
    }

    /// The smallest tree; where none is found soon, lines also end in tables of up to five men as
    /// soon as a capture or a promotion leads there. With the leaves that it has.
    fn tree<'a>(
        &self,
        board: &Board,
        goal: Goal,
        leaves: Leaves<'a>,
        striver: Option<Striver<'_>>,
        context: &Context,
        budget: &Budget,
    ) -> anyhow::Result<(Explained, Leaves<'a>)> {
        if let Some(horizon) = self.zones {
            let found = explain_in_zones(board, goal, &leaves, Horizon::new(horizon), budget)?;
            return Ok((found, leaves));
        }
        let Some(material) = Tables::material_of(board) else {
            return Ok((explain(board, goal, &leaves, striver, budget)?, leaves));
        };
        let found = explain(board, goal, &leaves, striver, &budget.at_most(TRIED))?;
        let left = budget.after(found.positions);
        if found.tree.is_some() || left.check(0, 0).is_err() {
            return Ok((found, leaves));
        }
        context.say("no small tree: lines also end in tables where the material changes");
        let leaves = leaves.beyond(material);
        Ok((explain(board, goal, &leaves, striver, &left)?, leaves))
    }

    /// Explains the value of a position, or what one side achieves.
    ///
    /// # Errors
    /// Bad rules, an unusable cache, output that cannot be written.
    pub fn run(
        &self,
        root: &Position,
        engine: Engine,
        side: Option<Side>,
        output: Option<&Path>,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let board = root.board();
        let (budget, solver, tables) =
            (context.question_budget(), context.solver()?, context.tables()?);
        let solver = solver.with_engine(engine);
        let verdict = solver.solve(root, &budget)?;
        if self.tells_mates(side, &verdict)
            && let Ok(Some(key)) = solver.solution(&verdict, &budget)
        {
            return solution(root, &key, output, context);
        }
        let accounts = Accounts { side, svg: self.svg.as_deref(), output };
        if let Some(exit) = self.told_at_length(&verdict, &accounts, context)? {
            return Ok(exit);
        }
        if self.svg.is_some() && verdict.value().is_some() {
            context.say("no picture: only fortresses are drawn");
        }
        let goals: Vec<Goal> = match verdict.value() {
            None => {
                context.say("no tree: the value is not known within the limits");
                return Ok(Exit::Undecided);
            }
            Some(Value::Wins(winner, _)) => vec![Goal { owner: winner, wins: true }],
            Some(Value::Draw) => Side::ALL.map(|owner| Goal { owner, wins: false }).to_vec(),
        };
        let goals: Vec<Goal> =
            goals.into_iter().filter(|goal| side.is_none_or(|side| side == goal.owner)).collect();
        if goals.is_empty() {
            bail!("that side loses: there is nothing to show for it");
        }
        let classes = self.classes(&board, &tables, context)?;
        let striver = self.strive.then_some(Striver { classes: &classes, bounds: Bounds::USUAL });
        let Some(rules) = proved(&self.rules(&board)?, self.rules.is_some(), context)? else {
            return Ok(Exit::Undecided);
        };
        let leaves = Leaves::new(&tables, &rules, &classes, self.leaf_men.into(), &budget);
        let mut text = Vec::new();
        let (mut exit, mut total) = (Exit::Yes, 0);
        for goal in &goals {
            let (found, leaves) = self.tree(&board, *goal, leaves, striver, context, &budget)?;
            let Some(tree) = &found.tree else {
                let reason = found.stop.map_or_else(String::new, |stop| format!(" ({stop})"));
                exit = exit.worst(undecided(
                    &format!("none of up to {} moves{reason}", found.none_below),
                    context,
                )?);
                continue;
            };
            if let Some(fault) = tree.fault(&leaves)? {
                bail!("the tree is wrong, which is a mistake in theta: {fault}");
            }
            total += tree.moves();
            let leaves = explained::leaves(tree);
            let fen = root.to_string();
            let report =
                Report { fen, moves: tree.moves(), leaves, positions: found.positions, tree };
            if context.global.json {
                serde_json::to_writer(&mut text, &report)?;
                writeln!(text)?;
            } else {
                explained::write(tree, &mut text)?;
            }
        }
        if goals.len() == 2 && exit == Exit::Yes && !context.global.json {
            writeln!(text, "both together: {}", counted(total as u64, "move", "moves"))?;
        }
        deliver(&text, output, context)?;
        Ok(exit)
    }
}

/// Positions that a tree with small leaves may take before larger ones are let in.
pub(super) const TRIED: u64 = 100_000;

/// A mate in a few moves as composers write it.
fn solution(
    root: &Position,
    key: &Attack,
    output: Option<&Path>,
    context: &Context,
) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    if context.global.json {
        let report = Solution { fen: root.to_string(), solution: key };
        serde_json::to_writer(&mut text, &report)?;
        writeln!(text)?;
    } else {
        solution::write(root.side_to_move(), key, &mut text)?;
    }
    deliver(&text, output, context)
}

fn undecided(reason: &str, context: &Context) -> anyhow::Result<Exit> {
    context.say(&format!("no tree: {reason}"));
    Ok(Exit::Undecided)
}
