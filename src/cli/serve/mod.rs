//! `theta serve`: a page on one's own machine, and an interface for programs.
//!
//! | file | what it is for |
//! |---|---|
//! | `accept` | connections, each under limits of its time |
//! | `guard` | who may ask; what every answer tells a browser |
//! | `routes` | the addresses |
//! | `files`, `page/` | the page |
//! | `house` | the state: the jobs that are remembered |
//! | `job`, `stream` | what a piece of work says, kept and sent on |
//! | `queue` | threads, and who is next |
//! | `desk` | the engines, tables and limits that all jobs share |
//! | `task/` | the kinds of work |
//! | `asked` | what a request may ask of the limits |
//! | `held` | what a piece of work keeps for later: certificates, texts |
//! | `standard` | what tablebase clients ask |
//! | `openapi` | the interface described for programs |
//! | `error` | what is told when a request is not answered |
//!
//! A request that takes no time is answered where it arrives, on a thread of tokio's. All others
//! become jobs: threads of our own work at them, and who is interested listens.

mod accept;
mod asked;
mod desk;
mod error;
mod files;
mod guard;
mod held;
mod house;
mod job;
mod openapi;
mod queue;
mod routes;
mod standard;
mod stream;
mod task;

use super::{Context, Exit};
use anyhow::{Context as _, bail};
use desk::{Ceiling, Desk};
use guard::Hosts;
use house::House;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Arguments of `theta serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  theta serve --open\n\n\
    Then a program may ask, for instance, curl 'http://127.0.0.1:9000/standard?fen=8/8/8/8/8/1k6/7R/K7_b_-_-'; \
    docs/api.md says what programs may ask. --time, --memory and --positions limit each request. \
    Nothing is answered from other sites, and nothing but tables is written.")]
pub struct Args {
    /// The address to answer at; with port 0 the system chooses one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9000")]
    bind: String,
    /// Open the page in a browser.
    #[arg(long)]
    open: bool,
    /// A further name of this machine that requests may use.
    #[arg(long, value_name = "NAME", action = clap::ArgAction::Append)]
    host: Vec<String>,
    /// A site whose pages may ask, such as `https://example.org`; `*` for all.
    #[arg(long, value_name = "ORIGIN", action = clap::ArgAction::Append)]
    cors: Vec<String>,
}

/// Time that a request may take where `--time` says nothing.
const TIME: Duration = Duration::from_secs(60);
/// Memory that an engine may take where `--memory` says nothing.
const MEMORY: u64 = 512 << 20;
/// Bytes of a thread's stack: what the program's own thread has.
const STACK: usize = 8 << 20;
/// Threads for what takes a moment: reading a request, writing a strategy.
const BLOCKING: usize = 8;
/// How often it is looked whether the end has come.
const LOOK: Duration = Duration::from_millis(50);
/// How often old jobs are forgotten.
const TIDY: Duration = Duration::from_millis(1_000);

impl Args {
    /// Runs the command, until a signal ends it.
    ///
    /// # Errors
    /// An address that is none, or is taken.
    pub fn run(&self, context: &Context) -> anyhow::Result<Exit> {
        let solver = context.solver_on_syzygy()?;
        let desk = Desk::new(context.hushed(), solver, ceiling(context));
        let house = House::open(desk).context("no threads")?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(house.desk.workers().min(4))
            .thread_stack_size(STACK)
            .max_blocking_threads(BLOCKING)
            .enable_all()
            .build()
            .context("no runtime")?;
        let exit = runtime.block_on(self.answer(&house, context));
        house.close();
        runtime.shutdown_timeout(LOOK * 4);
        exit
    }

    async fn answer(&self, house: &Arc<House>, context: &Context) -> anyhow::Result<Exit> {
        let listener =
            tokio::net::TcpListener::bind(self.address()?).await.with_context(|| self.refused())?;
        let address = listener.local_addr()?;
        if !is_loopback(address.ip()) {
            context.say(&format!(
                "warning: {address} can be reached from other machines: whoever reaches it may use \
                 this one's time and memory"
            ));
        }
        let url = format!("http://{address}/");
        let mut out = context.out();
        if context.global.json {
            writeln!(out, "{}", serde_json::json!({"address": url}))?;
        } else {
            writeln!(out, "{url}")?;
        }
        out.flush()?;
        drop(out);
        if self.open && !opened(&url) {
            context.say("no browser could be opened");
        }
        let hosts = Hosts { allowed: self.host.clone(), origins: self.cors.clone() };
        let router = routes::router(Arc::clone(house), Arc::new(hosts));
        tokio::spawn(accept::serve(listener, router));
        let mut waited = Duration::ZERO;
        while !context.interrupted() {
            tokio::time::sleep(LOOK).await;
            waited += LOOK;
            if waited >= TIDY {
                waited = Duration::ZERO;
                house.tidy();
            }
        }
        Ok(Exit::Yes)
    }

    fn address(&self) -> anyhow::Result<SocketAddr> {
        let text = self.bind.replace("localhost", "127.0.0.1");
        match text.parse() {
            Ok(address) => Ok(address),
            Err(_) => bail!("--bind {}: an address is written 127.0.0.1:9000", self.bind),
        }
    }

    fn refused(&self) -> String {
        format!("--bind {}: nothing can be answered there (is the port taken?)", self.bind)
    }
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// What a request may take at most.
fn ceiling(context: &Context) -> Ceiling {
    let global = &context.global;
    Ceiling {
        time: global.time.unwrap_or(TIME),
        memory: global.memory.unwrap_or(MEMORY),
        positions: global.positions,
    }
}

/// Opens a page in the user's browser.
fn opened(url: &str) -> bool {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    let silent = command.args(first).arg(url).stdin(Stdio::null()).stdout(Stdio::null());
    silent.stderr(Stdio::null()).spawn().is_ok()
}
