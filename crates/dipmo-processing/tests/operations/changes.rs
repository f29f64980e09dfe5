//! What somebody says about an operation while it is performed.

use dipmo_processing::operations::Conclusion;
use dipmo_store::admin::{Operation, OperationChange, OperationId, OperationState};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::rig::{Rig, counted, seen};

/// Five at a time, twice a second of a clock that waits for nobody.
const RATE: u32 = 10;
const BATCH: u64 = 5;

/// Somebody who performs an operation, and how it stands.
fn perform(rig: &Rig, id: OperationId) -> (JoinHandle<Operation>, watch::Receiver<u64>) {
    let ((tell, told), mut performer) = (watch::channel(0), rig.performer("one"));
    let task = tokio::spawn(async move {
        let progress = |operation: &Operation| {
            tell.send_replace(operation.met);
        };
        match performer.perform_one(id, progress, CancellationToken::new()).await.unwrap() {
            Conclusion::Over(operation) => operation,
            other => panic!("{other:?}"),
        }
    });
    (task, told)
}

#[tokio::test(start_paused = true)]
async fn a_pause_is_heard_within_a_batch_and_it_goes_on_where_it_was() {
    let rig = Rig::failed(200).await;
    let id = rig.retry_all(Some(RATE)).await;
    let (task, mut told) = perform(&rig, id);
    told.wait_for(|met| *met >= 20).await.unwrap();
    let said = rig.change(id, OperationChange::Pause).await;
    let paused = task.await.unwrap();
    assert_eq!(paused.state, OperationState::Paused);
    assert!(paused.met <= said.met + BATCH, "{} after {}", paused.met, said.met);
    let (waits, _) = perform(&rig, id);
    assert_eq!(waits.await.unwrap().met, paused.met, "nobody performs what is paused");
    rig.change(id, OperationChange::Resume).await;
    let (task, _) = perform(&rig, id);
    let ended = task.await.unwrap();
    assert_eq!((ended.state, ended.met), (OperationState::Ended, 200));
    assert_eq!(rig.standings(1..=200).await, vec![seen("RETRY", 0, 1); 200]);
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_is_heard_within_a_batch_and_what_was_done_stays() {
    let rig = Rig::failed(200).await;
    let id = rig.retry_all(Some(RATE)).await;
    let (task, mut told) = perform(&rig, id);
    told.wait_for(|met| *met >= 20).await.unwrap();
    let said = rig.change(id, OperationChange::Cancel).await;
    let cancelled = task.await.unwrap();
    assert_eq!(cancelled.state, OperationState::Cancelled);
    assert!(cancelled.met <= said.met + BATCH, "{} after {}", cancelled.met, said.met);
    assert_eq!(rig.results(id).await, counted([("DONE", cancelled.met)]));
    let retried = rig.standings(1..=200).await.iter().filter(|it| it.retried > 0).count();
    assert_eq!(u64::try_from(retried), Ok(cancelled.met));
}

#[tokio::test]
async fn who_was_paused_has_given_back_and_a_resumption_waits_for_no_lease() {
    let rig = Rig::failed(2_000).await;
    let id = rig.retry_all(None).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(rig.performer("one").run(stop.clone()));
    rig.until(id, |operation| operation.met > 0).await;
    rig.change(id, OperationChange::Pause).await;
    rig.until(id, |operation| operation.owner.is_none()).await;
    rig.change(id, OperationChange::Resume).await;
    let began = std::time::Instant::now();
    let ended = rig.until_ended(id).await;
    let lease = dipmo_processing::operations::OperationOptions::default().lease;
    assert!(began.elapsed() < lease, "{:?}", began.elapsed());
    assert_eq!(ended.met, 2_000);
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn an_operation_of_nobody_is_not_found() {
    let rig = Rig::new().await;
    let none = OperationId(4_711);
    let concluded = rig.performer("one").perform_one(none, |_| {}, CancellationToken::new()).await;
    assert_eq!(concluded, Ok(Conclusion::NotFound));
}
