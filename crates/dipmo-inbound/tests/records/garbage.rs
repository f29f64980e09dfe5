//! Whatever the bytes are, a message comes of them that gives back every one.

use dipmo_domain::{Header, Headers};
use dipmo_inbound::{Inbound, Rules};
use dipmo_inbox::{Body, Record};
use proptest::prelude::*;

use crate::support::{bare, decode, failure, payload, record, rule};

fn strict() -> Inbound {
    let rules = Rules {
        message_id: rule("header:a | json:/a | json:/a/b | key"),
        aggregate_id: rule("json:/0/a | json:/b | required"),
        event_time: rule("json:/t | header:b"),
        ..Rules::default()
    };
    bare().topic("*", rules).unwrap()
}

#[test]
fn trap_1_a_tombstone_is_a_message() {
    let message = decode(&bare(), Record { value: None, ..record("") });
    assert_eq!(payload(&message), "null");
    assert_eq!(failure(&decode(&bare(), record(""))).code(), "json-malformed");
    let text = decode(&bare(), record("null"));
    assert_eq!(payload(&text), "null");
    assert_ne!(text.content, message.content);
}

#[test]
fn trap_2_bytes_that_are_no_text_are_kept() {
    for bytes in [&b"\xff\xfe{"[..], b"{\"a\":\"\xc3\x28\"}", b"\0\0\0\0\x01Avro"] {
        let message = decode(&strict(), Record { value: Some(bytes.to_vec()), ..record("") });
        assert!(failure(&message).message().contains("bytes and begins with"));
    }
}

#[test]
fn trap_4_odd_json_is_kept_to_the_letter() {
    for value in [
        r#"{"a":"x\u0000y","b":1}"#,
        r#"{"a":"\ud800","b":1}"#,
        r#"{"\udc00":0,"b":1e400}"#,
        r#"{"b":123456789012345678901234567890.10}"#,
        r#"{"b":1,"b":2,"a":1,"a":{"b":3}}"#,
    ] {
        assert_eq!(payload(&decode(&strict(), record(value))), value);
    }
    let with_nul = decode(&strict(), record(r#"{"a":"x\u0000y","b":1}"#));
    assert!(!with_nul.message_id.contains('\0'));
    assert_eq!(with_nul.originals.message_id.as_deref(), Some("x\0y"));
    let twice = decode(&strict(), record(r#"{"b":1,"b":2}"#));
    assert_eq!(twice.aggregate_id.as_deref(), Some("2"));
}

#[test]
fn trap_4_ten_thousand_levels_are_kept_as_bytes() {
    for open in ["[", "{\"a\":", "{\"specversion\":"] {
        let close = if open == "[" { "]" } else { "}" };
        let deep = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        assert_eq!(failure(&decode(&strict(), record(&deep))).code(), "json-too-deep");
        let cut = open.repeat(10_000);
        assert_eq!(failure(&decode(&strict(), record(&cut))).code(), "json-malformed");
    }
}

#[test]
fn trap_5_keys_and_headers_are_bytes() {
    let header = |name: &str, value: Option<&[u8]>| Header {
        name: name.to_owned(),
        value: value.map(<[u8]>::to_vec),
    };
    let headers = Headers::new(vec![
        header("a", Some(b"1")),
        header("a", Some(b"\xff")),
        header("message-id", None),
        header("", Some(b"")),
    ]);
    let key = Some(b"\xff\0".to_vec());
    let message = decode(&strict(), Record { key, headers, ..record("{\"b\":1}") });
    assert_eq!(message.message_id, "orders-eu:2:7", "the last header a and the key are no text");
}

#[test]
fn trap_7_odd_timestamps_are_kept() {
    for timestamp_millis in [-1, -2, 0, i64::MAX, i64::MIN] {
        decode(&bare(), Record { timestamp_millis, ..record("1") });
        decode(&strict(), Record { timestamp_millis, ..record(r#"{"b":1,"t":"5"}"#) });
    }
}

/// Bytes that are nearly JSON more often than chance would have it.
fn any_value() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(r#"{"a":"#),
        Just(r#""b":"#),
        Just("\"specversion\":\"1.0\","),
        Just("\"id\":1,"),
        Just("\"source\":\"s\","),
        Just("\"type\":\"t\","),
        Just("\"data\":"),
        Just("\"data_base64\":"),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just("\""),
        Just("\\"),
        Just("null"),
        Just("1e9"),
        Just(" "),
        Just("\\ud800"),
        Just("é"),
    ];
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat().into_bytes()),
    ]
}

proptest! {
    #[test]
    fn arbitrary_records_give_back_every_byte(
        value in prop::option::of(any_value()),
        key in prop::option::of(prop::collection::vec(any::<u8>(), 0..9)),
        headers in prop::collection::vec(
            ("a|b|ce_id|message-id|content-type|dipmo-dlt-(topic|offset)", prop::option::of(prop::collection::vec(any::<u8>(), 0..9))),
            0..4,
        ),
        timestamp_millis in any::<i64>(),
    ) {
        let header = |(name, value)| Header { name, value };
        let headers = Headers::new(headers.into_iter().map(header).collect());
        let record = Record { key, headers, timestamp_millis, value, ..record("") };
        for inbound in [bare(), strict()] {
            let message = decode(&inbound, record.clone());
            if let Body::Undecodable { failure, .. } = &message.body {
                prop_assert!(!failure.message().is_empty());
            }
        }
    }
}
