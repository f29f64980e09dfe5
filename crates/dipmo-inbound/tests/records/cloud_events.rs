//! CloudEvents, binary and structured, without any rule.

use dipmo_inbound::{CloudEvents, Rules};
use dipmo_inbox::NewMessage;

use crate::support::{bare, decode, failure, payload, record, rule, with_headers};

const BINARY: [(&str, &str); 9] = [
    ("ce_specversion", "1.0"),
    ("ce_id", "A234"),
    ("ce_source", "/crm/families"),
    ("ce_type", "MembersCreated"),
    ("ce_subject", "F-1"),
    ("ce_time", "2023-11-14T22:13:20Z"),
    ("ce_sequence", "17"),
    ("ce_eventversion", "2"),
    ("content-type", "application/json"),
];

/// An envelope around whatever its data is.
fn envelope(data: &str) -> String {
    format!(
        r#"{{ "specversion": "1.0", "id": "A234", "source": "/crm/families", "type": "MembersCreated",
        "subject": "F-1", "time": "2023-11-14T22:13:20Z", "sequence": 17, "eventversion": "2"{data} }}"#
    )
}

fn assert_told(message: &NewMessage) {
    assert_eq!(message.message_id, "A234");
    assert_eq!(message.source_system, "/crm/families");
    assert_eq!(message.event_type.as_deref(), Some("MembersCreated"));
    assert_eq!(message.aggregate_id.as_deref(), Some("F-1"));
    assert_eq!(message.event_ts.unwrap().to_string(), "2023-11-14T22:13:20Z");
    assert_eq!((message.source_version, message.event_version), (Some(17), Some(2)));
}

#[test]
fn both_modes_are_the_same_message() {
    let data = r#"{"members": [1, 2]}"#;
    let binary = decode(&bare(), with_headers(record(data), &BINARY));
    let structured = decode(&bare(), record(&envelope(&format!(", \"data\": {data}"))));
    for message in [binary, structured] {
        assert_told(&message);
        assert_eq!(payload(&message), data);
    }
}

#[test]
fn a_content_type_says_so_as_well() {
    let old = envelope(", \"data\": 1").replace("1.0", "0.3");
    assert_eq!(payload(&decode(&bare(), record(&old))), old, "an old version is no CloudEvent");
    let headers = [("content-type", "Application/CloudEvents+JSON; charset=UTF-8")];
    let message = decode(&bare(), with_headers(record(&old), &headers));
    assert_told(&message);
    assert_eq!(payload(&message), "1");
}

#[test]
fn an_event_without_data_has_the_payload_null() {
    for data in ["", ", \"data\": null"] {
        let message = decode(&bare(), record(&envelope(data)));
        assert_told(&message);
        assert_eq!(payload(&message), "null");
    }
}

#[test]
fn data_in_base64_is_decoded() {
    let message = decode(&bare(), record(&envelope(r#", "data_base64": "eyJhIjogMX0=""#)));
    assert_eq!(payload(&message), r#"{"a": 1}"#);
    for (data, problem) in [("/w==", "not UTF-8"), ("?", "Invalid")] {
        let message = decode(&bare(), record(&envelope(&format!(", \"data_base64\": \"{data}\""))));
        assert_told(&message);
        assert_eq!(failure(&message).code(), "cloudevents-data-unreadable");
        assert!(failure(&message).message().contains(problem), "{}", failure(&message).message());
    }
}

#[test]
fn what_is_not_complete_is_a_record_like_any_other() {
    for value in [
        r#"{"specversion":"1.0","id":"1","source":"s","data":1}"#,
        r#"{"specversion":1,"id":"1","source":"s","type":"t","data":1}"#,
        r#"["specversion"]"#,
        r#"{"event":{"specversion":"1.0","id":"1","source":"s","type":"t","data":1}}"#,
    ] {
        let message = decode(&bare(), record(value));
        assert_eq!(payload(&message), value);
        assert_eq!(message.message_id, "orders-eu:2:7");
    }
}

#[test]
fn explicit_rules_win_and_look_at_the_envelope() {
    let rules = Rules {
        message_id: rule("json:/data/eventId"),
        source_system: rule("const:crm"),
        ..Rules::default()
    };
    let inbound = bare().topic("*", rules).unwrap();
    let message = decode(&inbound, record(&envelope(r#", "data": {"eventId": "e-1"}"#)));
    assert_eq!((message.message_id.as_str(), message.source_system.as_str()), ("e-1", "crm"));
    assert_eq!(message.event_type.as_deref(), Some("MembersCreated"), "it has no rule");
}

#[test]
fn the_envelope_can_be_kept_or_ignored() {
    let value = envelope(r#", "data": {}"#);
    let inbound =
        |cloud_events| bare().topic("*", Rules { cloud_events, ..Rules::default() }).unwrap();
    let kept = decode(&inbound(CloudEvents::Keep), record(&value));
    assert_told(&kept);
    assert_eq!(payload(&kept), value);
    let ignored = decode(&inbound(CloudEvents::Ignore), record(&value));
    assert_eq!((ignored.message_id.as_str(), payload(&ignored)), ("orders-eu:2:7", value.as_str()));
    let ignored = decode(&inbound(CloudEvents::Ignore), with_headers(record("1"), &BINARY));
    assert_eq!(ignored.message_id, "orders-eu:2:7");
}

#[test]
fn a_batch_is_not_taken_for_one_event() {
    let many = format!("[{},{}]", envelope(""), envelope(""));
    let headers = [("content-type", "application/cloudevents-batch+json; charset=utf-8")];
    let sent = || with_headers(record(&many), &headers);
    let inbound =
        |cloud_events| bare().topic("*", Rules { cloud_events, ..Rules::default() }).unwrap();
    for inbound in [bare(), inbound(CloudEvents::Unwrap), inbound(CloudEvents::Keep)] {
        let message = decode(&inbound, sent());
        assert_eq!(failure(&message).code(), "cloudevents-batch");
        assert!(failure(&message).message().contains("a record of its own"));
        assert_eq!(message.record().unwrap(), sent(), "every byte of it");
    }
    // It says what is wrong first, also where a rule misses something.
    let required = Rules { aggregate_id: rule("json:/id | required"), ..Rules::default() };
    let message = decode(&bare().topic("*", required).unwrap(), sent());
    assert_eq!(failure(&message).code(), "cloudevents-batch");
    assert_eq!(payload(&decode(&inbound(CloudEvents::Ignore), sent())), many);
}

#[test]
fn a_binary_event_may_have_a_batch_as_its_data() {
    let batch = ("content-type", "application/cloudevents-batch+json");
    let headers: Vec<_> = BINARY[..8].iter().copied().chain([batch]).collect();
    let message = decode(&bare(), with_headers(record("[]"), &headers));
    assert_told(&message);
    assert_eq!(payload(&message), "[]");
}

#[test]
fn an_undecodable_binary_event_is_still_known() {
    let message = decode(&bare(), with_headers(record("<xml/>"), &BINARY));
    assert_told(&message);
    assert_eq!(failure(&message).code(), "json-malformed");
}

#[test]
fn a_sequence_that_is_no_number_is_no_version() {
    let headers = [("ce_id", "1"), ("ce_sequence", "0a"), ("ce_eventversion", "70000")];
    let message = decode(&bare(), with_headers(record("{}"), &headers));
    assert_eq!((message.source_version, message.event_version), (None, None));
}
