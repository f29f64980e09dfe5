//! The example `hits`: events in, rows and events out.

use std::collections::BTreeMap;

use dipmo_kafka::testing::{self, ReadRecord};
use serde_json::json;

use crate::service::{Producer, Service, file};
use crate::stage::Stage;

const HITS: i64 = 1_500;

pub(crate) const PROCESSED: &str = "select count(*) from inbox where status = 'PROCESSED'";

/// Small batches, so that a stop comes between many of them.
const OVERLAY: &str = "
engine: {workers: {max: 2, batch: 100}}
sources: {ihub: {batch: {records: 200}, properties: {session.timeout.ms: 6000}}}
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_under_load_ends_in_time_and_nothing_is_lost() {
    let stage = Stage::set(3).await;
    let variables = stage.variables();
    let overlay = file("run-hits.yaml", OVERLAY);
    let producer = Producer::new(stage.brokers());
    for number in 0..HITS {
        let hit = format!("H-{number}");
        let event = |version: i64, kind: &str| {
            let id = format!("{hit}-{version}");
            json!({"id": id, "hitId": hit, "type": kind, "version": version, "notificationId": "N",
                   "positive": true})
        };
        producer.send("notification-126", &hit, &event(1, "NotificationReceived"));
        producer.send("notification-126", &hit, &event(2, "HitAssessed"));
    }
    producer.flush();
    let client = stage.database.client().await;

    let mut first = Service::start("hits", &overlay, &variables);
    first.until_at_least(&client, 100, "select count(*) from hits").await;
    first.ends_well();
    let left = "select count(*) from hits where status = 'REVIEW_STARTED'";
    let done: i64 = client.query_one(left, &[]).await.unwrap().get(0);
    assert!(done < HITS, "it was stopped under load");

    // Others go on, each with a part of it.
    let start = |roles: &str| Service::start_as(roles, "hits", &overlay, &variables);
    let (reader, publisher, mut second) = (start("consume"), start("publish"), start("process"));
    second.until_at_least(&client, HITS, left).await;
    let sent =
        "select count(*) from outbox where status = 'DISPATCHED' and destination like 'KAFKA:%'";
    second.until_at_least(&client, 2 * HITS, sent).await;
    // With what hits told each other.
    second.until_at_least(&client, 4 * HITS, PROCESSED).await;
    [reader, publisher, second].into_iter().for_each(Service::ends_well);

    let events =
        tokio::task::block_in_place(|| testing::read_to_end_of(&stage.kafka, "hit-events"));
    let told = told(&events);
    assert_eq!(told.len(), usize::try_from(HITS).unwrap());
    for (hit, events) in told {
        assert_eq!(events, ["HitQualified", "ReviewStarted"], "of {hit}");
    }
    let reviews = "select count(*) from reviews where status = 'OPEN'";
    assert_eq!(client.query_one(reviews, &[]).await.unwrap().get::<_, i64>(0), HITS);
    let failed = "select count(*) from inbox where status not in ('PROCESSED')";
    assert_eq!(client.query_one(failed, &[]).await.unwrap().get::<_, i64>(0), 0);
}

/// What was told of each hit, in order; what came again under its id counts once.
pub(crate) fn told(events: &[ReadRecord]) -> BTreeMap<String, Vec<String>> {
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::new();
    for event in events {
        if seen.insert(event.headers.text("message-id").unwrap().to_owned()) {
            let hit = String::from_utf8(event.key.clone().unwrap()).unwrap();
            let kind = event.headers.text("event-type").unwrap().to_owned();
            told.entry(hit).or_default().push(kind);
        }
    }
    told
}
