//! `theta strategy --explain`: the smallest tree for a person.

use super::cited::{proved, read_rules};
use super::context::counted;
use super::library::read_library;
use super::{Context, Exit, write_whole};
use anyhow::bail;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use theta_chess::chess::Value;
use theta_chess::chess::board::{Board, Color, Position, Role};
use theta_chess::chess::{Side, move_number};
use theta_chess::library::endgames::{BUILT_IN, Class, contradictions, parse_classes};
use theta_chess::library::explain::{
    Branch, Goal, Leaf, Leaves, NodeKind, Striver, Tree, explain, explain_in_zones,
};
use theta_chess::library::rules::Rule;
use theta_chess::library::striving::Bounds;
use theta_chess::pioneer::image::Horizon;
use theta_chess::solve::Engine;
use theta_chess::tables::{Material, Tables};

/// Arguments of `theta strategy --explain`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Readable proofs")]
pub struct Explain {
    /// Show the smallest tree that can be found for a person: leaves cut by proved rules and small
    /// tables, each cited.
    #[arg(long, conflicts_with = "from")]
    explain: bool,
    /// Men of the largest table that may cut a line, kings included; 2 for none.
    #[arg(long, value_name = "N", default_value_t = 3, requires = "explain",
          value_parser = clap::value_parser!(u8).range(2..=5))]
    leaf_men: u8,
    /// Rules that may cut lines [default: those that come with the program]. Each is proved first;
    /// the others are left out.
    #[arg(long, value_name = "FILE", requires = "explain")]
    rules: Option<PathBuf>,
    /// Cut no line by a rule.
    #[arg(long, requires = "explain", conflicts_with = "rules")]
    no_rules: bool,
    /// Rows of the endgame library may cut lines too.
    #[arg(long, requires = "explain")]
    rows: bool,
    /// Look first at moves towards close library positions of the wanted value; with --rows.
    #[arg(long, requires = "rows")]
    strive: bool,
    /// The owner plays moves of its zones only, within this horizon in plies (even, at most 14):
    /// Botvinnik's tree, with every reply. Réti's study takes 10.
    #[arg(long, value_name = "H", requires = "explain", conflicts_with = "strive")]
    zones: Option<u32>,
    /// The library for --rows [default: the one that comes with the program].
    #[arg(long, value_name = "FILE", requires = "rows")]
    library: Option<PathBuf>,
}

#[derive(serde::Serialize)]
struct Report<'a> {
    fen: String,
    moves: usize,
    leaves: usize,
    positions: u64,
    #[serde(flatten)]
    tree: &'a Tree,
}

/// Whether a material can arise from a position: no more men of either side, and pieces only from
/// promotions.
pub(super) fn can_arise(board: &Board, material: Material) -> bool {
    let men = board.chess().board();
    let fits = |own: Color, theirs: Color| {
        let count = |role: Role| (men.by_color(theirs) & men.by_role(role)).count() as u8;
        let pieces = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let missing: u8 =
            pieces.iter().map(|&r| material.count(own, r).saturating_sub(count(r))).sum();
        material.count(own, Role::Pawn) + missing <= count(Role::Pawn)
    };
    let as_named = fits(Color::White, Color::White) && fits(Color::Black, Color::Black);
    as_named || fits(Color::White, Color::Black) && fits(Color::Black, Color::White)
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

    /// Explains the value of a position, or what one side achieves.
    ///
    /// # Errors
    /// Bad rules, an unusable cache, output that cannot be written.
    pub fn run(
        &self,
        root: &theta_chess::Position,
        engine: Engine,
        side: Option<Side>,
        output: Option<&Path>,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let board = root.board();
        let (budget, solver, tables) = (context.budget(), context.solver()?, context.tables()?);
        let verdict = solver.with_engine(engine).solve(root, &budget)?;
        let goals: Vec<Goal> = match verdict.value() {
            None => {
                context.say("no tree: the value is not known within the limits");
                return Ok(Exit::Undecided);
            }
            Some(Value::Wins(winner, _)) => vec![Goal { owner: winner, wins: true }],
            Some(Value::Draw) => {
                [Side::White, Side::Black].map(|owner| Goal { owner, wins: false }).to_vec()
            }
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
            let found = match self.zones {
                Some(horizon) => {
                    explain_in_zones(&board, *goal, &leaves, Horizon::new(horizon), &budget)?
                }
                None => explain(&board, *goal, &leaves, striver, &budget)?,
            };
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
            let leaves =
                tree.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Leaf(_))).count();
            let fen = root.to_string();
            let report =
                Report { fen, moves: tree.moves(), leaves, positions: found.positions, tree };
            if context.global.json {
                serde_json::to_writer(&mut text, &report)?;
                writeln!(text)?;
            } else {
                print(&report, &mut text)?;
            }
        }
        if goals.len() == 2 && exit == Exit::Yes && !context.global.json {
            writeln!(text, "both together: {}", counted(total as u64, "move", "moves"))?;
        }
        context.clear_progress();
        match output {
            Some(path) => write_whole(path, |out| out.write_all(&text))?,
            None => {
                context.print(&text)?;
            }
        }
        Ok(exit)
    }
}

