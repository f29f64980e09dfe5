//! What goes wrong because a test asked for it.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::timeout;

use crate::client::{Ask, DATA, Test};

const LOGIN: &str = "grant_type=client_credentials&client_id=app&client_secret=s3cret";
const SOON: Duration = Duration::from_secs(20);

/// What a call is answered with while one rule is about all calls.
async fn under(fault: Json) -> (Test, crate::client::Reply) {
    let test = Test::start("").await;
    test.faults(json!([{ "when": { "api": "rest" }, "times": 1, "fault": fault }])).await;
    let reply = test.call("GET", "/limits", Json::Null).await;
    (test, reply)
}

#[tokio::test]
async fn a_refusal_is_that_of_salesforce_and_the_next_call_is_fine() {
    for (kind, status, code, message) in [
        ("session_expired", 401, "INVALID_SESSION_ID", "Session expired or invalid"),
        ("forbidden_total", 403, "REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded."),
        (
            "forbidden_concurrent",
            403,
            "REQUEST_LIMIT_EXCEEDED",
            "ConcurrentPerOrgLongTxn Limit exceeded.",
        ),
    ] {
        let (test, reply) = under(json!({ "kind": kind })).await;
        assert_eq!(reply.refusal(), (status, code.to_owned(), message.to_owned()));
        assert_eq!(test.call("GET", "/limits", Json::Null).await.status, 200, "{kind}");
    }
    let (_, reply) = under(json!({ "kind": "server_error" })).await;
    assert_eq!((reply.status, reply.refusal().1.as_str()), (500, "UNKNOWN_EXCEPTION"));
}

#[tokio::test]
async fn a_call_is_refused_in_any_words_that_salesforce_has() {
    for (status, code, message) in [
        (403, "API_DISABLED_FOR_ORG", "The REST API is not enabled for this Organization"),
        (401, "INVALID_SESSION_ID", "This session is not valid for use with the REST API"),
    ] {
        let fault = json!({ "kind": "refuse", "status": status, "code": code, "message": message });
        let (test, reply) = under(fault).await;
        assert_eq!(reply.json(), json!([{ "message": message, "errorCode": code }]));
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("sforce-limit-info"), "api-usage=0/100000");
        assert_eq!(test.call("GET", "/limits", Json::Null).await.status, 200);
    }
    let test = Test::start("").await;
    let fault =
        json!({ "kind": "refuse", "status": 400, "code": "inactive_user", "message": "no" });
    test.faults(json!([{ "when": { "api": "oauth" }, "fault": fault }])).await;
    let reply = test.login(LOGIN).await;
    let expected = json!({ "error": "inactive_user", "error_description": "no" });
    assert_eq!((reply.status, reply.json()), (400, expected));
}

#[tokio::test]
async fn who_logs_in_has_no_session_that_could_end() {
    for kind in ["session_expired", "revoke_token", "forbidden_total", "exhaust_limit"] {
        let test = Test::start("").await;
        test.faults(json!([{ "times": 1, "fault": { "kind": kind } }])).await;
        assert_eq!(test.login(LOGIN).await.status, 200, "{kind}");
        let status = test.call("GET", "/limits", Json::Null).await.status;
        assert!(status == 401 || status == 403, "{kind}: {status}");
    }
}

#[tokio::test]
async fn the_edge_answers_with_a_page() {
    for (fault, status, retry_after) in [
        (json!({ "kind": "bad_gateway" }), 502, ""),
        (json!({ "kind": "unavailable" }), 503, ""),
        (json!({ "kind": "unavailable", "retry_after": 7 }), 503, "7"),
        (json!({ "kind": "too_many_requests", "retry_after": 5 }), 429, "5"),
        (json!({ "kind": "too_many_requests" }), 429, ""),
    ] {
        let (_, reply) = under(fault).await;
        assert_eq!((reply.status, reply.header("retry-after")), (status, retry_after));
        assert_eq!(reply.header("content-type"), "text/html;charset=UTF-8");
        assert!(reply.text().starts_with("<!DOCTYPE html>"));
        assert_eq!(reply.header("sforce-limit-info"), "", "the edge knows no limits");
    }
    let dated = json!({ "kind": "too_many_requests", "retry_after": { "date_in": 60 } });
    let (_, reply) = under(dated).await;
    let date = reply.header("retry-after");
    assert!(date.len() == 29 && date.ends_with(" GMT"), "{date}");
}

