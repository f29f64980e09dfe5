//! What operators hold back, as everything here obeys it.
//!
//! ```text
//!  dipmo_control ──every second──► Helm ──► Orders ──► Steering: gate, couriers, sources, gates of Salesforce
//! ```
//! **Invariants:** nothing is taken before the orders were read once. A database that does not answer changes no
//! order. Asking costs a read lock, and nothing else while nothing is held back.

mod helm;
mod orders;

use std::sync::Arc;

use dipmo_domain::Failure;
use dipmo_store::admin::Steered;
use tokio::sync::watch;

pub use helm::Helm;
pub use orders::Orders;

/// Asks what is held back now. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Steering(watch::Receiver<Arc<Orders>>);

impl Steering {
    /// By the orders that somebody tells; the last ones hold when they are gone.
    #[must_use]
    pub const fn new(orders: watch::Receiver<Arc<Orders>>) -> Self {
        Self(orders)
    }

    /// Why something rests, when it is paused.
    #[must_use]
    pub fn paused(&self, kind: Steered, name: &str) -> Option<Failure> {
        self.0.borrow().paused(kind, name)
    }

    /// As [`paused`](Self::paused), for a name that costs something to make.
    pub(crate) fn paused_as(&self, kind: Steered, name: impl Fn() -> String) -> Option<Failure> {
        let orders = self.0.borrow();
        if orders.is_empty() { None } else { orders.paused(kind, &name()) }
    }

    /// All orders as they are now.
    #[must_use]
    pub fn orders(&self) -> Arc<Orders> {
        Arc::clone(&self.0.borrow())
    }

    /// Waits until orders change.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            // Nobody steers any more: nothing changes.
            std::future::pending::<()>().await;
        }
    }
}

/// Nobody steers.
impl Default for Steering {
    fn default() -> Self {
        let (_, orders) = watch::channel(Arc::default());
        Self(orders)
    }
}
