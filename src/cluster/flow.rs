//! The dataflow: process 0 sends the tasks of a step, each to one process, and the next ones when
//! the frontier says that they are done everywhere.
//!
//! Tasks and reports are some 50 bytes each: what is heavy goes through the shared directory.

use std::collections::VecDeque;
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely::communication::{Allocator, AllocatorBuilder, Hooks, initialize_from};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Capability, Input, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;
use xxhash_rust::xxh3::xxh3_64;

use super::link::{Link, Watch};
use super::meet::meet;
use super::place::Place;
use super::sent::{Sent, lots, share};
use super::together::{self, Desk, Rounds, Shared};
use super::{ClusterError, Hosts};
use crate::limits::Budget;
use crate::tables::{Material, TableError, Tables, Task};

/// How long a worker sleeps when there is nothing to do before it looks whether all is well.
const LOOK: Duration = Duration::from_millis(50);
/// How long the others may take to hang up when all is done.
const FAREWELL: Duration = Duration::from_secs(10);
/// A task that was done.
#[derive(Debug, Clone)]
pub struct Done {
    /// The process that did it.
    pub process: usize,
    /// What it was.
    pub task: Task,
    /// Seconds of the clock that it took there.
    pub seconds: f64,
    /// How many tasks were done so far: on process 0 by all, on another one by itself.
    pub done: usize,
    /// How many there are in all, where that is known: on process 0.
    pub of: Option<usize>,
}

/// Where process 0 puts the tasks in.
type Tasks = InputHandle<usize, CapacityContainerBuilder<Vec<Sent>>>;

/// What the worker of a process needs to know.
struct Job {
    tables: Arc<Tables>,
    steps: Vec<Vec<Task>>,
    hosts: Hosts,
    budget: Budget,
    watch: Watch,
    done: Box<dyn Fn(&Done) + Send + Sync>,
    /// Tasks that this process has heard of as done.
    heard: AtomicUsize,
}

/// Builds tables together with the other processes of a list, in one directory that all of them see
/// (`tables` must be those of this directory). `done` hears of each task: on process 0 of
/// everybody's, on another one of its own.
///
/// # Errors
/// See [`ClusterError`]; what was finished is in the directory. After an error the threads of the
/// lost connections sleep until the process ends.
pub fn build(
    tables: Arc<Tables>,
    directory: &Path,
    wanted: &[Material],
    hosts: &Hosts,
    budget: &Budget,
    done: impl Fn(&Done) + Send + Sync + 'static,
) -> Result<(), ClusterError> {
    let place = Place::new(directory, hosts.process);
    place.is_writable()?;
    let marker = if hosts.process == 0 { Some(place.mark()?) } else { None };
    let run = marker.as_ref().map_or(0, |marker| marker.run);
    let names: Vec<String> = wanted.iter().map(Material::to_string).collect();
    let digest = xxh3_64(format!("{names:?} {:?}", hosts.addresses).as_bytes());
    let met = meet(hosts, digest, run, budget)?;
    if hosts.process != 0 {
        place.is_that_of(met.run, budget)?;
    }
    let watch = Watch::new();
    let steps = if hosts.process == 0 { tables.steps(wanted, budget) } else { Vec::new() };
    let job = Arc::new(Job {
        tables,
        steps,
        hosts: hosts.clone(),
        budget: budget.cancelled_by(Arc::clone(&watch.stop)),
        watch: watch.clone(),
        done: Box::new(done),
        heard: AtomicUsize::new(0),
    });
    let ends: Vec<TcpStream> =
        met.streams.iter().flatten().filter_map(|stream| stream.try_clone().ok()).collect();
    let links = met.streams.into_iter().enumerate();
    let links = links.map(|(process, stream)| Some(Link::new(stream?, process, &watch)));
    let (worker, guard) = start(links.collect(), &job)?;
    match worker.join().pop() {
        Some(Ok(Ok(()))) => {
            part(guard, &watch);
            Ok(())
        }
        failed => {
            // The others are not to wait until this process has ended.
            for stream in ends {
                let _ = stream.shutdown(Shutdown::Both);
            }
            // The threads of the connections may never end: see `link`.
            std::mem::forget(guard);
            Err(match failed {
                Some(Ok(Err(error))) => error,
                Some(Err(panic)) => ClusterError::Dataflow(panic),
                _ => ClusterError::Dataflow("no worker".to_owned()),
            })
        }
    }
}

