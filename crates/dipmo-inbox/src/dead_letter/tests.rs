use super::*;
use dipmo_domain::{InboxId, Timestamp};
use proptest::prelude::*;

use crate::Identity;

fn ending() -> Ending {
    let failure = Failure::new("handler-failed", "no such family");
    Ending { stage: ErrorStage::Business, failure, attempts: 11, retried: 2 }
}

/// What a publisher makes of it: another key, more headers behind.
fn mirror(letter: &DeadLetter) -> Record {
    let (headers, value) = on_the_wire(&letter.headers(), &letter.payload()).unwrap();
    Record { value, ..sent(&headers) }
}

/// What a publisher makes of it that knows nothing of letters.
fn mirror_as_is(letter: &DeadLetter) -> Record {
    let value = Some(letter.payload().as_str().as_bytes().to_vec());
    Record { value, ..sent(&letter.headers()) }
}

fn sent(headers: &Headers) -> Record {
    Record {
        topic: "orders-dlt".into(),
        partition: 1,
        offset: 99,
        key: Some(b"F-1".to_vec()),
        headers: headers.clone().with("message-id", "outbox:7").with("traceparent", "00"),
        timestamp_millis: 5,
        value: None,
    }
}

fn record(value: Option<&[u8]>) -> Record {
    Record {
        topic: "orders".into(),
        partition: 3,
        offset: 42,
        headers: Headers::default().with("event-type", "Ordered"),
        timestamp_millis: 1_700_000_000_000,
        value: value.map(<[u8]>::to_vec),
        key: None,
    }
}

fn letter(record: &Record) -> DeadLetter {
    letter_of(record, ErrorStage::Business)
}

fn letter_of(record: &Record, stage: ErrorStage) -> DeadLetter {
    let identity = Identity { source_system: "ihub".into(), ..Identity::default() };
    let message = NewMessage::from_record(record, &identity);
    DeadLetter::of_new(&message, Ending { stage, ..ending() }).unwrap()
}

#[test]
fn the_headers_tell_people_what_happened() {
    let headers = letter(&record(Some(b"{}"))).headers();
    let all = headers.as_slice().iter().map(|header| {
        format!("{}={}", header.name, String::from_utf8_lossy(header.value.as_deref().unwrap()))
    });
    assert_eq!(
        all.collect::<Vec<_>>(),
        [
            "event-type=Ordered",
            "dipmo-dlt-topic=orders",
            "dipmo-dlt-partition=3",
            "dipmo-dlt-offset=42",
            "dipmo-dlt-timestamp=1700000000000",
            "dipmo-dlt-source-system=ihub",
            "dipmo-dlt-message-id=orders:3:42",
            "dipmo-dlt-stage=BUSINESS",
            "dipmo-dlt-error-code=handler-failed",
            "dipmo-dlt-error-message=no such family",
            "dipmo-dlt-attempts=11",
            "dipmo-dlt-retried=2",
        ]
    );
}

#[test]
fn what_is_json_stays_readable() {
    assert_eq!(letter(&record(Some(b"{ }"))).payload().as_str(), "{ }");
    assert_eq!(letter(&record(Some(b"\xff"))).payload().as_str(), "\"/w==\"");
    assert_eq!(letter(&record(None)).payload().as_str(), "null");
    let refused = letter_of(&record(Some(b"{}")), ErrorStage::ConsumerSerde);
    assert_eq!(refused.payload().as_str(), "\"e30=\"", "the database may have refused it");
}

#[test]
fn only_what_came_from_kafka_has_a_topic_beside_it() {
    let to = |topic: &str| {
        let to = destination(topic, "-dlt").map(|it| it.map(|it| it.to_string()));
        to.map_err(|error| error.problem)
    };
    assert_eq!(to("orders"), Ok(Some("KAFKA:orders-dlt".to_owned())));
    assert_eq!((to("timer:HIT"), to("internal:HIT")), (Ok(None), Ok(None)));
    assert_eq!(to("orders-dlt"), Ok(None), "letters have no letters");
    assert!(to(&"x".repeat(249)).is_err());
}

#[test]
fn the_wire_has_the_bytes_that_came() {
    for value in [None, Some(&b"\xff\x00"[..]), Some(b"{ }"), Some(b""), Some(b"null")] {
        for stage in [ErrorStage::Business, ErrorStage::ConsumerSerde] {
            let sent = mirror(&letter_of(&record(value), stage));
            assert_eq!(sent.value.as_deref(), value);
            assert_eq!(sent.headers.text(VALUE), None);
        }
    }
    let lies = Headers::default().with(TOPIC, "orders").with(VALUE, "base64");
    assert_eq!(on_the_wire(&lies, &Json::null()).unwrap_err().header, VALUE);
}

#[test]
fn a_letter_of_a_row_and_of_a_new_message_are_the_same() {
    let long = Identity { message_id: Some("x".repeat(300)), ..Identity::default() };
    let new = NewMessage::from_record(&record(None), &long);
    let row = Message::of(InboxId(1), &new, Timestamp::EPOCH).unwrap();
    let letter = DeadLetter::of(&row, ending()).unwrap();
    assert_eq!(letter.message_id, "x".repeat(300), "the whole id, so that it is recognised");
    assert_eq!(letter, DeadLetter::of_new(&new, ending()).unwrap());
}

#[test]
fn a_letter_that_is_not_complete_says_what_is_wrong() {
    let whole = mirror_as_is(&letter(&record(None)));
    for header in whole.headers.as_slice().iter().filter(|header| header.name != TOPIC) {
        let others = whole.headers.as_slice().iter().filter(|other| *other != header);
        let headers = Headers::new(others.cloned().collect());
        let read = DeadLetter::read(&Record { headers, ..whole.clone() }).unwrap();
        let needed = header.name.starts_with("dipmo-dlt-") && header.name != VALUE;
        assert_eq!(read.is_err(), needed, "{}", header.name);
    }
    let odd = Headers::default().with(TOPIC, "orders").with(PARTITION, "three");
    let error = DeadLetter::read(&Record { headers: odd, ..whole }).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "a dead letter cannot be read: dipmo-dlt-partition is \"three\"");
}

#[test]
fn a_record_like_any_other_is_no_letter() {
    assert_eq!(DeadLetter::read(&record(None)), None);
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        value in prop::option::of(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..30),
            Just(b"null".to_vec()),
            Just(b"\"/w==\"".to_vec()),
        ]),
        key in prop::option::of(prop::collection::vec(any::<u8>(), 0..9)),
        names in prop::collection::vec("a|dipmo-dlt-(topic|offset|key|value)", 0..5),
        timestamp_millis in any::<i64>(),
    ) {
        let header = |name| Header { name, value: Some(b"1".to_vec()) };
        let headers = Headers::new(names.into_iter().map(header).collect());
        let record = Record { key, headers, timestamp_millis, ..record(value.as_deref()) };
        for stage in [ErrorStage::Business, ErrorStage::ConsumerSerde] {
            let written = letter_of(&record, stage);
            let mirrored = mirror(&written);
            prop_assert_eq!(&mirrored.value, &record.value);
            prop_assert_eq!(DeadLetter::read(&mirrored), Some(Ok(written.clone())));
            prop_assert_eq!(DeadLetter::read(&mirror_as_is(&written)), Some(Ok(written)));
        }
    }
}
