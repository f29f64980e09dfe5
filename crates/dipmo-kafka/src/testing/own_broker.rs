//! A broker that a test may stop, start and freeze.

use std::slice;

use super::node::{Node, Ports, come_up, free_ports};
use crate::KafkaOptions;

/// One node of Apache Kafka with data of its own, which ends with the test.
pub struct OwnBroker {
    options: KafkaOptions,
    node: Node,
}

impl OwnBroker {
    /// A new broker, ready for clients.
    #[must_use]
    pub fn start() -> Self {
        // A port that was free may be somebody's when the broker asks for it.
        std::iter::repeat_with(Self::try_to_start).take(5).flatten().next().expect("a broker")
    }

    fn try_to_start() -> Option<Self> {
        let [ports @ Ports { clients, .. }] = free_ports();
        let options = KafkaOptions::new(&format!("127.0.0.1:{clients}"));
        let mut broker = Self { options, node: Node::start(1, &[ports]) };
        broker.comes_up().then_some(broker)
    }

    /// How to reach it.
    #[must_use]
    pub fn options(&self) -> KafkaOptions {
        self.options.clone()
    }

    /// Ends it at once, as a power cut does. Its data stays.
    pub fn kill(&mut self) {
        self.node.kill();
    }

    /// Starts it again after [`OwnBroker::kill`], on the same data and address.
    pub fn restart(&mut self) {
        self.node.run_again();
        assert!(self.comes_up(), "the broker does not start again: {}", self.node.log());
    }

    /// Stands still: connections stay open and nobody answers.
    pub fn freeze(&self) {
        self.node.signal("-STOP");
    }

    /// Goes on where it stood still.
    pub fn thaw(&self) {
        self.node.signal("-CONT");
    }

    fn comes_up(&mut self) -> bool {
        come_up(&self.options, slice::from_mut(&mut self.node))
    }
}
