//! Who performs an operation, and who may not any more.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_store::ClaimedMessage;
use dipmo_store::admin::{
    Act, AuditFilter, Operable, OperationChange, OperationId, OperationState, Page,
};

use super::actions::{begin, entry, failed_messages, items, lease, messages, perform_all};
use crate::OperableFixture;
use crate::support::{Chance, LONG, done, rows, work_off};

fn is_fenced<T: std::fmt::Debug>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Fenced { .. }))
}

/// An operation is taken by one, the oldest first; the next one by another.
pub async fn an_operation_is_taken_by_one<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let ids = failed_messages(&*store, 1).await;
    let first = begin(&*store, Act::Retry, messages(&ids)).await;
    let second = begin(&*store, Act::Skip, messages(&ids)).await;
    let taken = store.take_operation(None, "one", LONG).await.unwrap().unwrap();
    assert_eq!(taken.operation.id, first.id);
    assert_eq!(taken.operation.owner.as_deref(), Some("one"));
    let other = another.take_operation(None, "two", LONG).await.unwrap().unwrap();
    assert_eq!(other.operation.id, second.id);
    assert_eq!(store.take_operation(None, "three", LONG).await.unwrap(), None);
    let told = another.operation(first.id).await.unwrap().unwrap();
    assert_eq!(told.owner.as_deref(), Some("one"));
}

/// An operation can be taken by its number, if it runs and nobody has it.
pub async fn an_operation_is_taken_by_its_number<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 1).await;
    begin(&*store, Act::Retry, messages(&ids)).await;
    let second = begin(&*store, Act::Skip, messages(&ids)).await;
    let take = async |id| store.take_operation(Some(id), "one", LONG).await.unwrap();
    assert_eq!(take(second.id).await.unwrap().operation.id, second.id);
    assert_eq!(take(second.id).await, None, "somebody has it");
    assert_eq!(take(OperationId(second.id.0 + 1_000)).await, None);
    let nothing = begin(&*store, Act::Retry, messages(&[])).await;
    assert_eq!(take(nothing.id).await, None, "it has ended");
}

/// Under a lease that somebody else took over nothing is done, and nothing is given back.
pub async fn a_lease_that_was_taken_over_is_fenced<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let ids = failed_messages(&*store, 2).await;
    let operation = begin(&*store, Act::Retry, messages(&ids)).await;
    let taken = store.take_operation(None, "one", Duration::ZERO).await.unwrap();
    let old = taken.unwrap();
    fixture.tick().await;
    let new = another.take_operation(None, "two", LONG).await.unwrap().unwrap();
    let before = rows(&*store).await;
    let all = items(&*store, operation.id).await;
    let performed = store.perform(&old, &all).await;
    assert!(is_fenced(&performed), "{performed:?}");
    let renewed = store.renew_operation(&old, LONG).await;
    assert!(is_fenced(&renewed), "{renewed:?}");
    store.give_back_operation(&old).await.unwrap();
    assert_eq!(store.take_operation(None, "three", LONG).await.unwrap(), None, "two has it");
    assert_eq!(rows(&*store).await, before);
    assert_eq!(items(&*store, operation.id).await, all);
    assert_eq!(store.operation(operation.id).await.unwrap(), Some(new.operation.clone()));
    assert_eq!(another.perform(&new, &all).await.unwrap().done, 2);
}

/// Whoever takes over after a crash goes on with what was not met.
pub async fn whoever_takes_over_goes_on<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let ids = failed_messages(&*store, 3).await;
    let operation = begin(&*store, Act::Retry, messages(&ids)).await;
    let first = store.take_operation(None, "one", Duration::ZERO).await.unwrap().unwrap();
    let some = store.next_items(&first, 2).await.unwrap();
    store.perform(&first, &some).await.unwrap();
    fixture.tick().await;
    let second = another.take_operation(None, "two", LONG).await.unwrap().unwrap();
    assert_eq!((second.operation.id, second.operation.met), (operation.id, 2));
    let rest = another.next_items(&second, 10).await.unwrap();
    assert_eq!(rest.iter().map(|item| item.id).collect::<Vec<_>>(), [ids[2].0]);
    another.perform(&second, &rest).await.unwrap();
    let ended = another.renew_operation(&second, LONG).await.unwrap();
    assert_eq!((ended.state, ended.met, ended.done), (OperationState::Ended, 3, 3));
}

