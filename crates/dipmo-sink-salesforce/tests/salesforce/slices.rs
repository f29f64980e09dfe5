//! Slices by each API: what goes out, in how many calls, and what comes back.

use std::time::Duration;

use dipmo_outbox::{Attempt, Published};
use dipmo_sink_salesforce::Missing;
use serde_json::json;

use crate::support::{
    World, blocks, carried, contacts, is_delivered, member, refused, unit, units,
};

fn keys(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("M-{number:04}"))
}

#[tokio::test]
async fn rest_sends_each_record_by_itself_and_tells_its_id() {
    let world = World::new(vec![carried()]).await;
    let slice: Vec<_> = [("C-1", "Ada"), ("C-2", "Grace")]
        .into_iter()
        .zip(1..)
        .map(|((key, name), number)| {
            unit("HTTP:SFDC:Rest:Contact", number, key, &json!({ "lastName": name, "version": 1 }))
        })
        .collect();
    let answers = world.publish(&slice).await;
    for (delivery, answer) in slice.iter().zip(answers) {
        let key = &delivery.record.as_ref().unwrap().0;
        let id = world.entry("Contact", key).ids[0].clone();
        assert_eq!(answer, Published::Delivered { external_ref: Some(id) });
    }
    let calls = world.writes();
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|call| call.api == "sobject" && call.method == "PATCH"));
}

#[tokio::test]
async fn collections_take_at_most_six_calls_for_a_thousand_records_and_one_look_up() {
    let world = World::new(vec![contacts()]).await;
    for key in keys(1_000) {
        world.tables.put("MEMBERS", member(&key, 7, "Ada"));
    }
    let payload = json!({ "asOfVersion": 7 });
    let slice = units("HTTP:SFDC:Collections:Contact", keys(1_000), &payload);
    let answers = world.publish(&slice).await;
    assert!(answers.iter().all(is_delivered), "{:?}", answers[0]);
    let calls = world.writes();
    assert!(calls.len() <= 6, "{} calls", calls.len());
    assert!(calls.iter().all(|call| call.api == "collections"));
    assert_eq!(world.tables.asked(), [1_000]);
    assert_eq!(world.ledger("Contact").len(), 1_000);
}

#[tokio::test]
async fn a_composite_carries_a_thousand_records_in_one_call() {
    let world = World::new(vec![contacts()]).await;
    for key in keys(1_000) {
        world.tables.put("MEMBERS", member(&key, 1, "Ada"));
    }
    world.tables.put("MEMBERS", member("M-0500", 1, ""));
    let slice = units("HTTP:SFDC:Composite:Contact", keys(1_000), &json!({}));
    let answers = world.publish(&slice).await;
    assert_eq!(answers.iter().filter(|answer| is_delivered(answer)).count(), 999);
    assert_eq!(refused(&answers[500]).0, "REQUIRED_FIELD_MISSING");
    assert_eq!(world.writes().len(), 1);
}

#[tokio::test]
async fn a_graph_without_children_is_a_record_a_node() {
    let world = World::new(vec![contacts()]).await;
    for key in keys(100) {
        world.tables.put("MEMBERS", member(&key, 1, "Ada"));
    }
    let slice = units("HTTP:SFDC:Graph:Contact", keys(100), &json!({}));
    assert!(world.publish(&slice).await.iter().all(is_delivered));
    let calls = world.writes();
    assert_eq!(calls.len(), 2, "75 graphs fit into a call");
    assert!(calls.iter().all(|call| call.api == "graph"));
}

#[tokio::test]
async fn one_refused_record_does_not_concern_the_others_of_its_call() {
    let world = World::new(vec![contacts()]).await;
    for (key, name) in [("C-1", "Ada"), ("C-2", ""), ("C-3", "Grace")] {
        world.tables.put("MEMBERS", member(key, 1, name));
    }
    let keys = ["C-1", "C-2", "C-3"].map(str::to_owned);
    let slice = units("HTTP:SFDC:Collections:Contact", keys, &json!({}));
    let answers = world.publish(&slice).await;
    assert!(is_delivered(&answers[0]) && is_delivered(&answers[2]));
    let (code, message) = refused(&answers[1]);
    assert_eq!(code, "REQUIRED_FIELD_MISSING");
    assert!(message.starts_with("HTTP:SFDC:Collections:Contact, LastName: "), "{message}");
    assert_eq!(world.writes().len(), 1);
}

