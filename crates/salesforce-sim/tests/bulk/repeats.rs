//! Rows that do not say which record they are about, or say the same as another row.

use serde_json::json;

use crate::org::{Org, Row};

/// The errors of failed rows by their title, in order.
fn errors(failed: &[Row]) -> Vec<(String, String)> {
    let mut errors: Vec<_> =
        failed.iter().map(|row| (row["Title"].clone(), row["sf__Error"].clone())).collect();
    errors.sort_unstable();
    errors
}

#[test]
fn a_row_without_a_key_is_refused() {
    let org = Org::start();
    let key = "MISSING_ARGUMENT:ExternalId__c not specified:--";
    for (operation, column, missing, error) in [
        ("upsert", "ExternalId__c", "", key),
        ("upsert", "ExternalId__c", " ", key),
        ("upsert", "ExternalId__c", "#N/A", key),
        ("update", "Id", "#N/A", "MISSING_ARGUMENT:Id not specified in an update call:--"),
        ("delete", "Id", "", "MISSING_ARGUMENT:Id not specified in a delete call:--"),
    ] {
        let mut spec = json!({ "object": "Contact", "operation": operation });
        if operation == "upsert" {
            spec["externalIdFieldName"] = json!("ExternalId__c");
        }
        // Two of them are not the same key twice.
        let csv = format!("{column},LastName,Title\n{missing},Name,1\n{missing},Name,2\n");
        let done = org.run(&spec, csv);
        let expected = ["1", "2"].map(|title| (title.to_owned(), error.to_owned()));
        assert_eq!(errors(&done.failed), expected, "{operation} {missing:?}");
    }
    assert_eq!(org.get("/__sim/records/Contact").json()["records"], json!([]));
}

#[test]
fn all_rows_about_one_record_are_refused() {
    let number = json!({ "type": "double", "external_id": true, "unique": true });
    let org = Org::with_schema(
        &json!({ "objects": { "Contact": { "fields": { "Number__c": number } } } }),
    );
    let made = org.run(
        &json!({ "object": "Contact", "operation": "insert" }),
        "LastName,ExternalId__c\nBefore,E-1\n",
    );
    let id = made.successful[0]["sf__Id"].as_str();
    let short = &id[..15];
    for (operation, column, [one, other], what, named) in [
        ("upsert", "ExternalId__c", ["E-1", " e-1 "], "external id", ""),
        ("upsert", "Number__c", ["7", "7.0"], "external id", ""),
        ("upsert", "Id", [id, short], "id", id),
        ("update", "Id", [id, short], "id", id),
        ("delete", "Id", [id, id], "id", id),
    ] {
        let mut spec = json!({ "object": "Contact", "operation": operation });
        if operation == "upsert" {
            spec["externalIdFieldName"] = json!(column);
        }
        let csv = format!("{column},LastName,Title\n{one},After,1\n{other},After,2\n");
        let done = org.run(&spec, csv);
        let error = |key: &str| {
            format!("DUPLICATE_VALUE:Duplicate {what} specified: {}:{column} --", key.trim())
        };
        let expected = [("1".to_owned(), error(one)), ("2".to_owned(), error(other))];
        assert_eq!(errors(&done.failed), expected, "{operation} by {column}");
        assert!(done.failed.iter().all(|row| row["sf__Id"] == named), "{operation} by {column}");
        assert_eq!(org.record("Contact", "E-1")["LastName"], "Before", "{operation} by {column}");
    }
}

#[test]
fn a_long_value_does_not_make_a_long_error() {
    let org = Org::start();
    let long = "x".repeat(32_000);
    for column in
        ["Id", "Birthdate", "AccountId", "Account.ExternalId__c", "LastName", "Version__c"]
    {
        let operation = if column == "Id" { "update" } else { "insert" };
        let spec = json!({ "object": "Contact", "operation": operation });
        let done = org.run(&spec, format!("Title,{column}\n1,{long}\n"));
        assert_eq!(done.failed.len(), 1, "{column}");
        let error = &done.failed[0]["sf__Error"];
        assert!(error.len() < 500, "{column}: {error}");
    }
}
