//! Collections that are refused as a whole, and records in them that are.

use serde_json::{Value as Json, json};

use super::{Case, run};

fn whole(
    request: &'static str,
    body: Json,
    code: &'static str,
    message: &'static str,
    fields: &'static [&'static str],
) -> Case {
    Case { request, body, status: 400, code, message, fields }
}

/// A collection in which one record is refused.
fn item(
    request: &'static str,
    record: Json,
    code: &'static str,
    message: &'static str,
    fields: &'static [&'static str],
) -> Case {
    let mut record = record;
    record["attributes"] = json!({ "type": "Contact" });
    Case { request, body: json!({ "records": [record] }), status: 200, code, message, fields }
}

fn many(count: usize) -> Json {
    let record = json!({ "attributes": { "type": "Contact" }, "LastName": "Doe" });
    json!({ "records": vec![record; count] })
}

fn alternating(count: usize) -> Json {
    let record = |at: usize| {
        if at.is_multiple_of(2) {
            json!({ "attributes": { "type": "Contact" }, "LastName": "Doe" })
        } else {
            json!({ "attributes": { "type": "Account" }, "Name": "Acme" })
        }
    };
    json!({ "records": (0..count).map(record).collect::<Vec<_>>() })
}

#[test]
fn whole_requests() {
    let limit = "record limit reached. cannot submit more than 200 records into this call";
    let upsert = "PATCH composite/sobjects/Contact/ExternalId__c";
    run(&[
        whole("POST composite/sobjects", many(201), "EXCEEDED_ID_LIMIT", limit, &[]),
        whole(upsert, many(201), "EXCEEDED_ID_LIMIT", limit, &[]),
        whole(
            "POST composite/sobjects",
            alternating(11),
            "LIMIT_EXCEEDED",
            "Cannot have more than 10 chunks in a single operation. Please rearrange the data to reduce chunking.",
            &[],
        ),
        whole(
            "POST composite/sobjects",
            Json::Null,
            "JSON_PARSER_ERROR",
            "The HTTP entity body is required, but this request has no entity body.",
            &[],
        ),
        whole(
            "POST composite/sobjects",
            json!({}),
            "REQUIRED_FIELD_MISSING",
            "Required fields are missing: [records]",
            &["records"],
        ),
        whole(
            "POST composite/sobjects",
            json!({ "records": {} }),
            "JSON_PARSER_ERROR",
            "Cannot deserialize instance of list from START_OBJECT value { or request may be missing a required field at [line:1, column:2]",
            &[],
        ),
        whole(
            "POST composite/sobjects",
            json!({ "records": [7] }),
            "JSON_PARSER_ERROR",
            "Cannot deserialize instance of sobject from VALUE_NUMBER_INT value 7 or request may be missing a required field at [line:1, column:2]",
            &[],
        ),
        whole(
            "POST composite/sobjects",
            json!({ "records": [], "allOrNone": "yes" }),
            "JSON_PARSER_ERROR",
            "Cannot deserialize instance of boolean from VALUE_STRING value yes or request may be missing a required field at [line:1, column:2]",
            &[],
        ),
        whole(
            "POST composite/sobjects",
            json!({ "records": [], "rows": [] }),
            "JSON_PARSER_ERROR",
            "Unrecognized field \"rows\" at [line:1, column:2]",
            &[],
        ),
        whole(
            "POST composite/sobjects",
            json!({ "records": [{ "LastName": "Doe" }] }),
            "INVALID_TYPE",
            "The sObject type of a record must be specified in its attributes.",
            &[],
        ),
        whole(
            "POST composite/sobjects",
            json!({ "records": [{ "attributes": { "type": "Nothing__c" } }] }),
            "INVALID_TYPE",
            "sObject type 'Nothing__c' is not supported.",
            &[],
        ),
        whole(
            upsert,
            json!({ "records": [{ "attributes": { "type": "Account" }, "Name": "Acme" }] }),
            "INVALID_TYPE",
            "sObject type 'Account' does not match the type 'Contact' of the request.",
            &[],
        ),
        whole(
            "PATCH composite/sobjects/Contact/LastName",
            many(1),
            "INVALID_FIELD",
            "Field name provided, LastName does not match an External ID, Salesforce Id, or indexed field for Contact",
            &[],
        ),
        whole(
            upsert,
            json!({ "records": [
                { "attributes": { "type": "Contact" }, "ExternalId__c": "C-9", "LastName": "Doe" },
                { "attributes": { "type": "Contact" }, "ExternalId__c": "C-1", "Id": "{contact}" },
            ] }),
            "INVALID_FIELD",
            "The Id field should not be specified in the sobject data.",
            &[],
        ),
        whole(
            "POST composite/sobjects",
            json!({ "records": [
                { "attributes": { "type": "Contact" }, "LastName": "Doe" },
                { "attributes": { "type": "Contact" }, "LastName": "Doe", "Nickname": "x" },
            ] }),
            "INVALID_FIELD",
            "No such column 'Nickname' on sobject of type Contact",
            &[],
        ),
        whole(
            "POST composite/sobjects",
            json!({ "records": [
                { "attributes": { "type": "Contact" }, "LastName": "Doe" },
                { "attributes": { "type": "Contact" }, "LastName": "Doe", "Vip__c": "maybe" },
            ] }),
            "JSON_PARSER_ERROR",
            "Cannot deserialize instance of boolean from VALUE_STRING value maybe or request may be missing a required field at [line:1, column:35]",
            &[],
        ),
        whole(
            "DELETE composite/sobjects",
            Json::Null,
            "MISSING_ARGUMENT",
            "ids not specified",
            &["ids"],
        ),
        whole(
            "GET composite/sobjects/Contact?ids={contact}",
            Json::Null,
            "REQUIRED_FIELD_MISSING",
            "Required fields are missing: [fields]",
            &["fields"],
        ),
        whole(
            "POST composite/sobjects/Contact",
            json!({ "ids": ["{contact}"], "fields": ["Nickname"] }),
            "INVALID_FIELD",
            "No such column 'Nickname' on sobject of type Contact",
            &[],
        ),
        Case {
            request: "PATCH composite/sobjects/Nothing__c/Id",
            body: many(1),
            status: 404,
            code: "NOT_FOUND",
            message: "The requested resource does not exist",
            fields: &[],
        },
        Case {
            request: "PUT composite/sobjects",
            body: many(1),
            status: 405,
            code: "METHOD_NOT_ALLOWED",
            message: "HTTP Method 'PUT' not allowed. Allowed are DELETE,PATCH,POST",
            fields: &[],
        },
        Case {
            request: "POST composite/sobjects/Contact/Id",
            body: many(1),
            status: 405,
            code: "METHOD_NOT_ALLOWED",
            message: "HTTP Method 'POST' not allowed. Allowed are PATCH",
            fields: &[],
        },
    ]);
}

