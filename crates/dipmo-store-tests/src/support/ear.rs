//! Somebody who waits to be woken.

use std::time::Duration;

use dipmo_store::{Side, Store};
use tokio::sync::watch;
use tokio::time::timeout;

/// Listens on one side of a store.
pub struct Ear(watch::Receiver<u64>);

impl Ear {
    /// How often a test lets something happen: a store may wake for nothing once or twice, when it
    /// begins to listen, but what is heard every time was told.
    pub const ROUNDS: i64 = 4;

    /// Hears what is told from now on.
    #[must_use]
    pub fn on(store: &dyn Store, side: Side) -> Self {
        Self(store.arrivals(side))
    }

    /// Returns when something was told since the last time; answers how often anything was, ever.
    ///
    /// # Panics
    /// When nothing is told for a long time, or the store is gone.
    pub async fn hears(&mut self) -> u64 {
        let told = timeout(Duration::from_secs(30), self.0.changed()).await;
        told.expect("nobody was woken").expect("the store is gone");
        *self.0.borrow_and_update()
    }

    /// Leaves out what was told so far.
    pub fn forgets(&mut self) {
        self.0.mark_unchanged();
    }

    /// Returns when nothing is told for a while.
    pub async fn hears_nothing(&mut self) {
        while timeout(Duration::from_millis(200), self.0.changed()).await.is_ok() {}
    }
}
