//! Where Kafka is: a cluster inside this process, or a real one with topics of our own.

use std::time::Duration;

use anyhow::{Context as _, Result};
use dipmo_kafka::{ClientEvents, KafkaError, KafkaOptions, Settings};
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;

use super::failed::for_people;
use super::topics::{GROUPS, PARTITIONS, Topics};

/// How long a cluster may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A cluster with the topics of this run.
pub(crate) struct Broker {
    pub(crate) options: KafkaOptions,
    pub(crate) topics: Topics,
    /// For people.
    pub(crate) name: String,
    home: Home,
}

enum Home {
    /// It lives for as long as this does.
    InProcess {
        _cluster: MockCluster<'static, DefaultProducerContext>,
    },
    Real(AdminClient<ClientEvents>),
}

impl Broker {
    /// A cluster of librdkafka's inside this process. It speaks the protocol over loopback, and
    /// keeps only some megabytes of each partition: what is not read soon is gone.
    pub(crate) fn in_process() -> Result<Self> {
        let topics = Topics::default();
        let cluster = MockCluster::new(1).context("no cluster can be made inside this process")?;
        for topic in topics.all() {
            cluster.create_topic(&topic, PARTITIONS, 1).with_context(|| format!("no {topic}"))?;
        }
        let options = KafkaOptions::new(&cluster.bootstrap_servers());
        let name = "Kafka in-process".to_owned();
        Ok(Self { options, topics, name, home: Home::InProcess { _cluster: cluster } })
    }

    /// A real cluster. Topics are made under names that are new, and none but these is touched.
    pub(crate) async fn real(address: &str) -> Result<Self> {
        let options = KafkaOptions::new(address);
        let config = options.config(&Settings::default()).map_err(|error| for_people(&error))?;
        let admin: AdminClient<ClientEvents> =
            options.client(&config, options.events()).map_err(|error| for_people(&error))?;
        if let Err(error) = admin.inner().fetch_metadata(None, PATIENCE) {
            // What the client complained of says more than that nobody answered in time.
            let reason = admin.inner().context().last_error();
            return Err(for_people(&reason.unwrap_or_else(|| KafkaError::of(&error))));
        }
        let topics = Topics::unique();
        let name = format!("Kafka at {address}");
        let broker = Self { options, topics, name, home: Home::Real(admin) };
        if let Err(error) = broker.make_topics().await {
            // What was made before the error goes; the error says what matters.
            let _ = broker.remove().await;
            return Err(error);
        }
        Ok(broker)
    }

    async fn make_topics(&self) -> Result<()> {
        let Home::Real(admin) = &self.home else { return Ok(()) };
        let names = self.topics.all();
        // As many replicas as the cluster thinks right.
        let replicas = || TopicReplication::Fixed(-1);
        let new = names.iter().map(|name| NewTopic::new(name, PARTITIONS, replicas()));
        let new: Vec<NewTopic<'_>> = new.collect();
        let made = admin.create_topics(&new, &patience()).await;
        for made in made.map_err(|error| for_people(&KafkaError::of(&error)))? {
            made.map_err(|(topic, code)| {
                for_people(&KafkaError::of_code(code, &format!("making {topic}: {code}")))
            })?;
        }
        Ok(())
    }

    /// Removes what the demo made. Everybody who uses it has left by now.
    pub(crate) async fn remove(&self) -> Result<()> {
        let Home::Real(admin) = &self.home else { return Ok(()) };
        let names = self.topics.all();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let groups = GROUPS.map(|group| self.topics.full(group));
        let left = || self.leftovers().unwrap_or_default();
        // A group that never committed is not there: only the topics are worth an error.
        let _ = admin.delete_groups(&groups.each_ref().map(String::as_str), &patience()).await;
        for removed in admin.delete_topics(&names, &patience()).await.with_context(left)? {
            if let Err((topic, code)) = removed {
                anyhow::bail!("the topic {topic} cannot be removed: {code}");
            }
        }
        Ok(())
    }

    /// What stays when nobody removes it.
    pub(crate) fn leftovers(&self) -> Option<String> {
        match self.home {
            Home::InProcess { .. } => None,
            Home::Real(_) => {
                Some(format!("the topics are left in Kafka: {}", self.topics.all().join(" ")))
            }
        }
    }
}

fn patience() -> AdminOptions {
    AdminOptions::new().operation_timeout(Some(PATIENCE)).request_timeout(Some(PATIENCE * 2))
}
