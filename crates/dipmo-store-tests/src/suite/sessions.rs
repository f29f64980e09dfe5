//! Sessions that end: a worker that died or stands still (trap 17). Not for `in_process` stores.

use std::sync::Arc;

use dipmo_domain::{InboxId, InboxStatus, StoreError};
use dipmo_store::{Changes, ClaimedBatch, Needs, Store};
use tokio::task::JoinHandle;

use crate::Fixture;
use crate::support::{
    Gate, Ran, Script, batch, batch_at_last, done, event, gate, intent, kafka, new_state, row_of,
    settle, stored, suite_key,
};

/// Something to write under a name, so that one sees whose batch was committed.
fn writes(name: &'static str) -> impl FnOnce(&ClaimedBatch) -> Changes {
    move |_| Changes {
        intents: vec![intent(&kafka(name), "F-1", 1)],
        states: vec![new_state("S-1")],
        ..Changes::default()
    }
}

/// A batch that stands still after its first wave was written.
async fn inside(store: &Arc<dyn Store>) -> (Gate, JoinHandle<Result<Ran, StoreError>>) {
    let (mut gate, guard) = gate();
    let script = Script::default()
        .wave(
            |_| Needs::default(),
            |batch, _| Changes {
                settlements: settle(batch, |_| Some(done())).settlements,
                ..writes("first")(batch)
            },
        )
        .wave(
            |_| Needs::default(),
            |_, _| {
                guard.pass();
                Changes::default()
            },
        );
    let store = Arc::clone(store);
    let task = tokio::spawn(async move { batch(&*store, script).await });
    gate.somebody_inside().await;
    (gate, task)
}

/// Another instance does the work, once.
async fn another_takes_over(store: &dyn Store, ids: &[InboxId]) {
    let ran = batch_at_last(store, || Script::writing(writes("second"))).await;
    assert_eq!(ran.ids(), ids, "all messages of the lost batch can be claimed again");
    assert!(ran.messages.iter().all(|claimed| claimed.attempts == 0));
}

async fn only_the_second_wrote(store: &dyn Store, ids: &[InboxId]) {
    let intents = store.outbox_rows(10).await.unwrap();
    let written: Vec<_> = intents.iter().map(|row| row.destination.clone()).collect();
    assert_eq!(written, [kafka("second")]);
    assert_eq!(store.instance(&suite_key("S-1")).await.unwrap().unwrap().version, 1);
    for id in ids {
        let row = row_of(store, *id).await;
        assert_eq!((row.status, row.attempts), (InboxStatus::Processed, 1));
    }
}

/// Trap 17: a claimer dies, and its messages are claimable at once; nothing of it was written.
pub async fn trap_17_a_dead_claimer<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let ids = stored(&*store, &[event("F-1", 1), event("F-2", 1)]).await;
    let (gate, task) = inside(&store).await;
    fixture.kill_claimers().await;
    another_takes_over(&*another, &ids).await;
    gate.open();
    let error = task.await.unwrap().unwrap_err();
    assert!(error.is_transient(), "{error:?}: the same call may work next time");
    only_the_second_wrote(&*another, &ids).await;
}

/// Trap 17: a claimer stands still for too long; others get its messages, and when it wakes up it
/// can write nothing.
pub async fn trap_17_a_stopped_claimer<F: Fixture>() {
    let fixture = F::impatient().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let ids = stored(&*store, &[event("F-1", 1), event("F-2", 1)]).await;
    let (gate, task) = inside(&store).await;
    fixture.outlast_stopped_claimers().await;
    let soon = F::stopped_after() * 10;
    tokio::time::timeout(soon, another_takes_over(&*another, &ids))
        .await
        .unwrap_or_else(|_| panic!("after {soon:?} the stopped batch still has its messages"));
    gate.open();
    let error = task.await.unwrap().unwrap_err();
    assert!(error.is_transient(), "{error:?}: the same call may work next time");
    only_the_second_wrote(&*another, &ids).await;
}

/// An instance whose session was ended works on with a new one.
pub async fn the_instance_works_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let (gate, task) = inside(&store).await;
    fixture.kill_claimers().await;
    gate.open();
    task.await.unwrap().unwrap_err();
    another_takes_over(&*store, &ids).await;
    only_the_second_wrote(&*store, &ids).await;
}
