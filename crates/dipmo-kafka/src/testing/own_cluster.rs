//! A cluster that can lose a node and go on.

use std::thread;
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::metadata::MetadataPartition;

use super::PATIENCE;
use super::node::{Node, Ports, asking, come_up, free_ports};
use crate::{ClientEvents, KafkaOptions};

/// How many nodes there are: enough to lose one and still agree.
const NODES: usize = 3;

/// Three nodes of Apache Kafka with data of their own, which end with the test. A topic has three
/// copies, of which two must have a record before it is acknowledged.
pub struct OwnCluster {
    options: KafkaOptions,
    nodes: Vec<Node>,
    client: BaseConsumer<ClientEvents>,
}

impl OwnCluster {
    /// A new cluster, ready for clients.
    #[must_use]
    pub fn start() -> Self {
        // A port that was free may be somebody's when a node asks for it.
        std::iter::repeat_with(Self::try_to_start).take(5).flatten().next().expect("a cluster")
    }

    fn try_to_start() -> Option<Self> {
        let ports: [Ports; NODES] = free_ports();
        let addresses = ports.map(|ports| format!("127.0.0.1:{}", ports.clients));
        let options = KafkaOptions::new(&addresses.join(","));
        // A node waits for the majority of the others, so none is waited for alone.
        let mut nodes: Vec<Node> = thread::scope(|scope| {
            let starting = |id| scope.spawn(move || Node::start(id, &ports));
            let starting: Vec<_> = (1..=NODES).map(starting).collect();
            starting.into_iter().map(|node| node.join().expect("a node")).collect()
        });
        let client = asking(&options);
        come_up(&options, &mut nodes).then_some(Self { options, nodes, client })
    }

    /// How to reach it, by any of its nodes.
    #[must_use]
    pub fn options(&self) -> KafkaOptions {
        self.options.clone()
    }

    /// The node that leads a partition now, by its number from 0.
    #[must_use]
    pub fn leader(&self, topic: &str, partition: i32) -> usize {
        let mut leader = None;
        self.until("leader", topic, |known| {
            let led = known.iter().find(|it| it.id() == partition).map(MetadataPartition::leader);
            leader = led.and_then(|id| usize::try_from(id).ok());
            leader.is_some()
        });
        leader.expect("ids count from 1") - 1
    }

    /// Waits until every node has everything of a topic.
    pub fn until_in_sync(&self, topic: &str) {
        self.until("copies", topic, |known| known.iter().all(|it| it.isr().len() == NODES));
    }

    /// Ends a node at once, as a power cut does. Its data stays.
    pub fn kill(&mut self, node: usize) {
        self.nodes[node].kill();
    }

    /// Starts a node again after [`OwnCluster::kill`], on the same data and address.
    pub fn restart(&mut self, node: usize) {
        self.nodes[node].run_again();
        assert!(come_up(&self.options, &mut self.nodes), "it does not start again");
    }

    /// Waits until the cluster says something of a topic.
    fn until(&self, what: &str, topic: &str, mut is: impl FnMut(&[MetadataPartition]) -> bool) {
        let began = Instant::now();
        loop {
            if let Ok(metadata) = self.client.fetch_metadata(Some(topic), Duration::from_secs(1))
                && let Some(known) = metadata.topics().iter().find(|known| known.name() == topic)
                && is(known.partitions())
            {
                return;
            }
            assert!(began.elapsed() < PATIENCE * 4, "no {what} of {topic}");
            thread::sleep(Duration::from_millis(50));
        }
    }
}
