//! An instance of a process is moved by hand.

use dipmo_admin::Role;
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::routes::relocation;

const INSTANCE: &str = "/processes/RELAY/instances/O-1";
const MOVE: &str = "/processes/RELAY/instances/O-1/move";

async fn entries(rig: &Rig) -> Vec<Value> {
    rig.get(Role::Operator, "/audit?action=process.move").await.rows().to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_from_where_to_where() {
    let (rig, _) = Rig::new().await;
    let before = rig.get(Role::Viewer, INSTANCE).await;
    let wish = json!({"state": "NEW", "dry_run": true});
    let answer = rig.post(Role::Operator, MOVE, wish).await;
    let told = answer.is(200);
    assert_eq!((&told["from"], &told["to"]), (&"GOING".into(), &"NEW".into()));
    assert_eq!(told["version"], before.is(200)["version"]);
    assert_eq!((&told["timers"], &told["dry_run"]), (&json!([]), &true.into()));
    assert_eq!(rig.get(Role::Viewer, INSTANCE).await.body, before.body);
    assert!(entries(&rig).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_moved_once_and_the_audit_has_who_and_why() {
    let (rig, _) = Rig::new().await;
    let wish = relocation(&rig, "NEW").await;
    let answer = rig.post(Role::Operator, MOVE, wish.clone()).await;
    let version = wish["version"].as_i64().unwrap();
    assert_eq!(answer.is(200)["version"], version + 1);
    let shown = rig.get(Role::Viewer, INSTANCE).await;
    assert_eq!(
        (&shown.is(200)["state"], &shown.body["version"]),
        (&"NEW".into(), &answer.body["version"])
    );
    let again = rig.post(Role::Operator, MOVE, wish).await;
    assert_eq!(again.is_problem(409, "admin-instance-changed")["parameter"], "version");
    let entries = entries(&rig).await;
    let [entry] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!(
        (&entry["target"], &entry["reason"]),
        (&"process/RELAY/O-1".into(), &"a test".into())
    );
    let detail = json!({"from": "GOING", "to": "NEW", "version": version, "timers": []});
    assert_eq!(entry["detail"], detail);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_is_refused() {
    let (rig, _) = Rig::new().await;
    let wish = relocation(&rig, "NEW").await;
    let with = |name: &str, value: Value| {
        let mut wish = wish.clone();
        wish[name] = value;
        wish
    };
    for (wish, parameter) in [
        (with("state", "NOWHERE".into()), "state"),
        (with("version", Value::Null), "version"),
        (with("reason", " ".into()), "reason"),
    ] {
        let answer = rig.post(Role::Operator, MOVE, wish).await;
        assert_eq!(answer.is(400)["parameter"], parameter, "{}", answer.text);
    }
    let nobody =
        rig.post(Role::Operator, "/processes/RELAY/instances/O-99/move", wish.clone()).await;
    nobody.is_problem(404, "admin-not-found");
    let nothing = rig.post(Role::Operator, "/processes/NONE/instances/O-1/move", wish).await;
    nothing.is_problem(404, "admin-not-found");
    assert!(entries(&rig).await.is_empty());
}
