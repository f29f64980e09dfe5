//! `dipmo demo`: generated events of two processes through the whole of dipmo, and a ledger that
//! tells whether anything was lost, doubled or reordered.
//!
//! ```text
//!  producer ─► Kafka ─► INBOX ─► HIT, ONBOARDING, LISTENER ─► OUTBOX ─► Kafka ─► downstream
//!     │                  ▲                                      │  └──► blocks (INTERNAL:blocks) ─┐
//!     │                  └─────────── INTERNAL, timers ◄────────┘                                 │
//!     │                  └───────────────────────────── answers ◄─────────────────────────────────┘
//!     └──► book ──────────────────► ledger ◄────────────── facts (rows, records, arrivals)
//! ```

mod args;
mod blocks;
mod book;
mod broker;
mod depth;
mod downstream;
mod facts;
pub(crate) mod failed;
mod intake;
mod ledger;
mod listener;
mod mailbox;
mod mischief;
mod outside;
mod place;
mod producer;
mod progress;
mod reading;
mod recorder;
mod report;
mod running;
mod sabotage;
mod schema;
mod sender;
mod stop;
mod stories;
mod topics;
mod view;
mod wire;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dipmo_api::Registry;
use dipmo_processing::InboxGauge;
use dipmo_store::{Store, Tables};
use hits::HitProcess;
use onboarding::{Blocking, OnboardingProcess};
use tokio_util::sync::CancellationToken;

pub(crate) use args::{Args, EXAMPLES};
use book::Book;
use broker::Broker;
use downstream::Downstream;
use failed::for_people;
use ledger::Ledger;
use listener::Listener;
use mischief::Mischief;
use place::Place;
use producer::Producer;
use progress::Progress;
use reading::Reading;
use recorder::Recorder;
use report::Run;
use running::Running;
use sender::Sender;
use view::View;
use wire::Wire;

use crate::console::{err, has_colour, out};

/// How long a review and a block may take: short, so that timers are seen to fire.
const WITHIN: Duration = Duration::from_secs(2);

/// Runs it; the exit code says whether the ledger balances.
pub(crate) async fn run(args: &Args) -> Result<ExitCode> {
    let began = Instant::now();
    let seed = args.seed.unwrap_or_else(|| u64::from(fastrand::u32(..)));
    let broker = match &args.kafka {
        Some(address) => Broker::real(address).await?,
        None => Broker::in_process()?,
    };
    let place = match &args.postgres {
        Some(url) => Place::postgres(url).await,
        None => Place::sqlite().await,
    };
    let (played, store_removed) = match place {
        Ok(place) => {
            let leftovers = Arc::clone(&place.leftovers);
            let played = play_at(args, place, &broker, seed).await;
            (played, leftovers.remove().await)
        }
        Err(error) => (Err(error), Ok(())),
    };
    let removed = broker.remove().await.and(store_removed);
    let (store, ledger, store_errors) = played?;
    let (kafka, took) = (broker.name.clone(), began.elapsed());
    let run = Run { store, kafka, seed, rate: args.rate, took, store_errors };
    if args.json {
        report::complaints(&ledger).iter().for_each(|line| err(line));
        out(&report::json(&run, &ledger));
    } else {
        out(&report::table(&run, &ledger, has_colour()));
    }
    removed?;
    Ok(if ledger.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Plays on a store. Answers its name, the ledger, and how many errors the engine got over.
async fn play_at(
    args: &Args,
    place: Place,
    broker: &Broker,
    seed: u64,
) -> Result<(String, Ledger, u64)> {
    let Place { store, name, leftovers } = place;
    err(&format!(
        "dipmo demo with {} on {name}: {} records a second for {:.1} s, seed {seed}. Ctrl-C drains and counts.",
        broker.name,
        args.rate,
        args.duration.as_secs_f64()
    ));
    let topics = broker.leftovers();
    let stop = stop::on_interrupt(move || leftovers.abandon().into_iter().chain(topics).collect())?;
    let (ledger, store_errors) = play(args, store, broker, seed, stop).await?;
    Ok((name, ledger, store_errors))
}

/// Sends, drains and counts. Whatever happens, the engine has ended when this returns.
async fn play(
    args: &Args,
    store: Arc<dyn Store>,
    broker: &Broker,
    seed: u64,
    stop: CancellationToken,
) -> Result<(Ledger, u64)> {
    let registry = Arc::new(registry()?);
    store.migrate(&Tables::of(&registry)).await.map_err(|error| for_people(&error))?;
    let recorder = Arc::new(Recorder::new(Mischief::new(seed), args.sabotage));
    let progress = Arc::new(Progress::default());
    let wire = Arc::new(Wire::new(Arc::clone(&progress)));
    let sender = Sender::new(broker, Arc::clone(&progress), Arc::clone(&wire))?;
    let producer = Producer::new(sender, Arc::clone(&store), Arc::clone(&progress), seed);
    let outside = running::outside(broker, &recorder, seed)?;
    let gauge = InboxGauge::new(Arc::clone(&store));
    let source = intake::source(broker, &store, &wire, &gauge)?;
    let downstream = Downstream::start(broker, &recorder)?;

    let engine = Running::start(&store, &registry, (&recorder, outside), &progress, seed);
    let reading = Reading::start(source, gauge);
    let view_ends = CancellationToken::new();
    let view = View {
        progress: Arc::clone(&progress),
        metrics: Arc::clone(&engine.metrics),
        source: reading.source(),
        downstream: downstream.counter(),
        duration: args.duration,
    };
    let book = match reading.joined(&stop).await {
        Ok(()) => {
            let view = tokio::spawn(view.run(view_ends.clone()));
            let book = producer.run(args.rate, args.duration, stop).await;
            if book.is_ok() {
                depth::drain(&progress, &engine.metrics, &engine.task).await;
            }
            view_ends.cancel();
            let _ = view.await;
            book
        }
        Err(error) => Err(error),
    };
    let read = reading.stop().await;
    let metrics = engine.stop().await;
    read?;
    let book: Book = book?;
    err("counting: every row and record against the producer's book");
    let read_back = downstream.finish().await?;
    let counted = (progress.figures(), &*wire, read_back);
    let facts = facts::collect(&store, &registry, &book, &recorder, counted).await;
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
