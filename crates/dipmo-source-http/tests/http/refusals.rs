//! What is not taken: told with a status, a problem document and its place, and never stored.

use std::sync::Arc;

use reqwest::RequestBuilder;
use serde_json::json;

use crate::rig::{Answer, Folder, Running, SHOP, options, rows};

const ORDER: &str = r#"{"orderId":"O-1"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn each_refusal_has_its_status_and_its_code() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let url = format!("http://{}/orders/publish", running.address);
    let post = |key: &str, body: &str| running.post("/orders/publish", Some(key), body);
    let plain = |kind: &str| {
        let request = running.client.post(&url).bearer_auth(SHOP).header("idempotency-key", "K");
        request.header("content-type", kind.to_owned()).body(ORDER)
    };
    let long = format!(r#"{{"orderId":"{}"}}"#, "x".repeat(10_000));
    let cases: Vec<(RequestBuilder, u16, &str)> = vec![
        (running.client.post(&url).body(ORDER), 401, "http-unauthorized"),
        (
            running.client.post(&url).bearer_auth("wrong-token-of-the-shop"),
            401,
            "http-unauthorized",
        ),
        (running.client.post(&url).basic_auth("shop", Some(SHOP)), 401, "http-unauthorized"),
        (running.client.get(format!("{url}/nothing")), 401, "http-unauthorized"),
        (running.post("/orders", Some("K"), ORDER), 404, "http-path-unknown"),
        (running.get_as(SHOP, "/orders/publish"), 405, "http-method-unknown"),
        (plain("text/plain"), 415, "http-media-type-unknown"),
        (
            plain("application/json").header("content-encoding", "gzip"),
            415,
            "http-media-type-unknown",
        ),
        (post("a b", ORDER), 400, "http-key-invalid"),
        (post("K", "{\"orderId\":\n oops}"), 400, "json-malformed"),
        (post("K", ""), 400, "json-malformed"),
        (post("K", &long), 413, "http-body-too-large"),
        (post("K", "{}"), 422, "http-schema-violated"),
    ];
    for (request, status, code) in cases {
        let answer = Answer::to(request).await;
        assert_eq!((answer.status, answer.code()), (status, code), "{answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        assert_eq!(answer.body["status"], status);
        assert_eq!(answer.body["type"], format!("urn:dipmo:error:{code}"));
    }
    assert!(rows(&store).await.is_empty());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_says_what_to_do() {
    let folder = Folder::new();
    let running = Running::new(options(), folder.store().await as _).await;
    let url = format!("http://{}/orders/publish", running.address);
    let stranger = Answer::to(running.client.post(&url)).await;
    assert_eq!(stranger.header("www-authenticate"), Some("Bearer realm=\"dipmo\""));
    let reader = Answer::to(running.get_as(SHOP, "/orders/publish")).await;
    assert_eq!(reader.header("allow"), Some("POST"));
    let broken = Answer::to(running.post("/notes", None, "{\n  oops}")).await;
    let detail = broken.body["detail"].as_str().unwrap();
    assert!(detail.contains("line 2 column 3"), "{detail}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_schema_point_at_the_fields_and_show_no_value() {
    let folder = Folder::new();
    let running = Running::new(options(), folder.store().await as _).await;
    let body = r#"{"orderId":{"card":"4111111111111111"},"quantity":0}"#;
    let answer = Answer::to(running.post("/orders/publish", Some("K-1"), body)).await;
    let mut pointers: Vec<_> =
        answer.body["errors"].as_array().unwrap().iter().map(|it| it["pointer"].clone()).collect();
    pointers.sort_by_key(ToString::to_string);
    assert_eq!(pointers, [json!("/orderId"), json!("/quantity")]);
    assert!(!answer.body.to_string().contains("4111"), "{}", answer.body);
    running.stop().await;
}
