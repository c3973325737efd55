//! `theta check`: CTL aims over chess atoms, put to positions.

use super::solve::ProfileArg;
use super::{Context, Exit, PositionArgs, counted, read_fen};
use anyhow::{Context as _, bail};
use serde::Serialize;
use std::fs::File;
use std::path::PathBuf;
use theta_chess::aim::{Aim, Goal};
use theta_chess::check::{Checked, Line, Method, Rules, check, shown};
use theta_chess::chess::{Move, Position, Profile, Side, move_number};
use theta_chess::dead::{decide, is_of_mates};
use theta_chess::export::boards;
use theta_chess::limits::{Budget, StopReason};
use theta_chess::solve::{Solver, Verdict};

/// Arguments of `theta check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code 0: true, 1: false, 2: bad input, 3: undecided.\n\n\
    Atoms: white_to_move, black_to_move, mate(white|black), stalemate, check(white|black), on(P, e4),\n\
    attacked(e4, white|black), can_castle(K|Q|k|q), and comparisons (< <= = >= >) of sums of count(q),\n\
    material(white|black), flights(white|black), moves(white|black) and numbers; on(k, {g8, h8}) is\n\
    on(k, g8) | on(k, h8).\n\n\
    Examples:\n  theta check '4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -' '~EF (mate(white) | mate(black))'\n  \
    theta check '7k/8/5K2/8/8/8/6Q1/8 w - -' 'AF mate(black)' --rules white")]
pub struct Args {
    /// The position in FEN (`-` reads one per line from standard input; left out with --epd), then
    /// the aim (left out with --aim).
    #[arg(value_name = "FEN AIM", num_args = 0..)]
    words: Vec<String>,
    /// A file with a position per line (EPD or FEN); `-` is standard input.
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// A file with the aim, such as those of formulas/aims.
    #[arg(long, value_name = "FILE")]
    aim: Option<PathBuf>,
    /// Who chooses the moves.
    #[arg(long, value_enum, default_value_t = RulesArg::All)]
    rules: RulesArg,
    /// The rules: the laws of chess, or the paper as printed.
    #[arg(long, value_enum, default_value = "fide")]
    profile: ProfileArg,
    /// Draw what shows the answer on boards, a line or a tree of play; the answer then goes to
    /// stderr (with --json, the drawing into the object). One position, all rules: strategies are
    /// drawn by `theta strategy`.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "epd")]
    model: Option<DrawingFormat>,
    /// Boards of a drawn tree, at most; those near the root come first.
    #[arg(long, value_name = "N", default_value_t = 24, requires = "model",
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    boards: u16,
}

/// `--model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum DrawingFormat {
    /// A picture.
    Svg,
    /// A page with the picture and the positions as text.
    Html,
}

/// `--rules`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RulesArg {
    /// Every legal move is there: is the aim true at the position in Leg? A final position repeats
    /// itself.
    All,
    /// White picks one move at each turn: is Init ∧ Rules1 ∧ AG EX T ∧ AIM satisfiable?
    White,
    /// Black picks one move at each turn: is Init ∧ Rules3 ∧ AG EX T ∧ AIM satisfiable?
    Black,
}

impl From<RulesArg> for Rules {
    fn from(arg: RulesArg) -> Self {
        match arg {
            RulesArg::All => Self::All,
            RulesArg::White => Self::Owner(Side::White),
            RulesArg::Black => Self::Owner(Side::Black),
        }
    }
}

/// The report of one position.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    fen: String,
    aim: &'a str,
    rules: RulesArg,
    /// Whether the aim is true (all) or satisfiable (white, black).
    answer: Option<bool>,
    /// Whether the aim has no existential quantifier: then satisfiable means that the side has a
    /// strategy.
    universal: bool,
    /// How it was found: `proof`, or a method of `check`.
    method: Option<How>,
    /// The first move of the side's strategy, UCI notation, where a proof has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    /// Plies that the strategy takes at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u16>,
    /// A witness of what is true, a counter-example to what is false, UCI notation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    line: Vec<String>,
    /// After the line the position after so many of its moves is there again.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_repeats_from: Option<usize>,
    /// The line in words.
    #[serde(skip)]
    line_text: String,
    #[serde(skip)]
    first_san: String,
    positions: u64,
    seconds: f64,
    stop: Option<StopReason>,
    /// The drawing, with --model.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawing: Option<String>,
}

