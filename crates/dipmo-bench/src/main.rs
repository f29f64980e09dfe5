//! The benches of dipmo: what it does in a second, next to what its database can do at most.
//!
//! Machines differ, so a figure alone says little: each is given as a ratio of a limit that is
//! measured in the same run. Start reading at `core/mod.rs`; `docs/benchmarks.md` says how to
//! read the figures.
//!
//! **Invariant:** a run that lost, doubled or reordered a message prints no figures.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

mod bed;
mod chance;
mod core;
mod database;
mod gates;
mod http;
mod kafka;
mod limit;
mod load;
mod operate;
mod process;
mod report;
mod resident;
mod salesforce;
mod service;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// As the shipped binary has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What dipmo does in a second, next to what its database can do at most.
#[derive(Parser)]
#[command(name = "dipmo-bench", after_help = "Example: cargo xtask bench core")]
struct Cli {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(Subcommand)]
enum Suite {
    /// The shipped engine on the shipped store: ingest, process, settle, all at once, and more.
    #[command(after_help = core::EXAMPLES)]
    Core(core::Args),
    /// The shipped source and publisher on a real broker: ingest, publish, end to end.
    #[command(after_help = kafka::EXAMPLES)]
    Kafka(kafka::Args),
    /// Requests to the shipped source over HTTP: with and without keys, and when the database stands still.
    #[command(after_help = http::EXAMPLES)]
    Http(http::Args),
    /// The shipped publisher and a simulated org: records a second by each API, calls, memory.
    #[command(after_help = salesforce::EXAMPLES)]
    Salesforce(salesforce::Args),
    /// A process that is declared in a file, next to the same in Rust.
    #[command(after_help = service::EXAMPLES)]
    Service(service::Args),
    /// What operators ask of the database, with millions of messages behind them.
    #[command(after_help = operate::EXAMPLES)]
    Operate(operate::Args),
    /// An engine alone in its process; the suite `core` runs it.
    #[command(hide = true)]
    Alone(core::child::Args),
    /// Source, engine and publisher alone in their process; the suite `kafka` runs it.
    #[command(hide = true)]
    AloneKafka(kafka::child::Args),
    /// Engine and publisher alone in their process; the suite `salesforce` runs it.
    #[command(hide = true)]
    AloneSalesforce(salesforce::child::Args),
}

impl Suite {
    async fn run(&self) -> Result<()> {
        match self {
            Self::Core(args) => report::publish("core", &core::run(args).await?),
            Self::Kafka(args) => report::publish("kafka", &kafka::run(args).await?),
            Self::Http(args) => report::publish("http", &http::run(args).await?),
            Self::Salesforce(args) => report::publish("salesforce", &salesforce::run(args).await?),
            Self::Service(args) => report::publish("service", &service::run(args).await?),
            Self::Operate(args) => report::publish("operate", &operate::run(args).await?),
            Self::Alone(args) => core::child::run(args).await,
            Self::AloneKafka(args) => kafka::child::run(args).await,
            Self::AloneSalesforce(args) => salesforce::child::run(args).await,
        }
    }

    /// Where databases are made that have to be removed.
    fn server(&self) -> Option<&str> {
        match self {
            Self::Core(args) => Some(&args.postgres),
            Self::Kafka(args) => Some(&args.postgres),
            Self::Http(args) => Some(&args.postgres),
            Self::Salesforce(args) => Some(&args.postgres),
            Self::Service(args) => Some(&args.postgres),
            Self::Operate(args) => Some(&args.postgres),
            Self::Alone(_) | Self::AloneKafka(_) | Self::AloneSalesforce(_) => None,
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let Cli { suite } = Cli::parse();
    let ended = tokio::select! {
        ended = suite.run() => ended,
        _ = tokio::signal::ctrl_c() => {
            eprintln!("interrupted; removing the databases");
            if let Some(server) = suite.server() {
                database::remove_left_over(server).await;
            }
            return ExitCode::from(130);
        }
    };
    match ended {
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
