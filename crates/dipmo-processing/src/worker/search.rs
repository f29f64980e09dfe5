//! The search for the one message that takes its batch back.

use std::sync::Arc;

use dipmo_domain::{Failure, InboxId, Lane, StoreError};
use dipmo_store::ClaimLimits;

use super::trial::Trial;
use super::{Trouble, Worker};

/// What a beginning of the batch came to.
enum Found {
    /// It was refused: the culprit is in it, and this is what was said.
    Refused(Failure),
    /// It was not: the culprit comes later.
    Clean,
    /// It was another batch: other messages came, or another worker has some of them.
    Changed,
}

impl Worker {
    /// Finds the first message of a batch of one lane that the database refuses, by halving, and convicts it:
    /// the next batch that meets it fails it.
    ///
    /// Whatever is in doubt convicts nobody: the batch is claimed again, and the search with it.
    pub(super) async fn convict(
        &mut self,
        limits: ClaimLimits,
        ids: &[InboxId],
        failure: &Failure,
    ) -> Result<(), StoreError> {
        // With two culprits, the first is found, and was perhaps not what the batch failed with.
        let mut failure = failure.clone();
        // The smallest beginning that is refused has more than `clean` and at most `refused`.
        let (mut clean, mut refused) = (0, ids.len());
        while refused - clean > 1 {
            let middle = usize::midpoint(clean, refused);
            match self.probe(limits, &ids[..middle]).await? {
                Found::Refused(said) => (refused, failure) = (middle, said),
                Found::Clean => clean = middle,
                Found::Changed => {
                    // Somebody else is at it: two that look for the same one are in each other's way.
                    self.pace.turn_to(Lane::of(&self.random.u64(..).to_le_bytes()));
                    return Ok(());
                }
            }
        }
        let Some(culprit) = ids.get(clean) else { return Ok(()) };
        let mut convicted = (*self.convicted).clone();
        convicted.insert(*culprit, failure.clone());
        self.convicted = Arc::new(convicted);
        let code = failure.code();
        tracing::warn!(inbox_id = %culprit, code, "the database refuses a message");
        Ok(())
    }

    async fn probe(
        &mut self,
        limits: ClaimLimits,
        beginning: &[InboxId],
    ) -> Result<Found, StoreError> {
        let Some(last) = beginning.last() else { return Ok(Found::Changed) };
        let trial = Trial::up_to(*last, &self.convicted);
        let (result, tally) = self.attempt(limits, trial).await;
        let same = tally.ids.iter().take_while(|id| *id <= last).eq(beginning);
        match result {
            _ if !same => Ok(Found::Changed),
            Err(Trouble::Store(error)) if error.is_refusal() => Ok(Found::Refused((&error).into())),
            Err(Trouble::Panicked(failure)) => Ok(Found::Refused(failure)),
            Err(Trouble::Store(StoreError::Unsettled { .. })) => Ok(Found::Clean),
            Err(Trouble::Store(error)) => Err(error),
            // There was nothing behind the beginning any more, so it was a batch like any other.
            Ok(_) => Ok(Found::Changed),
        }
    }
}
