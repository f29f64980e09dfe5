//! The suite `store`: the way of a message through a store, measured step by step.
//!
//! A round has a database of its own: L, ingest, process, settle, the checks, and L again. All
//! steps of the store go through its ports; the only SQL here is that of L and of the database.

mod chance;
mod check;
pub(crate) mod ingest;
mod lanes;
pub(crate) mod load;
mod logic;
mod marker;
mod process;
mod settle;
pub(crate) mod unit;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dipmo_store::Store;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};

use crate::database::Database;
use crate::report::{Of, Ratio, Row, median};
use load::Load;

/// What `--help` shows last.
pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo xtask bench store
  cargo run --release -p dipmo-bench -- store --postgres postgres://me@localhost/postgres
  cargo run --release -p dipmo-bench -- store --postgres URL --rounds 1 --messages 10000";

/// Options of the suite.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A durable server: a role that may create databases and run CHECKPOINT.
    #[arg(long, value_name = "URL")]
    pub(crate) postgres: String,
    /// How often everything is measured; each figure is the median.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many messages go through the store in a round.
    #[arg(long, default_value_t = 40_000, value_parser = clap::value_parser!(u32).range(1..))]
    messages: u32,
}

/// What one round measured: messages a second, and bytes a message.
struct Round {
    unit: f64,
    ingest: f64,
    process: f64,
    settle: f64,
    wal: f64,
}

/// Measures, checks, and gives the figures.
pub(crate) async fn run(args: &Args) -> Result<Vec<Row>> {
    eprintln!("making {} messages", args.messages);
    let load = Arc::new(Load::new(args.messages));
    let mut rounds = Vec::new();
    for number in 1..=args.rounds {
        let database = Database::create(&args.postgres).await?;
        let measured = measure(&database, &load).await;
        database.remove().await?;
        let round = measured?;
        eprintln!(
            "round {number} of {}: L {:.0}/s, ingest {:.2}, process {:.2}, settle {:.2}, \
             WAL {:.0} bytes a message",
            args.rounds,
            round.unit,
            round.ingest / round.unit,
            round.process / round.unit,
            round.settle / round.unit,
            round.wal,
        );
        rounds.push(round);
    }
    Ok(rows(&rounds))
}

async fn measure(database: &Database, load: &Arc<Load>) -> Result<Round> {
    let options =
        PostgresOptions { connections: process::WORKERS, ..PostgresOptions::new(&database.url()) };
    let store: Arc<dyn Store> = Arc::new(PostgresStore::connect(&options).await?);
    store.migrate(&logic::tables()?).await?;
    marker::write_states(&*store, logic::first_states(load.aggregates())).await?;

    let before = unit::copy(database, load).await?;
    database.checkpoint().await?;
    let wal = database.wal_bytes().await?;
    let ingest = ingest::run(&*store, load).await?;
    let process = process::run(&store, load).await?;
    let (settle, sent) = settle::run(&*store, load).await?;
    let wal = database.wal_bytes().await? - wal;
    check::all(&*store, load, &sent).await?;
    let after = unit::copy(database, load).await?;

    let rate = |time: Duration| f64::from(load.count()) / time.as_secs_f64();
    Ok(Round {
        unit: f64::midpoint(rate(before), rate(after)),
        ingest: rate(ingest),
        process: rate(process),
        settle: rate(settle),
        wal: wal as f64 / f64::from(load.count()),
    })
}

fn rows(rounds: &[Round]) -> Vec<Row> {
    let rate = |metric, of: fn(&Round) -> f64| {
        let rates: Vec<f64> = rounds.iter().map(of).collect();
        let ratios: Vec<f64> = rounds.iter().map(|round| of(round) / round.unit).collect();
        Row::rate(metric, median(&rates), Ratio::of(&ratios), Of::Limit)
    };
    let wal = median(&rounds.iter().map(|round| round.wal).collect::<Vec<_>>());
    vec![
        rate("L", |round| round.unit),
        rate("store.ingest", |round| round.ingest),
        rate("store.process", |round| round.process),
        rate("store.settle", |round| round.settle),
        Row::plain("store.wal", wal, "bytes/msg"),
    ]
}
