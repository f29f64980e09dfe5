//! Batches at once that want the same rows. Not for `single_writer` stores.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::{DomainWrite, TimerChange};
use dipmo_domain::{Json, StoreError};
use dipmo_store::{Changes, Needs, TimerWrite};

use crate::support::{
    Script, aggregates, batch, changed_state, done, event, everything, inside, intent, kafka,
    marker, new_state, only_lane, settle, stored, suite_key,
};
use crate::{Fixture, items_table};

/// Two lanes lead to one instance: the one that commits later finds another version, and writes
/// nothing.
async fn two_lanes_one_instance<F: Fixture>(made_before: bool) {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    if made_before {
        stored(&*store, &[marker()]).await;
        let states = vec![new_state("S-1")];
        batch(&*store, Script::writing(|_| Changes { states, ..Changes::default() }))
            .await
            .unwrap();
    }
    let messages: Vec<_> = aggregates(2).iter().map(|name| event(name, 1)).collect();
    let ids = stored(&*store, &messages).await;
    let write = |topic: &'static str| {
        let state = if made_before { changed_state("S-1", 1) } else { new_state("S-1") };
        let needs = Needs { states: vec![suite_key("S-1")], ..Needs::default() };
        Script::default().wave(
            |_| needs,
            move |batch, found| {
                assert_eq!(found.states.len(), usize::from(made_before));
                Changes {
                    states: vec![state],
                    intents: vec![intent(&kafka(topic), "F-1", 1)],
                    ..settle(batch, |_| Some(done()))
                }
            },
        )
    };
    let (first_gate, first) = inside(&store, only_lane(messages[0].lane), write("first")).await;
    let (second_gate, second) = inside(&another, everything(), write("second")).await;
    second_gate.open();
    assert_eq!(second.await.unwrap().unwrap().ids(), [ids[1]]);
    first_gate.open();
    let error = first.await.unwrap().unwrap_err();
    let expected = StoreError::VersionConflict { process: "SUITE".to_owned(), changed: 1 };
    assert_eq!(error, expected);
    let intents = store.outbox_rows(10).await.unwrap();
    let written: Vec<_> = intents.iter().map(|row| row.destination.clone()).collect();
    assert_eq!(written, [kafka("second")], "nothing of the first was written");
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), [ids[0]], "its message can be claimed again");
}

/// Two lanes change one instance.
pub async fn two_lanes_change_one_instance<F: Fixture>() {
    two_lanes_one_instance::<F>(true).await;
}

/// Two lanes make one instance.
pub async fn two_lanes_make_one_instance<F: Fixture>() {
    two_lanes_one_instance::<F>(false).await;
}

/// Two lanes write the same domain rows in opposite order: both get through, at the latest when
/// they are tried again.
pub async fn two_lanes_write_the_same_rows<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    for round in 0..5 {
        let messages: Vec<_> = aggregates(2).iter().map(|name| event(name, round)).collect();
        let ids = stored(&*stores[0], &messages).await;
        let write = move |backwards: bool| {
            Script::writing(move |_| {
                let mut numbers: Vec<i64> = (0..50).collect();
                if backwards {
                    numbers.reverse();
                }
                let row = |number: i64| {
                    DomainWrite::upsert(items_table())
                        .set("REGION", "EU")
                        .set("ITEM_NO", number)
                        .set("REVISION", round + 1)
                };
                let writes = numbers.into_iter().map(row).collect();
                Changes { writes, ..Changes::default() }
            })
        };
        let (first_gate, first) =
            inside(&stores[0], only_lane(messages[0].lane), write(false)).await;
        let (second_gate, second) = inside(&stores[1], everything(), write(true)).await;
        first_gate.open();
        second_gate.open();
        let mut through = 0;
        for task in [first, second] {
            match task.await.unwrap() {
                Ok(ran) => through += ran.messages.len(),
                Err(error) => assert!(error.is_transient(), "{error:?}"),
            }
        }
        let rest = batch(&*stores[0], write(false)).await.unwrap();
        assert_eq!(through + rest.messages.len(), ids.len(), "none is lost, none is done twice");
        let rows = stores[0].domain_rows(&items_table()).await.unwrap();
        assert_eq!(rows.len(), 50);
        assert!(rows.iter().all(|row| row["REVISION"].as_integer() == Some(round + 1)));
    }
}

/// A timer fires while a batch cancels it: it fires or it does not, and nobody fails.
pub async fn a_timer_is_fired_and_cancelled_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let timer =
        |change| TimerWrite { instance: suite_key("S-1"), aggregate_id: "F-1".to_owned(), change };
    for _ in 0..10 {
        let sets = timer(TimerChange::Set {
            name: "a",
            after: Duration::ZERO,
            event_type: "TimedOut",
            payload: Json::null(),
        });
        let cancels = timer(TimerChange::Cancel { name: "a" });
        stored(&*store, &[marker()]).await;
        batch(&*store, Script::writing(|_| Changes { timers: vec![sets], ..Changes::default() }))
            .await
            .unwrap();
        stored(&*store, &[marker()]).await;
        let script = Script::writing(|_| Changes { timers: vec![cancels], ..Changes::default() });
        let (gate, task) = inside(&store, everything(), script).await;
        let fires = Arc::clone(&another);
        let fires = tokio::spawn(async move { fires.fire_timers(10).await });
        gate.open();
        task.await.unwrap().unwrap();
        let fired = fires.await.unwrap().unwrap();
        assert!(fired <= 1);
        let tried = batch(&*store, Script::process_all()).await.unwrap();
        assert_eq!(tried.messages.len(), fired);
        assert_eq!(another.fire_timers(10).await, Ok(0));
    }
}
