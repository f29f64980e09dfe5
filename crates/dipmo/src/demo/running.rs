//! The engine while it runs, with those that it delivers to.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use dipmo::wiring::Pipeline;
use dipmo_processing::{Engine, EngineOptions, Metrics};
use dipmo_sink_salesforce::SalesforcePublisher;
use dipmo_store::{Lookup, Store};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::blocks::Blocks;
use super::failed;
use super::mailbox::Mailbox;
use super::mischief::Mischief;
use super::outside::Outside;
use super::progress::Progress;
use super::recorder::Recorder;
use super::topics::Topics;

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

impl Ways {
    /// The publishers of the files; that for Kafka behind a network that fails.
    pub(crate) fn of(
        pipeline: &Pipeline,
        topics: &Topics,
        store: &Arc<dyn Store>,
        (recorder, seed): (&Arc<Recorder>, u64),
    ) -> Result<Self> {
        let shown = |problem: Box<_>| failed::problem(&problem, pipeline.files());
        let kafka = pipeline.kafka_publisher().map_err(shown)?;
        let kafka = kafka.context("the files do not send to Kafka")?;
        let lookup: Arc<dyn Lookup> = Arc::clone(store) as _;
        let salesforce = pipeline.salesforce_publisher(&lookup).map_err(shown)?;
        let salesforce = salesforce.context("the files do not send to Salesforce")?;
        let (topics, mischief) = (topics.clone(), Mischief::new(seed));
        let recorder = Arc::clone(recorder);
        let kafka = Outside { kafka, topics, mischief, recorder: Arc::clone(&recorder) };
        Ok(Self { kafka, salesforce, recorder })
    }
}

impl Running {
    pub(crate) fn start(
        pipeline: &Pipeline,
        store: &Arc<dyn Store>,
        ways: Ways,
        progress: &Arc<Progress>,
        seed: u64,
    ) -> Self {
        let blocks = Blocks {
            mailbox: Mailbox::open(Arc::clone(store), Arc::clone(progress)),
            recorder: ways.recorder,
        };
        let options = EngineOptions { seed: Some(seed), ..pipeline.engine_options().clone() };
        let engine = Engine::new(Arc::clone(store), Arc::clone(pipeline.registry()))
            .options(options)
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
