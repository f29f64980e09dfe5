//! `dipmo demo`: generated events of two processes through the whole of dipmo, and a ledger that
//! tells whether anything was lost, doubled or reordered.
//!
//! ```text
//!  producer ──► INBOX ──► HIT, ONBOARDING, LISTENER ──► OUTBOX ──► recorder (KAFKA:*)
//!     │           ▲                                        │  └──► blocks (INTERNAL:blocks) ─┐
//!     │           └──────────── INTERNAL, timers ◄─────────┘                                 │
//!     │           └──────────────────────────────── answers ◄────────────────────────────────┘
//!     └──► book ──────────────► ledger ◄────────────── facts (rows, arrivals)
//! ```

mod args;
mod blocks;
mod book;
mod depth;
mod facts;
pub(crate) mod failed;
mod ledger;
mod listener;
mod mailbox;
mod mischief;
mod place;
mod producer;
mod progress;
mod recorder;
mod report;
mod sabotage;
mod schema;
mod stop;
mod stories;
mod view;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dipmo_api::Registry;
use dipmo_domain::Backoff;
use dipmo_processing::{Engine, EngineOptions, Metrics};
use dipmo_store::{Store, Tables};
use hits::HitProcess;
use onboarding::{Blocking, OnboardingProcess};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) use args::{Args, EXAMPLES};
use blocks::Blocks;
use book::Book;
use failed::for_people;
use ledger::Ledger;
use listener::Listener;
use mailbox::Mailbox;
use mischief::Mischief;
use place::Place;
use producer::Producer;
use progress::Progress;
use recorder::Recorder;
use report::Run;
use view::View;

use crate::console::{err, has_colour, out};

/// How long a review and a block may take: short, so that timers are seen to fire.
const WITHIN: Duration = Duration::from_secs(2);

/// Runs it; the exit code says whether the ledger balances.
pub(crate) async fn run(args: &Args) -> Result<ExitCode> {
    let began = Instant::now();
    let seed = args.seed.unwrap_or_else(|| u64::from(fastrand::u32(..)));
    let place = match &args.postgres {
        Some(url) => Place::postgres(url).await?,
        None => Place::sqlite().await?,
    };
    let (name, leftovers) = (place.name.clone(), Arc::clone(&place.leftovers));
    err(&format!(
        "dipmo demo on {name}: {} records a second for {:.1} s, seed {seed}. Ctrl-C drains and counts.",
        args.rate,
        args.duration.as_secs_f64()
    ));
    let played = match stop::on_interrupt(Arc::clone(&leftovers)) {
        Ok(stop) => play(args, place.store, seed, stop).await,
        Err(error) => Err(error.into()),
    };
    let removed = leftovers.remove().await;
    let (ledger, store_errors) = played?;
    let run = Run { store: name, seed, rate: args.rate, took: began.elapsed(), store_errors };
    if args.json {
        report::complaints(&ledger).iter().for_each(|line| err(line));
        out(&report::json(&run, &ledger));
    } else {
        out(&report::table(&run, &ledger, has_colour()));
    }
    removed?;
    Ok(if ledger.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Sends, drains and counts. Whatever happens, the engine has ended when this returns.
async fn play(
    args: &Args,
    store: Arc<dyn Store>,
    seed: u64,
    stop: CancellationToken,
) -> Result<(Ledger, u64)> {
    let registry = Arc::new(registry()?);
    store.migrate(&Tables::of(&registry)).await.map_err(|error| for_people(&error))?;
    let recorder = Arc::new(Recorder::new(Mischief::new(seed), args.sabotage));
    let progress = Arc::new(Progress::default());
    let engine = Running::start(&store, &registry, &recorder, &progress, seed);
    let view_ends = CancellationToken::new();
    let view = View {
        progress: Arc::clone(&progress),
        metrics: Arc::clone(&engine.metrics),
        duration: args.duration,
    };
    let view = tokio::spawn(view.run(view_ends.clone()));
    let producer = Producer::new(Arc::clone(&store), Arc::clone(&progress), seed);
    let book = producer.run(args.rate, args.duration, stop).await;
    if book.is_ok() {
        depth::drain(&progress, &engine.metrics, &engine.task).await;
    }
    let metrics = engine.stop().await;
    view_ends.cancel();
    let _ = view.await;
    let book: Book = book.map_err(|error| for_people(&error))?;
    err("counting: every row against the producer's book");
    let facts = facts::collect(&store, &registry, &book, &recorder, progress.figures()).await;
    let facts = facts.map_err(|error| for_people(&error))?;
    let store_errors = metrics.snapshot().store_errors.values().sum();
    Ok((Ledger::settle(&book, &facts), store_errors))
}

fn registry() -> Result<Registry> {
    let registry = Registry::new()
        .process(HitProcess::new(WITHIN))?
        .process(OnboardingProcess::new(Blocking::Asynchronous { within: WITHIN }))?
        .process(Listener)?;
    Ok(registry)
}

/// The engine while it runs.
struct Running {
    metrics: Arc<Metrics>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    fn start(
        store: &Arc<dyn Store>,
        registry: &Arc<Registry>,
        recorder: &Arc<Recorder>,
        progress: &Arc<Progress>,
        seed: u64,
    ) -> Self {
        let blocks = Blocks {
            mailbox: Mailbox::open(Arc::clone(store), Arc::clone(progress)),
            recorder: Arc::clone(recorder),
        };
        let engine = Engine::new(Arc::clone(store), Arc::clone(registry))
            .options(options(seed))
            .publisher("KAFKA:*", Arc::clone(recorder) as _)
            .effect_handler("blocks", blocks);
        let (metrics, stop) = (engine.metrics(), engine.stop_token());
        Self { metrics, stop, task: tokio::spawn(engine.run()) }
    }

    /// Ends it, with everything that it had begun.
    async fn stop(self) -> Arc<Metrics> {
        self.stop.cancel();
        let _ = self.task.await;
        self.metrics
    }
}

/// As in production, but with less patience: nobody wants to watch a demo wait.
fn options(seed: u64) -> EngineOptions {
    let mut options = EngineOptions { seed: Some(seed), ..EngineOptions::default() };
    let (first, longest) = (Duration::from_millis(50), Duration::from_secs(1));
    options.dispatch.retry.backoff = Backoff::Exponential { first, longest, retries: 20 };
    options.dispatch.deadline = Duration::from_secs(2);
    options.dispatch.lease = Duration::from_secs(6);
    options
}
