//! Performing an operation on messages: each item once, as it was seen, and told of in the operation.

use std::collections::BTreeMap;

use dipmo_domain::{InboxId, InboxStatus, Month, Outcome};
use dipmo_store::admin::{
    Act, MessageFilter, NewOperation, Operable, OperationItem, OperationState, Performed, Seen,
    Target,
};
use dipmo_store::{ClaimedMessage, MOST_AT_ONCE, SettlementKind, Side};

use super::actions::{
    begin, begun, failed_messages, items, lease, messages, new_operation, perform_all, results_of,
};
use crate::OperableFixture;
use crate::suite::operate::behind_a_head;
use crate::suite::reparse::silent;
use crate::support::{
    Ear, LONG, Script, alone, batch, done, event, failed, retry, row_of, rows, stored, work_off,
};

fn numbers(ids: &[InboxId]) -> Vec<i64> {
    ids.iter().map(|id| id.0).collect()
}

/// What is tried, in order.
async fn tried(store: &dyn Operable) -> Vec<i64> {
    let tried = work_off(store, |_| done()).await;
    tried.iter().map(|claimed| claimed.message.offset).collect()
}

/// Each act, on what a filter finds and on ids, does what it does to one message.
pub async fn each_act_is_done<F: OperableFixture>() {
    for act in [Act::Retry, Act::Skip, Act::Release] {
        for by_filter in [true, false] {
            let fixture = F::fresh().await;
            let store = fixture.operable();
            let ids = behind_a_head(&*store, failed(true), 2).await;
            let filter = Target::Messages(MessageFilter::default());
            let target = if by_filter { filter } else { messages(&ids[..1]) };
            let operation = begin(&*store, act, target).await;
            let operation = perform_all(&*store, &operation).await;
            assert_eq!((operation.items, operation.met, operation.done), (1, 1, 1), "{act:?}");
            let results = store.operation_results(operation.id).await.unwrap();
            assert_eq!(results, BTreeMap::from([("DONE".to_owned(), 1)]));
            let row = row_of(&*store, ids[0]).await;
            let (stands, goes_on) = match act {
                Act::Retry => ((InboxStatus::Retry, 0, None), vec![0, 1, 2]),
                Act::Skip => ((InboxStatus::Processed, 1, Some(Outcome::Skipped)), vec![1, 2]),
                _ => ((InboxStatus::Failed, 1, None), vec![1, 2]),
            };
            assert_eq!((row.status, row.attempts, row.outcome), stands);
            assert_eq!(tried(&*store).await, goes_on, "{act:?}");
        }
    }
}

/// What cannot be done has a word for it, each message its own, and is left as it is.
pub async fn each_has_its_word<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let mut ids = behind_a_head(&*store, failed(true), 1).await;
    ids.extend(stored(&*store, &[event("F-2", 2), event("F-3", 3), silent("F-4", 4)]).await);
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        2 => done(),
        _ => retry(LONG),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    store.retry(&ids[3..4], false).await.unwrap();
    ids.extend(stored(&*store, &[alone(5)]).await);
    ids.push(InboxId(ids[5].0 + 1_000_000));
    let before = rows(&*store).await;
    let operation = begin(&*store, Act::Retry, messages(&ids)).await;
    let operation = perform_all(&*store, &operation).await;
    assert_eq!((operation.met, operation.done), (7, 1));
    let words = [
        "DONE",
        "HELD",
        "ALREADY_ENDED",
        "ALREADY_DONE",
        "WRONG_STATUS",
        "WRONG_STATUS",
        "NOT_FOUND",
    ];
    assert_eq!(results_of(&*store, operation.id, &numbers(&ids)).await, words);
    assert_eq!(rows(&*store).await[1..], before[1..], "only the first one changed");
    let counted = store.operation_results(operation.id).await.unwrap();
    assert_eq!(counted.values().sum::<u64>(), 7);
    assert_eq!(counted["WRONG_STATUS"], 2);
    let wrong = store.operation_items(operation.id, Some("WRONG_STATUS"), None, 10).await.unwrap();
    assert_eq!(wrong.iter().map(|item| item.id).collect::<Vec<_>>(), numbers(&ids[4..6]));
}

/// What was overtaken is done by force only.
pub async fn what_was_overtaken_is_done_by_force<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 0), event("F-1", 1)]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        0 => failed(false),
        _ => done(),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    for (force, word) in [(false, "OVERTAKEN"), (true, "DONE")] {
        let new = NewOperation { force, ..new_operation(Act::Retry, messages(&ids[..1])) };
        let operation = begun(&*store, &new).await;
        perform_all(&*store, &operation).await;
        assert_eq!(results_of(&*store, operation.id, &[ids[0].0]).await, [word]);
    }
    assert_eq!(row_of(&*store, ids[0]).await.status, InboxStatus::Retry);
}

/// What moved since the operation began is left alone: it was retried and failed again, was skipped, or is
/// history.
pub async fn what_moved_since_is_left_alone<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 4).await;
    let filter = Target::Messages(MessageFilter::default());
    let operation = begin(&*store, Act::Retry, filter).await;
    store.skip(&ids[3..]).await.unwrap();
    let month = Month::of(store.now().await.unwrap()).next();
    while store.drop_before(month, 1_000).await.unwrap().more {}
    store.prepare_months(1).await.unwrap();
    store.retry(&ids[..1], false).await.unwrap();
    assert_eq!(work_off(&*store, |_| failed(true)).await.len(), 1);
    store.skip(&ids[1..2]).await.unwrap();
    let before = rows(&*store).await;
    let operation = perform_all(&*store, &operation).await;
    assert_eq!((operation.met, operation.done), (4, 1));
    let words = ["CHANGED", "CHANGED", "DONE", "NOT_FOUND"];
    assert_eq!(results_of(&*store, operation.id, &numbers(&ids)).await, words);
    let after = rows(&*store).await;
    assert_eq!(after[..2], before[..2]);
    assert_eq!(after[2].status, InboxStatus::Retry);
}

