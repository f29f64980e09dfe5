//! Graph and Tree, through the door of REST.

use serde_json::{Value as Json, json};

use super::composite_tests::{RULED, count, create, get, post, statuses};
use super::fixture::Fixture;
use super::request::Method;

#[test]
fn a_graph_is_applied_as_a_whole_and_does_not_concern_the_others() {
    let mut fixture = Fixture::new(RULED);
    let graph = |id: &str, first: &str| {
        json!({ "graphId": id, "compositeRequest": [
            create("account", "Account", &json!({ "Name": id })),
            create("contact", "Contact", &json!({ "LastName": "x", "FirstName": first, "AccountId": "@{account.id}" })),
        ]})
    };
    let body = json!({ "graphs": [graph("1", "Ada"), graph("2", "Bob"), graph("3", "Cy")] });
    let (status, answer) = post(&mut fixture, "composite/graph", &body);
    assert_eq!(status, 200);
    let graphs = answer["graphs"].as_array().unwrap();
    let successful: Vec<_> = graphs.iter().map(|graph| graph["isSuccessful"] == true).collect();
    assert_eq!(successful, [true, false, true], "{answer}");
    assert_eq!(
        statuses(&graphs[1]["graphResponse"]),
        ["400 PROCESSING_HALTED", "400 FIELD_CUSTOM_VALIDATION_EXCEPTION"]
    );
    assert_eq!(fixture.column("SELECT Name FROM Account", "Name"), [json!("1"), json!("3")]);
}

#[test]
fn graphs_have_limits() {
    let mut fixture = Fixture::new("{}");
    let node = |at: usize| create(&format!("r{at}"), "Account", &json!({ "Name": "x" }));
    let graph = |id: usize, nodes: usize| json!({ "graphId": id.to_string(), "compositeRequest": (0..nodes).map(node).collect::<Vec<_>>() });
    let graphs = |number: usize, nodes: usize| json!({ "graphs": (0..number).map(|id| graph(id, nodes)).collect::<Vec<_>>() });
    let alone =
        |nodes: Vec<Json>| json!({ "graphs": [{ "graphId": "1", "compositeRequest": nodes }] });
    let query = alone(vec![get("q", "query?q=x")]);
    let deep = alone(
        (0..16)
            .map(|at: usize| {
                let parent = format!("@{{r{}.id}}", at.saturating_sub(1));
                create(&format!("r{at}"), "Account", &json!({ "Name": "x", "ParentId": parent }))
            })
            .collect(),
    );
    let various = alone(
        (0..16).map(|at| create(&format!("r{at}"), &format!("X{at}__c"), &json!({}))).collect(),
    );
    for (body, code) in [
        (graphs(76, 1), "LIMIT_EXCEEDED"),
        (graphs(2, 251), "LIMIT_EXCEEDED"),
        (json!({ "graphs": [graph(1, 1), graph(1, 1)] }), "JSON_PARSER_ERROR"),
        (json!({ "graphs": [{ "graphId": "_1", "compositeRequest": [] }] }), "JSON_PARSER_ERROR"),
        (json!({ "graphs": [{ "compositeRequest": [] }] }), "REQUIRED_FIELD_MISSING"),
        (json!({ "graphs": [{ "graphId": "1" }] }), "REQUIRED_FIELD_MISSING"),
        (json!({}), "REQUIRED_FIELD_MISSING"),
        (deep, "LIMIT_EXCEEDED"),
        (various, "LIMIT_EXCEEDED"),
    ] {
        let (status, answer) = post(&mut fixture, "composite/graph", &body);
        assert_eq!((status, answer[0]["errorCode"].as_str()), (400, Some(code)), "{answer}");
    }
    let (_, answer) = post(&mut fixture, "composite/graph", &query);
    assert_eq!(answer["graphs"][0]["isSuccessful"], false, "a graph has no queries");
    assert_eq!(post(&mut fixture, "composite/graph", &graphs(2, 250)).0, 200);
    assert_eq!(count(&mut fixture, "Account"), 500);
    assert_eq!(fixture.ask(Method::Get, "composite/graph", None).status, 405);
}

#[test]
fn after_too_many_failures_the_other_graphs_are_not_tried() {
    let mut fixture = Fixture::new("{}");
    let graph = |id: usize| {
        let body = if id == 15 { json!({ "Name": "x" }) } else { json!({}) };
        json!({ "graphId": id.to_string(), "compositeRequest": [create("a", "Account", &body)] })
    };
    let body = json!({ "graphs": (0..16).map(graph).collect::<Vec<_>>() });
    let (_, answer) = post(&mut fixture, "composite/graph", &body);
    assert_eq!(statuses(&answer["graphs"][14]["graphResponse"]), ["400 REQUIRED_FIELD_MISSING"]);
    assert_eq!(statuses(&answer["graphs"][15]["graphResponse"]), ["400 PROCESSING_HALTED"]);
    assert_eq!(count(&mut fixture, "Account"), 0);
}

#[test]
fn a_tree_is_inserted_with_its_children() {
    let mut fixture = Fixture::new(RULED);
    let tree = |first: &str| {
        json!({ "records": [{
            "attributes": { "type": "Account", "referenceId": "a" }, "Name": "Acme",
            "Contacts": { "records": [
                { "attributes": { "type": "Contact", "referenceId": "c1" }, "LastName": "x" },
                { "attributes": { "type": "Contact", "referenceId": "c2" }, "LastName": "y", "FirstName": first },
            ]},
        }]})
    };
    let (status, answer) = post(&mut fixture, "composite/tree/Account", &tree("Bob"));
    assert_eq!((status, &answer["hasErrors"]), (400, &json!(true)));
    assert_eq!(answer["results"][0]["referenceId"], "c2");
    assert_eq!(
        answer["results"][0]["errors"][0]["statusCode"],
        "FIELD_CUSTOM_VALIDATION_EXCEPTION"
    );
    assert_eq!(count(&mut fixture, "Account"), 0);

    let (status, answer) = post(&mut fixture, "composite/tree/Account", &tree("Ada"));
    assert_eq!((status, answer["results"].as_array().map(Vec::len)), (201, Some(3)), "{answer}");
    let names = fixture.query("SELECT Account.Name FROM Contact").body.unwrap();
    assert_eq!(names["records"][1]["Account"]["Name"], "Acme");
}
