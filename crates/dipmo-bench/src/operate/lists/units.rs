//! Lists of units that people ask for.

use anyhow::Result;
use dipmo_domain::OutboxStatus;
use dipmo_store::admin::{UnitFilter, UnitLine, Waits};

use super::kind::{Kind, NOWHERE};
use crate::operate::past::{
    Aggregate, CONTACTS, Past, RARE_TYPE, SALESFORCE_CODE, Sent, TOPICS_OUT, Unit,
};

/// A kind of list, and which units are in it.
pub(super) type UnitKind = Kind<UnitFilter, Unit>;

/// All kinds: each filter alone, and some together.
pub(super) fn kinds(past: &Past) -> Result<Vec<UnitKind>> {
    let mut kinds = by_status();
    kinds.extend(by_what_it_is(past)?);
    kinds.extend(by_failure(past));
    kinds.extend(by_time(past)?);
    Ok(kinds)
}

fn by_status() -> Vec<UnitKind> {
    let of = |metric, status: OutboxStatus| {
        let filter = UnitFilter { status: vec![status], ..UnitFilter::default() };
        Kind::new(metric, filter, move |past, unit| {
            past.sent(unit).map(Sent::status) == Some(status)
        })
    };
    let held = UnitFilter { waits: Some(Waits::Held), ..UnitFilter::default() };
    vec![
        Kind::new("operate.list.units_newest_ms", UnitFilter::default(), |_, _| true),
        of("operate.list.units_pending_ms", OutboxStatus::Pending),
        of("operate.list.units_dispatched_ms", OutboxStatus::Dispatched),
        of("operate.list.units_failed_ms", OutboxStatus::Failed),
        Kind::new("operate.list.units_held_ms", held, |past, unit| {
            matches!(past.sent(unit), Some(Sent::Held { .. }))
        }),
    ]
}

fn by_what_it_is(past: &Past) -> Result<Vec<UnitKind>> {
    let all = UnitFilter::default;
    let to = |metric, destination: &'static str| -> Result<UnitKind> {
        let filter = UnitFilter { destination: Some(destination.parse()?), ..all() };
        let has = move |_: &Past, unit: Unit| Past::destination(unit.number) == destination;
        Ok(Kind::new(metric, filter, has))
    };
    let about = |metric, aggregate: Aggregate| {
        let filter = UnitFilter { aggregate: Some(aggregate.name()), ..all() };
        Kind::new(metric, filter, move |past, unit: Unit| {
            past.aggregate(unit.number) == Some(aggregate)
        })
    };
    // One with records, of which the first failed.
    let one = past.count() / 3 / 500 * 500 + 21;
    let of_one =
        |metric, filter| Kind::new(metric, filter, move |_, unit: Unit| unit.number == one);
    let record = UnitFilter { record: Some(Past::record_key(one, 1)), ..all() };
    let rare = UnitFilter { event_type: Some(Past::type_name(RARE_TYPE)), ..all() };
    let nowhere = UnitFilter { text: Some(NOWHERE.to_owned()), ..all() };
    Ok(vec![
        to("operate.list.units_kafka_ms", TOPICS_OUT[1])?,
        to("operate.list.units_salesforce_ms", CONTACTS)?,
        about("operate.list.units_aggregate_ms", Aggregate::Ordinary(4_711)),
        about("operate.list.units_hot_aggregate_ms", Aggregate::Hot),
        of_one("operate.list.units_intent_ms", {
            UnitFilter { intent: Some(Past::intent_id(one)), ..all() }
        }),
        of_one("operate.list.units_cause_ms", UnitFilter { cause: Some(Past::id(one)), ..all() }),
        Kind::new("operate.list.units_record_ms", record, move |_, unit| {
            unit == Unit { number: one, record: Some(1) }
        }),
        Kind::new("operate.list.units_rare_type_ms", rare, |_, unit: Unit| {
            Past::event_type(unit.number) == RARE_TYPE
        }),
        Kind::new("operate.list.units_text_nowhere_ms", nowhere, |_, _| false),
    ])
}

fn by_failure(past: &Past) -> Vec<UnitKind> {
    let all = UnitFilter::default;
    let Some(group) = past.unit_failure(Unit { number: 21, record: Some(0) }) else {
        return Vec::new();
    };
    let fingerprint = group.fingerprint();
    let alike = UnitFilter { failure: Some(fingerprint), ..all() };
    let coded = UnitFilter { error_code: Some(SALESFORCE_CODE.to_owned()), ..all() };
    vec![
        Kind::new("operate.list.units_error_code_ms", coded, |past, unit| {
            past.sent(unit) == Some(Sent::Failed)
        }),
        Kind::new("operate.list.units_failure_group_ms", alike, move |past, unit| {
            past.unit_failure(unit).is_some_and(|group| group.fingerprint() == fingerprint)
        }),
    ]
}

fn by_time(past: &Past) -> Result<Vec<UnitKind>> {
    let (since, until) = (past.moment(48), past.moment(50));
    let window = UnitFilter { since: Some(since), until: Some(until), ..UnitFilter::default() };
    let failed = UnitFilter {
        status: vec![OutboxStatus::Failed],
        destination: Some(CONTACTS.parse()?),
        ..window.clone()
    };
    let within = move |past: &Past, unit: Unit| {
        let at = past.created_at(unit.number);
        since <= at && at < until
    };
    Ok(vec![
        Kind::new("operate.list.units_window_ms", window, within),
        Kind::new("operate.list.units_window_failed_ms", failed, move |past, unit| {
            past.sent(unit) == Some(Sent::Failed) && within(past, unit)
        }),
    ])
}

/// Whether a line says what was filled.
pub(super) fn is_right(past: &Past, line: &UnitLine) -> bool {
    let unit = Past::unit(line.id);
    let Some(sent) = past.sent(unit) else { return false };
    let failure = past.unit_failure(unit).map(|group| group.failure);
    let record = unit.record.map(|record| Past::record_key(unit.number, record));
    line.intent == Past::intent_id(unit.number)
        && line.record.as_ref().map(|key| &key.0) == record.as_ref()
        && line.destination.to_string() == Past::destination(unit.number)
        && line.aggregate_id == past.intent_aggregate(unit.number)
        && line.cause == Some(Past::id(unit.number))
        && line.created_at == past.created_at(unit.number)
        && line.status == sent.status()
        && line.external_ref.is_some() == (sent == Sent::Dispatched)
        && line.failure == failure
}
