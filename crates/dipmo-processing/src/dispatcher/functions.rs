//! Handler functions: effects in the same program, called with an idempotency key.

use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use dipmo_domain::Code;
use dipmo_outbox::{Delivery, Ending, Published, Publisher};
use futures_util::stream;
use futures_util::{FutureExt as _, StreamExt as _};

use crate::panics;

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
        self.publish_until(deliveries, &Ending::default()).await
    }

    async fn publish_until(&self, deliveries: &[Delivery], ending: &Ending) -> Vec<Published> {
        let calls = deliveries.iter().map(async |delivery| {
            if ending.is_begun() { Published::NotTried } else { self.call(delivery).await }
        });
        stream::iter(calls.collect::<Vec<_>>()).buffered(AT_ONCE).collect().await
    }
}

impl<H: EffectHandler> Functions<H> {
    /// A call that panics has failed alone: its neighbours go on, and are not called again.
    async fn call(&self, delivery: &Delivery) -> Published {
        let called = AssertUnwindSafe(self.0.handle(delivery)).catch_unwind().await;
        called.unwrap_or_else(|panic| {
            let failure = panics::failure(Code::new("publisher-panicked"), &*panic);
            Published::Retry { failure, after: None }
        })
    }
}
