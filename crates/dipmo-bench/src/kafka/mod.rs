//! The suite `kafka`: the shipped source and publisher between a real broker and the database.
//!
//! Broker, database and dipmo share the machine. Every round has a database and topics of its own,
//! preloaded before anything is measured, and L before and after.

pub(crate) mod child;
pub(crate) mod cluster;
mod end_to_end;
mod ingest;
mod publish;
mod row_by_row;
mod steady;
mod transactions;

use std::time::Duration;

use anyhow::Result;

use crate::database::with_database;
use crate::limit;
use crate::load::Load;
use crate::report::{Of, Ratio, Row, median, percentile};
use cluster::Cluster;
use transactions::Rates;

/// What `--help` shows last.
pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo xtask bench kafka
  cargo xtask bench kafka -- --rounds 1 --messages 20000 --only rates";

/// Options of the suite.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A durable server: a role that may create databases and run CHECKPOINT.
    #[arg(long, value_name = "URL")]
    pub(crate) postgres: String,
    /// The broker.
    #[arg(long, value_name = "HOST:PORT")]
    kafka: String,
    /// How often everything is measured; each figure is the median.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many records go through in a round.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    messages: u32,
    /// How many records wait in the topic while memory is measured.
    #[arg(long, default_value_t = 500_000)]
    waiting: u32,
    /// For how many seconds records come steadily.
    #[arg(long, default_value_t = 20)]
    seconds: u32,
    /// Measure a part only.
    #[arg(long, value_enum)]
    only: Option<Part>,
}

/// A part of the suite.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Ingest, publish and end to end, from a preloaded topic.
    Rates,
    /// Latency at a steady 500 records a second.
    Steady,
    /// A leg with transactions against the same without.
    Transactions,
    /// Memory with a long lag.
    Memory,
}

/// Measures, checks, and gives the figures.
pub(crate) async fn run(args: &Args) -> Result<Vec<Row>> {
    let wants = |part| args.only.is_none_or(|only| only == part);
    let cluster = Cluster::new(&args.kafka);
    let mut rows = Vec::new();
    if wants(Part::Rates) {
        rows.extend(rates(args, &cluster).await?);
    }
    if wants(Part::Steady) {
        rows.extend(steady(args, &cluster).await?);
    }
    if wants(Part::Transactions) {
        rows.push(transactions(args, &cluster).await?);
    }
    if wants(Part::Memory) {
        let memory = child::memory(&args.postgres, &cluster, args.waiting).await?;
        rows.push(Row::plain("kafka.memory_mb", memory, "MB"));
    }
    Ok(rows)
}

/// Messages a second.
struct Round {
    limit: f64,
    ingest: f64,
    row_by_row: f64,
    publish: f64,
    exactly_once: f64,
    producer: f64,
    end_to_end: f64,
}

async fn rates(args: &Args, cluster: &Cluster) -> Result<Vec<Row>> {
    let load = Load::new(args.messages);
    let mut rounds = Vec::new();
    for number in 0..=args.rounds {
        let round = round(args, cluster, &load).await?;
        if number == 0 {
            // A broker that was just started needs five times as long until its code is compiled.
            eprintln!("warmed up");
            continue;
        }
        let of = |rate: f64| rate / round.limit;
        eprintln!(
            "round {number} of {}: L {:.0}/s, ingest {:.2}, row by row {:.0}/s, publish {:.2}, \
             exactly once {:.2}, bare producer {:.0}/s, end to end {:.2}",
            args.rounds,
            round.limit,
            of(round.ingest),
            round.row_by_row,
            of(round.publish),
            of(round.exactly_once),
            round.producer,
            of(round.end_to_end),
        );
        rounds.push(round);
    }
    let rate = |metric, of: fn(&Round) -> f64, to: fn(&Round) -> f64, what| {
        let rates: Vec<f64> = rounds.iter().map(of).collect();
        let ratios: Vec<f64> = rounds.iter().map(|round| of(round) / to(round)).collect();
        Row::rate(metric, median(&rates), Ratio::of(&ratios), what)
    };
    let limit = |round: &Round| round.limit;
    Ok(vec![
        rate("L", limit, limit, Of::Limit),
        rate("kafka.ingest", |round| round.ingest, limit, Of::Limit),
        rate("kafka.ingest_row_by_row", |round| round.row_by_row, limit, Of::Limit),
        rate("kafka.ingest_gain", |round| round.ingest, |round| round.row_by_row, Of::RowByRow),
        rate("kafka.publish", |round| round.publish, limit, Of::Limit),
        rate("kafka.publish_bare", |round| round.publish, |round| round.producer, Of::Producer),
        rate(
            "kafka.exactly_once",
            |round| round.exactly_once,
            |round| round.publish,
            Of::WithoutIt,
        ),
        rate("kafka.end_to_end", |round| round.end_to_end, limit, Of::Limit),
    ])
}

