//! Operators who name messages of many lanes.

use std::time::Duration;

use dipmo_domain::Lane;
use dipmo_store::Acted;
use dipmo_store_tests::Fixture as _;
use dipmo_store_tests::support::{
    Script, aggregate_in, batch, event, failed, inside, only_lane, stored,
};

use crate::support::fixture::Postgres;

/// One that waits for a lane holds no other: what it did before is committed, and others go on there.
#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_lane_holds_no_other() {
    let fixture = Postgres::<15>::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let lanes = [3, 9, 20].map(|index| Lane::from_index(index).unwrap());
    let names = lanes.map(|lane| aggregate_in(lane, 0));
    let ids = stored(&*store, &names.clone().map(|name| event(&name, 1))).await;
    batch(&*store, Script::settling(|_| failed(false))).await.unwrap();
    stored(&*store, &[event(&names[1], 2)]).await;
    let (gate, task) = inside(&store, only_lane(lanes[1]), Script::process_all()).await;
    let asked = ids.clone();
    let mut acting = tokio::spawn(async move { another.retry(&asked, false).await });
    let early = tokio::time::timeout(Duration::from_millis(300), &mut acting).await;
    assert!(early.is_err(), "a batch has the second lane: {early:?}");
    let beside = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(beside.ids(), ids[..1], "the first lane is done, and free");
    gate.open();
    let later = task.await.unwrap().unwrap().ids();
    let acts = acting.await.unwrap().unwrap().acts;
    assert_eq!(acts, [Acted::Done, Acted::Overtaken { by: later[0] }, Acted::Done]);
}
