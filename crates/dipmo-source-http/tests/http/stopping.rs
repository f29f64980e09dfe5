//! The source stops: what is under way is answered, and nobody else gets in.

use std::sync::Arc;

use dipmo_domain::Coded as _;
use dipmo_source_http::HttpSource;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::rig::{Answer, Folder, PATIENCE, Running, inbound, options, rows, until};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_under_way_is_answered_before_it_ends() {
    let folder = Folder::new();
    let store = folder.store().await;
    let mut options = options();
    options.limits.answer_within = std::time::Duration::from_secs(20);
    options.limits.grace = std::time::Duration::from_secs(30);
    let running = Running::new(options, Arc::clone(&store) as _).await;
    let lock = folder.look();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let request = running.post("/orders/publish", Some("K-1"), r#"{"orderId":"O-1"}"#);
    let answer = tokio::spawn(Answer::to(request));
    // It waits for the database by then.
    until(|| !running.source.metrics().snapshot().store_errors.is_empty()).await;
    running.stop.cancel();
    let closes = async { while TcpStream::connect(running.address).await.is_ok() {} };
    timeout(PATIENCE, closes).await.unwrap();
    lock.execute_batch("ROLLBACK").unwrap();
    let answer = answer.await.unwrap();
    assert_eq!(answer.status, 202);
    running.stop().await;
    assert_eq!(rows(&store).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_taken_is_an_error() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let again = running.source.run(CancellationToken::new()).await.unwrap_err();
    assert_eq!(again.code().as_str(), "http-source-running");
    let mut taken = options();
    taken.listen = running.address;
    let other = HttpSource::new(taken, inbound(), store).unwrap();
    let error = other.run(CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "http-address-unavailable");
    assert!(error.to_string().contains(&running.address.to_string()), "{error}");
    running.stop().await;
}
