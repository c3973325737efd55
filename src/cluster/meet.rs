//! The processes find each other before any work is done: each listens where the list of hosts says
//! and calls those with smaller numbers, however late they start. Each tells what it is, so that
//! processes of different versions, for different tables or started twice are named at once.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use super::{ClusterError, Hosts};
use crate::limits::Budget;

/// How long the other end of a connection may take to say what it is.
const ANSWER: Duration = Duration::from_secs(5);
/// How long a call may take, and how long to wait between two rounds of calls.
const CALL: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(50);
/// When those are named that are waited for.
const PATIENCE: Duration = Duration::from_secs(3);

const MAGIC: [u8; 8] = *b"theta-cl";
/// Bytes of a greeting: magic, version, digest, run, process, processes, state, three zeros.
const GREETING: usize = 8 + VERSION + 8 + 8 + 4 + 4 + 4;
const VERSION: usize = 28;

/// What a process tells of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Greeting {
    /// Of the program and of its files, as text.
    version: [u8; VERSION],
    /// Of the tables asked for and of the list of hosts.
    digest: u64,
    /// What process 0 calls this run; 0 from others.
    run: u64,
    process: u32,
    /// 1 from a process that has met another one with the caller's number.
    taken: u32,
}

fn version() -> [u8; VERSION] {
    let text = format!("{}, files {}", env!("CARGO_PKG_VERSION"), crate::tables::FILE_VERSION);
    let mut bytes = [0; VERSION];
    let length = text.len().min(VERSION);
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
    bytes
}

impl Greeting {
    fn send(&self, stream: &mut TcpStream) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(GREETING);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&self.version);
        bytes.extend_from_slice(&self.digest.to_le_bytes());
        bytes.extend_from_slice(&self.run.to_le_bytes());
        bytes.extend_from_slice(&self.process.to_le_bytes());
        bytes.extend_from_slice(&0u32.to_le_bytes());
        bytes.extend_from_slice(&self.taken.to_le_bytes());
        stream.write_all(&bytes)
    }

    fn receive(stream: &mut TcpStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(ANSWER))?;
        let mut bytes = [0; GREETING];
        stream.read_exact(&mut bytes)?;
        stream.set_read_timeout(None)?;
        if bytes[..8] != MAGIC {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let rest = &bytes[8 + VERSION..];
        let long =
            |at: usize| u64::from_le_bytes(*rest[at..].first_chunk().expect("sixteen bytes"));
        let short =
            |at: usize| u32::from_le_bytes(*rest[at..].first_chunk().expect("twelve bytes"));
        Ok(Self {
            version: *bytes[8..].first_chunk().expect("longer than a version"),
            digest: long(0),
            run: long(8),
            process: short(16),
            taken: short(24),
        })
    }
}

/// The processes that have met.
pub(super) struct Met {
    /// By number; `None` for this process.
    pub(super) streams: Vec<Option<TcpStream>>,
    /// What process 0 calls this run.
    pub(super) run: u64,
}

struct Meeting<'a> {
    hosts: &'a Hosts,
    ours: Greeting,
    met: Met,
}

/// Waits until all processes have met, as long as the budget allows. `run` counts of process 0
/// alone.
///
/// # Errors
/// When this process cannot listen, another one does not belong to the run, or the budget ends.
pub(super) fn meet(
    hosts: &Hosts,
    digest: u64,
    run: u64,
    budget: &Budget,
) -> Result<Met, ClusterError> {
    let process = hosts.process as u32;
    let run = if process == 0 { run } else { 0 };
    let ours = Greeting { version: version(), digest, run, process, taken: 0 };
    let streams = hosts.addresses.iter().map(|_| None).collect();
    let mut meeting = Meeting { hosts, ours, met: Met { streams, run } };
    if hosts.count() == 1 {
        return Ok(meeting.met);
    }
    let listener = listen(hosts)?;
    let (start, mut told) = (Instant::now(), false);
    loop {
        meeting.call()?;
        meeting.answer(&listener)?;
        let missing = meeting.missing();
        if missing.is_empty() {
            return Ok(meeting.met);
        }
        if !told && start.elapsed() > PATIENCE {
            told = true;
            let who: Vec<String> =
                missing.iter().map(|&p| format!("{p} at {}", hosts.addresses[p])).collect();
            budget.progress().note(&format!("waiting for process {}", who.join(", ")));
        }
        budget.check(0, 0)?;
        std::thread::sleep(PAUSE);
    }
}

fn listen(hosts: &Hosts) -> Result<TcpListener, ClusterError> {
    let address = &hosts.addresses[hosts.process];
    let listening = TcpListener::bind(address.as_str())
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    listening.map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::AddrInUse => " (is this process running already?)",
            io::ErrorKind::AddrNotAvailable => " (is this the machine of that line?)",
            _ => "",
        };
        ClusterError::Listen { process: hosts.process, address: address.clone(), error, hint }
    })
}