/// How an answer was found.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum How {
    /// By the proof search, as `theta prove --aim` does it.
    Proof,
    /// By who can still mate, as `theta dead` decides it.
    Dead,
    /// By the methods of `check`.
    #[serde(untagged)]
    Method(Method),
}

/// What came of a question.
#[derive(Debug, Default)]
struct Outcome {
    answer: Option<bool>,
    method: Option<How>,
    first: Option<Move>,
    plies: Option<u16>,
    line: Option<Line>,
    positions: u64,
    stop: Option<StopReason>,
}

impl From<Checked> for Outcome {
    fn from(checked: Checked) -> Self {
        Self {
            answer: checked.answer.ok(),
            method: checked.method.map(How::Method),
            line: checked.line,
            positions: checked.positions,
            stop: checked.answer.err(),
            ..Self::default()
        }
    }
}

impl Outcome {
    /// A strategy found is a model. That there is none refutes the aim only where φ speaks of single
    /// positions: under `AX` the proof search asks more of the owner's turns than a model does.
    fn of_proof(proof: &Verdict, goal: &Goal) -> Self {
        let answered = proof.is_answered() && !(proof.is_refuted() && goal.looks_ahead());
        Self {
            answer: answered.then(|| !proof.is_refuted()),
            method: Some(How::Proof),
            first: proof.first_moves().first().copied(),
            plies: proof.links().first().map(|link| link.plies),
            line: None,
            positions: proof.positions(),
            stop: proof.stop().filter(|_| !answered),
        }
    }
}

/// Positions that are listed before it is asked who can still mate: about a second.
const LISTED_FIRST: u64 = 300_000;

/// Positions that the proof search has before all of Leg(y⁰) is listed: about a second.
const PROVED_FIRST: u64 = 300_000;

impl Args {
    /// Runs the command.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let profile = self.profile.into();
        let mut words = self.words.clone();
        let aim = self.read_aim(&mut words)?;
        if words.is_empty() == self.epd.is_none() {
            bail!("give a position and an aim (--epd and --aim take their places)");
        }
        let text = aim.to_string();
        if let Some(format) = self.model {
            return self.draw(format, &words, &aim, &text, context);
        }
        let positions = PositionArgs { fen: words, epd: self.epd.clone(), puzzles: None };
        positions.for_each(context, profile, |batch| {
            let budget = context.budget();
            let root = &batch.position;
            let asked = Question { root, aim: &aim, rules: self.rules, profile };
            let report = asked.report(&text, || context.solver(), &budget)?;
            context.clear_progress();
            if context.global.json {
                context.print_json(&report)?;
            } else {
                context.print(report.text(batch.line.is_some()).as_bytes())?;
            }
            Ok(report.exit())
        })
    }

    /// Answers and draws what shows it.
    fn draw(
        &self,
        format: DrawingFormat,
        words: &[String],
        aim: &Aim,
        text: &str,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        if self.rules != RulesArg::All {
            bail!("--model draws all legal play (--rules all); strategies: `theta strategy`");
        }
        let profile: Profile = self.profile.into();
        let words = words.join(" ");
        if words == "-" {
            bail!("--model draws one position");
        }
        let root = read_fen(&words, profile)?;
        let budget = context.budget();
        let checked = check(root.vector(), aim, Rules::All, profile, &budget);
        let tree = shown(root.vector(), aim, &checked, profile, self.boards.into(), &budget);
        let asked = Question { root: &root, aim, rules: self.rules, profile };
        let mut report = asked.told(text, checked.into(), &budget);
        context.clear_progress();
        let exit = report.exit();
        let mut drawing = Vec::new();
        match &tree {
            Ok(Some(tree)) => {
                let truth = if report.answer == Some(true) { "true" } else { "false" };
                let headline = format!("{truth}: {text}");
                let below = root.side_to_move();
                let told = boards::Told { headline: &headline, profile, below };
                match format {
                    DrawingFormat::Svg => boards::write_svg(tree, told, &mut drawing)?,
                    DrawingFormat::Html => boards::write_html(tree, told, &mut drawing)?,
                }
            }
            Ok(None) => {}
            Err(stop) => context.say(&format!("nothing is drawn: {stop}")),
        }
        if context.global.json {
            report.drawing = Some(String::from_utf8(drawing)?).filter(|text| !text.is_empty());
            context.print_json(&report)?;
        } else {
            context.say(report.text(false).trim_end());
            context.print(&drawing)?;
        }
        Ok(if tree.is_err() { Exit::Undecided } else { exit })
    }

    /// The aim: from its file, or the last word.
    fn read_aim(&self, words: &mut Vec<String>) -> anyhow::Result<Aim> {
        if let Some(path) = &self.aim {
            let name = || path.display().to_string();
            return Aim::read(File::open(path).with_context(name)?).with_context(name);
        }
        let text = words.pop().context("an aim is missing")?;
        Aim::parse(&text).with_context(|| format!("the aim `{text}`"))
    }
}

