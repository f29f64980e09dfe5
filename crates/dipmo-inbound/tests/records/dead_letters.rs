//! Dead letters that come back are the original.

use dipmo_domain::{ErrorStage, Failure};
use dipmo_inbound::{Inbound, Rules};
use dipmo_inbox::{DeadLetter, Ending, NewMessage, Record};

use crate::support::{bare, decode, failure, payload, record, row, rule, with_headers};

fn ending() -> Ending {
    Ending { stage: ErrorStage::Business, failure: Failure::new("X", "no family"), attempts: 3 }
}

fn mirror(message: &NewMessage) -> Record {
    let letter = DeadLetter::of(&row(message), ending()).unwrap();
    Record {
        topic: "orders-eu-dlt".into(),
        partition: 0,
        offset: 1_000,
        key: None,
        headers: letter.headers().with("message-id", "outbox:1"),
        timestamp_millis: 1_800_000_000_000,
        value: Some(letter.payload().as_str().as_bytes().to_vec()),
    }
}

fn inbound() -> Inbound {
    let rules = Rules { message_id: rule("json:/eventId"), ..Rules::default() };
    bare().topic("orders-eu", rules).unwrap().topic("*-dlt", letters()).unwrap()
}

fn letters() -> Rules {
    Rules { dead_letters: true, ..Rules::default() }
}

#[test]
fn what_comes_back_is_the_same_message() {
    let envelope = r#"{"specversion":"1.0","id":"1","source":"s","type":"t","data":{}}"#;
    for value in
        [Some(r#"{"eventId":"e-1"}"#), Some("{}"), Some("{"), Some("null"), Some(envelope), None]
    {
        let value = value.map(|text| text.as_bytes().to_vec());
        let first = decode(&inbound(), with_headers(Record { value, ..record("") }, &[("h", "1")]));
        let back = inbound().decode(mirror(&first));
        assert_eq!(back.message, first);
        assert_eq!(back.returned, Some(ending()));
    }
}

#[test]
fn its_id_is_that_of_the_first_time_whatever_the_rules_say_now() {
    let first = decode(&bare(), record(r#"{"eventId":"e-1"}"#));
    let back = inbound().decode(mirror(&first)).message;
    assert_eq!(back.message_id, "orders-eu:2:7");
    assert_eq!(back.dedupe_key, first.dedupe_key);
}

#[test]
fn a_letter_that_is_not_complete_is_kept_for_a_person() {
    let inbound = bare().topic("orders-eu", letters()).unwrap();
    let message = decode(&inbound, with_headers(record("{}"), &[("dipmo-dlt-topic", "orders")]));
    assert_eq!(failure(&message).code(), "dead-letter-unreadable");
    assert!(failure(&message).message().contains("dipmo-dlt-partition is missing"));
}

#[test]
fn records_of_a_dead_letter_topic_that_others_wrote_are_records() {
    let decoded = inbound().decode(Record { topic: "orders-dlt".into(), ..record("{}") });
    assert_eq!((payload(&decoded.message), decoded.returned), ("{}", None));
}

#[test]
fn on_any_other_topic_nobody_can_take_the_name_of_another_message() {
    let first = decode(&inbound(), record(r#"{"eventId":"e-1"}"#));
    let forged = inbound().decode(Record { topic: "public".into(), ..mirror(&first) });
    assert_ne!(forged.message.dedupe_key, first.dedupe_key);
    assert_eq!(forged.returned, None);
}
