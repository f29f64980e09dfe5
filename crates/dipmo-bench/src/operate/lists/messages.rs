//! Lists of messages that people ask for.

use dipmo_domain::InboxStatus;
use dipmo_store::admin::{MessageFilter, MessageLine, Waits};

use super::kind::{Kind, NOWHERE};
use crate::operate::past::{Aggregate, Past, RARE_TYPE, SERDE_CODE, SOURCE, Stands, TOPICS, WORD};

/// A kind of list, and which messages are in it.
pub(super) type MessageKind = Kind<MessageFilter, u64>;

/// All kinds: each filter alone, and some together.
pub(super) fn kinds(past: &Past) -> Vec<MessageKind> {
    let mut kinds = by_status();
    kinds.extend(by_what_it_is(past));
    kinds.extend(by_failure(past));
    kinds.extend(by_time(past));
    kinds
}

fn by_status() -> Vec<MessageKind> {
    let of = |metric, status: InboxStatus| {
        let filter = MessageFilter { status: vec![status], ..MessageFilter::default() };
        Kind::new(metric, filter, move |past, number| past.stands(number).status() == status)
    };
    let waiting = |metric, waits| {
        let filter = MessageFilter { waits: Some(waits), ..MessageFilter::default() };
        Kind::new(metric, filter, move |past, number| match past.stands(number) {
            Stands::Held { .. } => waits == Waits::Held,
            stands => stands == Stands::Parked && waits == Waits::Parked,
        })
    };
    vec![
        Kind::new("operate.list.newest_ms", MessageFilter::default(), |_, _| true),
        of("operate.list.received_ms", InboxStatus::Received),
        of("operate.list.retry_ms", InboxStatus::Retry),
        of("operate.list.failed_ms", InboxStatus::Failed),
        of("operate.list.processed_ms", InboxStatus::Processed),
        of("operate.list.serde_error_ms", InboxStatus::SerdeError),
        waiting("operate.list.held_ms", Waits::Held),
        waiting("operate.list.parked_ms", Waits::Parked),
    ]
}

fn by_what_it_is(past: &Past) -> Vec<MessageKind> {
    let all = MessageFilter::default;
    let about = |metric, aggregate: Aggregate| {
        let filter = MessageFilter { aggregate: Some(aggregate.name()), ..all() };
        Kind::new(metric, filter, move |past, number| past.aggregate(number) == Some(aggregate))
    };
    let of_type = |metric, event_type| {
        let filter = MessageFilter { event_type: Some(Past::type_name(event_type)), ..all() };
        Kind::new(metric, filter, move |past, number| is_of_type(past, number, event_type))
    };
    let topic = MessageFilter { topic: Some(TOPICS[2].to_owned()), ..all() };
    let one = past.count() / 3;
    let by_id = MessageFilter {
        message_id: Some(Past::message_id(one)),
        source_system: Some(SOURCE.to_owned()),
        ..all()
    };
    let text = |text: &str| MessageFilter { text: Some(text.to_owned()), ..all() };
    vec![
        Kind::new("operate.list.topic_ms", topic, |_, number| Past::topic(number) == 2),
        of_type("operate.list.type_ms", 3),
        of_type("operate.list.rare_type_ms", RARE_TYPE),
        about("operate.list.aggregate_ms", Aggregate::Ordinary(4_711)),
        about("operate.list.hot_aggregate_ms", Aggregate::Hot),
        Kind::new("operate.list.message_id_ms", by_id, move |_, number| number == one),
        Kind::new("operate.list.text_ms", text(WORD), |past, number| {
            Past::has_word(number) && past.stands(number) != Stands::Undecodable
        }),
        Kind::new("operate.list.text_nowhere_ms", text(NOWHERE), |_, _| false),
    ]
}

fn by_failure(past: &Past) -> Vec<MessageKind> {
    let all = MessageFilter::default;
    let Some(group) = past.failure(13) else { return Vec::new() };
    let coded = |metric, code: &str| {
        let (code, filter) =
            (code.to_owned(), MessageFilter { error_code: Some(code.to_owned()), ..all() });
        Kind::new(metric, filter, move |past, number| {
            past.failure(number).is_some_and(|group| group.failure.code() == code)
        })
    };
    let fingerprint = group.fingerprint();
    let alike = MessageFilter { failure: Some(fingerprint), ..all() };
    let words = "rule c of";
    let failed_text =
        MessageFilter { status: vec![InboxStatus::Failed], text: Some(words.to_owned()), ..all() };
    vec![
        coded("operate.list.error_code_ms", group.failure.code()),
        coded("operate.list.serde_code_ms", SERDE_CODE),
        Kind::new("operate.list.failure_group_ms", alike, move |past, number| {
            past.failure(number).is_some_and(|group| group.fingerprint() == fingerprint)
        }),
        Kind::new("operate.list.failed_text_ms", failed_text, move |past, number| {
            let group = past.failure(number).filter(|_| past.stands(number) == Stands::Failed);
            group.is_some_and(|group| group.failure.message().contains(words))
        }),
    ]
}

fn by_time(past: &Past) -> Vec<MessageKind> {
    let (since, until) = (past.moment(48), past.moment(50));
    let window =
        MessageFilter { since: Some(since), until: Some(until), ..MessageFilter::default() };
    let failed = MessageFilter {
        status: vec![InboxStatus::Failed, InboxStatus::Retry],
        topic: Some(TOPICS[1].to_owned()),
        ..window.clone()
    };
    let rare = MessageFilter { event_type: Some(Past::type_name(RARE_TYPE)), ..window.clone() };
    let hot = MessageFilter {
        aggregate: Some(Aggregate::Hot.name()),
        topic: Some(TOPICS[1].to_owned()),
        ..window.clone()
    };
    let within = move |past: &Past, number| {
        let at = past.received_at(number);
        since <= at && at < until
    };
    vec![
        Kind::new("operate.list.window_ms", window, within),
        Kind::new("operate.list.window_failed_ms", failed, move |past, number| {
            let of_status = matches!(past.stands(number), Stands::Failed | Stands::Retrying);
            of_status && Past::topic(number) == 1 && within(past, number)
        }),
        Kind::new("operate.list.window_rare_type_ms", rare, move |past, number| {
            is_of_type(past, number, RARE_TYPE) && within(past, number)
        }),
        Kind::new("operate.list.window_hot_aggregate_ms", hot, move |past, number| {
            let is_hot = past.aggregate(number) == Some(Aggregate::Hot);
            is_hot && Past::topic(number) == 1 && within(past, number)
        }),
    ]
}

/// What could not be decoded is of no type.
fn is_of_type(past: &Past, number: u64, event_type: u64) -> bool {
    Past::event_type(number) == event_type && past.stands(number) != Stands::Undecodable
}

/// Whether a line says what was filled.
pub(super) fn is_right(past: &Past, line: &MessageLine) -> bool {
    let number = Past::number(line.id);
    let stands = past.stands(number);
    let head = if let Stands::Held { head } = stands { Some(Past::id(head)) } else { None };
    let failure = past.failure(number).map(|group| group.failure);
    line.message_id == Past::message_id(number)
        && line.topic == TOPICS[Past::topic(number)]
        && line.aggregate_id == past.aggregate(number).map(Aggregate::name)
        && line.received_at == past.received_at(number)
        && line.status == stands.status()
        && line.parked == (stands == Stands::Parked)
        && line.held_behind == head
        && line.outcome == if let Stands::Ended(outcome) = stands { Some(outcome) } else { None }
        && line.failure == failure
}
