//! From a FEN to a proved strategy: solve, build the certificate, verify it from scratch, print the
//! tree.
//!
//! `cargo run --release --example strategy -- '8/8/8/3k4/8/8/8/KQ6 w - -'`

use std::error::Error;
use theta_chess::export::{Outline, text};
use theta_chess::{Limits, Solver, verify};

fn main() -> Result<(), Box<dyn Error>> {
    let fen = std::env::args().nth(1);
    run(fen.as_deref().unwrap_or("7k/8/8/5K2/8/8/6Q1/8 w - -"))
}

/// Proves the position's value and prints the strategy, three moves deep.
pub fn run(fen: &str) -> Result<(), Box<dyn Error>> {
    // A limit is an answer: without a value the verdict says what is proved and why it stopped.
    let verdict = Solver::default().solve(&fen.parse()?, Limits::seconds(60))?;
    if let Some(reason) = verdict.stop().filter(|_| verdict.value().is_none()) {
        println!("undecided: {reason}");
        return Ok(());
    }

    // The certificate is checked by the paper's rules alone; nothing of the solver is trusted.
    let certificate = verdict.certificate()?;
    let proved = verify(&certificate)?;
    println!("verified: {} ({} positions)\n", proved.claim, proved.positions);

    for strategy in &certificate.strategies {
        let outline =
            Outline::new(&certificate, strategy.owner(), Some(3)).expect("a strategy of its owner");
        text::write(&outline, &mut std::io::stdout().lock())?;
    }
    Ok(())
}
