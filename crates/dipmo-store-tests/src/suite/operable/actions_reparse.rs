//! Operations that decode again: what becomes of each message, and that it happens once.

use std::time::Duration;

use dipmo_domain::{InboxId, InboxStatus, StoreError};
use dipmo_inbox::NewMessage;
use dipmo_store::admin::{
    Act, MessageFilter, NewOperation, Operable, OperationState, Performed, Target,
};

use super::actions::{
    begin, begun, failed_messages, items, lease, messages, new_operation, results_of,
};
use crate::OperableFixture;
use crate::suite::poison::poison;
use crate::suite::reparse::silent;
use crate::support::{LONG, done, event, event_saying, row_of, rows, stored, work_off};

async fn tried(store: &dyn Operable) -> Vec<String> {
    let tried = work_off(store, |_| done()).await;
    tried.into_iter().map(|claimed| claimed.message.message_id).collect()
}

fn all() -> Target {
    Target::Messages(MessageFilter::default())
}

/// Decoded messages go on in their old place, and the operation ends with them.
pub async fn messages_are_decoded_again<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[poison("F-1", 1), event("F-1", 2), poison("F-1", 3)]).await;
    let operation = begin(&*store, Act::Reparse, all()).await;
    assert_eq!(operation.items, 2);
    let lease = lease(&*store, &operation).await;
    let next = store.next_items(&lease, 10).await.unwrap();
    assert_eq!(next.iter().map(|item| item.id).collect::<Vec<_>>(), [ids[0].0, ids[2].0]);
    let decoded = [(ids[0], event("F-1", 1)), (ids[2], event("F-1", 3))];
    let performed = store.perform_reparse(&lease, &decoded, &[]).await.unwrap();
    assert_eq!(performed, Performed { met: 2, done: 2, releasing: false });
    let ended = store.renew_operation(&lease, LONG).await.unwrap();
    assert_eq!((ended.state, ended.met, ended.done), (OperationState::Ended, 2, 2));
    assert_eq!(tried(&*store).await, ["F-1/1", "F-1/2", "F-1/3"]);
}

/// Each result is written: decoded, a duplicate, an impostor, overtaken, undecodable still, moved since, and gone.
pub async fn each_has_its_word<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let names = ["A", "B", "C", "D", "E", "F"];
    let poisons: Vec<_> = (1..).zip(names).map(|(number, name)| silent(name, number)).collect();
    let mut ids = stored(&*store, &poisons).await;
    stored(&*store, &[event("B", 12), event("C", 13), event("D", 14)]).await;
    work_off(&*store, |_| done()).await;
    ids.push(InboxId(ids[5].0 + 1_000_000));
    let operation = begin(&*store, Act::Reparse, messages(&ids)).await;
    store.skip(&ids[5..6]).await.unwrap();
    let real: [NewMessage; 6] = [
        event("A", 1),
        event("B", 12),
        event_saying("C", 13, r#"{"another":"content"}"#),
        event("D", 4),
        silent("E", 5),
        event("F", 6),
    ];
    let decoded: Vec<_> = ids.iter().copied().zip(real).collect();
    let lease = lease(&*store, &operation).await;
    // A duplicate and an impostor of what was processed would be overtaken first.
    let performed = store.perform_reparse(&lease, &decoded[3..], &ids[6..]).await.unwrap();
    assert_eq!((performed.met, performed.done), (4, 0));
    let forced = NewOperation { force: true, ..new_operation(Act::Reparse, messages(&ids[..3])) };
    let forced = begun(&*store, &forced).await;
    let forced_lease = self::lease(&*store, &forced).await;
    let performed = store.perform_reparse(&forced_lease, &decoded[..3], &[]).await.unwrap();
    assert_eq!((performed.met, performed.done), (3, 1));
    let numbers: Vec<_> = ids.iter().map(|id| id.0).collect();
    let words = ["OVERTAKEN", "UNDECODABLE", "WRONG_STATUS", "NOT_FOUND"];
    assert_eq!(results_of(&*store, operation.id, &numbers[3..]).await, words);
    let words = ["DONE", "DUPLICATE", "IMPOSTOR"];
    assert_eq!(results_of(&*store, forced.id, &numbers[..3]).await, words);
    let status = async |place: usize| row_of(&*store, ids[place]).await.status;
    assert_eq!(status(0).await, InboxStatus::Received);
    assert_eq!(status(1).await, InboxStatus::Processed);
    for place in 2..5 {
        assert_eq!(status(place).await, InboxStatus::SerdeError, "{place}");
    }
    assert_eq!(store.incidents(10).await.unwrap().len(), 1);
}

