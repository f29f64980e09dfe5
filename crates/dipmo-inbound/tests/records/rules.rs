//! Rules by topic.

use dipmo_inbound::{Inbound, OnSerdeError, Rules};
use dipmo_inbox::Record;

use crate::support::{bare, decode, failure, payload, record, rule, with_headers};

const EVENT: &str = r#"{"eventId":"e-1","family":{"id":8842},"kind":"MembersCreated",
    "version":12,"contract":"3","at":"2023-11-14T22:13:20.5Z"}"#;

fn orders(rules: Rules) -> Inbound {
    bare().topic("orders-*", rules).unwrap()
}

fn all_by_pointer() -> Rules {
    Rules {
        message_id: rule("header:no-such | json:/eventId"),
        aggregate_id: rule("json:/family/id"),
        event_type: rule("json:/kind"),
        source_system: rule("const:crm"),
        source_version: rule("json:/version"),
        event_version: rule("json:/contract"),
        event_time: rule("json:/at"),
        ..Rules::default()
    }
}

#[test]
fn every_field_has_its_rule() {
    let message = decode(&orders(all_by_pointer()), record(EVENT));
    assert_eq!(message.message_id, "e-1");
    assert_eq!(message.aggregate_id.as_deref(), Some("8842"));
    assert_eq!(message.event_type.as_deref(), Some("MembersCreated"));
    assert_eq!(message.source_system, "crm");
    assert_eq!(message.source_version, Some(12));
    assert_eq!(message.event_version, Some(3));
    assert_eq!(message.event_ts.unwrap().to_string(), "2023-11-14T22:13:20.5Z");
    assert_eq!(message.originals.event_ts_millis, Some(1_700_000_000_000));
    assert_eq!(payload(&message), EVENT);
}

