//! The health port, asked by a real client and kept busy by bad ones.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo::service::{Asked, DEFAULT_ADDRESS, Health, HealthPort, ask};
use dipmo_domain::Timestamp;
use dipmo_processing::health::{Checkup, Part, Trouble};
use dipmo_store::{Store, Tables};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

/// A port that is open for as long as this lives.
struct Open {
    health: Health,
    address: SocketAddr,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl Open {
    async fn new() -> Self {
        let (health, stop) = (Health::default(), CancellationToken::new());
        let port = HealthPort::bind(SocketAddr::new(DEFAULT_ADDRESS.ip(), 0)).await.unwrap();
        let address = port.address().unwrap();
        let task = tokio::spawn(port.run(health.clone(), stop.clone()));
        Self { health, address, stop, task }
    }

    /// Asks as `dipmo health` does.
    async fn get(&self, path: &'static str) -> (u16, serde_json::Value) {
        let address = self.address;
        let asked = tokio::task::spawn_blocking(move || ask(address, path)).await.unwrap();
        let Asked { status, body } = asked.unwrap();
        (status, serde_json::from_str(&body).unwrap())
    }

    async fn statuses(&self) -> [u16; 3] {
        [self.get("/live").await.0, self.get("/ready").await.0, self.get("/health").await.0]
    }

    /// Sends bytes and reads to the end.
    async fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        // A connection that is reset has ended too.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8(answer).unwrap()
    }
}

/// A source that has a partition, on a database that answers.
async fn well(health: &Health) -> Part {
    let store = SqliteStore::open(SqliteOptions::new("sqlite::memory:")).await.unwrap();
    store.migrate(&Tables::default()).await.unwrap();
    assert!(store.now().await.unwrap() > Timestamp::EPOCH);
    Checkup::new(Arc::new(store), Arc::clone(&health.pulse)).look().await;
    health.pulse.part("source")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_path_tells_how_the_instance_is_now() {
    let open = Open::new().await;
    assert_eq!(open.statuses().await, [200, 503, 503], "the database has not answered");
    let source = well(&open.health).await;
    let alive = source.task();
    assert_eq!(open.statuses().await, [200, 200, 200]);
    let trouble = Trouble { code: "joining".to_owned(), text: "not yet".to_owned() };
    source.trouble(Some(trouble));
    assert_eq!(open.statuses().await, [200, 503, 503]);
    let (_, told) = open.get("/ready").await;
    assert_eq!(told["reasons"][0]["name"], "not-working");
    assert_eq!(told["reasons"][0]["about"], "source");
    source.trouble(None);
    let mut health = open.health.clone();
    health.limits.gone = Duration::ZERO;
    drop(alive);
    assert!(!health.verdict().is_live());
    open.health.pulse.stopping();
    assert_eq!(open.statuses().await, [200, 503, 503], "one that stops is live");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_else_is_answered() {
    let open = Open::new().await;
    let not_found = open.raw(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(not_found.starts_with("HTTP/1.1 404 "), "{not_found}");
    let post = open.raw(b"POST /live HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}").await;
    assert!(post.starts_with("HTTP/1.1 405 ") && post.contains("allow: GET"), "{post}");
    let garbage = open.raw(b"\x16\x03\x01\x02\x00\r\n\r\n").await;
    assert!(garbage.is_empty() || garbage.starts_with("HTTP/1.1 400 "), "{garbage}");
    let large = format!("GET /live HTTP/1.1\r\nx: {}\r\n\r\n", "x".repeat(100_000));
    let large = open.raw(large.as_bytes()).await;
    assert!(large.is_empty() || large.starts_with("HTTP/1.1 431 "), "{large}");
    assert_eq!(open.get("/live").await.0, 200, "and it goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_carries_one_request() {
    let open = Open::new().await;
    let twice = b"GET /live HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2);
    assert_eq!(open.raw(&twice).await.matches("HTTP/1.1 ").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_say_nothing_keep_nobody_out_for_long() {
    let open = Open::new().await;
    let began = Instant::now();
    let mut silent = Vec::new();
    for _ in 0..40 {
        let mut stream = TcpStream::connect(open.address).await.unwrap();
        stream.write_all(b"GET /live HT").await.unwrap();
        silent.push(stream);
    }
    // All of them are ahead of it, a seat each: it gets one once those before it were sent away.
    let answer = open.raw(b"GET /live HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let took = began.elapsed();
    assert!(took > Duration::from_secs(4) && took < Duration::from_secs(20), "{took:?}");
    drop(silent);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_with_connections_open() {
    let open = Open::new().await;
    let stream = TcpStream::connect(open.address).await.unwrap();
    open.stop.cancel();
    tokio::time::timeout(Duration::from_secs(2), open.task).await.unwrap().unwrap();
    drop(stream);
    assert!(TcpStream::connect(open.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_port_that_is_taken_is_an_error() {
    let open = Open::new().await;
    let taken = HealthPort::bind(open.address).await.err().unwrap();
    assert_eq!(taken.kind(), std::io::ErrorKind::AddrInUse);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_code_of_dipmo_health_says_how_it_is() {
    let open = Open::new().await;
    let address = open.address;
    let exit = |what: &'static str| {
        let asks = move || {
            std::process::Command::new(env!("CARGO_BIN_EXE_dipmo"))
                .args(["health", what, "--output", "json", "--address", &address.to_string()])
                .output()
                .unwrap()
        };
        async move { tokio::task::spawn_blocking(asks).await.unwrap() }
    };
    assert_eq!(exit("live").await.status.code(), Some(0));
    let ready = exit("ready").await;
    assert_eq!(ready.status.code(), Some(1));
    let told: serde_json::Value = serde_json::from_slice(&ready.stdout).unwrap();
    assert_eq!(told["reasons"][0]["name"], "starting");
    let _source = well(&open.health).await.task();
    assert_eq!(exit("all").await.status.code(), Some(0));
    open.stop.cancel();
    open.task.await.unwrap();
    assert_eq!(exit("live").await.status.code(), Some(2), "nobody answers");
}
