//! The suite `core`: the shipped worker, dispatcher and store, next to the limit of the database.
//!
//! Each round has databases of its own: L, the steps one by one, everything at once, and L again.
//! The only SQL here is that of L and of the databases.

mod blocked;
pub(crate) mod child;
mod history;
mod ingest;
mod latency;
mod sink;
mod steps;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
pub(crate) use steps::at_once;

use crate::database::{Database, with_database};
use crate::limit;
use crate::load::Load;
use crate::process::{self, Topics};
use crate::report::{Of, Ratio, Row, median, percentile};

/// What `--help` shows last.
pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo xtask bench core
  cargo xtask bench core -- --rounds 1 --messages 20000 --only steps";

/// Options of the suite.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A durable server: a role that may create databases and run CHECKPOINT.
    #[arg(long, value_name = "URL")]
    pub(crate) postgres: String,
    /// How often everything is measured; each figure is the median.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many messages go through in a round.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    messages: u32,
    /// How many processed messages the long past has.
    #[arg(long, default_value_t = 5_000_000)]
    history: u32,
    /// How many messages wait while memory is measured.
    #[arg(long, default_value_t = 1_000_000)]
    waiting: u32,
    /// Measure a part only.
    #[arg(long, value_enum)]
    only: Option<Part>,
}

/// A part of the suite.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Ingest, process, settle, and all at once.
    Steps,
    /// Arrival to processed, on an idle system.
    Latency,
    /// An idle engine, and memory with many messages waiting.
    Alone,
    /// Others while one account is blocked.
    Blocked,
    /// With a long past.
    History,
}

/// Measures, checks, and gives the figures.
pub(crate) async fn run(args: &Args) -> Result<Vec<Row>> {
    let wants = |part| args.only.is_none_or(|only| only == part);
    let load = Load::new(args.messages);
    let mut rows = Vec::new();
    if wants(Part::Steps) {
        rows.extend(steps(args, &load).await?);
    }
    if wants(Part::Blocked) {
        rows.push(blocked(args, &load).await?);
    }
    if wants(Part::Latency) {
        rows.extend(latency(args, &load).await?);
    }
    if wants(Part::Alone) {
        rows.extend(alone(args).await?);
    }
    if wants(Part::History) {
        rows.extend(history(args).await?);
    }
    Ok(rows)
}

/// What one round measured: messages a second, and bytes a message.
struct Round {
    limit: f64,
    ingest: f64,
    process: f64,
    settle: f64,
    pipeline: f64,
    wal: f64,
}

/// One round; every step has a database that is dropped before the next: one that stayed would be
/// vacuumed and analysed beside what is measured.
async fn round(args: &Args, load: &Load) -> Result<Round> {
    let server = args.postgres.as_str();
    let rate = |time: Duration| f64::from(load.count()) / time.as_secs_f64();
    let limit = async || with_database(server, async |one| limit::copy(one, load).await).await;
    let before = limit().await?;
    let steps = with_database(server, async |one| steps::one_by_one(one, load).await).await?;
    let registry = process::registry(Topics::default())?;
    let whole = async |one: &Database| at_once(one, Arc::clone(&registry), load).await;
    let (pipeline, wal) = with_database(server, whole).await?;
    let after = limit().await?;
    Ok(Round {
        limit: f64::midpoint(rate(before), rate(after)),
        ingest: rate(steps.ingest),
        process: rate(steps.process),
        settle: rate(steps.settle),
        pipeline: rate(pipeline),
        wal: wal as f64 / f64::from(load.count()),
    })
}

async fn steps(args: &Args, load: &Load) -> Result<Vec<Row>> {
    let mut rounds = Vec::new();
    for number in 1..=args.rounds {
        let round = round(args, load).await?;
        let of = |rate: f64| rate / round.limit;
        eprintln!(
            "round {number} of {}: L {:.0}/s, ingest {:.2}, process {:.2}, settle {:.2}, \
             pipeline {:.2}, WAL {:.0}",
            args.rounds,
            round.limit,
            of(round.ingest),
            of(round.process),
            of(round.settle),
            of(round.pipeline),
            round.wal
        );
        rounds.push(round);
    }
    let rate = |metric, of: fn(&Round) -> f64| {
        let rates: Vec<f64> = rounds.iter().map(of).collect();
        let ratios: Vec<f64> = rounds.iter().map(|round| of(round) / round.limit).collect();
        Row::rate(metric, median(&rates), Ratio::of(&ratios), Of::Limit)
    };
    let wal = median(&rounds.iter().map(|round| round.wal).collect::<Vec<_>>());
    Ok(vec![
        rate("L", |round| round.limit),
        rate("core.ingest", |round| round.ingest),
        rate("core.process", |round| round.process),
        rate("core.settle", |round| round.settle),
        rate("core.pipeline", |round| round.pipeline),
        Row::plain("core.pipeline_wal", wal, "bytes/msg"),
    ])
}

