//! Orders are posted up to three times each, while every part is killed again and again.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio_postgres::Client as Database;

use super::client::Client;
use super::{Shop, TOKEN};
use crate::service::{PATIENCE, Producer, Service, file, free_address};

/// As the example has it; what a killed part held is taken over soon.
const OVERLAY: &str = "
engine: {dispatch: {deadline: 2s, lease: 6s}}
sources: {shop: {properties: {session.timeout.ms: 6000}}}
";

const POSTERS: u32 = 8;
/// How long everybody works between two deaths, at most.
const QUIET: Duration = Duration::from_millis(1_500);
/// A share of the orders is posted before each death, so that a fast machine meets as many as a slow one.
const SHARES: u32 = 6;

fn orders() -> u32 {
    let full = std::env::var("DIPMO_TEST_FULL").as_deref() == Ok("1");
    if full { 50_000 } else { 1_000 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_order_is_one_row_and_one_confirmation_whoever_is_killed() {
    let mut shop = Shop::open().await;
    let brokers = shop.kafka.bootstrap_servers.clone();
    let producer = Producer::new(&brokers);
    producer.send("products", "P-1", &json!({"product": "P-1", "title": "A chair"}));
    producer.flush();
    let client = shop.database.client().await;
    let address = free_address();
    let mut parts = Parts::start(&shop, address);
    parts.0[1].until_at_least(&client, 1, "select count(*) from products").await;

    let (wanted, began) = (orders(), Instant::now());
    let orders = Arc::<Orders>::default();
    let posters = post_all(address, wanted, &orders);
    let mut random = fastrand::Rng::new();
    let mut deaths = 0;
    while !posters.iter().all(JoinHandle::is_finished) || left(&client, wanted).await > 0 {
        assert!(began.elapsed() < PATIENCE * 10, "{} are left", left(&client, wanted).await);
        orders.admit(wanted.div_ceil(SHARES));
        tokio::time::sleep(QUIET.mul_f32(random.f32())).await;
        // One death of the broker is enough: each costs it some seconds.
        if deaths == 4 {
            tokio::task::block_in_place(|| shop.die());
        } else {
            // Each of them once, and then anybody.
            let place = usize::try_from(deaths).unwrap();
            let place = if place < ROLES.len() { place } else { random.usize(..ROLES.len()) };
            parts.dies(place, &shop, address);
        }
        deaths += 1;
    }
    let posted: u32 = posters.into_iter().map(|poster| poster.join().unwrap()).sum();
    assert!(posted > wanted && deaths >= SHARES, "{posted} requests and {deaths} deaths");

    // One that was started just now does not hear of a signal yet.
    parts.0.iter().for_each(Service::until_ready);
    parts.0.into_iter().for_each(Service::ends_well);
    for topic in ["order-requests", "order-processed"] {
        let read = read_by_kcat(&brokers, topic);
        let others: Vec<_> = read.iter().filter(|(_, times)| **times != 1).collect();
        assert!(others.is_empty(), "{topic}: not just once: {others:?}");
        assert_eq!(read.len(), usize::try_from(wanted).unwrap(), "{topic}");
    }
    let rows = client.query_one("select count(*) from orders", &[]).await.unwrap();
    assert_eq!(rows.get::<_, i64>(0), i64::from(wanted));
}

/// How many confirmations are still to come, by the database.
async fn left(client: &Database, wanted: u32) -> i64 {
    let sent = "select count(*) from outbox \
                where status = 'DISPATCHED' and destination = 'KAFKA:order-processed'";
    i64::from(wanted) - client.query_one(sent, &[]).await.unwrap().get::<_, i64>(0)
}

/// Which order is posted next, and how many may be posted so far.
#[derive(Default)]
struct Orders {
    numbers: Mutex<(u32, u32)>,
    more: Condvar,
}

impl Orders {
    fn admit(&self, share: u32) {
        self.numbers.lock().unwrap().1 += share * 3;
        self.more.notify_all();
    }

    /// Each order is given out three times. It waits until it is admitted.
    fn next(&self) -> u32 {
        let numbers = self.numbers.lock().unwrap();
        let mut numbers =
            self.more.wait_while(numbers, |(next, admitted)| next >= admitted).unwrap();
        numbers.0 += 1;
        numbers.0 - 1
    }
}

/// Each order one to three times, beside each other; each poster answers how many it posted.
fn post_all(address: SocketAddr, wanted: u32, orders: &Arc<Orders>) -> Vec<JoinHandle<u32>> {
    let poster = |_| {
        let orders = Arc::clone(orders);
        std::thread::spawn(move || {
            let (mut client, mut posted) = (Client::new(address, TOKEN), 0);
            loop {
                // Neighbours post the same order at about the same time.
                let number = orders.next();
                let order = number / 3;
                if order >= wanted {
                    return posted;
                }
                if !number.is_multiple_of(3) && fastrand::bool() {
                    continue;
                }
                let id = format!("O-{order}");
                let body = json!({"orderId": id, "product": "P-1", "quantity": 1 + order % 9});
                client.post(&format!("key-{order}"), &body);
                posted += 1;
            }
        })
    };
    (0..POSTERS).map(poster).collect()
}

/// Who takes requests, who decides, who sends.
struct Parts([Service; 3]);

const ROLES: [&str; 3] = ["consume", "process", "publish"];

impl Parts {
    fn start(shop: &Shop, address: SocketAddr) -> Self {
        Self(ROLES.map(|role| start(shop, address, role)))
    }

    fn dies(&mut self, place: usize, shop: &Shop, address: SocketAddr) {
        let Self(parts) = self;
        // The next one needs its port.
        parts[place].kill();
        parts[place] = start(shop, address, ROLES[place]);
    }
}

fn start(shop: &Shop, address: SocketAddr, role: &str) -> Service {
    let overlay = file(&format!("run-orders-fire-{role}.yaml"), OVERLAY);
    Service::start_as(role, "orders", &overlay, &shop.variables(&address.to_string()))
}

/// How often each key is in a topic, as a client that others wrote reads what is committed.
fn read_by_kcat(brokers: &str, topic: &str) -> BTreeMap<String, u32> {
    let mut kcat = Command::new("kcat");
    kcat.args(["-q", "-C", "-e", "-b", brokers, "-t", topic, "-f", "%k\n"]);
    let output = kcat.args(["-X", "isolation.level=read_committed"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut times = BTreeMap::new();
    for key in String::from_utf8(output.stdout).unwrap().lines() {
        *times.entry(key.to_owned()).or_default() += 1;
    }
    times
}
