//! What is paused and resumed, and what everybody is told of it.

use dipmo_admin::Role;
use serde_json::{Value, json};

use crate::rig::{CONTACTS, Rig};

fn because(reason: &str) -> Value {
    json!({ "reason": reason })
}

async fn audited(rig: &Rig) -> Vec<(Value, Value, Value)> {
    let rows = rig.get(Role::Admin, "/audit").await.rows().to_vec();
    let of = |row: Value| (row["action"].clone(), row["target"].clone(), row["reason"].clone());
    let mut rows: Vec<_> = rows.into_iter().map(of).collect();
    rows.retain(|(action, ..)| !action.as_str().unwrap().starts_with("token."));
    rows.reverse();
    rows
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_is_told_with_who_when_and_why_until_it_is_resumed() {
    let rig = Rig::empty().await;
    for (path, kind, name) in [
        ("/sources/shop", "sources", "shop"),
        ("/destinations/KAFKA%3Aknown", "destinations", "KAFKA:known"),
    ] {
        let pause = format!("{path}/pause");
        let first = rig.post(Role::Operator, &pause, because("INC-17")).await;
        let told = first.is(200);
        assert_eq!((&told["name"], &told["changed"]), (&name.into(), &true.into()));
        assert_eq!(
            (&told["paused"]["by"], &told["paused"]["reason"]),
            (&"operator".into(), &"INC-17".into())
        );
        let again = rig.post(Role::Admin, &pause, because("another")).await;
        assert_eq!(again.is(200)["changed"], false);
        assert_eq!(again.body["paused"], told["paused"], "who was first is told");
        let backlog = rig.get(Role::Viewer, "/backlog").await;
        assert_eq!(backlog.is(200)["paused"][kind][name], told["paused"]);
        let resume = format!("{path}/resume");
        let resumed = rig.post(Role::Operator, &resume, because("it is well")).await;
        assert_eq!(resumed.is(200), &json!({"name": name, "changed": true, "paused": null}));
        let again = rig.post(Role::Operator, &resume, because("it is well")).await;
        assert_eq!(again.is(200)["changed"], false);
    }
    let said = |action: &str, target: &str, why: &str| (action.into(), target.into(), why.into());
    assert_eq!(
        audited(&rig).await,
        [
            said("source.pause", "source/shop", "INC-17"),
            said("source.resume", "source/shop", "it is well"),
            said("destination.pause", "destination/KAFKA:known", "INC-17"),
            said("destination.resume", "destination/KAFKA:known", "it is well"),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_sources_tells_which_rest() {
    let rig = Rig::empty().await;
    let listed = rig.get(Role::Viewer, "/sources").await;
    assert_eq!(listed.rows(), [json!({"name": "shop", "kind": "kafka", "paused": null})]);
    rig.post(Role::Operator, "/sources/shop/pause", because("INC-17")).await.is(200);
    let listed = rig.get(Role::Viewer, "/sources").await;
    assert_eq!(listed.rows()[0]["paused"]["reason"], "INC-17");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_not_there_is_refused_with_those_that_are() {
    let rig = Rig::empty().await;
    for (path, there) in [
        ("/sources/shpo/pause", "shop"),
        ("/sources/shpo/resume", "shop"),
        ("/destinations/KAFKA%3Aknow/pause", "KAFKA:known"),
        ("/destinations/%00/pause", "KAFKA:known"),
    ] {
        let answer = rig.post(Role::Operator, path, because("INC-17")).await;
        let problem = answer.is_problem(404, "admin-name-unknown");
        assert!(problem["hint"].as_str().unwrap().contains(there), "{problem}");
    }
    let answer = rig.post(Role::Operator, "/sources/shop/pause", because(" ")).await;
    answer.is_problem(400, "admin-reason-missing");
    assert!(audited(&rig).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_can_be_paused_and_what_is_paused_resumed_although_no_file_has_it() {
    let (rig, _) = Rig::new().await;
    let answer =
        rig.post(Role::Operator, "/destinations/KAFKA%3Aout/pause", because("INC-17")).await;
    assert_eq!(answer.is(200)["changed"], true, "something waits for it");
    rig.by_hand(
        "INSERT INTO dipmo_control (kind, name, setting, actor, reason, since)
         VALUES ('source', 'gone', 'PAUSED', 'ann', 'INC-17', 0), ('source', 'shop', 'LATER', 'ann', '', 0)",
    );
    let answer = rig.post(Role::Operator, "/sources/gone/resume", because("it is gone")).await;
    assert_eq!(answer.is(200)["changed"], true);
    let listed = rig.get(Role::Viewer, "/sources").await;
    assert!(listed.rows()[0]["paused"].is_null(), "what a later version says is left alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn breakers_and_rates_are_told_and_only_salesforce_has_them() {
    let rig = Rig::empty().await;
    let path = |what: &str| format!("/destinations/{CONTACTS}/{what}");
    let breaker = |state: &str| json!({"state": state, "reason": "INC-17"});
    let rate = |calls: Value| json!({"per_second": calls, "reason": "INC-17"});
    for (what, body, changed) in [
        ("breaker", breaker("open"), true),
        ("breaker", breaker("open"), false),
        ("breaker", breaker("closed"), true),
        ("breaker", breaker("closed"), true),
        ("rate", rate(7.into()), true),
        ("rate", rate(7.into()), false),
        ("rate", rate(8.into()), true),
    ] {
        let answer = rig.post(Role::Operator, &path(what), body.clone()).await;
        assert_eq!(answer.is(200), &json!({"name": CONTACTS, "changed": changed}), "{body}");
    }
    let valves = rig.get(Role::Viewer, "/backlog").await.is(200)["valves"].clone();
    let (breaker_now, rate_now) = (&valves["breakers"][CONTACTS], &valves["rates"][CONTACTS]);
    assert_eq!((&breaker_now["state"], &breaker_now["by"]), (&"closed".into(), &"operator".into()));
    assert_eq!((&rate_now["per_second"], &rate_now["reason"]), (&8.into(), &"INC-17".into()));
    rig.post(Role::Operator, &path("rate"), rate(Value::Null)).await.is(200);
    let valves = rig.get(Role::Viewer, "/backlog").await.is(200)["valves"].clone();
    assert_eq!(valves["rates"], json!({}));
    let detail =
        rig.get(Role::Admin, "/audit?action=destination.rate").await.rows()[1]["detail"].clone();
    assert_eq!(detail, json!({"per_second": 8}));
    let silent = rig.post(Role::Operator, &path("rate"), because("INC-17")).await;
    silent.is_problem(400, "admin-body-invalid");
    for wrong in [0, 100_001] {
        let answer = rig.post(Role::Operator, &path("rate"), rate(wrong.into())).await;
        answer.is_problem(400, "admin-parameter-invalid");
    }
    for (what, body) in [("breaker", breaker("open")), ("rate", rate(7.into()))] {
        let kafka = format!("/destinations/KAFKA:known/{what}");
        let problem = rig.post(Role::Operator, &kafka, body.clone()).await;
        assert_eq!(problem.is_problem(400, "admin-parameter-invalid")["parameter"], "name");
        let nobody = format!("/destinations/HTTP:SFDC:Auto:Nobody/{what}");
        rig.post(Role::Operator, &nobody, body).await.is_problem(404, "admin-name-unknown");
    }
}
