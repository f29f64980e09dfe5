//! Reports: what the store counted, as people and programs are told it.

use std::time::Duration;

use dipmo_admin::{AppOptions, Promise, Promises, Role, Shown, Target};
use dipmo_domain::Json;
use dipmo_inbox::{Inbox as _, NewMessage, Record};
use dipmo_store::admin::{Fleet as _, InstanceReport, Objective, Slo as _, SloCount};
use serde_json::{Value, json};

use crate::rig::{CANARY, Rig};

#[tokio::test(flavor = "multi_thread")]
async fn ageing_tells_each_way_to_stand_and_its_ages() {
    let (rig, _) = Rig::new().await;
    rig.by_hand("UPDATE inbox_exception SET logged_at = logged_at - 90000000 WHERE held = 1");
    let answer = rig.get(Role::Viewer, "/reports/ageing").await;
    let ageing = answer.is(200);
    assert_eq!(ageing["complete"], true);
    let ways: Vec<_> = ageing["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            json!([row["side"], row["destination"], row["status"], row["waits"], row["count"]])
        })
        .collect();
    let expected = [
        json!(["inbox", null, "FAILED", null, 1]),
        json!(["inbox", null, "RECEIVED", "held", 1]),
        json!(["inbox", null, "SERDE_ERROR", null, 1]),
        json!(["outbox", "KAFKA:out", "FAILED", null, 1]),
    ];
    assert_eq!(ways, expected);
    let held = &ageing["rows"][1];
    let ages = json!({"minute": 0, "five_minutes": 1, "hour": 0, "day": 0, "older": 0});
    assert_eq!(held["ages"], ages);
    assert!(held["oldest_age_seconds"].as_f64().unwrap() >= 90.0, "{held}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_kafka_had_is_masked_unless_a_rule_shows_keys() {
    for (keys, expected) in [(false, "•••"), (true, CANARY)] {
        let shown = Shown::new([], [], keys).unwrap();
        let rig = Rig::with(AppOptions { shown, ..AppOptions::default() }).await;
        let record = Record {
            topic: "orders".to_owned(),
            key: Some(CANARY.as_bytes().to_vec()),
            value: Some(b"{}".to_vec()),
            ..Record::default()
        };
        let message = NewMessage::from_record(&record, &dipmo_inbox::Identity::default());
        rig.store.store(&[message], &[]).await.unwrap();
        rig.by_hand(&format!(
            "INSERT INTO inbox_exception (id, logged_at, queue, lane, order_key, status, attempts, held)
             SELECT id, received_at, '', lane, '{CANARY}', 'RETRY', 1, 0 FROM inbox_log"
        ));
        let answer = rig.get(Role::Viewer, "/reports/hot").await;
        assert_eq!(answer.is(200)["keys"][0]["key"], expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hot_names_the_head_that_others_wait_for() {
    let (rig, world) = Rig::new().await;
    let answer = rig.get(Role::Viewer, "/reports/hot?limit=2").await;
    let hot = answer.is(200);
    let key = &hot["keys"][0];
    assert_eq!((&key["key"], &key["waiting"]), (&json!("O-3"), &json!(1)), "{hot}");
    assert_eq!(key["head"], Value::from(world.rejected.0));
    assert_eq!(
        (&hot["lanes"][0]["side"], &hot["lanes"][0]["waiting"]),
        (&json!("inbox"), &json!(1))
    );
    assert_eq!(
        (hot["recent"][0]["aggregate"].as_str(), &hot["recent"][0]["messages"]),
        (Some("O-1"), &json!(3))
    );
    assert_eq!(hot["recent"].as_array().unwrap().len(), 2, "no more than asked: {hot}");
}

/// An instance that says so much of itself.
async fn tells(rig: &Rig, name: &str, report: &Value) {
    let told = InstanceReport {
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
        roles: "process".to_owned(),
        report: Json::of(report).unwrap(),
    };
    rig.store.report(&told).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn throughput_is_that_of_all_who_told_lately() {
    let rig = Rig::empty().await;
    let nobody = rig.get(Role::Viewer, "/throughput").await;
    assert_eq!(
        (&nobody.is(200)["instances"], &nobody.body["per_second"]),
        (&json!(0), &Value::Null)
    );
    let rates =
        |rate: f64| json!({"received": rate, "processed": 1.5, "dispatched": 0.0, "failed": -9.0});
    tells(&rig, "a", &json!({"per_second": rates(2.5)})).await;
    tells(&rig, "b", &json!({"per_second": rates(1.0)})).await;
    tells(&rig, "gone", &json!({"per_second": rates(1_000.0)})).await;
    rig.by_hand("UPDATE dipmo_instance SET seen_at = seen_at - 31000000 WHERE name = 'gone'");
    // It has just started, or is older than this figure, or says something else.
    tells(&rig, "new", &json!({"per_second": null})).await;
    tells(&rig, "old", &json!({"ready": true})).await;
    tells(&rig, "odd", &json!({"per_second": "many"})).await;
    let answer = rig.get(Role::Viewer, "/throughput").await;
    assert_eq!(answer.is(200)["instances"], 2);
    let all = json!({"received": 3.5, "processed": 3.0, "dispatched": 0.0, "failed": 0.0});
    assert_eq!(answer.body["per_second"], all);
    let events = rig.get(Role::Viewer, "/events").await;
    assert!(events.text.contains(r#""per_second":{"received":3.5,"#), "{}", events.text);
}

/// A rig whose configuration promises two things over a day.
async fn promising() -> Rig {
    let promise = |objective, share| Promise { objective, target: Target::of(share).unwrap() };
    let within = Duration::from_secs(60);
    let all =
        vec![promise(Objective::Latency { within }, 0.99), promise(Objective::Delivered, 1.0)];
    let promises = Some(Promises { window: Duration::from_secs(24 * 3_600), all });
    Rig::with(AppOptions { promises, ..AppOptions::default() }).await
}

async fn counted(rig: &Rig, name: &str, good: u64, total: u64) {
    let count = SloCount { name: name.to_owned(), good, total };
    rig.store.add_slo(&[count]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_of_a_budget_is_told_with_how_fast_it_goes() {
    let rig = promising().await;
    counted(&rig, "latency 60000ms", 9_900, 10_000).await;
    // Two days ago, eight hours ago, and what another time promised.
    rig.by_hand(
        "INSERT INTO dipmo_slo SELECT hour - 48 * 3600000000, name, 0, 5000 FROM dipmo_slo",
    );
    rig.by_hand(
        "INSERT INTO dipmo_slo SELECT max(hour) - 8 * 3600000000, name, 9950, 10000 FROM dipmo_slo",
    );
    counted(&rig, "latency 5000ms", 0, 9).await;
    let answer = rig.get(Role::Viewer, "/reports/slo").await;
    let report = answer.is(200);
    assert_eq!(report["window_seconds"], 86_400);
    let latency = &report["objectives"][0];
    let expected = json!({
        "objective": "latency", "within_seconds": 60.0, "target": 0.99,
        "good": 19_850, "total": 20_000, "share": 0.9925, "allowed": 200.0, "used": 150,
        "left": 0.25, "used_up": false, "burn_1h": 1.0, "burn_6h": 1.0, "used_up_in_seconds": null,
    });
    for (field, expected) in expected.as_object().unwrap() {
        match (latency[field].as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) => {
                assert!((found - expected).abs() < 1e-9, "{field}: {latency}");
            }
            _ => assert_eq!(latency[field], *expected, "{field}: {latency}"),
        }
    }
    assert!(latency["since"].as_str().unwrap() < report["at"].as_str().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_promised_and_nothing_counted_are_said_so() {
    let rig = Rig::empty().await;
    let answer = rig.get(Role::Viewer, "/reports/slo").await;
    let (window, objectives) = (&answer.is(200)["window_seconds"], &answer.body["objectives"]);
    assert_eq!((window, objectives), (&Value::Null, &json!([])));

    let rig = promising().await;
    let answer = rig.get(Role::Viewer, "/reports/slo").await;
    let delivered = &answer.is(200)["objectives"][1];
    for field in ["share", "left", "burn_1h", "burn_6h", "since", "within_seconds"] {
        assert_eq!(delivered[field], Value::Null, "{field}: {delivered}");
    }
    assert_eq!((&delivered["total"], &delivered["used_up"]), (&json!(0), &json!(false)));

    // Where nothing may go wrong, one is too much.
    counted(&rig, "delivered", 8, 9).await;
    let answer = rig.get(Role::Viewer, "/reports/slo").await;
    let delivered = &answer.is(200)["objectives"][1];
    assert_eq!((&delivered["used_up"], &delivered["left"]), (&json!(true), &json!(0.0)));
}
