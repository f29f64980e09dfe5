//! The order of a record, whatever happens on the way.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_outbox::{Delivery, Published};
use serde_json::json;

use crate::support::{
    CALL_TIME, Outbox, World, accounts, carried, contacts, is_delivered, member, retried, unit,
};

#[tokio::test]
async fn trap_23_whole_records_are_sent_once_and_all_are_settled() {
    let world = World::new(vec![carried()]).await;
    let slice: Vec<Delivery> = (1..=5)
        .map(|number| {
            let payload = json!({ "lastName": "Ada", "version": number });
            unit("HTTP:SFDC:Collections:Contact", number, "C-1", &payload)
        })
        .collect();
    let answers = world.publish(&slice).await;
    let id = world.entry("Contact", "C-1").ids[0].clone();
    assert_eq!(answers, vec![Published::Delivered { external_ref: Some(id) }; 5]);
    assert_eq!(world.versions("Contact", "C-1"), [5]);
}

#[tokio::test]
async fn trap_23_changes_are_not_coalesced_and_leave_alone_what_they_do_not_say() {
    for api in ["Collections", "Rest", "Auto"] {
        let world = World::new(vec![carried().partial()]).await;
        let to = format!("HTTP:SFDC:{api}:Contact");
        let slice = [
            unit(&to, 1, "C-1", &json!({ "lastName": "Ada", "version": 1 })),
            unit(&to, 2, "C-2", &json!({ "lastName": "Grace", "version": 1 })),
            unit(&to, 3, "C-1", &json!({ "email": "ada@example.com", "version": 2 })),
            unit(&to, 4, "C-1", &json!({ "lastName": "Lovelace", "version": 3 })),
        ];
        assert!(world.publish(&slice).await.iter().all(is_delivered));
        assert_eq!(world.versions("Contact", "C-1"), [1, 2, 3], "{api}");
        let record = world.record("Contact", "C-1");
        assert_eq!(record["LastName"], "Lovelace");
        assert_eq!(record["Email"], "ada@example.com");
    }
}

#[tokio::test]
async fn trap_23_nothing_goes_out_behind_a_change_that_was_not_delivered() {
    let world = World::new(vec![carried().partial()]).await;
    let to = "HTTP:SFDC:Collections:Contact";
    world.faults(json!([
        { "when": { "keys": ["C-1"] }, "times": 1,
          "fault": { "kind": "row_refusal", "code": "FIELD_CUSTOM_VALIDATION_EXCEPTION", "message": "no" } },
    ]));
    let slice = [
        unit(to, 1, "C-1", &json!({ "lastName": "Ada", "version": 1 })),
        unit(to, 2, "C-1", &json!({ "email": "ada@example.com", "version": 2 })),
        unit(to, 3, "C-2", &json!({ "lastName": "Grace", "version": 1 })),
    ];
    let answers = world.publish(&slice).await;
    assert_eq!(crate::support::refused(&answers[0]).0, "FIELD_CUSTOM_VALIDATION_EXCEPTION");
    assert_eq!(answers[1], Published::NotTried);
    assert!(is_delivered(&answers[2]));
    assert_eq!(world.ledger("Contact").len(), 1);
}

#[tokio::test]
async fn trap_23_the_same_record_of_two_aggregates_is_one_record() {
    let world = World::new(vec![contacts()]).await;
    world.tables.put("MEMBERS", member("M-1", 8, "Ada"));
    let to = "HTTP:SFDC:Collections:Contact";
    let first = unit(to, 1, "M-1", &json!({ "asOfVersion": 7 }));
    let second = Delivery {
        aggregate_id: "F-2".to_owned(),
        ..unit(to, 2, "M-1", &json!({ "asOfVersion": 8 }))
    };
    assert!(world.publish(&[first, second]).await.iter().all(is_delivered));
    assert_eq!(world.versions("Contact", "M-1"), [8]);
}

#[tokio::test]
async fn parents_of_the_same_object_go_before_their_children() {
    for api in ["Collections", "Rest", "Composite", "Auto"] {
        let world = World::new(vec![accounts()]).await;
        let to = format!("HTTP:SFDC:{api}:Account");
        let account = |number, key, parent: Option<&str>| {
            unit(&to, number, key, &json!({ "name": key, "parent": parent }))
        };
        let slice = [
            account(1, "grandchild", Some("child")),
            account(2, "child", Some("root")),
            account(3, "other", None),
            account(4, "root", None),
        ];
        let answers = world.publish(&slice).await;
        assert!(answers.iter().all(is_delivered), "{api}: {answers:?}");
        let id = world.entry("Account", "child").ids[0].clone();
        assert_eq!(world.record("Account", "grandchild")["ParentId"], id, "{api}");
    }
}

