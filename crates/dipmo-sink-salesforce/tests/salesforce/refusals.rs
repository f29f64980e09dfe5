//! The table of error classes: what each answer of Salesforce means for units and destinations.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dipmo_domain::{Destination, Value};
use dipmo_outbox::{Attempt, Delivery, Published, Publisher as _, Readiness};
use serde_json::{Value as Json, json};

use crate::support::{
    World, blocks, carried, contacts, is_delivered, member, refused, retried, unit, units,
};

const TO: &str = "HTTP:SFDC:Collections:Contact";

fn contact(number: i64) -> Delivery {
    let key = format!("C-{number}");
    unit(TO, number, &key, &json!({ "lastName": "Ada", "version": number }))
}

/// A row of C-1 that is refused for good or for so many times.
fn refusal(code: &str, message: &str, times: u32) -> Json {
    let fault = json!({ "kind": "row_refusal", "code": code, "message": message });
    json!([{ "when": { "keys": ["C-1"] }, "times": times, "fault": fault }])
}

fn readiness(world: &World) -> Readiness {
    world.publisher.readiness(&TO.parse::<Destination>().unwrap())
}

/// Waits for as long as the destination says that it is not ready.
async fn until_ready(world: &World) {
    while let Readiness::Later { after, .. } = readiness(world) {
        tokio::time::sleep(after).await;
    }
}

#[tokio::test]
async fn permanent_refusals_fail_with_the_code_and_the_message_of_salesforce() {
    for code in [
        "REQUIRED_FIELD_MISSING",
        "STRING_TOO_LONG",
        "INVALID_FIELD",
        "FIELD_CUSTOM_VALIDATION_EXCEPTION",
        "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
        "INVALID_CROSS_REFERENCE_KEY",
        "MALFORMED_ID",
        "DUPLICATES_DETECTED",
        "DUPLICATE_EXTERNAL_ID",
        "ENTITY_IS_DELETED",
        "INSUFFICIENT_ACCESS_OR_READONLY",
        "NOT_FOUND",
        "JSON_PARSER_ERROR",
        "CANNOT_EXECUTE_FLOW_TRIGGER",
    ] {
        for api in ["Collections", "Rest", "Composite", "Graph"] {
            let world = World::new(vec![carried()]).await;
            world.faults(refusal(code, "of its own", 9));
            let to = format!("HTTP:SFDC:{api}:Contact");
            let slice = [1, 2]
                .map(|number| Delivery { destination: to.parse().unwrap(), ..contact(number) });
            let answers = world.publish(&slice).await;
            let (failed, message) = refused(&answers[0]);
            assert_eq!(failed, code, "{api}");
            assert!(message.contains("of its own") && message.starts_with(&to), "{message}");
            assert!(is_delivered(&answers[1]), "{api} {code}: {answers:?}");
            assert_eq!(world.publisher.readiness(&to.parse().unwrap()), Readiness::Ready);
        }
    }
}

#[tokio::test]
async fn a_value_that_does_not_fit_names_the_destination_and_the_field() {
    for api in ["Collections", "Rest", "Composite", "Graph"] {
        let world = World::new(vec![carried()]).await;
        let to = format!("HTTP:SFDC:{api}:Contact");
        let long = json!({ "lastName": "x".repeat(81), "version": 1 });
        let answers = world.publish(&[unit(&to, 1, "C-1", &long)]).await;
        let (code, message) = refused(&answers[0]);
        assert_eq!(code, "STRING_TOO_LONG");
        assert!(message.starts_with(&format!("{to}, LastName: ")), "{message}");
    }
}

#[tokio::test]
async fn a_busy_or_broken_edge_is_tried_again_later() {
    for (fault, code) in [
        ("unavailable", "salesforce-unavailable"),
        ("too_many_requests", "salesforce-too-many-requests"),
        ("server_error", "UNKNOWN_EXCEPTION"),
    ] {
        let world = World::new(vec![carried()]).await;
        world
            .faults(json!([{ "when": { "api": "rest" }, "times": 1, "fault": { "kind": fault } }]));
        let answers = world.publish(&[contact(1)]).await;
        assert_eq!(retried(&answers[0]), (code, None));
        assert!(world.ledger("Contact").is_empty());
        assert!(is_delivered(&world.publish(&[contact(1)]).await[0]));
    }
}

