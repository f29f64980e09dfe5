//! A logic that keeps order as the engine does: it asks for blocks and holds what is behind one.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use dipmo_domain::{OrderKey, StoreError};
use dipmo_outbox::NewIntent;
use dipmo_store::{
    BatchLogic, BatchReport, Block, Changes, ClaimLimits, ClaimedBatch, ClaimedMessage, Found,
    Needs, Settlement, SettlementKind, Store,
};

use super::everything;

type Verdict = Box<dyn FnMut(&ClaimedMessage) -> SettlementKind + Send>;
type Writes = Box<dyn FnMut(&ClaimedMessage) -> Vec<NewIntent> + Send>;

/// Tries each message that its key's block lets pass, and holds the others.
pub struct Orderly {
    verdict: Verdict,
    writes: Writes,
    forgets_one: bool,
    batch: Option<ClaimedBatch>,
    asked: bool,
    tried: Arc<Mutex<Vec<ClaimedMessage>>>,
}

impl Orderly {
    /// Decides with a verdict.
    #[must_use]
    pub fn new(verdict: impl FnMut(&ClaimedMessage) -> SettlementKind + Send + 'static) -> Self {
        Self {
            verdict: Box::new(verdict),
            writes: Box::new(|_| Vec::new()),
            forgets_one: false,
            batch: None,
            asked: false,
            tried: Arc::default(),
        }
    }

    /// Writes intents for each message that is tried and ends well.
    #[must_use]
    pub fn writing(
        mut self,
        intents: impl FnMut(&ClaimedMessage) -> Vec<NewIntent> + Send + 'static,
    ) -> Self {
        self.writes = Box::new(intents);
        self
    }

    /// Leaves its last message unsettled, so that the store must roll everything back.
    #[must_use]
    pub const fn forgetting_one(mut self) -> Self {
        self.forgets_one = true;
        self
    }

    /// Runs one batch; answers the messages that were tried, in order.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(
        self,
        store: &dyn Store,
        limits: ClaimLimits,
    ) -> Result<(BatchReport, Vec<ClaimedMessage>), StoreError> {
        let tried = Arc::clone(&self.tried);
        let (report, _) = store.process_batch(limits, Box::new(self)).await?;
        let tried = std::mem::take(&mut *tried.lock().unwrap());
        Ok((report, tried))
    }
}

impl BatchLogic for Orderly {
    fn claimed(&mut self, batch: ClaimedBatch) {
        self.batch = Some(batch);
    }

    fn needs(&mut self) -> Option<Needs> {
        if std::mem::replace(&mut self.asked, true) {
            return None;
        }
        let messages = &self.batch.as_ref().unwrap().messages;
        let keys: HashSet<OrderKey> =
            messages.iter().filter_map(|claimed| claimed.message.order_key()).collect();
        Some(Needs { blocks: keys.into_iter().collect(), ..Needs::default() })
    }

    fn decide(&mut self, found: Found) -> Changes {
        let mut changes = Changes::default();
        let mut blocked_here: HashSet<OrderKey> = HashSet::new();
        for claimed in &self.batch.as_ref().unwrap().messages {
            let (message, key) = (claimed.message.id, claimed.message.order_key());
            // The block as it was found counts for the whole batch: when its head ends now, those
            // held behind it come before what is later in this batch.
            let waits = key.as_ref().is_some_and(|key| {
                let passes = |block: &Block| block.lets_pass(message);
                blocked_here.contains(key) || !found.blocks.get(key).is_none_or(passes)
            });
            if waits {
                changes.settlements.push(Settlement { message, kind: SettlementKind::Held });
                continue;
            }
            let kind = (self.verdict)(claimed);
            self.tried.lock().unwrap().push(claimed.clone());
            match &kind {
                SettlementKind::Processed(_) => changes.intents.extend((self.writes)(claimed)),
                SettlementKind::Retry { .. } | SettlementKind::Failed { block: true, .. } => {
                    blocked_here.extend(key);
                }
                _ => {}
            }
            changes.settlements.push(Settlement { message, kind });
        }
        if self.forgets_one {
            changes.settlements.pop();
        }
        changes
    }
}

/// Runs batches and lets go what is held until nothing can be claimed; answers what was tried, in
/// order.
pub async fn work_off(
    store: &dyn Store,
    verdict: impl FnMut(&ClaimedMessage) -> SettlementKind + Send + 'static,
) -> Vec<ClaimedMessage> {
    let verdict = Arc::new(Mutex::new(verdict));
    let mut all = Vec::new();
    loop {
        let verdict = Arc::clone(&verdict);
        let logic = Orderly::new(move |claimed| (verdict.lock().unwrap())(claimed));
        let (report, tried) = logic.run(store, everything()).await.unwrap();
        all.extend(tried);
        let let_go = store.release(1_000).await.unwrap();
        if report.messages == 0 && let_go == 0 {
            return all;
        }
    }
}