#[tokio::test]
async fn a_value_of_the_wrong_kind_fails_its_record_and_not_its_call() {
    for (api, most) in [("Collections", 20), ("Composite", 20), ("Graph", 6)] {
        let world = World::new(vec![carried()]).await;
        let to = format!("HTTP:SFDC:{api}:Contact");
        let mut slice: Vec<_> = (1..=200)
            .map(|number| {
                let payload = json!({ "lastName": "Ada", "version": number });
                unit(&to, number, &format!("C-{number}"), &payload)
            })
            .collect();
        let odd = json!({ "lastName": "Ada", "version": { "of": 1 } });
        slice[70] = unit(&to, 71, "C-71", &odd);
        let text = json!({ "lastName": "Ada", "version": "seven" });
        slice[150] = unit(&to, 151, "C-151", &text);
        let answers = world.publish(&slice).await;
        // Told before Salesforce is asked: no field holds an object.
        let (code, message) = refused(&answers[70]);
        assert_eq!(code, "salesforce-value-unfit", "{api}");
        assert!(message.contains(&format!("{to}, Version__c")), "{message}");
        // Told by Salesforce, which refuses a whole collection for it.
        let (code, message) = refused(&answers[150]);
        assert_eq!(code, "JSON_PARSER_ERROR", "{api}");
        assert!(message.contains(&to), "{message}");
        assert_eq!(answers.iter().filter(|answer| is_delivered(answer)).count(), 198, "{api}");
        let calls = world.writes().len();
        assert!(calls <= most, "{api}: {calls} calls");
    }
}

#[tokio::test]
async fn whoever_failed_often_goes_out_in_small_company() {
    let world = World::new(vec![contacts()]).await;
    for key in keys(100) {
        world.tables.put("MEMBERS", member(&key, 1, "Ada"));
    }
    let mut slice = units("HTTP:SFDC:Collections:Contact", keys(100), &json!({}));
    for (delivery, attempts) in slice.iter_mut().zip([9, 9, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]) {
        delivery.attempt = Attempt::Again { attempts, retried: 0 };
    }
    assert!(world.publish(&slice).await.iter().all(is_delivered));
    let mut rows: Vec<u64> = world.writes().iter().map(|call| call.rows).collect();
    rows.sort_unstable();
    assert_eq!(rows, [1, 1, 1, 10, 87]);
}

#[tokio::test]
async fn no_call_is_begun_when_the_time_of_a_slice_is_over() {
    let world = World::with(vec![carried().partial()], |options| {
        options.sending.slice_time = Duration::from_millis(300);
    })
    .await;
    let delay = json!({ "kind": "delay", "delay": "100ms" });
    world.faults(json!([{ "when": { "api": "rest" }, "fault": delay }]));
    // A record that is changed fifty times, one call for each.
    let slice: Vec<_> = (1..=50)
        .map(|number| {
            let payload = json!({ "lastName": "Ada", "version": number });
            unit("HTTP:SFDC:Rest:Contact", number, "C-1", &payload)
        })
        .collect();
    let answers = world.publish(&slice).await;
    let delivered = answers.iter().take_while(|answer| is_delivered(answer)).count();
    assert!((1..=4).contains(&delivered), "{delivered}");
    assert!(answers[delivered..].iter().all(|answer| *answer == Published::NotTried));
    assert_eq!(world.writes().len(), delivered);
}

#[tokio::test]
async fn a_field_of_the_org_is_told_which_unit_it_was() {
    let world = World::new(vec![contacts().correlate("Outbox_Row_Id__c")]).await;
    world.tables.put("MEMBERS", member("C-1", 1, "Ada"));
    let slice = [unit("HTTP:SFDC:Collections:Contact", 4711, "C-1", &json!({}))];
    assert!(world.publish(&slice).await.iter().all(is_delivered));
    assert_eq!(world.record("Contact", "C-1")["Outbox_Row_Id__c"], "4711");
}

