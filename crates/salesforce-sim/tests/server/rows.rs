//! Rows that a test wants to be refused.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::client::{Reply, Test};

#[tokio::test]
async fn rows_are_refused() {
    let test = Test::start("").await;
    test.faults(json!([
        { "when": { "object": "Contact", "keys": ["E-1"] }, "times": 1, "fault": { "kind": "row_lock" } },
        {
            "when": { "object": "Contact", "keys": ["E-2"] },
            "fault": {
                "kind": "row_refusal", "code": "FIELD_CUSTOM_VALIDATION_EXCEPTION",
                "message": "Not on a Monday", "fields": ["LastName"],
            },
        },
    ]))
    .await;
    assert_eq!(test.upsert("E-1", 1).await.unwrap().refusal().1, "UNABLE_TO_LOCK_ROW");
    assert_eq!(test.upsert("E-1", 1).await.unwrap().status, 201);
    let refused = test.upsert("E-2", 1).await.unwrap();
    let expected = json!([{
        "message": "Not on a Monday", "errorCode": "FIELD_CUSTOM_VALIDATION_EXCEPTION",
        "fields": ["LastName"],
    }]);
    assert_eq!((refused.status, refused.json()), (400, expected));
    assert_eq!(test.applied("E-2").await.0, 0);
}

/// Upserts contacts by Collections.
async fn upsert_all(test: &Test, keys: &[&str]) -> Reply {
    let record = |key: &&str| json!({ "attributes": { "type": "Contact" }, "ExternalId__c": key, "LastName": "L" });
    let records: Vec<Json> = keys.iter().map(record).collect();
    let body = json!({ "allOrNone": false, "records": records });
    test.call("PATCH", "/composite/sobjects/Contact/ExternalId__c", body).await
}

/// How often the first rule has fired.
async fn fired(test: &Test) -> Json {
    test.sim("GET", "/faults", Json::Null).await.json()["rules"][0]["fired"].clone()
}

#[tokio::test]
async fn a_locked_row_is_refused_in_its_place() {
    let test = Test::start("").await;
    let rule = json!({ "when": { "keys": ["E-2"] }, "fault": { "kind": "row_lock" } });
    test.faults(json!([rule])).await;
    let message = "unable to obtain exclusive access to this record or 1 records";
    let reply = upsert_all(&test, &["E-1", "E-2", "E-3"]).await;
    let results = reply.json();
    let success: Vec<bool> = (0..3).map(|at| results[at]["success"] == true).collect();
    assert_eq!((reply.status, success), (200, vec![true, false, true]));
    let error = json!({ "statusCode": "UNABLE_TO_LOCK_ROW", "message": message, "fields": [] });
    assert_eq!(results[1]["errors"], json!([error]));
    let single = test.upsert("E-2", 1).await.unwrap();
    let error = json!({ "errorCode": "UNABLE_TO_LOCK_ROW", "message": message, "fields": [] });
    assert_eq!((single.status, single.json()), (400, json!([error])));
}

#[tokio::test]
async fn an_attempt_that_met_a_real_lock_uses_no_rule_up() {
    let test = Test::start("locks: { wait: 60s }\n").await;
    let id = test.upsert("A", 1).await.unwrap().json()["id"].clone();
    let rule = json!({ "when": { "keys": ["B"] }, "times": 1, "fault": { "kind": "row_lock" } });
    test.faults(json!([rule])).await;
    let start = Instant::now();
    let lock = json!({ "object": "Contact", "ids": [id], "hold": "3s" });
    assert_eq!(test.sim("POST", "/locks", lock).await.status, 204);
    let results = upsert_all(&test, &["A", "B"]).await.json();
    assert!(start.elapsed() >= Duration::from_secs(3), "it did not wait");
    assert_eq!((&results[0]["success"], &results[1]["success"]), (&json!(true), &json!(false)));
    assert_eq!(results[1]["errors"][0]["statusCode"], "UNABLE_TO_LOCK_ROW");
    assert_eq!(fired(&test).await, 1);
}

#[tokio::test]
async fn a_row_that_is_refused_anyway_uses_no_rule_up() {
    let test = Test::start("").await;
    let rule = json!({ "when": { "keys": ["A"] }, "times": 1, "fault": { "kind": "row_lock" } });
    test.faults(json!([rule])).await;
    let invalid = test.call("PATCH", "/sobjects/Contact/ExternalId__c/A", json!({})).await;
    assert_eq!(invalid.refusal().1, "REQUIRED_FIELD_MISSING");
    assert_eq!(fired(&test).await, 0);
    assert_eq!(test.upsert("A", 1).await.unwrap().refusal().1, "UNABLE_TO_LOCK_ROW");
    assert_eq!(test.upsert("A", 1).await.unwrap().status, 201);
}

#[tokio::test]
async fn a_deletion_that_a_child_forbids_uses_no_rule_up() {
    let test = Test::start("").await;
    let insert = async |object: &str, record: Json| {
        let reply = test.call("POST", &format!("/sobjects/{object}"), record).await;
        reply.json()["id"].as_str().unwrap_or_else(|| panic!("{}", reply.text())).to_owned()
    };
    let delete = async |object: &str, id: &str| {
        test.call("DELETE", &format!("/sobjects/{object}/{id}"), Json::Null).await
    };
    let family = insert("Family__c", json!({ "Name": "Doe" })).await;
    let child = insert("Block__c", json!({ "Name": "B", "Family__c": family })).await;
    let rule = json!({ "when": { "keys": [family] }, "times": 1, "fault": { "kind": "row_lock" } });
    test.faults(json!([rule])).await;
    assert_eq!(delete("Family__c", &family).await.refusal().1, "DELETE_FAILED");
    assert_eq!(fired(&test).await, 0);
    assert_eq!(delete("Block__c", &child).await.status, 204);
    assert_eq!(delete("Family__c", &family).await.refusal().1, "UNABLE_TO_LOCK_ROW");
    assert_eq!(delete("Family__c", &family).await.status, 204);
}
