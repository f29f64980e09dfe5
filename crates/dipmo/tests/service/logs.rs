//! A log as a process writes it to its standard error: lines of JSON with ids, and no payload,
//! whatever processes and publishers say of what they were given.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use dipmo::service::logs::{Format, Style, install, subscriber, targets};
use dipmo_api::Registry;
use dipmo_domain::{InboxStatus, OutboxStatus};
use dipmo_inbox::Inbox as _;
use dipmo_processing::{Engine, EngineOptions};
use dipmo_store::{Inspect as _, Store as _, Tables};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use serde_json::Value;

use crate::leaky::{Leaky, message};

/// Set in the process that logs.
const CHILD: &str = "DIPMO_TEST_LOGS";
const SECRET: &str = "CH93-0076-2011";
/// What becomes of a message; the last ones by their publisher.
const HOW: [&str; 6] = ["reject", "retry", "panic", "take", "refuse", "shout"];

#[test]
fn no_payload_is_logged_and_the_ids_of_what_failed_are() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "logs::no_payload_is_logged_and_the_ids_of_what_failed_are"])
        .arg("--nocapture")
        .env(CHILD, "1")
        .env("DIPMO_LOG", "trace")
        .output()
        .unwrap();
    let (said, printed) = (text(&child.stderr), text(&child.stdout));
    assert!(child.status.success(), "{said}{printed}");
    assert!(!said.contains(SECRET), "{said}");
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let failed = |id: &str| {
        let told = lines.iter().filter(|line| line["fields"].get(id).is_some());
        let code = |line: &Value| line["fields"]["code"].as_str().unwrap().to_owned();
        let mut codes: Vec<String> = told.map(code).collect();
        codes.sort_unstable();
        codes
    };
    assert_eq!(failed("inbox_id"), ["LEAKY", "process-panicked"]);
    assert_eq!(failed("outbox_id"), ["LEAKY", "publisher-panicked"]);
    let panics = lines.iter().filter(|line| line["fields"]["message"] == "a panic");
    let place = |line: &Value| line["fields"]["place"].as_str().unwrap().contains("leaky.rs:");
    assert!(panics.clone().count() >= 2 && panics.clone().all(place), "{said}");
}

/// The process that logs.
#[tokio::main]
async fn child() {
    install(None, None).unwrap();
    assert!(install(None, None).is_err(), "once is enough");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("logs.db");
    for suffix in ["", "-wal", "-shm"] {
        // Of an earlier run; there is none the first time.
        drop(std::fs::remove_file(format!("{}{suffix}", file.display())));
    }
    let options = SqliteOptions::new(&format!("sqlite:{}", file.display()));
    let store = Arc::new(SqliteStore::open(options).await.unwrap());
    let registry = Registry::new().process(Leaky).unwrap();
    store.migrate(&Tables::of(&registry)).await.unwrap();
    let messages: Vec<_> = (1..).zip(HOW).map(|(n, how)| message(n, how, SECRET)).collect();
    store.store(&messages, &[]).await.unwrap();
    let mut options = EngineOptions::default();
    let backoff = "fixed(1ms, 1)".parse().unwrap();
    options.worker.retry.backoff = backoff;
    options.dispatch.retry.backoff = backoff;
    let engine = Engine::new(Arc::<SqliteStore>::clone(&store), registry).options(options);
    let engine = engine.publisher("KAFKA:*", Arc::new(Leaky));
    let stop = engine.stop_token();
    let running = tokio::spawn(engine.run());
    tokio::time::timeout(Duration::from_secs(60), until_all_ended(&store)).await.unwrap();
    stop.cancel();
    running.await.unwrap();
}

async fn until_all_ended(store: &SqliteStore) {
    loop {
        let (inbox, outbox) = (store.inbox_rows(100), store.outbox_rows(100));
        let (inbox, outbox) = (inbox.await.unwrap(), outbox.await.unwrap());
        let done = [InboxStatus::Processed, InboxStatus::Failed];
        let sent = [OutboxStatus::Dispatched, OutboxStatus::Failed];
        if inbox.iter().all(|row| done.contains(&row.status))
            && outbox.len() == 4
            && outbox.iter().all(|row| sent.contains(&row.status))
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// One line in a format.
fn line(format: Format, has_colour: bool) -> String {
    let written = Arc::new(std::sync::Mutex::new(Vec::new()));
    let style = Style { format, has_colour };
    let to = Arc::clone(&written);
    let subscriber = subscriber(style, targets("info").unwrap(), move || Shared(Arc::clone(&to)));
    tracing::subscriber::with_default(subscriber, || {
        tracing::info!(target: "dipmo", inbox_id = 7, "it came");
        tracing::debug!(target: "dipmo", "nobody reads this");
    });
    text(&written.lock().unwrap())
}

#[test]
fn a_line_is_for_people_or_for_machines() {
    let json: Value = serde_json::from_str(&line(Format::Json, true)).unwrap();
    assert_eq!(json["level"], "INFO");
    assert_eq!(json["fields"]["inbox_id"], 7);
    assert!(json["timestamp"].as_str().unwrap().ends_with('Z'));
    let plain = line(Format::Pretty, false);
    assert!(plain.ends_with("INFO dipmo: it came inbox_id=7\n"), "{plain}");
    assert!(!plain.contains('\x1b'), "{plain:?}");
    assert!(line(Format::Pretty, true).contains('\x1b'));
}

struct Shared(Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
