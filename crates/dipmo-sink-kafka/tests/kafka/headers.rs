//! What a consumer sees of a delivery.

use dipmo_domain::{Header, Headers, RecordKey};
use dipmo_kafka::testing;
use dipmo_outbox::Publisher as _;

use crate::support::{delivery, is_delivered, publisher, with_headers};

#[tokio::test(flavor = "multi_thread")]
async fn binary_repeated_and_empty_headers_arrive_as_they_are_and_ours_behind_them() {
    let topic = testing::topic("headers", 1).await;
    let header = |name: &str, value: Option<&[u8]>| Header {
        name: name.to_owned(),
        value: value.map(<[u8]>::to_vec),
    };
    let own = vec![
        header("binary", Some(&[0, 159, 146, 150])),
        header("twice", Some(b"1")),
        header("twice", Some(b"2")),
        header("nothing", None),
        header("empty", Some(b"")),
        header("traceparent", Some(b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")),
        header("event-type", Some(b"mine")),
    ];
    let sent = with_headers(delivery(&topic, "A-1", 41), &Headers::new(own.clone()));
    assert!(publisher().publish(&[sent]).await.iter().all(is_delivered));

    let records = testing::read_to_end(&topic);
    assert_eq!(records.len(), 1);
    let headers = records[0].headers.as_slice();
    assert_eq!(headers[..own.len()], own);
    let ours = [
        ("message-id", "dipmo-41"),
        ("event-version", "3"),
        ("aggregate-type", "PARCEL"),
        ("aggregate-id", "A-1"),
        ("causation-id", "42"),
    ];
    let ours = ours.map(|(name, value)| header(name, Some(value.as_bytes())));
    assert_eq!(headers[own.len()..], ours);
    assert_eq!(records[0].key.as_deref(), Some(&b"A-1"[..]));
    assert_eq!(records[0].value.as_deref(), Some(&b"41"[..]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_about_a_record_has_the_record_as_its_key() {
    let topic = testing::topic("records", 2).await;
    let mut sent = delivery(&topic, "A-1", 1);
    sent.record = Some(RecordKey("R-1".to_owned()));
    assert!(publisher().publish(&[sent]).await.iter().all(is_delivered));
    let records = testing::read_to_end(&topic);
    assert_eq!(records[0].key.as_deref(), Some(&b"R-1"[..]));
    assert_eq!(records[0].headers.text("aggregate-id"), Some("A-1"));
}
