//! What an aggregate left is erased.

use dipmo_admin::Role;
use serde_json::{Value, json};

use crate::relay::Order;
use crate::rig::{CANARY, Rig};
use crate::routes::erasure;

const ERASE: &str = "/aggregates/O-77/erase";

/// An order with a secret, of which everything has ended.
async fn secret(rig: &Rig) -> i64 {
    let order = Order { secret: CANARY.to_owned(), ..Order::default() };
    rig.orders(&[("O-77", order)]).await[0].0
}

async fn payload(rig: &Rig, id: i64) -> Value {
    let path = format!("/messages/{id}?reveal=true&reason=a%20test");
    rig.get(Role::Operator, &path).await.is(200)["payload"].clone()
}

async fn entries(rig: &Rig) -> Vec<Value> {
    rig.get(Role::Operator, "/audit?action=aggregate.erase").await.rows().to_vec()
}

fn table<'a>(told: &'a Value, name: &str) -> &'a Value {
    let all = told["tables"].as_array().unwrap();
    all.iter().find(|it| it["table"] == name).unwrap_or_else(|| panic!("{told}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_what_would_be_blanked() {
    let rig = Rig::empty().await;
    let id = secret(&rig).await;
    let mut wish = erasure();
    wish["dry_run"] = true.into();
    let answer = rig.post(Role::Admin, ERASE, wish).await;
    let told = answer.is(200);
    assert_eq!((&told["dry_run"], &told["aggregate"]), (&true.into(), &"O-77".into()));
    assert_eq!(
        (&table(told, "inbox_log")["blanked"], &table(told, "inbox_log")["left"]),
        (&0.into(), &1.into())
    );
    assert_eq!(told["instances"], json!([{"process": "RELAY", "id": "O-77"}]));
    assert_eq!(payload(&rig, id).await["secret"], CANARY);
    assert!(entries(&rig).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_erased_and_the_audit_has_the_counts() {
    let rig = Rig::empty().await;
    let id = secret(&rig).await;
    let answer = rig.post(Role::Admin, ERASE, erasure()).await;
    let told = answer.is(200);
    assert_eq!(*table(told, "inbox_log"), json!({"table": "inbox_log", "blanked": 1, "left": 0}));
    assert_eq!(table(told, "RELAY_PROCESS")["blanked"], 1);
    assert_eq!(payload(&rig, id).await, json!({"dipmo.erased": true}));
    let entries = entries(&rig).await;
    let [entry] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((&entry["target"], &entry["reason"]), (&"aggregate/O-77".into(), &"a test".into()));
    assert_eq!(entry["detail"]["tables"]["inbox_log"], json!({"blanked": 1, "left": 0}));
    assert!(!entry.to_string().contains(CANARY), "{entry}");
}

/// Nobody can decide by a context that is not there: what comes later ends, and nothing comes of it.
#[tokio::test(flavor = "multi_thread")]
async fn what_comes_later_is_ignored() {
    let rig = Rig::empty().await;
    secret(&rig).await;
    rig.post(Role::Admin, ERASE, erasure()).await.is(200);
    let before = rig.get(Role::Viewer, "/processes/RELAY/instances/O-77").await.body;
    let tell = vec!["KAFKA:out".to_owned()];
    let later = rig
        .orders(&[("O-78", Order::default()), ("O-77", Order { tell, ..Order::default() })])
        .await[1];
    let answer = rig.get(Role::Viewer, &format!("/messages/{}", later.0)).await;
    let shown = answer.is(200);
    assert_eq!((&shown["status"], &shown["outcome"]), (&"PROCESSED".into(), &"IGNORED".into()));
    assert_eq!(rig.get(Role::Viewer, "/processes/RELAY/instances/O-77").await.body, before);
    assert!(rig.get(Role::Viewer, "/units").await.rows().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_not_ended_is_told_and_nothing_changes() {
    let (rig, world) = Rig::new().await;
    for dry_run in [true, false] {
        let wish = json!({"reason": "a test", "dry_run": dry_run});
        let answer = rig.post(Role::Admin, "/aggregates/O-3/erase", wish).await;
        let told = answer.is_problem(409, "admin-aggregate-waits")["detail"].as_str().unwrap();
        let failed = format!("messages FAILED: 1, the first is {}", world.rejected.0);
        assert!(told.contains(&failed), "{told}");
        let held = format!("messages RECEIVED: 1, the first is {}", world.held.0);
        assert!(told.contains(&held), "{told}");
    }
    let wish = json!({"reason": "a test", "dry_run": false});
    let answer = rig.post(Role::Admin, "/aggregates/O-2/erase", wish).await;
    let told = answer.is_problem(409, "admin-aggregate-waits")["detail"].as_str().unwrap();
    assert!(
        told.contains("intents FAILED for KAFKA:out: 1")
            && told.contains("RELAY O-2 stands in GOING"),
        "{told}"
    );
    assert!(entries(&rig).await.is_empty());
    assert_eq!(payload(&rig, world.rejected.0).await["secret"], CANARY);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_is_refused() {
    let rig = Rig::empty().await;
    let with = |name: &str, value: Value| {
        let mut wish = erasure();
        wish[name] = value;
        wish
    };
    let long = format!("/aggregates/{}/erase", "x".repeat(201));
    for (path, wish, parameter) in [
        (ERASE, with("reason", " ".into()), "reason"),
        (ERASE, with("instances", json!([{"process": "RELAY", "id": "a\0b"}])), "instances"),
        (&*long, erasure(), "id"),
    ] {
        let answer = rig.post(Role::Admin, path, wish).await;
        assert_eq!(answer.is(400)["parameter"], parameter, "{}", answer.text);
    }
    rig.post(Role::Operator, ERASE, erasure()).await.is_problem(403, "admin-forbidden");
    assert!(entries(&rig).await.is_empty());
}
