//! Batches that nobody can end from outside: what holds for an `in_process` store.

use dipmo_domain::InboxStatus;

use crate::Fixture;
use crate::support::{Script, batch, event, everything, inside, row_of, stored};

/// A batch that stands still keeps its messages: nobody else decides them, and none is lost.
pub async fn a_batch_that_stands_still_keeps_its_messages<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let (gate, task) = inside(&store, everything(), Script::process_all()).await;
    let tries = tokio::spawn(async move { batch(&*another, Script::process_all()).await.unwrap() });
    gate.open();
    assert_eq!(task.await.unwrap().unwrap().ids(), ids, "it wakes up and commits");
    assert!(tries.await.unwrap().messages.is_empty());
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Processed, 1));
}
