//! Records as they are in the database just before they are sent.

use dipmo_api::FactDefinition;
use dipmo_domain::{Destination, StoreError, Timestamp, Value};
use dipmo_outbox::{Attempt, Published, Publisher as _, Readiness};
use dipmo_sink_salesforce::{Missing, ObjectMapping, Source};
use serde_json::json;

use crate::support::{
    World, carried, contacts, is_delivered, member, members_query, refused, retried, unit, units,
};

const TO: &str = "HTTP:SFDC:Collections:Contact";

#[tokio::test]
async fn trap_26_nothing_older_than_what_was_announced_is_sent() {
    let world = World::new(vec![contacts()]).await;
    world.tables.put("MEMBERS", member("M-1", 6, "Ada"));
    let mut delivery = unit(TO, 1, "M-1", &json!({ "asOfVersion": 7 }));
    let answers = world.publish(std::slice::from_ref(&delivery)).await;
    let (code, after) = retried(&answers[0]);
    assert_eq!(code, "hydration-older");
    assert!(after.is_some_and(|after| !after.is_zero()));
    assert!(world.writes().is_empty());
    // It is waited for, but not for ever.
    delivery.attempt = Attempt::Again { attempts: 8, retried: 0 };
    let answers = world.publish(std::slice::from_ref(&delivery)).await;
    let (code, message) = refused(&answers[0]);
    assert_eq!(code, "hydration-older");
    let words = "\"M-1\" was found at version 6, and the event announced 7";
    assert!(message.contains(words) && message.starts_with(TO), "{message}");
    // When it is there it is sent, and newer is as good.
    world.tables.put("MEMBERS", member("M-1", 8, "Ada"));
    assert!(is_delivered(&world.publish(&[delivery]).await[0]));
    assert_eq!(world.versions("Contact", "M-1"), [8]);
}

#[tokio::test]
async fn a_query_gives_records_as_a_table_does() {
    let query = members_query(&["id"]);
    let fact = FactDefinition::query_by("member", query, "ID");
    let mapping = ObjectMapping { source: Source::versioned(fact, "VERSION"), ..contacts() };
    let world = World::new(vec![mapping]).await;
    world.tables.put("members_of_interest", member("M-1", 7, "Ada"));
    world.tables.put("members_of_interest", member("M-2", 6, "Grace"));
    let slice = [
        unit(TO, 1, "M-1", &json!({ "asOfVersion": 7 })),
        unit(TO, 2, "M-2", &json!({ "asOfVersion": 7 })),
    ];
    let answers = world.publish(&slice).await;
    assert!(is_delivered(&answers[0]));
    assert_eq!(retried(&answers[1]).0, "hydration-older");
    assert_eq!(world.versions("Contact", "M-1"), [7]);
}

#[tokio::test]
async fn trap_26_what_waits_for_a_newer_row_holds_up_its_record_alone() {
    let world = World::new(vec![contacts()]).await;
    world.tables.put("MEMBERS", member("M-1", 6, "Ada"));
    world.tables.put("MEMBERS", member("M-2", 6, "Grace"));
    let slice = [
        unit(TO, 1, "M-1", &json!({ "asOfVersion": 6 })),
        unit(TO, 2, "M-1", &json!({ "asOfVersion": 7 })),
        unit(TO, 3, "M-1", &json!({ "asOfVersion": 6 })),
        unit(TO, 4, "M-2", &json!({ "asOfVersion": 6 })),
    ];
    let answers = world.publish(&slice).await;
    assert!(is_delivered(&answers[0]) && is_delivered(&answers[3]));
    assert_eq!(retried(&answers[1]).0, "hydration-older");
    assert_eq!(answers[2], Published::NotTried);
}