async fn latency(args: &Args, load: &Load) -> Result<Vec<Row>> {
    let mut rounds = Vec::new();
    for number in 1..=args.rounds {
        let taken =
            with_database(&args.postgres, async |one| latency::run(one, load).await).await?;
        let at = |share| (percentile(&taken.messages, share), percentile(&taken.limits, share));
        let ((p50, l50), (p99, l99)) = (at(50), at(99));
        eprintln!(
            "latency, round {number}: p50 {p50:.1}, p99 {p99:.1}; of L {l50:.1}, {l99:.1} ms"
        );
        rounds.push([p50, p99, l50, l99]);
    }
    let row = |metric, which: usize| {
        let values: Vec<f64> = rounds.iter().map(|round| round[which]).collect();
        Row::plain(metric, median(&values), "ms")
    };
    Ok(vec![
        row("core.latency_p50", 0),
        row("core.latency_p99", 1),
        row("L_one_p50", 2),
        row("L_one_p99", 3),
    ])
}

async fn alone(args: &Args) -> Result<Vec<Row>> {
    let idle = with_database(&args.postgres, async |database| child::idle(database).await).await?;
    let mut most = f64::NEG_INFINITY;
    for hot in [false, true] {
        eprintln!(
            "memory with {} waiting, {}",
            args.waiting,
            if hot { "one account" } else { "many" }
        );
        let memory = async |database: &Database| child::memory(database, hot, args.waiting).await;
        most = most.max(with_database(&args.postgres, memory).await?);
    }
    Ok(vec![Row::plain("core.idle_cpu", idle, "ms/s"), Row::plain("core.memory_mb", most, "MB")])
}

async fn blocked(args: &Args, load: &Load) -> Result<Row> {
    const BEHIND: u32 = 100_000;
    let (mut rates, mut ratios) = (Vec::new(), Vec::new());
    for number in 1..=args.rounds {
        let plain =
            with_database(&args.postgres, async |one| blocked::run(one, load, 0).await).await?;
        let with = with_database(&args.postgres, async |one| blocked::run(one, load, BEHIND).await)
            .await?;
        rates.push(f64::from(load.count()) / with.as_secs_f64());
        ratios.push(plain.as_secs_f64() / with.as_secs_f64());
        eprintln!("blocked, round {number}: {:.2}", ratios.last().copied().unwrap_or(f64::NAN));
    }
    let ratio = Ratio::of(&ratios);
    Ok(Row::rate("core.blocked", median(&rates), ratio, Of::WithoutIt))
}

async fn history(args: &Args) -> Result<Vec<Row>> {
    with_database(&args.postgres, async |old| {
        let bed = history::make(old, args.history).await?;
        let (mut ingest, mut process) = ((vec![], vec![]), (vec![], vec![]));
        for number in 1..=args.rounds {
            let load = history::present(number, args.messages);
            let fresh = async |new: &Database| {
                let bed = steps::warm(new).await?;
                history::measure(new, &bed, &load).await
            };
            let new = with_database(&args.postgres, fresh).await?;
            let long = history::measure(old, &bed, &load).await?;
            for (figures, new, long) in
                [(&mut ingest, new.0, long.0), (&mut process, new.1, long.1)]
            {
                figures.0.push(f64::from(load.count()) / long.as_secs_f64());
                figures.1.push(new.as_secs_f64() / long.as_secs_f64());
            }
            eprintln!("history, round {number}: ingest {:?}, process {:?}", ingest.1, process.1);
        }
        let row = |metric, (rates, ratios): (Vec<f64>, Vec<f64>)| {
            Row::rate(metric, median(&rates), Ratio::of(&ratios), Of::WithoutIt)
        };
        Ok(vec![row("core.history", process), row("core.history_ingest", ingest)])
    })
    .await
}
