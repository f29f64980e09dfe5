//! `dipmo health`: asks the port of a running instance; the exit code says how it is.

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use dipmo::service::{DEFAULT_ADDRESS, ask};

use crate::console::out;

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  dipmo health                              is it ready? (exit code 0; 1 when it is not)
  dipmo health live                         can it go on by itself?
  dipmo health all --address 10.0.0.7:8686  everything that is to be said of another machine

The exit code is 2 when nobody answers.";

/// What to ask, and whom.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to ask for.
    #[arg(value_enum, default_value = "ready")]
    what: What,
    /// The health port of the instance.
    #[arg(long, value_name = "HOST:PORT", default_value_t = DEFAULT_ADDRESS)]
    address: SocketAddr,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Whether it can go on by itself.
    Live,
    /// Whether it does what it is there for.
    Ready,
    /// Whether it is ready, with everything that is to be said.
    All,
}

/// Prints what the instance answers.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let path = match args.what {
        What::Live => "/live",
        What::Ready => "/ready",
        What::All => "/health",
    };
    let asked = ask(args.address, path)
        .with_context(|| format!("no answer from the health port at {}", args.address))?;
    out(&asked.body);
    Ok(if asked.status == 200 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
