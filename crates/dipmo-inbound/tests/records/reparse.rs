//! A stored message is decoded again under rules that were mended.

use dipmo_inbound::{Inbound, Rules};
use dipmo_inbox::Record;

use crate::support::{bare, decode, failure, payload, record, row, rule};

fn by(aggregate_id: &str) -> Inbound {
    let message_id = rule("json:/eventId");
    let rules = Rules { message_id, aggregate_id: rule(aggregate_id), ..Rules::default() };
    bare().topic("orders-*", rules).unwrap()
}

#[test]
fn mended_rules_find_the_real_id() {
    let value = r#"{"eventId":"e-1","family":"F-1"}"#;
    let refused = decode(&by("json:/familyId | required"), record(value));
    assert_eq!(failure(&refused).code(), "required-field-missing");
    let mended = by("json:/familyId | json:/family | required");
    let again = mended.reparse(&row(&refused)).unwrap().message;
    assert_eq!(payload(&again), value);
    assert_eq!((again.message_id.as_str(), again.aggregate_id.as_deref()), ("e-1", Some("F-1")));
    assert_eq!(again, mended.decode(record(value)).message, "as if it had just come");
}

#[test]
fn bytes_that_are_still_no_json_stay_what_they_are() {
    let refused = decode(&bare(), Record { value: Some(b"\xff".to_vec()), ..record("") });
    assert_eq!(bare().reparse(&row(&refused)).unwrap().message, refused);
}

#[test]
fn a_row_that_was_changed_by_hand_is_an_error() {
    let mut row = row(&decode(&bare(), record("<")));
    row.raw_payload_base64 = Some("<".into());
    assert!(bare().reparse(&row).is_err());
}
