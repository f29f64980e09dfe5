//! A database that stands still for a while: who is told to come back, and how soon.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::client::Client;
use super::{Args, Served, body, rows};
use crate::database::Database;
use crate::report::percentile;

/// For so long nobody can write.
const STANDS: Duration = Duration::from_secs(6);
/// A client that was told to come back comes back after so long: sooner than it was asked to.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the source lets a request wait.
const WITHIN: Duration = Duration::from_secs(1);
/// How many keys each client has.
const KEYS: u32 = 50;

/// What clients were answered while the database stood still.
pub(crate) struct Slow {
    /// 503, of all answers.
    pub(crate) share_503: f64,
    /// Of those, until the answer came, in ms.
    pub(crate) p99: f64,
}

/// Every client repeats a request until it is taken.
pub(crate) async fn run(args: &Args, database: &Database) -> Result<Slow> {
    let served = Served::start(database, |options| options.limits.answer_within = WITHIN).await?;
    let lock = "begin; lock table inbox_dedupe in exclusive mode";
    database.client().batch_execute(lock).await?;
    let mut clients = JoinSet::new();
    for number in 0..args.clients {
        let address = served.address;
        clients.spawn(async move {
            let mut client = Client::connect(address).await?;
            let (mut refused, mut taken) = (Vec::new(), 0_u32);
            for request in 0..KEYS {
                let (key, body) = (format!("S-{number}-{request}"), body(number, request));
                loop {
                    let asked = Instant::now();
                    match client.post(Some(&key), &body).await? {
                        202 => break,
                        503 => refused.push(asked.elapsed()),
                        status => anyhow::bail!("a request was answered with {status}"),
                    }
                    sleep(PAUSE).await;
                }
                taken += 1;
            }
            Ok((refused, taken))
        });
    }
    sleep(STANDS).await;
    database.client().batch_execute("rollback").await?;
    let (mut times, mut taken) = (Vec::new(), 0);
    while let Some(of_one) = clients.join_next().await {
        let (refused, of_it) = of_one.context("a client ended")??;
        times.extend(refused);
        taken += u64::from(of_it);
    }
    served.stop().await?;
    ensure!(rows(database).await? == taken, "not every key is in the inbox once");
    times.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "a count of answers fits a double")]
    let share_503 = times.len() as f64 / (times.len() as f64 + taken as f64);
    Ok(Slow { share_503, p99: percentile(&times, 99) })
}
