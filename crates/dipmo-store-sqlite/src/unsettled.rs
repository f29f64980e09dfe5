//! The messages of a batch until each of them is settled, once.

use std::collections::HashMap;

use dipmo_domain::{InboxId, StoreError};
use dipmo_store::Settlement;

use crate::claim::Claim;
use crate::error::unexpected;
use crate::overtaking::{self, WentOn};
use crate::releases::Endings;
use crate::settle_messages::{Open, settle};
use crate::sql::Which;
use crate::tx::Tx;

/// The messages of a batch that are not settled yet.
#[derive(Debug)]
pub(crate) struct Unsettled {
    open: HashMap<InboxId, Open>,
    endings: Endings,
    went_on: Vec<WentOn>,
}

impl Unsettled {
    pub(crate) fn of(claims: &[Claim]) -> Self {
        let open = claims.iter().map(|claim| (claim.message.message.id, Open::of(claim))).collect();
        Self { open, endings: Endings::new(Which::Inbox), went_on: Vec::new() }
    }

    /// True while a message is claimed and not settled.
    pub(crate) fn has(&self, id: InboxId) -> bool {
        self.open.contains_key(&id)
    }

    /// Settles those of a wave.
    pub(crate) fn settle(
        &mut self,
        tx: &Tx<'_>,
        settlements: &[Settlement],
    ) -> Result<(), StoreError> {
        for settlement in settlements {
            let Some(open) = self.open.remove(&settlement.message) else {
                let id = settlement.message;
                return Err(unexpected(
                    "settle",
                    format!("{id} was not claimed, or settled twice"),
                ));
            };
            settle(tx, settlement, &open, &mut self.endings)?;
            if settlement.kind.goes_on() {
                self.went_on.extend(open.went_on(settlement.message));
            }
        }
        self.endings.mark(tx)
    }

    /// Ends the batch: all must be settled. True when held messages remain to be let go.
    pub(crate) fn finish(self, tx: &Tx<'_>) -> Result<bool, StoreError> {
        if let Some(first) = self.open.keys().min() {
            return Err(StoreError::Unsettled { messages: self.open.len(), first: *first });
        }
        overtaking::by_messages(tx, self.went_on)?;
        self.endings.apply(tx)
    }
}
