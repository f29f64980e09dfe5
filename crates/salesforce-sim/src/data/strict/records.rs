//! Records, objects and methods that are not there.

use serde_json::{Value as Json, json};

use super::{Case, run};

fn case(request: &'static str, status: u16, code: &'static str, message: &'static str) -> Case {
    with_body(request, json!({ "FirstName": "Jane" }), status, code, message, &[])
}

fn with_body(
    request: &'static str,
    body: Json,
    status: u16,
    code: &'static str,
    message: &'static str,
    fields: &'static [&'static str],
) -> Case {
    let body =
        if request.starts_with("GET") || request.starts_with("DELETE") { Json::Null } else { body };
    Case { request, body, status, code, message, fields }
}

#[test]
fn what_is_not_there() {
    let gone = "The requested resource does not exist";
    run(&[
        case("GET sobjects/Nothing__c", 404, "NOT_FOUND", gone),
        case("POST sobjects/Nothing__c", 404, "NOT_FOUND", gone),
        case("GET sobjects/Nothing__c/describe", 404, "NOT_FOUND", gone),
        case("GET sobjects/Contact/003Hs00000000zz", 404, "NOT_FOUND", gone),
        case("PATCH sobjects/Contact/003Hs00000000zz", 404, "NOT_FOUND", gone),
        case("DELETE sobjects/Contact/003Hs00000000zz", 404, "NOT_FOUND", gone),
        case("GET sobjects/Contact/{account}", 404, "NOT_FOUND", gone),
        case("GET sobjects/Contact/ExternalId__c/C-9", 404, "NOT_FOUND", gone),
        case("DELETE sobjects/Contact/ExternalId__c/C-9", 404, "NOT_FOUND", gone),
        case("PATCH sobjects/Contact/ExternalId__c/C-9?updateOnly=true", 404, "NOT_FOUND", gone),
        case("PATCH sobjects/Contact/ExternalId__c/a/b", 404, "NOT_FOUND", gone),
        case("GET nowhere", 404, "NOT_FOUND", gone),
        case("GET sobjects/Contact/{deleted}", 404, "ENTITY_IS_DELETED", "entity is deleted"),
        case("PATCH sobjects/Contact/{deleted}", 404, "ENTITY_IS_DELETED", "entity is deleted"),
        case("DELETE sobjects/Contact/{deleted}", 404, "ENTITY_IS_DELETED", "entity is deleted"),
    ]);
}

#[test]
fn keys_that_are_none() {
    let key = |request, message: &'static str| case(request, 404, "NOT_FOUND", message);
    run(&[
        key(
            "GET sobjects/Contact/nonsense",
            "Provided external ID field does not exist or is not accessible: nonsense",
        ),
        key(
            "PATCH sobjects/Contact/nonsense",
            "Provided external ID field does not exist or is not accessible: nonsense",
        ),
        key(
            "PATCH sobjects/Contact/LastName/Doe",
            "Provided external ID field does not exist or is not accessible: LastName",
        ),
        key(
            "PATCH sobjects/Contact/Nothing__c/x",
            "Provided external ID field does not exist or is not accessible: Nothing__c",
        ),
        key(
            "PATCH sobjects/Contact/Code__c/one",
            "Provided external ID field does not exist or is not accessible: Code__c",
        ),
        with_body(
            "PATCH sobjects/Contact/{account}",
            json!({}),
            400,
            "MALFORMED_ID",
            "Contact ID: id value of incorrect type: {account}",
            &["Id"],
        ),
        with_body(
            "DELETE sobjects/Block__c/{account}",
            json!({}),
            400,
            "MALFORMED_ID",
            "Record ID: id value of incorrect type: {account}",
            &["Id"],
        ),
        with_body(
            "PATCH sobjects/Contact/Number__c/seven",
            json!({ "LastName": "Doe" }),
            400,
            "INVALID_TYPE_ON_FIELD_IN_RECORD",
            "Number: value not of required type: seven",
            &["Number__c"],
        ),
        with_body(
            "PATCH sobjects/Contact/ExternalId__c/%20",
            json!({ "LastName": "Doe" }),
            400,
            "MISSING_ARGUMENT",
            "ExternalId__c not specified",
            &["ExternalId__c"],
        ),
    ]);
}

