//! Asks the database now and then, so that health is known although nobody has anything to do.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_store::Store;
use tokio_util::sync::CancellationToken;

use super::pulse::Pulse;
use super::seen::Trouble;
use crate::sampling::regularly;

/// Looks whether the database answers, whether its schema fits, and what waits in it.
///
/// For every instance, also one that only reads: it needs no engine.
pub struct Checkup {
    store: Arc<dyn Store>,
    pulse: Arc<Pulse>,
    every: Duration,
}

impl Checkup {
    /// Every five seconds, and less often when an answer takes long.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, pulse: Arc<Pulse>) -> Self {
        Self { store, pulse, every: Duration::from_secs(5) }
    }

    /// As often as this.
    #[must_use]
    pub const fn every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// Looks until it is stopped.
    pub async fn run(self, stop: CancellationToken) {
        regularly(self.every, stop, || self.look()).await;
    }

    /// Looks once.
    pub async fn look(&self) {
        match self.store.check_schema().await {
            Ok(()) => {
                self.pulse.answered();
                self.pulse.schema(None);
                self.count().await;
            }
            Err(error) if is_about_schema(&error) => {
                self.pulse.answered();
                self.pulse.schema(Some(Trouble::of(&error)));
            }
            Err(error) => self.pulse.away(&error),
        }
    }

    /// Counts, unless an engine of this instance just did.
    async fn count(&self) {
        if self.pulse.counted_ago().is_some_and(|ago| ago < self.every * 2) {
            return;
        }
        match self.store.backlog().await {
            Ok(backlog) => self.pulse.counted(&backlog),
            Err(error) => self.pulse.away(&error),
        }
    }
}

/// True when the database answered, and what it has is not what this version needs.
const fn is_about_schema(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::SchemaMissing { .. }
            | StoreError::SchemaNewer { .. }
            | StoreError::MigrationChanged { .. }
    )
}
