//! The command line of dipmo.

mod commands;
mod console;
mod demo;
mod health;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A worker makes and drops some dozens of small values for each message: what the allocator takes
/// is a good part of what a message costs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exactly-once effects from Kafka, through a database, to Salesforce, Kafka and handlers.
#[derive(Parser)]
#[command(
    name = "dipmo",
    version,
    arg_required_else_help = true,
    after_help = "Example: dipmo demo"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// See it work: generated events with duplicates, poison and reordering from Kafka, through five
    /// processes, to Kafka and Salesforce, and a ledger at the end. Needs no service and no set-up.
    #[command(after_help = demo::EXAMPLES)]
    Demo(demo::Args),
    /// Ask a running instance how it is, for health checks of images without another client.
    #[command(after_help = health::EXAMPLES)]
    Health(health::Args),
    /// Write a pipeline to begin with.
    #[command(after_help = commands::init::EXAMPLES)]
    Init(commands::init::Args),
    /// Say all that is wrong with a configuration, before it runs.
    #[command(after_help = commands::check::EXAMPLES)]
    Check(commands::check::Args),
    /// Run cases, given, when and then, against the processes of a configuration.
    #[command(after_help = commands::test::EXAMPLES)]
    Test(commands::test::Args),
    /// Run the pipeline of a configuration, until it is stopped.
    #[command(after_help = commands::run::EXAMPLES)]
    Run(commands::run::Args),
    /// Show or make what a database lacks for a configuration.
    #[command(after_help = commands::migrate::EXAMPLES)]
    Migrate(commands::migrate::Args),
}

/// It could not run; 1 is for a ledger that does not balance, and for an instance that is not well.
const COULD_NOT_RUN: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let ended = runtime.map_err(anyhow::Error::from).and_then(|runtime| match &cli.command {
        Command::Demo(args) => runtime.block_on(demo::run(args)),
        Command::Health(args) => health::run(args),
        Command::Init(args) => commands::init::run(args),
        Command::Check(args) => runtime.block_on(commands::check::run(args)),
        Command::Test(args) => commands::test::run(args),
        Command::Run(args) => runtime.block_on(commands::run::run(args)),
        Command::Migrate(args) => runtime.block_on(commands::migrate::run(args)),
    });
    ended.unwrap_or_else(|error| {
        console::err(&demo::failed::line(&error));
        ExitCode::from(COULD_NOT_RUN)
    })
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
