//! Timers: a delayed message of an instance to itself, exactly once.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::TimerChange;
use dipmo_domain::{InboxStatus, Json};
use dipmo_inbox::InboxRow;
use dipmo_store::{Changes, DueTimer, INSTANCE_HEADER, Store, TimerWrite, timer_message};

use crate::Fixture;
use crate::support::{
    LONG, Script, batch, changed_state, done, marker, rows, stored, suite_key, work_off,
};

fn set(instance: &str, name: &'static str, after: Duration) -> TimerWrite {
    let payload = Json::parse(r#"{"why":  "late"}"#).unwrap();
    TimerWrite {
        instance: suite_key(instance),
        aggregate_id: format!("agg-{instance}"),
        change: TimerChange::Set { name, after, event_type: "TimedOut", payload },
    }
}

fn cancel(instance: &str, name: &'static str) -> TimerWrite {
    TimerWrite { change: TimerChange::Cancel { name }, ..set(instance, name, LONG) }
}

async fn write(store: &dyn Store, timers: Vec<TimerWrite>) {
    stored(store, &[marker()]).await;
    let script = Script::writing(|_| Changes { timers, ..Changes::default() });
    batch(store, script).await.unwrap();
}

/// The messages that timers became.
async fn fired(store: &dyn Store) -> Vec<InboxRow> {
    let all = rows(store).await;
    all.into_iter().filter(|row| row.message.source_system == "timer").collect()
}

/// A due timer becomes the message that `timer_message` makes.
pub async fn a_due_timer_becomes_a_message<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![set("S-1", "deadline", Duration::ZERO)]).await;
    assert_eq!(store.fire_timers(10).await, Ok(1));
    let rows = fired(&*store).await;
    assert_eq!(rows.len(), 1);
    let message = &rows[0].message;
    let timer = DueTimer {
        instance: suite_key("S-1"),
        name: "deadline".to_owned(),
        aggregate_id: "agg-S-1".to_owned(),
        event_type: "TimedOut".to_owned(),
        payload: Json::parse(r#"{"why":  "late"}"#).unwrap(),
    };
    let expected = timer_message(&timer, message.offset);
    assert_eq!(message.message_id, expected.message_id);
    assert_eq!(message.topic, expected.topic);
    assert_eq!(message.aggregate_id, expected.aggregate_id);
    assert_eq!(message.event_type, expected.event_type);
    assert_eq!(message.payload, Some(timer.payload));
    assert_eq!(message.lane, expected.lane);
    assert_eq!(message.headers().unwrap().text(INSTANCE_HEADER), Some("S-1"));
    assert_eq!(rows[0].status, InboxStatus::Received);

    let tried = work_off(&*store, |_| done()).await;
    assert_eq!(tried.len(), 1, "it is processed like any other message");
    assert_eq!(store.fire_timers(10).await, Ok(0), "and fires once");
}

/// A timer that is not due does not fire.
pub async fn a_timer_that_is_not_due_waits<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![set("S-1", "deadline", LONG)]).await;
    assert_eq!(store.fire_timers(10).await, Ok(0));
    assert!(fired(&*store).await.is_empty());
}

/// Setting a timer again moves it, and does not make a second one.
pub async fn setting_again_moves_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![set("S-1", "a", Duration::ZERO), set("S-2", "a", LONG)]).await;
    write(&*store, vec![set("S-1", "a", LONG), set("S-2", "a", Duration::ZERO)]).await;
    assert_eq!(store.fire_timers(10).await, Ok(1));
    let rows = fired(&*store).await;
    assert_eq!(rows[0].message.aggregate_id.as_deref(), Some("agg-S-2"));
}

/// Set twice in one wave: the last one counts.
pub async fn set_twice_in_one_wave<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let twice = vec![set("S-1", "a", Duration::ZERO), set("S-1", "a", LONG)];
    let back = vec![set("S-2", "a", LONG), cancel("S-2", "a"), set("S-2", "a", Duration::ZERO)];
    let gone = vec![set("S-3", "a", Duration::ZERO), cancel("S-3", "a")];
    write(&*store, [twice, back, gone].concat()).await;
    assert_eq!(store.fire_timers(10).await, Ok(1));
    assert_eq!(fired(&*store).await[0].message.aggregate_id.as_deref(), Some("agg-S-2"));
}

/// A cancelled timer does not fire; cancelling what is not there is fine.
pub async fn a_cancelled_timer_does_not_fire<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let timers = ["a", "b"].map(|name| set("S-1", name, Duration::ZERO));
    write(&*store, timers.to_vec()).await;
    write(&*store, vec![cancel("S-1", "a"), cancel("S-1", "c"), cancel("S-2", "b")]).await;
    assert_eq!(store.fire_timers(10).await, Ok(1));
    assert!(fired(&*store).await[0].message.message_id.contains(":b:"));
}

/// A timer that is set again after it fired fires again: that is no duplicate.
pub async fn fired_and_set_again_is_new<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    for times in 1..=3 {
        write(&*store, vec![set("S-1", "poll", Duration::ZERO)]).await;
        assert_eq!(store.fire_timers(10).await, Ok(1));
        assert_eq!(fired(&*store).await.len(), times);
    }
}

/// No more fire than asked, the rest later.
pub async fn no_more_than_asked<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let instances: Vec<_> = (0..25).map(|number| format!("S-{number}")).collect();
    let timers = instances.iter().map(|id| set(id, "a", Duration::ZERO));
    write(&*store, timers.collect()).await;
    let mut counts = Vec::new();
    for _ in 0..4 {
        counts.push(store.fire_timers(10).await.unwrap());
    }
    assert_eq!(counts, [10, 10, 5, 0]);
    assert_eq!(fired(&*store).await.len(), 25);
}

/// Instances fire the same timers at once: each of them once.
pub async fn two_instances_fire_each_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let instances: Vec<_> = (0..200).map(|number| format!("S-{number}")).collect();
    let timers = instances.iter().map(|id| set(id, "a", Duration::ZERO));
    write(&*store, timers.collect()).await;
    let fire = |store: Arc<dyn Store>| {
        tokio::spawn(async move { while store.fire_timers(7).await.unwrap() > 0 {} })
    };
    for task in [&store, &another, &store, &another].map(|store| fire(Arc::clone(store))) {
        task.await.unwrap();
    }
    // One that passed over what another had locked may have ended too early.
    while store.fire_timers(200).await.unwrap() > 0 {}
    let mut aggregates: Vec<_> =
        fired(&*store).await.into_iter().map(|row| row.message.aggregate_id).collect();
    aggregates.sort();
    aggregates.dedup();
    assert_eq!((fired(&*store).await.len(), aggregates.len()), (200, 200));
}

/// Timers of a batch that is rolled back were never set.
pub async fn a_rolled_back_timer_was_never_set<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[marker()]).await;
    let script = Script::writing(|_| Changes {
        timers: vec![set("S-1", "a", Duration::ZERO)],
        states: vec![changed_state("S-1", 1)],
        ..Changes::default()
    });
    batch(&*store, script).await.unwrap_err();
    assert_eq!(store.fire_timers(10).await, Ok(0));
}
