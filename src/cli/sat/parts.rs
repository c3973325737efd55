//! `theta sat --each`, `--pairwise`, `--core`, `--redundant`: a specification of several parts.

use super::{Answer, Arena, Args, Budget, Context, Exit, Id, Options, Parsed, Report, counted};
use super::{headline, satisfiable};
use serde::{Deserialize, Serialize};
use theta_chess::ctl::{Notation, Specification, Syntax, to_short_text};
use theta_chess::limits::StopReason;
use theta_chess::specification::{Remark, conjuncts, core, redundant};

/// Characters of a formula that are written.
const SHOWN: usize = 400;

/// The conjuncts of all specifications of a text.
pub(in crate::cli) struct Parts {
    formulas: Vec<Id>,
    /// The name of each one's specification, where there are several or it has one; with the
    /// conjunct's number where it is one of many.
    labels: Vec<Option<String>>,
    syntax: Syntax,
}

/// A conjunct as it is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::cli) struct PartReport {
    /// The specification that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    specification: Option<String>,
    /// It, or its beginning.
    formula: String,
}

/// Conjuncts that have no model together.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::cli) struct CoreReport {
    /// So many conjuncts there are.
    pub(in crate::cli) of: usize,
    /// None of those named can be left out.
    pub(in crate::cli) minimal: bool,
    /// They.
    pub(in crate::cli) conjuncts: Vec<PartReport>,
}

impl PartReport {
    /// As a line.
    pub(in crate::cli) fn line(&self) -> String {
        match &self.specification {
            Some(name) => format!("{name}: {}", self.formula),
            None => self.formula.clone(),
        }
    }
}

impl CoreReport {
    /// In lines.
    pub(super) fn text(&self) -> String {
        let of = counted(self.of as u64, "conjunct", "conjuncts");
        let rest = match (self.conjuncts.len(), self.minimal) {
            (1, _) => "it has no model by itself",
            (_, true) => "without any one of them there is a model",
            (_, false) => "a limit was reached before all others were tried",
        };
        let mut text = format!("core: {} of {of}; {rest}", self.conjuncts.len());
        for part in &self.conjuncts {
            text += &format!("\n  {}", part.line());
        }
        text
    }
}

/// The name of a specification, or its number.
fn label(specification: &Specification, at: usize) -> String {
    specification.name.clone().unwrap_or_else(|| format!("specification {}", at + 1))
}

fn syntax(parsed: &Parsed) -> Syntax {
    match parsed.notation {
        Notation::Smv => Syntax::Smv,
        _ => Syntax::Ascii,
    }
}

impl Parts {
    /// The conjuncts of what was read; with `negated` those of its negation.
    pub(in crate::cli) fn of(arena: &mut Arena, parsed: &Parsed, negated: bool) -> Self {
        let (mut formulas, mut labels) = (Vec::new(), Vec::new());
        if negated {
            let negation = arena.not(parsed.formula);
            formulas = conjuncts(arena, negation);
            labels = vec![None; formulas.len()];
        } else {
            for (at, specification) in parsed.specifications.iter().enumerate() {
                let parts = conjuncts(arena, specification.formula);
                let is_named = specification.name.is_some() || parsed.specifications.len() > 1;
                labels.extend((1..=parts.len()).map(|k| {
                    let name = label(specification, at);
                    let name = if parts.len() > 1 { format!("{name}, {k}") } else { name };
                    is_named.then_some(name)
                }));
                formulas.extend(parts);
            }
        }
        Self { formulas, labels, syntax: syntax(parsed) }
    }

    fn text(&self, arena: &Arena, id: Id) -> String {
        to_short_text(arena, id, self.syntax, SHOWN)
    }

    fn report(&self, arena: &Arena, place: usize) -> PartReport {
        let formula = self.text(arena, self.formulas[place]);
        PartReport { specification: self.labels[place].clone(), formula }
    }

    /// Conjuncts that have no model together; none where all have one, or a limit came first.
    pub(in crate::cli) fn core(
        &self,
        arena: &mut Arena,
        options: &Options,
        budget: &Budget,
    ) -> Option<CoreReport> {
        let found = core(arena, &self.formulas, options, budget).ok()??;
        let conjuncts = found.parts.iter().map(|&place| self.report(arena, place));
        let (conjuncts, minimal) = (conjuncts.collect(), found.minimal);
        Some(CoreReport { of: self.formulas.len(), minimal, conjuncts })
    }
}

