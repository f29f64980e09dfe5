//! What the unit tests of this crate share.

use std::task::{Context, Poll, Waker};

use dipmo_domain::{Lane, Outcome, StoreError, Timestamp};
use dipmo_inbox::{Identity, Inbox as _, NewMessage, Record};
use dipmo_store::{
    BatchLogic, BatchReport, Changes, ClaimLimits, ClaimedBatch, Found, Needs, Settlement,
    SettlementKind, Store as _, Tables, Work as _,
};

use crate::MemoryStore;

/// The answer of a call; each one ends the first time that it is polled.
pub(crate) fn ended<T>(call: impl Future<Output = T>) -> T {
    let mut call = std::pin::pin!(call);
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("a call of the store in memory waits"),
    }
}

/// An empty store without tables of processes.
pub(crate) fn migrated() -> MemoryStore {
    let store = MemoryStore::new(Timestamp::EPOCH);
    ended(store.migrate(&Tables::default())).unwrap();
    store
}

/// Stores messages of an aggregate.
pub(crate) fn store_events(store: &MemoryStore, aggregate: &str, numbers: &[i64]) {
    let event = |number: &i64| {
        let record = Record { offset: *number, timestamp_millis: -1, ..Record::default() };
        let aggregate_id = Some(aggregate.to_owned());
        let message_id = Some(format!("{aggregate}/{number}"));
        let identity = Identity { aggregate_id, message_id, ..Identity::default() };
        NewMessage::from_record(&record, &identity)
    };
    let events: Vec<_> = numbers.iter().map(event).collect();
    ended(store.store(&events, &[])).unwrap();
}

/// Runs a batch of one wave over everything.
pub(crate) fn run(
    store: &MemoryStore,
    needs: Needs,
    decide: impl FnMut(&ClaimedBatch, Found) -> Changes + Send + 'static,
) -> Result<BatchReport, StoreError> {
    let start = Lane::from_index(0).unwrap();
    let limits = ClaimLimits { messages: 1_000, lanes: Lane::COUNT, start };
    let logic = Logic { needs: Some(needs), batch: None, decide: Box::new(decide) };
    ended(store.process_batch(limits, Box::new(logic))).map(|(report, _)| report)
}

/// The same settlement for every message.
pub(crate) fn all(batch: &ClaimedBatch, kind: &SettlementKind) -> Changes {
    let settle = |message| Settlement { message, kind: kind.clone() };
    let messages = batch.messages.iter().map(|claimed| claimed.message.id);
    Changes { settlements: messages.map(settle).collect(), ..Changes::default() }
}

pub(crate) const DONE: SettlementKind = SettlementKind::Processed(Outcome::Done);

type Decide = Box<dyn FnMut(&ClaimedBatch, Found) -> Changes + Send>;

struct Logic {
    needs: Option<Needs>,
    batch: Option<ClaimedBatch>,
    decide: Decide,
}

impl BatchLogic for Logic {
    fn claimed(&mut self, batch: ClaimedBatch) {
        self.batch = Some(batch);
    }

    fn needs(&mut self) -> Option<Needs> {
        self.needs.take()
    }

    fn decide(&mut self, found: Found) -> Changes {
        (self.decide)(self.batch.as_ref().unwrap(), found)
    }
}
