//! The port of destinations: who takes deliveries and says what became of each.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::Failure;

use crate::Delivery;

/// How many deliveries a slice has where the publisher does not say.
pub const SLICE_SIZE: u32 = 500;

/// Delivers to destinations of one kind.
///
/// The dispatcher gives it a slice and a deadline, settles by what it answers, and keeps everything
/// else away from it: leases, retries, order, shutdown. A crash between the answer and the
/// settlement, or an answer that never came, means that the same unit is given out again: a
/// destination that can tell should be told [`Delivery::idempotency_key`].
#[async_trait]
pub trait Publisher: Send + Sync {
    /// Delivers, and answers for each delivery in its place.
    ///
    /// Dropped when its time is up; what was given to it then counts as not delivered for now.
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published>;

    /// True for a publisher that keeps the order of deliveries with the same order key within a
    /// slice, as a Kafka producer does, and that delivers nothing behind one that it could not
    /// deliver. Any other gets each order key once in a slice.
    fn keeps_order(&self) -> bool {
        false
    }

    /// How many deliveries make a good slice, when so many wait: more where they share a call, fewer
    /// where each is one. Slices grow to it while they are quick; large payloads make them
    /// shorter whatever this says.
    fn slice_size(&self) -> u32 {
        SLICE_SIZE
    }
}

/// What became of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Published {
    /// The destination acknowledged it, under this id of its own where it told one.
    Delivered {
        /// Such as a Salesforce record id.
        external_ref: Option<String>,
    },
    /// It was tried and may work later.
    Retry {
        /// Why.
        failure: Failure,
        /// What the destination said about when; the policy decides where it said nothing.
        after: Option<Duration>,
    },
    /// It was not tried: the destination is not there, or something before it was not delivered.
    NotTried,
    /// The destination refused it for good.
    Refused(Failure),
}

impl Published {
    /// Delivered, without an id of the destination's own.
    #[must_use]
    pub const fn delivered() -> Self {
        Self::Delivered { external_ref: None }
    }
}

impl Delivery {
    /// The same for every attempt at this unit, and for no other unit of this database.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        format!("dipmo-{}", self.unit.0)
    }
}
