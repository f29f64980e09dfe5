//! Bytes: whatever came in comes back as it went in, to a batch and to a person (traps 1 to 7).

use dipmo_domain::{Header, Headers, InboxStatus, Timestamp};
use dipmo_inbox::{Body, Identity, InboxRow, Message, NewMessage, Record, Stored};
use dipmo_store::Store;

use crate::Fixture;
use crate::support::{Chance, Script, batch, inbox_id, is_full, rows, seeds, with_record};

/// Stores messages, then compares each with what a person sees and what a batch gets.
async fn come_back(store: &dyn Store, messages: &[NewMessage]) {
    let answers = store.store(messages, &[]).await.unwrap();
    assert!(answers.iter().all(|answer| matches!(answer, Stored::New(_))), "all are new");
    let seen = rows(store).await;
    let claimed = batch(store, Script::process_all()).await.unwrap().messages;
    for (message, answer) in messages.iter().zip(&answers) {
        let id = inbox_id(answer);
        let row = seen.iter().find(|row| row.message.id == id).unwrap();
        assert_same(&row.message, message);
        assert_undecodable_says_why(row, message);
        let in_batch = claimed.iter().find(|claimed| claimed.message.id == id);
        match message.body {
            Body::Json(_) => assert_eq!(in_batch.unwrap().message, row.message),
            Body::Undecodable { .. } => assert!(in_batch.is_none(), "it cannot be processed"),
        }
    }
}

fn assert_same(read: &Message, written: &NewMessage) {
    assert_eq!(read.message_id, written.message_id);
    assert_eq!(read.source_system, written.source_system);
    assert_eq!(read.topic, written.topic);
    assert_eq!((read.partition, read.offset), (written.partition, written.offset));
    assert_eq!(read.key_str, written.key_str);
    assert_eq!(read.key(), written.originals.key(written.key_str.as_deref()));
    assert_eq!(read.aggregate_id, written.aggregate_id);
    assert_eq!(read.event_type, written.event_type);
    assert_eq!(read.event_version, written.event_version);
    assert_eq!(read.source_version, written.source_version);
    assert_eq!(read.headers().unwrap(), written.headers);
    assert_eq!(read.event_ts, written.event_ts);
    assert_eq!(read.originals, written.originals);
    assert_eq!(read.lane, written.lane);
    assert_eq!(read.order_key(), written.order_key);
    let (payload, raw) = match &written.body {
        Body::Json(json) => (Some(json), None),
        Body::Undecodable { base64, .. } => (None, Some(base64)),
    };
    assert_eq!(read.payload.as_ref(), payload);
    assert_eq!(read.raw_payload_base64.as_ref(), raw);
    assert_eq!(read.record().unwrap(), written.record().unwrap());
}

fn assert_undecodable_says_why(row: &InboxRow, written: &NewMessage) {
    if let Body::Undecodable { failure, .. } = &written.body {
        assert_eq!(row.status, InboxStatus::SerdeError);
        assert_eq!(row.failure.as_ref(), Some(failure));
    }
}

/// One message for each value.
fn with_values<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Vec<NewMessage> {
    let message = |(offset, value): (i64, &[u8])| {
        with_record(|record| (record.offset, record.value) = (offset, Some(value.to_vec())))
    };
    (0..).zip(values).map(message).collect()
}

/// Trap 1: a tombstone is the payload `null`.
pub async fn trap_1_a_tombstone<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    come_back(&*store, &[with_record(|record| record.value = None)]).await;
    let row = rows(&*store).await.remove(0);
    assert_eq!(row.message.payload.unwrap().as_str(), "null");
    assert_eq!(row.message.raw_payload_base64, None);
}

