//! Values that their field cannot hold.

use serde_json::{Value as Json, json};

use super::{Case, run};

/// An insert of a contact that is fine but for one field.
fn insert(
    field: &str,
    value: Json,
    code: &'static str,
    message: &'static str,
    fields: &'static [&'static str],
) -> Case {
    let mut body = json!({ "LastName": "Doe" });
    body[field] = value;
    Case { request: "POST sobjects/Contact", body, status: 400, code, message, fields }
}

#[test]
fn values_of_the_wrong_type() {
    let parser = "JSON_PARSER_ERROR";
    run(&[
        insert(
            "Vip__c",
            json!("maybe"),
            parser,
            "Cannot deserialize instance of boolean from VALUE_STRING value maybe or request may be missing a required field at [line:1, column:35]",
            &[],
        ),
        insert(
            "Vip__c",
            json!(1),
            parser,
            "Cannot deserialize instance of boolean from VALUE_NUMBER_INT value 1 or request may be missing a required field at [line:1, column:29]",
            &[],
        ),
        insert(
            "Vip__c",
            Json::Null,
            "INVALID_TYPE_ON_FIELD_IN_RECORD",
            "Vip: value not of required type: null",
            &["Vip__c"],
        ),
        insert(
            "Score__c",
            json!("many"),
            parser,
            "Cannot deserialize instance of int from VALUE_STRING value many or request may be missing a required field at [line:1, column:36]",
            &[],
        ),
        insert(
            "Score__c",
            json!(1.5),
            parser,
            "Cannot deserialize instance of int from VALUE_NUMBER_FLOAT value 1.5 or request may be missing a required field at [line:1, column:33]",
            &[],
        ),
        insert(
            "Score__c",
            json!("inf"),
            parser,
            "Cannot deserialize instance of int from VALUE_STRING value inf or request may be missing a required field at [line:1, column:35]",
            &[],
        ),
        insert(
            "Rate__c",
            json!(true),
            parser,
            "Cannot deserialize instance of percent from VALUE_TRUE value true or request may be missing a required field at [line:1, column:33]",
            &[],
        ),
        insert(
            "Rate__c",
            json!("1,000"),
            parser,
            "Cannot deserialize instance of percent from VALUE_STRING value 1,000 or request may be missing a required field at [line:1, column:36]",
            &[],
        ),
        insert(
            "Birthdate",
            json!("31.12.1999"),
            parser,
            "Cannot deserialize instance of date from VALUE_STRING value 31.12.1999 or request may be missing a required field at [line:1, column:26]",
            &[],
        ),
        insert(
            "Birthdate",
            json!("2023-02-29"),
            parser,
            "Cannot deserialize instance of date from VALUE_STRING value 2023-02-29 or request may be missing a required field at [line:1, column:26]",
            &[],
        ),
        insert(
            "Birthdate",
            json!(19991231),
            parser,
            "Cannot deserialize instance of date from VALUE_NUMBER_INT value 19991231 or request may be missing a required field at [line:1, column:22]",
            &[],
        ),
        insert(
            "SeenAt__c",
            json!("2024-02-29 10:00:00"),
            parser,
            "Cannot deserialize instance of datetime from VALUE_STRING value 2024-02-29 10:00:00 or request may be missing a required field at [line:1, column:52]",
            &[],
        ),
        insert(
            "SeenAt__c",
            json!("2024-02-29"),
            parser,
            "Cannot deserialize instance of datetime from VALUE_STRING value 2024-02-29 or request may be missing a required field at [line:1, column:43]",
            &[],
        ),
        insert(
            "FirstName",
            json!({ "a": 1 }),
            parser,
            "Cannot deserialize instance of string from START_OBJECT value { or request may be missing a required field at [line:1, column:21]",
            &[],
        ),
        insert(
            "FirstName",
            json!(["a"]),
            parser,
            "Cannot deserialize instance of string from START_ARRAY value [ or request may be missing a required field at [line:1, column:19]",
            &[],
        ),
        insert(
            "FirstName",
            json!(7),
            parser,
            "Cannot deserialize instance of string from VALUE_NUMBER_INT value 7 or request may be missing a required field at [line:1, column:15]",
            &[],
        ),
    ]);
}

