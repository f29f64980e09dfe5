//! Operations: what they are about, how that is kept, and what is told of them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use dipmo_domain::{InboxId, Json, OutboxId};
use dipmo_store::Side;
use dipmo_store::admin::{
    Act, AuditEntry, AuditFilter, Begun, NewOperation, Operable, Operation, OperationId,
    OperationItem, OperationLease, OperationState, Page, Target,
};

use crate::OperableFixture;
use crate::support::{LONG, Script, batch, event, failed, retry, stored, work_off};

/// An entry of the audit, by Ann.
pub(super) fn entry(action: &str) -> AuditEntry {
    AuditEntry {
        actor: "ann".to_owned(),
        role: "operator".to_owned(),
        action: action.to_owned(),
        target: "to be said".to_owned(),
        reason: "because the test says so".to_owned(),
        detail: Json::parse(r#"{"by":"hand"}"#).unwrap(),
    }
}

/// An operation without force or rate.
pub(super) fn new_operation(act: Act, target: Target) -> NewOperation {
    NewOperation { act, target, force: false, per_second: None, entry: entry("operation.begin") }
}

/// Begins an operation that is not too large.
pub(super) async fn begun(store: &dyn Operable, new: &NewOperation) -> Operation {
    match store.begin_operation(new).await.unwrap() {
        Begun::Running(operation) => operation,
        Begun::TooMany => panic!("it is not too large"),
    }
}

/// The same, without force or rate.
pub(super) async fn begin(store: &dyn Operable, act: Act, target: Target) -> Operation {
    begun(store, &new_operation(act, target)).await
}

/// Messages by their ids.
pub(super) fn messages(ids: &[InboxId]) -> Target {
    Target::Ids { side: Side::Inbox, ids: ids.iter().map(|id| id.0).collect() }
}

/// Units by their ids.
pub(super) fn units(ids: &[OutboxId]) -> Target {
    Target::Ids { side: Side::Outbox, ids: ids.iter().map(|id| id.0).collect() }
}

/// Takes an operation that nobody has.
pub(super) async fn lease(store: &dyn Operable, operation: &Operation) -> OperationLease {
    let taken = store.take_operation(Some(operation.id), "worker", LONG).await.unwrap();
    taken.expect("nobody has it")
}

/// Performs all of an operation, two items at a time; answers how it stands then.
pub(super) async fn perform_all(store: &dyn Operable, operation: &Operation) -> Operation {
    let lease = lease(store, operation).await;
    loop {
        let items = store.next_items(&lease, 2).await.unwrap();
        if items.is_empty() {
            return store.renew_operation(&lease, LONG).await.unwrap();
        }
        let performed = store.perform(&lease, &items).await.unwrap();
        assert_eq!(performed.met, u64::try_from(items.len()).unwrap());
    }
}

/// All items of an operation.
pub(super) async fn items(store: &dyn Operable, id: OperationId) -> Vec<OperationItem> {
    store.operation_items(id, None, None, 100_000).await.unwrap()
}

/// What became of messages or units, for each in its place.
pub(super) async fn results_of(store: &dyn Operable, id: OperationId, of: &[i64]) -> Vec<String> {
    let items = items(store, id).await;
    let result = |id: &i64| {
        let item = items.iter().find(|item| item.id == *id).expect("it is an item");
        item.result.clone().unwrap_or_else(|| "NOT MET".to_owned())
    };
    of.iter().map(result).collect()
}

/// Messages of aggregates of their own that failed, with failures of one kind.
pub(super) async fn failed_messages(store: &dyn Operable, count: i64) -> Vec<InboxId> {
    let messages: Vec<_> = (0..count).map(|n| event(&format!("F-{n}"), n)).collect();
    let ids = stored(store, &messages).await;
    batch(store, Script::settling(|_| failed(true))).await.unwrap();
    ids
}

fn ids_of(items: &[OperationItem]) -> Vec<i64> {
    items.iter().map(|item| item.id).collect()
}

/// What was asked for is kept: what, to what, how fast, by whom and why.
pub async fn what_was_asked_for_is_kept<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let ids = failed_messages(&*store, 2).await;
    let before = store.now().await.unwrap();
    let new = NewOperation {
        force: true,
        per_second: NonZeroU32::new(7),
        ..new_operation(Act::Skip, messages(&ids))
    };
    let operation = begun(&*store, &new).await;
    let expected = Operation {
        id: operation.id,
        act: Act::Skip,
        side: Side::Inbox,
        force: true,
        per_second: NonZeroU32::new(7),
        actor: new.entry.actor,
        reason: new.entry.reason,
        created_at: operation.created_at,
        state: OperationState::Running,
        ended_at: None,
        items: 2,
        met: 0,
        done: 0,
        owner: None,
    };
    assert_eq!(operation, expected);
    let times = [before, operation.created_at, store.now().await.unwrap()];
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(another.operation(operation.id).await.unwrap(), Some(operation.clone()));
    let nobody = OperationId(operation.id.0 + 1_000);
    assert_eq!(another.operation(nobody).await.unwrap(), None);
}

