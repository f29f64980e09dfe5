//! Where what processes send goes.

use std::time::Duration;

use super::kafka::Properties;
use super::salesforce::{Delivery, Org};
use crate::read::section;
use crate::{Map, Name, Spanned, Template};

section! {
    /// Where what processes send goes.
    pub struct Destinations("the destinations") {
        /// `KAFKA:<topic>`.
        kafka: Option<KafkaSink>,
        /// `HTTP:SFDC[@org]:<api>:<object>`: the orgs by name; `default` is the one of `HTTP:SFDC:…`.
        salesforce: Map<Org, Name>,
        /// How records go to all orgs of Salesforce.
        salesforce_delivery: Option<Delivery>,
    }
}

section! {
    /// How records are published to Kafka.
    pub struct KafkaSink("the destination Kafka") {
        /// The cluster, by its name under `kafka`. Defaults to `default`.
        cluster: Option<Name>,
        /// How long a record waits for others to share a request with. Defaults to 5ms.
        linger: Option<Spanned<Duration>>,
        /// After so long a record that is not acknowledged counts as not delivered. Defaults to 10s.
        deadline: Option<Spanned<Duration>>,
        /// Stands before every message id. Two databases that publish to the same topic need different ones.
        /// Defaults to nothing.
        message_id_prefix: Option<Template>,
        /// Whether a reader of committed records finds every record exactly once: they go out in transactions of Kafka,
        /// for which the user needs rights. Defaults to false.
        exactly_once: Option<Spanned<bool>>,
        /// Any property of librdkafka, for this producer only.
        #[example({"compression.type": "zstd"})]
        properties: Properties,
    }
}
