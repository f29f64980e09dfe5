//! Requests over HTTP: a program that is killed again and again takes each once, and sends each on to its topic.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dipmo_kafka::testing;
use serde_json::Value;

use crate::postgres::Database;
use crate::service::{PATIENCE, Service, file};

const ORDERS: usize = 240;
const CLIENTS: usize = 4;
const TOKEN: &str = "hush-the-token-of-the-shop";

const CONFIG: &str = r#"
dipmo: 1
store: {postgres: "${env:DATABASE_URL}"}
kafka: {default: {brokers: "${env:KAFKA_BROKERS}"}}
sources:
  shop:
    http:
      listen: ${env:HTTP_ADDRESS}
      auth: {tokens: {web: "${env:WEB_TOKEN}"}}
      paths:
        /orders/publish:
          schema: run-requests.schema.json
          aggregate_id: {pointer: /orderId}
          to: KAFKA:{topic}
destinations: {kafka: {}}
"#;

const SCHEMA: &str = r#"{"required": ["orderId"], "properties": {"orderId": {"type": "string"}}}"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_is_killed_while_it_takes_requests_takes_each_once() {
    let database = Database::create().await;
    let (kafka, url) = (testing::options(), database.url());
    let topic = testing::unique_name("requests");
    testing::create(&kafka, &topic, 3, &[]).await;
    file("run-requests.schema.json", SCHEMA);
    let config = file("run-requests.yaml", &CONFIG.replace("{topic}", &topic));
    let overlay = file("run-requests-overlay.yaml", "engine: {workers: {max: 2}}\n");
    let address = free();
    let listen = address.to_string();
    let variables = [
        ("DATABASE_URL", url.as_str()),
        ("KAFKA_BROKERS", kafka.bootstrap_servers.as_str()),
        ("HTTP_ADDRESS", listen.as_str()),
        ("WEB_TOKEN", TOKEN),
    ];
    let start = || {
        let program = Path::new(env!("CARGO_BIN_EXE_dipmo"));
        Service::start_program(program, "consume,process,publish", &[&config, &overlay], &variables)
    };
    let taken = AtomicUsize::new(0);
    let mut service = Some(start());
    tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let taken = &taken;
                    scope.spawn(move || post_all(address, client, taken))
                })
                .collect();
            // Each time that some more were taken, all that it has in its hands is gone.
            for share in 1..=3 {
                let began = Instant::now();
                while taken.load(Ordering::SeqCst) < share * ORDERS / 4 {
                    assert!(began.elapsed() < PATIENCE, "it takes no more");
                    std::thread::sleep(Duration::from_millis(2));
                }
                service.take().unwrap().kill();
                service = Some(start());
            }
            clients.into_iter().for_each(|client| client.join().unwrap());
        });
    });
    let mut service = service.unwrap();
    let client = database.client().await;
    let number = i64::try_from(ORDERS).unwrap();
    let sent = "select count(*) from outbox where status = 'DISPATCHED'";
    service.until_at_least(&client, number, sent).await;
    let (status, body) = ask(address, "GET /orders/publish/requests/K-0-0", "K", "").unwrap();
    assert_eq!(status, 200, "{body}");
    let stands: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&stands["status"], &stands["outcome"]), (&"processed".into(), &"done".into()));
    assert!(!service.has_said(TOKEN), "a secret is told");
    service.ends_well();

    let rows = client.query_one("select count(*) from inbox", &[]).await.unwrap();
    assert_eq!(rows.get::<_, i64>(0), number, "one message for each key");
    let records = tokio::task::block_in_place(|| testing::read_to_end_of(&kafka, &topic));
    let ids: BTreeSet<_> =
        records.iter().map(|it| it.headers.text("message-id").unwrap().to_owned()).collect();
    let orders: BTreeSet<_> = records.iter().map(|it| it.value.clone().unwrap()).collect();
    assert_eq!((ids.len(), orders.len()), (ORDERS, ORDERS), "one record for each, under its id");
    let order = br#"{"orderId":"O-0-0",  "total":1.50}"#;
    assert!(orders.contains(&order[..]), "byte for byte");
}

/// Posts a share of the orders, each until it is taken, and then twice more.
fn post_all(address: SocketAddr, client: usize, taken: &AtomicUsize) {
    for number in 0..ORDERS / CLIENTS {
        let body = format!(r#"{{"orderId":"O-{client}-{number}",  "total":1.50}}"#);
        let key = format!("K-{client}-{number}");
        let (began, mut answered) = (Instant::now(), 0);
        while answered < 3 {
            assert!(began.elapsed() < PATIENCE, "{key} is not taken");
            match ask(address, "POST /orders/publish", &key, &body) {
                Some((202, _)) => answered += 1,
                // Killed, or not up yet, or the database has other things to do.
                None | Some((503, _)) => std::thread::sleep(Duration::from_millis(10)),
                Some((status, said)) => panic!("{status} {said}"),
            }
        }
        taken.fetch_add(1, Ordering::SeqCst);
    }
}

/// What is answered to a request, if anything is.
fn ask(address: SocketAddr, what: &str, key: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let length = body.len();
    let request = format!(
        "{what} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\nidempotency-key: {key}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    Some((status, body.to_owned()))
}

/// An address that nobody has.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