/// Trap 2: bytes that are no text are kept as bytes.
pub async fn trap_2_bytes_that_are_no_text<F: Fixture>() {
    let fixture = F::fresh().await;
    let all: Vec<u8> = (0..=255).collect();
    let values: [&[u8]; 6] = [b"", b"\0", b"\xff\xfe", b"{", b"\xef\xbb\xbf{}", &all];
    come_back(&*fixture.store(), &with_values(values)).await;
}

/// Trap 4: JSON that databases do not like is kept to the letter.
pub async fn trap_4_odd_json<F: Fixture>() {
    let fixture = F::fresh().await;
    let nested = format!("{}{}", "[".repeat(128), "]".repeat(128));
    let too_deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let long_number = "1234567890".repeat(100);
    let texts = [
        r#""\u0000""#,
        r#"{"\u0000":1}"#,
        r#""\ud800""#,
        r#"["\udc00\ud800"]"#,
        "1e400",
        "-1e-400",
        "1.000000000000000000000000000000000001",
        "9007199254740993",
        &long_number,
        r#"{"a":1,"a":2,"A":3}"#,
        r#"{"b":1,"a":2}"#,
        " \t\r\n{ \"a\" : [ 1 , 2.50 ] }\n",
        r#""\/\u00e9é\u0041""#,
        "\"\u{2028}\u{1F600}\u{7f}\"",
        "null",
        "true",
        "\"\"",
        "0",
        &nested,
        &too_deep,
    ];
    come_back(&*fixture.store(), &with_values(texts.map(str::as_bytes))).await;
}

/// Trap 5: keys are bytes of any length.
pub async fn trap_5_odd_keys<F: Fixture>() {
    let fixture = F::fresh().await;
    let (long, wide) = (vec![b'k'; 5_000], "é".repeat(4_000).into_bytes());
    let keys: [&[u8]; 9] =
        [b"", b"plain", b"\0", b"a\0b", b"\xff\x00\x01", &long, &wide, b"'\"\\%_", b"NULL"];
    let keyed = |(offset, key): (i64, &[u8])| {
        with_record(|record| (record.offset, record.key) = (offset, Some(key.to_vec())))
    };
    let mut messages: Vec<_> = (0..).zip(keys).map(keyed).collect();
    messages.push(with_record(|record| (record.offset, record.key) = (99, None)));
    come_back(&*fixture.store(), &messages).await;
}

/// Trap 5: headers without a value, twice, empty, binary, and their order.
pub async fn trap_5_odd_headers<F: Fixture>() {
    let fixture = F::fresh().await;
    let header = |name: &str, value: Option<&[u8]>| Header {
        name: name.to_owned(),
        value: value.map(<[u8]>::to_vec),
    };
    let headers = Headers::new(vec![
        header("none", None),
        header("empty", Some(b"")),
        header("twice", Some(b"1")),
        header("binary", Some(b"\xff\x00\xfe")),
        header("nul", Some(b"a\0b")),
        header("twice", Some(b"2")),
        header("", Some(b"no name")),
        header("n\0ul", Some(b"NUL in the name")),
        header("unicode \u{1F600}", Some("wert \u{e9}".as_bytes())),
        header("quotes", Some(b"'\"\\")),
    ]);
    let none = with_record(|record| record.offset = 1);
    come_back(&*fixture.store(), &[with_record(|record| record.headers = headers), none]).await;
}