#[test]
fn values_that_do_not_fit() {
    let email = "INVALID_EMAIL_ADDRESS";
    let range = "NUMBER_OUTSIDE_VALID_RANGE";
    let picklist = "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST";
    run(&[
        insert(
            "Code__c",
            json!("elevenchars"),
            "STRING_TOO_LONG",
            "Code: data value too large: elevenchars (max length=10)",
            &["Code__c"],
        ),
        insert(
            "Phone",
            json!("0123456789012345678901234567890123456789+"),
            "STRING_TOO_LONG",
            "Business Phone: data value too large: 0123456789012345678901234567890123456789+ (max length=40)",
            &["Phone"],
        ),
        insert("Email", json!("jane"), email, "Email: invalid email address: jane", &["Email"]),
        insert(
            "Email",
            json!("jane@example"),
            email,
            "Email: invalid email address: jane@example",
            &["Email"],
        ),
        insert(
            "Email",
            json!("ja ne@example.com"),
            email,
            "Email: invalid email address: ja ne@example.com",
            &["Email"],
        ),
        insert(
            "Score__c",
            json!(1000),
            range,
            "Score: value outside of valid range on numeric field: 1000",
            &["Score__c"],
        ),
        insert(
            "Score__c",
            json!("-1000"),
            range,
            "Score: value outside of valid range on numeric field: -1000",
            &["Score__c"],
        ),
        insert(
            "Rate__c",
            json!(999.999),
            range,
            "Rate: value outside of valid range on numeric field: 999.999",
            &["Rate__c"],
        ),
        insert(
            "Stage__c",
            json!("Lost"),
            picklist,
            "Stage: bad value for restricted picklist field: Lost",
            &["Stage__c"],
        ),
        insert(
            "Stage__c",
            json!("new"),
            picklist,
            "Stage: bad value for restricted picklist field: new",
            &["Stage__c"],
        ),
        insert(
            "Colours__c",
            json!("red;black"),
            picklist,
            "Colours: bad value for restricted picklist field: black",
            &["Colours__c"],
        ),
    ]);
}

#[test]
fn look_ups_that_lead_nowhere() {
    run(&[
        insert(
            "AccountId",
            json!("nonsense"),
            "MALFORMED_ID",
            "Account ID: id value of incorrect type: nonsense",
            &["AccountId"],
        ),
        insert(
            "AccountId",
            json!("{contact}"),
            "FIELD_INTEGRITY_EXCEPTION",
            "Account ID: id value of incorrect type: {contact}",
            &["AccountId"],
        ),
        insert(
            "AccountId",
            json!("001Hs00000000zz"),
            "INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY",
            "insufficient access rights on cross-reference id: 001Hs00000000zzIAA",
            &[],
        ),
        insert("AccountId", json!("{closed}"), "ENTITY_IS_DELETED", "entity is deleted", &[]),
        insert(
            "Account",
            json!({ "ExternalId__c": "A-9" }),
            "INVALID_FIELD",
            "Foreign key external ID: A-9 not found for field ExternalId__c in entity Account",
            &[],
        ),
        insert(
            "Account",
            json!({ "Industry": "Banking" }),
            "INVALID_FIELD",
            "Field name provided, Industry does not match an External ID, Salesforce Id, or indexed field for Account",
            &[],
        ),
        insert(
            "Account",
            json!({ "Nothing__c": "x" }),
            "INVALID_FIELD",
            "No such column 'Nothing__c' on sobject of type Account",
            &[],
        ),
        insert(
            "Account",
            json!("A-1"),
            "INVALID_FIELD",
            "No such column 'Account' on sobject of type Contact",
            &[],
        ),
        insert(
            "Family__r",
            json!({ "ExternalId__c": "F-9" }),
            "INVALID_FIELD",
            "Foreign key external ID: F-9 not found for field ExternalId__c in entity Family__c",
            &[],
        ),
    ]);
}

#[test]
fn fields_that_cannot_be_given() {
    let read_only = "INVALID_FIELD_FOR_INSERT_UPDATE";
    run(&[
        insert(
            "Nickname",
            json!("x"),
            "INVALID_FIELD",
            "No such column 'Nickname' on sobject of type Contact",
            &[],
        ),
        insert(
            "OutboxRowId",
            json!("7"),
            "INVALID_FIELD",
            "No such column 'OutboxRowId' on sobject of type Contact",
            &[],
        ),
        insert("Id", json!("{contact}"), read_only, "cannot specify Id in an insert call", &["Id"]),
        insert(
            "CreatedDate",
            json!("2024-01-01T00:00:00Z"),
            read_only,
            "Unable to create/update fields: CreatedDate. Please check the security settings of this field and verify that it is read/write for your profile or permission set.",
            &["CreatedDate"],
        ),
        insert(
            "Name",
            json!("Jane Doe"),
            read_only,
            "Unable to create/update fields: Name. Please check the security settings of this field and verify that it is read/write for your profile or permission set.",
            &["Name"],
        ),
        insert(
            "locked__C",
            json!("x"),
            read_only,
            "Unable to create/update fields: Locked__c. Please check the security settings of this field and verify that it is read/write for your profile or permission set.",
            &["Locked__c"],
        ),
    ]);
}
