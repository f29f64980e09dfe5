//! Records are bytes: whatever a producer sends is stored and can be given back.

use dipmo_domain::{Header, Headers, InboxStatus};
use dipmo_kafka::testing;
use rdkafka::message::{Header as RdHeader, OwnedHeaders};

use crate::rig::{Rig, record};

#[tokio::test(flavor = "multi_thread")]
async fn trap_5_keys_and_headers_come_back_byte_for_byte() {
    let rig = Rig::new(1).await;
    let long = vec![b'k'; 5_000];
    let keys: [Option<&[u8]>; 6] =
        [None, Some(b""), Some(b"plain"), Some(b"\xff\x00\x01"), Some(b"a\0b"), Some(&long)];
    let headers = OwnedHeaders::new()
        .insert(RdHeader { key: "twice", value: Some("one") })
        .insert(RdHeader { key: "binary", value: Some(&[0_u8, 255, 254][..]) })
        .insert(RdHeader { key: "twice", value: Some("two") })
        .insert(RdHeader { key: "empty", value: Some("") })
        .insert(RdHeader::<&str> { key: "none", value: None })
        .insert(RdHeader { key: "", value: Some("without a name") });
    for key in keys {
        rig.producer.send_with(&rig.topic, 0, key, Some(b"{}"), headers.clone());
    }
    rig.producer.flush();
    let running = rig.start();
    running.until_records(6).await;
    running.stop().await;
    let header = |name: &str, value: Option<&[u8]>| Header {
        name: name.to_owned(),
        value: value.map(<[u8]>::to_vec),
    };
    let expected = Headers::new(vec![
        header("twice", Some(b"one")),
        header("binary", Some(&[0, 255, 254])),
        header("twice", Some(b"two")),
        header("empty", Some(b"")),
        header("none", None),
        header("", Some(b"without a name")),
    ]);
    let rows = rig.rows().await;
    for (row, key) in rows.iter().zip(keys) {
        assert_eq!(row.message.key().as_deref(), key);
        assert_eq!(row.message.headers().unwrap(), expected);
    }
    assert_eq!(rows.len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_1_a_tombstone_is_a_message() {
    let rig = Rig::new(1).await;
    rig.producer.send_with(&rig.topic, 0, Some(b"gone"), None, OwnedHeaders::new());
    rig.producer.send_with(&rig.topic, 0, Some(b"text"), Some(b"null"), OwnedHeaders::new());
    rig.producer.send_with(&rig.topic, 0, Some(b"empty"), Some(b""), OwnedHeaders::new());
    rig.producer.flush();
    let running = rig.start();
    running.until_records(3).await;
    running.stop().await;
    let rows = rig.rows().await;
    let statuses: Vec<_> = rows.iter().map(|row| row.status).collect();
    use InboxStatus::{Received, SerdeError};
    assert_eq!(statuses, [Received, Received, SerdeError]);
    assert_eq!(rows[0].message.payload.as_ref().unwrap().as_str(), "null");
    let values: Vec<_> = rows.iter().map(|row| row.message.record().unwrap().value).collect();
    assert_eq!(values, [None, Some(b"null".to_vec()), Some(Vec::new())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_of_900_kb_is_stored_whole() {
    let rig = Rig::new(1).await;
    let large = format!("\"{}\"", "x".repeat(900 * 1_024));
    for _ in 0..20 {
        rig.producer.send(&rig.topic, 0, Some(b"1"));
        rig.producer.send(&rig.topic, 0, Some(large.as_bytes()));
    }
    rig.producer.flush();
    let running = rig.start();
    running.until_records(40).await;
    let figures = running.stop().await;
    // A batch ends after four megabytes, and one more may be joined to it.
    assert!(figures.largest_batch <= 20, "{}", figures.largest_batch);
    let rows = rig.rows().await;
    assert_eq!(rows.len(), 40);
    assert!(
        rows.iter()
            .skip(1)
            .step_by(2)
            .all(|row| { row.message.payload.as_ref().unwrap().as_str() == large })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_7_odd_timestamps_are_kept() {
    let mut rig = Rig::new(1).await;
    // The broker refuses the far future unless it is told not to.
    let later = ("message.timestamp.after.max.ms", "9223372036854775807");
    rig.topic = testing::topic_with(&testing::options(), "source", 1, &[later]).await;
    let odd = [0, 1, 4_102_444_800_000, 9_000_000_000_000_000];
    for millis in odd {
        let mut record = record(&rig.topic, 0, None, Some(b"{}"), OwnedHeaders::new());
        record.timestamp = Some(millis);
        rig.producer.try_send(record);
    }
    rig.producer.flush();
    let running = rig.start();
    running.until_records(4).await;
    running.stop().await;
    let rows = rig.rows().await;
    let kept: Vec<_> =
        rows.iter().map(|row| row.message.record().unwrap().timestamp_millis).collect();
    // To the producer's library a timestamp of 0 is none, and it takes the time of now.
    assert_eq!(kept[1..], odd[1..]);
}

/// Foreign producers are not as careful as our client: kcat takes the bytes of its arguments.
#[tokio::test(flavor = "multi_thread")]
async fn a_header_whose_name_is_no_text_does_not_stop_anything() {
    use std::io::Write as _;
    use std::os::unix::ffi::OsStringExt as _;
    use std::process::{Command, Stdio};
    let rig = Rig::new(1).await;
    let broken = std::ffi::OsString::from_vec(b"n\xffme=value".to_vec());
    let mut kcat = Command::new("kcat")
        .args(["-P", "-b", &testing::brokers(), "-t", &rig.topic, "-p", "0", "-H"])
        .arg(broken)
        .args(["-H", "fine=1"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    kcat.stdin.take().unwrap().write_all(b"{\"n\":1}").unwrap();
    assert!(kcat.wait().unwrap().success());
    rig.send_numbers(0, 2..4);
    let running = rig.start();
    running.until_records(3).await;
    running.stop().await;
    let rows = rig.rows().await;
    assert_eq!(rows[0].status, InboxStatus::SerdeError);
    assert_eq!(rows[0].failure.as_ref().unwrap().code(), "kafka-header-unreadable");
    assert_eq!(rows[0].message.headers().unwrap().text("fine"), Some("1"));
    assert_eq!(rows[0].message.record().unwrap().value.unwrap(), b"{\"n\":1}");
    assert!(rows[1..].iter().all(|row| row.status == InboxStatus::Received));
}
