//! What performing takes.

use std::sync::Arc;

use dipmo_domain::StoreError;
use dipmo_store::admin::{Operable, OperationId, OperationLease};

use super::options::OperationOptions;
use super::reparse::Redecode;
use crate::metrics::Metrics;

/// What all performances of an instance share.
#[derive(Clone)]
pub(super) struct Means {
    pub(super) store: Arc<dyn Operable>,
    pub(super) decoder: Arc<dyn Redecode>,
    pub(super) owner: Arc<str>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) options: OperationOptions,
}

impl Means {
    /// Leases an operation: this one, or the oldest that nobody has.
    pub(super) async fn take(
        &self,
        id: Option<OperationId>,
    ) -> Result<Option<OperationLease>, StoreError> {
        let taken = self.store.take_operation(id, &self.owner, self.options.lease).await?;
        if let Some(OperationLease { operation, .. }) = &taken {
            let (id, act) = (operation.id.0, operation.act.as_str());
            let left = operation.items.saturating_sub(operation.met);
            tracing::info!(operation = id, act, left, "an operation is performed");
            self.metrics.operations(|figures| figures.taken += 1);
        }
        Ok(taken)
    }

    /// Gives a lease back. What cannot be given back runs out by itself.
    pub(super) async fn give_back(&self, lease: &OperationLease) {
        if let Err(error) = self.store.give_back_operation(lease).await {
            self.metrics.store_failed("give_back_operation", &error);
        }
    }
}
