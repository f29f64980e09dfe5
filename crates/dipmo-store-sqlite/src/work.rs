//! The port of the inbox worker.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_store::{BatchLogic, BatchReport, ClaimLimits, Work};

use crate::sql::Which;
use crate::{SqliteStore, batch, releases, timers};

#[async_trait]
impl Work for SqliteStore {
    async fn process_batch(
        &self,
        limits: ClaimLimits,
        mut logic: Box<dyn BatchLogic>,
    ) -> Result<(BatchReport, Box<dyn BatchLogic>), StoreError> {
        let (options, tables) = (Arc::clone(&self.options), self.tables());
        self.write(move |tx| {
            let report = batch::run(tx, &options, &tables, &limits, &mut *logic)?;
            Ok((report, logic))
        })
        .await
    }

    async fn release(&self, limit: u32) -> Result<usize, StoreError> {
        self.write(move |tx| releases::release(tx, Which::Inbox, as_usize(limit))).await
    }

    async fn fire_timers(&self, limit: u32) -> Result<usize, StoreError> {
        self.write(move |tx| timers::fire(tx, limit)).await
    }
}

/// A limit as a number of rows.
pub(crate) fn as_usize(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
