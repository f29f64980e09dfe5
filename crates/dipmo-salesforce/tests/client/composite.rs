//! Several requests in one call.

use dipmo_salesforce::{Class, Composite, Error, RecordRef, SubRequest, codes};
use serde_json::{Value as Json, json};

use crate::org::{Org, contact, fields};

const V: &str = "62.0";

fn family<'a>(key: &'a str) -> RecordRef<'a> {
    RecordRef { object: "Family__c", field: "ExternalId__c", key }
}

fn of(all_or_none: bool, requests: Vec<SubRequest>) -> Composite {
    Composite { all_or_none, collate: false, requests }
}

fn member(reference: &str, key: &str, body: Json) -> Result<SubRequest, Error> {
    SubRequest::upsert(V, reference, &contact(key), fields(body))
}

#[tokio::test]
async fn later_requests_refer_to_earlier_ones() {
    let org = Org::start().await;
    let requests = vec![
        SubRequest::upsert(V, "family", &family("F-1"), fields(json!({ "Name": "Lovelace" })))
            .unwrap(),
        member(
            "ada",
            "C/1",
            json!({ "LastName": "Ada", "ExternalId__c": "C/1", "Family__c": "@{family.id}" }),
        )
        .unwrap(),
    ];
    let answers = org.client().composite(&of(true, requests)).await.unwrap();
    assert_eq!(
        answers.iter().map(|one| one.reference.as_str()).collect::<Vec<_>>(),
        ["family", "ada"]
    );
    let outcomes: Vec<_> = answers.iter().map(|one| one.outcome().unwrap()).collect();
    assert!(outcomes.iter().all(|one| one.created));
    let ada = &org.simulator.records("Contact").unwrap()[0];
    assert_eq!(
        (ada.fields["Family__c"].as_str(), &ada.fields["ExternalId__c"]),
        (Some(outcomes[0].id.as_str()), &json!("C/1"))
    );
}

#[tokio::test]
async fn a_request_that_fails_is_told_from_those_it_takes_along() {
    let org = Org::start().await;
    let client = org.client();
    for all_or_none in [true, false] {
        let requests = vec![
            member("one", "C-1", json!({ "LastName": "Ada" })).unwrap(),
            member("two", "C-2", json!({})).unwrap(),
            SubRequest::delete(V, "three", &contact("C-3")).unwrap(),
        ];
        let answers = client.composite(&of(all_or_none, requests)).await.unwrap();
        let classes: Vec<_> =
            answers.iter().map(|one| one.outcome().err().map(|error| error.class())).collect();
        let expected = if all_or_none {
            [Some(Class::Innocent), Some(Class::Permanent), Some(Class::Innocent)]
        } else {
            [None, Some(Class::Permanent), Some(Class::Permanent)]
        };
        assert_eq!(classes, expected);
        let error = answers[1].outcome().unwrap_err();
        assert_eq!(
            (error.code.as_str(), error.fields.as_slice()),
            ("REQUIRED_FIELD_MISSING", &["LastName".to_owned()][..])
        );
        assert_eq!(org.applied("C-1"), usize::from(!all_or_none));
    }
}

#[tokio::test]
async fn what_does_not_fit_is_not_sent() {
    let org = Org::start().await;
    let client = org.client();
    assert!(client.composite(&of(true, Vec::new())).await.unwrap().is_empty());
    let one = member("one", "C-1", json!({})).unwrap();
    let error = client.composite(&of(true, vec![one; 26])).await.unwrap_err();
    assert_eq!(error.code(), codes::REQUEST_INVALID.as_str());
    assert!(org.simulator.calls().is_empty());
    assert_eq!(member("one", "..", json!({})).unwrap_err().class(), Class::Permanent);
}

#[tokio::test]
async fn a_composite_is_repeated_after_a_new_login() {
    let org = Org::start().await;
    let client = org.client();
    org.fault("composite", 1, json!({ "kind": "revoke_token" }));
    let one = member("one", "C-1", json!({ "LastName": "Ada" })).unwrap();
    assert_eq!(client.composite(&of(true, vec![one])).await.unwrap().len(), 1);
    assert_eq!((org.count("oauth"), org.applied("C-1")), (2, 1));
}

#[tokio::test]
async fn a_time_out_after_a_composite_was_applied_is_ambiguous() {
    let org = Org::start().await;
    org.fault("composite", 1, json!({ "kind": "timeout_after", "hold": "1ms" }));
    let one = member("one", "C-1", json!({ "LastName": "Ada" })).unwrap();
    let error = org.client().composite(&of(true, vec![one])).await.unwrap_err();
    assert_eq!((error.class(), error.is_ambiguous()), (Class::Transient, true));
    assert_eq!(org.applied("C-1"), 1);
}
