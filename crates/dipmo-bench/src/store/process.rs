//! `store.process`: two workers empty the inbox.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dipmo_store::Store;
use tokio::task::JoinSet;

use super::lanes::{Claimed, Lanes};
use super::load::Load;
use super::logic::Fold;

/// How many workers there are: as many as the machine of the figures has cores.
pub(crate) const WORKERS: usize = 2;

/// A store that gives a worker nothing for so long has lost messages.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long it takes until every message is processed.
pub(crate) async fn run(store: &Arc<dyn Store>, load: &Load) -> Result<Duration> {
    let all = load.messages().len();
    let processed = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    let begun = Instant::now();
    for number in 0..WORKERS {
        let lanes = Lanes::new(number, WORKERS);
        workers.spawn(work(Arc::clone(store), lanes, Arc::clone(&processed), all));
    }
    let mut intents = 0;
    while let Some(worker) = workers.join_next().await {
        intents += worker??;
    }
    let taken = begun.elapsed();
    let messages = processed.load(Ordering::Relaxed);
    ensure!(messages == all, "process: {messages} messages were claimed, but {all} were stored");
    ensure!(intents == all, "process: {intents} intents were written for {all} messages");
    Ok(taken)
}

/// One worker; answers how many intents it wrote.
async fn work(
    store: Arc<dyn Store>,
    mut lanes: Lanes,
    processed: Arc<AtomicUsize>,
    all: usize,
) -> Result<usize> {
    let (mut intents, mut last_batch) = (0, Instant::now());
    let used = Arc::new(AtomicUsize::new(0));
    while processed.load(Ordering::Relaxed) < all {
        let logic = Box::new(Fold::new(Arc::clone(&used)));
        let (report, _) = store.process_batch(lanes.limits(), logic).await?;
        if report.messages == 0 {
            let left = all - processed.load(Ordering::Relaxed).min(all);
            ensure!(last_batch.elapsed() < PATIENCE, "process: {left} messages are not claimable");
            // The other worker has the last lanes.
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        }
        last_batch = Instant::now();
        intents += report.intents;
        processed.fetch_add(report.messages, Ordering::Relaxed);
        lanes.learn(&Claimed {
            messages: report.messages,
            lanes: used.load(Ordering::Relaxed),
            last: report.lanes.last().copied(),
        });
    }
    Ok(intents)
}
