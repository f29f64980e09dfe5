//! Several performers, several operations.

use std::sync::Arc;

use dipmo_processing::Metrics;
use dipmo_processing::operations::{Conclusion, OperationOptions};
use dipmo_store::Side;
use dipmo_store::admin::{Act, Target};
use tokio_util::sync::CancellationToken;

use crate::rig::{Nothing, Rig, quick, seen};

#[tokio::test]
async fn two_performers_share_operations_and_each_item_is_met_once() {
    let rig = Rig::failed(600).await;
    let mut operations = Vec::new();
    for n in 0..6 {
        let ids = (n * 100 + 1..=n * 100 + 100).collect();
        operations.push(rig.begin(Act::Retry, Target::Ids { side: Side::Inbox, ids }, None).await);
    }
    let stop = CancellationToken::new();
    let options = OperationOptions { at_once: 1, batch: 10, ..quick() };
    let run = |owner| {
        let metrics: Arc<Metrics> = Arc::default();
        let performer = rig.performer_with(owner, options.clone(), Arc::new(Nothing));
        let performer = performer.counting(Arc::clone(&metrics));
        (tokio::spawn(performer.run(stop.clone())), metrics)
    };
    let both = [run("one"), run("two")];
    for id in &operations {
        assert_eq!(rig.until_ended(*id).await.done, 100);
    }
    stop.cancel();
    let mut figures = Vec::new();
    for (running, metrics) in both {
        running.await.unwrap();
        figures.push(metrics.snapshot().operations);
    }
    let sum = |of: fn(&dipmo_processing::metrics::OperationFigures) -> u64| -> u64 {
        figures.iter().map(of).sum()
    };
    assert_eq!((sum(|it| it.taken), sum(|it| it.ended)), (6, 6));
    assert_eq!((sum(|it| it.met), sum(|it| it.done)), (600, 600));
    assert!(figures.iter().all(|it| it.taken > 0), "both had something to do: {figures:?}");
    assert_eq!(rig.standings(1..=600).await, vec![seen("RETRY", 0, 1); 600]);
}

#[tokio::test]
async fn a_slow_operation_keeps_no_other_waiting() {
    let rig = Rig::failed(200).await;
    let target = |ids| Target::Ids { side: Side::Inbox, ids };
    let slow = rig.begin(Act::Retry, target((1..=100).collect()), Some(1)).await;
    let quick = rig.begin(Act::Skip, target((101..=200).collect()), None).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(rig.performer("one").run(stop.clone()));
    rig.until(slow, |operation| operation.met > 0).await;
    rig.until_ended(quick).await;
    assert!(rig.operation(slow).await.met < 100);
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn what_somebody_else_performs_is_left_to_them() {
    let rig = Rig::failed(100).await;
    let id = rig.retry_all(Some(1)).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(rig.performer("one").run(stop.clone()));
    rig.until(id, |operation| operation.owner.is_some()).await;
    let mut two = rig.performer("two");
    let concluded = two.perform_one(id, |_| {}, CancellationToken::new()).await.unwrap();
    let Conclusion::Elsewhere(operation) = concluded else { panic!("{concluded:?}") };
    assert_eq!(operation.owner.as_deref(), Some("one"));
    stop.cancel();
    running.await.unwrap();
}
