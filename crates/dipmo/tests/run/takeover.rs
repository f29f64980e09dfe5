//! An instance is killed with all in its hands: partitions, batches, leases. Others take each over in time.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio_postgres::Client;

use crate::hits::PROCESSED;
use crate::sending::Sending;
use crate::service::{PATIENCE, Service, file};
use crate::stage::Stage;

/// What the overlay says.
const SESSION: Duration = Duration::from_secs(6);
const LEASE: Duration = Duration::from_secs(6);

const OVERLAY: &str = "
engine: {workers: {max: 2, batch: 50}, dispatch: {deadline: 2s, lease: 6s}}
sources: {ihub: {batch: {records: 100}, properties: {session.timeout.ms: 6000}}}
";

const STORED: &str = "select count(*) from inbox where topic = 'notification-126'";
const SENT: &str =
    "select count(*) from outbox where status = 'DISPATCHED' and destination like 'KAFKA:%'";
/// Units that are not delivered, in lanes that somebody holds.
const HELD: &str = "select coalesce(sum(cardinality(r.ids)), 0)::int8 \
                    from outbox_ready r join outbox_lane l using (destination, lane) \
                    where destination like 'KAFKA:%' and l.lease_until > clock_timestamp()";

/// A line of a source that was given a partition.
const ASSIGNED: &str = "a partition is ours";

/// From the death of an instance until others did its work.
#[derive(Debug)]
struct Took {
    consumed: Duration,
    processed: Duration,
    published: Duration,
}

impl Took {
    fn is_in_time(&self) -> bool {
        self.consumed <= SESSION + Duration::from_secs(2)
            && self.processed <= Duration::from_secs(5)
            && self.published <= LEASE + Duration::from_secs(1)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_instance_held_is_taken_over_in_time() {
    let mut late = Vec::new();
    // A machine with other work is late now and then; whoever waits for the wrong thing is late each time.
    for _ in 0..3 {
        let took = taken_over().await;
        if took.is_in_time() {
            return;
        }
        late.push(took);
    }
    panic!("too late: {late:?}");
}

/// Kills an instance in mid-work; nothing is lost or doubled by it.
async fn taken_over() -> Took {
    // One partition: whoever has it has all, and another one waits.
    let stage = Stage::set(1).await;
    let variables = stage.variables();
    let overlay = file("run-takeover.yaml", OVERLAY);
    let start = |roles: &str| Service::start_as(roles, "hits", &overlay, &variables);
    let client = stage.database.client().await;

    let mut first = start("consume,process,publish");
    let sending = Sending::start(stage.brokers());
    first.until_at_least(&client, 200, SENT).await;
    let mut second = start("consume,process");
    second.until_ready();
    // A courier without work gives its leases back: kill it while it has some, and units in them.
    loop {
        first.signal(Signal::STOP);
        if number(&client, HELD).await > 0 {
            break;
        }
        first.signal(Signal::CONT);
        first.until_at_least(&client, 1, HELD).await;
    }
    assert!(first.has_said(ASSIGNED), "it has the partition");
    assert!(!second.has_said(ASSIGNED), "and nobody else has");
    first.kill();
    let (killed, stored) = (Instant::now(), number(&client, STORED).await);
    let third = start("publish");
    let at = client.query_one("select clock_timestamp()::text", &[]).await.unwrap();
    let at: String = at.get(0);

    let left = |table: &str, done: &str, time: &str| {
        format!(
            "select not exists (select from {table} where status <> '{done}' and {time} < '{at}')"
        )
    };
    let (consumed, processed, published) = tokio::join!(
        until(&client, killed, format!("select ({STORED}) > {stored}")),
        until(&client, killed, left("inbox", "PROCESSED", "received_at")),
        until(&client, killed, left("outbox", "DISPATCHED", "created_at")),
    );
    assert!(second.has_said(ASSIGNED), "it was taken over");

    let hits = sending.stop();
    second.until_at_least(&client, hits, STORED).await;
    second.until_at_least(&client, 2 * hits, SENT).await;
    second.until_at_least(&client, 3 * hits, PROCESSED).await;
    second.ends_well();
    third.ends_well();
    assert_eq!(number(&client, "select count(*) from inbox").await, 3 * hits);
    assert_eq!(number(&client, "select count(*) from reviews").await, hits);
    Took { consumed, processed, published }
}

async fn number(client: &Client, query: &str) -> i64 {
    client.query_one(query, &[]).await.unwrap().get(0)
}

/// Waits until a query finds that something is so; answers how long after a moment that was.
async fn until(client: &Client, since: Instant, query: String) -> Duration {
    while !client.query_one(&query, &[]).await.unwrap().get::<_, bool>(0) {
        assert!(since.elapsed() < PATIENCE, "it is never so: {query}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    since.elapsed()
}