/// The report on one specification.
#[derive(Serialize)]
struct Each {
    specification: String,
    #[serde(flatten)]
    report: Report,
}

/// The report on two specifications.
#[derive(Serialize)]
struct Pair {
    specifications: [String; 2],
    satisfiable: Option<bool>,
    stop: Option<StopReason>,
}

/// What `--redundant` finds.
#[derive(Serialize)]
struct LintReport {
    /// Whether all conjuncts have a model together; if not, everything follows from them.
    satisfiable: Option<bool>,
    /// So many there are.
    conjuncts: usize,
    remarks: Vec<RemarkReport>,
    /// Conjuncts of which not everything was decided.
    undecided: Vec<PartReport>,
    stop: Option<StopReason>,
    seconds: f64,
}

/// A remark on a conjunct.
#[derive(Serialize)]
struct RemarkReport {
    #[serde(flatten)]
    part: PartReport,
    /// `valid`, `implied` or `vacuous`.
    remark: &'static str,
    /// The conjuncts that imply it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by: Vec<PartReport>,
    /// The subformula that does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    subformula: Option<String>,
    /// The conjunct as it might say instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    sharper: Option<String>,
}

impl RemarkReport {
    fn text(&self) -> String {
        let line = self.part.line();
        match (&self.subformula, &self.sharper) {
            (Some(subformula), Some(sharper)) => {
                format!("{line}\n  `{subformula}` does not matter: {sharper} is implied too")
            }
            _ if self.by.is_empty() => format!("{line}\n  is true in every model"),
            _ => {
                let by = self.by.iter().map(|part| format!("\n    {}", part.line()));
                format!("{line}\n  is implied by{}", by.collect::<String>())
            }
        }
    }
}

impl Args {
    /// Decides each specification on its own.
    pub(super) fn each(
        &self,
        arena: &mut Arena,
        parsed: &Parsed,
        budget: &Budget,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let mut exit = Exit::Yes;
        for (at, specification) in parsed.specifications.iter().enumerate() {
            budget.progress().stage("states", None);
            let formula = specification.formula;
            let asked = if self.valid { arena.not(formula) } else { formula };
            let outcome = satisfiable(arena, asked, &self.options(), budget);
            let mut report = Report::of(&outcome, self.valid, 0, budget);
            if self.core && matches!(outcome.answer, Answer::Unsatisfiable) {
                let one = Parsed {
                    formula,
                    specifications: vec![specification.clone()],
                    ..parsed.clone()
                };
                let parts = Parts::of(arena, &one, self.valid);
                report.core = parts.core(arena, &self.options(), budget);
            }
            context.clear_progress();
            exit = exit.worst(report.exit());
            let name = label(specification, at);
            if context.global.json {
                context.print_json(&Each { specification: name, report })?;
            } else {
                context.print(format!("{name}: {}\n", headline(&report)).as_bytes())?;
            }
        }
        Ok(exit)
    }

