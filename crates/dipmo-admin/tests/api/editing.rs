//! A message that failed is edited, and what came is kept beside it.

use dipmo_admin::Role;
use serde_json::{Value, json};

use crate::rig::{CANARY, Rig};
use crate::routes::correction;

async fn revealed(rig: &Rig, id: i64) -> Value {
    let path = format!("/messages/{id}?reveal=true&reason=a%20test");
    rig.get(Role::Operator, &path).await.is(200).clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_says_something_else_and_what_came_is_shown_beside_it() {
    let (rig, world) = Rig::new().await;
    let id = world.rejected.0;
    let path = format!("/messages/{id}/edit");
    let before = revealed(&rig, id).await;
    assert!(before["original"].is_null());
    let mut wish = json!({"payload": {"secret": "mended"}, "dry_run": true});
    let told = rig.post(Role::Operator, &path, wish.clone()).await;
    assert_eq!(told.is(200)["result"], "DONE");
    assert_eq!(revealed(&rig, id).await, before, "a dry run changes nothing");
    wish["dry_run"] = false.into();
    let silent = rig.post(Role::Operator, &path, wish.clone()).await;
    silent.is_problem(400, "admin-reason-missing");
    wish["reason"] = "they wrote nonsense".into();
    assert_eq!(rig.post(Role::Operator, &path, wish).await.is(200)["result"], "DONE");
    let after = revealed(&rig, id).await;
    assert_eq!(
        (&after["status"], &after["payload"]),
        (&"RETRY".into(), &json!({"secret": "mended"}))
    );
    assert_eq!(after["original"]["payload"], before["payload"]);
    assert_eq!(
        (&after["original"]["edits"], &after["original"]["edited_by"]),
        (&1.into(), &"operator".into())
    );
    let masked = rig.get(Role::Viewer, &format!("/messages/{id}")).await;
    assert!(!masked.text.contains(CANARY) && !masked.text.contains("mended"), "{}", masked.text);
    assert!(masked.body["original"]["payload"]["secret"] == "•••", "{}", masked.text);
    let audit = rig.get(Role::Operator, "/audit?action=message.edit").await;
    let [entry] = audit.rows() else { panic!("{}", audit.text) };
    assert_eq!(
        (&entry["target"], &entry["detail"]["bytes"]),
        (&format!("inbox/{id}").into(), &19.into())
    );
    assert!(!audit.text.contains("mended"), "{}", audit.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_edited_says_why() {
    let (rig, world) = Rig::new().await;
    let edit = async |id: i64, wish: Value| {
        rig.post(Role::Operator, &format!("/messages/{id}/edit"), wish).await
    };
    for (id, expected) in
        [(world.told.0, "ALREADY_ENDED"), (world.held.0, "HELD"), (world.poison.0, "WRONG_STATUS")]
    {
        assert_eq!(edit(id, correction()).await.is(200)["result"], expected);
    }
    edit(999_999, correction()).await.is_problem(404, "admin-not-found");
    let mut late = correction();
    late["edits"] = 1.into();
    assert_eq!(edit(world.rejected.0, late).await.is(200)["result"], "CHANGED");
    let mut odd = correction();
    odd["event_type"] = "x".repeat(201).into();
    let odd = edit(world.rejected.0, odd).await;
    assert_eq!(odd.is_problem(400, "admin-parameter-invalid")["parameter"], "event_type");
    assert!(rig.get(Role::Operator, "/audit?action=message.edit").await.rows().is_empty());
}
