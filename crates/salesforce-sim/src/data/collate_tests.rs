//! Which subrequests change places, and what a client sees of it.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Value as Json, json};

use super::collate::order;
use super::composite_tests::{create, get, post, statuses};
use super::fixture::Fixture;
use super::request::Method;
use super::subrequest::read;

fn upsert(reference: &str, key: &str, body: &Json) -> Json {
    let url = format!("/services/data/v62.0/sobjects/Contact/ExternalId__c/{key}");
    json!({ "method": "PATCH", "url": url, "referenceId": reference, "body": body })
}

/// All orders that a hundred seeds come to, by reference ids.
fn orders(list: &Json) -> BTreeSet<String> {
    let request = json!({ "compositeRequest": list });
    let subrequests = read(request.as_object().unwrap(), 620).unwrap();
    let show = |seed| {
        let order = order(&subrequests, &mut fastrand::Rng::with_seed(seed));
        order.into_iter().map(|place| subrequests[place].reference).collect()
    };
    (0..100).map(show).collect()
}

#[test]
fn only_unrelated_records_of_one_method_change_places() {
    let one = |reference| create(reference, "Account", &json!({ "Name": "x" }));
    let child = |reference, parent: &str| {
        create(reference, "Contact", &json!({ "LastName": "x", "AccountId": parent }))
    };
    let mut other_headers = one("b");
    other_headers["httpHeaders"] = json!({ "Sforce-Duplicate-Rule-Header": "allowSave=true" });
    for (list, expected) in [
        (json!([one("a"), one("b")]), &["ab", "ba"][..]),
        (json!([one("a"), child("b", "@{a.id}")]), &["ab"]),
        (json!([one("a"), child("b", "@{a.id}"), one("c")]), &["abc", "acb", "cab"]),
        // A chain is kept even where its ends know nothing of each other.
        (json!([one("a"), child("b", "@{a.id}"), child("c", "@{b.id}")]), &["abc"]),
        (json!([child("a", "@{b.id}"), one("b")]), &["ab"]),
        (json!([one("a"), upsert("b", "E-1", &json!({})), one("c")]), &["abc"]),
        (json!([one("a"), get("q", "query?q=SELECT+Id+FROM+Account"), one("c")]), &["aqc"]),
        (json!([upsert("a", "1", &json!({})), upsert("b", "@{a.id}", &json!({}))]), &["ab"]),
        // The characters of a reference may be encoded, as in any URL.
        (json!([upsert("a", "1", &json!({})), upsert("b", "%40%7Ba.id%7D", &json!({}))]), &["ab"]),
        (json!([upsert("a", "1", &json!({})), upsert("b", "2?x=@%7Ba.id}", &json!({}))]), &["ab"]),
        (json!([one("a"), other_headers]), &["ab"]),
        (json!([]), &[""]),
    ] {
        let expected: BTreeSet<String> = expected.iter().map(|&order| order.to_owned()).collect();
        assert_eq!(orders(&list), expected, "{list}");
    }
}

#[test]
fn whoever_forgets_to_ask_for_an_order_is_found_out() {
    for (version, collate, expected) in [
        ("v62.0", None, &[1, 2][..]),
        ("v62.0", Some(true), &[1, 2]),
        ("v62.0", Some(false), &[2]),
        ("v49.0", None, &[1, 2]),
        ("v48.0", None, &[2]),
        ("v48.0", Some(true), &[1, 2]),
    ] {
        let mut fixture = Fixture::new("{}");
        let mut body = json!({ "allOrNone": true, "compositeRequest": [
            upsert("first", "E-1", &json!({ "LastName": "Ada", "Version__c": 1 })),
            upsert("second", "E-1", &json!({ "LastName": "Ada", "Version__c": 2 })),
        ]});
        if let Some(collate) = collate {
            body["collateSubrequests"] = collate.into();
        }
        let mut left = HashSet::new();
        for _ in 0..20 {
            let url = format!("/services/data/{version}/composite");
            let answer = fixture.ask_with(Method::Post, &url, Some(&body), &[]).body.unwrap();
            let items = answer["compositeResponse"].as_array().unwrap();
            let references: Vec<_> = items.iter().map(|item| &item["referenceId"]).collect();
            assert_eq!(references, ["first", "second"]);
            let version = &fixture.column("SELECT Version__c FROM Contact", "Version__c")[0];
            left.insert(version.as_f64().unwrap() as u64);
        }
        assert_eq!(left, expected.iter().copied().collect(), "{version} {collate:?}");
    }
}

#[test]
fn the_same_calls_always_have_the_same_order() {
    let run = || {
        let mut fixture = Fixture::new("{}");
        let list: Vec<Json> = (0..25)
            .map(|at| create(&format!("r{at}"), "Account", &json!({ "Name": at.to_string() })))
            .collect();
        let (_, answer) = post(&mut fixture, "composite", &json!({ "compositeRequest": list }));
        assert_eq!(statuses(&answer), ["201"; 25]);
        fixture.column("SELECT Name FROM Account ORDER BY Id", "Name")
    };
    let in_order: Vec<Json> = (0..25).map(|at| json!(at.to_string())).collect();
    assert_eq!(run(), run());
    assert_ne!(run(), in_order);
}