    /// Names the pairs of specifications that have no model together.
    pub(super) fn pairwise(
        &self,
        arena: &mut Arena,
        parsed: &Parsed,
        budget: &Budget,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let all = &parsed.specifications;
        let mut counts = [0_u64; 3];
        let mut exit = Exit::Yes;
        let singles = (0..all.len()).map(|k| (k, k));
        let later = |first| (first + 1..all.len()).map(move |second| (first, second));
        let pairs = singles.chain((0..all.len()).flat_map(later));
        let mut alone = vec![false; all.len()];
        for (first, second) in pairs {
            // What has no model by itself is told once.
            if first != second && (alone[first] || alone[second]) {
                continue;
            }
            budget.progress().stage("states", None);
            let both = arena.and(&[all[first].formula, all[second].formula]);
            let asked = if first == second { all[first].formula } else { both };
            let answer = satisfiable(arena, asked, &self.options(), budget).answer;
            context.clear_progress();
            let names = [label(&all[first], first), label(&all[second], second)];
            let (told, stop) = match answer {
                Answer::Satisfiable(_) => (Some(true), None),
                Answer::Unsatisfiable => (Some(false), None),
                Answer::Unknown(stop) => (None, Some(stop)),
            };
            alone[first] |= first == second && told == Some(false);
            let (count, one, line) = match (told, first == second) {
                (Some(true), _) => (0, Exit::Yes, None),
                (Some(false), true) => (1, Exit::No, Some(format!("{} has no model", names[0]))),
                (Some(false), false) => {
                    (1, Exit::No, Some(format!("{} and {} have no model", names[0], names[1])))
                }
                (None, _) => {
                    let why = stop.map_or_else(String::new, |stop| format!(": {stop}"));
                    let line = format!("{} and {}: undecided{why}", names[0], names[1]);
                    (2, Exit::Undecided, Some(line))
                }
            };
            counts[count] += 1;
            exit = exit.worst(one);
            match line {
                _ if context.global.json => {
                    context.print_json(&Pair { specifications: names, satisfiable: told, stop })?;
                }
                Some(line) => {
                    context.print(format!("{line}\n").as_bytes())?;
                }
                None => {}
            }
        }
        if !context.global.json {
            let what = counted(all.len() as u64, "specification", "specifications");
            let found = counted(counts[1], "contradiction", "contradictions");
            let open =
                if counts[2] > 0 { format!(", {} undecided", counts[2]) } else { String::new() };
            context.print(format!("{what} in pairs: {found}{open}\n").as_bytes())?;
        }
        Ok(exit)
    }

    /// Names what is implied by the rest, and what does not matter.
    pub(super) fn redundant(
        &self,
        arena: &mut Arena,
        parsed: &Parsed,
        budget: &Budget,
        context: &Context,
    ) -> anyhow::Result<Exit> {
        budget.progress().stage("states", None);
        let parts = Parts::of(arena, parsed, false);
        let found = redundant(arena, &parts.formulas, &self.options(), budget);
        context.clear_progress();
        let mut report = LintReport {
            satisfiable: found.as_ref().ok().map(Option::is_some),
            conjuncts: parts.formulas.len(),
            remarks: Vec::new(),
            undecided: Vec::new(),
            stop: found.as_ref().err().copied(),
            seconds: budget.elapsed().as_secs_f64(),
        };
        if let Ok(Some(lint)) = &found {
            let remarks = lint.remarks.iter();
            report.remarks = remarks.map(|(at, r)| parts.remark(arena, *at, r)).collect();
            report.undecided = lint.undecided.iter().map(|&at| parts.report(arena, at)).collect();
        }
        if context.global.json {
            context.print_json(&report)?;
        } else {
            context.print(report.text().as_bytes())?;
        }
        Ok(match report.satisfiable {
            _ if !report.remarks.is_empty() => Exit::No,
            Some(true) if report.undecided.is_empty() => Exit::Yes,
            Some(false) => Exit::No,
            _ => Exit::Undecided,
        })
    }
}

impl Parts {
    fn remark(&self, arena: &Arena, at: usize, remark: &Remark) -> RemarkReport {
        let mut report = RemarkReport {
            part: self.report(arena, at),
            remark: "valid",
            by: Vec::new(),
            subformula: None,
            sharper: None,
        };
        match remark {
            Remark::Implied(by) => {
                report.remark = "implied";
                report.by = by.iter().map(|&place| self.report(arena, place)).collect();
            }
            Remark::Vacuous { subformula, sharper } => {
                report.remark = "vacuous";
                report.subformula = Some(self.text(arena, *subformula));
                report.sharper = Some(self.text(arena, *sharper));
            }
            _ => {}
        }
        report
    }
}

impl LintReport {
    fn text(&self) -> String {
        let of = counted(self.conjuncts as u64, "conjunct", "conjuncts");
        match self.satisfiable {
            Some(false) => {
                return format!("unsatisfiable: everything follows from the {of}; see --core\n");
            }
            None => {
                let why = self.stop.map_or_else(String::new, |stop| format!(": {stop}"));
                return format!("unknown{why}\n");
            }
            Some(true) => {}
        }
        let mut text: String = self.remarks.iter().map(|r| r.text() + "\n").collect();
        for part in &self.undecided {
            text += &format!("{}\n  undecided\n", part.line());
        }
        let remarks = counted(self.remarks.len() as u64, "remark", "remarks");
        text + &format!("{of}, {remarks} ({:.2} s)\n", self.seconds)
    }
}
