//! `theta-verify FILE`: the kernel, the standard library, and an argument. Nothing else.
//!
//! Exit codes: 0 accepted, 1 rejected, 2 no certificate or not readable, 3 it rests on what the
//! kernel does not check (rules, an aim given as text): `theta verify` does.

use std::fs::File;
use std::io::{Read, stdin};
use std::process::ExitCode;
use theta_kernel::{
    Certificate, FormatError, MAX_BYTES, Plain, Reader, Rejection, Stated, check, fen,
};

/// Bytes read before they are looked at.
const CHUNK: usize = 1 << 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(name), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: theta-verify FILE (`-` is standard input)");
        return ExitCode::from(2);
    };
    let shown = name.to_string_lossy().into_owned();
    let input: std::io::Result<Box<dyn Read>> = if name == "-" {
        Ok(Box::new(stdin().lock()))
    } else {
        File::open(&name).map(|file| Box::new(file) as Box<dyn Read>)
    };
    match input.map_err(|error| error.to_string()).and_then(read) {
        Err(error) => {
            eprintln!("{}: {}", Plain(&shown), Plain(&error));
            ExitCode::from(2)
        }
        Ok(bytes) => judge(&bytes),
    }
}

/// Reads to the end, or to the first byte that no certificate has.
fn read(mut input: Box<dyn Read>) -> Result<Vec<u8>, String> {
    let (mut bytes, mut reader) = (Vec::new(), Reader::default());
    loop {
        let read = input.by_ref().take(CHUNK as u64).read_to_end(&mut bytes);
        let read = read.map_err(|error| error.to_string())?;
        if read == 0 || reader.advance(&bytes).is_err() || bytes.len() > MAX_BYTES {
            return Ok(bytes);
        }
    }
}

fn judge(bytes: &[u8]) -> ExitCode {
    let certificate = match Certificate::read(bytes) {
        Ok(certificate) => certificate,
        Err(fault @ (FormatError::NotACertificate | FormatError::Version(_))) => {
            eprintln!("{fault}");
            return ExitCode::from(2);
        }
        Err(fault) => return reject(&fault.into()),
    };
    if !certificate.rules.is_empty() || matches!(certificate.aim, Some(Stated::Text(_))) {
        println!(
            "cannot say: it cites rules, or states its aim as text; `theta verify` reads those"
        );
        return ExitCode::from(3);
    }
    match check(&certificate, None, None, &mut |_| true) {
        Err(fault) => reject(&fault),
        Ok(proved) => {
            let aim = proved.aim.map_or_else(String::new, |aim| format!(": {aim}"));
            let (root, claim) = (fen(&proved.root), proved.claim);
            println!("accepted: {root}: {claim}{aim} ({} positions)", proved.positions);
            ExitCode::SUCCESS
        }
    }
}

fn reject(fault: &Rejection) -> ExitCode {
    println!("rejected: {fault}");
    ExitCode::from(1)
}
