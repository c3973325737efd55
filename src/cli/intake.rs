//! Certificates read under limits: a file, a pipe or standard input, however long or slow it is.

use anyhow::Context as _;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use theta_chess::certificate::Incoming;
use theta_chess::limits::{Budget, StopReason};
use theta_chess::verify::FormatError;
use theta_kernel::MAX_BYTES;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;

/// How often the limits are looked at while nothing comes.
const LOOK: Duration = Duration::from_millis(50);

/// What came of reading.
pub enum Intake {
    /// The whole file in version 4, and the version that it had if it was older.
    Whole(Vec<u8>, Option<u8>),
    /// No certificate begins like this.
    Rejected(FormatError),
    /// A limit was reached first.
    Stopped(StopReason),
}

/// Reads a certificate; `-` is standard input. A file is refused at the first byte that shows that
/// it is none, and at the memory limit; waiting for a pipe ends with the budget.
///
/// # Errors
/// The system's.
pub fn read(path: &Path, budget: &Budget) -> anyhow::Result<Intake> {
    let name = || path.display().to_string();
    if let Some(stop) = budget.check(0, 0).err() {
        return Ok(Intake::Stopped(stop));
    }
    // The size of what is no ordinary file means nothing.
    if let Some(size) = path.metadata().ok().filter(|data| data.is_file()).map(|data| data.len()) {
        if size > MAX_BYTES as u64 {
            return Ok(Intake::Rejected(FormatError::TooLarge));
        }
        if let Some(stop) = budget.check(0, size).err() {
            return Ok(Intake::Stopped(stop));
        }
    }
    let (sender, chunks) = sync_channel(2);
    let source = path.to_owned();
    // Opening and reading a pipe may wait for ever: they do so apart, and are left alone then.
    std::thread::spawn(move || pour(&source, &sender));
    collect(&chunks, budget).with_context(name)
}

/// Hands on what a file holds, piece by piece, until nobody listens.
fn pour(source: &PathBuf, sender: &SyncSender<std::io::Result<Vec<u8>>>) {
    let open = || -> std::io::Result<Box<dyn Read>> {
        if source.as_os_str() == "-" {
            return Ok(Box::new(stdin()));
        }
        Ok(Box::new(File::open(source)?))
    };
    let mut input = match open() {
        Ok(input) => input,
        Err(error) => return drop(sender.send(Err(error))),
    };
    loop {
        let mut chunk = vec![0; CHUNK];
        let piece = match input.read(&mut chunk) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            read => read.map(|count| {
                chunk.truncate(count);
                chunk
            }),
        };
        let last = piece.as_ref().map_or(true, Vec::is_empty);
        if sender.send(piece).is_err() || last {
            return;
        }
    }
}

fn collect(
    chunks: &Receiver<std::io::Result<Vec<u8>>>,
    budget: &Budget,
) -> std::io::Result<Intake> {
    let mut incoming = Incoming::default();
    loop {
        let ended = match chunks.recv_timeout(LOOK) {
            Ok(piece) => {
                let piece = piece?;
                if let Err(fault) = incoming.push(&piece) {
                    return Ok(Intake::Rejected(fault));
                }
                piece.is_empty()
            }
            Err(end) => end == RecvTimeoutError::Disconnected,
        };
        if ended {
            return Ok(match incoming.finish() {
                Ok((bytes, older)) => Intake::Whole(bytes, older),
                Err(fault) => Intake::Rejected(fault),
            });
        }
        if let Err(stop) = budget.check(0, incoming.len() as u64) {
            return Ok(Intake::Stopped(stop));
        }
    }
}