#[tokio::test]
async fn trap_26_a_row_that_is_gone_is_skipped_deleted_or_failed() {
    for (policy, sent) in [(Missing::Skip, 0), (Missing::Delete, 1), (Missing::Fail, 0)] {
        let world = World::new(vec![contacts().when_missing(policy)]).await;
        let slice = [unit(TO, 1, "M-1", &json!({}))];
        let answers = world.publish(&slice).await;
        match policy {
            Missing::Skip | Missing::Delete => assert_eq!(answers, [Published::delivered()]),
            Missing::Fail => {
                let (code, message) = refused(&answers[0]);
                assert_eq!(code, "hydration-missing");
                assert_eq!(message, format!("{TO}: nothing was found for \"M-1\""));
            }
        }
        assert_eq!(world.writes().len(), sent, "{policy:?}");
    }
}

#[tokio::test]
async fn trap_26_a_row_that_was_announced_and_is_not_there_is_waited_for_first() {
    for (policy, sent) in [(Missing::Skip, 0), (Missing::Delete, 1), (Missing::Fail, 0)] {
        let world = World::new(vec![contacts().when_missing(policy)]).await;
        let mut delivery = unit(TO, 1, "M-1", &json!({ "asOfVersion": 7 }));
        for attempts in 0..8 {
            if attempts > 0 {
                delivery.attempt = Attempt::Again { attempts, retried: 0 };
            }
            let answers = world.publish(std::slice::from_ref(&delivery)).await;
            let Published::Retry { failure, after } = &answers[0] else { panic!("{answers:?}") };
            assert_eq!(failure.code(), "hydration-missing");
            let words = "nothing was found for \"M-1\" yet, and the event announced version 7";
            assert_eq!(failure.message(), format!("{TO}: {words}"));
            assert!(after.is_some_and(|after| !after.is_zero()));
        }
        assert!(world.writes().is_empty(), "nothing is deleted that may be on its way");
        // Only then it is gone.
        delivery.attempt = Attempt::Again { attempts: 8, retried: 0 };
        let answers = world.publish(std::slice::from_ref(&delivery)).await;
        match policy {
            Missing::Skip | Missing::Delete => assert_eq!(answers, [Published::delivered()]),
            Missing::Fail => assert_eq!(refused(&answers[0]).0, "hydration-missing"),
        }
        assert_eq!(world.writes().len(), sent, "{policy:?}");
        // One that comes late is sent.
        world.tables.put("MEMBERS", member("M-1", 7, "Ada"));
        delivery.attempt = Attempt::Again { attempts: 3, retried: 0 };
        assert!(is_delivered(&world.publish(&[delivery]).await[0]));
    }
}

#[tokio::test]
async fn a_query_that_fails_for_now_costs_no_attempt_and_stops_nothing() {
    let world = World::new(vec![contacts()]).await;
    let (place, problem) = ("db:5432".to_owned(), "refused".to_owned());
    world.tables.break_with(StoreError::Unreachable { place, problem });
    let slice = units(TO, ["M-1".to_owned(), "M-2".to_owned()], &json!({}));
    assert_eq!(world.publish(&slice).await, [Published::NotTried, Published::NotTried]);
    let to: Destination = TO.parse().unwrap();
    assert_eq!(world.publisher.readiness(&to), Readiness::Ready);
}

#[tokio::test]
async fn trap_25_a_query_that_cannot_work_stops_its_destination_only() {
    let world = World::new(vec![contacts(), crate::support::families()]).await;
    let mismatch = StoreError::TableMismatch {
        table: "MEMBERS".to_owned(),
        problem: "there is no column EMAIL".to_owned(),
    };
    world.tables.break_with(mismatch);
    let slice = [unit(TO, 1, "M-1", &json!({}))];
    assert_eq!(world.publish(&slice).await, [Published::NotTried]);
    let to: Destination = TO.parse().unwrap();
    let Readiness::Stopped { why } = world.publisher.readiness(&to) else { panic!("not stopped") };
    assert_eq!(why.code(), "hydration-failed");
    let words = "MEMBERS could not be read by ID";
    assert!(why.message().starts_with(TO) && why.message().contains(words), "{why:?}");
    let other = "HTTP:SFDC:Rest:Family__c";
    assert_eq!(world.publisher.readiness(&other.parse().unwrap()), Readiness::Ready);
    let family = [unit(other, 2, "F-1", &json!({ "name": "Lovelace" }))];
    assert!(is_delivered(&world.publish(&family).await[0]));
    // Nothing was lost: a person mends the table, and starts it.
    assert!(world.writes().iter().all(|call| call.api == "sobject"));
}