#[tokio::test]
async fn what_is_revoked_or_spent_stays_so() {
    let (test, reply) = under(json!({ "kind": "revoke_token" })).await;
    assert_eq!(reply.status, 401);
    assert_eq!(test.call("GET", "/limits", Json::Null).await.status, 401);
    let (test, reply) = under(json!({ "kind": "exhaust_limit" })).await;
    assert_eq!((reply.status, reply.header("sforce-limit-info")), (403, "api-usage=100000/100000"));
    assert_eq!(test.call("GET", "/limits", Json::Null).await.status, 403);
    test.sim("POST", "/limits", json!({ "requests": 1 })).await;
    assert_eq!(test.call("GET", "/limits", Json::Null).await.status, 200);
}

#[tokio::test]
async fn a_time_out_before_applies_nothing_and_one_after_applies_once() {
    let test = Test::start("").await;
    for (kind, mut fault, times) in [
        ("timeout_before", json!({ "hold": "10ms" }), 0),
        ("timeout_after", json!({ "hold": "10ms" }), 1),
        ("drop_request", json!({ "after_bytes": 5 }), 0),
    ] {
        fault["kind"] = json!(kind);
        test.faults(json!([{ "times": 1, "fault": fault }])).await;
        let outcome = timeout(SOON, test.upsert(kind, 1)).await.unwrap();
        assert!(outcome.is_err(), "{kind} is not answered");
        assert_eq!(test.applied(kind).await, (times, vec![json!(1); times as usize]), "{kind}");
        let again = test.upsert(kind, 2).await.unwrap();
        assert_eq!(again.status, if times == 0 { 201 } else { 200 });
    }
    let calls = test.sim("GET", "/calls?fault=timeout_after", Json::Null).await.json();
    let call = &calls["calls"][0];
    assert_eq!((&call["status"], &call["rows"]), (&json!(0), &json!(1)), "it had no answer");
}

#[tokio::test]
async fn a_call_goes_on_when_its_client_has_gone() {
    let test = Test::start("").await;
    test.faults(json!([{ "times": 1, "fault": { "kind": "delay", "delay": "4s" } }])).await;
    let fired = async {
        while test.sim("GET", "/faults", Json::Null).await.json()["rules"][0]["fired"] == 0 {}
    };
    tokio::select! {
        _ = test.upsert("E-1", 1) => panic!("it takes longer"),
        () = fired => {}
    }
    assert_eq!(test.applied("E-1").await.0, 0, "the client is gone before anything is applied");
    let applied = async { while test.applied("E-1").await.0 == 0 {} };
    timeout(SOON, applied).await.unwrap();
}

#[tokio::test]
async fn an_answer_breaks_off_after_the_call_was_applied() {
    let test = Test::start("").await;
    for (key, after_bytes) in [("head-only", 0), ("some", 10), ("all-but-one", 1_000_000)] {
        let fault = json!({ "kind": "drop", "after_bytes": after_bytes });
        test.faults(json!([{ "times": 1, "fault": fault }])).await;
        assert!(test.upsert(key, 1).await.is_err(), "{key}");
        assert_eq!(test.applied(key).await.0, 1, "{key}");
    }
}

#[tokio::test]
async fn an_answer_without_a_body_breaks_off_before_it_begins() {
    let test = Test::start("").await;
    for fault in [json!({ "kind": "drop" }), json!({ "kind": "truncate", "bytes": 10 })] {
        let key = fault["kind"].as_str().unwrap();
        let id = test.upsert(key, 1).await.unwrap().json()["id"].as_str().unwrap().to_owned();
        test.faults(json!([{ "times": 1, "fault": fault }])).await;
        let path = format!("/sobjects/Contact/{id}");
        assert!(test.try_call("DELETE", &path, Json::Null).await.is_err(), "{key}");
        assert_eq!(test.ledger(key).await.unwrap()["deleted"], 1, "{key}");
    }
}

