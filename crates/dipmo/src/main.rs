//! The command line of dipmo.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Exactly-once effects from Kafka, through a database, to Salesforce, Kafka and handlers.
#[derive(Parser)]
#[command(name = "dipmo", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {}
}