#[tokio::test]
async fn retry_after_is_honoured_and_nothing_is_sent_before() {
    for retry_after in [json!(5), json!({ "date_in": 5 })] {
        let world = World::new(vec![carried()]).await;
        let fault = json!({ "kind": "unavailable", "retry_after": retry_after });
        world.faults(json!([{ "when": { "api": "rest" }, "times": 1, "fault": fault }]));
        let answers = world.publish(&[contact(1)]).await;
        let (_, after) = retried(&answers[0]);
        let seconds = |after: Duration| (3.5..=5.5).contains(&after.as_secs_f64());
        assert!(after.is_some_and(seconds), "{after:?}");
        let Readiness::Later { after, .. } = readiness(&world) else { panic!("it is ready") };
        assert!(after <= Duration::from_secs(6), "{after:?}");
        let sent = world.writes().len();
        assert_eq!(world.publish(&[contact(2)]).await, [Published::NotTried]);
        assert_eq!(world.writes().len(), sent);
    }
}

#[tokio::test]
async fn an_outage_costs_few_attempts_and_nothing_is_sent_while_the_breaker_is_open() {
    let open = Duration::from_millis(400);
    let world = World::with(vec![carried()], |options| {
        let breaker = &mut options.resilience.object.breaker;
        (breaker.minimum_calls, breaker.open, breaker.probes) = (2, open, 1);
    })
    .await;
    world.faults(json!([{ "when": { "api": "rest" }, "fault": { "kind": "unavailable" } }]));
    let answers = world.publish(&[contact(1)]).await;
    assert_eq!(retried(&answers[0]).0, "salesforce-unavailable");
    // The second failure opens it: from now on it is nobody's attempt.
    assert_eq!(world.publish(&[contact(1)]).await, [Published::NotTried]);
    assert_eq!(world.writes().len(), 2);
    let Readiness::Later { after, why } = readiness(&world) else { panic!("it is closed") };
    assert_eq!(why.code(), "salesforce-breaker-open");
    assert!(after <= open, "{after:?}");
    let many: Vec<Delivery> = (1..=900).map(contact).collect();
    assert!(world.publish(&many).await.iter().all(|answer| *answer == Published::NotTried));
    assert_eq!(world.writes().len(), 2, "nothing is sent while it is open");
    // A probe that fails is nobody's attempt either.
    until_ready(&world).await;
    assert_eq!(world.publish(&[contact(1)]).await, [Published::NotTried]);
    assert_eq!(world.writes().len(), 3);
    world.salesforce.clear_faults();
    until_ready(&world).await;
    assert!(is_delivered(&world.publish(&[contact(1)]).await[0]));
    assert_eq!(readiness(&world), Readiness::Ready);
}

#[tokio::test]
async fn a_session_that_ended_is_renewed_and_nobody_notices() {
    let world = World::new(vec![carried()]).await;
    world.faults(
        json!([{ "when": { "api": "rest" }, "times": 1, "fault": { "kind": "revoke_token" } }]),
    );
    assert!(is_delivered(&world.publish(&[contact(1)]).await[0]));
}

#[tokio::test]
async fn a_second_401_in_a_row_stops_the_org_and_costs_no_attempt() {
    let world = World::new(vec![carried()]).await;
    world.faults(json!([{ "when": { "api": "rest" }, "fault": { "kind": "session_expired" } }]));
    assert_eq!(world.publish(&[contact(1)]).await, [Published::NotTried]);
    let Readiness::Stopped { why } = readiness(&world) else { panic!("not stopped") };
    assert_eq!(why.code(), "INVALID_SESSION_ID");
    assert!(why.message().starts_with(TO), "{why:?}");
    let calls = world.salesforce.calls().len();
    assert_eq!(world.publish(&[contact(1)]).await, [Published::NotTried]);
    assert_eq!(world.salesforce.calls().len(), calls, "nothing is sent to what is stopped");
}

