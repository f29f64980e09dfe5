//! One record at a time.

use dipmo_salesforce::{Class, RecordRef};
use serde_json::json;

use crate::org::{Org, ada, contact, fields};

#[tokio::test]
async fn a_record_is_made_then_updated_then_deleted() {
    let org = Org::start().await;
    let client = org.client();
    let made = client.upsert(&contact("C-1"), &ada()).await.unwrap();
    assert!(made.created && made.id.len() == 18);
    let updated = client.upsert(&contact("C-1"), &ada()).await.unwrap();
    assert_eq!((updated.id, updated.created), (made.id, false));
    client.delete(&contact("C-1")).await.unwrap();
    client.delete(&contact("C-1")).await.unwrap();
    let entry = &org.simulator.ledger("Contact").unwrap()[0];
    assert_eq!((entry.applied, entry.deleted), (2, 1));
}

#[tokio::test]
async fn an_update_of_an_old_version_says_no_id() {
    let org = Org::start().await;
    let options =
        dipmo_salesforce::ClientOptions { api_version: "45.0".to_owned(), ..org.options() };
    let client = dipmo_salesforce::Client::new(options).unwrap();
    assert_eq!(client.upsert(&contact("C-1"), &ada()).await.unwrap().id.len(), 18);
    assert_eq!(client.upsert(&contact("C-1"), &ada()).await.unwrap().id, "");
}

#[tokio::test]
async fn a_key_may_have_any_characters_and_may_be_among_the_fields() {
    let org = Org::start().await;
    let client = org.client();
    let key = "a/b?c=d&e#f %2F ü+\"'";
    let mut body = ada();
    body.insert("externalid__C".to_owned(), json!(key));
    client.upsert(&contact(key), &body).await.unwrap();
    assert_eq!(org.simulator.ledger("Contact").unwrap()[0].key, key);
    client.delete(&contact(key)).await.unwrap();
    assert_eq!(org.simulator.ledger("Contact").unwrap()[0].deleted, 1);
}

#[tokio::test]
async fn what_is_wrong_with_a_record_is_told_by_code_and_field() {
    let org = Org::start().await;
    let client = org.client();
    for (body, class, code, field) in [
        (json!({ "FirstName": "Ada" }), Class::Permanent, "REQUIRED_FIELD_MISSING", "LastName"),
        (json!({ "LastName": "x".repeat(81) }), Class::Permanent, "STRING_TOO_LONG", "LastName"),
        (json!({ "LastName": "Ada", "No__c": 1 }), Class::Permanent, "INVALID_FIELD", ""),
        (
            json!({ "LastName": "Ada", "Version__c": "x" }),
            Class::Permanent,
            "JSON_PARSER_ERROR",
            "",
        ),
        (
            json!({ "LastName": "Ada", "Family__r": { "ExternalId__c": "F-1" } }),
            Class::ParentMissing,
            "INVALID_FIELD",
            "",
        ),
    ] {
        let error = client.upsert(&contact("C-1"), &fields(body)).await.unwrap_err();
        assert_eq!((error.class(), error.code()), (class, code));
        assert_eq!(error.status(), Some(400));
        assert_eq!(error.fields().first().map_or("", String::as_str), field);
        assert!(!error.is_ambiguous());
    }
    assert_eq!(org.applied("C-1"), 0);
}

#[tokio::test]
async fn an_object_or_field_that_does_not_exist_is_told() {
    let org = Org::start().await;
    let client = org.client();
    for (object, field) in [("No__c", "ExternalId__c"), ("Contact", "No__c"), ("Contact", "Email")]
    {
        let at = RecordRef { object, field, key: "1" };
        let error = client.upsert(&at, &ada()).await.unwrap_err();
        assert_eq!((error.class(), error.code()), (Class::Permanent, "NOT_FOUND"), "{at:?}");
    }
    let at = RecordRef { object: "Contact", field: "Email", key: "1" };
    let error = client.delete(&at).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Misconfigured, "NOT_FOUND"));
}

#[tokio::test]
async fn several_records_of_one_external_id_are_permanent() {
    let schema = "objects:\n  Twin__c:\n    fields:\n      Name: { type: string, length: 80 }\n      \
                  Ext__c: { type: string, length: 20, external_id: true }\n      \
                  Id2__c: { type: string, length: 20, external_id: true, unique: true }\n";
    let org = Org::with(schema).await;
    let client = org.client();
    for key in ["1", "2"] {
        let at = RecordRef { object: "Twin__c", field: "Id2__c", key };
        client.upsert(&at, &fields(json!({ "Ext__c": "same" }))).await.unwrap();
    }
    let at = RecordRef { object: "Twin__c", field: "Ext__c", key: "same" };
    let error = client.upsert(&at, &fields(json!({ "Name": "x" }))).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Permanent, "DUPLICATE_EXTERNAL_ID"));
    assert_eq!(
        (error.status(), error.message().as_str()),
        (Some(300), "2 records have this external id")
    );
}
