//! What the source says of itself in trouble, and when it says that it is over.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::Coded as _;
use dipmo_source_http::HttpSource;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::moody::{Mood, Moody};
use crate::rig::{Answer, Folder, PATIENCE, Running, SHOP, client, inbound, options, until};

const ORDER: &str = r#"{"orderId":"O-1"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_an_outage_is_noticed_although_nobody_posts() {
    let folder = Folder::new();
    let moody = Moody::new(&folder.store().await, Mood::Away);
    let mut options = options();
    options.limits.answer_within = Duration::from_millis(500);
    let running = Running::new(options, Arc::clone(&moody) as _).await;
    let answer = Answer::to(running.post("/orders/publish", Some("K-1"), ORDER)).await;
    assert_eq!((answer.status, answer.code()), (503, "http-no-answer"));
    // All who waited are gone; what is left is what the source says of itself.
    until(|| running.source.metrics().snapshot().abandoned == 1).await;
    assert!(running.source.health().problem.is_some());
    moody.mood.send_replace(Mood::Well);
    until(|| running.source.health().problem.is_none()).await;
    assert_eq!(running.source.metrics().snapshot().stored, 0, "nobody has posted");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_cannot_store_any_more_ends_with_an_error() {
    let folder = Folder::new();
    let moody = Moody::new(&folder.store().await, Mood::Breaks);
    let source = Arc::new(HttpSource::new(options(), inbound(), moody).unwrap());
    let runs = Arc::clone(&source);
    let run = tokio::spawn(async move { runs.run(CancellationToken::new()).await });
    let address = timeout(PATIENCE, source.address()).await.unwrap();
    let request = client().post(format!("http://{address}/orders/publish")).bearer_auth(SHOP);
    let request = request.header("content-type", "application/json").header("idempotency-key", "K");
    let answer = Answer::to(request.body(ORDER)).await;
    // It broke in the midst of storing: whether the message is there is not known.
    assert_eq!((answer.status, answer.code()), (503, "http-no-answer"));
    let ended = timeout(PATIENCE, run).await.unwrap().unwrap();
    assert_eq!(ended.unwrap_err().code().as_str(), "http-source-broken");
    assert_eq!(source.health().listening, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_refuses_every_row_is_to_blame_itself() {
    let folder = Folder::new();
    let moody = Moody::new(&folder.store().await, Mood::Refuses);
    let running = Running::new(options(), Arc::clone(&moody) as _).await;
    let post = |key: &str| Answer::to(running.post("/orders/publish", Some(key), ORDER));
    let mut codes = Vec::new();
    for key in ["K-1", "K-2", "K-3", "K-4", "K-5"] {
        codes.push(post(key).await.code().to_owned());
    }
    let (refused, away) = ("http-body-refused", "http-database-away");
    assert_eq!(codes, [refused, refused, refused, refused, away]);
    let problem = running.source.health().problem.unwrap();
    assert_eq!(problem.code.as_str(), "store-row-refused");
    moody.mood.send_replace(Mood::Well);
    assert_eq!(post("K-5").await.status, 202);
    assert_eq!(running.source.health().problem, None);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_request_stands_cannot_be_told_while_the_database_is_away() {
    let folder = Folder::new();
    let moody = Moody::new(&folder.store().await, Mood::Well);
    let running = Running::new(options(), Arc::clone(&moody) as _).await;
    let answer = Answer::to(running.post("/orders/publish", Some("K-1"), ORDER)).await;
    let link = answer.header("location").unwrap().to_owned();
    moody.mood.send_replace(Mood::Away);
    let answer = Answer::to(running.get_as(SHOP, &link)).await;
    assert_eq!((answer.status, answer.code()), (503, "http-database-away"));
    let detail = answer.body["detail"].as_str().unwrap();
    assert!(detail.contains("where it stands cannot be told now"), "{detail}");
    running.stop().await;
}
