//! What cannot be answered says so, and what to do.

use std::sync::Arc;
use std::time::Duration;

use dipmo_admin::{App, AppLimits, AppOptions, Identity, Role};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use hyper::Method;
use serde_json::json;

use crate::rig::{Answer, Rig};
use crate::routes;

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_is_not_in_the_document_is_refused_everywhere() {
    let (rig, world) = Rig::new().await;
    for route in routes::all(&rig).await {
        let sample = route.sample(&rig, &world).await;
        let join = if sample.path.contains('?') { '&' } else { '?' };
        let path = format!("{}{join}colour=red", sample.path);
        let answer = rig.ask(Role::Admin, route.method.clone(), &path, sample.body).await;
        let problem = answer.is_problem(400, "admin-parameter-invalid");
        assert_eq!(problem["parameter"], "colour", "{route:?}");
        let hint = problem["hint"].as_str().unwrap();
        for name in &route.query {
            assert!(hint.contains(name), "{route:?}: {hint}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_parameter_is_named_with_what_is_allowed() {
    let rig = Rig::empty().await;
    for (path, parameter, part) in [
        ("/messages?status=GONE", "status", "RECEIVED, RETRY, FAILED, PROCESSED, SERDE_ERROR"),
        ("/messages?waits=long", "waits", "held, parked"),
        ("/messages?since=yesterday", "since", "2026-11-18T09:30:00Z"),
        ("/messages?limit=501", "limit", "from 1 to 500"),
        ("/incidents?limit=51", "limit", "from 1 to 50"),
        ("/messages?failure=17", "failure", "a text"),
        ("/messages?topic=a&topic=b", "topic", "once"),
        ("/units?waits=parked", "waits", "held"),
        ("/units?destination=POST:x", "destination", "KAFKA:<topic>"),
        ("/units?intent=x", "intent", "whole number"),
        ("/processes/RELAY/instances?state=GONE", "state", "NEW, GOING"),
        ("/messages/x", "id", "number"),
    ] {
        let answer = rig.get(Role::Operator, path).await;
        let problem = answer.is_problem(400, "admin-parameter-invalid");
        assert_eq!(problem["parameter"], parameter, "{path}");
        assert!(problem["hint"].as_str().unwrap().contains(part), "{path}: {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_not_found() {
    let rig = Rig::empty().await;
    for path in [
        "/messages/4711",
        "/messages/4711/journey",
        "/intents/4711",
        "/operations/4711",
        "/operations/4711/items",
        "/processes/GONE/instances",
        "/processes/GONE/instances/x",
        "/processes/RELAY/instances/x",
    ] {
        rig.get(Role::Viewer, path).await.is_problem(404, "admin-not-found");
    }
    rig.get(Role::Viewer, "/nothing").await.is_problem(404, "admin-path-unknown");
    let because = json!({"reason": "a test"});
    let answer = rig.post(Role::Operator, "/operations/4711/pause", because).await;
    answer.is_problem(404, "admin-not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_method_that_a_path_does_not_know_is_told_which_it_knows() {
    let rig = Rig::empty().await;
    let answer = rig.ask(Role::Admin, Method::PUT, "/tokens", None).await;
    answer.is_problem(405, "admin-method-unknown");
    let allowed = answer.header("allow").unwrap();
    assert!(allowed.contains("GET") && allowed.contains("POST"), "{allowed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_database_says_is_told_to_who_is_known_only() {
    let rig = Rig::empty().await;
    rig.by_hand("DROP TABLE dipmo_operation");
    let answer = rig.get(Role::Viewer, "/operations").await;
    assert!(answer.status >= 500, "{}", answer.text);
    answer.is_problem(500, answer.code());
    assert!(answer.text.contains("dipmo_operation"), "{}", answer.text);
    rig.by_hand("DROP TABLE dipmo_token");
    let answer = rig.get(Role::Viewer, "/operations").await;
    answer.is_problem(500, answer.code());
    assert!(!answer.text.contains("dipmo_"), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_too_long_is_given_up() {
    let limits = AppLimits { answer_within: Duration::from_millis(50), ..AppLimits::default() };
    let hasty = AppOptions { limits, ..AppOptions::default() };
    let rig = Rig::empty().await;
    let app = App::new(Arc::clone(&rig.store) as _, hasty).local(Identity::new("x", Role::Admin));
    let busy = rig.connection();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let wish = json!({"name": "late", "role": "viewer", "days": 1});
    let answer = Answer::to(&app, Method::POST, "/tokens", None, Some(wish)).await;
    answer.is_problem(503, "admin-too-slow");
    assert!(answer.header("retry-after").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn three_ask_at_once_and_the_next_waits_for_its_turn() {
    let rig = Rig::empty().await;
    let router = rig.local(Role::Admin);
    let busy = rig.connection();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ask = |n: u32| {
        let wish = json!({"name": format!("late-{n}"), "role": "viewer", "days": null});
        Box::pin(Answer::to(&router, Method::POST, "/tokens", None, Some(wish)))
    };
    let document = || Box::pin(Answer::to(&router, Method::GET, "/openapi.json", None, None));
    let mut asked: Vec<_> = (0..2).map(ask).collect();
    assert!(asked.iter_mut().all(|it| it.now_or_never().is_none()));
    assert!(document().now_or_never().is_some(), "a turn is free");
    asked.push(ask(2));
    assert!(asked[2..].iter_mut().all(|it| it.now_or_never().is_none()));
    let mut waits = document();
    assert!((&mut waits).now_or_never().is_none());
    busy.execute_batch("ROLLBACK").unwrap();
    let (made, told) = tokio::join!(join_all(asked), waits);
    made.iter().for_each(|answer| _ = answer.is(201));
    told.is(200);
}
