//! `theta tables build` with several processes: their list, the processes that are started here, and
//! what is said of their work.

use super::{Built, say_plan, threads};
use crate::cli::{Context, Exit, counted};
use anyhow::Context as _;
use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;
use theta_chess::cluster::{self, ClusterError, Done, Hosts};
use theta_chess::limits::Budget;
use theta_chess::tables::{Material, Tables};

const INTERRUPTED: &str = "not finished: interrupted; what was finished is stored";
const FALLEN: &str = "another process of this command has ended; what was finished is stored";
const LOOK: Duration = Duration::from_millis(20);
/// How long the processes started here may take to end after this one has.
const PATIENCE: Duration = Duration::from_secs(10);

/// Which processes build together.
#[derive(Debug, clap::Args)]
pub(super) struct Together {
    /// Build with N processes on this machine.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64), conflicts_with = "hostfile")]
    processes: Option<u16>,
    /// Build with processes on several machines that share the cache directory: a line `host:port`
    /// for each process, in order. The same command is given on each of them, with its --process.
    #[arg(long, value_name = "FILE", requires = "process")]
    hostfile: Option<PathBuf>,
    /// Which line of the host file this process is, counted from 0.
    #[arg(long, value_name = "I", requires = "hostfile")]
    process: Option<u16>,
}

impl Together {
    /// Is this the only process?
    pub(super) fn alone(&self) -> bool {
        self.hostfile.is_none() && self.processes.is_none_or(|count| count == 1)
    }

    /// Builds with others.
    ///
    /// # Errors
    /// A wrong host file, no cache directory, or an output that cannot be written.
    pub(super) fn build(
        &self,
        tables: Tables,
        cache: Option<&Path>,
        wanted: &[Material],
        context: &Context,
    ) -> anyhow::Result<Exit> {
        let directory =
            cache.context("several processes need a cache directory that they share")?;
        let (hosts, started) = match &self.hostfile {
            Some(path) => (self.listed(path)?, None),
            None => {
                let started = Started::new(self.processes.unwrap_or(1).into(), context)?;
                (started.hosts.clone(), Some(started))
            }
        };
        let budget = match &started {
            Some(started) => context.budget().cancelled_by(Arc::clone(&started.fallen)),
            None => context.budget(),
        };
        let teller = Teller::new(wanted, context);
        if hosts.process() == 0 {
            let here = if started.is_some() { hosts.count() } else { 1 };
            say_plan(&tables, wanted, (hosts.count(), threads(context, here)), context);
            let stored = wanted.iter().filter(|&&material| tables.is_stored(material));
            stored.for_each(|&material| teller.ready(material, 0.0));
        }
        let teller = Arc::new(teller);
        let heard = Arc::clone(&teller);
        let ended =
            cluster::build(Arc::new(tables), directory, wanted, &hosts, &budget, move |done| {
                heard.hear(done)
            });
        context.clear_progress();
        teller.print(context)?;
        match ended {
            Ok(()) => Ok(Exit::Yes),
            Err(error) => {
                let fallen = started.is_some_and(|s| s.fallen.load(Ordering::SeqCst));
                let text = match error {
                    // Ctrl-C ends all processes of a terminal, some of them sooner.
                    _ if context.interrupted() => INTERRUPTED.to_owned(),
                    // The flag that stopped this process.
                    ClusterError::Stopped(_) if fallen => FALLEN.to_owned(),
                    _ => error.to_string(),
                };
                context.error(&text);
                Ok(exit(&error))
            }
        }
    }

    fn listed(&self, path: &Path) -> anyhow::Result<Hosts> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("host file {shown}"))?;
        let process = self.process.unwrap_or(0).into();
        Hosts::parse(&text, process).with_context(|| format!("host file {shown}"))
    }
}

/// What ended early goes on with the same command; all else is for the user to mend.
fn exit(error: &ClusterError) -> Exit {
    match error {
        ClusterError::Stopped(_) | ClusterError::Lost { .. } => Exit::Undecided,
        _ => Exit::BadInput,
    }
}

/// What is said of the work.
struct Teller {
    wanted: HashSet<Material>,
    budget: Budget,
    start: Instant,
    ready: Mutex<Vec<Built>>,
}

impl Teller {
    fn new(wanted: &[Material], context: &Context) -> Self {
        context.tell_stages();
        Self {
            wanted: wanted.iter().copied().collect(),
            budget: context.budget(),
            start: Instant::now(),
            ready: Mutex::default(),
        }
    }

