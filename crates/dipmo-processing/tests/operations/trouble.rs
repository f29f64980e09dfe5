//! A database that fails.

use std::sync::{Arc, Mutex};

use dipmo_processing::Metrics;
use dipmo_processing::operations::{Conclusion, OperationOptions};
use dipmo_store::Side;
use dipmo_store::admin::{Act, Operation, OperationState, Target};
use dipmo_store_sqlite::rusqlite::Connection;
use tokio_util::sync::CancellationToken;

use crate::rig::{Nothing, Rig, quick, seen};

#[tokio::test]
async fn a_database_that_is_busy_is_waited_for() {
    let rig = Rig::failed(100).await;
    let id = rig.retry_all(None).await;
    let metrics: Arc<Metrics> = Arc::default();
    let mut performer = rig.performer("one").counting(Arc::clone(&metrics));
    let other = Mutex::new(rig.other());
    let say = |sql| other.lock().unwrap().execute_batch(sql).unwrap();
    let busy = |what| metrics.snapshot().store_errors.get(&(what, "store-busy")).copied();
    let hold = |operation: &Operation| {
        if operation.met > 0 && operation.state == OperationState::Running {
            say("BEGIN IMMEDIATE");
        }
    };
    let release = async {
        while busy("perform").is_none() {
            tokio::task::yield_now().await;
        }
        say("COMMIT");
    };
    let perform = performer.perform_one(id, hold, CancellationToken::new());
    let (concluded, ()) = tokio::join!(perform, release);
    let Ok(Conclusion::Over(operation)) = concluded else { panic!("{concluded:?}") };
    assert_eq!((operation.state, operation.done), (OperationState::Ended, 100));
    assert_eq!(rig.standings(1..=100).await, vec![seen("RETRY", 0, 1); 100]);
}

#[tokio::test]
async fn what_cannot_go_on_rests_while_others_are_performed() {
    let rig = Rig::failed(200).await;
    let target = |ids| Target::Ids { side: Side::Inbox, ids };
    let broken = rig.begin(Act::Retry, target((1..=100).collect()), None).await;
    let healthy = rig.begin(Act::Retry, target((101..=200).collect()), None).await;
    let other = rig.other();
    refuse_items_of(&other, broken.0);
    let (metrics, stop): (Arc<Metrics>, _) = (Arc::default(), CancellationToken::new());
    let options = OperationOptions { at_once: 1, ..quick() };
    let performer = rig.performer_with("one", options, Arc::new(Nothing));
    let performer = performer.counting(Arc::clone(&metrics));
    let running = tokio::spawn(performer.run(stop.clone()));
    rig.until_ended(healthy).await;
    let stuck = rig.operation(broken).await;
    assert_eq!((stuck.state, stuck.met), (OperationState::Running, 0));
    let figures = metrics.snapshot();
    let set_back = figures.operations.set_back;
    assert!((1..=2).contains(&set_back), "it does not spin: {set_back}");
    assert_eq!(figures.store_errors.values().sum::<u64>(), set_back, "{figures:?}");
    other.execute_batch("DROP TRIGGER refusing").unwrap();
    assert_eq!(rig.until_ended(broken).await.done, 100);
    stop.cancel();
    running.await.unwrap();
    assert_eq!(rig.standings(1..=200).await, vec![seen("RETRY", 0, 1); 200]);
}

#[tokio::test]
async fn who_performs_one_hears_why_it_cannot_go_on() {
    let rig = Rig::failed(10).await;
    let id = rig.retry_all(None).await;
    refuse_items_of(&rig.other(), id.0);
    let mut performer = rig.performer("one");
    let concluded = performer.perform_one(id, |_| {}, CancellationToken::new()).await;
    assert!(concluded.is_err_and(|error| !error.is_transient()));
    assert_eq!(rig.operation(id).await.owner, None, "it was given back");
    assert_eq!(rig.standings(1..=10).await, vec![seen("FAILED", 1, 0); 10]);
}

/// Lets the database refuse results of an operation.
fn refuse_items_of(connection: &Connection, operation: i64) {
    let trigger = format!(
        "CREATE TRIGGER refusing BEFORE UPDATE ON dipmo_operation_item \
         WHEN NEW.operation_id = {operation} BEGIN SELECT raise(ABORT, 'refused'); END"
    );
    connection.execute_batch(&trigger).unwrap();
}
