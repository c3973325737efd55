//! `theta library rules`: rules put to every legal position of their material.

use super::failed;
use crate::cli::{Context, Exit};
use anyhow::{Context as _, bail};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use theta_chess::chess::{Side, Value};
use theta_chess::library::rules::{
    Check, Collection, Counterexample, Group, Repair, Rule, Shown, check, parse_rules,
};
use theta_chess::library::rules::{repair, vocabulary};
use theta_chess::tables::Tables;

/// Arguments of `theta library rules`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A rule's name, the beginning of several (`absolute` for `absolute-1`, `absolute-2`), or a
    /// file of rules [default: every rule that comes with the program].
    #[arg(value_name = "NAME|FILE")]
    rule: Option<String>,
    /// List every counter-example, not only the first of each group.
    #[arg(long)]
    all: bool,
    /// Only check: look for no correction of a rule that fails.
    #[arg(long)]
    no_repair: bool,
    /// The conditions in whose words a correction is sought, one a line [default: those that come
    /// with the program].
    #[arg(long, value_name = "FILE")]
    vocabulary: Option<PathBuf>,
    /// Draw a board for each counter-example shown.
    #[arg(long)]
    boards: bool,
}

/// What is printed about one rule.
struct Report {
    rule: Rule,
    check: Check,
    repair: Option<Repair>,
    seconds: f64,
}

#[derive(Serialize)]
struct Position {
    fen: String,
    value: &'static str,
    plies: Option<u32>,
}

#[derive(Serialize)]
struct GroupReport {
    common: String,
    wrong: u64,
    right: u64,
    example: Position,
}

/// What came of a rule.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// It applies somewhere and is never wrong.
    Holds,
    /// It is wrong somewhere.
    Fails,
    /// Its condition holds in no legal position.
    #[serde(rename = "never applies")]
    NeverApplies,
}

#[derive(Serialize)]
struct JsonReport {
    rule: String,
    says: String,
    material: String,
    text: String,
    verdict: Verdict,
    legal: u64,
    applies: u64,
    wrong: u64,
    groups: Vec<GroupReport>,
    corrected: Option<String>,
    corrected_applies: Option<u64>,
    corrected_at_most: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counterexamples: Vec<Position>,
    seconds: f64,
}

/// A rule's check, and its repair if it fails; or the tables' error.
type Judged = Result<(Check, Option<Repair>), theta_chess::tables::TableError>;

impl Args {
    /// Checks the rules one after the other.
    ///
    /// # Errors
    /// A name that no rule has, a file that is none of rules, an unusable cache.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let rules = self.rules()?;
        let words = match &self.vocabulary {
            Some(path) => {
                Some(std::fs::read_to_string(path).with_context(|| path.display().to_string())?)
            }
            None => None,
        };
        let tables = context.tables()?;
        let mut exit = Exit::Yes;
        for rule in rules {
            let start = Instant::now();
            let (check, repair) = match self.judge(&tables, &rule, words.as_deref(), context)? {
                Ok(judged) => judged,
                Err(error) => return failed(error, context),
            };
            context.clear_progress();
            exit = exit.worst(if check.is_proved() { Exit::Yes } else { Exit::No });
            let report = Report { rule, check, repair, seconds: start.elapsed().as_secs_f64() };
            if context.global.json {
                context.print_json(&report.json(self.all))?;
            } else {
                report.print(self, &mut context.out())?;
            }
        }
        Ok(exit)
    }

    fn rules(&self) -> anyhow::Result<Vec<Rule>> {
        let known = Collection::built_in();
        let Some(name) = &self.rule else { return Ok(known.rules) };
        let named: Vec<Rule> = known.named(name).cloned().collect();
        if !named.is_empty() {
            return Ok(named);
        }
        if Path::new(name).exists() {
            let text = std::fs::read_to_string(name).with_context(|| name.clone())?;
            return parse_rules(&text).with_context(|| name.clone());
        }
        let names: Vec<&str> = known.rules.iter().map(|rule| rule.name.as_str()).collect();
        bail!("no rule and no file is called `{name}`; the rules are {}", names.join(", "))
    }

    /// The check, and for a rule that fails what can be done about it; the inner error is the
    /// tables'.
    fn judge(
        &self,
        tables: &Tables,
        rule: &Rule,
        words: Option<&str>,
        context: &Context,
    ) -> anyhow::Result<Judged> {
        let budget = context.budget();
        let words = vocabulary(rule.material, words).context("the vocabulary")?;
        let keep = if self.all { usize::MAX } else { 0 };
        let judged = || {
            let check = check(tables, rule, keep, &budget)?;
            let repair = match check.wrong > 0 && !self.no_repair {
                true => Some(repair(tables, rule, &words, &budget)?),
                false => None,
            };
            Ok((check, repair))
        };
        Ok(judged())
    }
}

