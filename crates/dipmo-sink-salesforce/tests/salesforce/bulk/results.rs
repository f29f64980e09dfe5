//! What Salesforce says of each row decides about each unit.

use std::collections::BTreeMap;

use dipmo_outbox::Published;
use serde_json::json;

use super::rig::contact;
use super::{MemoryJob, Rig};
use crate::support::{carried, is_delivered, refused, retried};

fn job(count: i64) -> MemoryJob {
    MemoryJob::new((0..count).map(|n| contact(&format!("C-{n}"), 1)))
}

/// How many answers there are of each kind.
fn kinds(job: &MemoryJob) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for answer in job.answers() {
        let kind = match answer {
            Some(Published::Delivered { .. }) => "delivered",
            Some(Published::Retry { .. }) => "retry",
            Some(Published::Unanswered { .. }) => "unanswered",
            Some(Published::NotTried) => "not tried",
            Some(Published::Refused(_)) => "refused",
            None => "released",
        };
        *kinds.entry(kind).or_default() += 1;
    }
    kinds
}

#[tokio::test]
async fn rows_that_salesforce_passed_over_are_sent_again_and_no_attempt_is_counted() {
    let mut rig = Rig::new(carried()).await;
    rig.fault(
        json!({ "object": "Contact" }),
        json!({ "kind": "job_unprocessed", "after_rows": 400 }),
    );
    let job = job(1_000);
    rig.finish(&job).await;
    assert_eq!(kinds(&job), BTreeMap::from([("delivered", 400), ("not tried", 600)]));
    let next = MemoryJob::new(job.rest());
    assert_eq!(next.len(), 600);
    rig.finish(&next).await;
    assert_eq!(kinds(&next), BTreeMap::from([("delivered", 600)]));
    assert!(rig.world.ledger("Contact").iter().all(|entry| entry.applied == 1));
}

#[tokio::test]
async fn a_job_that_did_nothing_counts_as_an_attempt_so_that_it_does_not_go_on_for_ever() {
    let mut rig = Rig::new(carried()).await;
    rig.fault(json!({ "object": "Contact" }), json!({ "kind": "job_unprocessed" }));
    let job = job(3);
    rig.finish(&job).await;
    for answer in job.answers() {
        assert_eq!(retried(&answer.unwrap()).0, "salesforce-row-unprocessed");
    }
}

#[tokio::test]
async fn each_row_is_settled_for_itself() {
    let mut rig = Rig::new(carried()).await;
    let fault = |key: &str, fault| json!({ "when": { "keys": [key] }, "fault": fault });
    let refusal = |code, message, field: &str| json!({ "kind": "row_refusal", "code": code, "message": message, "fields": [field] });
    rig.world.faults(json!([
        fault("C-1", json!({ "kind": "row_lock" })),
        fault("C-2", refusal("STRING_TOO_LONG", "Last Name: data value too large", "LastName")),
        fault("C-3", refusal("FIELD_CUSTOM_VALIDATION_EXCEPTION", "no: never", "Email")),
    ]));
    let job = job(2_000);
    rig.finish(&job).await;
    let answers: Vec<Published> = job.answers().into_iter().map(Option::unwrap).collect();
    assert_eq!(retried(&answers[1]).0, "UNABLE_TO_LOCK_ROW");
    let (code, message) = refused(&answers[2]);
    assert_eq!(code, "STRING_TOO_LONG");
    assert!(message.contains("HTTP:SFDC:BulkV2:Contact, LastName"), "{message}");
    assert!(message.contains("Last Name: data value too large"), "{message}");
    assert_eq!(refused(&answers[3]).0, "FIELD_CUSTOM_VALIDATION_EXCEPTION");
    assert_eq!(answers.iter().filter(|answer| is_delivered(answer)).count(), 1_997);
}

#[tokio::test]
async fn a_parent_that_is_not_there_is_waited_for() {
    let mapping = carried().pointer("Family__r.ExternalId__c", "/family");
    let mut rig = Rig::new(mapping).await;
    let child = |key: &str, family| {
        let payload = json!({ "lastName": "Ada", "version": 1, "family": family });
        crate::support::unit(super::DESTINATION, 1, key, &payload)
    };
    let job = MemoryJob::new([child("C-1", json!(null)), child("C-2", json!("F-1"))]);
    rig.finish(&job).await;
    let answers: Vec<Published> = job.answers().into_iter().map(Option::unwrap).collect();
    assert!(is_delivered(&answers[0]));
    let (code, after) = retried(&answers[1]);
    assert_eq!(code, "INVALID_FIELD");
    assert!(after.is_some());
    // Not for ever.
    let mut tried = child("C-2", json!("F-1"));
    tried.attempt = dipmo_outbox::Attempt::Again { attempts: 8, retried: 0 };
    let job = MemoryJob::new([tried]);
    rig.finish(&job).await;
    let answers = job.answers();
    let (code, message) = refused(answers[0].as_ref().unwrap());
    assert_eq!(code, "INVALID_FIELD");
    assert!(message.contains("F-1"), "{message}");
}

#[tokio::test]
async fn results_that_break_off_are_read_again() {
    for fault in [
        json!({ "kind": "drop", "after_bytes": 300 }),
        json!({ "kind": "truncate", "bytes": 301 }),
        json!({ "kind": "unavailable" }),
        json!({ "kind": "server_error" }),
        json!({ "kind": "drip", "bytes": 1_000, "every": "1ms" }),
    ] {
        for skip in 0..3 {
            let mut rig = Rig::new(carried()).await;
            let when = json!({ "api": "bulk.results" });
            rig.world.faults(json!([{ "when": when, "skip": skip, "times": 1, "fault": fault }]));
            let job = job(50);
            rig.finish(&job).await;
            assert_eq!(kinds(&job), BTreeMap::from([("delivered", 50)]), "{fault} {skip}");
            assert_eq!(rig.calls()["bulk.create"], 1, "{fault} {skip}");
        }
    }
}
