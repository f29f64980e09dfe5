//! Servers of our own for tests and benches: `cargo xtask services`.
//!
//! **Invariant:** a server is started on a data folder that this tool made, on a free port, and
//! is ended by the process id of that data folder. No server of the system is ever used.

mod account;
mod clients;
mod command_line;
mod fetch;
mod folder;
mod install;
mod kafka;
mod maven;
mod packages;
mod ports;
mod postgres;
mod postmaster;
mod previous;
mod recorded;
mod registry;
mod server;
mod session;
mod state;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Subcommand, ValueEnum};

use crate::workspace;

pub(crate) use clients::Clients;
pub(crate) use kafka::{
    SERVICE as KAFKA, STATE_VARIABLE as KAFKA_STATE_VARIABLE, VARIABLE as KAFKA_VARIABLE,
};
pub(crate) use previous::{NAME as PREVIOUS, VARIABLE as PREVIOUS_VARIABLE};
use recorded::Recorded;
use registry::Registry;
pub(crate) use session::{Durability, Session, durable};
use state::State;

/// What `cargo xtask services` can do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Start PostgreSQL and Apache Kafka and leave them up; what is up already stays as it is.
    #[command(
        after_help = "Example: cargo xtask services up && cargo test -p dipmo-store-postgres"
    )]
    Up {
        /// Start this one only.
        #[arg(long, value_enum)]
        only: Option<Kind>,
        /// Which PostgreSQL to start.
        #[arg(long, value_enum, default_value = "15")]
        postgres: Release,
        /// Give up durability of PostgreSQL for speed: fsync and full_page_writes are off.
        #[arg(long)]
        fast: bool,
        /// How many nodes the Kafka cluster has, at most 3.
        #[arg(long, default_value_t = 1, value_parser = node_count)]
        kafka_nodes: usize,
    },
    /// Stop services and remove their data.
    #[command(after_help = "Example: cargo xtask services down --postgres 18")]
    Down {
        /// Stop services of this kind only.
        #[arg(long, value_enum)]
        only: Option<Kind>,
        /// Stop this PostgreSQL only; all services without it.
        #[arg(long, value_enum, conflicts_with = "only")]
        postgres: Option<Release>,
    },
    /// Install the clients that tests talk to: kcat, confluent-kafka, simple-salesforce and
    /// schemathesis for Python, jsforce for Node.js; and oidc-provider, which says who people are.
    #[command(after_help = "Example: cargo xtask services clients")]
    Clients,
    /// Build the previous version of dipmo, for the tests of a rolling upgrade.
    #[command(after_help = "Example: cargo xtask services previous")]
    Previous,
    /// Show each service: version, address without its password, process id, alive or dead.
    #[command(after_help = "Example: cargo xtask services status")]
    Status,
}

/// What a service is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Postgres,
    Kafka,
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
        Command::Up { only, postgres, fast, kafka_nodes } => {
            if *only != Some(Kind::Kafka) {
                up_postgres(&registry, *postgres, *fast)?;
            }
            if *only != Some(Kind::Postgres) {
                up_kafka(&registry, *kafka_nodes)?;
            }
        }
        Command::Down { only, postgres } => down(&registry, *only, *postgres)?,
        Command::Clients => {
            for clients in Clients::OF_TESTS {
                let there = clients.ensure(&registry)?;
                println!("{}: {}", clients.name(), workspace::shown(&there));
            }
        }
        Command::Previous => {
            let there = previous::ensure(&registry)?;
            println!("{PREVIOUS}: {}", workspace::shown(&there));
        }
        Command::Status => status(&registry)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn up_postgres(registry: &Registry, release: Release, fast: bool) -> Result<()> {
    if release.external().is_some() {
        return say_external(release.variable());
    }
    let wanted = postgres::Wanted { service: release.service(), release, fast, kept: true };
    let (state, found) = postgres::ensure(registry, &wanted)?;
    say_up(registry, wanted.service, &state.summary(), found);
    if found && state.fast != fast {
        println!("it keeps its durability; take it down first to change that");
    }
    Ok(())
}

