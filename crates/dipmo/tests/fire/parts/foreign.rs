//! Somebody else's producer, who knows nothing of dipmo.

use std::time::Duration;

use dipmo_inbox::{Body, NewMessage};
use rdkafka::ClientConfig;
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer as _, ThreadedProducer};

use super::road::NUMBERS;

/// A broker that is away for a while is waited for.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Foreign(ThreadedProducer<DefaultProducerContext>);

impl Foreign {
    pub(crate) fn new(broker: &str) -> Self {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", broker).set("enable.idempotence", "true");
        Self(config.create().unwrap())
    }

    /// Sends messages as records: the aggregate is the key, all else is in headers.
    pub(crate) fn send(&self, messages: &[NewMessage]) {
        for message in messages {
            let Body::Json(payload) = &message.body else { panic!("the load is all JSON") };
            let headers = OwnedHeaders::new()
                .insert(header("message-id", &message.message_id))
                .insert(header("event-type", "Step"))
                .insert(header("event-version", "1"));
            let key = message.aggregate_id.as_deref().unwrap();
            self.give(key, payload.as_str().as_bytes(), headers);
        }
    }

    /// Sends bytes that mean nothing.
    pub(crate) fn send_bytes(&self, key: &str, value: &[u8]) {
        self.give(key, value, OwnedHeaders::new());
    }

    fn give(&self, key: &str, value: &[u8], headers: OwnedHeaders) {
        let mut record = BaseRecord::to(NUMBERS).key(key).payload(value).headers(headers);
        while let Err((error, back)) = self.0.send(record) {
            assert_eq!(error.rdkafka_error_code(), Some(RDKafkaErrorCode::QueueFull));
            record = back;
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until the broker has everything.
    pub(crate) fn flush(&self) {
        tokio::task::block_in_place(|| self.0.flush(PATIENCE)).unwrap();
    }
}

fn header<'a>(key: &'a str, value: &'a str) -> Header<'a, &'a str> {
    Header { key, value: Some(value) }
}
