//! What the simulator tells about itself.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::client::Test;

#[tokio::test]
async fn the_ledger_has_every_write_in_order() {
    let test = Test::start("").await;
    for (key, version) in [("A", 1), ("B", 1), ("A", 2), ("A", 2)] {
        test.upsert(key, version).await.unwrap();
    }
    let ledger =
        test.sim("GET", "/ledger?object=Contact&field=ExternalId__c", Json::Null).await.json();
    assert_eq!((&ledger["object"], &ledger["field"]), (&json!("Contact"), &json!("ExternalId__c")));
    let entries = ledger["entries"].as_array().unwrap();
    let short: Vec<Json> = entries
        .iter()
        .map(|entry| json!([entry["key"], entry["applied"], entry["sequence"], entry["kinds"]]))
        .collect();
    assert_eq!(
        short,
        [
            json!(["A", 3, [1, 3, 4], ["created", "updated", "updated"]]),
            json!(["B", 1, [2], ["created"]]),
        ]
    );
    let (_, versions) = test.applied("A").await;
    assert_eq!(versions, [json!(1), json!(2), json!(2)]);
    for (path, status) in [
        ("/ledger", 400),
        ("/ledger?object=Nothing", 404),
        ("/ledger?object=Contact&field=Email", 400),
        ("/nothing", 404),
    ] {
        assert_eq!(test.sim("GET", path, Json::Null).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn the_ledger_is_about_keys_and_not_about_records() {
    let more = "objects: { Order__c: { fields: { \
                Number__c: { type: double, precision: 9, scale: 0, external_id: true }, \
                Code__c: { type: string, length: 9, external_id: true } } } }\n";
    let test = Test::start(more).await;
    let orders = "/sobjects/Order__c";
    let mut ids = Vec::new();
    for _ in 0..2 {
        let path = format!("{orders}/Number__c/7");
        let made = test.call("PATCH", &path, json!({ "Code__c": "A" })).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let id = made.json()["id"].as_str().unwrap().to_owned();
        // It becomes another key, and goes.
        test.call("PATCH", &path, json!({ "Code__c": "B" })).await;
        test.call("PATCH", &format!("{orders}/{id}"), json!({ "Number__c": 8 })).await;
        test.call("DELETE", &format!("{orders}/{id}"), Json::Null).await;
        ids.push(json!(id));
    }
    test.call("POST", orders, json!({})).await;
    let short = async |field: &str| {
        let path = format!("/ledger?object=Order__c&field={field}");
        let ledger = test.sim("GET", &path, Json::Null).await.json();
        let entries = ledger["entries"].as_array().unwrap().iter();
        let short: Vec<Json> = entries
            .map(|entry| {
                let counts = json!([entry["applied"], entry["deleted"]]);
                json!([entry["key"], entry["ids"], counts, entry["sequence"]])
            })
            .collect();
        (ledger["withoutKey"].as_u64().unwrap(), short)
    };
    assert_eq!(
        short("Number__c").await,
        (1, vec![json!([7, ids, [4, 0], [1, 2, 5, 6]]), json!([8, ids, [2, 2], [3, 4, 7, 8]]),])
    );
    assert_eq!(
        short("Code__c").await,
        (
            1,
            vec![json!(["A", ids, [2, 0], [1, 5]]), json!(["B", ids, [4, 2], [2, 3, 4, 6, 7, 8]]),]
        )
    );
}

#[tokio::test]
async fn a_ledger_of_many_is_streamed_whole() {
    let test = Test::start("").await;
    for page in 0..6 {
        let records: Vec<Json> = (0..200)
            .map(|row| {
                let key = format!("E-{}", page * 200 + row);
                json!({ "attributes": { "type": "Contact" }, "ExternalId__c": key, "LastName": "L" })
            })
            .collect();
        let body = json!({ "records": records });
        let reply = test.call("PATCH", "/composite/sobjects/Contact/ExternalId__c", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let ledger = test.sim("GET", "/ledger?object=Contact", Json::Null).await.json();
    let entries = ledger["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1200);
    assert!(entries.iter().all(|entry| entry["applied"] == 1));
}

#[tokio::test]
async fn records_are_shown_with_their_history() {
    let test = Test::start("").await;
    for key in ["A", "B", "C"] {
        test.upsert(key, 1).await.unwrap();
    }
    test.upsert("B", 2).await.unwrap();
    let page = test.sim("GET", "/records/Contact?limit=2&offset=1", Json::Null).await.json();
    assert_eq!(
        (&page["total"], &page["records"][1]["fields"]["ExternalId__c"]),
        (&json!(3), &json!("C"))
    );
    let found = test.sim("GET", "/records/Contact?ExternalId__c=B", Json::Null).await.json();
    let record = &found["records"][0];
    assert_eq!((&found["total"], &record["writes"]), (&json!(1), &json!(2)));
    let id = record["id"].as_str().unwrap();
    test.call("DELETE", &format!("/sobjects/Contact/{id}"), Json::Null).await;
    let one = test.sim("GET", &format!("/records/contact/{id}"), Json::Null).await.json();
    assert_eq!(one["deleted"], true);
    let kinds: Vec<&Json> =
        one["history"].as_array().unwrap().iter().map(|write| &write["kind"]).collect();
    assert_eq!(kinds, ["created", "updated", "deleted"]);
    assert_eq!(one["history"][1]["tracked"]["Version__c"], 2);
    assert_eq!(test.sim("GET", "/records/Contact?No=1", Json::Null).await.status, 400);
}

#[tokio::test]
async fn calls_are_logged_with_their_sizes() {
    let test = Test::start("").await;
    test.upsert("A", 1).await.unwrap();
    test.call("GET", "/limits", Json::Null).await;
    let calls = test.sim("GET", "/calls?api=sobject", Json::Null).await.json();
    let call = &calls["calls"][0];
    assert_eq!(
        (&call["method"], &call["status"], &call["rows"]),
        (&json!("PATCH"), &json!(201), &json!(1))
    );
    assert_eq!(call["bytesIn"], r#"{"LastName":"L","Version__c":1}"#.len());
    assert!(call["bytesOut"].as_u64().unwrap() > 40, "{call}");
    let after = format!("/calls?after={}", call["id"]);
    let later = test.sim("GET", &after, Json::Null).await.json();
    assert_eq!(later["calls"].as_array().unwrap().len(), 1);
    let counters = test.sim("GET", "/counters", Json::Null).await.json();
    assert_eq!(
        counters["calls"],
        json!({ "limits": { "200": 1 }, "oauth": { "200": 1 }, "sobject": { "201": 1 } })
    );
    assert_eq!((&counters["panics"], &counters["writes"]), (&json!(0), &json!(1)));
}

#[tokio::test]
async fn a_reset_forgets_all_but_who_is_logged_in() {
    let test = Test::start("limits: { daily_requests: 3 }\n").await;
    test.faults(json!([{ "skip": 9, "fault": { "kind": "bad_gateway" } }])).await;
    for _ in 0..3 {
        test.upsert("A", 1).await.unwrap();
    }
    assert_eq!(test.upsert("A", 1).await.unwrap().status, 403);
    assert_eq!(test.sim("POST", "/reset", Json::Null).await.status, 204);
    assert_eq!(test.applied("A").await.0, 0);
    assert_eq!(test.sim("GET", "/faults", Json::Null).await.json()["rules"], json!([]));
    assert_eq!(test.sim("GET", "/calls", Json::Null).await.json()["calls"], json!([]));
    assert_eq!(test.upsert("A", 1).await.unwrap().status, 201);
    test.sim("POST", "/reset?sessions=true", Json::Null).await;
    assert_eq!(test.upsert("A", 1).await.unwrap().status, 401);
}

#[tokio::test]
async fn a_call_of_before_a_reset_does_nothing_after_it() {
    let test = Test::start("").await;
    test.faults(json!([{ "times": 1, "fault": { "kind": "delay", "delay": "4s" } }])).await;
    let reset = async {
        while test.sim("GET", "/faults", Json::Null).await.json()["rules"][0]["fired"] == 0 {}
        assert_eq!(test.sim("POST", "/reset", Json::Null).await.status, 204);
    };
    let (late, ()) = tokio::join!(test.upsert("A", 1), reset);
    assert_eq!(late.unwrap().refusal().1, "SERVER_UNAVAILABLE");
    assert_eq!(test.applied("A").await.0, 0);
    let counters = test.sim("GET", "/counters", Json::Null).await.json();
    assert_eq!(
        (&counters["calls"], &counters["requests"], &counters["faults"]),
        (&json!({}), &json!(0), &json!({}))
    );
}

#[tokio::test]
async fn a_reset_takes_time_and_refresh_tokens_back() {
    let test = Test::start("").await;
    let now = async |by: &str| {
        let reply = test.sim("POST", "/clock", json!({ "advance": by })).await.json();
        reply["now"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap()
    };
    let start = now("0s").await;
    now("48h").await;
    let refresh = "grant_type=refresh_token&client_id=app&refresh_token=refresh-1";
    test.form("/services/oauth2/revoke", "token=refresh-1", &[]).await;
    assert_eq!(test.login(refresh).await.status, 400);
    test.sim("POST", "/reset", Json::Null).await;
    assert_eq!(test.login(refresh).await.status, 200);
    assert!(now("0s").await.duration_since(start).as_hours() < 24);
}

#[tokio::test]
async fn a_lock_delays_a_write_or_refuses_it() {
    for (wait, hold, times) in [("60s", "3s", 2), ("20ms", "10m", 1)] {
        let test = Test::start(&format!("locks: {{ wait: {wait} }}\n")).await;
        let id = test.upsert("A", 1).await.unwrap().json()["id"].clone();
        let start = Instant::now();
        let lock = json!({ "object": "Contact", "ids": [id], "hold": hold });
        assert_eq!(test.sim("POST", "/locks", lock).await.status, 204);
        let reply = test.upsert("A", 2).await.unwrap();
        assert_eq!(test.applied("A").await.0, times);
        if times == 2 {
            assert!(start.elapsed() >= Duration::from_secs(3), "it did not wait");
        } else {
            assert_eq!(reply.refusal().1, "UNABLE_TO_LOCK_ROW");
        }
    }
}

/// A composite of records that may change places; answers the order in which they were made.
async fn order_of_composite(locked: bool) -> Vec<Json> {
    let test = Test::start("locks: { wait: 60s }\n").await;
    let id = test.upsert("A", 1).await.unwrap().json()["id"].clone();
    if locked {
        let lock = json!({ "object": "Contact", "ids": [id], "hold": "2s" });
        assert_eq!(test.sim("POST", "/locks", lock).await.status, 204);
    }
    let upsert = |key: &str| {
        let url = format!("/services/data/v62.0/sobjects/Contact/ExternalId__c/{key}");
        json!({ "method": "PATCH", "url": url, "referenceId": key, "body": { "LastName": "L" } })
    };
    let subrequests: Vec<Json> = ["A", "B", "C", "D", "E", "F", "G", "H"].map(upsert).into();
    let composite = test.call("POST", "/composite", json!({ "compositeRequest": subrequests }));
    let job = async {
        let job = json!({ "object": "Contact", "operation": "insert" });
        let job = test.call("POST", "/jobs/ingest", job).await.json();
        let path = format!("/jobs/ingest/{}", job["id"].as_str().unwrap());
        test.put_csv(&format!("{path}/batches"), "LastName\nDoe\n").await;
        test.call("PATCH", &path, json!({ "state": "UploadComplete" })).await
    };
    let (reply, closed) = tokio::join!(composite, job);
    assert_eq!((reply.status, closed.status), (200, 200), "{}", reply.text());
    let ledger = test.sim("GET", "/ledger?object=Contact", Json::Null).await.json();
    ledger["entries"].as_array().unwrap().iter().map(|entry| entry["key"].clone()).collect()
}

#[tokio::test]
async fn a_call_that_runs_again_after_a_lock_draws_the_same() {
    let order = order_of_composite(false).await;
    assert_eq!(order.len(), 8);
    assert!(!order.is_sorted_by_key(|key| key.as_str()), "nothing changed places: {order:?}");
    assert_eq!(order_of_composite(true).await, order);
}

#[tokio::test]
async fn the_schema_is_shown_as_it_was_understood() {
    let more = "objects: { Order__c: { fields: { Number__c: { type: string, length: 9, external_id: true } }, track: [] } }\n";
    let test = Test::start(more).await;
    let schema = test.sim("GET", "/schema", Json::Null).await.json();
    let field = &schema["objects"]["Order__c"]["fields"]["Number__c"];
    assert_eq!(
        (&field["type"], &field["length"], &field["externalId"]),
        (&json!("string"), &json!(9), &json!(true))
    );
    assert!(test.sim("GET", "", Json::Null).await.json()["endpoints"].is_array());
}
