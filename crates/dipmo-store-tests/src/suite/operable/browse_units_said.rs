//! Lists of units by what they are about, their failures, their time, and what they say.

use dipmo_domain::{Fingerprint, Headers, Json, OutboxId, OutboxStatus, RecordKey};
use dipmo_outbox::{NewIntent, UnitResult};
use dipmo_store::admin::{UnitFilter, UnitLine, Waits};

use super::browse_units::{all, finds, written};
use crate::OperableFixture;
use crate::support::{
    dispatched, failure, intent, kafka, marker, record_keys, stored, take, write_intents,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Destination, type, aggregate and record, each by itself.
pub async fn by_what_they_are_about<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    written(&*store).await;
    let t = UnitFilter { destination: Some(kafka("t")), ..all() };
    assert_eq!(finds(&*store, &t, |unit| unit.destination == kafka("t")).await, 7);
    let made = UnitFilter { event_type: some("Made"), ..all() };
    assert_eq!(finds(&*store, &made, |unit| unit.event_type == "Made").await, 9);
    let again = UnitFilter { aggregate: some("again"), ..all() };
    assert_eq!(finds(&*store, &again, |unit| unit.aggregate_id == "again").await, 2);
    let records = UnitFilter { aggregate: some("records"), ..all() };
    assert_eq!(finds(&*store, &records, |unit| unit.aggregate_id == "records").await, 3);
    let key = RecordKey("REC-1".to_owned());
    let record = UnitFilter { record: some("REC-1"), ..all() };
    assert_eq!(finds(&*store, &record, |unit| unit.record.as_ref() == Some(&key)).await, 2);
}

/// Aggregates of any type, when they have one id.
pub async fn by_aggregates_of_several_types<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let of = |kind: &str, number| NewIntent {
        aggregate_type: kind.to_owned(),
        ..intent(&kafka("t"), "A", number)
    };
    let intents = vec![of("Order", 0), of("Customer", 1), of("Order", 2), of("Part", 3)];
    write_intents(&*store, intents).await;
    write_intents(&*store, vec![intent(&kafka("t"), "B", 4)]).await;
    let filter = UnitFilter { aggregate: some("A"), ..all() };
    assert_eq!(finds(&*store, &filter, |unit| unit.aggregate_id == "A").await, 4);
}

/// Those of an intent, and of the intents that a message caused; with records or without.
pub async fn by_intent_and_cause<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let (units, cause) = written(&*store).await;
    let lines = store.units(&all(), dipmo_store::admin::Page::first(100)).await.unwrap().rows;
    let whole = lines.iter().find(|line| line.id == units[6]).unwrap().intent;
    for (intent, count) in [(whole, 3), (units[0], 1), (units[6], 0)] {
        let filter = UnitFilter { intent: Some(intent), ..all() };
        assert_eq!(finds(&*store, &filter, |unit| unit.intent == intent).await, count);
    }
    let caused = UnitFilter { cause: Some(cause), ..all() };
    assert_eq!(finds(&*store, &caused, |unit| unit.cause == Some(cause)).await, 4);
    let failed = UnitFilter { status: vec![OutboxStatus::Failed], ..caused };
    let fits = |unit: &UnitLine| unit.cause == Some(cause) && unit.status == OutboxStatus::Failed;
    assert_eq!(finds(&*store, &failed, fits).await, 2);
    let other = stored(&*store, &[marker()]).await[0];
    let nothing = UnitFilter { cause: Some(other), ..all() };
    finds(&*store, &nothing, |_| false).await;
}

/// The code of the last failure, and its group while the unit counts in it.
pub async fn by_failure<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let (units, _) = written(&*store).await;
    let code = |unit: &UnitLine| unit.failure.as_ref().map(|failure| failure.code().to_owned());
    for (wanted, count) in [("try-again", 3), ("refused", 2), ("odd", 1), ("unheard-of", 0)] {
        let filter = UnitFilter { error_code: some(wanted), ..all() };
        let fits = |unit: &UnitLine| code(unit).as_deref() == Some(wanted);
        assert_eq!(finds(&*store, &filter, fits).await, count);
    }
    let group = |code: &str| {
        Fingerprint::of("outbox", None, &dipmo_domain::Failure::new(code, "nobody wants it"))
    };
    let is = |unit: &UnitLine, places: &[usize]| places.iter().any(|at| units[*at] == unit.id);
    let of = |code: &str| UnitFilter { failure: Some(group(code)), ..all() };
    assert_eq!(finds(&*store, &of("try-again"), |unit| is(unit, &[1, 8])).await, 2);
    assert_eq!(finds(&*store, &of("refused"), |unit| is(unit, &[3, 7])).await, 2);
    finds(&*store, &of("odd"), |_| false).await;
    store.skip_units(&units[3..4]).await.unwrap();
    assert_eq!(finds(&*store, &of("refused"), |unit| is(unit, &[7])).await, 1);
    store.retry_units(&units[7..8], false).await.unwrap();
    let pending = UnitFilter { status: vec![OutboxStatus::Pending], ..of("refused") };
    assert_eq!(finds(&*store, &pending, |unit| is(unit, &[7])).await, 1);
}

