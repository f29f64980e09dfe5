//! A file that has nothing but a leg: no store, and each record once.

use dipmo_kafka::testing;
use serde_json::json;

use crate::service::{Producer, Service, dipmo, file, said};

fn config(from: &str, to: &str) -> String {
    format!(
        "
dipmo: 1
kafka: {{default: {{brokers: '${{env:KAFKA_BROKERS}}'}}}}
legs:
  copy:
    exactly_once: kafka
    group: {from}
    topics: {from}
    cases:
      - when: event.n % 10 == 3
        fail: {{code: THREE}}
      - when: event.n % 2 == 1
        drop: true
      - send: {{to: {to}, key: '=string(event.n)', value: {{twice: =event.n * 2}}}}
"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leg_runs_without_a_store_and_nothing_is_lost_or_doubled() {
    let (from, to) =
        (testing::topic("run-leg-in", 2).await, testing::topic("run-leg-out", 2).await);
    let brokers = testing::brokers();
    let file = file("run-legs.yaml", &config(&from, &to));
    let path = file.display().to_string();
    let asked = |words: &[&str]| {
        let all: Vec<&str> = words.iter().copied().chain(["--config", &path]).collect();
        dipmo(&all).env("KAFKA_BROKERS", &brokers).output().unwrap()
    };
    let checked = asked(&["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}", said(&checked));
    let missing = asked(&["check", "--connect"]);
    assert!(said(&missing).contains(&format!("topic {from}-dlt")), "{}", said(&missing));
    assert_eq!(missing.status.code(), Some(1), "{}", said(&missing));
    testing::create(&testing::options(), &format!("{from}-dlt"), 1, &[]).await;
    let connected = asked(&["check", "--connect"]);
    assert_eq!(connected.status.code(), Some(0), "{}", said(&connected));
    let migrated = asked(&["migrate", "status"]);
    assert!(migrated.status.success() && said(&migrated).contains("no database"));

    let producer = Producer::new(&brokers);
    for number in 0..100 {
        producer.send(&from, &number.to_string(), &json!({ "n": number }));
    }
    producer.flush();
    let overlay = crate::service::file("run-legs-overlay.yaml", "legs: {copy: {grace: 4s}}\n");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_dipmo"));
    let variables =
        [("KAFKA_BROKERS", brokers.as_str()), ("SALESFORCE_CLIENT_SECRET", "nobody-asks")];
    let service = Service::start_program(program, "consume", &[&file, &overlay], &variables);
    service.until_ready();
    let mut sent = testing::read_to_end(&to);
    let began = std::time::Instant::now();
    while sent.len() < 50 || testing::read_to_end(&format!("{from}-dlt")).len() < 10 {
        assert!(began.elapsed() < crate::service::PATIENCE, "{} came", sent.len());
        sent = testing::read_to_end(&to);
    }
    service.ends_well();
    sent = testing::read_to_end(&to);
    let mut values: Vec<u64> = sent
        .iter()
        .map(|record| serde_json::from_slice::<serde_json::Value>(record.value.as_ref().unwrap()))
        .map(|value| value.unwrap()["twice"].as_u64().unwrap())
        .collect();
    values.sort_unstable();
    assert_eq!(values, (0..100).step_by(2).map(|n| n * 2).collect::<Vec<_>>());
    assert_eq!(testing::read_to_end(&format!("{from}-dlt")).len(), 10);
}