type Running = timely::communication::WorkerGuards<Result<(), ClusterError>>;

fn start(links: Vec<Option<Link>>, job: &Arc<Job>) -> Result<(Running, CommsGuard), ClusterError> {
    let hooks = Hooks::default();
    let local = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
    let (builders, guard) =
        initialize_networking_from_sockets(local, links, job.hosts.process, 1, hooks)
            .map_err(|error| ClusterError::Dataflow(error.to_string()))?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let job = Arc::clone(job);
    let running = initialize_from(builders, Box::new(()), move |allocator| work(&job, allocator));
    Ok((running.map_err(ClusterError::Dataflow)?, guard))
}

/// Waits until the last messages are sent and the others have hung up.
fn part(guard: CommsGuard, watch: &Watch) {
    let (gone, heard) = mpsc::channel();
    std::thread::spawn(move || {
        drop(guard);
        let _ = gone.send(());
    });
    let start = Instant::now();
    while heard.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout)
        && watch.lost().is_none()
        && start.elapsed() < FAREWELL
    {}
}

/// Tasks that came to this process, in lots.
type Waiting = VecDeque<(Capability<usize>, Vec<Sent>)>;

fn work(job: &Arc<Job>, allocator: Allocator) -> Result<(), ClusterError> {
    let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
    let desk = Desk::default();
    let mut input = Tasks::new();
    let probe = dataflow(job, &mut worker, &mut input, &desk);
    let mut rounds = Rounds::new(&mut worker, (job.hosts.process, job.hosts.count()));
    let ended = job.drive(&mut worker, input, &mut rounds, &probe, &desk).and_then(|()| {
        let probe = rounds.close();
        while !probe.done() {
            job.step(&mut worker, &desk)?;
        }
        Ok(())
    });
    if ended.is_err() {
        // Nothing that ends in order must be said to the others: they would take it for the end.
        std::mem::forget(worker);
        std::mem::forget(desk);
    }
    ended
}

impl Job {
    /// Sends the tasks step by step (process 0 has them) and works until all are done.
    fn drive(
        &self,
        worker: &mut Worker,
        mut input: Tasks,
        rounds: &mut Rounds,
        probe: &ProbeHandle<usize>,
        desk: &Desk,
    ) -> Result<(), ClusterError> {
        for (step, tasks) in self.steps.iter().enumerate() {
            for (process, task) in share(tasks, self.hosts.count()) {
                input.send(Sent::new(process, task));
            }
            input.advance_to(step + 1);
            while probe.less_than(&(step + 1)) {
                self.step(worker, desk)?;
                self.share(worker, rounds, desk)?;
            }
        }
        input.close();
        while !probe.done() {
            self.step(worker, desk)?;
            self.share(worker, rounds, desk)?;
        }
        Ok(())
    }

    /// Does with the others what all do together, if there is such a task.
    fn share(
        &self,
        worker: &mut Worker,
        rounds: &mut Rounds,
        desk: &Desk,
    ) -> Result<(), ClusterError> {
        let Some(task) =
            desk.shared.borrow_mut().as_mut().filter(|shared| !shared.begun).map(|shared| {
                shared.begun = true;
                shared.sent.task()
            })
        else {
            return Ok(());
        };
        let (task, start) = (task?, Instant::now());
        let step = |worker: &mut Worker| self.step(worker, desk);
        together::solve(worker, rounds, &self.tables, &task, &self.budget, step)?;
        let seconds = start.elapsed().as_secs_f64();
        let report = Sent::new(self.hosts.process, &task).after(seconds);
        if self.hosts.process != 0 {
            self.hear(&report);
        }
        if let Some(shared) = desk.shared.borrow_mut().as_mut() {
            shared.report = Some(report);
            shared.again.activate();
        }
        Ok(())
    }

    /// One step of the worker, and whether all is well.
    fn step(&self, worker: &mut Worker, desk: &Desk) -> Result<(), ClusterError> {
        worker.step_or_park(Some(LOOK));
        if let Some(process) = self.watch.lost() {
            let address = self.hosts.addresses[process].clone();
            return Err(ClusterError::Lost { process, address });
        }
        match desk.failure.borrow_mut().as_mut().and_then(|(error, _)| error.take()) {
            Some(TableError::Stopped(reason)) => Err(reason.into()),
            Some(error) => Err(error.into()),
            None => Ok(self.budget.check(0, 0)?),
        }
    }
}

