//! One batch at a time: what holds for a `single_writer` store while one is inside.

use std::sync::Arc;

use dipmo_store::Changes;

use crate::Fixture;
use crate::support::{
    Script, aggregates, batch, dispatched, event, everything, inside, intent, kafka, row_of,
    stored, take, write_intents,
};

/// A second batch waits for the first, and then sees what it committed.
pub async fn a_second_batch_sees_what_the_first_committed<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for number in 0..20 {
        let messages: Vec<_> = aggregates(3).iter().map(|name| event(name, number)).collect();
        let ids = stored(&*store, &messages).await;
        let (gate, first) = inside(&store, everything(), Script::process_all()).await;
        let waits = Arc::clone(&another);
        let second =
            tokio::spawn(async move { batch(&*waits, Script::process_all()).await.unwrap() });
        gate.open();
        assert_eq!(first.await.unwrap().unwrap().ids(), ids);
        assert!(second.await.unwrap().messages.is_empty(), "no message is decided twice");
    }
}

/// Storing while a batch is inside waits, and loses nothing.
pub async fn storing_waits_and_loses_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let first = stored(&*store, &[event("F-1", 1)]).await;
    let (gate, task) = inside(&store, everything(), Script::process_all()).await;
    let storing = [&store, &another].map(Arc::clone).into_iter().zip([2, 3]).map(|(store, n)| {
        tokio::spawn(async move { stored(&*store, &[event("F-1", n)]).await[0] })
    });
    let storing: Vec<_> = storing.collect();
    gate.open();
    assert_eq!(task.await.unwrap().unwrap().ids(), first);
    let mut later = Vec::new();
    for task in storing {
        later.push(task.await.unwrap());
    }
    later.sort();
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().ids(), later);
}

/// Settling while a batch is inside waits, and both are written.
pub async fn settling_waits_and_both_are_written<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    let hand = take(&*another, &kafka("t"), "o").await;
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let script = Script::writing(|_| Changes {
        intents: vec![intent(&kafka("t"), "F-1", 2)],
        ..Changes::default()
    });
    let (gate, task) = inside(&store, everything(), script).await;
    let settling = tokio::spawn(async move { hand.settle(&*another, |_| dispatched()).await });
    gate.open();
    task.await.unwrap().unwrap();
    assert_eq!(settling.await.unwrap().unwrap().units, 1);
    assert_eq!(row_of(&*store, ids[0]).await.attempts, 1);
    assert_eq!(store.outbox_rows(10).await.unwrap().len(), 2);
}
