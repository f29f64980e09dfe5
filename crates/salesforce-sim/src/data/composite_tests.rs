//! Composite and Batch, through the door of REST.

use std::sync::{LazyLock, Mutex};

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::fixture::Fixture;
use super::request::Method;

pub(super) const RULED: &str = r#"
objects:
  Contact:
    validation:
      - { name: no_bob, when: 'FirstName = "Bob"', message: No Bob here, field: FirstName }
"#;

pub(super) fn post(fixture: &mut Fixture, path: &str, body: &Json) -> (u16, Json) {
    let answer = fixture.ask(Method::Post, path, Some(body));
    (answer.status, answer.body.unwrap_or_default())
}

pub(super) fn create(reference: &str, object: &str, body: &Json) -> Json {
    json!({
        "method": "POST",
        "url": format!("/services/data/v62.0/sobjects/{object}"),
        "referenceId": reference,
        "body": body,
    })
}

pub(super) fn get(reference: &str, path: &str) -> Json {
    json!({ "method": "GET", "url": format!("/services/data/v62.0/{path}"), "referenceId": reference })
}

/// The status of each item, and the code of its refusal.
pub(super) fn statuses(body: &Json) -> Vec<String> {
    let items = body["compositeResponse"].as_array().unwrap();
    let show = |item: &Json| match item["body"][0]["errorCode"].as_str() {
        Some(code) => format!("{} {code}", item["httpStatusCode"]),
        None => item["httpStatusCode"].to_string(),
    };
    items.iter().map(show).collect()
}

pub(super) fn count(fixture: &mut Fixture, object: &str) -> u64 {
    let body = fixture.query(&format!("SELECT COUNT() FROM {object}")).body.unwrap();
    body["totalSize"].as_u64().unwrap()
}