#[tokio::test]
async fn an_intent_carries_the_records_of_all_its_keys() {
    let mapping = ObjectMapping {
        source: Source::Payload { records: Some("/members".to_owned()) },
        when_missing: Missing::Fail,
        ..carried()
    };
    let world = World::new(vec![mapping]).await;
    let payload = json!({ "members": {
        "M-1": { "lastName": "Ada", "version": 1 },
        "M-2": null,
        "M-4": "Grace",
    } });
    let keys = ["M-1", "M-2", "M-3", "M-4"].map(str::to_owned);
    let answers = world.publish(&units(TO, keys, &payload)).await;
    assert!(is_delivered(&answers[0]), "{answers:?}");
    assert!(is_delivered(&answers[1]), "null says that there is none");
    assert_eq!(refused(&answers[2]).0, "hydration-missing");
    let (code, message) = refused(&answers[3]);
    assert_eq!(code, "salesforce-payload-unfit");
    assert!(message.starts_with(TO), "{message}");
    assert_eq!(world.record("Contact", "M-1")["LastName"], "Ada");
}

#[tokio::test]
async fn what_is_no_payload_or_no_key_is_refused_before_it_is_sent() {
    let world = World::new(vec![carried(), contacts_by_version()]).await;
    let to = "HTTP:SFDC:Collections:Contact";
    let mut half = unit(to, 1, "C-1", &json!({}));
    half.payload = dipmo_domain::Json::parse(r#"{"lastName": "\ud800"}"#).unwrap();
    let slice = [
        half,
        unit(to, 2, "C-2", &json!([1, 2])),
        unit(to, 3, " ", &json!({ "lastName": "Ada" })),
        unit(to, 4, &"k".repeat(256), &json!({ "lastName": "Ada" })),
        unit(to, 5, "..", &json!({ "lastName": "Ada" })),
    ];
    let answers = world.publish(&slice).await;
    let codes: Vec<_> = answers.iter().map(|answer| refused(answer).0).collect();
    let unfit = "salesforce-value-unfit";
    let payload = "salesforce-payload-unfit";
    assert_eq!(codes, [payload, payload, unfit, unfit, unfit]);
    assert!(refused(&answers[2]).1.starts_with(&format!("{to}, ExternalId__c: ")));
    let block = [unit("HTTP:SFDC:Rest:Block__c", 6, "B-1", &json!({ "asOfVersion": "seven" }))];
    let (code, message) = match world.publish(&block).await.remove(0) {
        Published::Refused(failure) => (failure.code().to_owned(), failure.message().to_owned()),
        other => panic!("{other:?}"),
    };
    assert_eq!(code, payload);
    assert!(message.contains("/asOfVersion is no whole number"), "{message}");
    assert!(world.writes().is_empty());
}

/// Block__c from MEMBERS, with nothing but a version.
fn contacts_by_version() -> ObjectMapping {
    ObjectMapping { object: "Block__c".to_owned(), ..contacts() }
}

#[tokio::test]
async fn values_of_columns_arrive_as_salesforce_writes_them() {
    let world = World::new(vec![
        contacts()
            .field("HasOptedOutOfEmail", dipmo_sink_salesforce::Origin::Constant(json!(true))),
    ])
    .await;
    let mut row = member("M-1", 3, "Ada");
    let time = Timestamp::from_micros(1_700_000_000_123_456).unwrap();
    row.insert("EMAIL", Value::from("ada@example.com"));
    row.insert("LAST_NAME", Value::Timestamp(time));
    world.tables.put("MEMBERS", row);
    assert!(is_delivered(&world.publish(&[unit(TO, 1, "M-1", &json!({}))]).await[0]));
    let record = world.record("Contact", "M-1");
    assert_eq!(record["LastName"], "2023-11-14T22:13:20.123Z");
    assert_eq!(record["Email"], "ada@example.com");
    assert_eq!(record["HasOptedOutOfEmail"], true);
}
