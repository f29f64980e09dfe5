//! A stop while somebody outside does not answer: it ends in time all the same.

use std::time::{Duration, Instant};

use dipmo_kafka::testing::{self, OwnBroker};
use salesforce_sim::{Options, Simulator};
use serde_json::json;
use tokio_postgres::Client;

use crate::door::Door;
use crate::hits::PROCESSED;
use crate::postgres::Database;
use crate::service::{PATIENCE, Producer, Service, file};
use crate::stage::Stage;

/// What the operator was promised.
const IN_TIME: Duration = Duration::from_secs(10);

const FAMILIES: i64 = 1_000;

/// A slice may take 34 s, three of which a lease outlives.
const OVERLAY: &str = "destinations: {salesforce: {default: {call_timeout: 12s}}}\n";

async fn number(client: &Client, query: &str) -> i64 {
    client.query_one(query, &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_while_salesforce_is_slow_settles_what_was_answered_and_leaves_no_lease() {
    let broker = tokio::task::block_in_place(OwnBroker::start);
    let kafka = broker.options();
    testing::create(&kafka, "families", 2, &[]).await;
    let (database, salesforce) =
        (Database::create().await, Simulator::start(Options::default()).await.unwrap());
    let (app, url) = (salesforce.credentials().unwrap(), database.url());
    let variables = [
        ("DATABASE_URL", url.as_str()),
        ("KAFKA_BROKERS", kafka.bootstrap_servers.as_str()),
        ("SALESFORCE_URL", salesforce.url()),
        ("SALESFORCE_CLIENT_ID", &app.client_id),
        ("SALESFORCE_CLIENT_SECRET", &app.client_secret),
    ];
    let producer = Producer::new(&kafka.bootstrap_servers);
    for number in 0..FAMILIES {
        let family = format!("F-{number}");
        let event = json!({"id": family, "familyId": family, "type": "FamilyChanged", "version": 1,
                           "name": family, "status": "Qualified"});
        producer.send("families", &family, &event);
    }
    producer.flush();
    // Some calls are answered, and all later ones take longer than a stop may.
    let delay = json!({"kind": "delay", "delay": "11s"});
    salesforce
        .faults(json!({"rules": [{"when": {"api": "rest"}, "skip": 2, "fault": delay}]}))
        .unwrap();
    let applied = || i64::try_from(salesforce.records("Family__c").unwrap().len()).unwrap();
    let client = database.client().await;
    let overlay = file("run-stopping.yaml", OVERLAY);

    let mut first = Service::start("members", &overlay, &variables);
    first.until_at_least(&client, FAMILIES, PROCESSED).await;
    let began = Instant::now();
    while applied() == 0 {
        assert!(began.elapsed() < PATIENCE, "nothing comes");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let answered = applied();
    first.ends_well();
    let dispatched = "select count(*) from outbox where status = 'DISPATCHED'";
    let settled = number(&client, dispatched).await;
    assert!(settled >= answered, "{answered} were answered, and {settled} are settled");
    assert!(settled < FAMILIES, "it was stopped under load");
    let leased = "select count(*) from outbox_lane where owner is not null";
    assert_eq!(number(&client, leased).await, 0, "leases were not given back");

    salesforce.clear_faults();
    let mut second = Service::start("members", &overlay, &variables);
    second.until_at_least(&client, FAMILIES, dispatched).await;
    second.ends_well();
    assert_eq!(applied(), FAMILIES);
    salesforce.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_while_kafka_stands_still_ends_well() {
    let stage = Stage::set(1).await;
    let client = stage.database.client().await;
    let mut service = Service::start("hits", &file("run-frozen.yaml", "{}\n"), &stage.variables());
    let producer = Producer::new(stage.brokers());
    let event = json!({"id": "H", "hitId": "H", "type": "NotificationReceived", "notificationId": "N",
                       "assessment": {"positive": true}});
    producer.send("notification-126", "H", &event);
    producer.flush();
    service.until_at_least(&client, 1, PROCESSED).await;
    stage.broker.freeze();
    service.ends_well();
    stage.broker.thaw();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_while_the_database_stands_still_is_out_of_time_and_ends_all_the_same() {
    let stage = Stage::set(1).await;
    let client = stage.database.client().await;
    let door = Door::to(&stage.database.url());
    let [_, brokers] = stage.variables();
    let variables = [("DATABASE_URL", door.url.as_str()), brokers];
    let mut service = Service::start("hits", &file("run-stuck.yaml", "{}\n"), &variables);
    service.until_at_least(&client, 0, PROCESSED).await;
    service.until_ready();
    door.shut();
    // At least one of them is a part of the engine: who counts and who looks after health are two.
    door.until_somebody_waits(3).await;
    let (status, took) = service.terminate();
    assert_eq!(status.code(), Some(3));
    assert!(took < IN_TIME, "{took:?}");
}