fn up_kafka(registry: &Registry, nodes: usize) -> Result<()> {
    if kafka::external().is_some() {
        return say_external(kafka::VARIABLE);
    }
    let (state, found) = kafka::ensure(registry, &kafka::Wanted { nodes, kept: true })?;
    say_up(registry, kafka::SERVICE, &state.summary(), found);
    if found && state.nodes.len() != nodes {
        println!("it keeps its number of nodes; take it down first to change that");
    }
    Ok(())
}

fn say_external(variable: &str) -> Result<()> {
    println!("{variable} names a server, so none is started; unset it to start one");
    Ok(())
}

fn say_up(registry: &Registry, service: &str, summary: &str, found: bool) {
    let verb = if found { "was already up" } else { "is up" };
    println!("{service}: {verb}: {summary}");
    println!("tests read its address from {}", workspace::shown(&registry.path(service)));
}

fn down(registry: &Registry, only: Option<Kind>, release: Option<Release>) -> Result<()> {
    let mut services = Recorded::all(registry)?;
    services.retain(|service| is_meant(service, only, release));
    if services.is_empty() {
        println!("nothing to stop");
    }
    for service in services {
        let was = if service.is_alive() { "stopped" } else { "was dead already" };
        service.remove(registry)?;
        println!("{}: {was}; its data is removed", service.name());
    }
    Ok(())
}

/// Whether `down` with these options means this service.
fn is_meant(service: &Recorded, only: Option<Kind>, release: Option<Release>) -> bool {
    let kind = match service {
        Recorded::Postgres(..) => Kind::Postgres,
        Recorded::Kafka(_) => Kind::Kafka,
    };
    only.is_none_or(|only| only == kind)
        && release.is_none_or(|release| release.service() == service.name())
}

fn status(registry: &Registry) -> Result<()> {
    let services = Recorded::all(registry)?;
    if services.is_empty() {
        println!("no service is up; `cargo xtask services up` starts PostgreSQL and Kafka");
    }
    for service in services {
        let alive = if service.is_alive() { "alive" } else { "dead" };
        println!("{}: {alive}: {}", service.name(), service.summary());
    }
    let releases = Release::value_variants();
    let mut variables: Vec<&str> = releases
        .iter()
        .filter(|release| release.external().is_some())
        .map(|release| release.variable())
        .collect();
    variables.extend(kafka::external().map(|_| kafka::VARIABLE));
    for variable in variables {
        println!("{variable} is set: tests use that server");
    }
    Ok(())
}

fn node_count(text: &str) -> Result<usize, String> {
    let most = kafka::MOST_NODES;
    match text.parse() {
        Ok(nodes) if (1..=most).contains(&nodes) => Ok(nodes),
        _ => Err(format!("a cluster has 1 to {most} nodes")),
    }
}

/// What a person is told of the durability of a server.
fn durability(state: &State) -> &'static str {
    if state.fast { "fast, not durable" } else { "durable" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_has_one_to_three_nodes() {
        assert_eq!(node_count("1"), Ok(1));
        assert_eq!(node_count("3"), Ok(3));
        for wrong in ["0", "4", "-1", "many"] {
            assert!(node_count(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn down_takes_what_was_named_and_no_more() {
        let state = State {
            url: "postgres://127.0.0.1:5999/postgres".into(),
            pid: 4_000_000,
            version: "18.0".into(),
            data: "/no/such/data".into(),
            fast: true,
            kept: true,
        };
        let postgres = Recorded::Postgres("postgres-18".into(), state);
        assert!(is_meant(&postgres, None, None));
        assert!(is_meant(&postgres, Some(Kind::Postgres), None));
        assert!(!is_meant(&postgres, Some(Kind::Kafka), None));
        assert!(is_meant(&postgres, None, Some(Release::Eighteen)));
        assert!(!is_meant(&postgres, None, Some(Release::Installed)));
    }
}