/// Tasks go to their process, which does them; reports go to process 0.
fn dataflow(
    job: &Arc<Job>,
    worker: &mut Worker,
    input: &mut Tasks,
    desk: &Desk,
) -> ProbeHandle<usize> {
    let probe = ProbeHandle::new();
    let (doing, hearing, desk) = (Arc::clone(job), Arc::clone(job), desk.clone());
    worker.dataflow(|scope| {
        scope
            .input_from(input)
            .unary::<CapacityContainerBuilder<Vec<Sent>>, _, _, _>(
                Exchange::new(|sent: &Sent| sent.process),
                "Solve",
                |_, info| {
                    let activator = || scope.activator_for(Rc::clone(&info.address));
                    let (again, later) = (activator(), activator());
                    let mut waiting: Waiting = VecDeque::new();
                    move |input, output| {
                        input.for_each(|time, tasks: &mut Vec<Sent>| {
                            if let Some(time) = time.retain_least(0) {
                                let lots = lots(tasks.drain(..));
                                waiting.extend(lots.map(|lot| (time.clone(), lot)));
                            }
                        });
                        if let Some((time, report)) = desk.take_report() {
                            // All have done it, and one tells.
                            if report.process == 0 {
                                output.session(&time).give(report);
                            }
                            return again.activate();
                        }
                        if desk.shared.borrow().is_some() {
                            return;
                        }
                        // One lot at a time: what it reports is sent before the next one.
                        let Some((time, mut lot)) = waiting.pop_front() else { return };
                        if doing.is_shared(&lot) {
                            let (sent, again) = (lot.swap_remove(0), later.clone());
                            let shared = Shared { time, sent, begun: false, report: None, again };
                            return drop(desk.shared.borrow_mut().replace(shared));
                        }
                        match doing.perform(&lot) {
                            Ok(mut reports) => {
                                output.session(&time).give_container(&mut reports);
                                again.activate();
                            }
                            Err(error) => {
                                desk.failure.borrow_mut().get_or_insert((Some(error), time));
                            }
                        }
                    }
                },
            )
            .unary::<CapacityContainerBuilder<Vec<Sent>>, _, _, _>(
                Exchange::new(|_: &Sent| 0),
                "Hear",
                |_, _| {
                    move |input, _| {
                        input.for_each(|_, reports: &mut Vec<Sent>| {
                            reports.drain(..).for_each(|report| hearing.hear(&report));
                        });
                    }
                },
            )
            .probe_with(&probe);
    });
    probe
}

impl Job {
    fn is_shared(&self, lot: &[Sent]) -> bool {
        let shared = |sent: &Sent| sent.task().is_ok_and(|task| task.is_shared());
        self.hosts.count() > 1 && lot.iter().any(shared)
    }

