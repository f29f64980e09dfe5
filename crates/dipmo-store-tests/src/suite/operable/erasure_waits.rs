//! Nothing is erased while something of the aggregate has not ended: it is told what, and nothing changes.

use std::time::Duration;

use dipmo_api::TimerChange;
use dipmo_domain::{InboxStatus, Json, OutboxStatus};
use dipmo_outbox::{NewIntent, UnitResult};
use dipmo_store::admin::{Erase, Erased, Operable, Unended};
use dipmo_store::{Changes, ClaimedMessage, SettlementKind, StateWrite, TimerWrite};

use super::erasure::{erased, wish};
use crate::OperableFixture;
use crate::support::{
    LONG, Script, batch, dispatch_all, done, ended, event, failed, failure, intent, kafka, marker,
    new_state, record_keys, retry, stored, suite_key, take, work_off, write_intents,
};

/// What has not ended, as a dry run and the erasure itself tell it; nothing changed.
async fn waits(fixture: &impl OperableFixture, wish: &Erase) -> Vec<Unended> {
    let store = fixture.operable();
    let before = fixture.dump().await;
    let dry = store.erase(wish, true).await.unwrap();
    let told = store.erase(wish, false).await.unwrap();
    assert_eq!(fixture.dump().await, before, "nothing changed");
    assert_eq!(told, dry);
    match told {
        Erased::Waits(waiting) => waiting,
        Erased::Done(proof) => panic!("{proof:?}"),
    }
}

fn messages(status: InboxStatus, count: u64, first: i64) -> Unended {
    Unended::Messages { status, count, first }
}

async fn write(store: &dyn Operable, changes: Changes) {
    stored(store, &[marker()]).await;
    batch(store, Script::writing(|_| changes)).await.unwrap();
}

/// Messages that are ready, tried again, held or failed; not those of others.
pub async fn messages_that_have_not_ended<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    stored(&*store, &[event("F-2", 9)]).await;
    let ids = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let ready = waits(&fixture, &wish("F-1")).await;
    assert_eq!(ready, [messages(InboxStatus::Received, 2, ids[0].0)]);
    let settle = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => retry(Duration::ZERO),
        2 => SettlementKind::Held,
        _ => done(),
    };
    batch(&*store, Script::settling(settle)).await.unwrap();
    let held = waits(&fixture, &wish("F-1")).await;
    let expected =
        [messages(InboxStatus::Received, 1, ids[1].0), messages(InboxStatus::Retry, 1, ids[0].0)];
    assert_eq!(held, expected);
    batch(&*store, Script::settling(|_| failed(true))).await.unwrap();
    let failed = waits(&fixture, &wish("F-1")).await;
    assert_eq!(failed[0], messages(InboxStatus::Failed, 1, ids[0].0));
    store.skip(&[ids[0]]).await.unwrap();
    work_off(&*store, |_| done()).await;
    erased(&*store, &wish("F-1"), false).await;
}

/// Intents that wait or failed, with records or without; given up, they have ended.
pub async fn intents_that_have_not_ended<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let of_records = NewIntent { records: record_keys(2), ..intent(&kafka("t"), "F-1", 1) };
    let ids = write_intents(&*store, vec![of_records, intent(&kafka("u"), "F-1", 2)]).await;
    let told = |status, topic: &str, at: usize| Unended::Intents {
        status,
        destination: format!("KAFKA:{topic}"),
        count: 1,
        first: ids[at].0,
    };
    let pending = waits(&fixture, &wish("F-1")).await;
    let expected = [told(OutboxStatus::Pending, "t", 0), told(OutboxStatus::Pending, "u", 1)];
    assert_eq!(pending, expected);
    let hand = take(&*store, &kafka("t"), "o").await;
    let refused = || UnitResult::Failed { failure: failure("no"), block: false };
    hand.settle(&*store, |_| refused()).await.unwrap();
    hand.give_back(&*store).await;
    dispatch_all(&*store, &kafka("u")).await;
    assert_eq!(waits(&fixture, &wish("F-1")).await, [told(OutboxStatus::Failed, "t", 0)]);
    let units: Vec<_> = hand.units.iter().map(|unit| unit.unit).collect();
    store.skip_units(&units[..1]).await.unwrap();
    assert_eq!(waits(&fixture, &wish("F-1")).await, [told(OutboxStatus::Failed, "t", 0)]);
    store.skip_units(&units).await.unwrap();
    erased(&*store, &wish("F-1"), false).await;
}

/// Intents of other aggregates that its messages caused wait as well.
pub async fn what_its_messages_caused<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let cause = stored(&*store, &[event("F-1", 1)]).await[0];
    let caused = NewIntent { cause: Some(cause), ..intent(&kafka("t"), "G-1", 1) };
    let changes = Changes { intents: vec![caused], ..Changes::default() };
    batch(&*store, Script::writing(|_| changes)).await.unwrap();
    let told = waits(&fixture, &wish("F-1")).await;
    assert!(
        matches!(told[..], [Unended::Intents { status: OutboxStatus::Pending, .. }]),
        "{told:?}"
    );
}

/// An instance that has not ended needs its context, by whatever it belongs to the aggregate; and so does one of a
/// process that nobody knows.
pub async fn instances_that_have_not_ended<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let payload = Json::parse("{}").unwrap();
    let set = TimerChange::Set { name: "late", after: LONG, event_type: "TimedOut", payload };
    let (instance, aggregate_id) = (suite_key("S-2"), "F-1".to_owned());
    let timers = vec![TimerWrite { instance, aggregate_id, change: set }];
    let states = vec![new_state("F-1"), new_state("S-2"), new_state("S-3"), new_state("S-4")];
    write(&*store, Changes { states, timers, ..Changes::default() }).await;
    let asks = NewIntent { reply_to: Some(suite_key("S-3")), ..intent(&kafka("t"), "F-1", 1) };
    write_intents(&*store, vec![asks]).await;
    dispatch_all(&*store, &kafka("t")).await;
    let told = |id: &str, known| Unended::Instance {
        key: suite_key(id),
        state: "STARTED".to_owned(),
        known,
    };
    let all = waits(&fixture, &wish("F-1")).await;
    assert_eq!(all, ["F-1", "S-2", "S-3"].map(|id| told(id, true)));
    let end = |id: &str| StateWrite { expected_version: Some(1), version: 2, ..ended(id) };
    let states = ["F-1", "S-2", "S-3"].map(end).into();
    write(&*store, Changes { states, ..Changes::default() }).await;
    let nobody = Erase { ends: Default::default(), ..wish("S-4") };
    assert_eq!(waits(&fixture, &nobody).await, [told("S-4", false)]);
    erased(&*store, &wish("F-1"), false).await;
}

/// Where somebody says so, an instance is erased as it stands, with its timers.
pub async fn an_instance_that_is_to_end_here<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    write(&*store, Changes { states: vec![new_state("F-1")], ..Changes::default() }).await;
    let wish = Erase { end_instances: true, ..wish("F-1") };
    erased(&*store, &wish, false).await;
    let row = store.instance(&suite_key("F-1")).await.unwrap().unwrap();
    assert_eq!((row.state.as_str(), row.is_blank()), ("STARTED", true));
}
