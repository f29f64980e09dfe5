//! Composites, batches and graphs that are refused as a whole.

use serde_json::{Value as Json, json};

use super::{Case, run};
use crate::data::composite_tests::create;

fn refused(
    request: &'static str,
    body: Json,
    code: &'static str,
    message: &'static str,
    fields: &'static [&'static str],
) -> Case {
    Case { request, body, status: 400, code, message, fields }
}

/// A subrequest in which one member is another.
fn with(name: &str, value: Json) -> Json {
    let mut subrequest = create("ref", "Account", &json!({ "Name": "Acme" }));
    subrequest[name] = value;
    subrequest
}

#[test]
fn composites() {
    let one = || with("referenceId", json!("ref"));
    let refused =
        |body, code, message, fields| refused("POST composite", body, code, message, fields);
    let first = |subrequest: Json| json!({ "compositeRequest": [one(), subrequest] });
    let parser = "JSON_PARSER_ERROR";
    let missing = "REQUIRED_FIELD_MISSING";
    run(&[
        refused(
            Json::Null,
            parser,
            "The HTTP entity body is required, but this request has no entity body.",
            &[],
        ),
        refused(
            json!({}),
            missing,
            "Required fields are missing: [compositeRequest]",
            &["compositeRequest"],
        ),
        refused(first(one()), parser, "Duplicate ReferenceId provided in the request.", &[]),
        refused(first(with("method", json!("patch"))), parser, "Unknown method: patch", &[]),
        refused(
            first(with("url", Json::Null)),
            missing,
            "Required fields are missing: [url]",
            &["url"],
        ),
        refused(
            first(with("referenceId", Json::Null)),
            missing,
            "Required fields are missing: [referenceId]",
            &["referenceId"],
        ),
        refused(
            first(with("referenceId", json!("a-b"))),
            parser,
            "Provided referenceId ('a-b') must start with a letter or a number, and it can contain only \
             letters, numbers and underscores ('_').",
            &[],
        ),
        refused(
            first(with("httpHeaders", json!({ "Content-Type": "text/csv" }))),
            parser,
            "A subrequest cannot have the header content-type",
            &[],
        ),
    ]);
}

#[test]
fn batches_and_graphs() {
    let batch = json!({ "method": "GET", "url": "v62.0/sobjects" });
    let graph = |id: usize| json!({ "graphId": id.to_string(), "compositeRequest": [] });
    let nodes: Vec<Json> = (0..501)
        .map(|at| create(&format!("r{at}"), "Account", &json!({ "Name": "Acme" })))
        .collect();
    run(&[
        refused(
            "POST composite/batch",
            json!({ "batchRequests": vec![batch; 26] }),
            "LIMIT_EXCEEDED",
            "The request can’t contain more than 25 operations.",
            &[],
        ),
        refused(
            "POST composite/batch",
            json!({}),
            "REQUIRED_FIELD_MISSING",
            "Required fields are missing: [batchRequests]",
            &["batchRequests"],
        ),
        refused(
            "POST composite/graph",
            json!({ "graphs": (0..76).map(graph).collect::<Vec<_>>() }),
            "LIMIT_EXCEEDED",
            "The request can’t contain more than 75 graphs.",
            &[],
        ),
        refused(
            "POST composite/graph",
            json!({ "graphs": [{ "graphId": "1", "compositeRequest": nodes }] }),
            "LIMIT_EXCEEDED",
            "The request can’t contain more than 500 nodes.",
            &[],
        ),
        refused(
            "POST composite/graph",
            json!({ "graphs": [graph(1), graph(1)] }),
            "JSON_PARSER_ERROR",
            "Duplicate graphId provided in the request.",
            &[],
        ),
        Case {
            status: 405,
            ..refused(
                "GET composite/graph",
                Json::Null,
                "METHOD_NOT_ALLOWED",
                "HTTP Method 'GET' not allowed. Allowed are POST",
                &[],
            )
        },
    ]);
}
