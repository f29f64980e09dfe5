//! Groups of failures beside others: who names a new one, who forgets one, and what came before there were any.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Failure, Lane};
use dipmo_outbox::{Delivery, UnitResult};
use dipmo_store::admin::Operable;
use dipmo_store::{Changes, ClaimedBatch, ClaimedMessage, Needs, SettlementKind};
use dipmo_store_tests::support::{
    LONG, Script, aggregate_in, batch, batch_of, event, gate, intent, kafka, only_lane, retry,
    settle, stored, take, write_intents,
};
use dipmo_store_tests::{Fixture as _, OperableFixture as _};

use crate::support::fixture::Postgres;
use crate::support::waiting::until_waiting;

fn failing(code: &str) -> SettlementKind {
    SettlementKind::Failed { failure: Failure::new(code, "no"), block: false }
}

/// A batch that named a new group in its first wave would let all wait who fail alike, and two with two groups
/// could wait for each other.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_goes_on_holds_up_nobody_who_fails_alike() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    let lanes = [3, 9].map(|index| Lane::from_index(index).unwrap());
    let first = [event(&aggregate_in(lanes[0], 0), 1), event(&aggregate_in(lanes[0], 1), 2)];
    stored(&*store, &first).await;
    stored(&*store, &[event(&aggregate_in(lanes[1], 0), 3)]).await;
    let (mut gate, guard) = gate();
    let fails = |claimed: &ClaimedBatch, offset: i64| -> Changes {
        settle(claimed, |message| (message.message.offset == offset).then(|| failing("new")))
    };
    let script =
        Script::default().wave(|_| Needs::default(), move |claimed, _| fails(claimed, 1)).wave(
            |_| Needs::default(),
            move |claimed, _| {
                guard.pass();
                fails(claimed, 2)
            },
        );
    let goes_on = Arc::clone(&store);
    let task = tokio::spawn(async move { batch_of(&*goes_on, only_lane(lanes[0]), script).await });
    gate.somebody_inside().await;
    let beside = batch_of(&*store, only_lane(lanes[1]), Script::settling(|_| failing("new")));
    let beside = tokio::time::timeout(Duration::from_secs(5), beside).await;
    assert_eq!(beside.expect("it waits for nobody").unwrap().messages.len(), 1);
    gate.open();
    task.await.unwrap().unwrap();
    let groups = fixture.operable().failure_groups(10).await.unwrap();
    assert_eq!((groups.len(), groups[0].failed), (1, 3));
}

/// Lets whoever writes an exception row stand still at its commit while somebody holds an advisory lock.
const STANDS_STILL: &str = "
    create function stand_still() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(1); return null; end $$;
    create constraint trigger stands_still after insert on inbox_exception
        deferrable initially deferred for each row execute function stand_still();
    select pg_advisory_lock(1)";

/// A group that is forgotten while somebody fails alike and has not committed yet would be missing.
#[tokio::test(flavor = "multi_thread")]
async fn forgetting_waits_for_who_fails_alike() {
    let fixture = Postgres::<15>::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another().await);
    let first = stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::settling(|_| failing("alike"))).await.unwrap();
    store.skip(&first).await.unwrap();
    while store.fold_failures(100).await.unwrap() > 0 {}
    stored(&*store, &[event("F-2", 2)]).await;
    let (locker, client) = (fixture.client().await, fixture.client().await);
    locker.batch_execute(STANDS_STILL).await.unwrap();
    let fails =
        tokio::spawn(async move { batch(&*another, Script::settling(|_| failing("alike"))).await });
    until_waiting(&client, 1).await;
    let later = store.now().await.unwrap().after(LONG);
    let forgetting = Arc::clone(&store);
    let mut forgets = tokio::spawn(async move { forgetting.forget_failures(later).await });
    tokio::select! {
        () = until_waiting(&client, 2) => {}
        early = &mut forgets => panic!("it waits for who fails alike: {early:?}"),
    }
    locker.batch_execute("select pg_advisory_unlock(1)").await.unwrap();
    fails.await.unwrap().unwrap();
    assert_eq!(forgets.await.unwrap().unwrap(), 0);
    let groups = store.failure_groups(10).await.unwrap();
    assert_eq!((groups.len(), groups[0].failed), (1, 1));
}

/// What failed before there were groups, or was written by an older version during an upgrade, gets one.
#[tokio::test]
async fn what_failed_before_there_were_groups_gets_one() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 1), event("F-2", 2), event("F-3", 3)]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => failing("old"),
        _ => retry(LONG),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let refused = || UnitResult::Failed { failure: Failure::new("out", "no"), block: false };
    hand.settle(&*store, |_| refused()).await.unwrap();
    store.skip(&ids[2..]).await.unwrap();
    let before = told(&*store).await;
    assert_eq!(before.len(), 3);
    let as_it_was = "update inbox_exception set fingerprint = null, failed_at = null;
        update outbox_exception set fingerprint = null, failed_at = null;
        truncate dipmo_failure_group, dipmo_failure_note";
    fixture.by_hand(as_it_was).await.unwrap();
    assert_eq!(told(&*store).await, []);
    while store.fold_failures(1).await.unwrap() > 0 {}
    assert_eq!(told(&*store).await, before);
    let open = "select count(*) from inbox_exception where fingerprint is null and outcome is null";
    let open: i64 = fixture.client().await.query_one(open, &[]).await.unwrap().get(0);
    assert_eq!(open, 0);
}

/// Codes, and how many failed and are retried, in the order of codes.
async fn told(store: &dyn Operable) -> Vec<(String, u64, u64)> {
    let groups = store.failure_groups(100).await.unwrap();
    let mut told: Vec<_> =
        groups.into_iter().map(|group| (group.code, group.failed, group.retrying)).collect();
    told.sort_unstable();
    told
}

/// A unit that gets no answer is not tried, and still the last that failed so, each time.
#[tokio::test]
async fn no_answer_is_the_newest_failure() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.operable();
    let intents = ["F-1", "F-2"].map(|name| intent(&kafka("t"), name, 1)).to_vec();
    let ids = write_intents(&*store, intents).await;
    let lost = || Failure::new("lost", "no answer");
    let mut last_seen = None;
    for quiet in [ids[1], ids[0], ids[1], ids[0]] {
        let hand = take(&*store, &kafka("t"), "o").await;
        let result = |unit: &Delivery| match unit.unit == quiet {
            true => UnitResult::Unanswered { after: Duration::ZERO, failure: lost() },
            false => UnitResult::Later,
        };
        hand.settle(&*store, result).await.unwrap();
        hand.give_back(&*store).await;
        let group = store.failure_groups(10).await.unwrap().remove(0);
        assert_eq!(group.sample, quiet.0);
        assert!(last_seen < Some(group.last_seen));
        last_seen = Some(group.last_seen);
        store.fold_failures(100).await.unwrap();
    }
}
