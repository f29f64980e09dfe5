//! The demo as a user starts it: the binary, its exit code, and what it prints.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

#[cfg(unix)]
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use salesforce_sim::{Options, Simulator};
use serde_json::{Value, json};

/// A folder for temporary files that is empty before, and must be after.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn demo(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dipmo"));
        command.env("TMPDIR", &self.0).arg("demo").args(args);
        command
    }

    fn assert_empty(&self) {
        assert_eq!(std::fs::read_dir(&self.0).unwrap().count(), 0, "something is left behind");
    }
}

/// The object on the last line.
fn ledger(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let last = text.lines().last().unwrap_or_else(|| panic!("nothing was printed: {output:?}"));
    serde_json::from_str(last).unwrap()
}

fn number(ledger: &Value, key: &str) -> u64 {
    ledger[key].as_u64().unwrap_or_else(|| panic!("{key} is not in {ledger}"))
}

/// The ledger has all its figures, they fit each other, and nothing is wrong.
fn assert_balanced(output: &Output) {
    let ledger = ledger(output);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{ledger}\n{stderr}");
    for key in [
        "sent",
        "deduplicated",
        "serde_errors",
        "processed",
        "failed",
        "held",
        "delivered",
        "published",
    ] {
        assert!(number(&ledger, key) > 0, "{key} in {ledger}");
    }
    for key in ["lost", "doubled", "reordered", "unexpected", "waiting"] {
        assert_eq!(number(&ledger, key), 0, "{key} in {ledger}");
    }
    let answered = ["stored", "deduplicated", "conflicts"].map(|key| number(&ledger, key));
    assert_eq!(number(&ledger, "sent"), answered.iter().sum::<u64>());
    let salesforce = &ledger["salesforce"];
    for key in ["intents", "newest", "refused", "writes", "coalesced"] {
        assert!(number(salesforce, key) > 0, "{key} in {ledger}");
    }
    let ended = ["newest", "refused"].map(|key| number(salesforce, key));
    assert_eq!(number(salesforce, "records"), ended.iter().sum::<u64>(), "{ledger}");
    let delivered = number(&ledger, "delivered") + number(salesforce, "intents");
    assert_eq!(number(&ledger, "intents"), delivered, "{ledger}");
    assert_eq!(ledger["ok"], Value::Bool(true));
}

const SHORT: [&str; 6] = ["--duration", "2s", "--rate", "400", "--seed", "126"];

#[test]
fn two_seconds_with_a_kafka_inside_balance_and_leave_nothing() {
    let folder = Folder::new("demo-sqlite");
    let output = folder.demo(&SHORT).arg("--json").output().unwrap();
    assert_balanced(&output);
    let ledger = ledger(&output);
    assert_eq!(
        (&ledger["store"], &ledger["kafka"]),
        (&json!("SQLite"), &json!("Kafka in-process"))
    );
    assert_eq!(ledger["processes"], json!("file"), "the files of the examples are what is played");
    assert!(number(&ledger, "repeated") > 0, "an answer that is lost is a repeat: {ledger}");
    let salesforce = &ledger["salesforce"];
    assert_eq!(ledger["org"], json!("Salesforce in-process"));
    for key in ["redelivered", "calls", "jobs", "faults"] {
        assert!(number(salesforce, key) > 0, "{key} in {ledger}");
    }
    let lines = String::from_utf8(output.stdout).unwrap().lines().count();
    assert_eq!(lines, 1, "--json prints the ledger and nothing else");
    folder.assert_empty();
}

#[test]
fn two_seconds_with_the_processes_in_rust_balance_by_the_same_book() {
    let folder = Folder::new("demo-rust");
    let output = folder.demo(&SHORT).args(["--json", "--processes", "rust"]).output().unwrap();
    assert_balanced(&output);
    assert_eq!(ledger(&output)["processes"], json!("rust"));
    folder.assert_empty();
}

#[test]
fn two_seconds_on_postgresql_balance_and_leave_nothing() {
    let folder = Folder::new("demo-postgres");
    let output = folder.demo(&SHORT).args(["--json", "--postgres", &postgres()]).output().unwrap();
    assert_balanced(&output);
    folder.assert_empty();
}