#[tokio::test]
async fn trap_22_a_call_without_an_answer_is_repeated_when_its_time_has_passed() {
    let world = World::new(vec![contacts()]).await;
    world.tables.put("MEMBERS", member("M-1", 1, "Ada"));
    let slice = [unit("HTTP:SFDC:Collections:Contact", 1, "M-1", &json!({ "asOfVersion": 1 }))];
    // The connection ends at once: until its time has passed, the call might still be applied.
    world.faults(json!([
        { "when": { "api": "collections" }, "times": 1, "fault": { "kind": "drop", "after_bytes": 1 } },
    ]));
    let answers = world.publish(&slice).await;
    let (code, after) = retried(&answers[0]);
    assert_eq!(code, "salesforce-connection-lost");
    let after = after.unwrap();
    assert!(after > CALL_TIME / 2 && after <= CALL_TIME, "{after:?}");
    // It was applied all the same. What is sent next is what is newest then.
    assert_eq!(world.versions("Contact", "M-1"), [1]);
    world.tables.put("MEMBERS", member("M-1", 2, "Lovelace"));
    assert!(world.publish(&slice).await.iter().all(is_delivered));
    assert_eq!(world.versions("Contact", "M-1"), [1, 2]);
}

#[tokio::test]
async fn trap_22_a_call_whose_time_has_passed_may_be_repeated_at_once() {
    let world = World::with(vec![contacts()], |options| {
        options.orgs[0].client.call_timeout = Duration::from_millis(200);
    })
    .await;
    world.tables.put("MEMBERS", member("M-1", 1, "Ada"));
    let slice = [unit("HTTP:SFDC:Collections:Contact", 1, "M-1", &json!({}))];
    world.faults(json!([
        { "when": { "api": "collections" }, "times": 1, "fault": { "kind": "timeout_after" } },
    ]));
    let answers = world.publish(&slice).await;
    assert_eq!(retried(&answers[0]), ("salesforce-timeout", None));
    assert!(world.publish(&slice).await.iter().all(is_delivered));
    assert_eq!(world.entry("Contact", "M-1").applied, 2);
}

#[tokio::test]
async fn trap_23_records_end_newest_and_never_go_back_in_a_bad_hour() {
    for api in ["Collections", "Rest", "Auto", "Composite"] {
        let world = World::with(vec![carried().partial()], |options| {
            options.orgs[0].client.call_timeout = Duration::from_millis(250);
            options.resilience.object.breaker.open = Duration::from_millis(100);
        })
        .await;
        world.faults(json!([
            { "when": { "api": "rest" }, "probability": 0.10, "fault": { "kind": "unavailable" } },
            { "when": { "api": "rest" }, "probability": 0.05, "fault": { "kind": "timeout_after" } },
            { "when": { "api": "rest" }, "probability": 0.05, "fault": { "kind": "drop", "after_bytes": 3 } },
            { "when": { "object": "Contact" }, "probability": 0.02, "fault": { "kind": "row_lock" } },
            { "when": { "api": "rest" }, "probability": 0.02, "fault": { "kind": "revoke_token" } },
        ]));
        let to = format!("HTTP:SFDC:{api}:Contact");
        let mut newest = BTreeMap::new();
        let waiting: Vec<Delivery> = (1..=120)
            .map(|number| {
                let key = format!("C-{}", number % 17);
                newest.insert(key.clone(), number);
                unit(&to, number, &key, &json!({ "lastName": "Ada", "version": number }))
            })
            .collect();
        let mut outbox = Outbox::new(waiting);
        outbox.run(&world, 200).await;
        assert!(outbox.failed.is_empty(), "{api}: {:?}", outbox.failed);
        for (key, version) in newest {
            let versions = world.versions("Contact", &key);
            assert_eq!(versions.last(), Some(&version), "{api} {key}: {versions:?}");
            // An ambiguous change may come twice, but nothing older comes behind it.
            assert!(versions.is_sorted(), "{api} {key}: {versions:?}");
        }
    }
}
