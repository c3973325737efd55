//! Proved rules for engines and certificates, and the proof of the rules that a certificate cites.

use super::{Context, counted};
use anyhow::Context as _;
use std::path::Path;
use std::sync::Arc;
use theta_chess::library::rules::{self, CitedError, Collection, Rule, RuleBook, parse_rules};
use theta_chess::limits::Budget;
use theta_chess::strategy::{Citation, CitedRules, Rules};
use theta_chess::tables::{Estimate, Material, TableError, Tables, Trust};

/// `--rules`.
#[derive(Debug, Clone, clap::Args)]
pub struct RuleArgs {
    /// Rules that may end lines of the search and of the certificate, which then cites them: a
    /// file, or `built-in` for those that come with the program. Each is proved first; those that
    /// fail are left out.
    #[arg(long, value_name = "FILE|built-in")]
    rules: Option<String>,
}

/// The rules of a file, or those that come with the program.
pub fn read_rules(name: Option<&Path>) -> anyhow::Result<Vec<Rule>> {
    let Some(path) = name else { return Ok(Collection::built_in().rules) };
    let name = || path.display().to_string();
    parse_rules(&std::fs::read_to_string(path).with_context(name)?).with_context(name)
}

/// Proves rules, by what earlier runs have kept where that is whole. `None` when a limit is reached
/// first, which the user is told, as of the user's own rules that fail; that some printed rules
/// fail is known.
pub fn proved(rules: &[Rule], own: bool, context: &Context) -> anyhow::Result<Option<RuleBook>> {
    let (tables, budget) = (context.tables()?, context.budget());
    match RuleBook::prove_or_recall(context.cache()?.as_deref(), &tables, rules, &budget) {
        Ok((book, failed)) => {
            if !failed.is_empty() {
                let names = failed.join(", ");
                let text =
                    format!("rules that do not hold without exception are not used: {names}");
                if own { context.say(&text) } else { context.explain(&text) }
            }
            Ok(Some(book))
        }
        Err(TableError::Stopped(reason)) => {
            context.say(&format!("the rules are not proved: {reason}"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

impl RuleArgs {
    /// Whether rules are wanted.
    pub fn wanted(&self) -> bool {
        self.rules.is_some()
    }

    /// The rules that are wanted, proved; no rules if none are, or if there was no time for it.
    ///
    /// # Errors
    /// Bad rules, or an unusable cache.
    pub fn book(&self, context: &Context) -> anyhow::Result<Option<Arc<dyn Rules>>> {
        let Some(name) = &self.rules else { return Ok(None) };
        let own = name != "built-in";
        let rules = read_rules(Some(Path::new(name)).filter(|_| own))?;
        Ok(proved(&rules, own, context)?.map(|book| Arc::new(book) as Arc<dyn Rules>))
    }
}

/// Memory that tables for cited rules may take, and positions that they may have, where `--memory`
/// says nothing. (All rules about four men, and those about rook endings of five, stay below.)
const TABLES: u64 = 1 << 30;
const POSITIONS: u64 = 4_000_000_000;

/// The rules that a certificate cites, as they are proved for it.
pub struct Citations {
    tables: Arc<Tables>,
    trust_cache: bool,
}

impl Citations {
    /// Nothing proved yet. With `trust_cache`, stored tables are believed.
    pub fn new(trust_cache: bool, context: &Context) -> anyhow::Result<Self> {
        let trust = if trust_cache { Trust::Blind } else { Trust::Checked };
        Ok(Self { tables: Arc::new(context.open_tables()?.with_trust(trust)), trust_cache })
    }

    /// Proves rules; `None` when a limit was reached first, of which the user is told.
    ///
    /// # Errors
    /// Which rule cannot be read, or does not hold.
    pub fn prove(
        &self,
        texts: &[String],
        budget: &Budget,
        context: &Context,
    ) -> Result<Option<Box<dyn Rules>>, String> {
        let [proved, tables] = CitedRules::split(texts);
        if tables.is_empty() {
            return self.prove_rules(texts, budget, context);
        }
        let Some(oracle) = context.oracle().map_err(|error| format!("{error:#}"))? else {
            let words: Vec<String> =
                tables.iter().filter_map(|(_, text)| Some(Citation::read(text)?.words())).collect();
            context.say(&format!("it relies on {}: --syzygy DIR says where", words.join(", ")));
            return Ok(None);
        };
        let (places, texts): (Vec<u32>, Vec<String>) = proved.into_iter().unzip();
        let proved = match texts.as_slice() {
            [] => None,
            texts => match self.prove_rules(texts, budget, context)? {
                Some(rules) => Some((rules, places)),
                None => return Ok(None),
            },
        };
        match CitedRules::new(proved, &tables, Arc::clone(oracle)) {
            Ok(cited) => Ok(Some(Box::new(cited))),
            Err(missing) => {
                missing.iter().for_each(|table| context.say(&format!("it relies on {table}")));
                Ok(None)
            }
        }
    }

    /// Proves rules that are no tables.
    fn prove_rules(
        &self,
        texts: &[String],
        budget: &Budget,
        context: &Context,
    ) -> Result<Option<Box<dyn Rules>>, String> {
        let rules = rules::read_cited(texts).map_err(|error| error.to_string())?;
        let materials: Vec<Material> = rules.iter().map(|rule| rule.material).collect();
        let needs = self.tables.estimate(&materials);
        let text = self.needs(&needs, rules.len());
        let refused = match budget.limits().memory {
            Some(bytes) => (bytes < needs.bytes).then_some("more than --memory allows"),
            None => (needs.bytes > TABLES || needs.positions > POSITIONS)
                .then_some("more than is usual; --memory SIZE allows it"),
        };
        if let Some(why) = refused {
            context.say(&format!("{text}: {why}"));
            return Ok(None);
        }
        if needs.positions > 100_000_000 {
            context.say(&text)
        } else {
            context.explain(&text)
        }
        match rules::prove_cited(texts, &self.tables, budget) {
            Ok(book) => Ok(Some(Box::new(book))),
            Err(CitedError::Stopped(reason)) => {
                context.say(&format!("the rules are not proved: {reason}"));
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        }
    }

    fn needs(&self, needs: &Estimate, rules: usize) -> String {
        let tables = |count: usize| counted(count as u64, "table", "tables");
        let stored = if self.trust_cache { "read" } else { "check" };
        format!(
            "to prove {} takes {} to solve and {} to {stored}, {} million positions, about {} MiB",
            counted(rules as u64, "rule", "rules"),
            tables(needs.solve.len()),
            tables(needs.check.len()),
            needs.positions.div_ceil(1_000_000),
            needs.bytes.div_ceil(1 << 20)
        )
    }

    /// What a rule was checked against.
    pub fn checked_against(&self, text: &str) -> String {
        if Citation::read(text).is_some() {
            return "Syzygy".to_string();
        }
        match rules::read_cited(&[text.to_string()]).as_deref() {
            Ok([rule]) => self.tables.provenance(rule.material).to_string(),
            _ => "nothing".to_string(),
        }
    }
}
