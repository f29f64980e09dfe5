//! A cluster that takes no transactions from us: nothing is read for a topic of it for a while.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dipmo_domain::{Destination, Failure};
use dipmo_kafka::{KafkaError, Verdict};
use dipmo_outbox::Readiness;
use rdkafka::types::RDKafkaErrorCode as Rd;
use tokio::time::Instant;

use crate::error::SinkError;

/// After so long it is tried again: who grants a right should not have to restart anything.
const AGAIN: Duration = Duration::from_secs(30);

/// Codes by which a broker says so, beside those of missing rights.
const CODES: [Rd; 4] = [
    Rd::InvalidTransactionTimeout,
    Rd::UnsupportedVersion,
    Rd::UnsupportedFeature,
    Rd::TransactionalIdAuthorizationFailed,
];

/// Since when and why nothing is tried. A right may be missing for one topic only.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<HashMap<Destination, (Instant, Failure)>>);

impl Refusals {
    /// Takes an error in that is about no record.
    pub(super) fn heard(&self, destination: &Destination, code: Option<Rd>, error: &KafkaError) {
        let refused =
            code.is_some_and(|code| CODES.contains(&code)) || error.verdict() == Verdict::Permanent;
        if refused {
            let error = SinkError::TransactionsRefused { problem: error.to_string() };
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(destination.clone(), (Instant::now(), Failure::from(&error)));
        }
    }

    pub(super) fn readiness(&self, destination: &Destination) -> Readiness {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((since, why)) = all.get(destination) else { return Readiness::Ready };
        match AGAIN.checked_sub(since.elapsed()) {
            Some(after) if !after.is_zero() => Readiness::Later { after, why: why.clone() },
            _ => Readiness::Ready,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_refusal_is_told_and_tried_again_after_a_while() {
        let refusals = Refusals::default();
        let [topic, other] =
            ["one", "other"].map(|topic| Destination::Kafka { topic: topic.to_owned() });
        let away = KafkaError::Unreachable { problem: "gone".to_owned() };
        refusals.heard(&topic, Some(Rd::AllBrokersDown), &away);
        assert_eq!(refusals.readiness(&topic), Readiness::Ready);
        let never = KafkaError::NotAuthorised { problem: "not yours".to_owned() };
        refusals.heard(&topic, Some(Rd::GroupAuthorizationFailed), &never);
        let Readiness::Later { after, why } = refusals.readiness(&topic) else {
            panic!("not refused")
        };
        assert_eq!((after, why.code()), (AGAIN, "kafka-transactions-refused"));
        assert_eq!(refusals.readiness(&other), Readiness::Ready);
        tokio::time::advance(AGAIN).await;
        assert_eq!(refusals.readiness(&topic), Readiness::Ready);
    }
}
