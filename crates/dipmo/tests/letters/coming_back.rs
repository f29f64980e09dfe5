//! Poison and failures among good records: mirrored, mended, brought back, processed once.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use dipmo_domain::{ErrorStage, Header, InboxStatus};
use dipmo_inbox::Record;
use dipmo_kafka::testing::{self, ReadRecord};

use crate::orders::Order;
use crate::rig::{Reading, Rig, Working, read};

const RECORDS: u32 = 300;
/// Bytes that nobody will ever read.
const LOST: [u32; 2] = [50, 100];
/// Orders whose id stands where the rules do not look yet.
const ODD: [u32; 3] = [60, 61, 62];
/// Orders that the process cannot take yet.
const BAD: [u32; 4] = [70, 71, 72, 73];

fn key(n: u32) -> String {
    if LOST.contains(&n) { format!("L-{n}") } else { format!("F-{}", n % 20) }
}

fn value(n: u32) -> Vec<u8> {
    match n {
        _ if LOST.contains(&n) => [b"\xff\xfe\x00".as_slice(), &n.to_be_bytes()].concat(),
        _ if ODD.contains(&n) => format!(r#"{{ "number":"o-{n}","n":{n}}}"#).into_bytes(),
        _ if BAD.contains(&n) => format!(r#"{{"id":"o-{n}","n":{n},"bad":true }}"#).into_bytes(),
        _ => format!(r#"{{"id":"o-{n}","n":{n}}}"#).into_bytes(),
    }
}

fn headers() -> Vec<Header> {
    let header = |value: Option<&[u8]>| Header {
        name: "trace".to_owned(),
        value: value.map(<[u8]>::to_vec),
    };
    vec![header(Some(b"00-ab")), header(Some(b"\xff")), header(None)]
}

/// What a letter must say: the record to the byte, the stage, the code, the attempts.
fn check(letter: &ReadRecord, first: &BTreeMap<i64, Record>) -> u32 {
    let said = read(letter);
    let record = &first[&said.record.offset];
    assert_eq!(&said.record, record);
    assert_eq!(letter.value, record.value, "the topic has the bytes that came");
    let n = u32::try_from(record.offset).unwrap();
    let (stage, code, attempts) = match n {
        _ if LOST.contains(&n) => (ErrorStage::ConsumerSerde, "json-not-utf8", 0),
        _ if ODD.contains(&n) => (ErrorStage::ConsumerSerde, "required-field-missing", 0),
        _ => (ErrorStage::Business, "NO_FAMILY", 3),
    };
    assert_eq!((said.ending.stage, said.ending.failure.code()), (stage, code));
    assert_eq!((said.ending.attempts, said.ending.retried), (attempts, 0));
    n
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_2_letters_go_out_to_the_byte_and_come_back_once() {
    let rig = Rig::new().await;
    for n in 0..RECORDS {
        rig.send(&rig.topic, key(n).as_bytes(), Some(&value(n)), &headers());
    }
    rig.flush();
    let first = testing::read_to_end(&rig.topic);
    let first: BTreeMap<i64, Record> =
        first.into_iter().map(|it| (it.offset, of(&rig, it))).collect();

    let working = Working::start(rig.engine("fixed(20ms, 2)"));
    let reading = Reading::start(rig.source("shop", &[&rig.topic], "json:/id | required"));
    reading.until("read", |figures| figures.records == u64::from(RECORDS)).await;
    let letters = rig.until_letters(LOST.len() + ODD.len() + BAD.len()).await;
    reading.stop().await;
    let mut mirrored: Vec<u32> = letters.iter().map(|letter| check(letter, &first)).collect();
    mirrored.sort_unstable();
    assert_eq!(mirrored, [&LOST[..1], &ODD, &BAD, &LOST[1..]].concat());

    // Mended: the rules look where the ids are, and the process can do everything. Somebody copies
    // all letters, and as nobody is sure whether that worked, once more.
    rig.mended.store(true, Ordering::SeqCst);
    rig.send_back(&letters);
    rig.send_back(&letters);
    let (back, ids) = (rig.beside("-back"), "json:/id | json:/number | required");
    let reading = Reading::start(rig.source("shop", &[&rig.topic, &back], ids));
    let figures = reading.until("back", |figures| figures.records == 18).await;
    let fates = [("decoded", 3), ("left", 7), ("retried", 4), ("undecodable", 4)];
    assert_eq!(figures.letters, BTreeMap::from(fates));
    assert_eq!((figures.stored, figures.duplicates, figures.conflicts), (0, 0, 0));
    rig.until("processed", |rows| {
        let open = rows.iter().filter(|row| row.status != InboxStatus::Processed);
        open.count() == LOST.len()
    })
    .await;
    rig.until_delivered().await;
    reading.stop().await;
    working.stop().await;

    let rows = rig.rows().await;
    assert_eq!(rows.len(), RECORDS as usize);
    let lost = rows.iter().filter(|row| row.status == InboxStatus::SerdeError);
    assert!(lost.map(|row| row.message.offset).eq(LOST.map(i64::from)));
    assert!(ODD.iter().all(|n| rows[*n as usize].message.message_id == format!("o-{n}")));
    assert_eq!(rig.letters().len(), letters.len(), "nothing was mirrored again");
    assert_taken_once(&rig);
}

fn of(rig: &Rig, read: ReadRecord) -> Record {
    Record {
        topic: rig.topic.clone(),
        partition: read.partition,
        offset: read.offset,
        key: read.key,
        headers: read.headers,
        timestamp_millis: read.timestamp_millis,
        value: read.value,
    }
}

/// Every order but the lost ones was told, once by its id, and in the order of its key.
fn assert_taken_once(rig: &Rig) {
    let mut told: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut seen = std::collections::HashSet::new();
    for record in testing::read_to_end(&rig.beside("-out")) {
        if seen.insert(record.headers.text("message-id").unwrap().to_owned()) {
            let order: Order = serde_json::from_slice(&record.value.unwrap()).unwrap();
            let key = String::from_utf8(record.key.unwrap()).unwrap();
            told.entry(key).or_default().push(order.n);
        }
    }
    let mut expected: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for n in (0..RECORDS).filter(|n| !LOST.contains(n)) {
        expected.entry(key(n)).or_default().push(n);
    }
    assert_eq!(told, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_reads_its_own_letters_comes_to_an_end() {
    let rig = Rig::new().await;
    rig.send(&rig.topic, b"F-1", Some(br#"{"id":"o-1","n":1,"bad":true}"#), &[]);
    rig.flush();
    let working = Working::start(rig.engine("none"));
    let own = rig.beside("-dlt");
    let reading = Reading::start(rig.source("shop", &[&rig.topic, &own], "json:/id"));
    let figures = reading.until("end", |figures| figures.letters.contains_key("spent")).await;
    assert_eq!(figures.letters, BTreeMap::from([("retried", 5), ("spent", 1)]));
    reading.stop().await;
    working.stop().await;
    let retried: Vec<u32> = rig.letters().iter().map(|it| read(it).ending.retried).collect();
    assert_eq!(retried, [0, 1, 2, 3, 4, 5]);
    let rows = rig.rows().await;
    assert_eq!((rows.len(), rows[0].status), (1, InboxStatus::Failed), "a person has to decide");
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_that_are_not_what_they_were() {
    let rig = Rig::new().await;
    rig.send(&rig.topic, b"F-1", Some(br#"{"id":"o-1","n":1,"bad":true}"#), &[]);
    rig.flush();
    let working = Working::start(rig.engine("none"));
    let reading = Reading::start(rig.source("shop", &[&rig.topic], "json:/id"));
    let letters = rig.until_letters(1).await;
    reading.stop().await;
    // Somebody mended the value by hand, and a letter comes from a database that is gone.
    let edited =
        ReadRecord { value: Some(br#"{"id":"o-1","n":1}"#.to_vec()), ..letters[0].clone() };
    let named = |it: &Header| it.name == "dipmo-dlt-message-id";
    let headers = letters[0]
        .headers
        .as_slice()
        .iter()
        .cloned()
        .map(|it| if named(&it) { Header { value: Some(b"o-2".to_vec()), ..it } } else { it });
    let foreign = dipmo_domain::Headers::new(headers.collect());
    rig.mended.store(true, Ordering::SeqCst);
    rig.send_back(&[edited, ReadRecord { headers: foreign, ..letters[0].clone() }]);
    let back = rig.beside("-back");
    let reading = Reading::start(rig.source("shop", &[&back], "json:/id"));
    let figures = reading.until("back", |figures| figures.records == 2).await;
    assert_eq!(figures.letters, BTreeMap::from([("differs", 1), ("new", 1)]));
    assert_eq!((figures.stored, figures.conflicts), (1, 1), "new, and an incident");
    reading.stop().await;
    working.stop().await;
    let rows = rig.rows().await;
    assert_eq!(rows.iter().filter(|row| row.message.message_id == "o-1").count(), 1);
}
