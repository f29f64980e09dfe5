//! Performers that are killed, and those that go on.

use std::sync::Arc;
use std::time::Duration;

use dipmo_processing::operations::{Conclusion, OperationOptions};
use dipmo_store::admin::OperationState;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::rig::{Rig, counted, quick, seen};

#[tokio::test]
async fn two_thousand_messages_are_retried_once_each() {
    let rig = Rig::failed(2_000).await;
    let id = rig.retry_all(None).await;
    let (performer, stop) = (rig.performer("one"), CancellationToken::new());
    let metrics = Arc::default();
    let running = tokio::spawn(performer.counting(Arc::clone(&metrics)).run(stop.clone()));
    let operation = rig.until_ended(id).await;
    stop.cancel();
    running.await.unwrap();
    assert_eq!((operation.items, operation.met, operation.done), (2_000, 2_000, 2_000));
    assert_eq!(rig.results(id).await, counted([("DONE", 2_000)]));
    assert_eq!(rig.standings(1..=2_000).await, vec![seen("RETRY", 0, 1); 2_000]);
    let figures = metrics.snapshot().operations;
    assert_eq!((figures.taken, figures.ended, figures.set_back), (1, 1, 0));
    assert_eq!((figures.met, figures.done), (2_000, 2_000));
}

/// What is retried fails again while others perform: a second retry of the same message would be counted.
#[tokio::test]
async fn who_is_killed_at_any_point_does_nothing_twice() {
    let rig = Rig::failed(1_000).await;
    let id = rig.retry_all(None).await;
    let mut random = fastrand::Rng::with_seed(11);
    let lease = Duration::from_millis(20);
    let options = OperationOptions { batch: 20, lease, ..quick() };
    let mut killed = 0;
    while killed < 20 {
        let performer =
            rig.performer_with("mortal", options.clone(), Arc::new(crate::rig::Nothing));
        let (tell, mut told) = watch::channel(0);
        let task = tokio::spawn(async move {
            let mut performer = performer;
            let progress = |_: &_| tell.send_modify(|batches| *batches += 1);
            performer.perform_one(id, progress, CancellationToken::new()).await
        });
        let (batches, turns) = (random.u32(1..4), random.u32(..20));
        // Nobody tells any more once it has ended, or could not be taken yet.
        let is_at_work = told.wait_for(|told| *told >= batches).await.is_ok();
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
        task.abort();
        killed += u32::from(is_at_work && task.await.is_err());
        rig.fail_once().await;
        if rig.operation(id).await.state == OperationState::Ended {
            break;
        }
    }
    assert!(killed > 5, "only {killed} were killed at work");
    let mut last = rig.performer_with("last", options, Arc::new(crate::rig::Nothing));
    let over = loop {
        match last.perform_one(id, |_| {}, CancellationToken::new()).await.unwrap() {
            Conclusion::Over(operation) => break operation,
            // The lease of the dead has not run out.
            Conclusion::Elsewhere(_) => tokio::task::yield_now().await,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(over.state, OperationState::Ended);
    assert_eq!((over.met, over.done), (1_000, 1_000));
    while rig.fail_once().await > 0 {}
    assert_eq!(rig.standings(1..=1_000).await, vec![seen("FAILED", 1, 1); 1_000]);
}

#[tokio::test]
async fn who_is_stopped_gives_back_and_another_goes_on_at_once() {
    let rig = Rig::failed(100).await;
    // At this rate it would take minutes.
    let id = rig.retry_all(Some(1)).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(rig.performer("first").run(stop.clone()));
    rig.until(id, |operation| operation.met > 0).await;
    stop.cancel();
    running.await.unwrap();
    let stopped = rig.operation(id).await;
    assert_eq!((stopped.state, stopped.owner), (OperationState::Running, None));
    let (mut second, stop) = (rig.performer("second"), CancellationToken::new());
    stop.cancel();
    let concluded = second.perform_one(id, |_| {}, stop).await.unwrap();
    let Conclusion::Stopped(operation) = concluded else { panic!("{concluded:?}") };
    assert_eq!(operation.owner.as_deref(), Some("second"), "no lease had to run out");
    assert_eq!(rig.operation(id).await.owner, None, "it was given back");
}
