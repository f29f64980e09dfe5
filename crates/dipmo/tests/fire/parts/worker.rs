//! The other side of a child: an engine that works for its parent.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dipmo_processing::{Engine, Metrics};
use tokio_util::sync::CancellationToken;

use super::child::tell;
use super::engine::{STRICT, journaling};
use super::place::{open, open_for};
use super::{breakers, org, road};

pub(crate) const URL: &str = "DIPMO_FIRE_URL";
pub(crate) const JOURNAL: &str = "DIPMO_FIRE_JOURNAL";

/// In a child: runs an engine until the parent says stop, or is gone. Answers false in a parent.
pub(crate) async fn worked_as_child() -> bool {
    let Ok(url) = std::env::var(URL) else { return false };
    if let Ok(address) = std::env::var(org::ORG) {
        breakers::note_down(Path::new(&std::env::var_os(breakers::NOTES).unwrap()));
        let store = open_for(&url, &org::registry()).await;
        let engine = org::engine(store, &address);
        obeying(&engine);
        engine.run().await;
        tell("ended");
        return true;
    }
    let store = open(&url).await;
    if let Ok(broker) = std::env::var(road::BROKER) {
        let source = road::source(&broker, Arc::clone(&store));
        let engine = road::engine(&broker, store);
        let stop = obeying(&engine);
        let (read, ()) = tokio::join!(source.run(stop), engine.run());
        read.unwrap();
    } else {
        let journal = PathBuf::from(std::env::var_os(JOURNAL).unwrap());
        let engine = journaling(store, &journal);
        obeying(&engine);
        engine.run().await;
    }
    tell("ended");
    true
}

/// Listens to the parent for an engine that is about to run; answers what stops it.
fn obeying(engine: &Engine) -> CancellationToken {
    let (metrics, stop) = (engine.metrics(), engine.stop_token());
    std::thread::spawn(move || obey(&metrics, &stop));
    tell("ready");
    engine.stop_token()
}

/// Does what the parent says, line by line.
fn obey(metrics: &Arc<Metrics>, stop: &CancellationToken) {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        match line.as_str() {
            "figures" => tell(&format!("figures {}", figures(metrics))),
            "stop" => stop.cancel(),
            _ => {}
        }
    }
    // The parent is gone, and nothing of it may stay.
    std::process::exit(1);
}

fn figures(metrics: &Metrics) -> serde_json::Value {
    let figures = metrics.snapshot();
    let errors = figures.store_errors.iter();
    serde_json::json!({
        "claimed": figures.inbox.claimed,
        "dispatched": figures.outbox.get(STRICT).map_or(0, |one| one.dispatched),
        "fenced": figures.outbox.get(STRICT).map_or(0, |one| one.fenced),
        "errors": errors.map(|((what, code), n)| format!("{what} {code} {n}")).collect::<Vec<_>>(),
    })
}
