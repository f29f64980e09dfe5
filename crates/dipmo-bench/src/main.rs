//! The benches of dipmo: what a store does in a second, next to what its database can do at most.
//!
//! Machines differ, so a figure alone says little: each is given as a ratio of a limit that is
//! measured in the same run. Start reading at `store/mod.rs`; `docs/benchmarks.md` says how to
//! read the figures.
//!
//! **Invariant:** a run that lost, doubled or reordered a message prints no figures.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

mod database;
mod report;
mod store;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What a store does in a second, next to what its database can do at most.
#[derive(Parser)]
#[command(name = "dipmo-bench", after_help = "Example: cargo xtask bench store")]
struct Cli {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(Subcommand)]
enum Suite {
    /// The way of a message through a store: ingest, process, settle.
    #[command(after_help = store::EXAMPLES)]
    Store(store::Args),
}

#[tokio::main]
async fn main() -> ExitCode {
    let Cli { suite: Suite::Store(args) } = Cli::parse();
    let ended = tokio::select! {
        ended = store::run(&args) => ended,
        _ = tokio::signal::ctrl_c() => {
            eprintln!("interrupted; removing the database");
            database::remove_left_over(&args.postgres).await;
            return ExitCode::from(130);
        }
    };
    match ended.and_then(|rows| report::publish("store", &rows)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Cli;

    #[test]
    fn command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
