//! What an operation takes of what a filter finds: all that the act can be done to, and nothing else.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::{Fingerprint, InboxId, InboxStatus, OutboxId, OutboxStatus};
use dipmo_outbox::{Delivery, NewIntent, UnitResult};
use dipmo_store::admin::{Act, MessageFilter, Operable, Target, UnitFilter};
use dipmo_store::{ClaimedMessage, SettlementKind};

use super::actions::{begin, items};
use crate::OperableFixture;
use crate::suite::poison::poison;
use crate::suite::reparse::silent;
use crate::support::{
    LONG, Script, batch, dispatched, done, event, failed, failure, intent, kafka, record_keys,
    retry, stored, take, write_intents,
};

/// Messages that are not what any act takes, and those that are.
struct Messages {
    failed: InboxId,
    waiting: InboxId,
    parked: InboxId,
    /// Cannot be decoded, and holds up nobody.
    silent: InboxId,
    /// Cannot be decoded, and heads its key.
    in_line: InboxId,
}

/// A message in each place that a message can be in.
async fn messages_everywhere(store: &dyn Operable) -> Messages {
    let messages = [
        event("FAILED", 0),
        event("FAILED", 1),
        event("WAITING", 2),
        event("PARKED", 3),
        event("DONE", 4),
        event("SKIPPED", 5),
        silent("SILENT", 6),
        poison("IN-LINE", 7),
        event("WAITING", 8),
    ];
    let ids = stored(store, &messages).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => SettlementKind::Held,
        2 => retry(LONG),
        3 => SettlementKind::Parked { at_most: LONG },
        4 => done(),
        8 => retry(Duration::ZERO),
        _ => failed(true),
    };
    batch(store, Script::settling(verdict)).await.unwrap();
    let tried_and_held = batch(store, Script::settling(|_| SettlementKind::Held)).await.unwrap();
    assert_eq!(tried_and_held.ids(), ids[8..]);
    store.skip(&ids[5..6]).await.unwrap();
    stored(store, &[event("READY", 9)]).await;
    let [failed, _, waiting, parked, _, _, silent, in_line, _] = ids[..] else { panic!() };
    Messages { failed, waiting, parked, silent, in_line }
}

/// Units that are not what any act takes, and those that are.
struct Units {
    failed: OutboxId,
    waiting: OutboxId,
    record: OutboxId,
    intent_of_record: OutboxId,
}

/// A unit in each place that a unit can be in.
async fn units_everywhere(store: &dyn Operable) -> Units {
    let names = ["FAILED", "FAILED", "WAITING", "WAITING", "PUT-OFF", "SENT", "GIVEN-UP"];
    let mut intents: Vec<_> =
        (0..).zip(names).map(|(number, name)| intent(&kafka("t"), name, number)).collect();
    intents.push(NewIntent { records: record_keys(2), ..intent(&kafka("t"), "RECORDS", 7) });
    let ids = write_intents(store, intents).await;
    let (held, tried_and_held) = (ids[1], ids[3]);
    let mut hand = take(store, &kafka("t"), "o").await;
    let busy = |after| UnitResult::Retry { after, failure: failure("busy") };
    let result = |unit: &Delivery| match (unit.aggregate_id.as_str(), &unit.record) {
        _ if unit.unit == held => UnitResult::Held,
        _ if unit.unit == tried_and_held => busy(Duration::ZERO),
        ("WAITING", _) => busy(LONG),
        ("PUT-OFF", _) => UnitResult::Later,
        ("SENT", _) => dispatched(),
        (_, Some(record)) if record.0 == "REC-1" => dispatched(),
        _ => UnitResult::Failed { failure: failure("refused"), block: true },
    };
    hand.settle(store, result).await.unwrap();
    hand.reads_again(store).await;
    hand.units.retain(|unit| unit.unit == tried_and_held);
    hand.settle(store, |_| UnitResult::Held).await.unwrap();
    hand.give_back(store).await;
    store.skip_units(&ids[6..7]).await.unwrap();
    write_intents(store, vec![intent(&kafka("t"), "READY", 8)]).await;
    let record = store.records(ids[7]).await.unwrap()[0].id;
    Units { failed: ids[0], waiting: ids[2], record, intent_of_record: ids[7] }
}

/// Checks what a preview tells and an operation takes.
async fn assert_takes(store: &dyn Operable, act: Act, target: &Target, expected: &[(i64, &str)]) {
    let ids: Vec<_> = expected.iter().map(|(id, _)| *id).collect();
    let mut by_status = BTreeMap::new();
    for (_, status) in expected {
        *by_status.entry((*status).to_owned()).or_default() += 1;
    }
    let preview = store.preview(act, target).await.unwrap();
    assert_eq!(preview.items, u64::try_from(expected.len()).unwrap(), "{act:?} {target:?}");
    assert_eq!(preview.by_status, by_status, "{act:?} {target:?}");
    assert_eq!(preview.sample.is_empty(), ids.is_empty(), "{act:?} {target:?}");
    assert!(ids.starts_with(&preview.sample), "{act:?} {target:?}: {:?}", preview.sample);
    let operation = begin(store, act, target.clone()).await;
    assert_eq!(operation.items, preview.items, "{act:?} {target:?}");
    let items = items(store, operation.id).await;
    let taken: Vec<_> = items
        .iter()
        .map(|item| (item.id, item.seen.as_ref().map_or("", |seen| seen.status.as_str())))
        .collect();
    assert_eq!(taken, expected, "{act:?} {target:?}");
}

