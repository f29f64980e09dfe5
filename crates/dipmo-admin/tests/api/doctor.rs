//! The doctor: all is well with what is well, and each line is seen to fail when its thing is really broken.

use std::collections::BTreeSet;
use std::time::Duration;

use dipmo_admin::{AppOptions, DoorKind, Expected, Promise, Promises, Role, Target};
use dipmo_domain::{Json, Timestamp};
use dipmo_store::Store as _;
use dipmo_store::admin::{Fleet as _, InstanceReport, Objective, Slo as _, SloCount};
use serde_json::{Value, json};

use crate::rig::{CANARY, Rig};
use crate::routes::begun;

const DAY: Duration = Duration::from_secs(24 * 3_600);

const EXPECTED: Expected = Expected {
    consumes: true,
    history: Some(Duration::from_secs(90 * 24 * 3_600)),
    message_ids: None,
    door: DoorKind::Local,
};

/// An instance that plays these roles, whose clock is so many seconds ahead.
async fn tells(rig: &Rig, name: &str, version: &str, roles: &str, ready: bool, ahead: u64) {
    let clock = rig.store.now().await.unwrap().after(Duration::from_secs(ahead));
    let reasons = json!([{"name": "store-away", "about": "store"}]);
    let reasons = if ready { json!([]) } else { reasons };
    let report = json!({"ready": ready, "reasons": reasons, "clock": clock.to_string()});
    let told = InstanceReport {
        name: name.to_owned(),
        version: version.to_owned(),
        roles: roles.to_owned(),
        report: Json::of(&report).unwrap(),
    };
    rig.store.report(&told).await.unwrap();
}

/// A system in which all is well.
async fn well(expected: Option<Expected>) -> Rig {
    let promise = Promise { objective: Objective::Processed, target: Target::of(0.9).unwrap() };
    let promises = Some(Promises { window: 30 * DAY, all: vec![promise] });
    let rig = Rig::with(AppOptions { expected, promises, ..AppOptions::default() }).await;
    let kept = SloCount { name: Objective::Processed.name(), good: 100, total: 100 };
    rig.store.add_slo(&[kept]).await.unwrap();
    tells(&rig, "a", "1.0.0", "consume,process,publish", true, 0).await;
    rig.by_hand("UPDATE dipmo_token SET expires_at = created_at + 90 * 86400000000");
    rig
}

async fn examined(rig: &Rig) -> Value {
    rig.get(Role::Viewer, "/doctor").await.is(200).clone()
}

async fn line(rig: &Rig, check: &str) -> Value {
    let examined = examined(rig).await;
    let lines = examined["lines"].as_array().unwrap();
    let line = lines.iter().find(|line| line["check"] == check);
    line.unwrap_or_else(|| panic!("no line {check}: {examined}")).clone()
}

