//! The developers' tool of this workspace: `cargo xtask help` lists what it does.
//!
//! It starts real services for the tests under `target/services/`, and runs every check with
//! one command. It leaves nothing behind when it is interrupted.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

mod bench;
mod book;
mod cargo;
mod cargo_test;
mod conformance;
mod lint;
mod lock;
mod mutants;
mod process;
mod report;
mod services;
mod simulate;
mod test_run;
mod tools;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The developers' tool of this workspace.
#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask", after_help = "Example: cargo xtask test")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start, stop or show the servers that tests and benches use.
    #[command(subcommand, after_help = "Example: cargo xtask services up --postgres 18")]
    Services(services::Command),
    /// Run everything: lints, services, all tests; the last line counts what passed.
    #[command(after_help = "Example: cargo xtask test --no-lint rejected_key")]
    Test(test_run::Args),
    /// Check formatting, clippy and documentation.
    #[command(after_help = "Example: cargo xtask lint --full")]
    Lint(lint::Args),
    /// Remove one guard at a time from a copy of the sources and expect a test to fail.
    #[command(after_help = "Example: cargo xtask mutants lease-owner-check")]
    Mutants(mutants::Args),
    /// Run the engine in simulated worlds, each from a seed, until one breaks.
    #[command(after_help = "Example: cargo xtask simulate --seed 7")]
    Simulate(simulate::Args),
    /// Let clients that others wrote use salesforce-sim, the heavy official CLI too, and print what
    /// each of them could do.
    #[command(after_help = "Example: cargo xtask conformance --only sf")]
    Conformance(conformance::Args),
    /// Make the book of docs/, which a browser shows, in target/book.
    #[command(after_help = "Example: cargo xtask docs --open")]
    Docs(book::Args),
    /// Measure on a durable PostgreSQL, and on a Kafka where the suite needs one.
    #[command(after_help = "Example: cargo xtask bench store")]
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = process::watch_signals().and_then(|()| match &cli.command {
        Command::Services(command) => services::run(command),
        Command::Test(args) => test_run::run(args),
        Command::Lint(args) => lint::run(args),
        Command::Mutants(args) => mutants::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Conformance(args) => conformance::run(args),
        Command::Docs(args) => book::run(args),
        Command::Bench(args) => bench::run(args),
    });
    match outcome {
        Ok(code) => code,
        Err(error) if error.is::<process::Interrupted>() => {
            eprintln!("interrupted: everything that this command started has been ended");
            ExitCode::from(130)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_a_sentence_and_an_example() {
        check(&Cli::command());
    }

    fn check(parent: &clap::Command) {
        for command in parent.get_subcommands() {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name} has no sentence");
            let after = command.get_after_help().map(ToString::to_string);
            assert!(
                after.is_some_and(|text| text.contains("Example: cargo xtask")),
                "{name} has no example"
            );
            check(command);
        }
    }
}
