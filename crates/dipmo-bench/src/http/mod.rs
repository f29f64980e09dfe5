//! The suite `http`: requests to the shipped source, which stores them in the database before it answers.
//!
//! Clients, source and database share the machine. Every round has a database of its own, and what was
//! answered is compared with what is in it.

mod client;
mod slow;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use dipmo_inbound::Inbound;
use dipmo_source_http::{Auth, HttpOptions, HttpSource, KeyRule, PathOptions};
use dipmo_store::{Store as _, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::database::{Database, with_database};
use crate::report::{Of, Ratio, Row, median, percentile};
use client::Client;

/// What `--help` shows last.
pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo xtask bench http
  cargo xtask bench http -- --rounds 1 --requests 5000 --clients 16";

/// Options of the suite.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A durable server: a role that may create databases and run CHECKPOINT.
    #[arg(long, value_name = "URL")]
    pub(crate) postgres: String,
    /// How often everything is measured; each figure is the median.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many requests are made in a round, by each of three kinds.
    #[arg(long, default_value_t = 30_000, value_parser = clap::value_parser!(u32).range(1..))]
    requests: u32,
    /// How many clients make them, each one after the other.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    clients: u32,
}

/// What one kind of request came to.
struct Loaded {
    rate: f64,
    /// Sorted.
    times: Vec<Duration>,
}

/// Measures, checks, and gives the figures.
pub(crate) async fn run(args: &Args) -> Result<Vec<Row>> {
    let mut rounds = Vec::new();
    for _ in 0..args.rounds {
        rounds.push(
            with_database(&args.postgres, async |database| round(args, database).await).await?,
        );
    }
    let slow =
        with_database(&args.postgres, async |database| slow::run(args, database).await).await?;
    let of = |figure: fn(&Round) -> f64| rounds.iter().map(figure).collect::<Vec<f64>>();
    let without = of(|round| round.unkeyed.rate);
    let ratios: Vec<f64> = of(|round| round.keyed.rate)
        .iter()
        .zip(&without)
        .map(|(with, without)| with / without)
        .collect();
    let p99 = |times: &Loaded| percentile(&times.times, 99);
    let with = of(|round| round.keyed.rate);
    Ok(vec![
        Row {
            unit: "req/s",
            ..Row::rate("http.keyed", median(&with), Ratio::of(&ratios), Of::WithoutIt)
        },
        Row::plain(
            "http.keyed_p99",
            median(&rounds.iter().map(|it| p99(&it.keyed)).collect::<Vec<_>>()),
            "ms",
        ),
        Row::plain("http.unkeyed", median(&without), "req/s"),
        Row::plain(
            "http.unkeyed_p99",
            median(&rounds.iter().map(|it| p99(&it.unkeyed)).collect::<Vec<_>>()),
            "ms",
        ),
        Row::plain("http.repeated", median(&of(|round| round.repeated.rate)), "req/s"),
        Row::plain(
            "http.repeated_p99",
            median(&rounds.iter().map(|it| p99(&it.repeated)).collect::<Vec<_>>()),
            "ms",
        ),
        Row::plain("http.slow_database_503", slow.share_503 * 100.0, "%"),
        Row::plain("http.slow_database_p99", slow.p99, "ms"),
    ])
}

/// Requests without keys, with keys, and the latter once more.
struct Round {
    unkeyed: Loaded,
    keyed: Loaded,
    repeated: Loaded,
}

async fn round(args: &Args, database: &Database) -> Result<Round> {
    let served = Served::start(database, |_| {}).await?;
    database.checkpoint().await?;
    let unkeyed = load(args, served.address, None).await?;
    database.checkpoint().await?;
    let keyed = load(args, served.address, Some("K")).await?;
    let repeated = load(args, served.address, Some("K")).await?;
    let requests = u64::try_from(unkeyed.times.len() + keyed.times.len())?;
    let figures = served.source.metrics().snapshot();
    served.stop().await?;
    ensure!(rows(database).await? == requests, "not every request is in the inbox once");
    ensure!(figures.replayed * 2 == requests, "not every repeated request was recognised");
    Ok(Round { unkeyed, keyed, repeated })
}

/// Lets all clients make their share of the requests.
async fn load(args: &Args, address: SocketAddr, keys: Option<&'static str>) -> Result<Loaded> {
    let share = args.requests.div_ceil(args.clients);
    let mut clients = JoinSet::new();
    let began = Instant::now();
    for number in 0..args.clients {
        clients.spawn(async move {
            let mut client = Client::connect(address).await?;
            let mut times = Vec::new();
            for request in 0..share {
                let key = keys.map(|keys| format!("{keys}-{number}-{request}"));
                let asked = Instant::now();
                let status = client.post(key.as_deref(), &body(number, request)).await?;
                ensure!(status == 202, "a request was answered with {status}");
                times.push(asked.elapsed());
            }
            Ok(times)
        });
    }
    let mut times = Vec::new();
    while let Some(of_one) = clients.join_next().await {
        times.extend(of_one.context("a client ended")??);
    }
    let took = began.elapsed().as_secs_f64();
    times.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "a count of requests fits a double")]
    let rate = times.len() as f64 / took;
    Ok(Loaded { rate, times })
}

/// An order of about 300 bytes.
fn body(client: u32, number: u32) -> String {
    format!(
        r#"{{"orderId":"O-{client}-{number}","lines":[{{"sku":"{number:0>230}","quantity":1}}]}}"#
    )
}

async fn rows(database: &Database) -> Result<u64> {
    let row = database.client().query_one("select count(*) from inbox_log", &[]).await?;
    Ok(u64::try_from(row.get::<_, i64>(0))?)
}

/// A source that runs.
struct Served {
    source: Arc<HttpSource>,
    address: SocketAddr,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<Result<(), dipmo_source_http::SourceError>>,
}

impl Served {
    async fn start(database: &Database, change: impl FnOnce(&mut HttpOptions)) -> Result<Self> {
        let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await?;
        store.migrate(&Tables::default()).await?;
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut options = HttpOptions::new(listen, Auth::Anyone, "bench");
        let mut path = PathOptions::new("/orders");
        path.key = KeyRule::Optional;
        options.paths.push(path);
        change(&mut options);
        let source = Arc::new(HttpSource::new(options, Inbound::new("bench"), Arc::new(store))?);
        let stop = CancellationToken::new();
        let (runs, token) = (Arc::clone(&source), stop.clone());
        let task = tokio::spawn(async move { runs.run(token).await });
        let address = source.address().await;
        Ok(Self { source, address, stop, task })
    }

    async fn stop(self) -> Result<()> {
        self.stop.cancel();
        Ok(self.task.await??)
    }
}