#[tokio::test]
async fn an_exhausted_allowance_pauses_the_org_and_costs_no_attempt() {
    let world = World::new(vec![carried(), blocks()]).await;
    world.faults(
        json!([{ "when": { "api": "rest" }, "times": 1, "fault": { "kind": "forbidden_total" } }]),
    );
    let slice: Vec<Delivery> = (1..=450).map(contact).collect();
    let answers = world.publish(&slice).await;
    assert!(!answers.iter().any(|answer| matches!(answer, Published::Retry { .. })));
    let Readiness::Later { why, .. } = readiness(&world) else { panic!("not paused") };
    assert_eq!(why.code(), "REQUEST_LIMIT_EXCEEDED");
    let other: Destination = "HTTP:SFDC:Rest:Block__c".parse().unwrap();
    assert!(matches!(world.publisher.readiness(&other), Readiness::Later { .. }));
}

#[tokio::test]
async fn too_many_calls_at_once_are_tried_again_with_fewer() {
    let world = World::new(vec![carried()]).await;
    world.faults(json!([{ "when": { "api": "rest" }, "times": 1, "fault": { "kind": "forbidden_concurrent" } }]));
    let answers = world.publish(&[contact(1)]).await;
    assert_eq!(retried(&answers[0]), ("REQUEST_LIMIT_EXCEEDED", None));
    assert_eq!(readiness(&world), Readiness::Ready);
}

#[tokio::test]
async fn an_org_that_takes_nothing_is_paused() {
    for code in ["STORAGE_LIMIT_EXCEEDED", "API_DISABLED_FOR_ORG"] {
        let of_row = refusal(code, "no room", 1);
        let fault = json!({ "kind": "refuse", "status": 403, "code": code, "message": "no" });
        let of_call = json!([{ "when": { "api": "rest" }, "times": 1, "fault": fault }]);
        for rules in [of_row, of_call] {
            let world = World::new(vec![carried()]).await;
            world.faults(rules);
            assert_eq!(world.publish(&[contact(1)]).await, [Published::NotTried]);
            let Readiness::Later { why, .. } = readiness(&world) else { panic!("{code}") };
            assert_eq!(why.code(), code);
        }
    }
}

#[tokio::test]
async fn locked_rows_are_sent_again_in_smaller_calls_sorted_by_parent() {
    let world = World::new(vec![contacts(), crate::support::families()]).await;
    let families = ["F-0", "F-1", "F-2", "F-3"].map(str::to_owned);
    let made = units("HTTP:SFDC:Collections:Family__c", families, &json!({ "name": "Lovelace" }));
    assert!(world.publish(&made).await.iter().all(is_delivered));
    let keys: Vec<String> = (0..100).map(|number| format!("M-{number:02}")).collect();
    for (number, key) in keys.iter().enumerate() {
        let mut row = member(key, 1, "Ada");
        row.insert("FAMILY_ID", Value::from(format!("F-{}", number % 4)));
        world.tables.put("MEMBERS", row);
    }
    let rule =
        json!({ "when": { "object": "Contact" }, "times": 100, "fault": { "kind": "row_lock" } });
    world.faults(json!([rule]));
    let answers = world.publish(&units(TO, keys.clone(), &json!({}))).await;
    assert!(answers.iter().all(is_delivered), "{answers:?}");
    let mut calls: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for key in &keys {
        let call = world.entry("Contact", key).calls[0];
        calls
            .entry(call)
            .or_default()
            .insert(world.record("Contact", key)["Family__c"].to_string());
    }
    let parents: Vec<usize> = calls.values().map(BTreeSet::len).collect();
    assert_eq!(parents, [1, 1, 1, 1], "no two calls wrote to children of one parent");
}

