//! Records that cannot be decoded, or stored as they were decoded: kept, counted, passed.

use dipmo_domain::{ErrorStage, InboxStatus};
use dipmo_inbound::{Inbound, OnSerdeError, Rules};
use dipmo_source_kafka::KafkaSource;
use rdkafka::message::OwnedHeaders;

use crate::rig::{Rig, Running};

/// Not text, cut short, and nested too deep.
fn poison() -> Vec<Vec<u8>> {
    let deep = [vec![b'['; 200], vec![b']'; 200]].concat();
    vec![b"\xff\xfe{\"a\":1}".to_vec(), b"{\"a\":".to_vec(), deep]
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_2_poison_among_ten_thousand_is_kept_and_the_rest_goes_on() {
    let rig = Rig::new(1).await;
    let poison = poison();
    for number in 0..10_000_u32 {
        let value = match number {
            2_500 => poison[0].clone(),
            5_000 => poison[1].clone(),
            9_999 => poison[2].clone(),
            _ => format!("{{\"n\":{number}}}").into_bytes(),
        };
        rig.producer.send(&rig.topic, 0, Some(&value));
    }
    rig.producer.flush();
    let running = rig.start();
    running.until_records(10_000).await;
    let figures = running.stop().await;
    assert_eq!(figures.stored, 10_000);
    assert_eq!(figures.serde_errors[&rig.topic], 3);
    assert_eq!(rig.committed(0), Some(10_000));
    let rows = rig.rows().await;
    let captured: Vec<_> =
        rows.iter().filter(|row| row.status == InboxStatus::SerdeError).collect();
    assert_eq!((rows.len(), captured.len()), (10_000, 3));
    for (row, (sent, code)) in
        captured.iter().zip(poison.iter().zip(["json-not-utf8", "json-malformed", "json-too-deep"]))
    {
        assert_eq!(row.message.record().unwrap().value.as_ref(), Some(sent));
        assert_eq!(row.error_stage, Some(ErrorStage::ConsumerSerde));
        assert_eq!(row.failure.as_ref().unwrap().code(), code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn poison_blocks_its_key_where_the_topic_says_so() {
    for (on_serde_error, blocked) in [(OnSerdeError::Continue, 0), (OnSerdeError::BlockKey, 1)] {
        let rig = Rig::new(1).await;
        let rules = Rules { on_serde_error, ..Rules::default() };
        let inbound = Inbound::new("test").topic(&rig.topic, rules).unwrap();
        let source = KafkaSource::new(rig.options(), inbound, rig.inbox()).unwrap();
        for (key, value) in [(&b"a"[..], &b"{}"[..]), (b"b", b"\xff"), (b"c", b"{}")] {
            let headers = OwnedHeaders::new();
            rig.producer.send_with(&rig.topic, 0, Some(key), Some(value), headers);
        }
        rig.producer.flush();
        let running = Running::new(source);
        running.until_records(3).await;
        running.stop().await;
        let count = "SELECT count(*) FROM inbox_block";
        let found: i64 = rig.folder.look().query_row(count, [], |row| row.get(0)).unwrap();
        assert_eq!(found, blocked, "{on_serde_error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_3_poison_that_comes_again_is_a_duplicate() {
    let mut rig = Rig::new(1).await;
    poison().iter().for_each(|value| rig.producer.send(&rig.topic, 0, Some(value)));
    rig.producer.flush();
    for round in 0..2 {
        // Another group reads everything again.
        rig.group = format!("{}-{round}", rig.group);
        let running = rig.start();
        running.until_records(3).await;
        let figures = running.stop().await;
        assert_eq!((figures.stored, figures.duplicates), if round == 0 { (3, 0) } else { (0, 3) });
    }
    assert_eq!(rig.places().await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_4_a_record_that_the_database_refuses_is_kept_as_bytes() {
    let rig = Rig::new(1).await;
    // A real refusal: a rule of somebody who administers the database.
    let rule = "CREATE TRIGGER no_forbidden BEFORE INSERT ON inbox_log
                WHEN NEW.payload LIKE '%forbidden%' BEGIN SELECT RAISE(ABORT, 'not here'); END";
    rig.folder.look().execute_batch(rule).unwrap();
    for number in 0..1_000 {
        let value = match number {
            400 | 401 | 999 => format!("{{\"forbidden\":{number}}}"),
            _ => format!("{{\"n\":{number}}}"),
        };
        rig.producer.send(&rig.topic, 0, Some(value.as_bytes()));
    }
    rig.producer.flush();
    let running = rig.start();
    running.until_records(1_000).await;
    assert!(running.source.health().is_well());
    let figures = running.stop().await;
    assert_eq!((figures.stored, figures.refused[&rig.topic]), (1_000, 3));
    assert_eq!((rig.stored(0).await, rig.committed(0)), (Some(1_000), Some(1_000)));
    let rows = rig.rows().await;
    let captured = rows.iter().filter(|row| row.status == InboxStatus::SerdeError);
    let captured: Vec<_> = captured
        .map(|row| {
            assert_eq!(row.failure.as_ref().unwrap().code(), "record-refused-by-store");
            String::from_utf8(row.message.record().unwrap().value.unwrap()).unwrap()
        })
        .collect();
    assert_eq!(captured, [400, 401, 999].map(|number| format!("{{\"forbidden\":{number}}}")));
    // Order of ids is order of offsets, so that a key stays in order.
    assert!(rows.is_sorted_by_key(|row| row.message.id));
}
