//! The engine while it runs, with those that it delivers to.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dipmo_api::Registry;
use dipmo_domain::Backoff;
use dipmo_processing::{Engine, EngineOptions, Metrics};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};
use dipmo_sink_salesforce::SalesforcePublisher;
use dipmo_store::Store;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::blocks::Blocks;
use super::broker::Broker;
use super::failed::for_people;
use super::mailbox::Mailbox;
use super::mischief::Mischief;
use super::outside::Outside;
use super::progress::Progress;
use super::recorder::Recorder;

/// The engine while it runs.
pub(crate) struct Running {
    pub(crate) metrics: Arc<Metrics>,
    stop: CancellationToken,
    pub(crate) task: JoinHandle<()>,
}

/// Those that it delivers to.
pub(crate) struct Ways {
    pub(crate) kafka: Outside,
    pub(crate) salesforce: Arc<SalesforcePublisher>,
    /// Who plays the module that creates blocks.
    pub(crate) recorder: Arc<Recorder>,
}

impl Running {
    pub(crate) fn start(
        store: &Arc<dyn Store>,
        registry: &Arc<Registry>,
        ways: Ways,
        progress: &Arc<Progress>,
        seed: u64,
    ) -> Self {
        let blocks = Blocks {
            mailbox: Mailbox::open(Arc::clone(store), Arc::clone(progress)),
            recorder: ways.recorder,
        };
        let engine = Engine::new(Arc::clone(store), Arc::clone(registry))
            .options(options(seed))
            .publisher("KAFKA:*", Arc::new(ways.kafka))
            .publisher("HTTP:SFDC*", ways.salesforce)
            .effect_handler("blocks", blocks);
        let (metrics, stop) = (engine.metrics(), engine.stop_token());
        Self { metrics, stop, task: tokio::spawn(engine.run()) }
    }

    /// Ends it, with everything that it had begun.
    pub(crate) async fn stop(self) -> Arc<Metrics> {
        self.stop.cancel();
        let _ = self.task.await;
        self.metrics
    }
}

/// The publisher, as a user would set it up, behind a network that fails.
pub(crate) fn outside(broker: &Broker, recorder: &Arc<Recorder>, seed: u64) -> Result<Outside> {
    let deadline = options(seed).dispatch.deadline;
    let options = KafkaSinkOptions { deadline, ..KafkaSinkOptions::new(broker.options.clone()) };
    let kafka = Arc::new(KafkaPublisher::new(options).map_err(|error| for_people(&error))?);
    let (topics, mischief) = (broker.topics.clone(), Mischief::new(seed));
    Ok(Outside { kafka, topics, mischief, recorder: Arc::clone(recorder) })
}

/// As in production, but with less patience: nobody wants to watch a demo wait.
fn options(seed: u64) -> EngineOptions {
    let mut options = EngineOptions { seed: Some(seed), ..EngineOptions::default() };
    let (first, longest) = (Duration::from_millis(50), Duration::from_secs(1));
    options.dispatch.retry.backoff = Backoff::Exponential { first, longest, retries: 20 };
    options.dispatch.deadline = Duration::from_secs(4);
    options.dispatch.lease = Duration::from_secs(12);
    // The drain waits for what the database counts.
    options.upkeep.figures = Duration::from_millis(200);
    options
}