/// Of messages: what has left the straight path, has not ended, and is of a status that the act is for. What is
/// held or was given up is not taken.
pub async fn what_is_taken_of_messages<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = messages_everywhere(&*store).await;
    let all = Target::Messages(MessageFilter::default());
    let failed = (ids.failed.0, "FAILED");
    let (waiting, parked) = ((ids.waiting.0, "RETRY"), (ids.parked.0, "RECEIVED"));
    let (silent, in_line) = ((ids.silent.0, "SERDE_ERROR"), (ids.in_line.0, "SERDE_ERROR"));
    assert_takes(&*store, Act::Retry, &all, &[failed, waiting, parked]).await;
    assert_takes(&*store, Act::Skip, &all, &[failed, waiting, parked, silent, in_line]).await;
    assert_takes(&*store, Act::Release, &all, &[failed, silent, in_line]).await;
    assert_takes(&*store, Act::Reparse, &all, &[silent, in_line]).await;
}

/// Of units: what was tried or has failed; what may be on the wire is not skipped.
pub async fn what_is_taken_of_units<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = units_everywhere(&*store).await;
    let all = Target::Units(UnitFilter::default());
    let (failed, record) = ((ids.failed.0, "FAILED"), (ids.record.0, "FAILED"));
    let waiting = (ids.waiting.0, "PENDING");
    let mut retried = [failed, waiting, record];
    let mut given_up = [failed, record];
    retried.sort_unstable();
    given_up.sort_unstable();
    assert_takes(&*store, Act::Retry, &all, &retried).await;
    assert_takes(&*store, Act::Skip, &all, &given_up).await;
    assert_takes(&*store, Act::Release, &all, &given_up).await;
    assert_takes(&*store, Act::Reparse, &all, &[]).await;
}

/// A filter of messages takes what it finds.
pub async fn a_filter_of_messages_is_kept_to<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = messages_everywhere(&*store).await;
    let stage = Some(dipmo_domain::ErrorStage::Business);
    let group = Fingerprint::of("inbox", stage, &failure("try-again"));
    let any = MessageFilter::default();
    let (failed, waiting) = ((ids.failed.0, "FAILED"), (ids.waiting.0, "RETRY"));
    let cases = [
        (MessageFilter { status: vec![InboxStatus::Failed], ..any.clone() }, vec![failed]),
        (MessageFilter { failure: Some(group), ..any.clone() }, vec![waiting]),
        (MessageFilter { error_code: Some("refused".to_owned()), ..any.clone() }, vec![failed]),
        (MessageFilter { aggregate: Some("WAITING".to_owned()), ..any.clone() }, vec![waiting]),
        (MessageFilter { message_id: Some("FAILED/0".to_owned()), ..any.clone() }, vec![failed]),
        (MessageFilter { text: Some(r#"{"n":2}"#.to_owned()), ..any.clone() }, vec![waiting]),
        (MessageFilter { topic: Some("elsewhere".to_owned()), ..any.clone() }, vec![]),
        (MessageFilter { status: vec![InboxStatus::Processed], ..any }, vec![]),
    ];
    for (filter, expected) in cases {
        assert_takes(&*store, Act::Retry, &Target::Messages(filter), &expected).await;
    }
}

/// A filter of units takes what it finds.
pub async fn a_filter_of_units_is_kept_to<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = units_everywhere(&*store).await;
    let any = UnitFilter::default();
    let (failed, record) = ((ids.failed.0, "FAILED"), (ids.record.0, "FAILED"));
    let waiting = (ids.waiting.0, "PENDING");
    let group = Fingerprint::of("outbox", None, &failure("busy"));
    let of_record = ids.intent_of_record;
    let cases = [
        (UnitFilter { status: vec![OutboxStatus::Pending], ..any.clone() }, vec![waiting]),
        (UnitFilter { failure: Some(group), ..any.clone() }, vec![waiting]),
        (UnitFilter { error_code: Some("busy".to_owned()), ..any.clone() }, vec![waiting]),
        (UnitFilter { aggregate: Some("FAILED".to_owned()), ..any.clone() }, vec![failed]),
        (UnitFilter { record: Some("REC-0".to_owned()), ..any.clone() }, vec![record]),
        (UnitFilter { intent: Some(of_record), ..any.clone() }, vec![record]),
        (UnitFilter { intent: Some(ids.failed), ..any.clone() }, vec![failed]),
        (UnitFilter { destination: Some(kafka("elsewhere")), ..any }, vec![]),
    ];
    for (filter, expected) in cases {
        assert_takes(&*store, Act::Retry, &Target::Units(filter), &expected).await;
    }
}