/// The audit has an entry of every operation, as it was given, about the operation.
pub async fn a_beginning_is_in_the_audit<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 1).await;
    let operations = [
        begin(&*store, Act::Retry, messages(&ids)).await,
        begin(&*store, Act::Skip, messages(&[])).await,
    ];
    for operation in operations {
        let target = format!("operation/{}", operation.id.0);
        let filter = AuditFilter { target: Some(target.clone()), ..AuditFilter::default() };
        let rows = store.audit(&filter, Page::first(10)).await.unwrap().rows;
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!(rows[0].entry, AuditEntry { target, ..entry("operation.begin") });
        assert_eq!(rows[0].at, operation.created_at, "in the same transaction");
    }
}

/// A preview begins nothing.
pub async fn a_preview_begins_nothing<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 1).await;
    assert_eq!(store.preview(Act::Retry, &messages(&ids)).await.unwrap().items, 1);
    assert!(store.operations(Page::first(10)).await.unwrap().rows.is_empty());
    let audit = store.audit(&AuditFilter::default(), Page::first(10)).await.unwrap();
    assert!(audit.rows.is_empty());
}

/// Items are kept as they stood when the operation began, whatever becomes of them.
pub async fn items_are_kept_as_they_stood<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 2).await;
    store.retry(&ids[1..], false).await.unwrap();
    work_off(&*store, |_| retry(LONG)).await;
    let operation = begin(&*store, Act::Skip, messages(&ids)).await;
    let before = items(&*store, operation.id).await;
    let seen: Vec<_> = before
        .iter()
        .map(|item| {
            let seen = item.seen.as_ref().unwrap();
            (item.id, seen.status.as_str(), seen.attempts, seen.retried)
        })
        .collect();
    assert_eq!(seen, [(ids[0].0, "FAILED", 1, 0), (ids[1].0, "RETRY", 1, 1)]);
    assert!(before.iter().all(|item| item.result.is_none()));
    store.skip(&ids).await.unwrap();
    assert_eq!(items(&*store, operation.id).await, before);
}

/// Ids are taken as they are, each once, also those of nobody.
pub async fn ids_are_taken_as_they_are<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 2).await;
    store.skip(&ids[..1]).await.unwrap();
    let nobody = InboxId(ids[1].0 + 1_000_000);
    let target = messages(&[nobody, ids[1], ids[0], ids[1]]);
    let preview = store.preview(Act::Retry, &target).await.unwrap();
    let expected = [ids[0].0, ids[1].0, nobody.0];
    assert_eq!(preview.items, 3);
    assert!(!preview.sample.is_empty() && expected.starts_with(&preview.sample));
    let by_status = [("FAILED".to_owned(), 1), ("PROCESSED".to_owned(), 1)];
    assert_eq!(preview.by_status, BTreeMap::from(by_status));
    let operation = begin(&*store, Act::Retry, target).await;
    let items = items(&*store, operation.id).await;
    assert_eq!((operation.items, ids_of(&items)), (3, expected.to_vec()));
    assert_eq!(items[2].seen, None);
}

/// One without items has ended at once, and nobody takes it.
pub async fn nothing_to_do_has_ended<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let operation = begin(&*store, Act::Retry, Target::Messages(Default::default())).await;
    assert_eq!((operation.state, operation.items), (OperationState::Ended, 0));
    assert_eq!(operation.ended_at, Some(operation.created_at));
    assert_eq!(store.take_operation(None, "worker", LONG).await.unwrap(), None);
    assert!(store.operation_results(operation.id).await.unwrap().is_empty());
}

/// Operations are listed, the newest first, page by page; so are items, in the order of ids.
pub async fn operations_are_listed<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 3).await;
    let mut begun = Vec::new();
    for _ in 0..3 {
        begun.push(begin(&*store, Act::Retry, messages(&ids)).await);
    }
    let whole = store.operations(Page::first(10)).await.unwrap();
    begun.reverse();
    assert_eq!((&whole.rows, whole.next), (&begun, None));
    let first = store.operations(Page::first(2)).await.unwrap();
    assert_eq!(first.rows, begun[..2]);
    let next = store.operations(Page { limit: 2, before: first.next }).await.unwrap();
    assert_eq!((&next.rows[..], next.next), (&begun[2..], None));
    let id = begun[0].id;
    let behind = store.operation_items(id, None, Some(ids[0].0), 1).await.unwrap();
    assert_eq!(ids_of(&behind), [ids[1].0]);
    assert!(store.operation_items(id, Some("DONE"), None, 10).await.unwrap().is_empty());
}

/// Items of operations that ended are forgotten in steps; the operations stay, and so do the items of others.
pub async fn items_are_forgotten<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 3).await;
    let ended = begin(&*store, Act::Retry, messages(&ids)).await;
    let ended = perform_all(&*store, &ended).await;
    let running = begin(&*store, Act::Skip, messages(&ids)).await;
    let (at, later) = (ended.ended_at.unwrap(), store.now().await.unwrap().after(LONG));
    assert_eq!(store.forget_operation_items(at, 10).await.unwrap(), 0, "it ended then");
    assert_eq!(store.forget_operation_items(later, 2).await.unwrap(), 2);
    assert_eq!(store.forget_operation_items(later, 2).await.unwrap(), 1);
    assert_eq!(store.forget_operation_items(later, 2).await.unwrap(), 0);
    assert!(items(&*store, ended.id).await.is_empty());
    assert_eq!(store.operation(ended.id).await.unwrap(), Some(ended));
    assert_eq!(items(&*store, running.id).await.len(), 3);
}
