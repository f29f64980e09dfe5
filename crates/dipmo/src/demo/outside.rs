//! The way out: dipmo's publisher for Kafka, with a network in front of it that fails now and then.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use dipmo_domain::Destination;
use dipmo_outbox::{Delivery, Published, Publisher};
use dipmo_sink_kafka::KafkaPublisher;

use super::mischief::{Luck, Mischief, answer_lost, not_now};
use super::recorder::Recorder;
use super::topics::Topics;

/// Publishes to the topics of this run.
pub(crate) struct Outside {
    pub(crate) kafka: Arc<KafkaPublisher>,
    pub(crate) topics: Topics,
    pub(crate) mischief: Mischief,
    pub(crate) recorder: Arc<Recorder>,
}

#[async_trait]
impl Publisher for Outside {
    /// Some are not sent, and of some the answer is lost: these come again on the topic. Nothing
    /// of a key goes out behind one that may have to come again.
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        if let Some(first) = deliveries.first() {
            tokio::time::sleep(self.mischief.delay(&first.idempotency_key())).await;
        }
        let mut stopped = HashSet::new();
        let mut answers = vec![Published::NotTried; deliveries.len()];
        let (mut sent, mut outgoing) = (Vec::new(), Vec::new());
        for (place, delivery) in deliveries.iter().enumerate() {
            if stopped.contains(&delivery.order_key) {
                continue;
            }
            let luck = self.recorder.luck(&delivery.idempotency_key());
            if luck != Luck::Works {
                stopped.insert(&delivery.order_key);
            }
            if luck == Luck::NotNow {
                answers[place] = not_now();
            } else {
                sent.push((place, luck));
                outgoing.push(self.addressed(delivery));
            }
        }
        for ((place, luck), answer) in sent.into_iter().zip(self.kafka.publish(&outgoing).await) {
            let delivered = matches!(answer, Published::Delivered { .. });
            answers[place] =
                if delivered && luck == Luck::AnswerLost { answer_lost() } else { answer };
        }
        answers
    }

    fn keeps_order(&self) -> bool {
        self.kafka.keeps_order()
    }

    fn slice_size(&self, destination: &Destination) -> u32 {
        self.kafka.slice_size(destination)
    }
}

impl Outside {
    fn addressed(&self, delivery: &Delivery) -> Delivery {
        let mut delivery = delivery.clone();
        if let Destination::Kafka { topic } = &mut delivery.destination {
            *topic = self.topics.full(topic);
        }
        delivery
    }
}
