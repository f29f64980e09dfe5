//! Messages that fail for good, mirrored beside their topic.

use std::time::Duration;

use dipmo_domain::{Headers, InboxId, InboxStatus, Json, OutboxStatus};
use dipmo_inbox::{
    BroughtBack, DeadLetter, Ended, Identity, Inbox as _, NewMessage, Record, Returned, dead_letter,
};
use dipmo_outbox::OutboxRow;
use dipmo_processing::{DeadLetters, EngineOptions, RetryPolicy, WorkerOptions};

use crate::rig::{Rig, start, step};
use crate::script::Step;

fn mirroring() -> EngineOptions {
    let retry = RetryPolicy { backoff: "fixed(1s, 2)".parse().unwrap(), ..RetryPolicy::default() };
    let dead_letters = Some(DeadLetters::default());
    let worker = WorkerOptions { retry, dead_letters, ..WorkerOptions::default() };
    EngineOptions { worker, ..EngineOptions::default() }
}

async fn letters(rig: &Rig) -> Vec<OutboxRow> {
    let mut rows = rig.outbox().await;
    rows.retain(|row| row.aggregate_type == DeadLetters::AGGREGATE_TYPE);
    rows
}

/// The letter, from the record that a publisher makes of it.
fn read(row: &OutboxRow) -> DeadLetter {
    let headers = Headers::from_json(row.headers_json.as_ref().unwrap()).unwrap();
    let (headers, value) = dead_letter::on_the_wire(&headers, &row.payload).unwrap();
    DeadLetter::read(&Record { headers, value, ..Record::default() }).unwrap().unwrap()
}

#[tokio::test(start_paused = true)]
async fn one_that_fails_is_mirrored_once_with_all_that_brings_it_back() {
    let rig = Rig::new().await;
    let failing = step("A", 1, Step { fails: 99, ..Step::default() });
    rig.store(&[failing.clone(), step("B", 2, Step::default())]).await;
    let running = start(rig.engine(mirroring()));
    rig.until(|row| matches!(row.status, InboxStatus::Failed | InboxStatus::Processed)).await;
    running.stop().await;

    let letters = letters(&rig).await;
    assert_eq!(letters.len(), 1, "{letters:?}");
    let letter = &letters[0];
    assert_eq!(letter.destination.to_string(), format!("KAFKA:{}-dlt", failing.topic));
    assert_eq!(letter.status, OutboxStatus::Pending);
    let read = read(letter);
    assert_eq!(read.record, failing.record().unwrap());
    assert_eq!((&read.message_id, read.ending.attempts), (&failing.message_id, 3));
    let row = rig.inbox().await.remove(0);
    assert_eq!(row.failure.as_ref(), Some(&read.ending.failure));
    assert_eq!(read.ending.retried, 0);
}

#[tokio::test(start_paused = true)]
async fn each_failure_has_a_letter_that_brings_back_no_other() {
    let rig = Rig::new().await;
    let failing = step("A", 1, Step { fails: 99, ..Step::default() });
    rig.store(std::slice::from_ref(&failing)).await;
    let running = start(rig.engine(mirroring()));
    let (first, id) = (failing.dedupe_key, InboxId(1));
    let ended = |retried| Ended::Failed { retried };
    let letter = |retried| Returned { first, ended: ended(retried), message: failing.clone() };
    for retried in 0..3 {
        until_letters(&rig, retried + 1).await;
        let back = rig.store.bring_back(&[letter(retried), letter(retried)]).await;
        assert_eq!(back, Ok(vec![BroughtBack::Retried(id), BroughtBack::Left(id)]));
    }
    until_letters(&rig, 4).await;
    let back = rig.store.bring_back(&[letter(0), letter(2)]).await;
    assert_eq!(back, Ok(vec![BroughtBack::Left(id); 2]), "it failed again since");
    running.stop().await;
    let letters = letters(&rig).await;
    let counts: Vec<_> = letters.iter().map(|row| read(row).ending.retried).collect();
    assert_eq!(counts, [0, 1, 2, 3]);
}

async fn until_letters(rig: &Rig, count: u32) {
    while letters(rig).await.len() < count as usize {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_letter_that_cannot_be_made_is_counted() {
    let rig = Rig::new().await;
    let record = Record { topic: "x".repeat(249), ..Record::default() };
    rig.store(&[NewMessage::decoded(&record, &Identity::default(), Json::null())]).await;
    let mut options = mirroring();
    options.worker.unrouted = dipmo_processing::Unrouted::Fail;
    let engine = rig.engine(options);
    let metrics = engine.metrics();
    let running = start(engine);
    rig.until(|row| row.status == InboxStatus::Failed).await;
    running.stop().await;
    let inbox = metrics.snapshot().inbox;
    assert_eq!((inbox.failed, inbox.unmirrored), (1, 1));
    assert!(rig.outbox().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_did_not_come_from_kafka_is_not_mirrored() {
    let rig = Rig::new().await;
    let record = Record { topic: "timer:NOBODY".to_owned(), ..Record::default() };
    let message = NewMessage::decoded(&record, &Identity::default(), Json::null());
    rig.store(&[message]).await;
    let mut options = mirroring();
    options.worker.unrouted = dipmo_processing::Unrouted::Fail;
    let running = start(rig.engine(options));
    rig.until(|row| row.status == InboxStatus::Failed).await;
    running.stop().await;
    assert!(rig.outbox().await.is_empty());
}
