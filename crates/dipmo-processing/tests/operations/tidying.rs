//! What is old is forgotten, and nothing else.

use dipmo_domain::{InboxStatus, Json};
use dipmo_processing::operations::OperationOptions;
use dipmo_store::admin::{Act, Actions as _, Fleet as _, InstanceReport, MessageFilter, Target};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

const DAY_MICROS: i64 = 24 * 3_600 * 1_000_000;

/// Makes a group of failures, an operation and an instance look old; others stay young.
fn age(rig: &Rig, operation: i64) {
    let aged = format!(
        "UPDATE dipmo_failure_group SET last_seen = last_seen - {month};
         UPDATE dipmo_operation SET ended_at = ended_at - {month} WHERE id = {operation};
         UPDATE dipmo_instance SET seen_at = seen_at - {day} WHERE name = 'gone'",
        month = 31 * DAY_MICROS,
        day = DAY_MICROS + 1,
    );
    rig.other().execute_batch(&aged).unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_old_is_forgotten_soon_after_the_start() {
    let rig = Rig::failed(3).await;
    let instance = |name: &str| InstanceReport {
        name: name.to_owned(),
        version: "1".to_owned(),
        roles: "process".to_owned(),
        report: Json::empty_object(),
    };
    for name in ["gone", "here"] {
        rig.store.report(&instance(name)).await.unwrap();
    }
    let failed = MessageFilter { status: vec![InboxStatus::Failed], ..MessageFilter::default() };
    let [old, young] = [
        rig.begin(Act::Skip, Target::Messages(failed.clone()), None).await,
        rig.begin(Act::Release, Target::Messages(failed), None).await,
    ];
    for id in [old, young] {
        rig.performer("one").perform_one(id, |_| {}, CancellationToken::new()).await.unwrap();
    }
    age(&rig, old.0);
    let stop = CancellationToken::new();
    let performer = rig.performer("one").options(OperationOptions::default());
    let running = tokio::spawn(performer.run(stop.clone()));
    let items = async |id| rig.store.operation_items(id, None, None, 10).await.unwrap().len();
    while items(old).await > 0 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    running.await.unwrap();
    assert_eq!(items(young).await, 3);
    assert_eq!(rig.operation(old).await.done, 3, "the operation itself stays");
    let fleet = rig.store.fleet(10).await.unwrap();
    let names: Vec<_> = fleet.iter().map(|row| row.report.name.as_str()).collect();
    assert_eq!(names, ["here"]);
    let groups = "SELECT count(*) FROM dipmo_failure_group";
    let groups: i64 = rig.other().query_row(groups, [], |row| row.get(0)).unwrap();
    assert_eq!(groups, 0);
}
