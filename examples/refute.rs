//! A proof that there is no mate: the bounded statement as a propositional formula, refuted, the
//! refutation written in DRAT.
//!
//! `cargo run --release --example refute -- '7k/8/8/5K2/8/8/6Q1/8 w - -'`

use std::error::Error;
use theta_chess::chess::{Profile, Side, parse_fen};
use theta_chess::export::Unrolled;
use theta_chess::limits::Budget;
use theta_chess::sat::{Answer, ProofFormat, prove};

fn main() -> Result<(), Box<dyn Error>> {
    let fen = std::env::args().nth(1);
    run(fen.as_deref().unwrap_or("7k/8/8/5K2/8/8/6Q1/8 w - -"), 5)
}

/// Looks for the shortest mate of the side to move within some plies, and proves that there is no
/// shorter one.
pub fn run(fen: &str, most: u32) -> Result<(), Box<dyn Error>> {
    let root = parse_fen(fen, Profile::Fide)?;
    let side = Side::to_move(&root);
    for plies in 0..=most {
        let formula = Unrolled::new(&root, side, plies, &Budget::default())?.formula();
        // The solver's own checker has followed the refutation when it is returned.
        let mut refutation = Vec::new();
        match prove(&formula, ProofFormat::Drat, &mut refutation)? {
            Answer::Satisfiable(_) => {
                println!("{side} mates within {plies} plies");
                return Ok(());
            }
            Answer::Unsatisfiable => {
                let steps = refutation.iter().filter(|&&byte| byte == b'\n').count();
                println!(
                    "no mate within {plies} plies: {} clauses, refuted in {steps} steps",
                    formula.len()
                );
            }
        }
    }
    println!("undecided beyond {most} plies");
    Ok(())
}
