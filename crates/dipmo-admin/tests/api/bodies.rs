//! Bodies that cannot be taken.

use axum::body::Body;
use dipmo_admin::Role;
use hyper::Request;
use serde_json::json;

use crate::rig::{Answer, Rig};

async fn sent(rig: &Rig, kind: &str, body: String) -> Answer {
    let request = Request::post("/api/v1/operations")
        .header("authorization", format!("Bearer {}", rig.token_of(Role::Operator)))
        .header("content-type", kind)
        .body(Body::from(body));
    Answer::of(&rig.app.router(), request.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_cannot_be_read_says_why() {
    let rig = Rig::empty().await;
    let target = json!({"messages": {}});
    for (body, part) in [
        (json!({}), "act"),
        (json!({"act": "explode", "target": target, "dry_run": true}), "retry"),
        (json!({"act": "retry", "target": target}), "dry_run"),
        (json!({"act": "retry", "target": {"people": {}}, "dry_run": true}), "messages"),
        (
            json!({"act": "retry", "target": {"messages": {"colour": "red"}}, "dry_run": true}),
            "colour",
        ),
        (
            json!({"act": "retry", "target": {"units": {"status": "GONE"}}, "dry_run": true}),
            "PENDING",
        ),
        (json!({"act": "retry", "target": target, "dry_run": true, "per_second": 0}), "zero"),
        (json!({"act": "retry", "target": target, "dry_run": true, "when": "now"}), "when"),
    ] {
        let answer = rig.post(Role::Operator, "/operations", body).await;
        let problem = answer.is_problem(400, "admin-body-invalid");
        assert!(problem["detail"].as_str().unwrap().contains(part), "{part}: {}", answer.text);
    }
    sent(&rig, "application/json", "{oo".to_owned()).await.is_problem(400, "admin-body-invalid");
    sent(&rig, "text/plain", "{}".to_owned()).await.is_problem(400, "admin-body-invalid");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_ids_fit_into_a_body_and_more_do_not() {
    let rig = Rig::empty().await;
    let wish = |count: i64| {
        let ids: Vec<i64> = (0..count).map(|n| i64::MAX - n).collect();
        let target = json!({"ids": {"side": "inbox", "ids": ids}});
        json!({"act": "skip", "target": target, "dry_run": true})
    };
    let answer = rig.post(Role::Operator, "/operations", wish(10_000)).await;
    assert_eq!(answer.is(200)["preview"]["items"], 10_000);
    let answer = rig.post(Role::Operator, "/operations", wish(10_001)).await;
    answer.is_problem(400, "admin-parameter-invalid");
    let answer = rig.post(Role::Operator, "/operations", wish(0)).await;
    answer.is_problem(400, "admin-parameter-invalid");
    let answer = rig.post(Role::Operator, "/operations", wish(100_000)).await;
    answer.is_problem(413, "admin-body-too-large");
}
