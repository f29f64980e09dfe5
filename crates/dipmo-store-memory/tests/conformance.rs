//! The contract of a store, kept by the one in memory.

#![expect(clippy::unwrap_used, reason = "an unwrap in a test is an assertion")]

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::Month;
use dipmo_store::Store;
use dipmo_store_memory::MemoryStore;
use dipmo_store_tests::{Fixture, conformance, suite_tables};

struct Memory(Arc<MemoryStore>);

#[async_trait]
impl Fixture for Memory {
    async fn fresh() -> Self {
        let fixture = Self::empty().await;
        fixture.0.migrate(&suite_tables()).await.unwrap();
        fixture
    }

    async fn empty() -> Self {
        Self(Arc::new(MemoryStore::new(Month::new(2026, 1).unwrap().start())))
    }

    fn store(&self) -> Arc<dyn Store> {
        self.0.clone()
    }

    async fn another(&self) -> Arc<dyn Store> {
        Arc::new(MemoryStore::clone(&self.0))
    }

    async fn tick(&self) {
        self.0.advance(Duration::from_micros(1));
    }

    async fn kill_claimers(&self) {
        self.0.kill_sessions();
    }

    fn stopped_after() -> Duration {
        MemoryStore::SESSION_TIME_OUT
    }

    async fn outlast_stopped_claimers(&self) {
        self.0.advance(MemoryStore::SESSION_TIME_OUT);
    }
}

conformance!(Memory, no_sql);