#[test]
fn bodies_and_methods() {
    let parser = "JSON_PARSER_ERROR";
    let method = "METHOD_NOT_ALLOWED";
    run(&[
        with_body(
            "POST sobjects/Contact",
            Json::Null,
            400,
            parser,
            "The HTTP entity body is required, but this request has no entity body.",
            &[],
        ),
        with_body(
            "PATCH sobjects/Contact/{contact}",
            Json::Null,
            400,
            parser,
            "The HTTP entity body is required, but this request has no entity body.",
            &[],
        ),
        with_body(
            "POST sobjects/Contact",
            json!([]),
            400,
            parser,
            "Can not deserialize SObject out of START_ARRAY token at [line:1, column:1]",
            &[],
        ),
        with_body(
            "POST sobjects/Contact",
            json!("x"),
            400,
            parser,
            "Can not deserialize SObject out of VALUE_STRING token at [line:1, column:1]",
            &[],
        ),
        with_body(
            "PATCH sobjects/Contact/{contact}",
            json!({ "id": "{contact}" }),
            400,
            "INVALID_FIELD",
            "The Id field should not be specified in the sobject data.",
            &[],
        ),
        with_body(
            "PATCH sobjects/Contact/ExternalId__c/C-1",
            json!({ "externalid__c": "C-1" }),
            400,
            "INVALID_FIELD",
            "The ExternalId__c field should not be specified in the sobject data.",
            &[],
        ),
        with_body(
            "PATCH sobjects/Contact/ExternalId__c/C-1",
            json!({ "Id": "{contact}" }),
            400,
            "INVALID_FIELD",
            "The Id field should not be specified in the sobject data.",
            &[],
        ),
        with_body(
            "GET sobjects/Contact/{contact}?fields=LastName,Nickname",
            json!({}),
            400,
            "INVALID_FIELD",
            "No such column 'Nickname' on sobject of type Contact",
            &[],
        ),
        case(
            "PUT sobjects/Contact",
            405,
            method,
            "HTTP Method 'PUT' not allowed. Allowed are GET,HEAD,POST",
        ),
        case(
            "PATCH sobjects/Contact",
            405,
            method,
            "HTTP Method 'PATCH' not allowed. Allowed are GET,HEAD,POST",
        ),
        case(
            "POST sobjects/Contact/{contact}",
            405,
            method,
            "HTTP Method 'POST' not allowed. Allowed are DELETE,GET,HEAD,PATCH",
        ),
        case(
            "PUT sobjects/Contact/ExternalId__c/C-1",
            405,
            method,
            "HTTP Method 'PUT' not allowed. Allowed are DELETE,GET,HEAD,PATCH",
        ),
        case(
            "POST sobjects/Contact/describe",
            405,
            method,
            "HTTP Method 'POST' not allowed. Allowed are GET,HEAD",
        ),
        case(
            "DELETE sobjects",
            405,
            method,
            "HTTP Method 'DELETE' not allowed. Allowed are GET,HEAD",
        ),
        with_body(
            "POST sobjects/User",
            json!({ "LastName": "Doe" }),
            400,
            "INVALID_TYPE_FOR_OPERATION",
            "entity type User does not support create or update",
            &[],
        ),
        with_body(
            "DELETE sobjects/User/{user}",
            json!({}),
            400,
            "INVALID_TYPE_FOR_OPERATION",
            "entity type User does not support delete",
            &[],
        ),
        with_body(
            "DELETE sobjects/Family__c/{family}",
            json!({}),
            400,
            "DELETE_FAILED",
            "Your attempt to delete Does could not be completed because it is associated with the following blocks.: B-1\n",
            &[],
        ),
    ]);
}
