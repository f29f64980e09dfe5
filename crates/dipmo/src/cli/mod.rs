//! What can be typed: every command with its arguments, its help and its examples.
//!
//! `docs/reference/commands.md` is made of this tree, and so are the completions of shells.

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use clap::{Parser, Subcommand};

use crate::{commands, demo, health};

/// Exactly-once effects from Kafka, through a database, to Salesforce, Kafka and handlers.
#[derive(Parser)]
#[command(name = "dipmo", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Shown below the commands.
const EXAMPLES: &str = "Examples:
  dipmo demo                                    see it work, without any service
  dipmo init my-pipeline                        a pipeline to begin with
  dipmo help migrate apply                      what a command does, with examples and exit codes";

/// What to do, in the order in which one comes to it.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// See it work: generated events with duplicates, poison and reordering from Kafka, through five
    /// processes, to Kafka and Salesforce, and a ledger at the end. Needs no service and no set-up.
    #[command(after_help = demo::EXAMPLES)]
    Demo(demo::Args),
    /// Write a pipeline to begin with.
    #[command(after_help = commands::init::EXAMPLES)]
    Init(commands::init::Args),
    /// Say all that is wrong with a configuration, before it runs.
    #[command(after_help = commands::check::EXAMPLES)]
    Check(commands::check::Args),
    /// Run cases, given, when and then, against the processes of a configuration.
    #[command(after_help = commands::test::EXAMPLES)]
    Test(commands::test::Args),
    /// Show or make what a database lacks for a configuration.
    #[command(after_help = commands::migrate::EXAMPLES)]
    Migrate(commands::migrate::Args),
    /// Run the pipeline of a configuration, until it is stopped.
    #[command(after_help = commands::run::EXAMPLES)]
    Run(commands::run::Args),
    /// Ask a running instance how it is, for health checks of images without another client.
    #[command(after_help = health::EXAMPLES)]
    Health(health::Args),
    #[command(flatten)]
    Operate(Box<commands::operate::Command>),
    /// Print the JSON Schema of a file, for editors.
    #[command(after_help = commands::schema::EXAMPLES)]
    Schema(commands::schema::Args),
    /// Print what lets a shell complete commands and options.
    #[command(after_help = commands::completions::EXAMPLES)]
    Completions(commands::completions::Args),
    /// Print which dipmo this is, and what is built into it.
    #[command(after_help = commands::version::EXAMPLES)]
    Version(commands::version::Args),
}
