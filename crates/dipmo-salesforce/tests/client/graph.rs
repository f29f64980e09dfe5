//! Graphs, each applied as a whole or not at all.

use dipmo_salesforce::{Class, Graph, MAX_GRAPHS, RecordRef, SubRequest, codes};
use serde_json::{Value as Json, json};

use crate::org::{Org, contact, fields};

/// A family and its members.
fn graph(id: &str, members: &[Json]) -> Graph {
    let key = format!("F-{id}");
    let family = RecordRef { object: "Family__c", field: "ExternalId__c", key: &key };
    let mut requests =
        vec![SubRequest::upsert("62.0", "family", &family, fields(json!({ "Name": id }))).unwrap()];
    for (index, member) in members.iter().enumerate() {
        let mut body = fields(member.clone());
        body.insert("Family__c".to_owned(), json!("@{family.id}"));
        let key = format!("{id}-{index}");
        let reference = format!("member{index}");
        requests.push(SubRequest::upsert("62.0", reference, &contact(&key), body).unwrap());
    }
    Graph { id: id.to_owned(), requests }
}

#[tokio::test]
async fn a_graph_that_fails_does_not_concern_the_others() {
    let org = Org::start().await;
    let good = json!({ "LastName": "Ada" });
    let graphs = [
        graph("one", &[good.clone(), good.clone()]),
        graph("two", &[good.clone(), json!({})]),
        graph("three", &[]),
    ];
    let answers = org.client().graph(&graphs).await.unwrap();
    let told: Vec<_> = answers.iter().map(|one| (one.id.as_str(), one.successful)).collect();
    assert_eq!(told, [("one", true), ("two", false), ("three", true)]);
    assert!(answers[0].responses.iter().all(|one| one.outcome().unwrap().created));
    let classes: Vec<_> =
        answers[1].responses.iter().map(|one| one.outcome().unwrap_err().class()).collect();
    assert_eq!(classes, [Class::Innocent, Class::Innocent, Class::Permanent]);
    assert_eq!(answers[1].responses[2].reference, "member1");
    assert_eq!((org.applied("one-0"), org.applied("two-0")), (1, 0));
    assert_eq!(org.count("graph"), 1);
}

#[tokio::test]
async fn what_does_not_fit_is_not_sent() {
    let org = Org::start().await;
    let client = org.client();
    assert!(client.graph(&[]).await.unwrap().is_empty());
    let many = vec![graph("one", &[]); MAX_GRAPHS + 1];
    let wide = [graph("one", &vec![json!({ "LastName": "Ada" }); 500])];
    for graphs in [&many[..], &wide] {
        let error = client.graph(graphs).await.unwrap_err();
        assert_eq!(error.code(), codes::REQUEST_INVALID.as_str());
    }
    assert!(org.simulator.calls().is_empty());
}

#[tokio::test]
async fn an_answer_that_is_lost_is_ambiguous() {
    let org = Org::start().await;
    org.fault("graph", 1, json!({ "kind": "drop", "after_bytes": 20 }));
    let graphs = [graph("one", &[json!({ "LastName": "Ada" })])];
    let error = org.client().graph(&graphs).await.unwrap_err();
    assert_eq!((error.class(), error.is_ambiguous()), (Class::Transient, true));
    assert_eq!(org.applied("one-0"), 1);
}
