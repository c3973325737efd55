//! A connection that notices when the process at its other end is gone.
//!
//! The dataflow's own answer to a lost connection is a panic in one of its threads. Here the loss is
//! noted, all work is told to stop, and the thread that reads sleeps until the process ends; what is
//! written goes nowhere.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use timely::communication::allocator::zero_copy::stream::Stream;

/// Which process was lost, if any.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    lost: Arc<AtomicUsize>,
    /// Raised when one is lost: work stops.
    pub(super) stop: Arc<AtomicBool>,
}

const NONE: usize = usize::MAX;

impl Watch {
    pub(super) fn new() -> Self {
        Self { lost: Arc::new(AtomicUsize::new(NONE)), stop: Arc::default() }
    }

    /// The first process that was lost.
    pub(super) fn lost(&self) -> Option<usize> {
        Some(self.lost.load(Ordering::SeqCst)).filter(|&process| process != NONE)
    }

    fn lose(&self, process: usize) {
        // The first one: those that end because of it are lost too.
        let _ = self.lost.compare_exchange(NONE, process, Ordering::SeqCst, Ordering::SeqCst);
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// Bytes of a message's header. One of zeros is the last message of a process that has ended well.
const HEADER: usize = 48;

/// A connection to another process.
pub(super) struct Link {
    stream: TcpStream,
    process: usize,
    watch: Watch,
    /// Zero bytes at the end of what was read.
    zeros: usize,
}

impl Link {
    pub(super) fn new(stream: TcpStream, process: usize, watch: &Watch) -> Self {
        Self { stream, process, watch: watch.clone(), zeros: 0 }
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Ok(read) if read > 0 => {
                    let zeros = buffer[..read].iter().rev().take_while(|&&byte| byte == 0).count();
                    self.zeros = if zeros == read { self.zeros + zeros } else { zeros };
                    return Ok(read);
                }
                Ok(_) if self.zeros >= HEADER => return Ok(0),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => {
                    self.watch.lose(self.process);
                    loop {
                        std::thread::park();
                    }
                }
            }
        }
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Ok(0) | Err(_) if !bytes.is_empty() => {
                self.watch.lose(self.process);
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self::new(self.stream.try_clone()?, self.process, &self.watch))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other end may have closed first.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (one, listener.accept().unwrap().0)
    }

    #[test]
    fn an_end_that_was_announced_is_no_loss() {
        let (mut other, ours) = pair();
        let watch = Watch::new();
        let mut link = Link::new(ours, 3, &watch);
        other.write_all(&[7; 5]).unwrap();
        other.write_all(&[0; HEADER]).unwrap();
        drop(other);
        let mut bytes = Vec::new();
        link.read_to_end(&mut bytes).unwrap();
        assert_eq!((bytes.len(), watch.lost()), (5 + HEADER, None));
    }

    #[test]
    fn the_first_loss_is_noted_and_work_stops() {
        let (mut other, ours) = pair();
        let watch = Watch::new();
        let mut link = Link::new(ours, 3, &watch);
        other.write_all(&[0, 0, 1]).unwrap();
        drop(other);
        // The thread that reads never comes back.
        std::thread::spawn(move || link.read_to_end(&mut Vec::new()));
        let start = Instant::now();
        while watch.lost().is_none() && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(5));
        }
        watch.lose(4);
        assert_eq!((watch.lost(), watch.stop.load(Ordering::SeqCst)), (Some(3), true));
    }
}
