//! A batch of one message of its own, which reads and writes states outside of what is measured.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, ensure};
use dipmo_domain::{Lane, Outcome, ProcessKey};
use dipmo_inbox::{Identity, NewMessage, Record};
use dipmo_store::{
    BatchLogic, Changes, ClaimLimits, ClaimedBatch, Found, Needs, Settlement, SettlementKind,
    StateRow, StateWrite, Store,
};

/// Writes states.
pub(crate) async fn write_states(store: &dyn Store, states: Vec<StateWrite>) -> Result<()> {
    let changes = Changes { states, ..Changes::default() };
    run(store, "write", Marker { changes, ..Marker::default() }).await
}

/// Reads states. Fails when the inbox has anything else to process.
pub(crate) async fn read_states(
    store: &dyn Store,
    keys: Vec<ProcessKey>,
) -> Result<HashMap<ProcessKey, StateRow>> {
    let found = Arc::default();
    let marker = Marker {
        needs: Some(Needs { states: keys, ..Needs::default() }),
        found: Arc::clone(&found),
        ..Marker::default()
    };
    run(store, "read", marker).await?;
    Ok(std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner)))
}

async fn run(store: &dyn Store, name: &str, marker: Marker) -> Result<()> {
    let record =
        Record { topic: "bench-marker".to_owned(), timestamp_millis: -1, ..Record::default() };
    let identity = Identity {
        source_system: "bench".to_owned(),
        message_id: Some(name.to_owned()),
        ..Identity::default()
    };
    store.store(&[NewMessage::from_record(&record, &identity)], &[]).await?;
    let everything =
        ClaimLimits { messages: u32::MAX, lanes: Lane::COUNT, start: Lane::of(name.as_bytes()) };
    let (report, _) = store.process_batch(everything, Box::new(marker)).await?;
    let others = report.messages.saturating_sub(1);
    ensure!(report.messages == 1, "{others} messages were left in the inbox");
    Ok(())
}

#[derive(Default)]
struct Marker {
    needs: Option<Needs>,
    changes: Changes,
    found: Arc<Mutex<HashMap<ProcessKey, StateRow>>>,
    asked: bool,
}

impl BatchLogic for Marker {
    fn claimed(&mut self, batch: ClaimedBatch) {
        let done = |message| Settlement { message, kind: SettlementKind::Processed(Outcome::Done) };
        let messages = batch.messages.iter().map(|claimed| claimed.message.id);
        self.changes.settlements = messages.map(done).collect();
    }

    fn needs(&mut self) -> Option<Needs> {
        let first = !std::mem::replace(&mut self.asked, true);
        first.then(|| self.needs.take().unwrap_or_default())
    }

    fn decide(&mut self, found: Found) -> Changes {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = found.states;
        std::mem::take(&mut self.changes)
    }
}