/// What is done to a system that is well.
enum Harm {
    Sql(&'static str),
    /// Messages came of which some failed, and then this.
    Lived(&'static str),
    Instance(&'static str, &'static str, bool, u64),
    Alone,
    OperationAlone,
    Expect(Expected),
}

/// How each check is broken, and what it says then. `months` needs a store that has some: its verdicts are tested where
/// they are made.
const BROKEN: [(&str, &str, Harm); 22] = [
    (
        "schema",
        "FAIL",
        Harm::Sql(
            "DELETE FROM dipmo_migration WHERE version = (SELECT max(version) FROM dipmo_migration)",
        ),
    ),
    ("schema", "WARN", Harm::Sql("INSERT INTO dipmo_migration SELECT 999, 'newer', 'x', 0, 0")),
    ("instances", "FAIL", Harm::Alone),
    ("versions", "WARN", Harm::Instance("1.1.0", "all", true, 0)),
    ("roles", "FAIL", Harm::Instance("1.0.0", "process", true, 0)),
    ("health", "FAIL", Harm::Instance("1.0.0", "process", false, 0)),
    ("clock", "WARN", Harm::Instance("1.0.0", "process", true, 20)),
    ("clock", "FAIL", Harm::Instance("1.0.0", "process", true, 90)),
    (
        "backlog",
        "FAIL",
        Harm::Lived(
            "UPDATE inbox_log SET received_at = received_at - 600000000; INSERT INTO inbox_ready (queue, lane, chunk, id) SELECT '', lane, id, id FROM inbox_log LIMIT 1",
        ),
    ),
    ("failed", "FAIL", Harm::Lived("")),
    (
        "failed",
        "WARN",
        Harm::Lived("UPDATE dipmo_failure_group SET last_seen = last_seen - 3600000000"),
    ),
    ("undecodable", "WARN", Harm::Lived("")),
    ("blocked", "WARN", Harm::Lived("")),
    (
        "blocked",
        "FAIL",
        Harm::Lived("UPDATE inbox_exception SET logged_at = logged_at - 600000000"),
    ),
    (
        "retrying",
        "WARN",
        Harm::Lived(
            "UPDATE inbox_exception SET status = 'RETRY', held = 0, logged_at = logged_at - 600000000 WHERE held = 1",
        ),
    ),
    (
        "lanes",
        "FAIL",
        Harm::Lived(
            "UPDATE outbox_record_log SET created_at = created_at - 600000000; INSERT INTO outbox_ready (queue, lane, chunk, id) SELECT destination, 0, id, id FROM outbox_record_log LIMIT 1; UPDATE outbox_lane SET owner = 'gone', lease_until = 1",
        ),
    ),
    (
        "jobs",
        "FAIL",
        Harm::Sql(
            "INSERT INTO outbox_job (id, destination, phase, units, created_at, phase_at) VALUES (1, 'KAFKA:out', 'GIVEN', 1, 1, 1)",
        ),
    ),
    ("operations", "FAIL", Harm::OperationAlone),
    ("incidents", "WARN", Harm::Lived("")),
    ("slo", "WARN", Harm::Sql("UPDATE dipmo_slo SET good = 94")),
    ("slo", "FAIL", Harm::Sql("UPDATE dipmo_slo SET good = 89")),
    ("audit", "FAIL", Harm::Sql("DROP TRIGGER dipmo_audit_not_changed")),
];

/// The same, of what the configuration or tokens say.
const BROKEN_BY_FILE: [(&str, &str, Harm); 4] = [
    ("retention", "WARN", Harm::Expect(Expected { history: None, ..EXPECTED })),
    ("dedupe", "FAIL", Harm::Expect(Expected { message_ids: Some(DAY), ..EXPECTED })),
    ("door", "WARN", Harm::Expect(Expected { door: DoorKind::PlainText, ..EXPECTED })),
    ("tokens", "WARN", Harm::Sql("UPDATE dipmo_token SET expires_at = NULL")),
];

async fn harmed(harm: &Harm) -> Rig {
    let rig = match harm {
        Harm::Expect(expected) => well(Some(*expected)).await,
        _ => well(Some(EXPECTED)).await,
    };
    match harm {
        Harm::Sql(sql) => rig.by_hand(sql),
        Harm::Lived(sql) => {
            rig.live().await;
            rig.by_hand(sql);
        }
        Harm::Instance(version, roles, ready, ahead) => {
            if *roles != "all" {
                rig.store.sign_off("a").await.unwrap();
            }
            tells(&rig, "b", version, roles, *ready, *ahead).await;
        }
        Harm::Alone => rig.store.sign_off("a").await.unwrap(),
        Harm::OperationAlone => {
            rig.live().await;
            begun(&rig).await;
            rig.store.sign_off("a").await.unwrap();
        }
        Harm::Expect(_) => {}
    }
    rig
}

#[tokio::test(flavor = "multi_thread")]
async fn all_is_well_and_each_line_says_what_was_looked_at() {
    let rig = well(Some(EXPECTED)).await;
    let examined = examined(&rig).await;
    assert_eq!(examined["verdict"], "OK", "{examined:#}");
    let lines = examined["lines"].as_array().unwrap();
    for line in lines {
        assert_eq!((&line["verdict"], &line["next"]), (&json!("OK"), &Value::Null), "{line}");
        assert!(!line["evidence"].as_str().unwrap().is_empty(), "{line}");
    }
    let names = |names: &mut dyn Iterator<Item = &str>| -> BTreeSet<String> {
        names.map(str::to_owned).collect()
    };
    let all = names(&mut lines.iter().map(|line| line["check"].as_str().unwrap()));
    let broken = BROKEN.iter().chain(&BROKEN_BY_FILE).map(|(check, _, _)| *check);
    assert_eq!(all, names(&mut broken.chain(["months"])), "each check is broken by a test");
    assert_eq!(all.len(), lines.len(), "each has one line");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_check_is_seen_to_fail_and_says_what_to_do() {
    for (check, verdict, harm) in BROKEN.iter().chain(&BROKEN_BY_FILE) {
        let rig = harmed(harm).await;
        let line = line(&rig, check).await;
        assert_eq!(line["verdict"], *verdict, "{line}");
        assert!(!line["next"].as_str().unwrap().is_empty(), "{line}");
        assert!(!line.to_string().contains(CANARY), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_told_is_not_called_well() {
    let rig = well(None).await;
    for check in ["slo", "retention", "dedupe", "door"] {
        assert_eq!(line(&rig, check).await["verdict"], "UNKNOWN", "{check}");
    }
    rig.by_hand("DROP TABLE dipmo_instance");
    for check in ["instances", "versions", "roles", "health", "clock"] {
        let line = line(&rig, check).await;
        assert_eq!(line["verdict"], "UNKNOWN", "{line}");
        assert!(line["evidence"].as_str().unwrap().starts_with("could not be told: "), "{line}");
    }
    assert_eq!(examined(&rig).await["verdict"], "UNKNOWN");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_was_not_heard_of_counts_as_gone() {
    let rig = well(Some(EXPECTED)).await;
    tells(&rig, "b", "1.0.0", "publish", true, 0).await;
    rig.by_hand("UPDATE dipmo_instance SET seen_at = seen_at - 61000000 WHERE name = 'b'");
    let silent = line(&rig, "instances").await;
    assert_eq!(silent["verdict"], "WARN", "{silent}");
    rig.by_hand("UPDATE dipmo_instance SET seen_at = seen_at - 61000000 WHERE name = 'a'");
    let nobody = line(&rig, "instances").await;
    assert_eq!(nobody["verdict"], "FAIL", "{nobody}");
    assert!(Timestamp::from_rfc3339(examined(&rig).await["at"].as_str().unwrap()).is_some());
}