    fn built(&self) -> MutexGuard<'_, Vec<Built>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ready(&self, material: Material, seconds: f64) {
        self.built().push(Built { material: material.to_string(), seconds });
    }

    /// A task was done: of process 0 by anybody, of another one by itself.
    fn hear(&self, report: &Done) {
        let Done { process, task, seconds, done, of } = report;
        if task.slices.is_none() && self.wanted.contains(&task.material) {
            self.ready(task.material, self.start.elapsed().as_secs_f64());
        }
        let of = of.map_or(String::new(), |of| format!(" of {of}"));
        let text = format!("task {done}{of}: {task}, process {process}, {seconds:.1} s");
        self.budget.progress().stage(&text, None);
    }

    fn print(&self, context: &Context) -> anyhow::Result<Exit> {
        self.built().iter().try_for_each(|built| built.print(context).map(drop))?;
        Ok(Exit::Yes)
    }
}

/// The processes started here; this one is the first of them.
struct Started {
    hosts: Hosts,
    children: Arc<Mutex<Vec<Child>>>,
    /// Raised when one of them has ended with an error: it has said why.
    fallen: Arc<AtomicBool>,
    /// Removed at the end.
    list: NamedTempFile,
}

impl Started {
    fn children(&self) -> MutexGuard<'_, Vec<Child>> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Before they have met, nobody else sees that one has ended.
    fn watch(&self) {
        let (children, fallen) = (Arc::clone(&self.children), Arc::clone(&self.fallen));
        std::thread::spawn(move || {
            loop {
                let mut all = children.lock().unwrap_or_else(PoisonError::into_inner);
                let mut ends = all.iter_mut().filter_map(|child| child.try_wait().ok().flatten());
                if ends.any(|end| !end.success()) {
                    return fallen.store(true, Ordering::SeqCst);
                }
                if all.is_empty() {
                    return;
                }
                drop(all);
                std::thread::sleep(LOOK);
            }
        });
    }

    fn new(count: usize, context: &Context) -> anyhow::Result<Self> {
        let text = free_ports(count).context("no free ports on this machine")?;
        let mut list = NamedTempFile::new().context("the list of processes")?;
        list.write_all(text.as_bytes()).context("the list of processes")?;
        let threads = threads(context, count);
        if context.global.threads.is_none() {
            // Nothing has used the threads yet; if it had, this process would only take more.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        }
        let hosts = Hosts::parse(&text, 0)?;
        let started = Self { hosts, children: Arc::default(), fallen: Arc::default(), list };
        for process in 1..count {
            let mut command = std::process::Command::new(std::env::current_exe()?);
            command.args(arguments_without_processes(std::env::args_os().skip(1)));
            command.arg("--hostfile").arg(started.list.path());
            command.args(["--process", &process.to_string()]);
            let given = &context.global;
            // Process 0 speaks for all.
            command.args((!given.quiet).then_some("--quiet"));
            if given.threads.is_none() {
                command.args(["--threads", &threads.to_string()]);
            }
            command.stdin(Stdio::null()).stdout(Stdio::null());
            let child = command.spawn().with_context(|| format!("process {process}"))?;
            started.children().push(child);
        }
        started.watch();
        context.say(&format!("{} on this machine", counted(count as u64, "process", "processes")));
        Ok(started)
    }
}

impl Drop for Started {
    /// They end by themselves when this process is done or has hung up.
    fn drop(&mut self) {
        let start = Instant::now();
        for mut child in self.children().drain(..) {
            while let Ok(None) = child.try_wait() {
                if start.elapsed() > PATIENCE {
                    let _ = child.kill();
                }
                std::thread::sleep(LOOK);
            }
        }
    }
}

/// A list of hosts on this machine whose ports are free now.
fn free_ports(count: usize) -> std::io::Result<String> {
    let listeners: Result<Vec<_>, _> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect();
    listeners?.iter().map(|listener| Ok(format!("{}\n", listener.local_addr()?))).collect()
}

/// This program's arguments but for `--processes`, which each process would take to mean itself.
fn arguments_without_processes(mut all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    while let Some(argument) = all.next() {
        let text = argument.to_string_lossy();
        if text == "--processes" {
            all.next();
        } else if !text.starts_with("--processes=") {
            kept.push(argument);
        }
    }
    kept
}
