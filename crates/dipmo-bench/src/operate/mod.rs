//! The suite `operate`: what operators ask of the database, with millions of messages behind them.
//!
//! A database is filled once; then lists are read, messages followed, and people watch. The bulk retry comes last,
//! because it changes what was filled.
//!
//! **Invariant:** whatever is read is compared with what was filled; a run that read something else prints no
//! figures.

mod api;
mod backends;
mod bulk;
mod fill;
mod journey;
mod lists;
mod past;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dipmo_store::admin::Operable;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};

use crate::database::{Database, with_database};
use crate::report::Row;
use api::Api;

/// What `--help` shows last.
pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo xtask bench operate
  cargo xtask bench operate -- --rows 200000 --only lists";

/// Options of the suite.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A durable server on this machine: a role that may create databases and run CHECKPOINT.
    #[arg(long, value_name = "URL")]
    pub(crate) postgres: String,
    /// How many messages history has; 10 M take about 15 GB of disk.
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(100_000..))]
    rows: u64,
    /// How often every list is read.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// For how many seconds people watch.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(5..))]
    seconds: u64,
    /// Measure a part only.
    #[arg(long, value_enum)]
    only: Option<Part>,
}

/// A part of the suite.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Every kind of list.
    Lists,
    /// One message and what came of it.
    Journey,
    /// Ten people who watch.
    Watch,
    /// One operation that retries all that failed.
    Bulk,
}

/// Measures, checks, and gives the figures.
pub(crate) async fn run(args: &Args) -> Result<Vec<Row>> {
    with_database(&args.postgres, async |database| filled(args, database).await).await
}

async fn filled(args: &Args, database: &Database) -> Result<Vec<Row>> {
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await?;
    let store: Arc<dyn Operable> = Arc::new(store);
    let past = fill::run(database, &*store, args.rows).await?;
    let wants = |part| args.only.is_none_or(|only| only == part);
    let mut rows = Vec::new();
    if wants(Part::Lists) {
        rows.extend(lists::run(&*store, &past, args.rounds).await?);
    }
    if wants(Part::Journey) {
        rows.push(journey::run(&Api::over(Arc::clone(&store)), &past).await?);
    }
    if wants(Part::Watch) {
        rows.push(watch::run(database, Duration::from_secs(args.seconds)).await?);
    }
    if wants(Part::Bulk) {
        rows.extend(bulk::run(&store, &past).await?);
    }
    Ok(rows)
}
