//! Handler functions: effects in the same program, called with an idempotency key.

use async_trait::async_trait;
use dipmo_outbox::{Delivery, Published, Publisher};
use futures_util::StreamExt as _;
use futures_util::stream;

/// How many calls of one slice run at once.
const AT_ONCE: usize = 16;

/// Takes the deliveries of `INTERNAL:<name>` that no process is meant to get.
///
/// It is called again for a delivery whose settlement was lost: what it does elsewhere should be
/// done under [`Delivery::idempotency_key`].
#[async_trait]
pub trait EffectHandler: Send + Sync {
    /// Does what the delivery asks for.
    async fn handle(&self, delivery: &Delivery) -> Published;
}

#[async_trait]
impl<F, A> EffectHandler for F
where
    F: Fn(Delivery) -> A + Send + Sync,
    A: Future<Output = Published> + Send,
{
    async fn handle(&self, delivery: &Delivery) -> Published {
        self(delivery.clone()).await
    }
}

/// A handler as a publisher.
pub(super) struct Functions<H>(pub(super) H);

#[async_trait]
impl<H: EffectHandler> Publisher for Functions<H> {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let calls = deliveries.iter().map(|delivery| self.0.handle(delivery));
        stream::iter(calls.collect::<Vec<_>>()).buffered(AT_ONCE).collect().await
    }
}
