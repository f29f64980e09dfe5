//! The suite `salesforce`: the shipped engine, store and publisher, and a simulated org whose calls
//! take fixed times.
//!
//! Every measurement has a database and an org of its own. The contacts are in their table and
//! their intents in the outbox before anything is measured; afterwards the org's ledger is checked.
//! Org, database and dipmo share the machine.

mod bulk;
pub(crate) mod child;
mod contacts;
mod delivery;
mod events;
mod jsforce;
mod org;
mod process;
mod rates;

use std::path::PathBuf;

use anyhow::Result;

use crate::report::Row;

/// What `--help` shows last.
pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo xtask bench salesforce
  cargo xtask bench salesforce -- --rounds 1 --records 5000 --only rates";

/// Options of the suite.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A durable server: a role that may create databases and run CHECKPOINT.
    #[arg(long, value_name = "URL")]
    pub(crate) postgres: String,
    /// Where npm has put jsforce and a Node.js.
    #[arg(long, value_name = "FOLDER")]
    jsforce: PathBuf,
    /// How often everything but memory is measured; each figure is the median.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many records each API gets in a round; Rest gets a tenth of them.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    records: u32,
    /// How many records are uploaded in jobs, by us and by jsforce.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    bulk_records: u32,
    /// How many records are in one job while memory is measured.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..))]
    memory_records: u32,
    /// Measure a part only.
    #[arg(long, value_enum)]
    only: Option<Part>,
}

/// A part of the suite.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Rest, Collections, Composite, Graph and Auto.
    Rates,
    /// Jobs, next to jsforce.
    Bulk,
    /// Memory with one large job.
    Memory,
}

/// Measures, checks, and gives the figures.
pub(crate) async fn run(args: &Args) -> Result<Vec<Row>> {
    let wants = |part| args.only.is_none_or(|only| only == part);
    let mut rows = Vec::new();
    if wants(Part::Rates) {
        rows.extend(rates::rates(args).await?);
    }
    if wants(Part::Bulk) {
        rows.extend(bulk::bulk(args).await?);
    }
    if wants(Part::Memory) {
        let memory = child::memory(&args.postgres, args.memory_records).await?;
        rows.push(Row::plain("salesforce.bulk_memory_mb", memory, "MB"));
    }
    Ok(rows)
}