/// One round; every step has a database that is dropped before the next.
async fn round(args: &Args, cluster: &Cluster, load: &Load) -> Result<Round> {
    let server = args.postgres.as_str();
    let rate = |time: Duration| f64::from(load.count()) / time.as_secs_f64();
    let limit = async || with_database(server, async |one| limit::copy(one, load).await).await;
    let topic = cluster.topic("accounts").await?;
    let producer = cluster.produce(&topic, load.messages()).await?;
    let before = limit().await?;
    let ingest =
        with_database(server, async |one| ingest::run(one, cluster, &topic, load.count()).await);
    let ingest = ingest.await?;
    let row_by_row =
        with_database(server, async |one| row_by_row::run(one, cluster, &topic).await).await?;
    let publish = async |publisher| {
        with_database(server, async |one| publish::run(one, cluster, load, publisher).await).await
    };
    let exactly_once = publish(cluster.publisher_exactly_once()?).await?;
    let publish = publish(cluster.publisher()?).await?;
    let end_to_end = with_database(server, async |one| {
        end_to_end::run(one, cluster, &topic, load.count()).await
    });
    let end_to_end = end_to_end.await?;
    let after = limit().await?;
    Ok(Round {
        limit: f64::midpoint(rate(before), rate(after)),
        ingest,
        row_by_row,
        publish: rate(publish),
        exactly_once: rate(exactly_once),
        producer: rate(producer),
        end_to_end,
    })
}

async fn steady(args: &Args, cluster: &Cluster) -> Result<Vec<Row>> {
    let windows = with_database(&args.postgres, async |database| {
        steady::run(database, cluster, args.seconds).await
    });
    let windows = windows.await?;
    // As with the rounds of a rate: one stall of the machine is in one window.
    let middle = |share| {
        let of_each: Vec<f64> = windows.iter().map(|taken| percentile(taken, share)).collect();
        eprintln!("p{share} of each window: {of_each:.1?} ms");
        median(&of_each)
    };
    Ok(vec![
        Row::plain("kafka.end_to_end_p50", middle(50), "ms"),
        Row::plain("kafka.end_to_end_p99", middle(99), "ms"),
    ])
}

async fn transactions(args: &Args, cluster: &Cluster) -> Result<Row> {
    let load = Load::new(args.messages);
    let (mut rates, mut ratios) = (Vec::new(), Vec::new());
    for number in 0..=args.rounds {
        let topic = cluster.topic("accounts").await?;
        cluster.produce(&topic, load.messages()).await?;
        let Rates { with, without } = transactions::run(cluster, &topic, load.count()).await?;
        eprintln!("round {number} of {}: with {with:.0}/s, without {without:.0}/s", args.rounds);
        // The first warms a broker up that was just started.
        if number > 0 {
            rates.push(with);
            ratios.push(with / without);
        }
    }
    Ok(Row::rate("kafka.transactions", median(&rates), Ratio::of(&ratios), Of::WithoutIt))
}