#[tokio::test]
async fn a_parent_is_named_by_its_external_id_and_can_be_taken_away() {
    let world = World::new(vec![blocks(), crate::support::families()]).await;
    let family = [unit("HTTP:SFDC:Rest:Family__c", 1, "F-1", &json!({ "name": "Lovelace" }))];
    assert!(world.publish(&family).await.iter().all(is_delivered));
    for api in ["Rest", "Collections", "Composite", "Graph"] {
        let to = format!("HTTP:SFDC:{api}:Block__c");
        let block = |family| json!({ "name": api, "type": "RISK", "family": family });
        let key = format!("B-{api}");
        let with = [unit(&to, 2, &key, &block(Some("F-1")))];
        assert!(world.publish(&with).await.iter().all(is_delivered), "{api}");
        let id = world.entry("Family__c", "F-1").ids[0].clone();
        assert_eq!(world.record("Block__c", &key)["Family__c"], id, "{api}");
        let without = [unit(&to, 3, &key, &block(None))];
        assert!(world.publish(&without).await.iter().all(is_delivered), "{api}");
        assert_eq!(world.record("Block__c", &key)["Family__c"], json!(null), "{api}");
    }
}

#[tokio::test]
async fn deletes_go_out_together_and_what_is_gone_is_deleted() {
    let mapping = contacts().deletes_on("MembersLeft").when_missing(Missing::Delete);
    for (api, calls) in [("Collections", 2), ("Rest", 31), ("Auto", 2)] {
        let world = World::new(vec![mapping.clone()]).await;
        for key in keys(30) {
            world.tables.put("MEMBERS", member(&key, 1, "Ada"));
        }
        let made = units("HTTP:SFDC:Collections:Contact", keys(30), &json!({}));
        assert!(world.publish(&made).await.iter().all(is_delivered));
        let before = world.writes().len();
        // Thirty that are there, and one that never was.
        let mut left = units(&format!("HTTP:SFDC:{api}:Contact"), keys(31), &json!({}));
        for delivery in &mut left[..15] {
            delivery.event_type = "MembersLeft".to_owned();
        }
        for key in keys(30).skip(15) {
            world.tables.remove("MEMBERS", &key);
        }
        assert!(world.publish(&left).await.iter().all(is_delivered), "{api}");
        assert_eq!(world.writes().len() - before, calls, "{api}");
        assert!(world.ledger("Contact").iter().all(|entry| entry.deleted == 1), "{api}");
    }
}

#[tokio::test]
async fn one_delete_is_one_call_by_itself() {
    let world = World::new(vec![carried()]).await;
    let made = [unit("HTTP:SFDC:Auto:Contact", 1, "C-1", &json!({ "lastName": "Ada" }))];
    assert!(world.publish(&made).await.iter().all(is_delivered));
    // The record of the payload is null: there is none any more.
    let gone = [unit("HTTP:SFDC:Collections:Contact", 2, "C-1", &json!(null))];
    assert!(world.publish(&gone).await.iter().all(is_delivered));
    assert_eq!(world.entry("Contact", "C-1").deleted, 1);
    assert_eq!(world.writes().last().unwrap().api, "sobject");
}

#[tokio::test]
async fn a_text_that_looks_like_a_reference_arrives_as_it_is() {
    let world = World::new(vec![carried()]).await;
    for (api, number) in ["Rest", "Collections", "Composite", "Graph", "Auto"].iter().zip(1..) {
        let key = format!("C-{api}");
        let name = "@{c0.id} & @{";
        let to = format!("HTTP:SFDC:{api}:Contact");
        let slice = [unit(&to, number, &key, &json!({ "lastName": name }))];
        let answers = world.publish(&slice).await;
        assert!(is_delivered(&answers[0]), "{api}: {answers:?}");
        assert_eq!(world.record("Contact", &key)["LastName"], name, "{api}");
    }
}
