//! Files that are right.

use std::path::Path;
use std::time::Duration;

use dipmo_config::load::Source;
use dipmo_config::model::process::Versions;
use dipmo_config::model::source::Extractor;
use dipmo_config::{Colour, Config, Loaded, References, Rejected, Shape, ValueKind};
use serde_json::json;

use crate::environment::Fixed;

/// The texts of all files that are right, by their names.
pub(crate) fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid");
    let mut all: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    all.sort();
    all
}

pub(crate) fn load(text: &str, references: References<'_>) -> Result<Loaded, Box<Rejected>> {
    Config::from_texts(&[Source { name: "dipmo.yaml", text }], references)
}

fn loaded(text: &str) -> Loaded {
    load(text, References::Resolve(&Fixed)).unwrap_or_else(|rejected| {
        panic!("{}", rejected.problems.render(&rejected.files, Colour::Never));
    })
}

fn full() -> Loaded {
    let (_, text) = texts().into_iter().find(|(name, _)| name == "full.yaml").unwrap();
    loaded(&text)
}

#[test]
fn every_valid_file_is_read_without_a_warning() {
    for (name, text) in texts() {
        let warnings = loaded(&text).warnings;
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
    }
}

#[test]
fn without_its_secrets_a_file_can_be_read_for_its_processes() {
    for (name, text) in texts() {
        let kept = load(&text, References::Keep);
        assert!(kept.is_ok(), "{name}: {:?}", kept.err().map(|rejected| rejected.problems));
    }
}

#[test]
fn what_is_written_is_what_is_read() {
    let config = full().config;
    let store = config.store.unwrap();
    assert_eq!(store.postgres.unwrap().expose(), "postgres://dipmo:hush@localhost/dipmo");
    assert_eq!(store.pool.unwrap().get(), 10, "the default of a variable that is not set");
    let kafka = config.kafka.get("default").unwrap();
    let security = kafka.security.as_ref().unwrap();
    assert_eq!(security.password.as_ref().unwrap().expose(), "hush-file", "without the line break");
    let dipmo_config::model::source::Source::Kafka(source) = config.sources.get("ihub").unwrap()
    else {
        panic!("no topics");
    };
    let topics = &source.topics;
    assert_eq!(topics.keys().collect::<Vec<_>>(), ["notification-126", "orders-*"], "in order");
    let rule = topics.get("orders-*").unwrap().aggregate_id.as_ref().unwrap();
    assert!(matches!(rule[0].value, Extractor::Key(_)));
    assert!(matches!(rule[1].value, Extractor::Required(_)));
}

#[test]
fn a_process_is_read_to_its_last_expression() {
    let config = full().config;
    let hit = config.processes.get("HIT").unwrap();
    let versions = hit.versions.as_ref().unwrap();
    let Versions::Contiguous(versions) = &versions.value else { panic!("{versions:?}") };
    assert_eq!(versions.wait.unwrap().value, Duration::from_secs(7_200));
    let received = hit.events.get("NotificationReceived").unwrap();
    let shapes: Vec<_> =
        received.fields.0.iter().map(|it| (it.name.as_str(), it.optional)).collect();
    let expected =
        [("notificationId", false), ("customerId", true), ("tags", false), ("assessment", true)];
    assert_eq!(shapes, expected);
    assert!(matches!(received.fields.get("tags").unwrap().shape, Shape::List(_)));
    assert_eq!(received.upcast.iter().next().unwrap().0.number, 1);
    let cases = hit.on.get("HitAssessed").unwrap();
    assert_eq!(cases[2].when.as_ref().unwrap().text, "data.positive ==\n  event.positive\n");
    assert_eq!(
        hit.states.get("RECEIVED").unwrap().describe.as_ref().unwrap().value,
        "A notification came."
    );
    assert!(hit.states.get("FAILED").unwrap().is_final.unwrap().value);
}

#[test]
fn a_value_is_itself_unless_it_begins_with_an_equals_sign() {
    let config = full().config;
    let hit = config.processes.get("HIT").unwrap();
    let send = &hit.actions.get("announce_qualified").unwrap().send[0];
    let ValueKind::Map(payload) = &send.payload.as_ref().unwrap().kind else { panic!("{send:?}") };
    let value = |name: &str| &payload.iter().find(|(key, _)| key.as_str() == name).unwrap().1.kind;
    assert!(matches!(value("hitId"), ValueKind::Expr(expr) if expr.text == "id"));
    assert!(matches!(value("note"), ValueKind::Literal(text) if *text == json!("=x")));
    let ValueKind::List(parts) = value("parts") else { panic!("{payload:?}") };
    let literal = |kind: &ValueKind| match kind {
        ValueKind::Literal(value) => value.clone(),
        other => panic!("{other:?}"),
    };
    let parts: Vec<_> = parts.iter().map(|part| literal(&part.kind)).collect();
    assert_eq!(parts, [json!(1), json!(2.5), json!(null), json!("yes"), json!("NO")]);
}

#[test]
fn nothing_that_a_reference_stands_for_is_printed() {
    let loaded = full();
    assert!(!format!("{loaded:?}").contains("hush"), "{:?}", loaded.config.kafka);
}
