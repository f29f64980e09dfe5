//! Events: told to all who watch, until it is over.

use std::time::Duration;

use dipmo_admin::{AppLimits, AppOptions, Role};
use serde_json::Value;

use crate::rig::{PATIENCE, Rig};
use crate::routes::begun;
use crate::server::{Running, options};

/// Often enough for a test.
const OFTEN: Duration = Duration::from_millis(20);

fn limits() -> AppLimits {
    AppLimits { watch_every: OFTEN, ..AppLimits::default() }
}

async fn rig(limits: AppLimits) -> Rig {
    Rig::with(AppOptions { limits, ..AppOptions::default() }).await
}

/// The data of an event of this name.
fn data(text: &str, name: &str) -> Option<Value> {
    let rest = text.strip_prefix(&format!("event: {name}\ndata: "))?;
    serde_json::from_str(rest.strip_suffix("\n\n")?).ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_watches_is_told_what_waits_and_what_runs() {
    let rig = rig(limits()).await;
    rig.live().await;
    let running = Running::new(&rig.app, options()).await;
    let mut events = running.get("/events", rig.token_of(Role::Viewer)).await;
    assert_eq!(events.headers()["content-type"], "text/event-stream");
    let mut next = async || {
        let chunk = tokio::time::timeout(PATIENCE, events.chunk()).await.unwrap().unwrap();
        String::from_utf8(chunk.unwrap().to_vec()).unwrap()
    };
    let first = data(&next().await, "news").unwrap();
    assert_eq!(first["backlog"]["inbox"]["failed"], 2);
    assert_eq!(first["operations"], Value::Array(vec![]));
    let id = begun(&rig).await;
    loop {
        let news = data(&next().await, "news").unwrap();
        if news["operations"][0]["id"] == id {
            break;
        }
    }
    rig.by_hand("DROP TABLE dipmo_operation");
    while data(&next().await, "problem").is_none() {}
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_server_ends_all_who_watch_at_once() {
    let rig = rig(limits()).await;
    let mut options = options();
    options.limits.grace = PATIENCE * 2;
    let running = Running::new(&rig.app, options).await;
    let mut events = running.get("/events", rig.token_of(Role::Viewer)).await;
    events.chunk().await.unwrap().unwrap();
    running.stop().await;
    while events.chunk().await.unwrap().is_some() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn watching_ends_so_that_the_token_is_looked_at_again() {
    let rig = rig(AppLimits { watch_for: OFTEN * 3, ..limits() }).await;
    let running = Running::new(&rig.app, options()).await;
    let mut events = running.get("/events", rig.token_of(Role::Viewer)).await;
    while events.chunk().await.unwrap().is_some() {}
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_watch_are_bounded() {
    let rig = rig(AppLimits { watchers: 1, ..limits() }).await;
    let running = Running::new(&rig.app, options()).await;
    let events = running.get("/events", rig.token_of(Role::Viewer)).await;
    let refused = rig.get(Role::Viewer, "/events").await;
    refused.is_problem(503, "admin-watchers-full");
    drop(events);
    running.stop().await;
    let again = rig.get(Role::Viewer, "/events").await;
    assert_eq!(again.status, 200);
}
