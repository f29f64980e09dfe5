//! What the unit tests of this crate share.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use dipmo_domain::{Lane, Outcome, StoreError, Timestamp};
use dipmo_inbox::{Identity, Inbox as _, NewMessage, Record};
use dipmo_store::{
    BatchLogic, BatchReport, Changes, ClaimLimits, ClaimedBatch, Found, Needs, Settlement,
    SettlementKind, Store as _, Tables, Work as _,
};

use crate::MemoryStore;

/// Polls a call, without anybody to be woken.
pub(crate) fn polled_once<T>(call: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    call.poll(&mut Context::from_waker(Waker::noop()))
}

/// The answer of a call that ends the first time that it is polled.
pub(crate) fn ended<T>(call: impl Future<Output = T>) -> T {
    match polled_once(pin!(call)) {
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
    run_after(store, || (), needs, decide)
}

/// The same, and does something else between the claim and the reads.
pub(crate) fn run_after(
    store: &MemoryStore,
    claimed: impl FnOnce() + Send + 'static,
    needs: Needs,
    decide: impl FnMut(&ClaimedBatch, Found) -> Changes + Send + 'static,
) -> Result<BatchReport, StoreError> {
    let start = Lane::from_index(0).unwrap();
    let limits = ClaimLimits { messages: 1_000, lanes: Lane::COUNT, start };
    let needs = || {
        claimed();
        needs
    };
    let logic = Logic { needs: Some(Box::new(needs)), batch: None, decide: Box::new(decide) };
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

type Asks = Box<dyn FnOnce() -> Needs + Send>;

struct Logic {
    needs: Option<Asks>,
    batch: Option<ClaimedBatch>,
    decide: Decide,
}

impl BatchLogic for Logic {
    fn claimed(&mut self, batch: ClaimedBatch) {
        self.batch = Some(batch);
    }

    fn needs(&mut self) -> Option<Needs> {
        self.needs.take().map(|asks| asks())
    }

    fn decide(&mut self, found: Found) -> Changes {
        (self.decide)(self.batch.as_ref().unwrap(), found)
    }
}
