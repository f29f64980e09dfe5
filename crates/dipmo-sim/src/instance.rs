//! An instance: an engine that runs, stops, crashes and comes back.

use std::sync::Arc;

use dipmo_api::Registry;
use dipmo_processing::{Engine, EngineOptions};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::fault::Faulty;
use crate::outside::{SimBulk, SimPublisher};
use crate::sim::Sim;

/// One of the hosts that an engine runs on.
pub(crate) struct Instance {
    number: usize,
    starts: u32,
    running: Option<Running>,
}

struct Running {
    store: Faulty,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Instance {
    /// A host without an engine.
    pub(crate) const fn new(number: usize) -> Self {
        Self { number, starts: 0, running: None }
    }

    pub(crate) const fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Starts a new engine, which knows nothing of any before it.
    pub(crate) fn start(&mut self, sim: &Arc<Sim>, registry: &Arc<Registry>) {
        let name = format!("e{}.{}", self.number, self.starts);
        self.starts += 1;
        sim.step(format_args!("{name} starts"));
        let store = Faulty::new(sim, &name);
        let publisher =
            |keeps_order| SimPublisher { from: store.clone(), keeps_order, deadline: None };
        let bulk = SimBulk(SimPublisher { deadline: sim.options.job_deadline, ..publisher(false) });
        let options = EngineOptions {
            seed: Some(sim.chance.number(0..=u64::MAX)),
            ..sim.options.engine.clone()
        };
        let engine = Engine::new(Arc::new(store.clone()), Arc::clone(registry))
            .options(options)
            .publisher("KAFKA:*", Arc::new(publisher(true)))
            .publisher("HTTP:SFDC:BulkV2:*", Arc::new(bulk))
            .publisher("HTTP:*", Arc::new(publisher(false)))
            .effect_handler("mail", publisher(false));
        let stop = engine.stop_token();
        self.running = Some(Running { store, stop, task: tokio::spawn(engine.run()) });
    }

    /// Ends all of its tasks, wherever they stand.
    pub(crate) fn crash(&mut self, sim: &Sim) {
        if let Some(running) = self.running.take() {
            sim.step(format_args!("{} crashes", running.store.name));
            running.task.abort();
        }
    }

    /// Stops it for longer than a lease, perhaps.
    pub(crate) fn freeze(&self, sim: &Sim) {
        if let Some(running) = &self.running {
            let time =
                sim.options.engine.dispatch.lease.mul_f64(0.3) + sim.chance.millis(0..=8_000);
            let (name, millis) = (&running.store.name, time.as_millis());
            sim.step(format_args!("{name} is stopped for {millis} ms"));
            running.store.stop_for(time);
        }
    }

    /// Asks it to stop; answers what to wait for.
    pub(crate) fn shut_down(&mut self, sim: &Sim) -> Option<JoinHandle<()>> {
        let running = self.running.take()?;
        sim.step(format_args!("{} is asked to stop", running.store.name));
        running.stop.cancel();
        Some(running.task)
    }
}
