//! Requests that nobody means: whatever comes, the simulator answers the next good call.

use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use serde_json::{Map, Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::client::{Ask, Test};
use crate::seed::seed;

const METHODS: [&str; 8] = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "BREW"];

/// Words of which paths, queries and bodies are made, so that they get past the first check.
const WORDS: [&str; 48] = [
    "services",
    "data",
    "v62.0",
    "v46.0",
    "v99.0",
    "sobjects",
    "Contact",
    "Account",
    "Block__c",
    "ExternalId__c",
    "describe",
    "composite",
    "graph",
    "batch",
    "tree",
    "query",
    "queryAll",
    "jobs",
    "ingest",
    "batches",
    "successfulResults",
    "unprocessedrecords",
    "limits",
    "oauth2",
    "token",
    "revoke",
    "introspect",
    "userinfo",
    "id",
    "LastName",
    "Email",
    "Family__r",
    "allOrNone",
    "records",
    "compositeRequest",
    "graphs",
    "attributes",
    "type",
    "method",
    "url",
    "referenceId",
    "body",
    "operation",
    "upsert",
    "object",
    "state",
    "@{a.id}",
    "SELECT Id FROM Contact",
];

fn word(rng: &mut Rng) -> String {
    match rng.u8(..10) {
        0 => String::new(),
        1 => (0..rng.usize(..12)).map(|_| rng.char(..)).collect(),
        2 => "x".repeat(rng.usize(..3000)),
        3 => rng.i64(..).to_string(),
        _ => WORDS[rng.usize(..WORDS.len())].to_owned(),
    }
}

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn path(rng: &mut Rng) -> String {
    let start =
        ["/services/data/v62.0", "/services/data/v62.0/sobjects/Contact", "/services/oauth2", ""];
    let mut path = start[rng.usize(..start.len())].to_owned();
    for _ in 0..rng.usize(..5) {
        path += "/";
        path += &encoded(&word(rng));
    }
    for at in 0..rng.usize(..3) {
        path += if at == 0 { "?" } else { "&" };
        path += &format!("{}={}", encoded(&word(rng)), encoded(&word(rng)));
    }
    if path.starts_with('/') { path } else { format!("/{path}") }
}

fn value(rng: &mut Rng, depth: u32) -> Json {
    match rng.u8(..if depth == 0 { 6 } else { 10 }) {
        0 => Json::Null,
        1 => json!(rng.bool()),
        2 => json!(rng.i64(..)),
        3 => json!(rng.f64() * 1e300),
        4 | 5 => json!(word(rng)),
        6 | 7 => (0..rng.usize(..4)).map(|_| value(rng, depth - 1)).collect(),
        _ => Json::Object(
            (0..rng.usize(..6)).map(|_| (word(rng), value(rng, depth - 1))).collect::<Map<_, _>>(),
        ),
    }
}

/// JSON that is nearly right: a few bytes of it may be changed, or its end be missing.
fn body(rng: &mut Rng) -> Bytes {
    let mut bytes = value(rng, 5).to_string().into_bytes();
    if rng.u8(..4) == 0 {
        for _ in 0..rng.usize(..4) {
            let at = rng.usize(..bytes.len());
            bytes[at] = rng.u8(..);
        }
    }
    if rng.u8(..8) == 0 {
        bytes.truncate(rng.usize(..bytes.len()));
    }
    Bytes::from(bytes)
}

async fn request(test: &Test, rng: &mut Rng, seed: u64) {
    let types = ["application/json", "application/x-www-form-urlencoded", "text/csv", "x"];
    let bearer = format!("Bearer {}", test.token);
    let mut headers = vec![("content-type", types[rng.usize(..types.len())])];
    if rng.u8(..8) > 0 {
        headers.push(("authorization", &bearer));
    }
    if rng.u8(..16) == 0 {
        headers.push(("content-encoding", "gzip"));
    }
    let (path, body) = (path(rng), body(rng));
    let method = METHODS[rng.usize(..METHODS.len())];
    let reply = test.send(&Ask { method, path: &path, headers: &headers, body }).await;
    let reply = reply.unwrap_or_else(|error| {
        panic!("seed {seed}: {method} {path} was not answered: {error}");
    });
    assert!(reply.status < 500, "seed {seed}: {method} {path}: {} {}", reply.status, reply.text());
}

/// Bytes that are hardly HTTP.
async fn noise(test: &Test, rng: &mut Rng) {
    let mut bytes =
        format!("{} {} HTTP/1.1\r\nHost: x\r\n", METHODS[rng.usize(..8)], path(rng)).into_bytes();
    bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    for _ in 0..rng.usize(1..20) {
        let at = rng.usize(..bytes.len());
        bytes[at] = rng.u8(..);
    }
    let mut stream = TcpStream::connect(("127.0.0.1", test.simulator.port())).await.unwrap();
    let _ = stream.write_all(&bytes).await;
    let _ = stream.shutdown().await;
    let _ = stream.read_to_end(&mut Vec::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_ends_or_hurts_it() {
    let test = Test::start("limits: { daily_requests: 1000000000 }\n").await;
    let end = Instant::now() + Duration::from_secs(30);
    let seed = seed();
    let mut rng = Rng::with_seed(seed);
    let mut sent = 0;
    while Instant::now() < end {
        let one = async {
            if rng.u8(..10) == 0 {
                noise(&test, &mut rng).await;
            } else {
                request(&test, &mut rng, seed).await;
            }
        };
        let answered = timeout(Duration::from_secs(30), one).await;
        assert!(answered.is_ok(), "seed {seed}: request {sent} hangs");
        sent += 1;
    }
    assert!(sent > 100, "seed {seed}: only {sent} requests");
    let login =
        test.login("grant_type=client_credentials&client_id=app&client_secret=s3cret").await;
    assert_eq!(login.status, 200, "seed {seed}");
    let counters = test.sim("GET", "/counters", Json::Null).await.json();
    assert_eq!(counters["panics"], 0, "seed {seed}");
}
