//! A table that all processes solve together. What crosses between them goes through a dataflow of
//! its own, a timestamp a round: when the frontier has passed it, all have ended the round, and what
//! they sent in it is here.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;

use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Capability, Input, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::scheduling::Activator;
use timely::worker::Worker;

use super::ClusterError;
use super::sent::Sent;
use crate::limits::{Budget, StopReason};
use crate::tables::{Crossing, Others, Report, TableError, Tables, Task};

/// Why the tasks of a step were not done, and the capability that keeps the frontier from passing
/// it.
pub(super) type Failure = Rc<RefCell<Option<(Option<TableError>, Capability<usize>)>>>;

/// A task that all processes do together: nothing else is done here meanwhile.
pub(super) struct Shared {
    pub(super) time: Capability<usize>,
    pub(super) sent: Sent,
    /// Whether it was begun.
    pub(super) begun: bool,
    /// What there is to report when it is done.
    pub(super) report: Option<Sent>,
    pub(super) again: Activator,
}

/// What the operators and the loop around them tell each other.
#[derive(Clone, Default)]
pub(super) struct Desk {
    pub(super) failure: Failure,
    pub(super) shared: Rc<RefCell<Option<Shared>>>,
}

impl Desk {
    /// The report on what all do together, when it is done.
    pub(super) fn take_report(&self) -> Option<(Capability<usize>, Sent)> {
        let mut shared = self.shared.borrow_mut();
        let report = shared.as_mut()?.report.take()?;
        shared.take().map(|shared| (shared.time, report))
    }
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Content {
    Report(Report),
    /// A king number, and a frame of its log.
    Frame(u64, Vec<u8>),
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Message {
    from: u64,
    to: u64,
    round: u64,
    content: Content,
}

/// What a round ends with: what all reported, and what was sent to this process.
type Ended = (Vec<Report>, Vec<Crossing>);

/// The dataflow, as one process sees it.
pub(super) struct Rounds {
    input: InputHandle<u64, CapacityContainerBuilder<Vec<Message>>>,
    probe: ProbeHandle<u64>,
    arrived: Rc<RefCell<Vec<Message>>>,
    round: u64,
    /// The number of this process, and how many there are.
    place: (usize, usize),
}

impl Rounds {
    /// All processes call this at the same point.
    pub(super) fn new(worker: &mut Worker, place: (usize, usize)) -> Self {
        let mut input = InputHandle::new();
        let probe = ProbeHandle::new();
        let arrived = Rc::new(RefCell::new(Vec::new()));
        let arriving = Rc::clone(&arrived);
        worker.dataflow(|scope| {
            scope
                .input_from(&mut input)
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(
                    Exchange::new(|message: &Message| message.to),
                    "Cross",
                    |_, _| {
                        move |input, _| {
                            input.for_each(|_, messages: &mut Vec<Message>| {
                                arriving.borrow_mut().append(messages);
                            });
                        }
                    },
                )
                .probe_with(&probe);
        });
        Self { input, probe, arrived, round: 0, place }
    }

    fn send(&mut self, to: usize, content: Content) {
        let (from, to) = (self.place.0 as u64, to as u64);
        self.input.send(Message { from, to, round: self.round, content });
    }

    /// Ends this process's round.
    fn end(&mut self, report: Report) {
        (0..self.place.1).for_each(|process| self.send(process, Content::Report(report)));
        self.round += 1;
        self.input.advance_to(self.round);
    }

    /// What the round before ended with, when all have ended it. Others may have sent something in
    /// this one already.
    fn ended(&self) -> Option<Ended> {
        if self.probe.less_than(&self.round) {
            return None;
        }
        let mut reports = vec![Report::default(); self.place.1];
        let mut crossings = Vec::new();
        let mut arrived = self.arrived.borrow_mut();
        let later = arrived.extract_if(.., |message| message.round < self.round);
        for message in later {
            match message.content {
                Content::Report(report) => reports[message.from as usize] = report,
                Content::Frame(king, frame) => {
                    crossings.push(Crossing { king: king as usize, frame });
                }
            }
        }
        Some((reports, crossings))
    }

    /// Nothing more will be sent by this process; whether that is so of all is what
    /// [`ProbeHandle::done`] says.
    pub(super) fn close(self) -> ProbeHandle<u64> {
        self.input.close();
        self.probe
    }
}

/// What the thread that solves says to the one that steps the dataflow.
enum Said {
    Send(usize, Content),
    Meet(Report),
}

/// The other processes, as the thread that solves sees them.
struct Talk {
    place: (usize, usize),
    said: Mutex<Sender<Said>>,
    heard: Mutex<Receiver<Ended>>,
    worker: Thread,
}

impl Talk {
    fn say(&self, said: Said) {
        // Nobody hears it when all is being given up: then there is no answer either.
        let _ = self.said.lock().unwrap_or_else(PoisonError::into_inner).send(said);
        self.worker.unpark();
    }
}

impl Others for Talk {
    fn place(&self) -> (usize, usize) {
        self.place
    }

    fn send(&self, process: usize, crossing: Crossing) {
        self.say(Said::Send(process, Content::Frame(crossing.king as u64, crossing.frame)));
    }

    fn meet(&self, report: Report) -> Result<Ended, TableError> {
        self.say(Said::Meet(report));
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner).recv();
        heard.map_err(|_| TableError::Stopped(StopReason::Interrupted))
    }
}

/// Solves a table with the others; `step` steps the dataflow and sees whether all is well.
pub(super) fn solve(
    worker: &mut Worker,
    rounds: &mut Rounds,
    tables: &Arc<Tables>,
    task: &Task,
    budget: &Budget,
    mut step: impl FnMut(&mut Worker) -> Result<(), ClusterError>,
) -> Result<(), ClusterError> {
    let (said, saying) = mpsc::channel();
    let (answer, heard) = mpsc::channel();
    let talk = Talk {
        place: rounds.place,
        said: Mutex::new(said),
        heard: Mutex::new(heard),
        worker: std::thread::current(),
    };
    let (tables, task, budget) = (Arc::clone(tables), task.clone(), budget.clone());
    let solver = std::thread::spawn(move || {
        let done = tables.perform_together(&task, &talk, &budget);
        talk.worker.unpark();
        done
    });
    let mut waiting = false;
    while !solver.is_finished() {
        for said in saying.try_iter() {
            match said {
                Said::Send(process, content) => rounds.send(process, content),
                Said::Meet(report) => {
                    rounds.end(report);
                    waiting = true;
                }
            }
        }
        if waiting && let Some(ended) = rounds.ended() {
            waiting = false;
            // A thread that has ended meanwhile says why.
            let _ = answer.send(ended);
        }
        step(worker)?;
    }
    match solver.join() {
        Ok(Ok(())) => Ok(()),
        Ok(Err(TableError::Stopped(reason))) => Err(reason.into()),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(ClusterError::Dataflow("the thread that solves has ended".to_owned())),
    }
}