    /// Does some tasks of a step; the reports on them.
    fn perform(&self, sent: &[Sent]) -> Result<Vec<Sent>, TableError> {
        let tasks: Vec<Task> = sent.iter().map(Sent::task).collect::<Result<_, _>>()?;
        let reports = Mutex::new(Vec::with_capacity(tasks.len()));
        self.tables.perform(&tasks, &self.budget, &|task, seconds| {
            let report = Sent::new(self.hosts.process, task).after(seconds);
            if self.hosts.process != 0 {
                self.hear(&report);
            }
            reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
        })?;
        Ok(reports.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn hear(&self, report: &Sent) {
        // A task that was sent is one that can be read.
        let Ok(task) = report.task() else { return };
        let (process, seconds) = (report.process as usize, report.seconds);
        let done = self.heard.fetch_add(1, Ordering::Relaxed) + 1;
        let all = self.steps.iter().map(Vec::len).sum();
        let of = (self.hosts.process == 0).then_some(all);
        (self.done)(&Done { process, task, seconds, done, of });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::StopReason;
    use pretty_assertions::assert_eq;
    use std::collections::BTreeMap;
    use std::net::TcpListener;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    /// Hosts on this machine whose ports are free now.
    fn hosts(count: usize) -> String {
        let listeners: Vec<_> =
            (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let line = |listener: &TcpListener| format!("{}\n", listener.local_addr().unwrap());
        listeners.iter().map(line).collect()
    }

    fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
        let file = |entry: std::fs::DirEntry| {
            (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap())
        };
        entries.map(file).collect()
    }

    /// Processes, as threads here, each with its own tables; what each answers.
    fn together(
        directory: &Path,
        list: &str,
        names: &[(usize, &str)],
        done: &Arc<Mutex<Vec<Done>>>,
        budget: &Budget,
    ) -> Vec<Result<(), ClusterError>> {
        let spawn = |&(process, name): &(usize, &str)| {
            let (directory, done, budget) =
                (directory.to_owned(), Arc::clone(done), budget.clone());
            let (hosts, wanted) = (Hosts::parse(list, process), name.parse().unwrap());
            thread::spawn(move || {
                let tables = Arc::new(Tables::open(Some(&directory)).unwrap());
                build(tables, &directory, &[wanted], &hosts?, &budget, move |report| {
                    done.lock().unwrap().push(report.clone());
                })
            })
        };
        let threads: Vec<_> = names.iter().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    }

    #[test]
    fn any_number_of_processes_makes_the_same_files() {
        let alone = tempfile::tempdir().unwrap();
        let wanted = "KRvKP".parse().unwrap();
        let budget = Budget::default();
        Tables::open(Some(alone.path())).unwrap().ensure(wanted, &budget).unwrap();
        for count in [1, 2, 3] {
            let directory = tempfile::tempdir().unwrap();
            let done = Arc::default();
            let names: Vec<_> = (0..count).map(|process| (process, "KRvKP")).collect();
            let ended = together(directory.path(), &hosts(count), &names, &done, &budget);
            assert!(ended.iter().all(Result::is_ok), "{ended:?}");
            assert!(files(directory.path()) == files(alone.path()), "{count} processes");
            let done = done.lock().unwrap();
            let done: Vec<_> = done.iter().filter(|report| report.of.is_some()).collect();
            assert_eq!(Some(done.len()), done[0].of);
            assert_eq!(done.len(), files(alone.path()).len());
            let busy = |process| done.iter().any(|report| report.process == process);
            assert!((0..count).all(busy), "each of {count} did something");
        }
    }

    #[test]
    fn those_that_do_not_belong_together_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let stop = Budget::new(crate::limits::Limits::seconds(20));
        let names = [(0, "KRvK"), (1, "KQvK")];
        let ended = together(directory.path(), &hosts(2), &names, &Arc::default(), &stop);
        let fault = "was started for other tables or with another list of hosts";
        let named = |end: &Result<(), ClusterError>| {
            end.as_ref().is_err_and(|error| error.to_string().contains(fault))
        };
        // The other one may have seen nothing but a call that was hung up, and waits.
        assert!(ended.iter().any(named), "{ended:?}");

        let list = hosts(2);
        let taken = TcpListener::bind(list.lines().nth(1).unwrap()).unwrap();
        let ended = together(directory.path(), &list, &[(1, "KRvK")], &Arc::default(), &stop);
        let error = ended[0].as_ref().unwrap_err().to_string();
        assert!(error.contains("is this process running already?"), "{error}");
        drop(taken);
    }

    /// One of two ends early: the other one names it, and a second run goes on.
    #[test]
    fn a_process_that_ends_is_named_by_the_others() {
        let directory = tempfile::tempdir().unwrap();
        let list = hosts(2);
        let run = |process: usize, budget: Budget| {
            let (directory, hosts) = (directory.path().to_owned(), Hosts::parse(&list, process));
            thread::spawn(move || {
                let tables = Arc::new(Tables::open(Some(&directory)).unwrap());
                let wanted = ["KRvKP".parse().unwrap()];
                build(tables, &directory, &wanted, &hosts?, &budget, |_| {})
            })
        };
        let flag = Arc::new(AtomicBool::new(false));
        let ending = Budget::default().with_interrupt(Arc::clone(&flag));
        let (zero, one) = (run(0, Budget::default()), run(1, ending));
        while !std::fs::read_dir(directory.path())
            .unwrap()
            .any(|entry| entry.unwrap().path().extension().is_some_and(|ending| ending == "theta"))
        {
            thread::sleep(Duration::from_millis(1));
        }
        flag.store(true, std::sync::atomic::Ordering::SeqCst);
        let one = one.join().unwrap();
        if one.is_ok() {
            // It had done its part before it saw the flag.
            return assert!(zero.join().unwrap().is_ok());
        }
        assert!(matches!(one, Err(ClusterError::Stopped(StopReason::Interrupted))), "{one:?}");
        let zero = zero.join().unwrap();
        assert!(matches!(zero, Err(ClusterError::Lost { process: 1, .. })), "{zero:?}");
    }
}
