//! Not now: down the chain of retry topics, each when it is due, and nobody waits with it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dipmo_domain::Failure;
use dipmo_inbox::Record;
use dipmo_inbox::dead_letter::{ATTEMPTS as LETTER_ATTEMPTS, ERROR_CODE, OFFSET};
use dipmo_leg_kafka::{ATTEMPTS, Applied, DUE};

use crate::rig::{Rig, Running, copy, numbers};

const DELAY: Duration = Duration::from_millis(1_500);

#[tokio::test(flavor = "multi_thread")]
async fn three_retries_when_they_are_due_and_then_a_dead_letter_while_others_pass() {
    let rig = Rig::new(1).await;
    let mut options = rig.options();
    options.chain.retries = "fixed(1500ms, 3)".parse().unwrap();
    rig.make_chain(&options.chain).await;
    let seen: Arc<Mutex<BTreeMap<u32, Vec<Instant>>>> = Arc::default();
    let transform = {
        let (seen, to) = (Arc::clone(&seen), rig.to.clone());
        move |record: &Record| {
            let text = std::str::from_utf8(record.value.as_deref().unwrap()).unwrap();
            let number: u32 = text.parse().unwrap();
            let mut seen = seen.lock().unwrap();
            let times = seen.entry(number).or_default();
            times.push(Instant::now());
            // A transform sees the record as it came first, whichever way it takes.
            assert!(record.topic.starts_with("leg-in") && !record.topic.contains("retry"));
            assert!(record.headers.is_empty());
            match number {
                // Never.
                0 => Applied::Retry(Failure::new("busy", "not now")),
                // At the second retry.
                1 if times.len() < 3 => Applied::Retry(Failure::new("busy", "not now")),
                _ => Applied::Send(vec![copy(record, &to)]),
            }
        }
    };
    let running = Running::new(options, Arc::new(transform));
    rig.send_numbers(0..100);
    // Those behind them do not wait.
    running.until("the others", |figures| figures.records_out >= 100).await;
    assert_eq!(rig.numbers(), (2..100).collect::<Vec<_>>());
    running.until_that("waiting", || running.health().waiting > 0).await;
    assert!(running.health().is_well());
    rig.send_numbers(100..200);
    running.until("a dead letter", |figures| figures.total_dead_lettered() == 1).await;
    let figures = running.stop().await;
    assert_eq!(rig.numbers(), (1..200).collect::<Vec<_>>());
    assert_eq!((figures.retried, figures.aborted), (5, 0), "{figures:?}");
    let letters = rig.read(&format!("{}-dlt", rig.from));
    assert_eq!(numbers(&letters), [0]);
    let headers = &letters[0].headers;
    assert_eq!(headers.text(ERROR_CODE), Some("busy"));
    assert_eq!((headers.text(LETTER_ATTEMPTS), headers.text(OFFSET)), (Some("4"), Some("0")));
    assert_eq!(headers.text(DUE), None, "a letter says nothing of the way it took");
    let second = rig.read(&format!("{}-retry-2", rig.from));
    assert_eq!((numbers(&second), second[0].headers.text(ATTEMPTS)), (vec![0, 1], Some("2")));
    let times = seen.lock().unwrap();
    assert_eq!((times[&0].len(), times[&1].len()), (4, 3));
    for pair in times[&0].windows(2) {
        assert!(pair[1] - pair[0] >= DELAY - Duration::from_millis(50), "too early");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_not_lost_when_its_reader_goes() {
    let rig = Rig::new(1).await;
    let mut options = rig.options();
    options.chain.retries = "fixed(2s, 1)".parse().unwrap();
    rig.make_chain(&options.chain).await;
    let transform = |to: String, ready: bool| {
        Arc::new(move |record: &Record| match ready {
            false => Applied::Retry(Failure::new("busy", "not now")),
            true => Applied::Send(vec![copy(record, &to)]),
        })
    };
    let running = Running::new(options.clone(), transform(rig.to.clone(), false));
    rig.send_numbers(0..50);
    running.until("all aside", |figures| figures.retried == 50).await;
    running.until_that("waiting", || running.health().waiting > 0).await;
    running.stop().await;
    let running = Running::new(options, transform(rig.to.clone(), true));
    running.until("all", |figures| figures.records_out == 50).await;
    running.stop().await;
    assert_eq!(rig.numbers(), (0..50).collect::<Vec<_>>());
}