/// Trap 6: texts that do not fit their columns come back whole.
pub async fn trap_6_over_long_texts<F: Fixture>() {
    let fixture = F::fresh().await;
    let long = |mark: &str| Some(format!("{mark}{}", "ü\0".repeat(500)));
    let record = Record {
        topic: "t".repeat(249),
        partition: i32::MAX,
        offset: i64::MAX,
        value: Some(b"{}".to_vec()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "s".repeat(300),
        message_id: long("id"),
        aggregate_id: long("aggregate"),
        event_type: long("type"),
        event_version: Some(u16::MAX),
        source_version: Some(i64::MIN),
        event_ts: None,
    };
    let message = NewMessage::from_record(&record, &identity);
    assert_eq!(message.originals.message_id, identity.message_id);
    come_back(&*fixture.store(), &[message]).await;
}

/// An empty text is not a missing one.
pub async fn empty_is_not_missing<F: Fixture>() {
    let fixture = F::fresh().await;
    let identity = Identity { event_type: Some(String::new()), ..Identity::default() };
    let record = Record { key: Some(Vec::new()), ..Record::default() };
    come_back(&*fixture.store(), &[NewMessage::from_record(&record, &identity)]).await;
}

/// Trap 7: timestamps that are missing, negative, or beyond what a database can show.
pub async fn trap_7_odd_timestamps<F: Fixture>() {
    let fixture = F::fresh().await;
    let year_9999 = 253_402_300_799_999;
    let year_1 = -62_135_596_800_000;
    let millis = [-1, 0, -2, 1, year_9999, year_9999 + 1, year_1, year_1 - 1, i64::MAX, i64::MIN];
    let at = |(offset, millis): (i64, i64)| {
        with_record(|record| (record.offset, record.timestamp_millis) = (offset, millis))
    };
    come_back(&*fixture.store(), &(0..).zip(millis).map(at).collect::<Vec<_>>()).await;
}

/// Five megabytes, as JSON and as bytes.
pub async fn five_megabytes<F: Fixture>() {
    let fixture = F::fresh().await;
    let json = format!(r#"{{"a":"{}"}}"#, "x".repeat(5_000_000));
    let bytes = vec![0xff; 5_000_000];
    come_back(&*fixture.store(), &with_values([json.as_bytes(), &bytes])).await;
}

/// A call of a thousand messages.
pub async fn a_thousand_messages_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let values: Vec<_> = (0..1_000).map(|number| format!("[{number}]").into_bytes()).collect();
    come_back(&*fixture.store(), &with_values(values.iter().map(Vec::as_slice))).await;
}

/// Anything at all: records of random bytes.
pub async fn random_records<F: Fixture>() {
    for seed in seeds() {
        let fixture = F::fresh().await;
        let mut chance = Chance::new(seed);
        let count = if is_full() { 2_000 } else { 300 };
        let messages: Vec<_> = (0..count).map(|offset| random(&mut chance, offset)).collect();
        come_back(&*fixture.store(), &messages).await;
    }
}

fn random(chance: &mut Chance, offset: i64) -> NewMessage {
    let mut bytes = |most: usize| {
        let length = chance.below(most + 1);
        match chance.below(4) {
            0 => None,
            1 => Some(chance.bytes(length)),
            2 => Some(format!(r#""{}""#, "\u{e9}".repeat(length)).into_bytes()),
            _ => Some(String::from_utf8_lossy(&chance.bytes(length)).into_owned().into_bytes()),
        }
    };
    let (key, value) = (bytes(300), bytes(2_000));
    let headers = (0..3).map(|number| Header { name: format!("h{number}"), value: bytes(50) });
    let headers = Headers::new(headers.collect());
    let text = |bytes: Option<Vec<u8>>| bytes.map(|b| String::from_utf8_lossy(&b).into_owned());
    let identity = Identity {
        source_system: text(bytes(120)).unwrap_or_default(),
        // The offset keeps ids apart, whatever chance says.
        message_id: text(bytes(250)).map(|id| format!("{offset}{id}")),
        aggregate_id: text(bytes(250)),
        event_type: text(bytes(250)),
        event_version: None,
        source_version: Some(offset),
        event_ts: Timestamp::from_micros(offset * 1_001).filter(|_| offset % 3 == 0),
    };
    let timestamp_millis = i64::from_le_bytes(chance.number().to_le_bytes()) >> chance.below(64);
    let topic = "random".to_owned();
    let record = Record { topic, partition: 0, offset, key, headers, timestamp_millis, value };
    NewMessage::from_record(&record, &identity)
}