#[tokio::test]
async fn a_row_that_stays_locked_is_tried_again_later() {
    for api in ["Collections", "Rest"] {
        let world = World::new(vec![carried()]).await;
        let rule = json!({ "when": { "keys": ["C-1"] }, "fault": { "kind": "row_lock" } });
        world.faults(json!([rule]));
        let to = format!("HTTP:SFDC:{api}:Contact");
        let slice = [1, 2].map(|it| Delivery { destination: to.parse().unwrap(), ..contact(it) });
        let answers = world.publish(&slice).await;
        assert_eq!(retried(&answers[0]), ("UNABLE_TO_LOCK_ROW", None), "{api}");
        assert!(is_delivered(&answers[1]));
    }
}

#[tokio::test]
async fn a_trigger_is_tried_again_only_where_that_can_help() {
    let code = "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY";
    for (message, again) in [
        ("T: execution of BeforeInsert caused by: UNABLE_TO_LOCK_ROW", true),
        ("T: System.LimitException: Too many SOQL queries: 101", true),
        ("T: System.NullPointerException", false),
    ] {
        let world = World::new(vec![carried()]).await;
        world.faults(refusal(code, message, 99));
        let answers = world.publish(&[contact(1)]).await;
        if again {
            assert_eq!(retried(&answers[0]).0, code);
        } else {
            assert_eq!(refused(&answers[0]).0, code);
        }
    }
}

#[tokio::test]
async fn a_parent_that_is_not_there_is_waited_for_but_not_for_ever() {
    for api in ["Collections", "Rest", "Composite", "Graph"] {
        let world = World::new(vec![blocks(), crate::support::families()]).await;
        let to = format!("HTTP:SFDC:{api}:Block__c");
        let mut block =
            unit(&to, 1, "B-1", &json!({ "name": "B", "type": "RISK", "family": "F-1" }));
        let answers = world.publish(std::slice::from_ref(&block)).await;
        let (code, after) = retried(&answers[0]);
        assert_eq!((code, after), ("INVALID_FIELD", Some(Duration::from_secs(15))), "{api}");
        block.attempt = Attempt::Again { attempts: 8, retried: 0 };
        let answers = world.publish(std::slice::from_ref(&block)).await;
        let (code, message) = refused(&answers[0]);
        assert_eq!(code, "INVALID_FIELD");
        assert!(message.contains("F-1") && message.starts_with(&to), "{message}");
        // Once it is there all is well.
        let family = [unit("HTTP:SFDC:Rest:Family__c", 2, "F-1", &json!({ "name": "Lovelace" }))];
        assert!(is_delivered(&world.publish(&family).await[0]));
        assert!(is_delivered(&world.publish(&[block]).await[0]), "{api}");
    }
}

#[tokio::test]
async fn an_insert_that_lost_a_race_is_tried_once_more() {
    let lost = "duplicate value found: ExternalId__c duplicates value on record with id: 003";
    for (times, delivered) in [(1, true), (2, false)] {
        for api in ["Collections", "Rest"] {
            let world = World::new(vec![carried()]).await;
            world.faults(refusal("DUPLICATE_VALUE", lost, times));
            let to = format!("HTTP:SFDC:{api}:Contact");
            let slice = [Delivery { destination: to.parse().unwrap(), ..contact(1) }];
            let answers = world.publish(&slice).await;
            if delivered {
                assert!(is_delivered(&answers[0]), "{answers:?}");
            } else {
                assert_eq!(refused(&answers[0]).0, "DUPLICATE_VALUE");
            }
            assert_eq!(world.writes().len(), 2);
        }
    }
}

#[tokio::test]
async fn keys_that_salesforce_cannot_tell_apart_do_not_refuse_each_other() {
    let world = World::new(vec![carried()]).await;
    let slice = [
        unit(TO, 1, "c-1", &json!({ "lastName": "Ada", "version": 1 })),
        unit(TO, 2, "C-1", &json!({ "lastName": "Grace", "version": 2 })),
    ];
    let answers = world.publish(&slice).await;
    assert!(answers.iter().all(is_delivered), "{answers:?}");
    assert_eq!(world.salesforce.records("Contact").unwrap().len(), 1);
}
