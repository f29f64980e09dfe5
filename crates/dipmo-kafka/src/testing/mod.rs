//! What tests against a real broker share: finding it, making a topic, reading one to its end, and
//! a broker or a cluster of their own to stop and start.
//!
//! Everything here panics instead of failing politely: it is for tests only.

mod logins;
mod node;
mod own_broker;
mod own_cluster;
mod reading;
mod services;

use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};

use crate::{ClientEvents, KafkaOptions, Settings};

pub use own_broker::OwnBroker;
pub use own_cluster::OwnCluster;
pub use reading::{ReadRecord, read_to_end, read_to_end_of};
pub use services::{Secure, brokers, secure};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Options for [`brokers`].
#[must_use]
pub fn options() -> KafkaOptions {
    KafkaOptions::new(&brokers())
}

/// A name that no other test and no other run has.
#[must_use]
pub fn unique_name(what: &str) -> String {
    format!("{what}-{:016x}", fastrand::u64(..))
}

/// A client that makes topics, deletes them and adds partitions.
#[must_use]
pub fn admin(options: &KafkaOptions) -> AdminClient<ClientEvents> {
    let config = options.config(&Settings::default()).expect("valid options");
    options.client(&config, options.events()).expect("a client")
}

/// A new topic under a name of its own.
pub async fn topic(what: &str, partitions: i32) -> String {
    topic_with(&options(), what, partitions, &[]).await
}

/// A new topic on some cluster, with settings of its own such as `max.message.bytes`.
pub async fn topic_with(
    options: &KafkaOptions,
    what: &str,
    partitions: i32,
    settings: &[(&str, &str)],
) -> String {
    let name = unique_name(what);
    create(options, &name, partitions, settings).await;
    name
}

/// A new topic under a given name. Once this returns, a client that asks is told of it.
pub async fn create(
    options: &KafkaOptions,
    name: &str,
    partitions: i32,
    settings: &[(&str, &str)],
) {
    // As many copies as the cluster thinks right.
    let mut topic = NewTopic::new(name, partitions, TopicReplication::Fixed(-1));
    for (name, value) in settings {
        topic = topic.set(name, value);
    }
    let admin = admin(options);
    let patience = AdminOptions::new().operation_timeout(Some(PATIENCE));
    for made in admin.create_topics(&[topic], &patience).await.expect("a broker") {
        made.expect("a new topic");
    }
    while partition_count(&admin, name) != usize::try_from(partitions).unwrap_or(0) {
        std::thread::yield_now();
    }
}

fn partition_count(admin: &AdminClient<ClientEvents>, name: &str) -> usize {
    let metadata = admin.inner().fetch_metadata(Some(name), PATIENCE).expect("a broker");
    metadata.topics().iter().find(|topic| topic.name() == name).map_or(0, |topic| {
        let led = topic.partitions().iter().filter(|it| it.error().is_none() && it.leader() >= 0);
        led.count()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_new_topic_is_there_and_empty() {
        let topic = topic("testing", 3).await;
        assert!(read_to_end(&topic).is_empty());
    }
}
