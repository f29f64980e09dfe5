//! What a worker does with a batch: one state for each aggregate, one intent for each message.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use dipmo_api::table::{ProcessTable, ProjectedColumn};
use dipmo_domain::{Destination, Headers, Json, OrderKey, Outcome, ProcessKey};
use dipmo_inbox::Message;
use dipmo_outbox::NewIntent;
use dipmo_store::{
    BatchLogic, Changes, ClaimedBatch, Found, Needs, Settlement, SettlementKind, StateWrite, Tables,
};

use super::load;

const PROCESS: &str = "BENCH";

/// The one process, with a column that shows a field of its context.
pub(crate) fn tables() -> Result<Tables> {
    let table = ProcessTable {
        process: PROCESS,
        states: vec!["STARTED", "WAITING"],
        initial: "STARTED",
        state_check: "CK_BENCH_STATE",
        projected: vec![ProjectedColumn { name: "REFERENCE", field: "reference", required: true }],
    };
    Ok(Tables { processes: vec![table.checked()?], ..Tables::default() })
}

/// Where the intents go.
pub(crate) fn destination() -> Destination {
    Destination::Kafka { topic: "bench".to_owned() }
}

/// The instance of an aggregate.
pub(crate) fn key(aggregate: &str) -> ProcessKey {
    ProcessKey { process: PROCESS.to_owned(), id: aggregate.to_owned() }
}

/// Instances that saw no message yet.
pub(crate) fn first_states(aggregates: impl Iterator<Item = String>) -> Vec<StateWrite> {
    aggregates.map(|aggregate| state(key(&aggregate), "STARTED", None, 0)).collect()
}

fn state(key: ProcessKey, name: &str, expected_version: Option<i64>, version: i64) -> StateWrite {
    StateWrite {
        context: load::context(&key.id, version),
        key,
        expected_version,
        version,
        state: name.to_owned(),
        event_versions: BTreeMap::new(),
        attempts: 0,
        last_event_ts: None,
        failure: None,
    }
}

/// Folds the messages of a batch over the states of their aggregates.
pub(crate) struct Fold {
    batch: Option<ClaimedBatch>,
    asked: bool,
    lanes: Arc<AtomicUsize>,
}

impl Fold {
    /// `lanes` is told in how many lanes the messages were.
    pub(crate) const fn new(lanes: Arc<AtomicUsize>) -> Self {
        Self { batch: None, asked: false, lanes }
    }
}

impl BatchLogic for Fold {
    fn claimed(&mut self, batch: ClaimedBatch) {
        let lanes: HashSet<_> = batch.messages.iter().map(|claimed| claimed.message.lane).collect();
        self.lanes.store(lanes.len(), Ordering::Relaxed);
        self.batch = Some(batch);
    }

    fn needs(&mut self) -> Option<Needs> {
        if std::mem::replace(&mut self.asked, true) {
            return None;
        }
        let messages = self.batch.iter().flat_map(|batch| &batch.messages);
        let aggregates: HashSet<&str> =
            messages.filter_map(|claimed| claimed.message.aggregate_id.as_deref()).collect();
        Some(Needs {
            states: aggregates.iter().map(|aggregate| key(aggregate)).collect(),
            blocks: aggregates.iter().map(|aggregate| OrderKey::new(aggregate)).collect(),
            ..Needs::default()
        })
    }

    fn decide(&mut self, found: Found) -> Changes {
        let mut changes = Changes::default();
        let mut versions: HashMap<String, i64> = HashMap::new();
        for claimed in self.batch.take().map(|batch| batch.messages).unwrap_or_default() {
            let message = claimed.message;
            let block = found.blocks.get(&OrderKey::new(aggregate_of(&message)));
            if block.is_some_and(|block| !block.lets_pass(message.id)) {
                // Nothing fails here, so nothing can wait: the counts will tell.
                let kind = SettlementKind::Held;
                changes.settlements.push(Settlement { message: message.id, kind });
                continue;
            }
            let kind = SettlementKind::Processed(Outcome::Done);
            changes.settlements.push(Settlement { message: message.id, kind });
            *versions.entry(aggregate_of(&message).to_owned()).or_default() += 1;
            changes.intents.push(intent(message));
        }
        changes.states = versions
            .into_iter()
            .map(|(aggregate, messages)| {
                let key = key(&aggregate);
                let read = found.states.get(&key).map(|row| row.version);
                state(key, "WAITING", read, read.unwrap_or(0) + messages)
            })
            .collect();
        changes
    }
}

fn aggregate_of(message: &Message) -> &str {
    message.aggregate_id.as_deref().unwrap_or_default()
}

fn intent(message: Message) -> NewIntent {
    NewIntent {
        aggregate_type: "Account".to_owned(),
        aggregate_id: aggregate_of(&message).to_owned(),
        event_type: "AccountChanged".to_owned(),
        event_version: 1,
        payload: message.payload.unwrap_or_else(Json::null),
        headers: Headers::default()
            .with("traceparent", "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"),
        destination: destination(),
        records: Vec::new(),
        reply_to: None,
        cause: Some(message.id),
    }
}
