//! `theta sat --model` and `--smallest`: the model as a picture, a page, or a graph.

use super::{Answer, Arena, Args, Budget, Context, Id, Kripke, Outcome, Report, headline};
use crate::cli::sat::refutation::Written;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::io::Write;
use theta_chess::ctl::Symbol;
use theta_chess::export::model::{MOST_STATES, Picture, write_aut, write_html, write_svg};
use theta_chess::kripke::write_dot;
use theta_chess::specification::smallest;

/// `--model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ModelFormat {
    /// A picture: states with their atoms; pointed at, each tells what is true in it.
    Svg,
    /// A page: the picture, and how each state keeps its promises.
    Html,
    /// Graphviz.
    Dot,
    /// `{"root": 0, "states": [{"true": ["p"], "successors": [1]}, …]}`
    Json,
    /// A labelled transition system for CADP and mCRL2: a loop at each state tells its atoms.
    Aut,
    /// Nothing.
    None,
}

/// The report with a model beside it.
#[derive(Serialize)]
struct WithModel<'a, M> {
    #[serde(flatten)]
    report: &'a Report,
    model: M,
}

impl Args {
    /// Makes the model of an outcome small: as small as is asked, or, where it is to be printed,
    /// without states that are alike. Whether it is known to be a least one; none if that was not
    /// asked.
    pub(super) fn make_small(
        &self,
        arena: &mut Arena,
        asked: Id,
        outcome: &mut Outcome,
        budget: &Budget,
    ) -> Option<bool> {
        let Answer::Satisfiable(Some(model)) = &mut outcome.answer else { return None };
        if self.smallest.is_none() && self.model == ModelFormat::None {
            return None;
        }
        let most = self.smallest.unwrap_or(0);
        let small = smallest(arena, asked, model, self.total, most, budget).ok()?;
        *model = small.model;
        self.smallest.map(|_| small.least)
    }

    /// Prints the verdict, and the model where there is one and it is asked for.
    pub(super) fn print(
        &self,
        context: &Context,
        report: &Report,
        model: Option<(&mut Arena, Id, &Kripke)>,
        budget: &Budget,
    ) -> anyhow::Result<()> {
        let Some((arena, asked, model)) = model.filter(|_| self.model != ModelFormat::None) else {
            return self.print_verdict(context, report);
        };
        if self.model == ModelFormat::Json {
            let model = Model { model, arena };
            if context.global.json {
                return context.print_json(&WithModel { report, model: &model });
            }
            context.say(&headline(report));
            return context.print_json(&model);
        }
        let mut text = |out: &mut dyn Write| written(self.model, arena, asked, model, budget, out);
        if context.global.json {
            let mut model = Vec::new();
            text(&mut model)?;
            return context.print_json(&WithModel { report, model: String::from_utf8(model)? });
        }
        context.say(&headline(report));
        let mut out = context.out();
        text(&mut out)?;
        out.flush()?;
        Ok(())
    }

    /// There is no model, or none is wanted.
    fn print_verdict(&self, context: &Context, report: &Report) -> anyhow::Result<()> {
        let to_stdout = report.refutation.as_ref().is_some_and(Written::is_stdout);
        match (context.global.json, self.model) {
            (true, ModelFormat::None) => context.print_json(report),
            (true, _) => context.print_json(&WithModel { report, model: None::<()> }),
            // The refutation has gone to stdout.
            (false, ModelFormat::None) if !to_stdout => {
                context.print(format!("{}\n", headline(report)).as_bytes()).map(drop)
            }
            (false, _) => {
                context.say(&headline(report));
                Ok(())
            }
        }
    }
}

/// Writes a model in a form other than JSON.
fn written(
    format: ModelFormat,
    arena: &mut Arena,
    asked: Id,
    model: &Kripke,
    budget: &Budget,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let is_drawn = matches!(format, ModelFormat::Svg | ModelFormat::Html);
    if is_drawn && model.vertices() > MOST_STATES {
        anyhow::bail!(
            "a model of {} states is not drawn (at most {MOST_STATES}): --model json, dot or aut",
            model.vertices()
        );
    }
    if is_drawn {
        let picture = Picture::new(arena, asked, model, budget)?;
        match format {
            ModelFormat::Svg => write_svg(&picture, out)?,
            _ => write_html(&picture, out)?,
        }
        return Ok(());
    }
    let names = |state| Model { model, arena }.names(state).collect::<Vec<_>>();
    let mut out = out;
    match format {
        ModelFormat::Aut => write_aut(model, |state| names(state).join(" "), out)?,
        _ => write_dot(model, |state| names(state).join(", "), &mut out)?,
    }
    Ok(())
}

/// A model with the names of its variables.
struct Model<'a> {
    model: &'a Kripke,
    arena: &'a Arena,
}

impl<'a> Model<'a> {
    fn names(&self, state: u32) -> impl Iterator<Item = &'a str> + use<'a> {
        let arena = self.arena;
        self.model.true_symbols(state).map(|symbol| arena.name(Symbol(symbol)))
    }
}

impl Serialize for Model<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("root", &self.model.root())?;
        map.serialize_entry("states", &States(self))?;
        map.end()
    }
}

/// The states of a model, written one by one.
struct States<'a>(&'a Model<'a>);

impl Serialize for States<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct State<'a> {
            r#true: Vec<&'a str>,
            successors: &'a [u32],
        }
        let Model { model, .. } = self.0;
        let state =
            |v| State { r#true: self.0.names(v).collect(), successors: model.successors(v) };
        serializer.collect_seq((0..model.vertices()).map(state))
    }
}