fn undecided(reason: &str, context: &Context) -> anyhow::Result<Exit> {
    context.say(&format!("no tree: {reason}"));
    Ok(Exit::Undecided)
}

fn print(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let tree = report.tree;
    let owner = if tree.white { "White" } else { "Black" };
    let claim = if tree.wins { "wins" } else { "holds" };
    let moves = counted(report.moves as u64, "move", "moves");
    writeln!(out, "{owner} {claim}: {moves}, {}", counted(report.leaves as u64, "leaf", "leaves"))?;
    let mut printer = Printer { tree, seen: vec![false; tree.nodes.len()], out };
    let first_white = tree.nodes[0].fen.contains(" w ");
    printer.node(0, if first_white { 0 } else { 1 }, 0)
}

struct Printer<'a, W> {
    tree: &'a Tree,
    seen: Vec<bool>,
    out: &'a mut W,
}

/// `3. ` or `3... `
pub(super) fn number(ply: usize) -> String {
    move_number(ply as u32, Side::White) + " "
}

/// Why a line ends, in words.
pub(super) fn reason(leaf: &Leaf) -> String {
    match leaf {
        Leaf::Mate => "mate".to_owned(),
        Leaf::Stalemate => "stalemate".to_owned(),
        Leaf::BareKing => "the bare king cannot win".to_owned(),
        Leaf::Rule { name, mirrored: false } => format!("rule {name}"),
        Leaf::Rule { name, mirrored: true } => format!("rule {name}, colours exchanged"),
        Leaf::Row { class, row } => format!("library, class {class}, row {row}"),
        Leaf::Table { material, plies: None } => format!("table {material}: draw"),
        Leaf::Table { material, plies: Some(plies) } => {
            format!("table {material}: mate in {plies} plies")
        }
    }
}

impl<W: Write> Printer<'_, W> {
    /// Writes the line from a node on; replies begin lines of their own, one step further in.
    fn node(&mut self, at: usize, ply: usize, indent: usize) -> io::Result<()> {
        if std::mem::replace(&mut self.seen[at], true)
            && !matches!(self.tree.nodes[at].kind, NodeKind::Leaf(_))
        {
            return writeln!(self.out, "see [{at}]");
        }
        match &self.tree.nodes[at].kind {
            NodeKind::Leaf(leaf) => writeln!(self.out, "— {}", reason(leaf)),
            NodeKind::Own(branch) => {
                write!(self.out, "{}{} ", number(ply), branch.san)?;
                self.node(branch.to, ply + 1, indent)
            }
            NodeKind::Replies(list) => {
                writeln!(self.out, "[{at}]")?;
                self.replies(list, ply, indent + 1)
            }
        }
    }

    /// Replies that end for the same reason share a line.
    fn replies(&mut self, list: &[Branch], ply: usize, indent: usize) -> io::Result<()> {
        let leaf = |branch: &Branch| match &self.tree.nodes[branch.to].kind {
            NodeKind::Leaf(leaf) => Some(reason(leaf)),
            _ => None,
        };
        let mut ends: Vec<(String, Vec<&str>)> = Vec::new();
        for branch in list {
            if let Some(why) = leaf(branch) {
                match ends.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, sans)) => sans.push(&branch.san),
                    None => ends.push((why, vec![&branch.san])),
                }
            }
        }
        let open: Vec<&Branch> = list.iter().filter(|branch| leaf(branch).is_none()).collect();
        for (why, sans) in ends {
            writeln!(self.out, "{:2$}{} — {why}", "", number(ply) + &sans.join(", "), 2 * indent)?;
        }
        for branch in open {
            write!(self.out, "{:2$}{} ", "", number(ply) + &branch.san, 2 * indent)?;
            self.node(branch.to, ply + 1, indent)?;
        }
        Ok(())
    }
}