/// A lease that is given back lets the next one take it at once.
pub async fn a_lease_is_given_back<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 1).await;
    let operation = begin(&*store, Act::Retry, messages(&ids)).await;
    let first = lease(&*store, &operation).await;
    store.give_back_operation(&first).await.unwrap();
    assert_eq!(store.operation(operation.id).await.unwrap().unwrap().owner, None);
    let second = lease(&*store, &operation).await;
    assert!(second.epoch > first.epoch);
    assert_eq!(perform_rest(&*store, &second).await, 1);
}

/// Performs what is left under a lease; answers how many were done.
async fn perform_rest(store: &dyn Operable, lease: &dipmo_store::admin::OperationLease) -> u64 {
    let items = store.next_items(lease, 100).await.unwrap();
    store.perform(lease, &items).await.unwrap().done
}

/// A lease that is prolonged stays, one that ran out may be used until somebody else takes it, and the operation
/// ends with its last item and not before.
pub async fn a_lease_is_prolonged<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 2).await;
    let operation = begin(&*store, Act::Retry, messages(&ids)).await;
    let lease = store.take_operation(None, "one", Duration::ZERO).await.unwrap().unwrap();
    fixture.tick().await;
    let one = store.next_items(&lease, 1).await.unwrap();
    store.perform(&lease, &one).await.unwrap();
    let renewed = store.renew_operation(&lease, LONG).await.unwrap();
    assert_eq!((renewed.state, renewed.met), (OperationState::Running, 1));
    assert_eq!(store.take_operation(None, "two", LONG).await.unwrap(), None);
    assert_eq!(perform_rest(&*store, &lease).await, 1);
    let told = store.operation(operation.id).await.unwrap().unwrap();
    assert_eq!((told.state, told.ended_at), (OperationState::Running, None));
    let ended = store.renew_operation(&lease, LONG).await.unwrap();
    assert_eq!(ended.state, OperationState::Ended);
    assert!(ended.ended_at.is_some_and(|at| at >= ended.created_at));
    assert_eq!(store.operation(operation.id).await.unwrap(), Some(ended.clone()));
    assert_eq!(store.renew_operation(&lease, LONG).await.unwrap(), ended, "told again");
    assert_eq!(store.take_operation(Some(operation.id), "two", LONG).await.unwrap(), None);
}

/// One that waits or was cancelled performs nothing, is taken by nobody, and says so to whoever has it; one that
/// waited goes on when somebody says so.
pub async fn a_paused_one_performs_nothing<F: OperableFixture>() {
    for change in [OperationChange::Pause, OperationChange::Cancel] {
        let fixture = F::fresh().await;
        let store = fixture.operable();
        let ids = failed_messages(&*store, 2).await;
        let operation = begin(&*store, Act::Retry, messages(&ids)).await;
        let held = lease(&*store, &operation).await;
        let one = store.next_items(&held, 1).await.unwrap();
        store.perform(&held, &one).await.unwrap();
        let note = entry("operation.change");
        let changed = store.change_operation(operation.id, change, &note).await.unwrap().unwrap();
        let is_paused = change == OperationChange::Pause;
        let state = if is_paused { OperationState::Paused } else { OperationState::Cancelled };
        assert_eq!((changed.state, changed.ended_at.is_some()), (state, !is_paused));
        let before = rows(&*store).await;
        let rest = items(&*store, operation.id).await;
        let performed = store.perform(&held, &rest).await;
        assert!(is_fenced(&performed), "{performed:?}");
        assert_eq!(rows(&*store).await, before);
        assert_eq!(store.renew_operation(&held, LONG).await.unwrap().state, state);
        store.give_back_operation(&held).await.unwrap();
        assert_eq!(store.take_operation(Some(operation.id), "two", LONG).await.unwrap(), None);
        assert_eq!(store.take_operation(None, "two", LONG).await.unwrap(), None);
        let resume = OperationChange::Resume;
        let resumed = store.change_operation(operation.id, resume, &note).await.unwrap().unwrap();
        if is_paused {
            let ended = perform_all(&*store, &resumed).await;
            assert_eq!((ended.state, ended.done), (OperationState::Ended, 2));
        } else {
            assert_eq!((resumed.state, resumed.met), (state, 1), "what was done stays done");
        }
    }
}

