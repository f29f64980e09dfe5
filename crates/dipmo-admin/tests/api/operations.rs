//! Operations: looked at first, begun, paused, resumed, cancelled.

use dipmo_admin::Role;
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::routes::wish;

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_tells_what_it_would_be_about_and_changes_nothing() {
    let (rig, world) = Rig::new().await;
    let mut wish = wish(&json!({"topic": "orders", "code": "NO_CUSTOMER"}));
    (wish["dry_run"], wish["reason"]) = (true.into(), "".into());
    let answer = rig.post(Role::Operator, "/operations", wish.clone()).await;
    let preview = &answer.is(200)["preview"];
    assert_eq!((&preview["items"], &preview["too_many"]), (&1.into(), &false.into()));
    assert_eq!(preview["by_status"], json!({"FAILED": 1}));
    assert_eq!(preview["sample"], json!([world.rejected.0]));
    assert!(rig.get(Role::Viewer, "/operations").await.rows().is_empty());
    wish["dry_run"] = false.into();
    let answer = rig.post(Role::Operator, "/operations", wish).await;
    answer.is_problem(400, "admin-reason-missing");
    assert!(rig.get(Role::Viewer, "/operations").await.rows().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_can_be_told_to_wait_to_go_on_and_to_end() {
    let (rig, world) = Rig::new().await;
    let begun =
        rig.post(Role::Operator, "/operations", wish(&json!({"failure": failure(&rig).await})));
    let id = begun.await.is(202)["operation"]["id"].clone();
    let because = || json!({"reason": "a test"});
    for (word, state) in [
        ("pause", "PAUSED"),
        ("pause", "PAUSED"),
        ("resume", "RUNNING"),
        ("cancel", "CANCELLED"),
        ("resume", "CANCELLED"),
    ] {
        let path = format!("/operations/{id}/{word}");
        let silent = rig.post(Role::Operator, &path, json!({"reason": ""})).await;
        silent.is_problem(400, "admin-reason-missing");
        let answer = rig.post(Role::Operator, &path, because()).await;
        assert_eq!(answer.is(200)["state"], state, "{word}");
    }
    let shown = rig.get(Role::Viewer, &format!("/operations/{id}")).await;
    assert_eq!((&shown.is(200)["items"], &shown.body["results"]), (&1.into(), &json!({})));
    let items = rig.get(Role::Viewer, &format!("/operations/{id}/items")).await;
    let [item] = items.rows() else { panic!("{}", items.text) };
    assert_eq!(
        (&item["id"], &item["seen"]["status"]),
        (&world.rejected.0.into(), &"FAILED".into())
    );
    assert!(item["result"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn units_are_not_decoded() {
    let rig = Rig::empty().await;
    let wish =
        json!({"act": "reparse", "target": {"units": {"status": "FAILED"}}, "dry_run": true});
    let answer = rig.post(Role::Operator, "/operations", wish).await;
    assert_eq!(answer.is_problem(400, "admin-parameter-invalid")["parameter"], "act");
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_not_resent() {
    let rig = Rig::empty().await;
    for target in
        [json!({"messages": {"topic": "orders"}}), json!({"ids": {"side": "inbox", "ids": [1]}})]
    {
        let wish = json!({"act": "resend", "target": target, "dry_run": true});
        let answer = rig.post(Role::Operator, "/operations", wish).await;
        assert_eq!(answer.is_problem(400, "admin-parameter-invalid")["parameter"], "act");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_finds_what_was_delivered_and_is_to_be_resent() {
    let (rig, _) = Rig::new().await;
    let listed = rig.get(Role::Viewer, "/units?status=DISPATCHED&destination=KAFKA:out").await;
    let [last, first] = listed.rows() else { panic!("{}", listed.text) };
    assert!(last["resend_of"].is_null());
    let mut wish = json!({
        "act": "resend",
        "target": {"units": {"destination": "KAFKA:out"}},
        "reason": "the other side lost it",
        "dry_run": true,
    });
    let answer = rig.post(Role::Operator, "/operations", wish.clone()).await;
    let preview = &answer.is(200)["preview"];
    assert_eq!(preview["by_status"], json!({"DISPATCHED": 2}), "and not what failed");
    assert_eq!(preview["sample"], json!([first["id"], last["id"]]));
    wish["dry_run"] = false.into();
    let answer = rig.post(Role::Operator, "/operations", wish).await;
    let operation = &answer.is(202)["operation"];
    assert_eq!((&operation["act"], &operation["items"]), (&"resend".into(), &2.into()));
    let audit = rig.get(Role::Operator, "/audit?action=operation.begin").await;
    let said = &audit.rows()[0]["detail"]["target"]["units"];
    assert_eq!(said["destination"], "KAFKA:out", "the audit has the filter");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_that_says_nothing_does_not_mean_everything() {
    let (rig, _) = Rig::new().await;
    for dry_run in [true, false] {
        for side in ["messages", "units"] {
            let mut wish = wish(&json!({}));
            (wish["target"], wish["dry_run"]) = (json!({side: {}}), dry_run.into());
            let answer = rig.post(Role::Operator, "/operations", wish.clone()).await;
            let problem = answer.is_problem(400, "admin-parameter-invalid");
            assert_eq!(problem["parameter"], side);
            for nothing in [json!({"status": []}), json!({"type": null}), json!({"colour": null})] {
                wish["target"] = json!({side: nothing});
                let answer = rig.post(Role::Operator, "/operations", wish.clone()).await;
                let problem = answer.is_problem(400, "admin-body-invalid");
                assert!(problem["detail"].as_str().unwrap().contains("says nothing"));
            }
        }
    }
    assert!(rig.get(Role::Viewer, "/operations").await.rows().is_empty());
}

/// The group of the message that was rejected.
async fn failure(rig: &Rig) -> Value {
    let groups = rig.get(Role::Viewer, "/failures").await;
    let of_inbox = groups.rows().iter().find(|group| group["code"] == "NO_CUSTOMER").unwrap();
    assert_eq!((&of_inbox["side"], &of_inbox["failed"]), (&"inbox".into(), &1.into()));
    of_inbox["fingerprint"].clone()
}
