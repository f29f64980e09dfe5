//! What Collections answer: every record in its place, the good ones applied.

use serde_json::{Value as Json, json};

use super::fixture::Fixture;
use super::request::{DataAnswer, Method};

fn contact(fields: Json) -> Json {
    let mut record = fields;
    record["attributes"] = json!({ "type": "Contact" });
    record
}

fn results(answer: DataAnswer) -> Vec<Json> {
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let Some(Json::Array(results)) = answer.body else { panic!("no list") };
    results
}

#[test]
fn results_stand_in_the_order_of_the_request() {
    let mut org = Fixture::new("{}");
    let known = org.insert("Contact", &json!({ "LastName": "Doe", "ExternalId__c": "M-2" }));
    let records = json!({ "allOrNone": false, "records": [
        contact(json!({ "ExternalId__c": "M-1", "LastName": "Doe" })),
        contact(json!({ "ExternalId__c": "M-9" })),
        contact(json!({ "ExternalId__c": "M-2", "FirstName": "Jane" })),
    ] });
    let answer = org.ask(Method::Patch, "composite/sobjects/Contact/ExternalId__c", Some(&records));
    let results = results(answer);
    assert_eq!((&results[0]["success"], &results[0]["created"]), (&json!(true), &json!(true)));
    assert_eq!(
        results[1],
        json!({ "success": false, "errors": [{
            "statusCode": "REQUIRED_FIELD_MISSING",
            "message": "Required fields are missing: [LastName]",
            "fields": ["LastName"],
        }] })
    );
    assert_eq!(results[2], json!({ "id": known, "success": true, "errors": [], "created": false }));
    assert_eq!(
        org.column("SELECT ExternalId__c FROM Contact ORDER BY ExternalId__c", "ExternalId__c"),
        ["M-1", "M-2"]
    );
}

#[test]
fn all_or_none_takes_the_good_ones_back() {
    let mut org = Fixture::new("{}");
    let known = org.insert("Contact", &json!({ "LastName": "Doe" }));
    let other = org.insert("Contact", &json!({ "LastName": "Poe" }));
    let records = json!({ "allOrNone": true, "records": [
        contact(json!({ "id": known, "LastName": "Roe" })),
        contact(json!({ "id": other[..15], "LastName": null })),
    ] });
    let results = results(org.ask(Method::Patch, "composite/sobjects", Some(&records)));
    assert_eq!(
        results[0],
        json!({ "id": known, "success": false, "errors": [{
            "statusCode": "ALL_OR_NONE_OPERATION_ROLLED_BACK",
            "message": "Record rolled back because not all records were valid and the request was using AllOrNone header",
            "fields": [],
        }] })
    );
    assert_eq!(results[1]["errors"][0]["statusCode"], json!("REQUIRED_FIELD_MISSING"));
    assert_eq!(org.column("SELECT LastName FROM Contact", "LastName"), ["Doe", "Poe"]);
}

#[test]
fn records_are_inserted_read_and_deleted_together() {
    let mut org = Fixture::new("{}");
    let records: Vec<_> =
        (0..200).map(|at| contact(json!({ "LastName": format!("Doe {at}") }))).collect();
    let answer = org.ask(Method::Post, "composite/sobjects", Some(&json!({ "records": records })));
    let ids: Vec<_> =
        results(answer).iter().map(|result| result["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 200);
    let wanted = json!({ "ids": [ids[7], "003Hs00000000zz", ids[3]], "fields": ["lastname"] });
    let read = results(org.ask(Method::Post, "composite/sobjects/Contact", Some(&wanted)));
    assert_eq!(read[0]["LastName"], json!("Doe 7"));
    assert_eq!(read[1], Json::Null);
    assert_eq!(read[2]["LastName"], json!("Doe 3"));
    let path = format!("composite/sobjects?ids={}", ids.join(","));
    let deleted = results(org.ask(Method::Delete, &path, None));
    assert_eq!(deleted[199], json!({ "id": ids[199], "success": true, "errors": [] }));
    assert!(org.column("SELECT Id FROM Contact", "Id").is_empty());
}
