//! The outbox dispatcher: couriers for every destination that has something to deliver.
//!
//! ```text
//!  bell ──► due_destinations ──► a courier or more for each, a bulkhead each
//!                                  lease ► read ► publish ► settle ► … ► give back
//! ```
//! A slow destination keeps its own couriers busy and nobody else's; one without a publisher, or
//! that takes nothing now, is left alone and shown.

mod appetite;
mod courier;
mod desk;
mod functions;
mod gate;
mod hand;
mod internal;
mod job;
mod job_work;
mod keep;
mod rounds;
mod sending;
mod services;
mod staying;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{Ending, Owner};
use dipmo_store::{Side, Store};
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::bell::Bell;
use crate::metrics::Metrics;
use crate::options::DispatchOptions;
use crate::steering::Steering;
use courier::{ASK_AGAIN, Courier};
use desk::Desk;
pub use functions::EffectHandler;
use gate::Gate;
pub(crate) use services::Services;

/// The shortest time between two looks at the destinations: under load every batch rings.
const BREATH: Duration = Duration::from_millis(5);

/// All couriers of this instance.
pub(crate) struct Dispatcher {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) services: Services,
    pub(crate) options: DispatchOptions,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) steering: Steering,
    pub(crate) random: fastrand::Rng,
}

/// The couriers that are out.
#[derive(Default)]
struct Out {
    couriers: JoinSet<Result<bool, StoreError>>,
    destinations: BTreeMap<Id, Sent>,
    /// Since when others have all there is to deliver.
    in_vain: BTreeMap<Destination, Instant>,
}

/// A courier that is out.
struct Sent {
    destination: Destination,
    gathers: Arc<AtomicBool>,
}

impl Out {
    /// True when another courier could do something for a destination. While one gathers for a job,
    /// what comes is for that job.
    fn has_room(&self, destination: &Destination, couriers: usize) -> bool {
        let others = self.destinations.values().filter(|sent| sent.destination == *destination);
        let gathers = |sent: &Sent| sent.gathers.load(Ordering::Relaxed);
        others.clone().count() < couriers && !others.clone().any(gathers)
    }

    /// True just after a courier found that all lanes with work are somebody's.
    fn rests(&self, destination: &Destination) -> bool {
        self.in_vain.get(destination).is_some_and(|since| since.elapsed() < ASK_AGAIN)
    }
}

impl Dispatcher {
    /// Delivers until it is told to stop; what was sent is settled, and leases are given back.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let due = CancellationToken::new();
        let ending = Ending::new(stop.clone(), due.clone());
        let time = self.options.ending;
        let timed = async {
            stop.cancelled().await;
            sleep(time).await;
            due.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            () = timed => {}
            () = self.deliver(stop.clone(), ending) => {}
        }
    }

    async fn deliver(mut self, stop: CancellationToken, ending: Ending) {
        let mut bell = Bell::new(&*self.store, Side::Outbox, self.options.poll, self.random.fork());
        let mut out = Out::default();
        let mut gate = Gate::new(Arc::clone(&self.metrics), self.steering.clone());
        while !stop.is_cancelled() {
            bell.heard();
            match self.store.due_destinations().await {
                Ok(due) => {
                    self.metrics.pulse().answered();
                    self.send_out(&due, &mut gate, &mut out, &ending);
                }
                Err(error) => {
                    self.metrics.store_failed("due_destinations", &error);
                    bell.rest(&error, &stop).await;
                    continue;
                }
            }
            sleep(BREATH).await;
            tokio::select! {
                biased;
                // It may have left when something had just come.
                Some(ended) = out.couriers.join_next_with_id() => {
                    if let Some(error) = self.came_back(ended, &mut out) {
                        bell.rest(&error, &stop).await;
                    }
                }
                () = bell.wait(&stop) => {}
                () = gate.wait() => {}
                () = self.steering.changed() => {}
            }
        }
        while let Some(ended) = out.couriers.join_next_with_id().await {
            self.came_back(ended, &mut out);
        }
    }

    /// One more courier for each destination that has work, takes it, and has not enough of them.
    fn send_out(&mut self, due: &[Destination], gate: &mut Gate, out: &mut Out, ending: &Ending) {
        let mut unserved = Vec::new();
        gate.ask_again(&self.services);
        for destination in due {
            let Some(service) = self.services.of(destination) else {
                unserved.push(destination.to_string());
                continue;
            };
            let has_room = out.has_room(destination, self.options.couriers);
            if !has_room || out.rests(destination) || !gate.is_open(destination, &service) {
                continue;
            }
            let gathers = Arc::new(AtomicBool::new(false));
            let desk = Desk {
                store: Arc::clone(&self.store),
                metrics: Arc::clone(&self.metrics),
                destination: destination.clone(),
                promised: self.options.promised,
            };
            let courier = Courier {
                desk,
                service,
                owner: Owner(format!("{:016x}", self.random.u64(..))),
                options: self.options.clone(),
                ending: ending.clone(),
                random: self.random.fork(),
                setbacks: 0,
                gathers: Arc::clone(&gathers),
                steering: self.steering.clone(),
            };
            let task = out.couriers.spawn(courier.run());
            let sent = Sent { destination: destination.clone(), gathers };
            out.destinations.insert(task.id(), sent);
        }
        self.metrics.unserved(unserved);
    }

    /// Takes note of a courier that ended; answers what went wrong with the store, if it did.
    fn came_back(
        &self,
        ended: Result<(Id, Result<bool, StoreError>), tokio::task::JoinError>,
        out: &mut Out,
    ) -> Option<StoreError> {
        match ended {
            Ok((id, result)) => {
                let Sent { destination, .. } = out.destinations.remove(&id)?;
                match result {
                    Ok(false) => out.in_vain.insert(destination, Instant::now()),
                    Ok(true) | Err(_) => out.in_vain.remove(&destination),
                };
                let error = result.err()?;
                self.metrics.store_failed("dispatch", &error);
                Some(error)
            }
            Err(error) => {
                out.destinations.remove(&error.id());
                tracing::error!(%error, "a courier ended unexpectedly");
                None
            }
        }
    }
}