#[test]
fn trap_6_without_an_id_the_place_stands_in() {
    let message = decode(&orders(all_by_pointer()), record("{}"));
    assert_eq!(message.message_id, "orders-eu:2:7");
    assert_eq!((message.aggregate_id, message.event_type), (None, None));
    let empty = decode(&orders(all_by_pointer()), record(r#"{"eventId":""}"#));
    assert_eq!(empty.message_id, "orders-eu:2:7");
}

#[test]
fn the_first_that_gives_something_wins() {
    let inbound = orders(Rules {
        message_id: rule("header:id | json:/id | key"),
        source_version: rule("header:version | json:/version"),
        ..Rules::default()
    });
    let id = |record| decode(&inbound, record).message_id;
    let value = r#"{"id":5,"version":4}"#;
    assert_eq!(id(with_headers(record(value), &[("id", "h")])), "h");
    assert_eq!(id(with_headers(record(value), &[("id", "")])), "5");
    assert_eq!(id(record("{}")), "F-8842");
    let odd = with_headers(record(value), &[("version", "four")]);
    assert_eq!(decode(&inbound, odd).source_version, Some(4), "what cannot be read is nothing");
}

#[test]
fn a_topic_without_rules_has_default_headers() {
    let headers = [
        ("message-id", "m-1"),
        ("aggregate-id", "F-1"),
        ("event-type", "Ordered"),
        ("source-version", "9"),
        ("event-version", "2"),
        ("event-time", "1700000000001"),
        ("source-system", "forged"),
    ];
    let message = decode(&bare(), with_headers(record("[]"), &headers));
    assert_eq!(message.message_id, "m-1");
    assert_eq!(message.aggregate_id.as_deref(), Some("F-1"));
    assert_eq!(message.event_type.as_deref(), Some("Ordered"));
    assert_eq!((message.source_version, message.event_version), (Some(9), Some(2)));
    assert_eq!(message.event_ts.unwrap().as_micros(), 1_700_000_000_001_000);
    assert_eq!(message.source_system, "ihub");
}

#[test]
fn a_field_with_a_rule_is_taken_from_it_alone() {
    let inbound = orders(Rules { message_id: rule("json:/id"), ..Rules::default() });
    let headers = [("message-id", "h"), ("event-type", "Ordered")];
    let message = decode(&inbound, with_headers(record("{}"), &headers));
    assert_eq!(message.message_id, "orders-eu:2:7");
    assert_eq!(message.event_type.as_deref(), Some("Ordered"), "it has no rule");
}

#[test]
fn the_first_pattern_that_matches_counts() {
    let typed = |text: &str| Rules { event_type: rule(text), ..Rules::default() };
    let inbound = Inbound::new("ihub")
        .topic("orders-eu", typed("const:eu"))
        .and_then(|inbound| inbound.topic("orders-*", typed("const:any")))
        .unwrap();
    let of =
        |topic: &str| decode(&inbound, Record { topic: topic.into(), ..record("{}") }).event_type;
    assert_eq!(of("orders-eu").as_deref(), Some("eu"));
    assert_eq!(of("orders-us").as_deref(), Some("any"));
    assert_eq!(of("blocks"), None);
}

#[test]
fn a_time_that_cannot_be_read_leaves_the_brokers() {
    let inbound = orders(all_by_pointer());
    let message = decode(&inbound, record(r#"{"at":"tomorrow"}"#));
    assert_eq!(message.event_ts.unwrap().as_micros(), 1_700_000_000_000_000);
    assert!(message.originals.is_empty());
}

#[test]
fn a_record_without_what_is_required_is_kept_for_a_person() {
    let inbound = orders(Rules {
        aggregate_id: rule("json:/family/id | required"),
        on_serde_error: OnSerdeError::BlockKey,
        ..Rules::default()
    });
    let message = decode(&inbound, with_headers(record("{}"), &[("message-id", "m-1")]));
    assert_eq!(failure(&message).code(), "required-field-missing");
    assert_eq!(
        failure(&message).message(),
        "the record has no aggregate_id that could be read by its rule \"json:/family/id | required\""
    );
    assert_eq!(message.message_id, "m-1");
    let tombstone = decode(&inbound, Record { value: None, ..record("") });
    assert_eq!(failure(&tombstone).code(), "required-field-missing");
    assert_eq!(inbound.decode(record("{}")).on_serde_error, OnSerdeError::BlockKey);
    assert_eq!(bare().decode(record("{}")).on_serde_error, OnSerdeError::Continue);
}

#[test]
fn a_source_system_can_be_required_too() {
    let inbound =
        orders(Rules { source_system: rule("header:source | required"), ..Rules::default() });
    let message = decode(&inbound, record("{}"));
    assert_eq!(failure(&message).code(), "required-field-missing");
    assert_eq!(message.source_system, "ihub", "it is stored under the source's own name");
}

#[test]
fn an_undecodable_record_has_what_headers_and_key_tell() {
    let rules = Rules {
        message_id: rule("json:/eventId | header:id"),
        aggregate_id: rule("json:/family/id | key | required"),
        event_type: rule("json:/kind | required"),
        ..Rules::default()
    };
    let message = decode(&orders(rules), with_headers(record("{\"eventId\":"), &[("id", "h-1")]));
    assert_eq!(failure(&message).code(), "json-malformed");
    let said = failure(&message).message();
    assert!(said.contains("line 1 column 11") && said.contains("cut off"), "{said}");
    assert_eq!(message.message_id, "h-1");
    assert_eq!(message.aggregate_id.as_deref(), Some("F-8842"));
}

#[test]
fn rules_behind_a_prefix_are_those_of_the_topics_that_have_it() {
    let rules = Rules { message_id: rule("json:/eventId"), ..Rules::default() };
    let value = r#"{"eventId": "E-1"}"#;
    let inbound = bare().topic("eu", rules).unwrap();
    assert_eq!(decode(&inbound, record(value)).message_id, "orders-eu:2:7");
    let inbound = inbound.behind("orders-").unwrap();
    assert_eq!(decode(&inbound, record(value)).message_id, "E-1");
    assert!(inbound.behind("a b").is_err());
}
