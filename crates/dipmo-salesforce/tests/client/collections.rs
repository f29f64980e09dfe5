//! Up to 200 records in one call.

use dipmo_salesforce::{Class, Fields, MAX_COLLECTION_RECORDS, codes};
use serde_json::{Value as Json, json};

use crate::org::{Org, fields};

fn record(key: &str, more: Json) -> Fields {
    let mut record = fields(json!({ "ExternalId__c": key, "LastName": "Ada" }));
    record.extend(fields(more));
    record
}

#[tokio::test]
async fn answers_are_in_the_order_of_the_records_with_the_errors_of_each() {
    let org = Org::start().await;
    let client = org.client();
    let many: Vec<_> = (0..195).map(|index| record(&format!("N-{index}"), json!({}))).collect();
    let mut records = vec![
        record("C-1", json!({})),
        record("C-2", json!({ "LastName": null })),
        record("C-3", json!({ "Title": "x".repeat(129) })),
        record("C-4", json!({ "Family__r": { "ExternalId__c": "F-1" } })),
        record("C-5", json!({})),
    ];
    records.extend(many);
    let outcomes = client.upsert_many("Contact", "ExternalId__c", &records, false).await.unwrap();
    assert_eq!(outcomes.len(), 200);
    assert!(outcomes[0].as_ref().unwrap().created);
    let missing = outcomes[1].as_ref().unwrap_err();
    assert_eq!(
        (missing.code.as_str(), missing.class()),
        ("REQUIRED_FIELD_MISSING", Class::Permanent)
    );
    assert_eq!(missing.fields, ["LastName"]);
    let long = outcomes[2].as_ref().unwrap_err();
    assert_eq!(
        (long.code.as_str(), long.fields.as_slice()),
        ("STRING_TOO_LONG", &["Title".to_owned()][..])
    );
    let orphan = outcomes[3].as_ref().unwrap_err();
    assert_eq!((orphan.code.as_str(), orphan.class()), ("INVALID_FIELD", Class::ParentMissing));
    assert!(outcomes[4..].iter().all(Result::is_ok));
    let id = &org.simulator.ledger("Contact").unwrap()[1].ids[0];
    assert_eq!(&outcomes[4].as_ref().unwrap().id, id, "C-5 is the second that was made");
    assert_eq!(org.count("collections"), 1);
}

#[tokio::test]
async fn with_all_or_none_the_innocent_are_told_from_the_culprit() {
    let org = Org::start().await;
    let records = [record("C-1", json!({})), record("C-2", json!({ "LastName": null }))];
    let outcomes =
        org.client().upsert_many("Contact", "ExternalId__c", &records, true).await.unwrap();
    let classes: Vec<_> = outcomes.iter().map(|one| one.as_ref().unwrap_err().class()).collect();
    assert_eq!(classes, [Class::Innocent, Class::Permanent]);
    assert!(org.simulator.ledger("Contact").unwrap().is_empty());
}

#[tokio::test]
async fn a_locked_row_and_a_lost_race_are_of_one_record() {
    let org = Org::start().await;
    let client = org.client();
    let refusal = |code: &str, message: &str| json!({ "kind": "row_refusal", "code": code, "message": message });
    org.simulator
        .faults(json!({ "rules": [
            { "when": { "object": "Contact", "keys": ["C-1"] }, "times": 1, "fault": { "kind": "row_lock" } },
            { "when": { "object": "Contact", "keys": ["C-2"] }, "times": 1,
              "fault": refusal("DUPLICATE_VALUE", "duplicate value found: ExternalId__c duplicates value on record with id: 003") },
            { "when": { "object": "Contact", "keys": ["C-3"] }, "times": 1,
              "fault": refusal("CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", "T: execution of BeforeInsert caused by: UNABLE_TO_LOCK_ROW") },
        ] }))
        .unwrap();
    let records = ["C-1", "C-2", "C-3", "C-4"].map(|key| record(key, json!({})));
    let outcomes = client.upsert_many("Contact", "ExternalId__c", &records, false).await.unwrap();
    let class = |at: usize| outcomes[at].as_ref().unwrap_err().class();
    assert_eq!(
        (class(0), class(1), class(2)),
        (Class::RowLocked, Class::DuplicateValue, Class::RowLocked)
    );
    assert!(outcomes[3].is_ok());
}

#[tokio::test]
async fn what_is_nobodys_fault_is_a_wrong_configuration() {
    let org = Org::start().await;
    let client = org.client();
    let good = [record("C-1", json!({}))];
    let unknown = [record("C-1", json!({ "No__c": 1 }))];
    for (object, field, records) in [
        ("No__c", "ExternalId__c", &good),
        ("Contact", "No__c", &good),
        ("Contact", "Email", &good),
        ("Contact", "ExternalId__c", &unknown),
    ] {
        let error = client.upsert_many(object, field, records, false).await.unwrap_err();
        assert_eq!(error.class(), Class::Misconfigured, "{object}.{field}: {error}");
        assert!(!error.is_ambiguous());
    }
}

#[tokio::test]
async fn a_record_that_cannot_be_read_refuses_the_call() {
    let org = Org::start().await;
    let records = [record("C-1", json!({})), record("C-2", json!({ "Version__c": "x" }))];
    let error =
        org.client().upsert_many("Contact", "ExternalId__c", &records, false).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Permanent, "JSON_PARSER_ERROR"));
}

#[tokio::test]
async fn what_does_not_fit_is_not_sent() {
    let org = Org::start().await;
    let client = org.client();
    assert_eq!(client.upsert_many("Contact", "ExternalId__c", &[], false).await.unwrap(), []);
    let many = vec![record("C-1", json!({})); MAX_COLLECTION_RECORDS + 1];
    let error = client.upsert_many("Contact", "ExternalId__c", &many, false).await.unwrap_err();
    assert_eq!(error.code(), codes::REQUEST_INVALID.as_str());
    assert!(org.simulator.calls().is_empty());
}

#[tokio::test]
async fn answers_that_are_cut_settle_nothing() {
    let org = Org::start().await;
    org.fault("collections", 1, json!({ "kind": "truncate", "bytes": 40 }));
    let records = [record("C-1", json!({})), record("C-2", json!({}))];
    let error =
        org.client().upsert_many("Contact", "ExternalId__c", &records, false).await.unwrap_err();
    assert_eq!((error.code(), error.is_ambiguous()), (codes::ANSWER_UNREADABLE.as_str(), true));
    assert_eq!((org.applied("C-1"), org.applied("C-2")), (1, 1));
}