/// `since` has its own moment, `until` has not; records are as old as their intent.
pub async fn by_time<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let mut times = Vec::new();
    for number in 0..3 {
        let whole = NewIntent { records: record_keys(2), ..intent(&kafka("t"), "a", number) };
        let intents = vec![whole, intent(&kafka("t"), "b", number)];
        write_intents(&*store, intents).await;
        times.push(store.outbox_rows(1).await.unwrap()[0].created_at);
        fixture.tick().await;
    }
    let (second, third) = (times[1], times[2]);
    let of = |since, until| UnitFilter { since, until, ..all() };
    let made = |unit: &UnitLine| unit.created_at;
    assert_eq!(finds(&*store, &of(Some(second), None), |unit| made(unit) >= second).await, 6);
    assert_eq!(finds(&*store, &of(None, Some(second)), |unit| made(unit) < second).await, 3);
    let between = of(Some(second), Some(third));
    assert_eq!(finds(&*store, &between, |unit| made(unit) == second).await, 3);
    let of_b = UnitFilter { aggregate: some("b"), ..between };
    let fits = |unit: &UnitLine| made(unit) == second && unit.aggregate_id == "b";
    assert_eq!(finds(&*store, &of_b, fits).await, 1);
    finds(&*store, &of(Some(second), Some(second)), |_| false).await;
    finds(&*store, &of(Some(store.now().await.unwrap()), None), |_| false).await;
}

/// A text is looked for as it is written, in every column that people read.
pub async fn by_text<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let plain = |name: &str| intent(&kafka("t"), name, 0);
    let payload = Json::parse(r#"{"say":"a needle, 100%_sure"}"#).unwrap();
    let headers = Headers::default().with("trace", "needle in headers");
    let records = vec![RecordKey("needle-record".to_owned()), RecordKey("hay".to_owned())];
    let intents = vec![
        NewIntent { payload, ..plain("A-1") },
        NewIntent { headers, ..plain("A-2") },
        NewIntent { records, ..plain("A-3") },
        plain("needle-aggregate"),
        plain("A-5"),
        plain("A-6"),
    ];
    let intents = write_intents(&*store, intents).await;
    let refused = UnitResult::Failed {
        failure: dipmo_domain::Failure::new("odd", "no needle in the hay"),
        block: false,
    };
    let hand = take(&*store, &kafka("t"), "o").await;
    let result = |unit: OutboxId| if unit == intents[4] { refused.clone() } else { dispatched() };
    hand.settle(&*store, |delivery| result(delivery.unit)).await.unwrap();
    let of = |text: &str| UnitFilter { text: some(text), ..all() };
    let hay = |unit: &UnitLine| unit.record.as_ref().is_some_and(|record| record.0 == "hay");
    let fits = |unit: &UnitLine| unit.intent != intents[5] && !hay(unit);
    assert_eq!(finds(&*store, &of("needle"), fits).await, 5);
    assert_eq!(finds(&*store, &of("100%_sure"), |unit| unit.id == intents[0]).await, 1);
    for nowhere in ["NEEDLE", "n_edle", "needle%", "100%%sure", "needle'", "need\\le"] {
        finds(&*store, &of(nowhere), |_| false).await;
    }
    let failed = UnitFilter { status: vec![OutboxStatus::Failed], ..of("needle") };
    assert_eq!(finds(&*store, &failed, |unit| unit.id == intents[4]).await, 1);
}

/// All that is said must hold.
pub async fn all_that_is_said_holds<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let (units, cause) = written(&*store).await;
    let filter = UnitFilter {
        status: vec![OutboxStatus::Pending, OutboxStatus::Failed],
        destination: Some(kafka("t")),
        event_type: some("Made"),
        cause: Some(cause),
        ..all()
    };
    let is = |unit: &UnitLine, places: &[usize]| places.iter().any(|at| units[*at] == unit.id);
    assert_eq!(finds(&*store, &filter, |unit| is(unit, &[7, 8])).await, 2);
    let refused = UnitFilter { error_code: some(failure("refused").code()), ..filter.clone() };
    assert_eq!(finds(&*store, &refused, |unit| is(unit, &[7])).await, 1);
    let held = UnitFilter { waits: Some(Waits::Held), ..filter };
    finds(&*store, &held, |_| false).await;
}
