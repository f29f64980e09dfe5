//! Clients that are slow, speak another language, or send too much: nobody else notices.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::rig::{Answer, Folder, PATIENCE, Running, SHOP, options, rows};

/// Says all of it while it reads, as one must who is answered before the end, and waits for the connection
/// to be closed.
async fn told(running: &Running, words: &str) -> String {
    let (mut from, mut to) = TcpStream::connect(running.address).await.unwrap().into_split();
    let mut answer = vec![0; 12];
    let reads = async { from.read_exact(&mut answer).await };
    // Who is cut off before the end has said enough.
    let (_, read) = tokio::join!(to.write_all(words.as_bytes()), timeout(PATIENCE, reads));
    read.expect("it says nothing").expect("it is cut off without a word");
    String::from_utf8_lossy(&answer).into_owned()
}

/// Says something and answers what comes back until the connection is closed.
async fn said(running: &Running, words: &[u8]) -> String {
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    // Who is cut off before the end has said enough.
    let _ = stream.write_all(words).await;
    let mut answer = Vec::new();
    // Cut off is as good as closed.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("it stays open");
    String::from_utf8_lossy(&answer).into_owned()
}

fn head(more: &str) -> String {
    format!(
        "POST /orders/publish HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {SHOP}\r\n\
         idempotency-key: K-1\r\ncontent-type: application/json\r\n{more}\r\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_slow_is_let_go_and_whoever_talks_nonsense_is_told() {
    let folder = Folder::new();
    let store = folder.store().await;
    let mut options = options();
    options.limits.head_within = Duration::from_millis(300);
    options.limits.body_within = Duration::from_millis(300);
    let hasty = Running::new(options, Arc::clone(&store) as _).await;
    let running = Running::new(crate::rig::options(), Arc::clone(&store) as _).await;
    let slow_head = said(&hasty, b"POST /orders/publish HTTP/1.1\r\nhost: x\r\n");
    let (slow_body, short_body) =
        (head("content-length: 100\r\n"), head("content-length: 4\r\n") + "{oo");
    let many = head(&"x-more: 0123456789\r\n".repeat(5_000));
    let large = head("content-length: 99999999999\r\n");
    let endless = head("transfer-encoding: chunked\r\n")
        + &format!("2710\r\n{}\r\n", "x".repeat(10_000)).repeat(3);
    let (slow_head, slow_body, short_body, garbage, many, large, endless) = tokio::join!(
        slow_head,
        said(&hasty, slow_body.as_bytes()),
        said(&hasty, short_body.as_bytes()),
        said(&running, b"\x16\x03\x01\x02\x00\x01\xfc garbage \r\n\r\n"),
        told(&running, &many),
        said(&running, large.as_bytes()),
        told(&running, &endless),
    );
    assert!(slow_head.is_empty() || slow_head.starts_with("HTTP/1.1 408"), "{slow_head}");
    assert!(
        slow_body.starts_with("HTTP/1.1 408") && slow_body.contains("http-body-late"),
        "{slow_body}"
    );
    assert!(short_body.starts_with("HTTP/1.1 408"), "{short_body}");
    assert!(garbage.starts_with("HTTP/1.1 400"), "{garbage}");
    assert_eq!(many, "HTTP/1.1 431");
    assert!(large.starts_with("HTTP/1.1 413"), "{large}");
    assert_eq!(endless, "HTTP/1.1 413");
    assert!(rows(&store).await.is_empty());
    let answer =
        Answer::to(running.post("/orders/publish", Some("K-1"), r#"{"orderId":"O"}"#)).await;
    assert_eq!(answer.status, 202);
    running.stop().await;
    hasty.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_and_never_reads_is_let_go() {
    let folder = Folder::new();
    let mut options = options();
    options.limits.head_within = Duration::from_millis(300);
    let running = Running::new(options, folder.store().await as _).await;
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    let asks = head("content-length: 0\r\n").repeat(100);
    // Once the way back is full nobody reads what is asked, and the way there is full as well.
    let asking = async { while stream.write_all(asks.as_bytes()).await.is_ok() {} };
    timeout(PATIENCE, asking).await.expect("it stays open");
    running.stop().await;
}
