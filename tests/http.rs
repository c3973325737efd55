//! A server of the tests' own and a plain client for it.

use crate::program::theta;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// `theta serve` on a port of its own, ended when it is dropped.
pub struct Server {
    child: Child,
    /// Where it answers.
    pub address: SocketAddr,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The lines of the head, names in small letters.
    pub head: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// An event that a job told: its name and what it says.
pub type Event = (String, Value);

impl Answer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// A line of the head.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The code of an error.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_string()
    }
}

impl Server {
    /// Starts one without a cache.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts one with these options.
    pub fn with(options: &[&str]) -> Self {
        let mut args = vec!["serve", "--bind", "127.0.0.1:0", "--quiet"];
        if !options.contains(&"--cache") {
            args.extend(["--cache", "none"]);
        }
        args.extend(options);
        let mut command = theta(&args);
        command.env_remove("SYZYGY_PATH").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/');
        let address = address.parse().unwrap_or_else(|e| panic!("{e}: `{line}`"));
        Self { child, address }
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are, and reads all that comes back.
    pub fn send(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // What is refused may be closed before all of it is sent.
        let _ = stream.write_all(bytes);
        let mut back = Vec::new();
        let _ = stream.read_to_end(&mut back);
        back
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream
    }

    /// A request with these further lines in its head.
    pub fn request(&self, method: &str, path: &str, head: &[&str], body: &[u8]) -> Answer {
        let mut bytes = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n").into_bytes();
        if !head.iter().any(|line| line.starts_with("Host:")) {
            bytes.extend(format!("Host: {}\r\n", self.address).bytes());
        }
        head.iter().for_each(|line| bytes.extend(format!("{line}\r\n").bytes()));
        if !body.is_empty() {
            bytes.extend(format!("Content-Length: {}\r\n", body.len()).bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(body);
        answer(&self.send(&bytes))
    }

    /// What stands at an address.
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], b"")
    }

    /// Sends JSON.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        self.request("POST", path, &["Content-Type: application/json"], body.as_bytes())
    }

    /// The result of some work, waited for.
    pub fn ask(&self, kind: &str, body: &Value) -> Value {
        let answer = self.post(&format!("/api/v1/{kind}?wait=1"), body);
        assert_eq!(answer.status, 200, "{kind} {body}: {}", answer.text());
        answer.json()
    }

    /// Begins some work; its name.
    pub fn begin(&self, kind: &str, body: &Value) -> String {
        let answer = self.post(&format!("/api/v1/{kind}"), body);
        assert_eq!(answer.status, 202, "{kind} {body}: {}", answer.text());
        answer.json()["job"].as_str().unwrap().to_string()
    }

    /// Everything that a job says, to its end.
    pub fn events(&self, job: &str) -> Vec<Event> {
        told(&self.get(&format!("/api/v1/jobs/{job}/events")).text())
    }

    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        Command::new("kill").args([name, &self.id().to_string()]).status().unwrap();
    }

    /// Waits for its end; the exit code.
    pub fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Whether it is still there.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The events in a stream.
pub fn told(text: &str) -> Vec<Event> {
    let event = |block: &str| {
        let field =
            |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_string);
        let (name, data) = (field("event: ")?, field("data: ")?);
        Some((name, serde_json::from_str(&data).unwrap()))
    };
    text.split("\n\n").filter_map(event).collect()
}

/// Reads an answer, in pieces or whole.
pub fn answer(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let Some(end) = end else { panic!("no answer: {:?}", String::from_utf8_lossy(bytes)) };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let head: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_string()))
        .collect();
    let mut body = bytes[end + 4..].to_vec();
    if head.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked") {
        body = joined(&body);
    }
    Answer { status, head, body }
}

/// A body sent in pieces.
fn joined(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let length = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let length = usize::from_str_radix(length.trim(), 16).unwrap();
        let piece = &bytes[end + 2..];
        if length == 0 || piece.len() < length {
            whole.extend(&piece[..piece.len().min(length)]);
            break;
        }
        whole.extend(&piece[..length]);
        bytes = &piece[(length + 2).min(piece.len())..];
    }
    whole
}
