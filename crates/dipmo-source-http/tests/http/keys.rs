//! One key is one message, whoever repeats it and however often.

use std::sync::Arc;

use dipmo_store::Inspect as _;
use serde_json::json;

use crate::rig::{Answer, Folder, Running, TILL, options, rows};

const ORDER: &str = r#"{"orderId":"O-1"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_three_times_at_once_is_one_message_and_one_answer() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    for number in 0..20 {
        let (key, body) = (format!("K-{number}"), format!(r#"{{"orderId":"O-{number}"}}"#));
        let post = || Answer::to(running.post("/orders/publish", Some(&key), &body));
        let answers = tokio::join!(post(), post(), post());
        let answers: [Answer; 3] = answers.into();
        let link = format!("/orders/publish/requests/{key}");
        for answer in &answers {
            assert_eq!(answer.status, 202, "{answer:?}");
            assert_eq!(answer.body, json!({"status": "accepted", "key": key, "href": link}));
            assert_eq!(answer.header("location"), Some(link.as_str()));
        }
        let replayed = answers.iter().filter(|it| it.header("idempotency-replayed").is_some());
        assert_eq!(replayed.count(), 2, "{answers:?}");
    }
    let figures = running.source.metrics().snapshot();
    assert_eq!((figures.stored, figures.replayed, figures.conflicts), (20, 40, 0));
    assert_eq!((figures.answers_of(2), figures.answered.count()), (60, 60));
    assert_eq!(rows(&store).await.len(), 20);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_tells_where_it_came_from_and_carries_no_secret() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let request = running.post("/orders/publish", Some("\"K-1\""), ORDER);
    let request = request.header("traceparent", "00-1").header("cookie", "hush");
    assert_eq!(Answer::to(request).await.status, 202);
    let row = rows(&store).await.remove(0);
    let message = &row.message;
    assert_eq!(message.message_id, "/orders/publish:shop:K-1");
    assert_eq!((message.topic.as_str(), message.partition), ("http:/orders/publish", 0));
    assert_eq!(message.source_system, "web");
    assert_eq!(message.aggregate_id.as_deref(), Some("O-1"));
    assert_eq!(message.payload.as_ref().unwrap().as_str(), ORDER);
    let headers = message.headers_json.as_ref().unwrap().as_str();
    assert!(headers.contains("traceparent") && !headers.contains("hush"), "{headers}");
    assert!(!headers.contains("authorization"), "{headers}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_with_another_body_is_a_conflict_and_changes_nothing() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let post = |body: &str| Answer::to(running.post("/orders/publish", Some("K-1"), body));
    assert_eq!(post(ORDER).await.status, 202);
    let answer = post(r#"{"orderId":"O-2"}"#).await;
    assert_eq!((answer.status, answer.code()), (409, "http-key-reused"));
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(post(ORDER).await.header("idempotency-replayed"), Some("true"));
    let rows = rows(&store).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].message.payload.as_ref().unwrap().as_str(), ORDER);
    assert_eq!(store.incidents(10).await.unwrap().len(), 1);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_and_two_paths_never_meet() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let till = r#"{"orderId":"of the till"}"#;
    for request in [
        running.post("/orders/publish", Some("K-1"), ORDER),
        running.post_as(TILL, "/orders/publish", Some("K-1"), till),
        running.post("/notes", Some("K-1"), "[]"),
    ] {
        let answer = Answer::to(request).await;
        assert_eq!((answer.status, answer.header("idempotency-replayed")), (202, None));
    }
    let ids: Vec<_> = rows(&store).await.into_iter().map(|row| row.message.message_id).collect();
    let expected = ["/orders/publish:shop:K-1", "/orders/publish:till:K-1", "/notes:shop:K-1"];
    assert_eq!(ids, expected);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_each_request_is_new_where_that_is_allowed() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let mut links = Vec::new();
    for _ in 0..2 {
        let answer = Answer::to(running.post("/notes", None, "[]")).await;
        assert_eq!(answer.status, 202);
        links.push(answer.header("location").unwrap().to_owned());
    }
    assert_ne!(links[0], links[1]);
    assert_eq!(rows(&store).await.len(), 2);
    let answer = Answer::to(running.post("/orders/publish", None, ORDER)).await;
    assert_eq!((answer.status, answer.code()), (400, "http-key-missing"));
    running.stop().await;
}
