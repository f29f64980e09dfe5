//! Records that the org's rules do not allow.

use serde_json::{Value as Json, json};

use super::{Case, run};

fn case(
    request: &'static str,
    body: Json,
    code: &'static str,
    message: &'static str,
    fields: &'static [&'static str],
) -> Case {
    Case { request, body, status: 400, code, message, fields }
}

#[test]
fn required_and_unique() {
    let required = "REQUIRED_FIELD_MISSING";
    let unique = "DUPLICATE_VALUE";
    run(&[
        case(
            "POST sobjects/Contact",
            json!({}),
            required,
            "Required fields are missing: [LastName]",
            &["LastName"],
        ),
        case(
            "POST sobjects/Contact",
            json!({ "LastName": "  " }),
            required,
            "Required fields are missing: [LastName]",
            &["LastName"],
        ),
        case(
            "POST sobjects/Account",
            json!({ "Industry": "Banking" }),
            required,
            "Required fields are missing: [Name]",
            &["Name"],
        ),
        case(
            "PATCH sobjects/Contact/{contact}",
            json!({ "LastName": null }),
            required,
            "Required fields are missing: [LastName]",
            &["LastName"],
        ),
        case(
            "PATCH sobjects/Contact/ExternalId__c/C-9",
            json!({ "FirstName": "Jane" }),
            required,
            "Required fields are missing: [LastName]",
            &["LastName"],
        ),
        case(
            "POST sobjects/Contact",
            json!({ "LastName": "Doe", "Code__c": "ONE" }),
            unique,
            "duplicate value found: Code__c duplicates value on record with id: {contact}",
            &[],
        ),
        case(
            "PATCH sobjects/Contact/{other}",
            json!({ "Code__c": "one" }),
            unique,
            "duplicate value found: Code__c duplicates value on record with id: {contact}",
            &[],
        ),
        case(
            "POST sobjects/Contact",
            json!({ "LastName": "Doe", "ExternalId__c": "c-1" }),
            unique,
            "duplicate value found: ExternalId__c duplicates value on record with id: {contact}",
            &[],
        ),
        case(
            "POST sobjects/Contact",
            json!({ "LastName": "Doe", "Number__c": 7.0 }),
            unique,
            "duplicate value found: Number__c duplicates value on record with id: {contact}",
            &[],
        ),
    ]);
}

#[test]
fn validation_rules() {
    let rule = "FIELD_CUSTOM_VALIDATION_EXCEPTION";
    run(&[
        case(
            "POST sobjects/Contact",
            json!({ "LastName": "Doe", "Score__c": 501 }),
            rule,
            "The score is too high.",
            &["Score__c"],
        ),
        case(
            "PATCH sobjects/Contact/{contact}",
            json!({ "Score__c": 501 }),
            rule,
            "The score is too high.",
            &["Score__c"],
        ),
        case(
            "POST sobjects/Contact",
            json!({ "LastName": "Nobody" }),
            rule,
            "Somebody is needed.",
            &[],
        ),
        case(
            "PATCH sobjects/Contact/{contact}",
            json!({ "Title": "Clerk" }),
            rule,
            "A boss stays one.",
            &[],
        ),
        case(
            "PATCH sobjects/Contact/{other}",
            json!({ "Account": { "ExternalId__c": "A-2" } }),
            rule,
            "No banks.",
            &["AccountId"],
        ),
    ]);
}

#[test]
fn duplicate_rules() {
    let duplicate = "DUPLICATES_DETECTED";
    run(&[
        case(
            "POST sobjects/Contact",
            json!({ "LastName": "DOE", "Email": "Jane@example.com" }),
            duplicate,
            "Use one of these records?",
            &[],
        ),
        case(
            "PATCH sobjects/Contact/{other}",
            json!({ "LastName": "Doe", "Email": "jane@example.com" }),
            duplicate,
            "Use one of these records?",
            &[],
        ),
        case(
            "PATCH sobjects/Contact/{other}",
            json!({ "MobilePhone": "1" }),
            duplicate,
            "The phone is known.",
            &[],
        ),
    ]);
}