/// What later messages went on without is decoded by force.
pub async fn what_was_overtaken_is_decoded_by_force<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[silent("F-1", 1), event("F-1", 2)]).await;
    assert_eq!(tried(&*store).await, ["F-1/2"]);
    for (force, word) in [(false, "OVERTAKEN"), (true, "DONE")] {
        let new = NewOperation { force, ..new_operation(Act::Reparse, all()) };
        let operation = begun(&*store, &new).await;
        let lease = lease(&*store, &operation).await;
        store.perform_reparse(&lease, &[(ids[0], event("F-1", 1))], &[]).await.unwrap();
        assert_eq!(results_of(&*store, operation.id, &[ids[0].0]).await, [word]);
    }
    assert_eq!(tried(&*store).await, ["F-1/1"]);
}

/// What was met before, is there twice, or is no item of the operation, is left out.
pub async fn each_is_decoded_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[silent("F-1", 1), silent("F-2", 2), silent("F-3", 3)]).await;
    let operation = begin(&*store, Act::Reparse, messages(&ids[..2])).await;
    let lease = lease(&*store, &operation).await;
    let real = |place: usize| {
        let number = i64::try_from(place).unwrap() + 1;
        (ids[place], event(&format!("F-{number}"), number))
    };
    let decoded = [real(0), real(0), real(2)];
    let performed = store.perform_reparse(&lease, &decoded, &[]).await.unwrap();
    assert_eq!((performed.met, performed.done), (1, 1));
    let again = store.perform_reparse(&lease, &[real(0)], &ids[..1]).await.unwrap();
    assert_eq!((again.met, again.done), (0, 0));
    assert_eq!(row_of(&*store, ids[2]).await.status, InboxStatus::SerdeError);
    let words = results_of(&*store, operation.id, &[ids[0].0, ids[1].0]).await;
    assert_eq!(words, ["DONE", "NOT MET"]);
    assert_eq!(store.next_items(&lease, 10).await.unwrap().len(), 1);
}

/// Under a lease that somebody else took over nothing is decoded.
pub async fn a_lease_that_was_taken_over_is_fenced<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let ids = stored(&*store, &[silent("F-1", 1)]).await;
    let operation = begin(&*store, Act::Reparse, all()).await;
    let old = store.take_operation(None, "one", Duration::ZERO).await.unwrap().unwrap();
    fixture.tick().await;
    let new = another.take_operation(None, "two", LONG).await.unwrap().unwrap();
    let before = (rows(&*store).await, items(&*store, operation.id).await);
    let decoded = [(ids[0], event("F-1", 1))];
    let late = store.perform_reparse(&old, &decoded, &[]).await;
    assert!(matches!(late, Err(StoreError::Fenced { .. })), "{late:?}");
    assert_eq!((rows(&*store).await, items(&*store, operation.id).await), before);
    assert_eq!(another.perform_reparse(&new, &decoded, &[]).await.unwrap().done, 1);
}

/// Only an operation that decodes again does so.
pub async fn another_act_decodes_nothing<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    failed_messages(&*store, 1).await;
    let ids = stored(&*store, &[silent("S-1", 9)]).await;
    let operation = begin(&*store, Act::Skip, messages(&ids)).await;
    let lease = lease(&*store, &operation).await;
    let refused = store.perform_reparse(&lease, &[(ids[0], event("S-1", 9))], &[]).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(row_of(&*store, ids[0]).await.status, InboxStatus::SerdeError);
}
