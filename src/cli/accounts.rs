//! `theta strategy --explain` of long proofs: what a fortress consists of, or the stages of a strategy
//! too long for a tree.

use super::strategy::Found;
use super::{Context, Exit, write_whole};
use anyhow::{Context as _, bail};
use serde::Serialize;
use std::io::Write;
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};
use theta_chess::certificate::{Certificate, Claim, Strategy};
use theta_chess::chess::{Side, fen};
use theta_chess::export::fortress::{self, Fortress};
use theta_chess::export::stages;
use theta_chess::limits::{Budget, StopReason};

/// One side's strategy as it is told.
enum Account {
    Fortress(Box<Fortress>),
    Stages(Box<stages::Account>),
}

/// The account of a long proof.
#[derive(Serialize)]
struct Staged<'a> {
    fen: String,
    account: &'a stages::Account,
}

/// The account of a fortress, with the file of its picture.
#[derive(Serialize)]
struct Stood<'a> {
    fen: String,
    fortress: &'a Fortress,
    svg: Option<String>,
}

/// Where accounts go.
pub(super) struct Accounts<'a> {
    /// Whose strategy is told; both if none.
    pub(super) side: Option<Side>,
    /// The directory of pictures.
    pub(super) svg: Option<&'a Path>,
    /// The file of the text.
    pub(super) output: Option<&'a Path>,
}

/// The strategies of a side, or all; none where nothing is proved for that side.
fn of_side(certificate: &Certificate, side: Option<Side>) -> anyhow::Result<Vec<&Strategy>> {
    let own = |owner: Side| side.is_none_or(|side| side == owner);
    let found: Vec<_> = certificate.strategies.iter().filter(|s| own(s.owner())).collect();
    match certificate.claim {
        Claim::Forces(..) => {
            bail!("an aim is forced, no mate and no hold: `theta strategy` shows how")
        }
        Claim::Wins(..) if found.is_empty() => {
            bail!("that side loses: there is nothing to show for it")
        }
        _ => Ok(found),
    }
}

impl Accounts<'_> {
    /// Tells the strategies of a certificate; none if there is no fortress among them and nothing
    /// else was wanted.
    ///
    /// # Errors
    /// Nothing to show for a side, or output that cannot be written.
    pub(super) fn tell(
        &self,
        certificate: &Certificate,
        only_fortresses: bool,
        budget: &Budget,
        context: &Context,
    ) -> anyhow::Result<Option<Exit>> {
        let (strategies, mut accounts) = (of_side(certificate, self.side)?, Vec::new());
        if strategies.is_empty() {
            context
                .say(&format!("that is not proved for that side; proved: {}", certificate.claim));
            return Ok(Some(Exit::Undecided));
        }
        for strategy in strategies {
            match account(strategy, budget, context)? {
                Continue(account) => accounts.push(account),
                Break(exit) => return Ok(Some(exit)),
            }
        }
        let stands = |account: &Account| matches!(account, Account::Fortress(_));
        if only_fortresses && !accounts.iter().any(stands) {
            return Ok(None);
        }
        let fen = fen(certificate.root());
        let text = self.written(&accounts, &fen, context)?;
        deliver(&text, self.output, context).map(Some)
    }

    /// The text of accounts, their pictures being drawn.
    fn written(
        &self,
        accounts: &[Account],
        fen: &str,
        context: &Context,
    ) -> anyhow::Result<Vec<u8>> {
        let stands = |account: &&Account| matches!(account, Account::Fortress(_));
        let several = accounts.iter().filter(stands).count() > 1;
        if self.svg.is_some() && !accounts.iter().any(|account| stands(&account)) {
            context.say("no picture: that is no fortress");
        }
        let (mut text, fen) = (Vec::new(), || fen.to_owned());
        for account in accounts {
            match account {
                Account::Stages(account) if context.global.json => {
                    serde_json::to_writer(&mut text, &Staged { fen: fen(), account })?;
                    writeln!(text)?;
                }
                Account::Stages(account) => stages::write(account, &mut text)?,
                Account::Fortress(told) => {
                    let drawn = self.svg.map(|dir| draw(told, several, dir)).transpose()?;
                    let svg = drawn.map(|path| path.display().to_string());
                    if context.global.json {
                        let stood = Stood { fen: fen(), fortress: told, svg };
                        serde_json::to_writer(&mut text, &stood)?;
                        writeln!(text)?;
                        continue;
                    }
                    fortress::write(told, &mut text)?;
                    if let Some(path) = svg {
                        writeln!(text, "picture: {path}")?;
                    }
                }
            }
        }
        Ok(text)
    }
}

fn account(
    strategy: &Strategy,
    budget: &Budget,
    context: &Context,
) -> anyhow::Result<Found<Account>> {
    match told(strategy, budget) {
        Ok(account) => Ok(Continue(account.context("the root of a strategy is no position")?)),
        Err(stop) => {
            context.say(&format!("not told to the end: {stop}"));
            Ok(Break(Exit::Undecided))
        }
    }
}

fn told(strategy: &Strategy, budget: &Budget) -> Result<Option<Account>, StopReason> {
    if let Some(told) = Fortress::new(strategy, budget)? {
        return Ok(Some(Account::Fortress(Box::new(told))));
    }
    let account = stages::Account::new(strategy, budget)?;
    Ok(account.map(|account| Account::Stages(Box::new(account))))
}

/// Draws a fortress: `fortress.svg`, or with the name of its owner where there are two.
fn draw(told: &Fortress, several: bool, dir: &Path) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    let name = match (several, told.owner) {
        (false, _) => "fortress.svg",
        (true, Side::White) => "fortress-white.svg",
        (true, Side::Black) => "fortress-black.svg",
    };
    let path = dir.join(name);
    write_whole(&path, |mut out| fortress::draw(told, &mut out))?;
    Ok(path)
}

/// Prints what is finished, or writes it to a file.
pub(super) fn deliver(
    text: &[u8],
    output: Option<&Path>,
    context: &Context,
) -> anyhow::Result<Exit> {
    context.clear_progress();
    match output {
        Some(path) => write_whole(path, |out| out.write_all(text))?,
        None => {
            context.print(text)?;
        }
    }
    Ok(Exit::Yes)
}
