//! Simulated worlds: `cargo xtask simulate`.

use std::process::ExitCode;

use anyhow::Result;

use crate::{cargo, process, workspace};

/// Options of `cargo xtask simulate`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many seeds to run.
    #[arg(long, default_value_t = 10_000)]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Run this seed only, and say how it went.
    #[arg(long)]
    seed: Option<u64>,
}

/// Runs `cargo xtask simulate`.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let run = ["run", "--quiet", "--release", "-p", "dipmo-sim", "--"];
    let mut command = cargo::shown(&workspace::root()?, &run);
    match args.seed {
        Some(seed) => command.args(["--seed", &seed.to_string()]),
        None => {
            command.args(["--from", &args.from.to_string(), "--seeds", &args.seeds.to_string()])
        }
    };
    let status = process::pass_through(command)?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
