//! Refusals of whole calls, and what to do about each.

use std::time::Duration;

use dipmo_salesforce::{Class, ClientOptions, Error};
use serde_json::{Value as Json, json};

use crate::org::{Org, ada, contact};

/// The error of an upsert that meets a fault.
async fn met(org: &Org, fault: Json) -> Error {
    org.fault("sobject", 1, fault);
    org.client().upsert(&contact("C-1"), &ada()).await.unwrap_err()
}

#[tokio::test]
async fn both_kinds_of_an_exceeded_limit_are_told_apart() {
    let org = Org::start().await;
    let total = met(&org, json!({ "kind": "forbidden_total" })).await;
    assert_eq!((total.class(), total.code()), (Class::QuotaExhausted, "REQUEST_LIMIT_EXCEEDED"));
    let long = met(&org, json!({ "kind": "forbidden_concurrent" })).await;
    assert_eq!((long.class(), long.code()), (Class::LessParallel, "REQUEST_LIMIT_EXCEEDED"));
    assert_eq!((total.status(), long.status()), (Some(403), Some(403)));
}

#[tokio::test]
async fn a_quota_that_is_used_up_stays_so() {
    let org = Org::start().await;
    let error = met(&org, json!({ "kind": "exhaust_limit" })).await;
    assert_eq!(error.class(), Class::QuotaExhausted);
    let client = org.client();
    for _ in 0..2 {
        let error = client.upsert(&contact("C-1"), &ada()).await.unwrap_err();
        assert_eq!(error.class(), Class::QuotaExhausted);
    }
    org.simulator.advance(Duration::from_secs(24 * 3600));
    client.upsert(&contact("C-1"), &ada()).await.unwrap();
}

#[tokio::test]
async fn retry_after_is_read_in_both_forms() {
    let org = Org::start().await;
    for (kind, status) in [("too_many_requests", 429), ("unavailable", 503)] {
        let none = met(&org, json!({ "kind": kind })).await;
        assert_eq!((none.class(), none.status()), (Class::Transient, Some(status)));
        assert_eq!(none.retry_after(), None);
        let seconds = met(&org, json!({ "kind": kind, "retry_after": 5 })).await;
        assert_eq!(seconds.retry_after(), Some(Duration::from_secs(5)));
        let date = met(&org, json!({ "kind": kind, "retry_after": { "date_in": 3600 } })).await;
        // The date has no fractions of a second.
        let wait = date.retry_after().unwrap().as_secs();
        assert!((3590..=3600).contains(&wait), "{wait}");
        assert!(!date.is_ambiguous());
    }
}

#[tokio::test]
async fn what_the_server_cannot_do_is_transient() {
    let org = Org::start().await;
    for (kind, status, code, ambiguous) in [
        ("server_error", 500, "UNKNOWN_EXCEPTION", false),
        ("bad_gateway", 502, "salesforce-unavailable", true),
        ("unavailable", 503, "salesforce-unavailable", false),
        ("too_many_requests", 429, "salesforce-too-many-requests", false),
    ] {
        let error = met(&org, json!({ "kind": kind })).await;
        assert_eq!((error.class(), error.status()), (Class::Transient, Some(status)));
        assert_eq!((error.code(), error.is_ambiguous()), (code, ambiguous), "{kind}");
        assert!(!error.to_string().contains("html"), "{error}");
    }
    assert_eq!(org.count("sobject"), 4, "nothing is tried again");
}

#[tokio::test]
async fn a_refusal_has_the_class_of_its_code() {
    let org = Org::start().await;
    for (status, code, message, class) in [
        (403, "API_DISABLED_FOR_ORG", "API is disabled", Class::OrgUnavailable),
        (403, "STORAGE_LIMIT_EXCEEDED", "storage limit exceeded", Class::OrgUnavailable),
        (400, "UNABLE_TO_LOCK_ROW", "unable to obtain exclusive access", Class::RowLocked),
        (400, "DUPLICATE_VALUE", "duplicate value found: X duplicates", Class::DuplicateValue),
        (400, "DUPLICATES_DETECTED", "Use one of these records?", Class::Permanent),
        (403, "INSUFFICIENT_ACCESS_OR_READONLY", "no", Class::Permanent),
        (404, "ENTITY_IS_DELETED", "entity is deleted", Class::Permanent),
        (404, "URL_NOT_RESET", "Destination URL not reset.", Class::Misconfigured),
    ] {
        let fault = json!({ "kind": "refuse", "status": status, "code": code, "message": message });
        let error = met(&org, fault).await;
        assert_eq!((error.class(), error.code(), error.status()), (class, code, Some(status)));
        assert_eq!(error.message(), message);
    }
}

#[tokio::test]
async fn a_row_that_is_locked_is_told() {
    let org = Org::start().await;
    let error = met(&org, json!({ "kind": "row_lock" })).await;
    assert_eq!((error.class(), error.code()), (Class::RowLocked, "UNABLE_TO_LOCK_ROW"));
}

#[tokio::test]
async fn a_version_that_the_org_does_not_have_is_a_wrong_configuration() {
    let org = Org::start().await;
    let options = ClientOptions { api_version: "99.0".to_owned(), ..org.options() };
    let client = dipmo_salesforce::Client::new(options).unwrap();
    let error = client.limits().await.unwrap_err();
    assert_eq!(error.class(), Class::Misconfigured, "{error}");
}