#[test]
fn later_subrequests_refer_to_earlier_ones() {
    let mut fixture = Fixture::new("{}");
    let body = json!({ "allOrNone": true, "collateSubrequests": false, "compositeRequest": [
        create("account", "Account", &json!({ "Name": "Acme" })),
        create("contact", "Contact", &json!({ "LastName": "Ada", "AccountId": "@{account.id}" })),
        get("read", "sobjects/Contact/@{contact.id}?fields=LastName,AccountId"),
        get("found", "query?q=SELECT+Id+FROM+Contact+WHERE+AccountId+=+'@{read.AccountId}'"),
        { "method": "PATCH", "url": "/services/data/v62.0/sobjects/Contact/@{found.records[0].Id}",
          "referenceId": "change", "body": { "Title": "Ms @{read.LastName}" } },
    ]});
    let (status, answer) = post(&mut fixture, "composite", &body);
    assert_eq!(status, 200);
    let items = answer["compositeResponse"].as_array().unwrap();
    let statuses: Vec<_> =
        items.iter().map(|item| item["httpStatusCode"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [201, 201, 200, 200, 204], "{answer}");
    let id = items[0]["body"]["id"].as_str().unwrap();
    assert_eq!(
        items[0]["httpHeaders"]["Location"],
        format!("/services/data/v62.0/sobjects/Account/{id}")
    );
    assert_eq!(items[2]["body"]["AccountId"], id);
    assert_eq!(items[2]["httpHeaders"], json!({}));
    assert_eq!(items[4]["body"], Json::Null);
    assert_eq!(items[4]["referenceId"], "change");
    assert_eq!(fixture.column("SELECT Title FROM Contact", "Title"), [json!("Ms Ada")]);
}

#[test]
fn all_or_none_takes_everything_back() {
    let mut fixture = Fixture::new(RULED);
    let requests = json!([
        create("a", "Account", &json!({ "Name": "Acme" })),
        create("b", "Contact", &json!({ "LastName": "x", "FirstName": "Bob" })),
        create("c", "Account", &json!({ "Name": "Beta" })),
    ]);
    let body = json!({ "allOrNone": true, "compositeRequest": requests });
    let (status, answer) = post(&mut fixture, "composite", &body);
    assert_eq!(status, 200);
    let halted = "400 PROCESSING_HALTED";
    assert_eq!(statuses(&answer), [halted, "400 FIELD_CUSTOM_VALIDATION_EXCEPTION", halted]);
    let words =
        "The transaction was rolled back since another operation in the same transaction failed.";
    assert_eq!(answer["compositeResponse"][0]["body"][0]["message"], words);
    assert_eq!(count(&mut fixture, "Account"), 0);

    let body = json!({ "allOrNone": false, "compositeRequest": requests });
    let (_, answer) = post(&mut fixture, "composite", &body);
    assert_eq!(statuses(&answer), ["201", "400 FIELD_CUSTOM_VALIDATION_EXCEPTION", "201"]);
    assert_eq!(count(&mut fixture, "Account"), 2);
}

#[test]
fn a_collection_inside_obeys_the_flag_around_it() {
    let mut fixture = Fixture::new(RULED);
    let collection = json!({
        "method": "POST", "url": "/services/data/v62.0/composite/sobjects", "referenceId": "many",
        "body": { "allOrNone": false, "records": [
            { "attributes": { "type": "Contact" }, "LastName": "good" },
            { "attributes": { "type": "Contact" }, "LastName": "bad", "FirstName": "Bob" },
        ]},
    });
    for (all_or_none, contacts, accounts) in [(true, 0, 0), (false, 1, 1)] {
        let body = json!({ "allOrNone": all_or_none, "compositeRequest": [
            create("a", "Account", &json!({ "Name": "Acme" })), collection,
        ]});
        post(&mut fixture, "composite", &body);
        assert_eq!(count(&mut fixture, "Contact"), contacts);
        assert_eq!(count(&mut fixture, "Account"), accounts);
    }
}

#[test]
fn a_collection_inside_can_be_read() {
    let mut fixture = Fixture::new("{}");
    let id = fixture.insert("Account", &json!({ "Name": "Acme" }));
    let read = json!({
        "method": "POST", "url": "/services/data/v62.0/composite/sobjects/Account", "referenceId": "many",
        "body": { "ids": [id], "fields": ["Name"] },
    });
    let body = json!({ "allOrNone": true, "compositeRequest": [read] });
    let (_, answer) = post(&mut fixture, "composite", &body);
    assert_eq!(answer["compositeResponse"][0]["body"][0]["Name"], "Acme", "{answer}");
}

#[test]
fn what_refers_to_a_failure_fails_itself() {
    let mut fixture = Fixture::new("{}");
    let body = json!({ "compositeRequest": [
        create("a", "Account", &json!({})),
        create("b", "Contact", &json!({ "LastName": "x", "AccountId": "@{a.id}" })),
        create("c", "Contact", &json!({ "LastName": "x", "AccountId": "@{later.id}" })),
        create("later", "Contact", &json!({ "LastName": "x" })),
        get("d", "limits"),
        { "method": "GET", "url": "/elsewhere", "referenceId": "e" },
        { "method": "POST", "url": "/services/data/v62.0/composite", "referenceId": "f", "body": {} },
    ]});
    let (_, answer) = post(&mut fixture, "composite", &body);
    let halted = "400 PROCESSING_HALTED";
    assert_eq!(
        statuses(&answer),
        ["400 REQUIRED_FIELD_MISSING", halted, halted, "201", halted, "404 NOT_FOUND", halted]
    );
    let message = answer["compositeResponse"][1]["body"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("Invalid reference specified. No value for a.id found in a. "),
        "{message}"
    );
}

#[test]
fn a_composite_that_is_wrong_as_a_whole_is_refused_as_a_whole() {
    let one = create("a", "Account", &json!({ "Name": "x" }));
    let with = |name: &str, value: Json| {
        let mut one = one.clone();
        one[name] = value;
        json!({ "compositeRequest": [one] })
    };
    for (body, code, words) in [
        (json!({}), "REQUIRED_FIELD_MISSING", "Required fields are missing: [compositeRequest]"),
        (json!([]), "JSON_PARSER_ERROR", "START_ARRAY"),
        (json!({ "compositeRequest": {} }), "JSON_PARSER_ERROR", "list from START_OBJECT"),
        (
            json!({ "compositeRequest": [1] }),
            "JSON_PARSER_ERROR",
            "object from VALUE_NUMBER_INT value 1",
        ),
        (
            json!({ "compositeRequest": [one, one] }),
            "JSON_PARSER_ERROR",
            "Duplicate ReferenceId provided in the request.",
        ),
        (
            json!({ "compositeRequest": [one], "allOrNone": "yes" }),
            "JSON_PARSER_ERROR",
            "boolean from VALUE_STRING value yes",
        ),
        (
            json!({ "compositeRequest": [one], "all": true }),
            "JSON_PARSER_ERROR",
            "Unrecognized field \"all\"",
        ),
        (with("method", json!("FETCH")), "JSON_PARSER_ERROR", "Unknown method: FETCH"),
        (with("method", json!("post")), "JSON_PARSER_ERROR", "Unknown method: post"),
        (with("url", Json::Null), "REQUIRED_FIELD_MISSING", "Required fields are missing: [url]"),
        (with("url", json!(1)), "JSON_PARSER_ERROR", "string from VALUE_NUMBER_INT value 1"),
        (with("referenceId", Json::Null), "REQUIRED_FIELD_MISSING", "[referenceId]"),
        (
            with("referenceId", json!("a[1]")),
            "JSON_PARSER_ERROR",
            "Provided referenceId ('a[1]') must start with a letter or a number, and it can contain only letters, numbers and underscores ('_').",
        ),
        (
            with("referenceId", json!("_a")),
            "JSON_PARSER_ERROR",
            "must start with a letter or a number",
        ),
        (
            with("referenceId", json!("")),
            "JSON_PARSER_ERROR",
            "must start with a letter or a number",
        ),
        (with("extra", json!(1)), "JSON_PARSER_ERROR", "Unrecognized field \"extra\""),
        (
            with("httpHeaders", json!({ "Authorization": "x" })),
            "JSON_PARSER_ERROR",
            "cannot have the header authorization",
        ),
        (with("httpHeaders", json!([])), "JSON_PARSER_ERROR", "map from START_ARRAY"),
    ] {
        let mut fixture = Fixture::new("{}");
        let (status, answer) = post(&mut fixture, "composite", &body);
        assert_eq!(
            (status, answer[0]["errorCode"].as_str()),
            (400, Some(code)),
            "{body}: {answer}"
        );
        assert!(answer[0]["message"].as_str().unwrap().contains(words), "{body}: {answer}");
        assert_eq!(count(&mut fixture, "Account"), 0, "{body}");
    }
}

#[test]
fn a_composite_has_room_for_25_and_five_heavy_ones() {
    let mut fixture = Fixture::new("{}");
    let many = |number: usize, path: &str| {
        let list: Vec<Json> = (0..number).map(|at| get(&format!("r{at}"), path)).collect();
        json!({ "compositeRequest": list })
    };
    let query = "query?q=SELECT+Id+FROM+Contact";
    for (body, refused) in [
        (many(25, "sobjects/Contact/describe"), false),
        (many(26, "sobjects/Contact/describe"), true),
        (many(5, query), false),
        (many(6, query), true),
    ] {
        let (status, answer) = post(&mut fixture, "composite", &body);
        let first = &answer["compositeResponse"][0];
        assert_eq!(status, 200);
        assert_eq!(first["body"][0]["errorCode"] == "LIMIT_EXCEEDED", refused, "{first}");
        assert_eq!(first["referenceId"].is_null(), refused);
    }
}

#[test]
fn an_older_version_takes_any_reference_id() {
    let mut fixture = Fixture::new("{}");
    let body = json!({ "compositeRequest": [create("a-b", "Account", &json!({ "Name": "x" }))] });
    let answer = fixture.ask_with(Method::Post, "/services/data/v51.0/composite", Some(&body), &[]);
    assert_eq!(answer.status, 200);
    assert_eq!(count(&mut fixture, "Account"), 1);
}

#[test]
fn the_composite_resources_are_listed() {
    let mut fixture = Fixture::new("{}");
    let answer = fixture.ask(Method::Get, "composite", None);
    assert_eq!(answer.body.unwrap()["graph"], "/services/data/v62.0/composite/graph");
    assert_eq!(fixture.ask(Method::Put, "composite", None).status, 405);
}

#[test]
fn a_batch_goes_on_unless_it_is_told_to_halt() {
    let mut fixture = Fixture::new("{}");
    let requests = json!([
        { "method": "POST", "url": "v62.0/sobjects/Account", "richInput": { "Name": "a" } },
        { "method": "POST", "url": "v62.0/sobjects/Account", "richInput": {} },
        { "method": "GET", "url": "/services/data/v62.0/query?q=SELECT+Id+FROM+Account" },
        { "method": "POST", "url": "v62.0/composite/batch", "richInput": {} },
    ]);
    for (halt, expected) in [(false, [201, 400, 200, 404]), (true, [201, 400, 412, 412])] {
        let body = json!({ "haltOnError": halt, "batchRequests": requests });
        let (status, answer) = post(&mut fixture, "composite/batch", &body);
        assert_eq!((status, &answer["hasErrors"]), (200, &json!(true)));
        let results = answer["results"].as_array().unwrap();
        let statuses: Vec<_> =
            results.iter().map(|item| item["statusCode"].as_u64().unwrap()).collect();
        assert_eq!(statuses, expected, "{answer}");
    }
    let many =
        json!({ "batchRequests": vec![json!({ "method": "GET", "url": "v62.0/sobjects" }); 26] });
    let (status, answer) = post(&mut fixture, "composite/batch", &many);
    assert_eq!((status, answer[0]["errorCode"].as_str()), (400, Some("LIMIT_EXCEEDED")));
}

/// JSON out of the words that these resources look for.
fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            json!(null),
            json!(true),
            json!(1.5),
            json!("POST"),
            json!("GET"),
            json!("a"),
            json!("@{a.id}"),
            json!("@{a.records[0].Id}@{"),
            json!("Account"),
            json!("/services/data/v62.0/sobjects/Account"),
            json!("v62.0/query?q=SELECT+Id+FROM+Account"),
            json!("/services/data/v62.0/sobjects/Account/@{a.id}"),
        ]),
        "\\PC{0,10}".prop_map(Json::from),
    ];
    let name = prop::sample::select(vec![
        "compositeRequest",
        "graphs",
        "graphId",
        "batchRequests",
        "records",
        "attributes",
        "type",
        "referenceId",
        "method",
        "url",
        "body",
        "richInput",
        "httpHeaders",
        "allOrNone",
        "haltOnError",
        "Name",
        "Contacts",
    ]);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|members| {
                Json::Object(
                    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
                )
            }),
        ]
    })
}