/// An aim put to a position.
pub(super) struct Question<'a> {
    pub(super) root: &'a Position,
    pub(super) aim: &'a Aim,
    pub(super) rules: RulesArg,
    pub(super) profile: Profile,
}

impl Question<'_> {
    /// The answer as it is told; `text` is the aim as it is repeated.
    ///
    /// # Errors
    /// An engine that fails.
    pub(super) fn report<'a>(
        &self,
        text: &'a str,
        solver: impl FnOnce() -> anyhow::Result<Solver>,
        budget: &Budget,
    ) -> anyhow::Result<Report<'a>> {
        let outcome = self.ask(solver, budget)?;
        Ok(self.told(text, outcome, budget))
    }

    /// What came of it, as it is told.
    fn told<'a>(&self, text: &'a str, outcome: Outcome, budget: &Budget) -> Report<'a> {
        let Self { root, aim, rules, profile } = *self;
        let san = |m: &Move| root.board().find(*m).map(|legal| root.board().san(legal));
        let line = outcome.line.as_ref();
        Report {
            fen: root.to_string(),
            aim: text,
            rules,
            answer: outcome.answer,
            universal: aim.is_universal(),
            method: outcome.method,
            first: outcome.first.map(|m| m.to_string()),
            first_san: outcome.first.as_ref().and_then(san).unwrap_or_default(),
            plies: outcome.plies,
            line: line.iter().flat_map(|l| &l.moves).map(Move::to_string).collect(),
            line_repeats_from: line.and_then(|l| l.repeats_from),
            line_text: line.map(|l| line_text(root, l, profile)).unwrap_or_default(),
            positions: outcome.positions,
            seconds: budget.elapsed().as_secs_f64(),
            stop: outcome.stop,
            drawing: None,
        }
    }

    /// A side's aim of the form AF φ is put to the proof search first, which needs few positions
    /// where it succeeds and gives the strategy; then, with half of the time, to the methods that
    /// decide every aim; then to the search again.
    fn ask(
        &self,
        solver: impl FnOnce() -> anyhow::Result<Solver>,
        budget: &Budget,
    ) -> anyhow::Result<Outcome> {
        let Self { root, aim, profile, .. } = *self;
        let rules = self.rules.into();
        let goal = match rules {
            Rules::Owner(side) if profile == Profile::Fide => {
                Goal::of(aim.clone()).ok().map(|goal| (side, goal))
            }
            _ => None,
        };
        let Some((side, goal)) = goal else {
            let all = rules == Rules::All && profile == Profile::Fide && is_of_mates(aim);
            return Ok(if all { self.mates(budget) } else { self.list(budget) });
        };
        let solver = solver()?;
        let half = |b: &Budget| b.remaining().map_or_else(|| b.clone(), |left| b.part(left / 2));
        let prove = |budget: &Budget| -> anyhow::Result<Outcome> {
            Ok(Outcome::of_proof(&solver.prove_aim(root, side, &goal, budget)?, &goal))
        };
        let first = prove(&half(budget).at_most(PROVED_FIRST))?;
        let left = budget.after(first.positions);
        if first.answer.is_some() || left.check(0, 0).is_err() {
            return Ok(first);
        }
        let checked = self.list(&half(&left));
        let visited = first.positions + checked.positions;
        let left = left.after(checked.positions);
        if checked.answer.is_some() || left.check(0, 0).is_err() {
            return Ok(Outcome { positions: visited, ..checked });
        }
        let last = prove(&left)?;
        Ok(Outcome { positions: visited + last.positions, ..last })
    }

    /// By the methods that decide every aim.
    fn list(&self, budget: &Budget) -> Outcome {
        check(self.root.vector(), self.aim, self.rules.into(), self.profile, budget).into()
    }

    /// Who can be mated at all: by listing what play leads to where that is little, which gives a
    /// shortest line; else as dead positions are recognised.
    fn mates(&self, budget: &Budget) -> Outcome {
        let first = self.list(&budget.at_most(LISTED_FIRST));
        let left = budget.after(first.positions);
        if first.answer.is_some() || left.check(0, 0).is_err() {
            return first;
        }
        let Some(found) = decide(self.root, self.aim, &left) else { return first };
        Outcome {
            answer: found.answer.ok(),
            method: Some(How::Dead),
            line: found.line.map(Line::ending),
            positions: first.positions + found.positions,
            stop: found.answer.err(),
            ..Outcome::default()
        }
    }
}

