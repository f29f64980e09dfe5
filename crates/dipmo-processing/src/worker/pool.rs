//! Workers that come when there is much to do and go when there is not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dipmo_store::{Side, Store};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Rules, Worker};
use crate::bell::Bell;
use crate::health::Part;
use crate::metrics::Metrics;
use crate::options::WorkerOptions;

/// All workers of this instance.
pub(crate) struct Pool {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) rules: Arc<Rules>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) options: WorkerOptions,
    pub(crate) random: fastrand::Rng,
    pub(crate) part: Part,
}

impl Pool {
    /// Works until it is told to stop; every batch that was begun is ended.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        // One seat: a call for help that nobody has answered yet is one call.
        let (call, mut calls) = mpsc::channel(1);
        let active = Arc::new(AtomicUsize::new(0));
        let mut workers = JoinSet::new();
        for _ in 0..self.options.min {
            self.hire(&mut workers, &active, &call, None, &stop);
        }
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = workers.join_next() => {
                    // A worker that panicked is replaced: the pool never runs dry.
                    if let Err(error) = ended {
                        tracing::error!(%error, "a worker ended unexpectedly");
                        self.hire(&mut workers, &active, &call, None, &stop);
                    }
                }
                Some(()) = calls.recv() => {
                    if active.load(Ordering::Relaxed) < self.options.max {
                        let idle = Some(self.options.idle);
                        self.hire(&mut workers, &active, &call, idle, &stop);
                    }
                }
            }
        }
        while workers.join_next().await.is_some() {}
    }

    fn hire(
        &mut self,
        workers: &mut JoinSet<()>,
        active: &Arc<AtomicUsize>,
        call: &mpsc::Sender<()>,
        idle: Option<Duration>,
        stop: &CancellationToken,
    ) {
        let mut worker = Worker::new(
            Arc::clone(&self.store),
            Arc::clone(&self.rules),
            Arc::clone(&self.metrics),
            self.options.batch,
            self.random.fork(),
        );
        let mut bell = Bell::new(&*self.store, Side::Inbox, self.options.poll, self.random.fork());
        let present = Present::new(Arc::clone(active), Arc::clone(&self.metrics));
        let (call, stop) = (call.clone(), stop.clone());
        let alive = self.part.task();
        workers.spawn(async move {
            let _there = (present, alive);
            let call_for_help = || {
                // A full channel has a call in it already.
                let _ = call.try_send(());
            };
            worker.run(&mut bell, idle, &stop, call_for_help).await;
        });
    }
}

/// A worker that is counted for as long as it lives, however it ends.
struct Present(Arc<AtomicUsize>, Arc<Metrics>);

impl Present {
    fn new(active: Arc<AtomicUsize>, metrics: Arc<Metrics>) -> Self {
        metrics.workers(active.fetch_add(1, Ordering::Relaxed) + 1);
        Self(active, metrics)
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.1.workers(self.0.fetch_sub(1, Ordering::Relaxed) - 1);
    }
}
