//! What cannot be decoded goes to the dead letters as it came, in the same transaction.

use std::sync::Arc;

use dipmo_domain::{Failure, Header};
use dipmo_inbox::Record;
use dipmo_inbox::dead_letter::DeadLetter;
use dipmo_leg_kafka::Applied;
use rdkafka::producer::BaseRecord;

use crate::rig::{Rig, Running, copy};

#[tokio::test(flavor = "multi_thread")]
async fn undecodable_bytes_are_dead_letters_byte_for_byte_and_hold_nobody_up() {
    let rig = Rig::new(1).await;
    let options = rig.options();
    rig.make_chain(&options.chain).await;
    let poison: Vec<u8> = (0..=255).collect();
    rig.send_numbers(0..5);
    rig.send_with(&[0xff, 0], &poison, &[("a", b"1"), ("a", &[0xfe]), ("b", b"")]);
    rig.send(BaseRecord::to(&rig.from).key(b"gone"));
    rig.send_numbers(5..10);
    let to = rig.to.clone();
    let transform = move |record: &Record| match record.value.as_deref().map(std::str::from_utf8) {
        Some(Ok(_)) => Applied::Send(vec![copy(record, &to)]),
        Some(Err(_)) => Applied::Undecodable(Failure::new("json-malformed", "no text")),
        None => Applied::Fail(Failure::new("gone", "a tombstone")),
    };
    let running = Running::new(options, Arc::new(transform));
    running.until("all", |figures| figures.records_in == 12).await;
    let figures = running.stop().await;
    assert_eq!(rig.numbers(), (0..10).collect::<Vec<_>>());
    let letters = rig.read(&format!("{}-dlt", rig.from));
    assert_eq!((letters.len(), figures.total_dead_lettered(), figures.aborted), (2, 2, 0));
    assert_eq!(
        (letters[0].key.as_deref(), letters[0].value.as_ref()),
        (Some(&[0xff, 0][..]), Some(&poison))
    );
    let own = &letters[0].headers.as_slice()[..3];
    let header =
        |name: &str, value: &[u8]| Header { name: name.to_owned(), value: Some(value.to_vec()) };
    assert_eq!(own, [header("a", b"1"), header("a", &[0xfe]), header("b", b"")]);
    assert_eq!(letters[1].value, None, "a tombstone stays one");
    // As every dead letter of dipmo is read.
    let read = |at: usize| {
        let letter = letters[at].clone();
        let record = Record {
            key: letter.key,
            headers: letter.headers,
            value: letter.value,
            ..Record::default()
        };
        DeadLetter::read(&record).unwrap().unwrap()
    };
    let (first, second) = (read(0), read(1));
    assert_eq!((first.record.topic, first.record.offset), (rig.from.clone(), 5));
    assert_eq!(first.record.value, Some(poison));
    assert_eq!((first.ending.failure.code(), first.ending.attempts), ("json-malformed", 0));
    assert_eq!((second.ending.failure.code(), second.ending.attempts), ("gone", 1));
}
