//! `operate.database_share`: what it costs the database that ten people watch one instance.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use dipmo_admin::Body;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use http_body_util::BodyExt as _;
use tokio::task::JoinSet;

use super::api::Api;
use super::backends;
use crate::database::Database;
use crate::report::{Of, Ratio, Row};

/// How many watch.
const WATCHERS: usize = 10;

/// Nobody waits longer for news.
const PATIENCE: Duration = Duration::from_secs(10);

/// Lets people watch for a while; the share is that of one core.
pub(super) async fn run(database: &Database, time: Duration) -> Result<Row> {
    let store = PostgresStore::connect(&PostgresOptions::new(&backends::url(database))).await?;
    let api = Api::over(Arc::new(store));
    let mut watchers = Vec::new();
    for _ in 0..WATCHERS {
        let mut events = api.open("/events").await?;
        news(&mut events).await?;
        watchers.push(events);
    }
    let before = backends::cpu_millis(database).await?;
    let began = Instant::now();
    let mut watching = JoinSet::new();
    for mut events in watchers {
        watching.spawn(async move {
            while began.elapsed() < time {
                news(&mut events).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(watched) = watching.join_next().await {
        watched.context("somebody stopped watching")??;
    }
    let took = began.elapsed();
    let used = Duration::from_millis(backends::cpu_millis(database).await? - before);
    let share = used.as_secs_f64() / took.as_secs_f64();
    let ratio = Some((Ratio::of(&[share]), Of::Core));
    Ok(Row { metric: "operate.database_share", value: share * 1_000.0, unit: "ms/s", ratio })
}

/// Waits for the next event, which must be news.
async fn news(events: &mut Body) -> Result<()> {
    let frame = tokio::time::timeout(PATIENCE, events.frame()).await.context("no news came")?;
    let frame = frame.context("the events came to an end")?.context("the events broke off")?;
    let is_news = frame.data_ref().is_some_and(|data| data.starts_with(b"event: news"));
    ensure!(is_news, "an event is no news: {frame:?}");
    Ok(())
}
