//! The same process in YAML and in Rust, on the same messages: every row of its tables, of the domain, of the inbox
//! and of the outbox is the same, but for times.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod tables;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dipmo_api::Registry;
use dipmo_config::{Config, References};
use dipmo_inbox::{Identity, Inbox as _, NewMessage, Record};
use dipmo_processing::{Engine, Role};
use dipmo_store::{Store as _, Tables};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use hits::HitProcess;
use serde_json::{Value, json};

const TWO_WEEKS: Duration = Duration::from_secs(14 * 24 * 60 * 60);

fn in_rust() -> Registry {
    Registry::new().process(HitProcess::new(TWO_WEEKS)).unwrap()
}

fn in_yaml() -> Registry {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hits/dipmo.yaml");
    let loaded = Config::load(&file, &[], References::Keep).unwrap();
    loaded.check().declared.registry().unwrap()
}

/// The lives of some hits: right ones, wrong ones, repeated and in the wrong order.
fn messages() -> Vec<NewMessage> {
    let mut rng = fastrand::Rng::with_seed(8);
    let mut messages = Vec::new();
    for number in 0..400_i64 {
        let hit = format!("H-{}", rng.u8(..60));
        let (event, payload): (&str, Value) = match rng.u8(..8) {
            0 | 1 => {
                ("NotificationReceived", json!({ "notificationId": "N-1", "clientNumber": "C-1" }))
            }
            2 => (
                "NotificationReceived",
                json!({
                    "eventVersion": 2, "notificationId": "N-1", "assessment": { "positive": rng.bool() },
                }),
            ),
            3 | 4 => ("HitAssessed", json!({ "positive": rng.bool() })),
            5 => ("ReviewCompleted", json!({ "outcome": "harmless" })),
            6 => ("HitAborted", json!({ "notificationId": "N-1", "reason": "mistake" })),
            _ => ("HitForgotten", json!({})),
        };
        let record = Record {
            topic: "notification-126".to_owned(),
            offset: number,
            key: Some(hit.clone().into_bytes()),
            value: Some(payload.to_string().into_bytes()),
            ..Record::default()
        };
        let identity = Identity {
            source_system: "ihub".to_owned(),
            message_id: Some(format!("M-{number}")),
            aggregate_id: Some(hit),
            event_type: Some(event.to_owned()),
            source_version: rng.bool().then(|| rng.i64(1..4)),
            ..Identity::default()
        };
        messages.push(NewMessage::from_record(&record, &identity));
    }
    messages
}

/// Processes all messages on a database of its own; answers every row.
async fn rows(registry: Registry) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.db");
    let store = SqliteStore::open(SqliteOptions::new(&format!("sqlite:{}", file.display())));
    let store = Arc::new(store.await.unwrap());
    let registry = Arc::new(registry);
    store.migrate(&Tables::of(&registry)).await.unwrap();
    store.store(&messages(), &[]).await.unwrap();
    let engine = Engine::new(Arc::clone(&store) as _, registry);
    let stop = engine.stop_token();
    let running = tokio::spawn(async move { engine.run_roles(&[Role::Process]).await });
    tables::until_quiet(&file).await;
    stop.cancel();
    running.await.unwrap();
    drop(store);
    tables::dump(&file)
}

#[tokio::test(flavor = "multi_thread")]
async fn hits_in_yaml_leave_the_rows_of_hits_in_rust() {
    let (rust, yaml) = (rows(in_rust()).await, rows(in_yaml()).await);
    assert!(rust.len() > 500, "only {} rows", rust.len());
    for (one, other) in rust.iter().zip(&yaml) {
        assert_eq!(other, one);
    }
    assert_eq!(rust.len(), yaml.len());
}
