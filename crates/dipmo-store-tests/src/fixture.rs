//! What a store must give the suite.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_store::Store;
use dipmo_store::admin::Operable;

/// One database of a store, empty when a test gets it.
///
/// Tests run at the same time, so each fixture has a database (a schema, a file) of its own, which
/// goes when the fixture is dropped.
#[async_trait]
pub trait Fixture: Sized + Send + Sync + 'static {
    /// An empty database, migrated, with [`suite_tables`](crate::suite_tables) installed.
    async fn fresh() -> Self;

    /// An empty database in which nothing was ever migrated.
    async fn empty() -> Self;

    /// The store; always the same instance.
    fn store(&self) -> Arc<dyn Store>;

    /// Another instance on the same database, with connections of its own, as another host has.
    async fn another(&self) -> Arc<dyn Store>;

    /// Lets the store's clock go on by the least it can tell.
    ///
    /// The default waits until the real clock has moved; a store whose clock stands still moves it.
    async fn tick(&self) {
        let store = self.store();
        let before = store.now().await.unwrap();
        while store.now().await.unwrap() <= before {
            tokio::task::yield_now().await;
        }
    }

    /// Ends the database session of whoever is inside a batch, as a crash of its host would.
    ///
    /// Not called with the word `in_process`.
    async fn kill_claimers(&self) {
        unreachable!("this store says `in_process`: nobody can end its sessions from outside");
    }

    /// As [`fresh`](Self::fresh), in a store that ends the session of a batch that stands still
    /// after [`stopped_after`](Self::stopped_after), which is short. Others are better patient: a
    /// busy machine stands still as well.
    async fn impatient() -> Self {
        Self::fresh().await
    }

    /// How soon the store of [`impatient`](Self::impatient) ends the session of a batch that stands
    /// still.
    ///
    /// Not called with the word `in_process`.
    fn stopped_after() -> Duration {
        unreachable!("this store says `in_process`: nobody ends a batch that stands still");
    }

    /// Called while a batch stands still: a store whose clock stands still as well lets the time-out
    /// of [`stopped_after`](Self::stopped_after) pass. For others it passes while the test waits.
    async fn outlast_stopped_claimers(&self) {}
}

/// The same for a store that people can operate.
#[async_trait]
pub trait OperableFixture: Fixture {
    /// The instance that [`store`](Fixture::store) gives.
    fn operable(&self) -> Arc<dyn Operable>;

    /// As [`another`](Fixture::another).
    async fn another_operable(&self) -> Arc<dyn Operable>;

    /// Runs a statement as somebody who has the database at hand, beside the store; an error has the words of the
    /// database.
    async fn by_hand(&self, sql: &str) -> Result<(), String>;

    /// Every row of every table that the database has, as text, each with the name of its table in lower case: found in
    /// its catalogue, so that no table is forgotten. Ordered, so that it can be compared.
    async fn dump(&self) -> Vec<(String, String)>;
}
