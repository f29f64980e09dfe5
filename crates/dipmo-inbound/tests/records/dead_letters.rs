//! Dead letters that come back are the original.

use dipmo_domain::{ErrorStage, Failure};
use dipmo_inbound::{Inbound, Rules};
use dipmo_inbox::dead_letter::on_the_wire;
use dipmo_inbox::{DeadLetter, Ending, NewMessage, Record};

use crate::support::{bare, decode, failure, payload, record, row, rule, with_headers};

fn ending() -> Ending {
    let failure = Failure::new("X", "no family");
    Ending { stage: ErrorStage::Business, failure, attempts: 3, retried: 0 }
}

fn mirror(message: &NewMessage) -> Record {
    mirror_of(message, ending())
}

fn mirror_of(message: &NewMessage, ending: Ending) -> Record {
    let letter = DeadLetter::of(&row(message), ending).unwrap();
    let (headers, value) = on_the_wire(&letter.headers(), &letter.payload()).unwrap();
    Record {
        topic: "orders-eu-dlt".into(),
        partition: 0,
        offset: 1_000,
        key: None,
        headers: headers.with("message-id", "outbox:1"),
        timestamp_millis: 1_800_000_000_000,
        value,
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
        let returned = back.returned.unwrap();
        assert_eq!((returned.ending, returned.first), (ending(), first.dedupe_key));
    }
}

#[test]
fn what_could_not_be_decoded_tells_its_real_id_when_it_can() {
    let undecoded = Ending { stage: ErrorStage::ConsumerSerde, ..ending() };
    let strict = Rules { message_id: rule("json:/id | required"), ..Rules::default() };
    let strict = bare().topic("orders-eu", strict).unwrap();
    let first = decode(&strict, record(r#"{"eventId":"e-1"}"#));
    assert_eq!(failure(&first).code(), "required-field-missing");
    let back = inbound().decode(mirror_of(&first, undecoded.clone()));
    assert_eq!(back.message.message_id, "e-1");
    assert_eq!(back.returned.unwrap().first, first.dedupe_key);
    let nameless = bare().topic("*-dlt", letters()).unwrap();
    let back = nameless.decode(mirror_of(&first, undecoded)).message;
    assert_eq!(back.dedupe_key, first.dedupe_key, "without a better name, the old one");
}

#[test]
fn one_that_came_back_too_often_is_spent() {
    let first = decode(&inbound(), record("{}"));
    let spent = |most_retries, retried| {
        let inbound = bare().topic("*-dlt", Rules { most_retries, ..letters() }).unwrap();
        inbound.decode(mirror_of(&first, Ending { retried, ..ending() })).returned.unwrap().spent
    };
    assert_eq!([4, 5].map(|retried| spent(None, retried)), [false, true]);
    assert_eq!([0, 1].map(|retried| spent(Some(1), retried)), [false, true]);
}

#[test]
fn poison_is_mirrored_where_the_topic_says_so() {
    let rules = Rules { mirror_suffix: Some("-dead".into()), ..Rules::default() };
    let inbound = bare().topic("orders*", rules).unwrap();
    let to = |topic: &str| inbound.mirror(topic).map(|to| to.map(|to| to.to_string()));
    assert_eq!(to("orders-eu"), Ok(Some("KAFKA:orders-eu-dead".to_owned())));
    assert_eq!((to("orders-eu-dead"), to("stock")), (Ok(None), Ok(None)));
    assert!(to(&format!("orders{}", "x".repeat(200))).is_err());
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
