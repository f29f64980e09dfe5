//! One run: sends, drains and counts.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dipmo::wiring::{OnSchema, Pipeline};
use dipmo_processing::InboxGauge;
use dipmo_store::Store;
use tokio_util::sync::CancellationToken;

use super::args::Args;
use super::book::Book;
use super::broker::Broker;
use super::downstream::Downstream;
use super::facts::Facts;
use super::failed::for_people;
use super::ledger::Ledger;
use super::mischief::Mischief;
use super::org::Org;
use super::pipeline::Surroundings;
use super::place::Place;
use super::producer::Producer;
use super::progress::Progress;
use super::reading::Reading;
use super::recorder::Recorder;
use super::running::{Running, Ways};
use super::sender::Sender;
use super::stories::Author;
use super::view::View;
use super::wire::Wire;
use super::{collect, depth, failed, intake, pipeline, stop};
use crate::console::err;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a demo is played with, beside the store.
pub(super) struct Outfit {
    pub(super) broker: Broker,
    pub(super) org: Org,
    pub(super) seed: u64,
}

/// Plays on a store. Answers its name, the ledger, and how many errors the engine got over.
pub(super) async fn play_at(
    args: &Args,
    place: Place,
    outfit: &Outfit,
) -> Result<(String, Ledger, u64)> {
    let Place { database, name, leftovers } = place;
    let Outfit { broker, org, seed } = outfit;
    err(&format!(
        "dipmo demo: {} of examples/hits, onboarding and members, with {} and {} on {name}; \
         {} records a second for {:.1} s, seed {seed}. Ctrl-C drains and counts.",
        args.processes.name(),
        broker.name,
        org.name(),
        args.rate,
        args.duration.as_secs_f64()
    ));
    let others = [broker.leftovers(), org.leftovers()].into_iter().flatten();
    let others: Vec<String> = others.collect();
    let stop = stop::on_interrupt(move || leftovers.abandon().into_iter().chain(others).collect())?;
    let brokers = &broker.options.bootstrap_servers;
    let around = Surroundings { database: &database, brokers, org: org.login() };
    let pipeline = pipeline::assemble(&around, args.processes)?;
    let opened = pipeline.open(OnSchema::Apply, PATIENCE).await;
    let store = opened.map_err(|problem| failed::problem(&problem, pipeline.files()))?;
    let (ledger, store_errors) = play(args, &pipeline, store, outfit, stop).await?;
    Ok((name, ledger, store_errors))
}

/// Sends, drains and counts. Whatever happens, the engine has ended when this returns.
async fn play(
    args: &Args,
    pipeline: &Pipeline,
    store: Arc<dyn Store>,
    outfit: &Outfit,
    stop: CancellationToken,
) -> Result<(Ledger, u64)> {
    let Outfit { broker, org, seed } = outfit;
    let recorder = Arc::new(Recorder::new(Mischief::new(*seed), args.sabotage));
    let progress = Arc::new(Progress::default());
    let wire = Arc::new(Wire::new(Arc::clone(&progress)));
    let sender = Sender::new(broker, Arc::clone(&progress), Arc::clone(&wire))?;
    let author = Author::new(*seed, org.prefix());
    let producer = Producer::new(sender, Arc::clone(&store), Arc::clone(&progress), author);
    let ways = Ways::of(pipeline, &broker.topics, &store, (&recorder, *seed))?;
    let salesforce = Arc::clone(&ways.salesforce);
    let gauge = InboxGauge::new(Arc::clone(&store));
    let sources = intake::sources(pipeline, &broker.topics, &store, &wire, &gauge)?;
    let downstream = Downstream::start(broker, &recorder)?;

    let engine = Running::start(pipeline, &store, ways, &progress, *seed);
    let reading = Reading::start(sources, gauge);
    let view_ends = CancellationToken::new();
    let view = View {
        progress: Arc::clone(&progress),
        metrics: Arc::clone(&engine.metrics),
        sources: reading.sources(),
        downstream: downstream.counter(),
        salesforce,
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
    let (arrived, redelivered) = recorder.arrived();
    let (lost_on_the_wire, found_on_the_wire) = wire.left();
    let mut facts = Facts {
        sent: progress.figures(),
        org: org.read_back().await?,
        read_back,
        arrived,
        redelivered,
        lost_on_the_wire,
        found_on_the_wire,
        ..Facts::default()
    };
    let names = wire.names();
    let collected =
        collect::from_store(&store, pipeline.registry(), (&book, &names), &mut facts).await;
    collected.map_err(|error| for_people(&error))?;
    let store_errors = metrics.snapshot().store_errors.values().sum();
    Ok((Ledger::settle(&book, &facts), store_errors))
}
