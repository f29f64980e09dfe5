//! Where hits happen: a broker of their own, whose topics have the names of the example, and a database.

use dipmo_kafka::KafkaOptions;
use dipmo_kafka::testing::{self, OwnBroker};

use crate::postgres::Database;

/// All of it goes when this does.
pub(crate) struct Stage {
    pub(crate) kafka: KafkaOptions,
    pub(crate) database: Database,
    url: String,
    pub(crate) broker: OwnBroker,
}

impl Stage {
    /// An empty one; hits come in on so many partitions.
    pub(crate) async fn set(partitions: i32) -> Self {
        let broker = tokio::task::block_in_place(OwnBroker::start);
        let kafka = broker.options();
        testing::create(&kafka, "notification-126", partitions, &[]).await;
        testing::create(&kafka, "hit-events", 3, &[]).await;
        let database = Database::create().await;
        let url = database.url();
        Self { kafka, database, url, broker }
    }

    pub(crate) fn brokers(&self) -> &str {
        &self.kafka.bootstrap_servers
    }

    /// What a configuration of the example is told of it.
    pub(crate) fn variables(&self) -> [(&str, &str); 2] {
        [("DATABASE_URL", &self.url), ("KAFKA_BROKERS", self.brokers())]
    }
}
