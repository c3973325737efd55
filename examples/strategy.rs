//! From a FEN to a proved strategy: solve, build the certificate, verify it from scratch, print the
//! tree.
//!
//! `cargo run --release --example strategy -- '8/8/8/3k4/8/8/8/KQ6 w - -'`

use std::error::Error;
use theta_chess::chess::{Board, Profile, parse_fen};
use theta_chess::export::{Outline, text};
use theta_chess::limits::{Budget, Limits};
use theta_chess::solve::{Options, Solver};
use theta_chess::tables::Tables;
use theta_chess::verify::verify;

fn main() -> Result<(), Box<dyn Error>> {
    let fen = std::env::args().nth(1);
    run(fen.as_deref().unwrap_or("7k/8/8/5K2/8/8/6Q1/8 w - -"))
}

/// Proves the position's value and prints the strategy, three moves deep.
pub fn run(fen: &str) -> Result<(), Box<dyn Error>> {
    let root = parse_fen(fen, Profile::Fide)?;

    // A limit is an answer: without a value the verdict says what is proved and why it stopped.
    let budget =
        Budget::new(Limits { time: Some(std::time::Duration::from_secs(60)), ..Limits::default() });
    let solver = Solver::new(Tables::in_memory().into());
    let verdict = solver.solve(&root, &Options::default(), &budget)?;
    let Some(value) = verdict.value else {
        println!("undecided: {:?}", verdict.stop);
        return Ok(());
    };

    // The certificate is checked by the paper's rules alone; nothing of the solver is trusted.
    let certificate = verdict.evidence.certificate(&Board::from_vector(&root)?, value, &budget)?;
    let mut file = Vec::new();
    certificate.write(&mut file)?;
    let proved = verify(file.as_slice(), &mut |_| true)?.expect("not abandoned");
    println!("verified: {} ({} positions, {} bytes)\n", proved.claim, proved.positions, file.len());

    for strategy in &certificate.strategies {
        let outline =
            Outline::new(&certificate, strategy.owner(), Some(3)).expect("a strategy of its owner");
        text::write(&outline, &mut std::io::stdout().lock())?;
    }
    Ok(())
}
