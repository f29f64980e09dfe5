//! Servers of our own for tests and benches: `cargo xtask services`.
//!
//! **Invariant:** a server is started on a data folder that this tool made, on a free port, and
//! is ended by the process id of that data folder. No server of the system is ever used.

mod account;
mod fetch;
mod folder;
mod install;
mod postgres;
mod postmaster;
mod server;
mod session;
mod state;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Subcommand, ValueEnum};

use crate::workspace;

pub(crate) use session::{Durability, Session, durable};
use state::{Registry, State};

/// What `cargo xtask services` can do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Start a PostgreSQL and leave it up; one that is up already stays as it is.
    #[command(
        after_help = "Example: cargo xtask services up && cargo test -p dipmo-store-postgres"
    )]
    Up {
        /// Which PostgreSQL to start.
        #[arg(long, value_enum, default_value = "15")]
        postgres: Release,
        /// Give up durability for speed: fsync and full_page_writes are off.
        #[arg(long)]
        fast: bool,
    },
    /// Stop services and remove their data.
    #[command(after_help = "Example: cargo xtask services down --postgres 18")]
    Down {
        /// Stop this one only; all of them without it.
        #[arg(long, value_enum)]
        postgres: Option<Release>,
    },
    /// Show each service: version, address without its password, process id, alive or dead.
    #[command(after_help = "Example: cargo xtask services status")]
    Status,
}

/// The two ends of the range of PostgreSQL versions that tests run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Release {
    /// The newest PostgreSQL installed on this machine, 15 or later (also called `system`).
    #[value(name = "15", alias = "system")]
    Installed,
    /// PostgreSQL 18, fetched with Maven.
    #[value(name = "18")]
    Eighteen,
}

impl Release {
    /// The name of the folder and of the state file.
    pub(crate) fn service(self) -> &'static str {
        match self {
            Self::Installed => "postgres-15",
            Self::Eighteen => "postgres-18",
        }
    }

    /// The variable that names a server to use instead of starting one.
    pub(crate) fn variable(self) -> &'static str {
        match self {
            Self::Installed => "DIPMO_TEST_POSTGRES",
            Self::Eighteen => "DIPMO_TEST_POSTGRES_18",
        }
    }

    /// The address of a server that the person runs, if there is one.
    pub(crate) fn external(self) -> Option<String> {
        std::env::var(self.variable()).ok().filter(|url| !url.is_empty())
    }
}

/// Runs a `services` command.
pub(crate) fn run(command: &Command) -> Result<ExitCode> {
    let registry = Registry::open()?;
    match command {
        Command::Up { postgres, fast } => up(&registry, *postgres, *fast)?,
        Command::Down { postgres } => down(&registry, *postgres)?,
        Command::Status => status(&registry)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn up(registry: &Registry, release: Release, fast: bool) -> Result<()> {
    let variable = release.variable();
    if release.external().is_some() {
        println!("{variable} names a server, so none is started; unset it to start one");
        return Ok(());
    }
    let wanted = postgres::Wanted { service: release.service(), release, fast, kept: true };
    let (state, found) = postgres::ensure(registry, &wanted)?;
    let verb = if found { "was already up" } else { "is up" };
    println!("{}: {verb}: {}", wanted.service, state.summary());
    if found && state.fast != fast {
        println!("it keeps its durability; take it down first to change that");
    }
    println!("tests read its address from {}", workspace::shown(&registry.path(wanted.service)));
    Ok(())
}

fn down(registry: &Registry, release: Option<Release>) -> Result<()> {
    let mut states = registry.list()?;
    if let Some(release) = release {
        states.retain(|(service, _)| service == release.service());
    }
    if states.is_empty() {
        println!("nothing to stop");
    }
    for (service, state) in states {
        let was = if state.is_alive() { "stopped" } else { "was dead already" };
        postgres::remove(registry, &service, &state)?;
        println!("{service}: {was}; its data is removed");
    }
    Ok(())
}

fn status(registry: &Registry) -> Result<()> {
    let states = registry.list()?;
    if states.is_empty() {
        println!("no service is up; `cargo xtask services up` starts a PostgreSQL");
    }
    for (service, state) in states {
        let alive = if state.is_alive() { "alive" } else { "dead" };
        println!("{service}: {alive}: {}", state.summary());
    }
    for release in Release::value_variants() {
        if release.external().is_some() {
            println!("{} is set: tests use that server", release.variable());
        }
    }
    Ok(())
}

/// What a person is told of the durability of a server.
fn durability(state: &State) -> &'static str {
    if state.fast { "fast, not durable" } else { "durable" }
}