impl Meeting<'_> {
    fn missing(&self) -> Vec<usize> {
        let others = (0..self.hosts.count()).filter(|&process| process != self.hosts.process);
        others.filter(|&process| self.met.streams[process].is_none()).collect()
    }

    fn stranger(&self, process: usize, fault: &str) -> ClusterError {
        let address = self.hosts.addresses[process].clone();
        ClusterError::Stranger { process, address, fault: fault.to_owned() }
    }

    /// Calls those with smaller numbers that were not met yet.
    fn call(&mut self) -> Result<(), ClusterError> {
        for process in 0..self.hosts.process {
            if self.met.streams[process].is_some() {
                continue;
            }
            // Nobody there, or somebody who hangs up or says something else: called again later.
            let Ok(mut stream) = connect(&self.hosts.addresses[process]) else { continue };
            let heard = self.ours.send(&mut stream).and_then(|()| Greeting::receive(&mut stream));
            let Ok(heard) = heard else { continue };
            if heard.taken != 0 {
                let fault = format!(
                    "has met another process {} already: was this one started twice?",
                    self.hosts.process
                );
                return Err(self.stranger(process, &fault));
            }
            self.believe(&heard, process)?;
            if process == 0 {
                self.met.run = heard.run;
            }
            self.met.streams[process] = Some(stream);
        }
        Ok(())
    }

    /// Answers those with larger numbers.
    fn answer(&mut self, listener: &TcpListener) -> Result<(), ClusterError> {
        while let Ok((mut stream, _)) = listener.accept() {
            let settled = stream.set_nonblocking(false).and_then(|()| stream.set_nodelay(true));
            let Ok(heard) = settled.and_then(|()| Greeting::receive(&mut stream)) else { continue };
            let process = heard.process as usize;
            let known = process > self.hosts.process && process < self.hosts.count();
            let taken = known && self.met.streams[process].is_some();
            let ours = Greeting { taken: taken.into(), ..self.ours.clone() };
            let told = ours.send(&mut stream);
            if taken || told.is_err() {
                continue;
            }
            if !known {
                let fault = format!("was called by a process {process} of another list of hosts");
                return Err(self.stranger(self.hosts.process, &fault));
            }
            self.believe(&heard, process)?;
            self.met.streams[process] = Some(stream);
        }
        Ok(())
    }

    /// Does this process belong to the run?
    fn believe(&self, heard: &Greeting, process: usize) -> Result<(), ClusterError> {
        if heard.version != self.ours.version {
            let text =
                |version: &[u8]| String::from_utf8_lossy(version).trim_end_matches('\0').to_owned();
            let (theirs, ours) = (text(&heard.version), text(&self.ours.version));
            return Err(
                self.stranger(process, &format!("is theta {theirs}; this one is theta {ours}"))
            );
        }
        if heard.process as usize != process {
            return Err(self.stranger(process, &format!("says that it is {}", heard.process)));
        }
        if heard.digest != self.ours.digest {
            let fault = "was started for other tables or with another list of hosts";
            return Err(self.stranger(process, fault));
        }
        Ok(())
    }
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::ErrorKind::NotFound.into();
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CALL) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use std::thread;

    /// A process of another version calls, or is called: both ends are named with their versions.
    #[test]
    fn another_version_is_named() {
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let list =
            listeners.map(|listener| format!("{}\n", listener.local_addr().unwrap())).concat();
        for number in [0, 1] {
            let hosts = Hosts::parse(&list, number).unwrap();
            let other = 1 - number as u32;
            let mut greeting =
                Greeting { version: version(), digest: 7, run: 1, process: other, taken: 0 };
            greeting.version[..7].copy_from_slice(b"9.9.9,\0");
            let ours = hosts.clone();
            let meeting =
                thread::spawn(move || meet(&ours, 7, 1, &Limits::seconds(30).into()).map(|_| ()));
            let mut stream = if number == 0 {
                loop {
                    match connect(&hosts.addresses[0]) {
                        Ok(stream) => break stream,
                        Err(_) => thread::sleep(PAUSE),
                    }
                }
            } else {
                TcpListener::bind(&hosts.addresses[0]).unwrap().accept().unwrap().0
            };
            greeting.send(&mut stream).unwrap();
            let error = meeting.join().unwrap().unwrap_err().to_string();
            let ours = env!("CARGO_PKG_VERSION");
            assert!(error.contains("is theta 9.9.9"), "{error}");
            assert!(error.contains(&format!("this one is theta {ours}, files ")), "{error}");
            assert!(error.starts_with(&format!("process {other} at ")), "{error}");
        }
    }
}