#[test]
fn single_records() {
    let insert = "POST composite/sobjects";
    let update = "PATCH composite/sobjects";
    let upsert = "PATCH composite/sobjects/Contact/ExternalId__c";
    let by_legacy = "PATCH composite/sobjects/Contact/Legacy__c";
    run(&[
        item(
            insert,
            json!({ "FirstName": "Jane" }),
            "REQUIRED_FIELD_MISSING",
            "Required fields are missing: [LastName]",
            &["LastName"],
        ),
        item(
            insert,
            json!({ "LastName": "Doe", "Id": "{contact}" }),
            "INVALID_FIELD_FOR_INSERT_UPDATE",
            "cannot specify Id in an insert call",
            &["Id"],
        ),
        item(
            update,
            json!({ "LastName": "Doe" }),
            "MISSING_ARGUMENT",
            "Id not specified in an update call",
            &["Id"],
        ),
        item(
            update,
            json!({ "id": "{account}" }),
            "MALFORMED_ID",
            "Contact ID: id value of incorrect type: {account}",
            &["Id"],
        ),
        item(
            update,
            json!({ "id": "003Hs00000000zz" }),
            "INVALID_CROSS_REFERENCE_KEY",
            "invalid cross reference id",
            &[],
        ),
        item(update, json!({ "id": "{deleted}" }), "ENTITY_IS_DELETED", "entity is deleted", &[]),
        item(
            upsert,
            json!({ "LastName": "Doe" }),
            "MISSING_ARGUMENT",
            "ExternalId__c not specified",
            &["ExternalId__c"],
        ),
        item(
            upsert,
            json!({ "ExternalId__c": "C-1", "Email": "jane" }),
            "INVALID_EMAIL_ADDRESS",
            "Email: invalid email address: jane",
            &["Email"],
        ),
        item(
            by_legacy,
            json!({ "Legacy__c": "L" }),
            "DUPLICATE_EXTERNAL_ID",
            "Legacy: more than one record found for external id field: [{contact}, {other}]",
            &["Legacy__c"],
        ),
        Case {
            request: upsert,
            body: json!({ "records": [
                { "attributes": { "type": "Contact" }, "ExternalId__c": "C-9", "LastName": "Doe" },
                { "attributes": { "type": "Contact" }, "ExternalId__c": "c-9", "LastName": "Roe" },
            ] }),
            status: 200,
            code: "DUPLICATE_VALUE",
            message: "Duplicate external id specified: C-9",
            fields: &["ExternalId__c"],
        },
        Case {
            request: "PATCH composite/sobjects",
            body: json!({ "allOrNone": true, "records": [
                { "attributes": { "type": "Contact" }, "id": "{other}", "FirstName": "Jane" },
                { "attributes": { "type": "Contact" }, "id": "{contact}", "LastName": null },
            ] }),
            status: 200,
            code: "REQUIRED_FIELD_MISSING",
            message: "Required fields are missing: [LastName]",
            fields: &["LastName"],
        },
        Case {
            request: "DELETE composite/sobjects?ids=nonsense",
            body: Json::Null,
            status: 200,
            code: "MALFORMED_ID",
            message: "malformed id nonsense",
            fields: &[],
        },
        Case {
            request: "DELETE composite/sobjects?ids={contact},{family}&allOrNone=true",
            body: Json::Null,
            status: 200,
            code: "DELETE_FAILED",
            message: "Your attempt to delete Does could not be completed because it is associated with the following blocks.: B-1\n",
            fields: &[],
        },
    ]);
}
