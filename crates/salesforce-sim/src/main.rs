//! The simulator as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    salesforce_sim::program::run(std::env::args_os(), &mut std::io::stdout())
}