#[tokio::test]
async fn a_packed_answer_is_cut_too_however_short_it_is() {
    let test = Test::start("").await;
    let bearer = format!("Bearer {}", test.token);
    let headers = [("authorization", bearer.as_str()), ("accept-encoding", "gzip")];
    let path = format!("{DATA}/sobjects/Contact/describe");
    let ask = Ask { method: "GET", path: &path, headers: &headers, ..Ask::default() };
    let whole = test.send(&ask).await.unwrap();
    assert_eq!(whole.header("content-encoding"), "gzip");
    let cut = |kind: &str, name: &str| json!([{ "fault": { "kind": kind, name: 1_000_000 } }]);
    test.faults(cut("truncate", "bytes")).await;
    let reply = test.send(&ask).await.unwrap();
    assert_eq!(reply.body, whole.body.slice(..whole.body.len() - 1));
    test.faults(cut("drop", "after_bytes")).await;
    assert!(test.send(&ask).await.is_err(), "it came whole");
}

#[tokio::test]
async fn an_answer_is_cut_or_slow() {
    let (_, cut) = under(json!({ "kind": "truncate", "bytes": 10 })).await;
    assert_eq!((cut.status, cut.header("content-length"), cut.body.len()), (200, "10", 10));
    let (_, slow) = under(json!({ "kind": "drip", "bytes": 100, "every": "1ms" })).await;
    assert_eq!(slow.json()["DailyApiRequests"]["Max"], 100_000);
}

#[tokio::test]
async fn calls_about_a_job_are_known_by_its_object() {
    let test = Test::start("").await;
    for (object, status) in [("Contact", 502), ("Account", 200)] {
        let job = json!({ "object": object, "operation": "insert" });
        let job = test.call("POST", "/jobs/ingest", job).await.json();
        let when = json!({ "api": "bulk.poll", "object": "Contact" });
        test.faults(json!([{ "when": when, "fault": { "kind": "bad_gateway" } }])).await;
        let path = format!("/jobs/ingest/{}", job["id"].as_str().unwrap());
        assert_eq!(test.call("GET", &path, Json::Null).await.status, status, "{object}");
    }
}

#[tokio::test]
async fn the_same_seed_hits_the_same_calls() {
    let mut runs = Vec::new();
    for seed in [7, 7, 8] {
        let test = Test::start("").await;
        let rule = json!({ "probability": 0.5, "fault": { "kind": "bad_gateway" } });
        let rules = json!({ "seed": seed, "rules": [rule] });
        assert_eq!(test.sim("POST", "/faults", rules).await.status, 204);
        let mut statuses = Vec::new();
        for _ in 0..20 {
            statuses.push(test.call("GET", "/limits", Json::Null).await.status);
        }
        runs.push(statuses);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[tokio::test]
async fn rules_are_shown_with_their_counts_and_cleared() {
    let test = Test::start("").await;
    test.faults(json!([{ "skip": 1, "times": 1, "fault": { "kind": "bad_gateway" } }])).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(test.call("GET", "/limits", Json::Null).await.status);
    }
    assert_eq!(statuses, [200, 502, 200]);
    let shown = test.sim("GET", "/faults", Json::Null).await.json();
    assert_eq!(
        (&shown["rules"][0]["matched"], &shown["rules"][0]["fired"]),
        (&json!(3), &json!(1))
    );
    test.sim("DELETE", "/faults", Json::Null).await;
    assert_eq!(test.sim("GET", "/faults", Json::Null).await.json()["rules"], json!([]));
    let wrong =
        test.sim("POST", "/faults", json!({ "rules": [{ "fault": { "kind": "x" } }] })).await;
    assert!(
        wrong.status == 400 && wrong.text().contains("unknown variant `x`"),
        "{}",
        wrong.text()
    );
}
