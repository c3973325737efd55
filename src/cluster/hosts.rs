//! The list of processes.

use super::ClusterError;

/// Processes at most: more than anybody builds tables with.
const MOST: usize = 1024;

/// Where each process listens, and which of them this one is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosts {
    /// `host:port` by the number of the process.
    pub(super) addresses: Vec<String>,
    pub(super) process: usize,
}

impl Hosts {
    /// Reads a list of hosts: a line `host:port` for each process, in order; what follows `#` is a
    /// remark, and empty lines do not count.
    ///
    /// # Errors
    /// A line without a port or twice there, an empty list, or no line for process `process`.
    pub fn parse(text: &str, process: usize) -> Result<Self, ClusterError> {
        let mut addresses: Vec<String> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let fault = |fault| ClusterError::Hosts { line: at + 1, fault };
            let address = line.split('#').next().unwrap_or_default().trim();
            if address.is_empty() {
                continue;
            }
            check_address(address).map_err(|why| fault(format!("`{address}` {why}")))?;
            if let Some(first) = addresses.iter().position(|known| known == address) {
                return Err(fault(format!("{address} is process {first} already")));
            }
            addresses.push(address.to_owned());
        }
        let fault = |fault| Err(ClusterError::Hosts { line: 0, fault });
        match addresses.len() {
            0 => fault("the list of hosts names none".to_owned()),
            count if count > MOST => fault(format!("{count} processes: {MOST} at most")),
            count if process >= count => {
                fault(format!("process {process} of {count}: they are counted from 0"))
            }
            _ => Ok(Self { addresses, process }),
        }
    }

    /// How many processes there are.
    pub fn count(&self) -> usize {
        self.addresses.len()
    }

    /// The number of this process.
    pub fn process(&self) -> usize {
        self.process
    }
}

fn check_address(address: &str) -> Result<(), &'static str> {
    let (host, port) = address.rsplit_once(':').ok_or("has no port (write host:port)")?;
    if host.is_empty() || host.contains(char::is_whitespace) {
        return Err("names no host (write host:port)");
    }
    match port.parse::<u16>() {
        Ok(0) | Err(_) => Err("has no port from 1 to 65535"),
        Ok(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn lists_of_hosts() {
        let text = "# two machines\na.example:2101\n\n  [::1]:2102  # the other one\n";
        let hosts = Hosts::parse(text, 1).unwrap();
        assert_eq!(hosts.addresses, ["a.example:2101", "[::1]:2102"]);
        assert_eq!((hosts.count(), hosts.process()), (2, 1));
        for (text, process, expected) in [
            ("", 0, "the list of hosts names none"),
            ("a:1\nb", 0, "line 2: `b` has no port (write host:port)"),
            ("a:1\n\nb:x", 0, "line 3: `b:x` has no port from 1 to 65535"),
            ("a:0", 0, "line 1: `a:0` has no port from 1 to 65535"),
            ("a:70000", 0, "line 1: `a:70000` has no port from 1 to 65535"),
            (":2101", 0, "line 1: `:2101` names no host (write host:port)"),
            ("a b:2101", 0, "line 1: `a b:2101` names no host (write host:port)"),
            ("a:1\nb:1\na:1", 0, "line 3: a:1 is process 0 already"),
            ("a:1\nb:1", 2, "process 2 of 2: they are counted from 0"),
        ] {
            assert_eq!(Hosts::parse(text, process).unwrap_err().to_string(), expected, "{text:?}");
        }
    }
}
