//! The `theta` program: the library [`theta_chess`] on the command line, see [`cli`].

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
