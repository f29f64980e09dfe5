//! A database with messages that failed, and who performs operations on them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dipmo_domain::{Failure, InboxStatus, Json, Lane};
use dipmo_inbox::{Identity, Inbox as _, Message, NewMessage, Record};
use dipmo_processing::operations::{OperationOptions, Performer, Redecode};
use dipmo_store::admin::{
    Act, Actions as _, AuditEntry, Begun, MessageFilter, NewOperation, Operation, OperationChange,
    OperationId, OperationState, Seen, Target,
};
use dipmo_store::{
    BatchLogic, Changes, ClaimLimits, ClaimedBatch, Found, Needs, Settlement, SettlementKind, Side,
    Store as _, Tables, Work as _,
};
use dipmo_store_sqlite::{Durability, SqliteOptions, SqliteStore, rusqlite};

/// A database of its own, which goes with its test.
pub(crate) struct Rig {
    pub(crate) store: Arc<SqliteStore>,
    folder: PathBuf,
}

/// Decodes nothing.
pub(crate) struct Nothing;

impl Redecode for Nothing {
    fn decode_again(&self, _: &Message) -> Option<NewMessage> {
        None
    }
}

impl Rig {
    pub(crate) async fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let name = format!("dipmo-operations-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let url = format!("sqlite:{}", folder.join("dipmo.db").display());
        let patience = Duration::from_millis(50);
        let durability = Durability::Normal;
        let options = SqliteOptions { patience, durability, ..SqliteOptions::new(&url) };
        let store = Arc::new(SqliteStore::open(options).await.unwrap());
        store.migrate(&Tables::default()).await.unwrap();
        Self { store, folder }
    }

    /// One with so many messages that failed.
    pub(crate) async fn failed(messages: i64) -> Self {
        let rig = Self::new().await;
        let record = |n| Record {
            topic: "script".to_owned(),
            offset: n,
            value: Some(b"{}".to_vec()),
            ..Record::default()
        };
        let identity = |n| Identity {
            source_system: "test".to_owned(),
            aggregate_id: Some(format!("A-{n}")),
            ..Identity::default()
        };
        let new = |n| NewMessage::decoded(&record(n), &identity(n), Json::empty_object());
        let new: Vec<_> = (0..messages).map(new).collect();
        rig.store.store(&new, &[]).await.unwrap();
        while rig.fail_once().await > 0 {}
        rig
    }

    /// Fails what is ready or due; answers how many.
    pub(crate) async fn fail_once(&self) -> usize {
        let start = Lane::of(b"");
        let limits = ClaimLimits { messages: 1_000, lanes: Lane::COUNT, start };
        let failing = Box::new(Failing::default());
        self.store.process_batch(limits, failing).await.unwrap().0.messages
    }

    /// Somebody who performs, looks often, and has small batches.
    pub(crate) fn performer(&self, owner: &str) -> Performer {
        self.performer_with(owner, quick(), Arc::new(Nothing))
    }

    pub(crate) fn performer_with(
        &self,
        owner: &str,
        options: OperationOptions,
        decoder: Arc<dyn Redecode>,
    ) -> Performer {
        let store = Arc::clone(&self.store);
        Performer::new(store, decoder, owner.to_owned()).options(options)
    }

    /// Begins to retry all that failed.
    pub(crate) async fn retry_all(&self, per_second: Option<u32>) -> OperationId {
        let status = vec![InboxStatus::Failed];
        let filter = MessageFilter { status, ..MessageFilter::default() };
        self.begin(Act::Retry, Target::Messages(filter), per_second).await
    }

    pub(crate) async fn begin(
        &self,
        act: Act,
        target: Target,
        per_second: Option<u32>,
    ) -> OperationId {
        let per_second = per_second.and_then(NonZeroU32::new);
        let new = NewOperation { act, target, force: false, per_second, entry: entry("begin") };
        match self.store.begin_operation(&new).await.unwrap() {
            Begun::Running(operation) => operation.id,
            Begun::TooMany => panic!("too many"),
        }
    }

    pub(crate) async fn change(&self, id: OperationId, change: OperationChange) -> Operation {
        self.store.change_operation(id, change, &entry("change")).await.unwrap().unwrap()
    }

    pub(crate) async fn operation(&self, id: OperationId) -> Operation {
        self.store.operation(id).await.unwrap().unwrap()
    }

    /// Waits until something holds for an operation.
    pub(crate) async fn until(
        &self,
        id: OperationId,
        holds: impl Fn(&Operation) -> bool,
    ) -> Operation {
        let began = Instant::now();
        loop {
            let operation = self.operation(id).await;
            if holds(&operation) {
                return operation;
            }
            // By the clock of the database: that of the runtime may jump.
            assert!(began.elapsed() < Duration::from_secs(60), "{operation:?}");
            tokio::task::yield_now().await;
        }
    }

    pub(crate) async fn until_ended(&self, id: OperationId) -> Operation {
        self.until(id, |operation| operation.state == OperationState::Ended).await
    }

    pub(crate) async fn results(&self, id: OperationId) -> BTreeMap<String, u64> {
        self.store.operation_results(id).await.unwrap()
    }

    /// How messages stand, by a new operation that looks at them and is not performed.
    pub(crate) async fn standings(&self, ids: impl IntoIterator<Item = i64>) -> Vec<Seen> {
        let target = Target::Ids { side: Side::Inbox, ids: ids.into_iter().collect() };
        let id = self.begin(Act::Retry, target, None).await;
        self.change(id, OperationChange::Cancel).await;
        let items = self.store.operation_items(id, None, None, 1_000_000).await.unwrap();
        items.into_iter().map(|item| item.seen.unwrap()).collect()
    }

    /// Another program that has the file.
    pub(crate) fn other(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.folder.join("dipmo.db")).unwrap()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// Options that keep no test waiting.
pub(crate) fn quick() -> OperationOptions {
    OperationOptions { poll: Duration::from_millis(1), batch: 50, ..OperationOptions::default() }
}

pub(crate) fn seen(status: &str, attempts: u32, retried: u32) -> Seen {
    Seen { status: status.to_owned(), attempts, retried }
}

pub(crate) fn counted<const N: usize>(results: [(&str, u64); N]) -> BTreeMap<String, u64> {
    results.map(|(word, count)| (word.to_owned(), count)).into()
}

fn entry(action: &str) -> AuditEntry {
    AuditEntry {
        actor: "jane".to_owned(),
        role: "operator".to_owned(),
        action: action.to_owned(),
        target: String::new(),
        reason: "it was mended".to_owned(),
        detail: Json::empty_object(),
    }
}

/// Fails every message, and blocks nobody.
#[derive(Default)]
struct Failing(Option<ClaimedBatch>);

impl BatchLogic for Failing {
    fn claimed(&mut self, batch: ClaimedBatch) {
        self.0 = Some(batch);
    }

    fn needs(&mut self) -> Option<Needs> {
        self.0.as_ref().map(|_| Needs::default())
    }

    fn decide(&mut self, _: Found) -> Changes {
        let failure = Failure::new("BROKEN", "it is broken");
        let failed = || SettlementKind::Failed { failure: failure.clone(), block: false };
        let messages = self.0.take().into_iter().flat_map(|batch| batch.messages);
        let settle =
            |it: dipmo_store::ClaimedMessage| Settlement { message: it.message.id, kind: failed() };
        Changes { settlements: messages.map(settle).collect(), ..Changes::default() }
    }
}
