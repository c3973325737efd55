//! `theta subgoals`: what the zones of a position propose.

use super::tree::TreeArgs;
use super::{Context, Exit, PositionArgs, write_whole};
use anyhow::Context as _;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use theta_chess::chess::board::Square;
use theta_chess::chess::{Profile, Vector};
use theta_chess::export::zone;
use theta_chess::pioneer::image::Horizon;
use theta_chess::pioneer::search::WIN;
use theta_chess::pioneer::subgoal::{Proposal, propose};

/// Arguments of `theta subgoals`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  theta subgoals '7K/8/k1P5/7p/8/8/8/8 w - -' --horizon 8 --svg reti\n  \
    theta subgoals '8/8/8/q3k3/8/8/6K1/7R w - -' --tree --every-reply --no-rules"
)]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    /// The horizon of attack in plies: an attacker may be half as many moves away from its target
    /// (even, at most 14).
    #[arg(long, value_name = "H", default_value_t = 4)]
    horizon: u32,
    /// Draws the board with the trajectories and zones of each subgoal: DIR/1.svg, DIR/2.svg, …
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Adds positions of the endgame library that are close: what to strive for.
    #[arg(long)]
    library: bool,
    #[command(flatten)]
    tree: TreeArgs,
}

/// The report of one position.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    pub(super) fen: String,
    #[serde(flatten)]
    pub(super) proposal: &'a Proposal,
    /// With `--library`: close library positions, the closest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) close: Vec<super::library::Report>,
}

/// Close library positions shown.
const CLOSEST: usize = 5;

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let horizon = Horizon::new(self.horizon);
        if self.horizon != u32::from(horizon.plies()) {
            context.say(&format!("horizon {} is taken as {}", self.horizon, horizon.plies()));
        }
        self.positions.for_each(context, Profile::Fide, |batch| {
            let board = batch.position.board();
            if self.tree.wanted() {
                return self.tree.run(&board, horizon, context);
            }
            let proposal = propose(&board, horizon, &context.budget());
            let close =
                if self.library { super::library::closest(&board, CLOSEST)? } else { Vec::new() };
            context.clear_progress();
            if context.global.json {
                context.print_json(&Report {
                    fen: batch.position.to_string(),
                    proposal: &proposal,
                    close,
                })?;
            } else {
                print_text(&proposal, context)?;
                for position in &close {
                    context.print(
                        format!("strive for {}\n  aim {}\n", position.line(), position.aim)
                            .as_bytes(),
                    )?;
                }
            }
            if let Some(dir) = &self.svg {
                draw_all(batch.position.vector(), &proposal, dir)?;
            }
            Ok(if proposal.stop.is_some() { Exit::Undecided } else { Exit::Yes })
        })
    }
}

fn draw_all(y: &Vector, proposal: &Proposal, dir: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    for (i, goal) in proposal.subgoals.iter().enumerate() {
        write_whole(&dir.join(format!("{}.svg", i + 1)), |out| zone::write(y, goal, out))?;
    }
    Ok(())
}

fn print_text(proposal: &Proposal, context: &Context) -> anyhow::Result<()> {
    let mut out = context.out();
    for (i, goal) in proposal.subgoals.iter().enumerate() {
        writeln!(
            out,
            "{}. {} (square {}, stake {})",
            i + 1,
            goal.claim,
            Square::new(u32::from(goal.square)),
            goal.stake
        )?;
        writeln!(out, "   aim      {}", goal.aim)?;
        let belief = match goal.believed {
            WIN.. => "mate or a decided ending".to_string(),
            0 => "nothing yet".to_string(),
            gain => format!("{gain:+} in material"),
        };
        writeln!(
            out,
            "   believed {belief}: {}",
            if goal.line.is_empty() { "--".into() } else { goal.line.join(" ") }
        )?;
        for path in &goal.paths {
            writeln!(out, "   {:<9}{}", path.part, path.words)?;
        }
    }
    for threat in &proposal.threats {
        writeln!(out, "threat: {threat}")?;
    }
    for remark in &proposal.remarks {
        writeln!(out, "note: {remark}")?;
    }
    let ratio = proposal.ratio.map_or("-".to_string(), |k| format!("{k:.2}"));
    let control = proposal.control;
    writeln!(
        out,
        "control of trajectory squares: White {}, Black {}, K = {ratio}; horizon {} plies; tree of {} moves",
        control.white,
        control.black,
        proposal.horizon.plies(),
        proposal.tree
    )?;
    out.flush()?;
    Ok(())
}
