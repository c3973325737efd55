//! `theta-verify FILE`: the kernel, the standard library, and an argument. Nothing else.
//!
//! Exit codes: 0 accepted, 1 rejected, 2 no certificate of version 4 or not readable, 3 it rests on
//! rules, which the kernel does not prove: `theta verify` does.

use std::fs::File;
use std::io::{Read, stdin};
use std::process::ExitCode;
use std::thread::available_parallelism;
use theta_kernel::{Certificate, Claim, FormatError, Move, Plain, Rejection, check, fen};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(name), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: theta-verify FILE (`-` is standard input)");
        return ExitCode::from(2);
    };
    let input: std::io::Result<Box<dyn Read>> = if name == "-" {
        Ok(Box::new(stdin().lock()))
    } else {
        File::open(&name).map(|file| Box::new(file) as Box<dyn Read>)
    };
    match input.and_then(read) {
        Err(error) => {
            eprintln!("{}: {}", Plain(&name.to_string_lossy()), Plain(&error.to_string()));
            ExitCode::from(2)
        }
        Ok(bytes) => match judge(&bytes) {
            Ok(code) => code,
            Err(Rejection::Format(FormatError::Version(version))) => {
                eprintln!(
                    "certificate version `{}`: only 4 is read here; \
                     `theta verify FILE --convert NEW` writes one of version 4 from an older one",
                    Plain(&version)
                );
                ExitCode::from(2)
            }
            Err(fault) if fault.is_unreadable() => {
                eprintln!("{fault}");
                ExitCode::from(2)
            }
            Err(fault) => {
                println!("rejected: {fault}");
                ExitCode::from(1)
            }
        },
    }
}

/// Reads to the end, or until no certificate begins like this.
fn read(mut input: Box<dyn Read>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = 1 << 20;
    loop {
        let read = input.by_ref().take(piece).read_to_end(&mut bytes)?;
        match Certificate::read(&bytes) {
            _ if read == 0 => return Ok(bytes),
            // Looked at each time its size has doubled.
            Err(FormatError::Truncated) => piece = bytes.len() as u64,
            // It is whole: one byte more would be too many.
            Ok(_) => piece = 1,
            Err(_) => return Ok(bytes),
        }
    }
}

fn judge(bytes: &[u8]) -> Result<ExitCode, Rejection> {
    let certificate = Certificate::read(bytes)?;
    if !certificate.rules.is_empty() {
        println!("cannot say: it cites rules, which `theta verify` proves");
        return Ok(ExitCode::from(3));
    }
    let threads = available_parallelism().map_or(1, usize::from);
    let proved = check(&certificate, None, threads, &mut |_| true)?;
    let (root, claim) = (fen(&proved.root), proved.claim);
    println!("accepted: {root}: {claim} ({} positions)", proved.positions);
    if matches!(claim, Claim::Keys(..) | Claim::AimKeys(..)) {
        let keys: Vec<String> = proved.keys.iter().map(Move::to_string).collect();
        println!("keys: {}", if keys.is_empty() { "none".into() } else { keys.join(" ") });
    }
    let lines = proved.aim.map_or_else(Vec::new, |aim| aim.lines());
    lines.iter().enumerate().for_each(|(number, line)| println!("{number}: {line}"));
    Ok(ExitCode::SUCCESS)
}