/// Every change is in the audit, as it was given; what changes nothing is not.
pub async fn changes_are_in_the_audit<F: OperableFixture>() {
    use OperationChange::{Cancel, Pause, Resume};
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 1).await;
    let operation = begin(&*store, Act::Retry, messages(&ids)).await;
    let filter = AuditFilter { action: Some("change".to_owned()), ..AuditFilter::default() };
    let entries = async || {
        let listing = store.audit(&filter, Page::first(100)).await.unwrap();
        assert!(listing.rows.iter().all(|row| row.entry == entry("change")));
        listing.rows.len()
    };
    let expected = [
        (Resume, OperationState::Running, 0),
        (Pause, OperationState::Paused, 1),
        (Pause, OperationState::Paused, 1),
        (Resume, OperationState::Running, 2),
        (Pause, OperationState::Paused, 3),
        (Cancel, OperationState::Cancelled, 4),
        (Cancel, OperationState::Cancelled, 4),
        (Resume, OperationState::Cancelled, 4),
        (Pause, OperationState::Cancelled, 4),
    ];
    for (change, state, count) in expected {
        let told = store.change_operation(operation.id, change, &entry("change")).await.unwrap();
        assert_eq!((told.unwrap().state, entries().await), (state, count), "{change:?}");
    }
    let nobody = OperationId(operation.id.0 + 1_000);
    assert_eq!(store.change_operation(nobody, Cancel, &entry("change")).await.unwrap(), None);
    assert_eq!(entries().await, 4);
}

/// Several who take an operation from each other all the time do every item once.
pub async fn each_item_is_done_once_by_many<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 60).await;
    let operation = begin(&*store, Act::Retry, messages(&ids)).await;
    let mut tasks = Vec::new();
    for place in 0..4 {
        let store = fixture.another_operable().await;
        tasks.push(tokio::spawn(impatient_worker(store, operation.id, Chance::new(place))));
    }
    let mut done_by_them = 0;
    for task in tasks {
        done_by_them += task.await.unwrap();
    }
    let ended = store.operation(operation.id).await.unwrap().unwrap();
    assert_eq!((ended.state, ended.met, ended.done), (OperationState::Ended, 60, 60));
    // A call that was fenced on its way does not tell what it had done before; the operation does.
    assert!(done_by_them <= 60, "{done_by_them}");
    let tried = work_off(&*store, |_| done()).await;
    let retried: HashMap<_, _> = tried
        .iter()
        .map(|claimed: &ClaimedMessage| (claimed.message.id, claimed.retried))
        .collect();
    assert_eq!(retried, ids.into_iter().map(|id| (id, 1)).collect::<HashMap<_, _>>());
}

/// Takes leases that run out at once, and performs a few items under each; answers how many it did.
async fn impatient_worker(
    store: Arc<dyn Operable>,
    operation: OperationId,
    mut chance: Chance,
) -> u64 {
    let mut done = 0;
    while store.operation(operation).await.unwrap().unwrap().state == OperationState::Running {
        let taken = store.take_operation(Some(operation), "worker", Duration::ZERO).await.unwrap();
        let Some(lease) = taken else { continue };
        let limit = u32::try_from(1 + chance.below(5)).unwrap();
        let items = store.next_items(&lease, limit).await.unwrap();
        match store.perform(&lease, &items).await {
            Ok(performed) => done += performed.done,
            Err(error) => assert!(matches!(error, StoreError::Fenced { .. }), "{error}"),
        }
        let renewed = store.renew_operation(&lease, Duration::ZERO).await;
        assert!(renewed.is_ok() || is_fenced(&renewed), "{renewed:?}");
    }
    done
}
