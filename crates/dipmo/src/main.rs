//! The command line of dipmo.

mod cli;
mod commands;
mod console;
mod demo;
mod health;
mod output;
mod runtime;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use cli::{Cli, Command};

/// A worker makes and drops some dozens of small values for each message: what the allocator takes
/// is a good part of what a message costs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// It could not run; 1 is for an answer of no.
const COULD_NOT_RUN: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ended = match &cli.command {
        Command::Demo(args) => on_runtime(demo::run(args)),
        Command::Health(args) => health::run(args),
        Command::Init(args) => commands::init::run(args),
        Command::Check(args) => on_runtime(commands::check::run(args)),
        Command::Test(args) => commands::test::run(args),
        Command::Run(args) => on_runtime(commands::run::run(args)),
        Command::Operate(command) => on_runtime(commands::operate::run(command)),
        Command::Migrate(args) => on_runtime(commands::migrate::run(args)),
        Command::Schema(args) => commands::schema::run(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Version(args) => Ok(commands::version::run(args)),
    };
    ended.unwrap_or_else(|error| {
        console::err(&demo::failed::line(&error));
        ExitCode::from(COULD_NOT_RUN)
    })
}

fn on_runtime(command: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    runtime::run(command)?
}
