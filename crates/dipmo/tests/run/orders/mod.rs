//! The example `orders`, on a broker of its own and a database.

mod client;
mod fire;
mod letters;

use dipmo_kafka::KafkaOptions;
use dipmo_kafka::testing::{self, OwnBroker};

use crate::postgres::Database;

/// All topics of the example.
const TOPICS: [&str; 5] =
    ["order-requests", "order-requests-again", "order-requests-dlt", "products", "order-processed"];

/// What the shop shows when it posts.
const TOKEN: &str = "a-token-of-the-shop";

/// Where orders happen. All of it goes when this does.
struct Shop {
    kafka: KafkaOptions,
    database: Database,
    url: String,
    broker: OwnBroker,
}

impl Shop {
    /// An empty one.
    async fn open() -> Self {
        let broker = tokio::task::block_in_place(OwnBroker::start);
        let kafka = broker.options();
        for topic in TOPICS {
            testing::create(&kafka, topic, 2, &[]).await;
        }
        let database = Database::create().await;
        let url = database.url();
        Self { kafka, database, url, broker }
    }

    /// What the configuration of the example is told of it. Requests are taken at an address.
    fn variables<'a>(&'a self, listen: &'a str) -> [(&'a str, &'a str); 4] {
        [
            ("DATABASE_URL", &self.url),
            ("KAFKA_BROKERS", &self.kafka.bootstrap_servers),
            ("ORDERS_LISTEN", listen),
            ("ORDERS_TOKEN", TOKEN),
        ]
    }

    /// The broker dies and comes back with its data.
    fn die(&mut self) {
        self.broker.kill();
        self.broker.restart();
    }
}