#[test]
fn two_seconds_with_a_real_kafka_balance_and_leave_no_topic() {
    let folder = Folder::new("demo-kafka");
    let mut demo = folder.demo(&SHORT);
    demo.args(["--json", "--kafka", &kafka()]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = demo.spawn().unwrap();
    let prefix = format!("dipmo-demo-{}-", child.id());
    let output = child.wait_with_output().unwrap();
    assert_balanced(&output);
    assert_eq!(ledger(&output)["kafka"], json!(format!("Kafka at {}", kafka())));
    // A broker takes topics away after it has said so.
    let is_gone = || !topics(&kafka()).iter().any(|topic| topic.starts_with(&prefix));
    let began = Instant::now();
    while !is_gone() {
        assert!(began.elapsed() < Duration::from_secs(20), "{prefix}* is left behind");
        std::thread::sleep(Duration::from_millis(100));
    }
    folder.assert_empty();
}

#[tokio::test]
async fn two_seconds_with_another_salesforce_balance_and_leave_no_record() {
    let salesforce = Simulator::start(Options::default()).await.unwrap();
    let app = salesforce.credentials().unwrap();
    let folder = Folder::new("demo-salesforce");
    let mut demo = folder.demo(&SHORT);
    demo.args(["--json", "--salesforce", salesforce.url()])
        .env("DIPMO_SALESFORCE_CLIENT_ID", app.client_id)
        .env("DIPMO_SALESFORCE_CLIENT_SECRET", app.client_secret);
    // The simulator answers on this runtime, so its thread must not wait.
    let output = tokio::task::spawn_blocking(move || demo.output().unwrap()).await.unwrap();
    assert_balanced(&output);
    let org = format!("Salesforce at {}", salesforce.url());
    assert_eq!(ledger(&output)["org"], json!(org));
    for object in ["Contact", "Block__c", "Family__c"] {
        let records = salesforce.records(object).unwrap();
        assert!(!records.is_empty() && records.iter().all(|record| record.deleted), "{object}");
        let key = records[0].fields["ExternalId__c"].as_str().unwrap();
        assert!(key.starts_with("dipmo-demo-"), "{key} could be somebody else's");
    }
    folder.assert_empty();
}

#[test]
fn a_destination_that_breaks_the_rules_is_found_out() {
    for (sabotage, key) in [("lose", "lost"), ("double", "doubled"), ("reorder", "reordered")] {
        let folder = Folder::new(&format!("demo-{sabotage}"));
        let output = folder.demo(&SHORT).args(["--json", "--sabotage", sabotage]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let ledger = ledger(&output);
        for other in ["lost", "doubled", "reordered", "unexpected"] {
            assert_eq!(number(&ledger, other) > 0, other == key, "{other} in {ledger}");
        }
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("KAFKA:"), "no example is named: {stderr}");
        folder.assert_empty();
    }
}

#[test]
fn people_get_a_table_and_a_verdict() {
    let folder = Folder::new("demo-table");
    let output = folder.demo(&["--duration", "300ms", "--seed", "5"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Nothing lost, nothing doubled, nothing reordered."), "{text}");
    assert!(text.contains("dipmo init --example hits my-pipeline"), "what next? {text}");
    assert!(!text.contains('\x1b'), "no colour where there is no terminal");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_sending_and_still_counts() {
    let folder = Folder::new("demo-interrupt");
    let output = interrupted(&folder, &["delivered"]);
    assert_balanced(&output);
    folder.assert_empty();
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_at_once_and_leaves_nothing() {
    let folder = Folder::new("demo-interrupts");
    let output = interrupted(&folder, &["delivered", "Ctrl-C again"]);
    assert_eq!(output.status.code(), Some(130));
    folder.assert_empty();
}

/// Runs it, and interrupts it each time that one of these has been printed.
#[cfg(unix)]
fn interrupted(folder: &Folder, after: &[&str]) -> Output {
    let mut demo = folder.demo(&["--duration", "10m", "--json", "--seed", "9"]);
    let mut child = demo.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap());
    for words in after {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(progress.read_line(&mut line).unwrap() > 0, "it ended before it was asked to");
        }
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
    }
    let mut stderr = Vec::new();
    progress.read_to_end(&mut stderr).unwrap();
    Output { stderr, ..child.wait_with_output().unwrap() }
}

#[test]
fn what_cannot_run_says_why() {
    let folder = Folder::new("demo-errors");
    for (args, code, words) in [
        (&["--duration", "soon"][..], 2, "write it as 15s, 2m or 500ms"),
        (&["--rate", "0"][..], 2, "1..=100000"),
        (
            &["--postgres", "postgres://nobody@127.0.0.1:1/x"][..],
            2,
            "docs/errors/store-unreachable.md",
        ),
        (&["--kafka", "127.0.0.1:1"][..], 2, "docs/errors/kafka-unreachable.md"),
        (&["--kafka", ""][..], 2, "docs/errors/kafka-property-invalid.md"),
        (&["--postgres", "mysql"][..], 2, "docs/errors/store-url-invalid.md"),
        (
            &["--salesforce", "http://127.0.0.1:1"][..],
            2,
            "DIPMO_SALESFORCE_CLIENT_ID and DIPMO_SALESFORCE_CLIENT_SECRET",
        ),
    ] {
        let output = folder.demo(args).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
    }
    folder.assert_empty();
}

#[test]
fn without_arguments_it_shows_help() {
    let output = Command::new(env!("CARGO_BIN_EXE_dipmo")).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(text.concat().contains("dipmo demo"), "{text:?}");
}

/// A PostgreSQL: `DIPMO_TEST_POSTGRES`, else what `cargo xtask services up` started.
fn postgres() -> String {
    service("DIPMO_TEST_POSTGRES", "postgres-15.json", "url")
}

/// A Kafka: `DIPMO_TEST_KAFKA`, else what `cargo xtask services up` started.
fn kafka() -> String {
    service("DIPMO_TEST_KAFKA", "kafka.json", "bootstrap_servers")
}

/// The address of a service. A test without one fails: a skip would read as passed.
fn service(variable: &str, file: &str, field: &str) -> String {
    if let Ok(address) = std::env::var(variable) {
        return address;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services");
    let state = std::fs::read_to_string(folder.join(file)).unwrap_or_else(|error| {
        panic!("no {file}: run `cargo xtask services up` or set {variable} ({error})")
    });
    let state: Value = serde_json::from_str(&state).unwrap();
    state[field].as_str().unwrap().to_owned()
}

/// The topics that a cluster has.
fn topics(brokers: &str) -> Vec<String> {
    let client: BaseConsumer =
        ClientConfig::new().set("bootstrap.servers", brokers).create().unwrap();
    let metadata = client.fetch_metadata(None, Duration::from_secs(20)).unwrap();
    metadata.topics().iter().map(|topic| topic.name().to_owned()).collect()
}
