//! What operators pause rests on every instance, also on those that start after a death, and loses nothing.

use std::time::{Duration, Instant};

use dipmo_kafka::testing::{self, OwnBroker};
use salesforce_sim::{Options, Simulator};
use serde_json::{Value, json};
use tokio_postgres::Client;

use crate::hits::told;
use crate::postgres::Database;
use crate::service::{PATIENCE, Producer, Service, dipmo, example, file, said};
use crate::stage::Stage;

const HITS: i64 = 200;

const OVERLAY: &str = "sources: {ihub: {properties: {session.timeout.ms: 6000}}}\n";

const TO: &str = "KAFKA:hit-events";
/// What is to go there, and what of it was sent or tried.
const WAITING: &str = "select count(*) from outbox where destination = 'KAFKA:hit-events'";
const TOUCHED: &str = "select count(*) from outbox where destination = 'KAFKA:hit-events' \
                       and (status <> 'PENDING' or attempts > 0)";
const SENT: &str = "select count(*) from outbox where destination = 'KAFKA:hit-events' \
                    and status = 'DISPATCHED'";
const STORED: &str = "select count(*) from inbox where topic = 'notification-126'";

fn send(stage: &Stage, numbers: std::ops::Range<i64>) {
    let producer = Producer::new(stage.brokers());
    for number in numbers {
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
}

/// What the command line answers, on the database itself.
fn types(stage: &Stage, words: &[&str]) -> Value {
    types_in("hits", &stage.variables(), words)
}

fn types_in(name: &str, variables: &[(&str, &str)], words: &[&str]) -> Value {
    let config = example(name).display().to_string();
    let mut command = dipmo(&[words, &["--config", &config, "--output", "json"]].concat());
    let answer = command.envs(variables.iter().copied()).output().unwrap();
    assert_eq!(answer.status.code(), Some(0), "{words:?}: {}", said(&answer));
    serde_json::from_slice(&answer.stdout).unwrap()
}

async fn count(client: &Client, query: &str) -> i64 {
    client.query_one(query, &[]).await.unwrap().get(0)
}

/// Waits until all of them have said something.
async fn until_said(services: &[&Service], words: &str) {
    let began = Instant::now();
    while !services.iter().all(|service| service.has_said(words)) {
        assert!(began.elapsed() < PATIENCE, "not all said {words}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until an instance shows that something rests, and is ready all the same.
fn until_rests(service: &Service, about: &str) {
    let rests =
        |it: &dipmo::service::Asked| it.body.contains(about) && it.body.contains("paused by");
    service.until_told("/health", rests);
    service.until_ready();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_destination_gets_nothing_through_deaths_and_all_of_it_once_resumed() {
    let stage = Stage::set(3).await;
    let (variables, overlay) = (stage.variables(), file("run-pausing.yaml", OVERLAY));
    let client = stage.database.client().await;
    let start = || Service::start("hits", &overlay, &variables);
    let (mut one, mut two) = (start(), start());
    one.until_at_least(&client, 0, STORED).await;
    two.until_ready();
    let paused = types(&stage, &["destination", "pause", TO, "--reason", "INC-17"]);
    assert_eq!((&paused["changed"], &paused["paused"]["reason"]), (&true.into(), &"INC-17".into()));
    until_said(&[&one, &two], "destination KAFKA:hit-events").await;
    send(&stage, 0..HITS);
    one.until_at_least(&client, 2 * HITS, WAITING).await;
    until_rests(&one, TO);
    until_rests(&two, TO);
    assert_eq!(count(&client, TOUCHED).await, 0, "something was sent or tried");

    one.kill();
    two.kill();
    let (mut one, two) = (start(), start());
    until_rests(&one, TO);
    until_rests(&two, TO);
    assert_eq!(count(&client, TOUCHED).await, 0, "a restart sent something");
    let listed = types(&stage, &["destination", "list"]);
    assert_eq!(listed["paused"]["destinations"][TO]["reason"], "INC-17");
    assert_eq!(listed["outbox"][TO]["ready"], 2 * HITS);

    types(&stage, &["destination", "resume", TO, "--reason", "it is well again"]);
    one.until_at_least(&client, 2 * HITS, SENT).await;
    [one, two].into_iter().for_each(Service::ends_well);
    let events =
        tokio::task::block_in_place(|| testing::read_to_end_of(&stage.kafka, "hit-events"));
    assert_eq!(events.len(), usize::try_from(2 * HITS).unwrap(), "each once");
    for (hit, events) in told(&events) {
        assert_eq!(events, ["HitQualified", "ReviewStarted"], "of {hit}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_source_stays_in_its_group_and_takes_nothing_until_it_is_resumed() {
    let stage = Stage::set(3).await;
    let (variables, overlay) = (stage.variables(), file("run-pausing-source.yaml", OVERLAY));
    let client = stage.database.client().await;
    let mut service = Service::start("hits", &overlay, &variables);
    send(&stage, 0..1);
    service.until_at_least(&client, 2, STORED).await;
    types(&stage, &["source", "pause", "ihub", "--reason", "INC-17"]);
    service.until_told("/health", |it| it.body.contains("source-paused"));
    service.until_ready();
    send(&stage, 1..HITS);
    service.kill();
    let mut service = Service::start("hits", &overlay, &variables);
    service.until_told("/health", |it| it.body.contains("source-paused"));
    until_said(&[&service], "a partition is ours").await;
    service.until_ready();
    assert_eq!(count(&client, STORED).await, 2, "it took something");
    let listed = types(&stage, &["source", "list"]);
    assert_eq!(listed["rows"][0]["paused"]["reason"], "INC-17");
    types(&stage, &["source", "resume", "ihub", "--reason", "it is well again"]);
    service.until_at_least(&client, 2 * HITS, STORED).await;
    service.ends_well();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_breaker_that_an_operator_opened_stays_open_through_a_death_until_one_closes_it() {
    const TO: &str = "HTTP:SFDC:Collections:Family__c";
    let broker = tokio::task::block_in_place(OwnBroker::start);
    let kafka = broker.options();
    testing::create(&kafka, "families", 1, &[]).await;
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
    let (overlay, client) = (file("run-breaker.yaml", "dipmo: 1\n"), database.client().await);
    let says = |words: &[&str]| {
        types_in(
            "members",
            &variables,
            &[&["destination"], words, &["--reason", "INC-17"]].concat(),
        )
    };
    let mut service = Service::start("members", &overlay, &variables);
    service.until_ready();
    says(&["rate", TO, "--per-second", "3"]);
    assert_eq!(says(&["breaker", TO, "open"])["changed"], true);
    until_said(&[&service], "\"what\":\"breaker\"").await;
    assert!(service.has_said("\"what\":\"rate\""));
    let producer = Producer::new(&kafka.bootstrap_servers);
    let event = json!({"id": "E", "familyId": "F", "type": "FamilyChanged", "version": 1, "name": "F",
                       "status": "Qualified"});
    producer.send("families", "F", &event);
    producer.flush();
    let held = |it: &dipmo::service::Asked| it.body.contains("the breaker was opened by hand");
    service.until_told("/health", held);
    service.kill();
    let mut service = Service::start("members", &overlay, &variables);
    service.until_told("/health", held);
    let query = format!(
        "select count(*) from outbox where destination = '{TO}' and attempts = 0 and status = 'PENDING'"
    );
    assert_eq!(count(&client, &query).await, 1, "it was sent or tried");
    let listed = types_in("members", &variables, &["destination", "list"]);
    assert_eq!(listed["valves"]["breakers"][TO]["state"], "open");
    assert_eq!(listed["valves"]["rates"][TO]["per_second"], 3);
    says(&["breaker", TO, "close"]);
    let sent =
        format!("select count(*) from outbox where destination = '{TO}' and status = 'DISPATCHED'");
    service.until_at_least(&client, 1, &sent).await;
    service.ends_well();
    salesforce.stop().await;
}
