//! The `theta` program: see [`theta_chess::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    theta_chess::cli::main()
}
