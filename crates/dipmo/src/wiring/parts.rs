//! The parts of a pipeline, for whoever puts them together in another way than [`Instance`](super::Instance): with
//! processes in Rust beside those of the file, or with somebody in between who listens.

use std::sync::Arc;

use dipmo_api::Registry;
use dipmo_config::{Declared, Problem};
use dipmo_processing::EngineOptions;
use dipmo_sink_kafka::KafkaPublisher;
use dipmo_sink_salesforce::SalesforcePublisher;
use dipmo_store::Lookup;

use super::kafka_sink::KafkaSinkPlan;
use super::{HttpPlan, Pipeline, SourcePlan, registry};

impl Pipeline {
    /// The same with other processes, such as those that are [declared](Self::declared) and some in Rust. Tables that
    /// the file declares stay.
    #[must_use]
    pub fn with_processes(mut self, registry: Registry) -> Self {
        self.tables = registry::tables(&registry, &self.declared);
        self.registry = Arc::new(registry);
        self
    }

    /// The tables and processes of the file.
    #[must_use]
    pub const fn declared(&self) -> &Declared {
        &self.declared
    }

    /// The processes that run.
    #[must_use]
    pub const fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// How the engine works.
    #[must_use]
    pub const fn engine_options(&self) -> &EngineOptions {
        &self.engine
    }

    /// What is read.
    #[must_use]
    pub fn sources(&self) -> &[SourcePlan] {
        &self.sources
    }

    /// What is listened to over HTTP.
    #[must_use]
    pub fn http(&self) -> &[HttpPlan] {
        &self.http
    }

    /// The publisher for `KAFKA:*`, if Kafka is a destination. Its producer looks for the brokers from now on.
    ///
    /// # Errors
    /// What the client says about its options.
    pub fn kafka_publisher(&self) -> Result<Option<Arc<KafkaPublisher>>, Box<Problem>> {
        self.kafka.as_ref().map(KafkaSinkPlan::publisher).transpose()
    }

    /// The publisher for `HTTP:SFDC*`, if there is an org. It reads what it sends from `lookup`.
    ///
    /// # Errors
    /// What the publisher says about its options.
    pub fn salesforce_publisher(
        &self,
        lookup: &Arc<dyn Lookup>,
    ) -> Result<Option<Arc<SalesforcePublisher>>, Box<Problem>> {
        self.salesforce.as_ref().map(|plan| plan.publisher(Arc::clone(lookup))).transpose()
    }
}
