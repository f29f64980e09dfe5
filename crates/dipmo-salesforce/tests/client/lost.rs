//! Calls without an answer: what is known of their outcome.

use dipmo_salesforce::{Class, codes};
use serde_json::json;

use crate::org::{Org, ada, contact};

/// A time-out of an upsert that was applied so often.
async fn times_out(kind: &str, applied: usize) {
    let org = Org::start().await;
    org.fault("sobject", 1, json!({ "kind": kind, "hold": "60s" }));
    let error = org.impatient().upsert(&contact("C-1"), &ada()).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Transient, codes::TIMEOUT.as_str()));
    assert!(error.is_ambiguous(), "{kind}");
    assert_eq!((error.status(), org.applied("C-1")), (None, applied), "{kind}");
    assert_eq!(org.count("sobject"), 1, "it is not tried again");
}

#[tokio::test]
async fn a_time_out_is_ambiguous_whether_the_call_was_applied_or_not() {
    tokio::join!(times_out("timeout_before", 0), times_out("timeout_after", 1));
}

#[tokio::test]
async fn an_answer_that_drips_ends_with_the_deadline_of_the_call() {
    let org = Org::start().await;
    org.fault("sobject", 1, json!({ "kind": "drip", "bytes": 1, "every": "1s" }));
    let error = org.impatient().upsert(&contact("C-1"), &ada()).await.unwrap_err();
    assert_eq!(error.code(), codes::TIMEOUT.as_str());
    assert!(error.is_ambiguous());
    assert_eq!(org.applied("C-1"), 1);
}

#[tokio::test]
async fn a_login_without_an_answer_is_not_ambiguous() {
    let org = Org::start().await;
    org.fault("oauth", 1, json!({ "kind": "timeout_before", "hold": "60s" }));
    let client = org.impatient();
    let error = client.upsert(&contact("C-1"), &ada()).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Transient, codes::TIMEOUT.as_str()));
    assert!(!error.is_ambiguous(), "nothing was sent but the login");
    assert!(error.to_string().contains("/services/oauth2/token"), "{error}");
    client.upsert(&contact("C-1"), &ada()).await.unwrap();
}

#[tokio::test]
async fn a_connection_that_ends_within_request_or_answer_is_ambiguous() {
    for (fault, applied) in [
        (json!({ "kind": "drop_request", "after_bytes": 3 }), 0),
        (json!({ "kind": "drop", "after_bytes": 0 }), 1),
        (json!({ "kind": "drop", "after_bytes": 10 }), 1),
        (json!({ "kind": "timeout_after", "hold": "1ms" }), 1),
    ] {
        let org = Org::start().await;
        org.fault("sobject", 1, fault.clone());
        let client = org.client();
        let error = client.upsert(&contact("C-1"), &ada()).await.unwrap_err();
        assert_eq!(error.class(), Class::Transient, "{fault}");
        assert_eq!(error.code(), codes::CONNECTION_LOST.as_str(), "{fault}");
        assert!(error.is_ambiguous(), "{fault}");
        assert_eq!((org.applied("C-1"), org.count("sobject")), (applied, 1), "{fault}");
        client.upsert(&contact("C-1"), &ada()).await.unwrap();
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_is_ambiguous() {
    let org = Org::start().await;
    org.fault("sobject", 1, json!({ "kind": "truncate", "bytes": 10 }));
    let error = org.client().upsert(&contact("C-1"), &ada()).await.unwrap_err();
    assert_eq!(error.code(), codes::ANSWER_UNREADABLE.as_str());
    assert_eq!((error.class(), error.is_ambiguous()), (Class::Transient, true));
    assert_eq!(org.applied("C-1"), 1);
}

#[tokio::test]
async fn what_only_reads_is_never_ambiguous() {
    let org = Org::start().await;
    let client = org.client();
    for fault in [
        json!({ "kind": "drop", "after_bytes": 3 }),
        json!({ "kind": "truncate", "bytes": 3 }),
        json!({ "kind": "bad_gateway" }),
    ] {
        org.fault("limits", 1, fault);
        let error = client.limits().await.unwrap_err();
        assert_eq!((error.class(), error.is_ambiguous()), (Class::Transient, false), "{error}");
    }
}