fn value_words(value: Value) -> (&'static str, Option<u32>) {
    match value {
        Value::Draw => ("draw", None),
        Value::Wins(Side::White, plies) => ("white", Some(plies)),
        Value::Wins(Side::Black, plies) => ("black", Some(plies)),
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

impl Report {
    fn position(&self, example: &Counterexample) -> Position {
        let (value, plies) = value_words(example.value);
        Position { fen: example.placement.fen(self.rule.material), value, plies }
    }

    fn common(&self, group: &Group) -> String {
        Shown { pieces: &self.rule.material.men_in_order(), condition: &group.common }.to_string()
    }

    fn verdict(&self) -> Verdict {
        match (self.check.applies, self.check.wrong) {
            (0, _) => Verdict::NeverApplies,
            (_, 0) => Verdict::Holds,
            _ => Verdict::Fails,
        }
    }

    fn json(&self, all: bool) -> JsonReport {
        let groups = self.repair.iter().flat_map(|repair| &repair.groups);
        let corrected = self.repair.as_ref().and_then(|repair| repair.corrected.as_ref());
        JsonReport {
            rule: self.rule.name.clone(),
            says: self.rule.says.clone(),
            material: self.rule.material.to_string(),
            text: self.rule.to_string(),
            verdict: self.verdict(),
            legal: self.check.legal,
            applies: self.check.applies,
            wrong: self.check.wrong,
            groups: groups
                .map(|g| GroupReport {
                    common: self.common(g),
                    wrong: g.wrong,
                    right: g.right,
                    example: self.position(&g.example),
                })
                .collect(),
            corrected: corrected.map(|(rule, _)| rule.to_string()),
            corrected_applies: corrected.map(|(_, proof)| proof.applies),
            corrected_at_most: self.repair.as_ref().map(|repair| repair.at_most),
            counterexamples: match all {
                true => self.check.counterexamples.iter().map(|e| self.position(e)).collect(),
                false => Vec::new(),
            },
            seconds: self.seconds,
        }
    }

    fn print(&self, args: &Args, out: &mut impl Write) -> anyhow::Result<()> {
        let Check { legal, applies, wrong, .. } = self.check;
        writeln!(out, "{}", self.rule)?;
        match self.verdict() {
            Verdict::Holds => {
                writeln!(out, "holds without exception: {applies} positions of {legal} legal ones")?
            }
            Verdict::Fails => writeln!(
                out,
                "{wrong} counter-examples of {applies} positions ({:.3} %), {legal} legal ones",
                percent(wrong, applies)
            )?,
            Verdict::NeverApplies => writeln!(
                out,
                "never applies: its condition holds in none of {legal} legal positions; nothing is proved"
            )?,
        }
        if let Some(repair) = &self.repair {
            self.print_repair(repair, args, out)?;
        }
        if args.all {
            for example in &self.check.counterexamples {
                self.print_example(example, args, out)?;
            }
        }
        writeln!(out, "{:.1} s\n", self.seconds)?;
        out.flush()?;
        Ok(())
    }

    fn print_repair(
        &self,
        repair: &Repair,
        args: &Args,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        for group in &repair.groups {
            writeln!(
                out,
                "  {:>8}  {} ({} others where the rule is right)",
                group.wrong,
                self.common(group),
                group.right
            )?;
            if !args.all {
                self.print_example(&group.example, args, out)?;
            }
        }
        let kept = self.check.applies - self.check.wrong;
        match &repair.corrected {
            Some((rule, proof)) => {
                writeln!(out, "\ncorrected and proved:\n{rule}")?;
                let share = percent(proof.applies, kept);
                writeln!(
                    out,
                    "holds without exception: {} positions, {share:.2} % of those it was right in",
                    proof.applies
                )?;
            }
            None => writeln!(out, "no exception in this vocabulary makes it true")?,
        }
        let share = percent(repair.at_most, kept);
        writeln!(
            out,
            "(no exception in these words can keep more than {}, {share:.2} %)",
            repair.at_most
        )?;
        Ok(())
    }

    fn print_example(
        &self,
        example: &Counterexample,
        args: &Args,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let position = self.position(example);
        let truth = match (position.value, position.plies) {
            (side, Some(plies)) => format!("{side} wins in {plies} plies"),
            (value, None) => value.to_owned(),
        };
        writeln!(out, "            {}: {truth}", position.fen)?;
        if args.boards {
            let board = position.fen.split(' ').next().unwrap_or_default();
            for rank in board.split('/') {
                let dots = |c: char| {
                    c.to_digit(10).map_or_else(|| format!("{c} "), |n| ". ".repeat(n as usize))
                };
                writeln!(
                    out,
                    "              {}",
                    rank.chars().map(dots).collect::<String>().trim_end()
                )?;
            }
        }
        Ok(())
    }
}