/// Items that are performed twice are done once: a message that failed again meanwhile, or waits again as it did
/// before, is not retried a second time.
pub async fn performed_twice_is_done_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let mut ids = failed_messages(&*store, 1).await;
    ids.extend(stored(&*store, &[event("W-1", 9)]).await);
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        9 => retry(LONG),
        _ => failed(true),
    };
    work_off(&*store, verdict).await;
    let operation = begin(&*store, Act::Retry, messages(&ids)).await;
    let lease = lease(&*store, &operation).await;
    let all = store.next_items(&lease, 10).await.unwrap();
    assert_eq!(all, items(&*store, operation.id).await);
    let performed = store.perform(&lease, &all).await.unwrap();
    assert_eq!(performed, Performed { met: 2, done: 2, releasing: false });
    assert_eq!(work_off(&*store, verdict).await.len(), 2);
    let before = rows(&*store).await;
    let again = store.perform(&lease, &all).await.unwrap();
    assert_eq!(again, Performed { met: 0, done: 0, releasing: false });
    assert_eq!(rows(&*store).await, before);
    assert!(store.next_items(&lease, 10).await.unwrap().is_empty());
    let operation = store.operation(operation.id).await.unwrap().unwrap();
    assert_eq!((operation.met, operation.done), (2, 2));
    assert_eq!(results_of(&*store, operation.id, &numbers(&ids)).await, ["DONE", "DONE"]);
}

/// How an item was seen is what the operation kept, whatever is given; what is no item of it is not touched.
pub async fn only_items_of_it_are_done<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, 2).await;
    let operation = begin(&*store, Act::Skip, messages(&ids[..1])).await;
    store.retry(&ids[..1], false).await.unwrap();
    let lease = lease(&*store, &operation).await;
    let given = |id: InboxId, status: &str, attempts| {
        let seen = Some(Seen { status: status.to_owned(), attempts, retried: 0 });
        OperationItem { id: id.0, seen, result: None }
    };
    let retried = Seen { status: "RETRY".to_owned(), attempts: 0, retried: 1 };
    let items = [
        OperationItem { seen: Some(retried), ..given(ids[0], "RETRY", 0) },
        given(ids[1], "FAILED", 1),
    ];
    let performed = store.perform(&lease, &items).await.unwrap();
    assert_eq!((performed.met, performed.done), (1, 0));
    assert_eq!(results_of(&*store, operation.id, &[ids[0].0]).await, ["CHANGED"]);
    assert_eq!(row_of(&*store, ids[1]).await.status, InboxStatus::Failed);
}

/// Thousands behind a head that is skipped go in steps, and the answer says so.
pub async fn many_behind_a_head_go_in_steps<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = behind_a_head(&*store, failed(true), 520).await;
    let operation = begin(&*store, Act::Skip, messages(&ids[..1])).await;
    let lease = lease(&*store, &operation).await;
    let items = store.next_items(&lease, 10).await.unwrap();
    assert!(store.perform(&lease, &items).await.unwrap().releasing, "held messages remain");
    assert_eq!(tried(&*store).await, (1..=520).collect::<Vec<_>>());
}

/// So many items of many lanes are done at once, and more are refused.
pub async fn a_thousand_at_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let count = i64::try_from(MOST_AT_ONCE).unwrap();
    let ids = failed_messages(&*store, count + 1).await;
    let operation = begin(&*store, Act::Retry, messages(&ids)).await;
    let lease = lease(&*store, &operation).await;
    let mut items = items(&*store, operation.id).await;
    assert!(store.perform(&lease, &items).await.is_err());
    assert_eq!(store.operation(operation.id).await.unwrap().unwrap().met, 0);
    items.truncate(MOST_AT_ONCE);
    let performed = store.perform(&lease, &items).await.unwrap();
    assert_eq!((performed.met, performed.done), (1_000, 1_000));
    let left = store.next_items(&lease, 10).await.unwrap();
    assert_eq!(left.iter().map(|item| item.id).collect::<Vec<_>>(), [ids[MOST_AT_ONCE].0]);
    assert_eq!(work_off(&*store, |_| done()).await.len(), MOST_AT_ONCE);
    let operation = store.renew_operation(&lease, LONG).await.unwrap();
    assert_eq!(operation.state, OperationState::Running, "one item is left");
}

/// Whoever waits for messages is woken.
pub async fn workers_are_woken<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, Ear::ROUNDS).await;
    let mut ear = Ear::on(&*store, Side::Inbox);
    for id in ids {
        let operation = begin(&*store, Act::Retry, messages(&[id])).await;
        ear.forgets();
        perform_all(&*store, &operation).await;
        ear.hears().await;
    }
}

/// What is parked is retried without what it waits for, and counts as retried.
pub async fn what_is_parked_is_retried<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 3)]).await;
    let parked = |_: &_| SettlementKind::Parked { at_most: LONG };
    batch(&*store, Script::settling(parked)).await.unwrap();
    let filter = Target::Messages(MessageFilter::default());
    let operation = begin(&*store, Act::Retry, filter).await;
    perform_all(&*store, &operation).await;
    assert_eq!(results_of(&*store, operation.id, &numbers(&ids)).await, ["DONE"]);
    let tried = work_off(&*store, |_| done()).await;
    assert_eq!((tried.len(), tried[0].retried), (1, 1));
}
