//! Too much, or a database that does not answer: clients are told to come back, and nothing is lost or
//! doubled when they do.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dipmo_domain::Failure;
use dipmo_inbox::{Hold, InboxLoad, PressureLimits};
use dipmo_source_http::HttpSource;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::moody::{Mood, Moody};
use crate::rig::{Answer, Folder, PATIENCE, Running, inbound, options, rows, until};

const ORDER: &str = r#"{"orderId":"O-1"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_database_is_503_and_repeating_takes_effect_once() {
    let folder = Folder::new();
    let store = folder.store().await;
    let mut options = options();
    options.limits.answer_within = Duration::from_secs(1);
    let running = Running::new(options, Arc::clone(&store) as _).await;
    let lock = folder.look();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let keys: Vec<String> = (0..30).map(|number| format!("K-{number}")).collect();
    let post = |key: String| Answer::to(running.post("/orders/publish", Some(&key), ORDER));
    let posted = JoinSet::from_iter(keys.iter().cloned().map(post)).join_all().await;
    for answer in &posted {
        assert_eq!(answer.status, 503, "{answer:?}");
        let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!(seconds > 0);
        let code = answer.code();
        assert!(["http-no-answer", "http-database-away"].contains(&code), "{code}");
        if code == "http-no-answer" {
            let detail = answer.body["detail"].as_str().unwrap();
            assert!(detail.contains("same Idempotency-Key and body is safe"), "{detail}");
        }
    }
    assert!(running.source.health().problem.is_some());
    lock.execute_batch("ROLLBACK").unwrap();
    for key in &keys {
        // What waited may still hold the door closed for a moment.
        let again = async {
            loop {
                match post(key.clone()).await.status {
                    202 => break,
                    503 => {}
                    status => panic!("{status}"),
                }
            }
        };
        timeout(PATIENCE, again).await.unwrap();
    }
    assert_eq!(rows(&store).await.len(), keys.len());
    assert_eq!(running.source.health().problem, None);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_inbox_turns_clients_away_until_it_is_worked_off() {
    let folder = Folder::new();
    let mut options = options();
    options.pressure = PressureLimits { depth: 10, ..PressureLimits::default() };
    let (tell, load) = watch::channel(InboxLoad { depth: 11, ..InboxLoad::default() });
    let source = HttpSource::new(options, inbound(), folder.store().await).unwrap();
    let running = Running::of(source.load(load)).await;
    let post = || Answer::to(running.post("/orders/publish", Some("K-1"), ORDER));
    let answer = post().await;
    assert_eq!((answer.status, answer.code()), (503, "http-inbox-full"));
    assert!(answer.header("retry-after").is_some());
    assert!(running.source.health().turned_away);
    tell.send_replace(InboxLoad::default());
    assert_eq!(post().await.status, 202);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_an_operator_holds_back_turns_clients_away() {
    let folder = Folder::new();
    let store = folder.store().await;
    let (say, said) = watch::channel(None);
    let source = HttpSource::new(options(), inbound(), Arc::clone(&store) as _).unwrap();
    let running = Running::of(source.held(Hold::new(move || said.borrow().clone()))).await;
    let post = |key| Answer::to(running.post("/orders/publish", Some(key), ORDER));
    assert_eq!(post("K-1").await.status, 202);
    say.send_replace(Some(Failure::new("source-paused", "INC-17")));
    let answer = post("K-2").await;
    assert_eq!((answer.status, answer.code()), (503, "http-source-paused"));
    assert!(answer.header("retry-after").is_some());
    assert!(!answer.body.to_string().contains("INC-17"), "why is for operators");
    assert_eq!(running.source.health().paused.unwrap().message(), "INC-17");
    assert_eq!(rows(&store).await.len(), 1);
    say.send_replace(None);
    assert_eq!(post("K-2").await.status, 202);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_do_not_fit_into_memory_are_not_read() {
    let folder = Folder::new();
    let moody = Moody::new(&folder.store().await, Mood::Waits);
    let mut options = options();
    options.limits.memory = 1 << 20;
    options.limits.answer_within = PATIENCE;
    let running = Running::new(options, Arc::clone(&moody) as _).await;
    let large = format!(r#"{{"orderId":"{}"}}"#, "x".repeat(600_000));
    let post = |key| Answer::to(running.post("/notes", Some(key), &large));
    let first = tokio::spawn(post("K-1"));
    until(|| moody.calls.load(Ordering::SeqCst) == 1).await;
    let second = post("K-2").await;
    assert_eq!((second.status, second.code()), (503, "http-busy"));
    moody.mood.send_replace(Mood::Well);
    assert_eq!(first.await.unwrap().status, 202);
    assert_eq!(post("K-2").await.status, 202);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_is_refused_fails_alone() {
    let folder = Folder::new();
    let store = folder.store().await;
    let moody = Moody::new(&store, Mood::Waits);
    let mut options = options();
    options.limits.answer_within = PATIENCE;
    let running = Running::new(options, Arc::clone(&moody) as _).await;
    let body = |number: usize| {
        let id = if number % 7 == 3 { "bad".to_owned() } else { format!("O-{number}") };
        format!(r#"{{"orderId":"{id}"}}"#)
    };
    let post = |number: usize| {
        let key = format!("K-{number}");
        Answer::to(running.post("/orders/publish", Some(&key), &body(number)))
    };
    // The first holds the database up, so that the others are a batch.
    let first = tokio::spawn(post(0));
    until(|| moody.calls.load(Ordering::SeqCst) == 1).await;
    let others = JoinSet::from_iter((1..40).map(post));
    let bytes: usize = (0..40).map(|number| body(number).len()).sum();
    until(|| running.source.metrics().snapshot().bytes == bytes as u64).await;
    moody.mood.send_replace(Mood::Well);
    let mut answers = others.join_all().await;
    answers.push(first.await.unwrap());
    let of = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((of(202), of(422)), (34, 6));
    assert_eq!(rows(&store).await.len(), 34);
    assert!(moody.largest.load(Ordering::SeqCst) > 1, "no row was refused among others");
    // Those that were refused among others say nothing against the database.
    assert_eq!(post(45).await.status, 422);
    running.stop().await;
}
