//! One call: on its way, lost, late, done without a word, or answered.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_store_memory::MemoryStore;
use futures_util::FutureExt as _;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::sim::Sim;

/// Every call takes some time, so that who asks for ever is seen to get nowhere.
const LEAST: Duration = Duration::from_millis(1);

/// The store of one instance.
#[derive(Clone)]
pub(crate) struct Faulty {
    pub(crate) sim: Arc<Sim>,
    /// Such as `e2.1`: the second engine after one crash.
    pub(crate) name: Arc<str>,
    /// Until when the instance stands still, in milliseconds of the run.
    stopped_until: Arc<AtomicU64>,
}

impl Faulty {
    pub(crate) fn new(sim: &Arc<Sim>, name: &str) -> Self {
        Self { sim: Arc::clone(sim), name: name.into(), stopped_until: Arc::default() }
    }

    /// Stops the instance: nothing of it reaches anybody for a while.
    pub(crate) fn stop_for(&self, time: Duration) {
        let until = self.sim.clock.elapsed() + time;
        let until = u64::try_from(until.as_millis()).unwrap_or(u64::MAX);
        self.stopped_until.fetch_max(until, Ordering::Relaxed);
    }

    /// How long the instance will stand still from now.
    pub(crate) fn stopped(&self) -> Duration {
        let until = Duration::from_millis(self.stopped_until.load(Ordering::Relaxed));
        until.saturating_sub(self.sim.clock.elapsed())
    }

    /// Waits for as long as the instance stands still.
    pub(crate) async fn while_stopped(&self) {
        while !self.stopped().is_zero() {
            sleep(self.stopped()).await;
        }
    }

    /// A call of the store. `run` does it and tells the witness, without an await in between.
    pub(super) async fn call<T, F>(
        &self,
        what: &'static str,
        run: impl FnOnce(MemoryStore) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let faults = self.sim.options.faults;
        self.while_stopped().await;
        if self.sim.fault(faults.error_before) {
            self.wait(Duration::ZERO).await;
            self.sim.step(format_args!("{} {what}: fails before", self.name));
            return Err(self.trouble());
        }
        let result = self.travel(what, run).await;
        self.wait(Duration::ZERO).await;
        self.while_stopped().await;
        if result.is_ok() && self.sim.fault(faults.error_after) {
            self.sim.step(format_args!("{} {what}: done, but fails", self.name));
            return Err(self.trouble());
        }
        if let Err(error) = &result {
            self.sim.step(format_args!("{} {what}: {error}", self.name));
        }
        result
    }

    /// On the way for a while, unless somebody lets it happen earlier.
    async fn travel<T, F>(
        &self,
        what: &'static str,
        run: impl FnOnce(MemoryStore) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let (tell, mut told) = oneshot::channel();
        let (sim, name) = (Arc::clone(&self.sim), Arc::clone(&self.name));
        let number = self.sim.traffic.add(Box::new(move || {
            let call = AssertUnwindSafe(run(sim.store.clone())).catch_unwind();
            match call.now_or_never() {
                // Nobody to tell is a caller that crashed meanwhile.
                Some(ended) => drop(tell.send(ended)),
                None => sim.violation(format_args!("{name} {what}: the store waits")),
            }
        }));
        let mut on_the_way = OnTheWay { from: self.clone(), number, crashed: true };
        tokio::select! {
            biased;
            () = self.wait(LEAST) => {}
            ended = &mut told => {
                on_the_way.crashed = false;
                return opened(ended);
            }
        }
        on_the_way.crashed = false;
        self.sim.traffic.run(number);
        opened(told.await)
    }

    /// At least so long, a while, or longer than a lease lasts.
    async fn wait(&self, least: Duration) {
        let faults = self.sim.options.faults;
        if self.sim.fault(faults.hang) {
            let lease = self.sim.options.engine.dispatch.lease;
            let time = lease.mul_f64(0.5) + self.sim.chance.millis(0..=8_000);
            self.sim.step(format_args!("{} hangs for {} ms", self.name, time.as_millis()));
            sleep(time).await;
        } else if self.sim.fault(faults.delay) {
            sleep(self.sim.chance.millis(1..=60)).await;
        } else {
            sleep(least).await;
        }
    }

    fn trouble(&self) -> StoreError {
        let problem = "the simulation wanted it".to_owned();
        match self.sim.chance.below(3) {
            0 => StoreError::Busy { statement: "simulated", problem },
            1 => StoreError::ReadOnly { statement: "simulated", problem },
            _ => StoreError::Unreachable { place: "simulated".to_owned(), problem },
        }
    }
}

type Ended<T> = Result<Result<T, StoreError>, Box<dyn std::any::Any + Send>>;

fn opened<T>(ended: Result<Ended<T>, oneshot::error::RecvError>) -> Result<T, StoreError> {
    match ended {
        Ok(Ok(result)) => result,
        // What panicked is the caller's own logic.
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => Err(StoreError::Unexpected {
            statement: "simulated",
            problem: "the call was lost".to_owned(),
        }),
    }
}

/// A call whose caller may crash while it is on its way: it may arrive all the same.
struct OnTheWay {
    from: Faulty,
    number: u64,
    crashed: bool,
}

impl Drop for OnTheWay {
    fn drop(&mut self) {
        if !self.crashed {
            return;
        }
        let sim = Arc::clone(&self.from.sim);
        if sim.is_calm() || sim.chance.one_in(2) {
            sim.traffic.lose(self.number);
        } else if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (number, after) = (self.number, sim.chance.millis(1..=3_000));
            runtime.spawn(async move {
                sleep(after).await;
                if sim.is_calm() {
                    sim.traffic.lose(number);
                } else {
                    sim.traffic.run(number);
                }
            });
        }
    }
}
