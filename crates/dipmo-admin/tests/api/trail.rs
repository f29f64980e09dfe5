//! Whatever changes something leaves an entry in the audit.

use dipmo_admin::Role;
use serde_json::{Value, json};

use crate::rig::{CANARY, Rig};
use crate::routes::{self, wish};

async fn entries(rig: &Rig) -> Vec<Value> {
    rig.get(Role::Admin, "/audit?limit=500").await.rows().to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_that_changes_something_is_in_the_audit() {
    let (rig, world) = Rig::new().await;
    let mut actions = Vec::new();
    for route in routes::all(&rig).await {
        let sample = route.sample(&rig, &world).await;
        let before = entries(&rig).await;
        let answer = rig.ask(Role::Admin, route.method.clone(), &sample.path, sample.body).await;
        assert!((200..300).contains(&answer.status), "{route:?}: {}", answer.text);
        let after = entries(&rig).await;
        let added = usize::from(route.changes_something());
        assert_eq!(after.len(), before.len() + added, "{route:?}");
        if added == 1 {
            assert_eq!((&after[0]["actor"], &after[0]["role"]), (&"admin".into(), &"admin".into()));
            assert!(!after[0]["reason"].as_str().unwrap().is_empty());
            actions.push(after[0]["action"].as_str().unwrap().to_owned());
        }
    }
    actions.sort();
    assert_eq!(
        actions,
        [
            "aggregate.erase",
            "archive.restore",
            "archive.run",
            "archive.verify",
            "destination.breaker",
            "destination.pause",
            "destination.rate",
            "destination.resume",
            "message.edit",
            "operation.begin",
            "operation.cancel",
            "operation.pause",
            "operation.resume",
            "process.move",
            "source.pause",
            "source.resume",
            "token.make",
            "token.revoke"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_tells_what_was_asked_for() {
    let (rig, _) = Rig::new().await;
    let mut wish = wish(&json!({"status": ["FAILED"], "topic": "orders"}));
    wish["per_second"] = 7.into();
    let id = rig.post(Role::Operator, "/operations", wish).await.is(202)["operation"]["id"].clone();
    let answer = rig.get(Role::Operator, &format!("/audit?target=operation/{id}")).await;
    let [entry] = answer.rows() else { panic!("{}", answer.text) };
    let filter = json!({"status": ["FAILED"], "topic": "orders"});
    assert_eq!(
        entry["detail"],
        json!({"act": "retry", "target": {"messages": filter}, "force": false, "per_second": 7})
    );
    assert_eq!(
        (&entry["action"], &entry["actor"]),
        (&"operation.begin".into(), &"operator".into())
    );
    for (filter, found) in [
        ("actor=operator", 1),
        ("actor=nobody", 0),
        ("action=operation.begin", 1),
        ("until=2020-01-01T00:00:00Z", 0),
        ("since=2020-01-01T00:00:00Z&actor=console", 3),
    ] {
        let answer = rig.get(Role::Operator, &format!("/audit?{filter}")).await;
        assert_eq!(answer.rows().len(), found, "{filter}: {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_in_payloads_is_in_the_audit_without_the_text() {
    let (rig, _) = Rig::new().await;
    let query = format!("text={CANARY}&status=FAILED&limit=7");
    rig.get(Role::Operator, &format!("/messages?{query}")).await.is(200);
    rig.get(Role::Operator, &format!("/units?{query}")).await.is(200);
    let mut looked = wish(&json!({"text": [CANARY], "status": ["FAILED"]}));
    looked["dry_run"] = true.into();
    rig.post(Role::Operator, "/operations", looked.clone()).await.is(200);
    looked["dry_run"] = false.into();
    rig.post(Role::Operator, "/operations", looked).await.is(202);
    let answer = rig.get(Role::Operator, "/audit?actor=operator").await;
    assert!(!answer.text.contains(CANARY), "{}", answer.text);
    let [begun, looked, units, messages] = answer.rows() else { panic!("{}", answer.text) };
    let asked = json!({"status": "FAILED", "text_length": CANARY.len()});
    let in_body = json!({"status": ["FAILED"], "text_length": CANARY.len()});
    for (entry, target, detail) in
        [(messages, "inbox", &asked), (units, "outbox", &asked), (looked, "inbox", &in_body)]
    {
        assert_eq!((&entry["action"], &entry["target"]), (&"search".into(), &target.into()));
        assert_eq!((&entry["reason"], &entry["detail"]), (&"a search in payloads".into(), detail));
    }
    assert_eq!(begun["action"], "operation.begin");
    assert_eq!(begun["detail"]["target"], json!({"messages": in_body}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_cannot_be_audited_is_not_answered() {
    let (rig, _) = Rig::new().await;
    rig.by_hand(
        "CREATE TRIGGER full BEFORE INSERT ON dipmo_audit BEGIN SELECT raise(ABORT, 'no'); END",
    );
    let query = format!("text={CANARY}");
    let mut looked = wish(&json!({"text": CANARY}));
    looked["dry_run"] = true.into();
    for answer in [
        rig.get(Role::Operator, &format!("/messages?{query}")).await,
        rig.get(Role::Operator, &format!("/units?{query}")).await,
        rig.post(Role::Operator, "/operations", looked).await,
    ] {
        assert!(answer.status >= 500 && answer.body.get("rows").is_none(), "{}", answer.text);
        assert!(answer.body.get("preview").is_none(), "{}", answer.text);
    }
    rig.get(Role::Operator, "/messages").await.is(200);
}
