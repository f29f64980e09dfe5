//! `dipmo check` as a person runs it: what it says, and how it ends.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn check(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dipmo"));
    command.arg("check").args(args).current_dir(folder);
    // The names that the examples use, as nobody has set them.
    for name in ["SALESFORCE_URL", "SALESFORCE_CLIENT_ID", "SALESFORCE_CLIENT_SECRET"] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with a file of this text.
fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("dipmo.yaml"), text).unwrap();
    folder
}

#[test]
fn a_file_that_is_right_is_said_to_be() {
    let ended = check(&example("hits"), &[]);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    let said = text(&ended.stdout);
    assert!(said.starts_with("dipmo.yaml is right: 1 source, 2 tables, 1 process,"), "{said}");
    assert!(ended.stderr.is_empty());
}

#[test]
fn a_secret_that_is_missing_is_wrong_unless_it_is_left_out() {
    let ended = check(&example("members"), &[]);
    assert_eq!(ended.status.code(), Some(1));
    let said = text(&ended.stderr);
    assert!(said.contains("config-secret-missing") && said.contains("SALESFORCE_URL"), "{said}");
    let ended = check(&example("members"), &["--without-secrets"]);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
}

#[test]
fn what_is_wrong_has_its_place_in_text_and_in_json() {
    let wrong = std::fs::read_to_string(example("hits").join("dipmo.yaml")).unwrap();
    let wrong = wrong.replacen("event.assessment.positive", "event.assessment.positiv", 1);
    let line = wrong.lines().position(|line| line.ends_with("assessment.positiv")).unwrap() + 1;
    let folder = folder(&wrong);
    let ended = check(folder.path(), &[]);
    assert_eq!(ended.status.code(), Some(1));
    let said = text(&ended.stderr);
    assert!(said.contains(&format!("dipmo.yaml:{line}:")), "{said}");
    assert!(said.contains("did you mean `positive`?"), "{said}");
    let ended = check(folder.path(), &["--output", "json"]);
    let said: Value = serde_json::from_slice(&ended.stdout).unwrap();
    let problem = &said["problems"][0];
    assert_eq!(problem["code"], "config-expression-invalid", "{said}");
    assert_eq!(ended.status.code(), Some(1));
}

#[test]
fn a_file_that_is_not_there_could_not_be_checked() {
    let folder = tempfile::tempdir().unwrap();
    let ended = check(folder.path(), &[]);
    assert_eq!(ended.status.code(), Some(2));
    assert!(text(&ended.stderr).contains("dipmo.yaml cannot be read"));
}

#[test]
fn an_overlay_changes_what_is_checked() {
    let folder = folder(&std::fs::read_to_string(example("hits").join("dipmo.yaml")).unwrap());
    let overlay = "processes: {HIT: {initial: NOWHERE}}\n";
    std::fs::write(folder.path().join("prod.yaml"), overlay).unwrap();
    let ended = check(folder.path(), &["--overlay", "prod.yaml"]);
    assert_eq!(ended.status.code(), Some(1));
    let said = text(&ended.stderr);
    assert!(
        said.contains("there is no state `NOWHERE`") && said.contains("prod.yaml:1:"),
        "{said}"
    );
}

#[test]
fn a_diagram_has_the_states_and_what_leads_to_them() {
    let ended = check(&example("hits"), &["--diagram"]);
    assert_eq!(ended.status.code(), Some(0));
    let said = text(&ended.stdout);
    for line in [
        "%% HIT",
        "stateDiagram-v2",
        "[*] --> RECEIVED",
        "HIT_CREATED --> QUALIFIED_POSITIVE: qualifyHit(positive)",
        "REVIEW_STARTED --> COMPLETED: reviewCompleted()",
    ] {
        assert!(said.lines().any(|said| said.trim() == line), "{line} is not in {said}");
    }
}

const RECORDS: &str = r#"
{"topic":"notification-126","key":"H-1","value":{"id":"M-1","hitId":"H-1","type":"NotificationReceived","eventVersion":2,"notificationId":"N-1"}}
{"topic":"notification-126","key":"H-1","value":{"id":"M-1","hitId":"H-1","type":"NotificationReceived","eventVersion":2,"notificationId":"N-1"}}
{"topic":"notification-126","key":"H-1","value":{"id":"M-2","hitId":"H-1","type":"HitAssessed","positive":true}}
{"topic":"notification-126","key":"H-1","value":{"id":"M-3","hitId":"H-1","type":"HitAssessed","positive":"perhaps"}}
{"topic":"notification-126","key":"H-1","value":"{"}
{"topic":"elsewhere","value":{"type":"Unheard"}}
"#;

#[test]
fn a_dry_run_shows_what_each_record_would_do_after_those_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("events.ndjson");
    std::fs::write(&records, RECORDS.trim_start()).unwrap();
    let records = records.display().to_string();
    let ended = check(&example("hits"), &["--dry-run", &records]);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    let said = text(&ended.stdout);
    for part in [
        "1: NotificationReceived of notification-126 → HIT H-1: RECEIVED → HIT_CREATED",
        "2: NotificationReceived of notification-126 → came before as record 1",
        "3: HitAssessed of notification-126 → HIT H-1: HIT_CREATED → QUALIFIED_POSITIVE → REVIEW_STARTED",
        "sends HitQualified to KAFKA:hit-events {\"hitId\":\"H-1\",\"positive\":true}",
        "sets the timer review-overdue: ReviewOverdue after 1209600s",
        "4: HitAssessed of notification-126 → FAILED payload-unparsable",
        "→ SERDE_ERROR",
        "6: no event type of elsewhere → IGNORED",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let ended = check(&example("hits"), &["--dry-run", &records, "--output", "json"]);
    let third: Value = serde_json::from_str(text(&ended.stdout).lines().nth(2).unwrap()).unwrap();
    assert_eq!(third["path"], serde_json::json!(["QUALIFIED_POSITIVE", "REVIEW_STARTED"]));
}

#[test]
fn a_line_that_is_no_record_is_named_and_the_others_are_tried() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("events.ndjson");
    std::fs::write(&records, "{\"topc\": 1}\n{\"topic\":\"elsewhere\"}\n").unwrap();
    let records = records.display().to_string();
    let ended = check(&example("hits"), &["--dry-run", &records]);
    assert_eq!(ended.status.code(), Some(1));
    assert!(text(&ended.stderr).contains("events.ndjson:1: this is no record"));
    assert!(text(&ended.stdout).contains("2: "));
}