impl Report<'_> {
    fn exit(&self) -> Exit {
        match self.answer {
            Some(true) => Exit::Yes,
            Some(false) => Exit::No,
            None => Exit::Undecided,
        }
    }

    /// The line that shows it, in words; empty without one.
    #[cfg(feature = "serve")]
    pub(super) fn line_text(&self) -> &str {
        &self.line_text
    }

    /// The answer in words, on a line or on several.
    pub(super) fn text(&self, one_line: bool) -> String {
        let side = match self.rules {
            RulesArg::All => None,
            RulesArg::White => Some("White"),
            RulesArg::Black => Some("Black"),
        };
        let stop = self.stop.map_or_else(String::new, |stop| format!(" ({stop})"));
        let answer = match (self.answer, side) {
            (None, _) => format!("unknown{stop}"),
            (Some(true), None) => "true: the aim holds in the graph of all legal play".into(),
            (Some(false), None) => {
                "false: the aim does not hold in the graph of all legal play".into()
            }
            (Some(true), Some(side)) if self.universal => {
                let plies = |n: u16| format!(", in at most {}", counted(n.into(), "ply", "plies"));
                let plies = self.plies.map_or_else(String::new, plies);
                let first = match &self.first_san[..] {
                    "" => String::new(),
                    san => format!(": {san}"),
                };
                format!("yes: {side} has a strategy{plies}{first}")
            }
            (Some(false), Some(side)) if self.universal => format!("no: {side} has no strategy"),
            (Some(true), Some(side)) => {
                format!(
                    "satisfiable with {side}'s choices (the aim says E: a model may answer one move in several ways)"
                )
            }
            (Some(false), Some(side)) => format!("unsatisfiable, whatever {side} chooses"),
        };
        if one_line {
            return format!("{}\t{answer}\n", self.fen);
        }
        let shows = if self.answer == Some(true) { "witness" } else { "counter-example" };
        let line = match &self.line_text[..] {
            "" => String::new(),
            text => format!("{shows}: {text}\n"),
        };
        format!(
            "{answer}\n{line}{}, {:.2} s\n",
            counted(self.positions, "position", "positions"),
            self.seconds
        )
    }
}

/// A line with its move numbers; by the paper's rules the moves stand in UCI notation.
fn line_text(root: &Position, line: &Line, profile: Profile) -> String {
    let (mut board, first) = (root.board(), root.side_to_move());
    let mut words = Vec::new();
    for (ply, m) in line.moves.iter().enumerate() {
        let legal = board.find(*m).filter(|_| profile == Profile::Fide);
        let text = legal.map_or_else(|| m.to_string(), |legal| board.san(legal));
        let number = move_number(ply as u32, first);
        // Black's moves stand behind White's.
        let alone = ply == 0 || !number.ends_with("...");
        words.push(if alone { format!("{number} {text}") } else { text });
        if let Some(legal) = legal {
            board = board.after(legal);
        }
    }
    if let Some(back) = line.repeats_from {
        let moves = counted(back as u64, "move", "moves");
        words.push(format!("(the position after {moves} again, and so on for ever)"));
    }
    words.join(" ")
}