/// A subrequest whose parts are mostly right.
fn any_subrequest() -> impl Strategy<Value = Json> {
    let method = prop::sample::select(vec!["GET", "POST", "PATCH", "DELETE", "PUT"]);
    let url = prop::sample::select(vec![
        "/services/data/v62.0/sobjects/Account",
        "/services/data/v62.0/sobjects/Account/@{r0.id}",
        "/services/data/v62.0/sobjects/Contact/ExternalId__c/@{r1.id}",
        "/services/data/v62.0/composite/sobjects",
        "/services/data/v62.0/query?q=SELECT+Id+FROM+Account+LIMIT+@{r2}",
        "/services/data/v99.0/x",
        "v62.0/sobjects/Account",
    ]);
    (method, url, any_json()).prop_map(|(method, url, body)| {
        json!({ "method": method, "url": url, "referenceId": "r", "body": body })
    })
}

static ORG: LazyLock<Mutex<Fixture>> = LazyLock::new(|| Mutex::new(Fixture::new("{}")));

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_body_ends_the_process(
        body in any_json(),
        mut list in prop::collection::vec(any_subrequest(), 0..4),
        all_or_none in any::<bool>(),
    ) {
        for (at, subrequest) in list.iter_mut().enumerate() {
            subrequest["referenceId"] = format!("r{at}").into();
        }
        let mut org = ORG.lock().unwrap();
        for (path, body) in [
            ("composite", body.clone()),
            ("composite/batch", body.clone()),
            ("composite/graph", body.clone()),
            ("composite/tree/Account", body.clone()),
            ("composite/sobjects", body.clone()),
            ("composite", json!({ "compositeRequest": list, "allOrNone": all_or_none })),
            ("composite/batch", json!({ "batchRequests": list })),
            ("composite/graph", json!({ "graphs": [{ "graphId": "1", "compositeRequest": list }] })),
            ("composite/tree/Account", json!({ "records": [body] })),
        ] {
            let status = org.ask(Method::Post, path, Some(&body)).status;
            prop_assert!((200..500).contains(&status), "{path} {body}");
        }
    }
}
