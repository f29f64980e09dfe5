//! One run: from a seed to a verdict.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dipmo_store::{Side, Store as _};
use dipmo_store_memory::MemoryStore;

use crate::clock::Clock;
use crate::instance::Instance;
use crate::options::Options;
use crate::sim::{Sim, Violation};
use crate::wake::Listeners;
use crate::world::{self, Book};
use crate::{chaos, drain, operator, producer, verify};

/// How long an engine may take to stop when nothing goes wrong any more.
const STOPS_WITHIN: Duration = Duration::from_secs(60);

/// A run in which everything held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The hash of the trace: the same for the same seed.
    pub trace: u64,
    /// How many steps it has.
    pub steps: u64,
    /// How many messages were in the inbox at the end.
    pub messages: usize,
    /// How many units arrived somewhere.
    pub arrivals: usize,
    /// How many jobs ended.
    pub jobs: usize,
    /// How often somebody went on with a job of somebody else.
    pub taken_over: usize,
}

/// A run in which something did not hold.
#[derive(Clone, Debug)]
pub struct Broken {
    /// All options, the seed among them.
    pub options: Options,
    /// What did not hold.
    pub what: String,
    /// The last steps before that.
    pub last_steps: Vec<String>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.last_steps {
            writeln!(f, "{line}")?;
        }
        writeln!(f, "\n{:#?}", self.options)?;
        writeln!(f, "\nseed {}: {}", self.options.seed, self.what)?;
        write!(f, "replay with: cargo xtask simulate --seed {}", self.options.seed)
    }
}

/// Runs a seed.
///
/// # Errors
/// The first thing that must never happen, and did.
pub fn simulate(seed: u64) -> Result<Passed, Box<Broken>> {
    let options = Options::of(seed);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    match runtime {
        Ok(runtime) => runtime.block_on(run(options)),
        Err(error) => {
            let what = format!("no runtime: {error}");
            Err(Box::new(Broken { options, what, last_steps: Vec::new() }))
        }
    }
}

async fn run(options: Options) -> Result<Passed, Box<Broken>> {
    let clock = Clock::start();
    let shown = clock.clone();
    let store = world::with_handlers(MemoryStore::with_clock(move || shown.read()));
    let sim = Sim::new(options, clock, store);
    let messages = live(&sim).await.unwrap_or_else(|what| {
        sim.violation(what);
        0
    });
    sim.traffic.forget();
    match sim.broken() {
        None => {
            let arrivals = sim.outside().arrivals();
            let (jobs, taken_over) = sim.witness().jobs.counts();
            let trace = sim.trace();
            let (trace, steps) = (trace.hash(), trace.steps());
            Ok(Passed { trace, steps, messages, arrivals, jobs, taken_over })
        }
        Some(Violation { what, last_steps }) => {
            Err(Box::new(Broken { options: sim.options.clone(), what, last_steps }))
        }
    }
}

/// Everything, from the first message to the last check; answers how many messages there were.
async fn live(sim: &Arc<Sim>) -> Result<usize, String> {
    let registry = Arc::new(world::registry().map_err(|error| error.to_string())?);
    let tables = world::installed(&registry);
    sim.store.migrate(&tables).await.map_err(|error| error.to_string())?;
    for side in [Side::Inbox, Side::Outbox] {
        tokio::spawn(Listeners::pass_on(Arc::clone(sim), side));
    }
    let book = Arc::new(Book::write(&sim.options, &sim.chance));
    let mut others = vec![tokio::spawn(producer::produce(Arc::clone(sim), Arc::clone(&book)))];
    for number in 0..sim.options.operators {
        others.push(tokio::spawn(operator::operate(Arc::clone(sim), number)));
    }
    let mut instances: Vec<_> = (0..sim.options.instances).map(Instance::new).collect();
    chaos::reign(sim, &mut instances, &registry).await;
    drain::wait(sim, &others).await?;
    for instance in &mut instances {
        if let Some(engine) = instance.shut_down(sim)
            && tokio::time::timeout(STOPS_WITHIN, engine).await.is_err()
        {
            return Err("an engine does not stop".to_owned());
        }
    }
    verify::everything(sim, &book).await
}
