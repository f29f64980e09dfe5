//! What one record at a time looks like when all is well.

use serde_json::{Value as Json, json};

use super::fixture::Fixture;
use super::request::{DataAnswer, Method};

fn body(answer: &DataAnswer) -> &Json {
    answer.body.as_ref().unwrap_or(&Json::Null)
}

fn id_of(answer: &DataAnswer) -> String {
    body(answer)["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_record_is_inserted_read_changed_and_deleted() {
    let mut org = Fixture::new("{}");
    let contact = json!({ "LastName": " Doe ", "firstname": "Jane", "Version__c": 3, "Birthdate": "1999-12-31" });
    let answer = org.ask(Method::Post, "sobjects/contact", Some(&contact));
    assert_eq!(answer.status, 201);
    let id = id_of(&answer);
    assert_eq!(*body(&answer), json!({ "id": id, "success": true, "errors": [] }));
    let url = format!("/services/data/v62.0/sobjects/Contact/{id}");
    assert_eq!(answer.location.as_deref(), Some(url.as_str()));

    let path = format!("sobjects/Contact/{}", &id[..15]);
    let fields = "Id,Name,LastName,Version__c,HasOptedOutOfEmail,CreatedDate,Email,IsDeleted";
    let answer = org.ask(Method::Get, &format!("{path}?fields={fields}"), None);
    assert_eq!(
        *body(&answer),
        json!({
            "attributes": { "type": "Contact", "url": url },
            "Id": id,
            "Name": "Jane Doe",
            "LastName": "Doe",
            "Version__c": 3.0,
            "HasOptedOutOfEmail": false,
            "CreatedDate": "2026-03-01T10:20:30.000+0000",
            "Email": null,
            "IsDeleted": false,
        })
    );
    let change = json!({ "attributes": { "type": "Contact" }, "FirstName": null });
    assert_eq!(org.ask(Method::Patch, &path, Some(&change)), DataAnswer::empty());
    assert_eq!(body(&org.ask(Method::Get, &path, None))["Name"], json!("Doe"));
    let head = org.ask(Method::Head, &path, None);
    assert_eq!((head.status, head.body), (200, None));
    assert_eq!(org.ask(Method::Delete, &path, None), DataAnswer::empty());
    let head = org.ask(Method::Head, &path, None);
    assert_eq!((head.status, head.body), (404, None));
}

#[test]
fn an_upsert_tells_whether_it_created() {
    let mut org = Fixture::new("{}");
    let path = "sobjects/Contact/ExternalId__c/M%2F1";
    let contact = json!({ "LastName": "Doe" });
    let answer = org.ask(Method::Patch, path, Some(&contact));
    let id = id_of(&answer);
    assert_eq!(answer.status, 201);
    assert_eq!(*body(&answer), json!({ "id": id, "success": true, "errors": [], "created": true }));
    let answer = org.ask(Method::Patch, path, Some(&contact));
    assert_eq!(answer.status, 200);
    assert_eq!(
        *body(&answer),
        json!({ "id": id, "success": true, "errors": [], "created": false })
    );
    let answer = org.ask(Method::Get, "sobjects/Contact/ExternalId__c/m%2f1", None);
    assert_eq!(body(&answer)["ExternalId__c"], json!("M/1"));
    assert_eq!(
        org.ask(Method::Patch, &format!("{path}?updateOnly=true"), Some(&contact)).status,
        200
    );
    assert_eq!(org.ask(Method::Delete, path, None), DataAnswer::empty());
    // The key of a deleted record is free again.
    assert_eq!(org.ask(Method::Patch, path, Some(&contact)).status, 201);
}

#[test]
fn several_matches_are_listed() {
    let mut org = Fixture::new(
        "objects: {Contact: {fields: {Legacy__c: {type: string, external_id: true}}}}",
    );
    let contact = json!({ "LastName": "Doe", "Legacy__c": "L" });
    let ids = [org.insert("Contact", &contact), org.insert("Contact", &contact)];
    let urls = ids.map(|id| format!("/services/data/v62.0/sobjects/Contact/{id}"));
    for method in [Method::Get, Method::Patch, Method::Delete] {
        let answer = org.ask(method, "sobjects/Contact/Legacy__c/l", Some(&json!({})));
        assert_eq!((answer.status, body(&answer)), (300, &json!(urls)));
    }
}

#[test]
fn a_parent_is_found_by_its_external_id() {
    let mut org = Fixture::new("{}");
    let account = org.insert("Account", &json!({ "Name": "Acme", "ExternalId__c": "A-1" }));
    let family = org.insert("Family__c", &json!({ "ExternalId__c": "F-1" }));
    let contact = json!({
        "LastName": "Doe",
        "Account": { "attributes": { "type": "Account" }, "ExternalId__c": "a-1" },
        "Family__r": { "Id": family },
    });
    let id = org.insert("Contact", &contact);
    let answer =
        org.ask(Method::Get, &format!("sobjects/Contact/{id}?fields=AccountId,Family__c"), None);
    assert_eq!(body(&answer)["AccountId"], json!(account));
    assert_eq!(body(&answer)["Family__c"], json!(family));
    // A custom object without a name is called by its id; a deleted parent leaves nothing behind.
    assert_eq!(
        body(&org.ask(Method::Get, &format!("sobjects/Family__c/{family}"), None))["Name"],
        json!(family)
    );
    assert_eq!(org.ask(Method::Delete, &format!("sobjects/Account/{account}"), None).status, 204);
    let answer = org.ask(Method::Get, &format!("sobjects/Contact/{id}?fields=AccountId"), None);
    assert_eq!(body(&answer)["AccountId"], Json::Null);
}

#[test]
fn a_duplicate_is_saved_on_demand() {
    let rule = "objects: {Contact: {duplicates: [{name: d, fields: [Email], action: alert}]}}";
    let mut org = Fixture::new(rule);
    let contact = json!({ "LastName": "Doe", "Email": "jane@example.com" });
    org.insert("Contact", &contact);
    let url = "/services/data/v62.0/sobjects/Contact";
    assert_eq!(org.ask_with(Method::Post, url, Some(&contact), &[]).status, 400);
    let allow = [(
        "sforce-duplicate-rule-header".to_owned(),
        "includeRecordDetails=true; allowSave=true".to_owned(),
    )];
    assert_eq!(org.ask_with(Method::Post, url, Some(&contact), &allow).status, 201);
}

#[test]
fn an_object_describes_itself() {
    let mut org = Fixture::new("{}");
    let all = org.ask(Method::Get, "sobjects", None);
    let names: Vec<_> =
        body(&all)["sobjects"].as_array().unwrap().iter().map(|object| &object["name"]).collect();
    assert!(names.contains(&&json!("Block__c")), "{names:?}");
    let answer = org.ask(Method::Get, "sobjects/contact/Describe", None);
    let contact = body(&answer);
    assert_eq!((&contact["keyPrefix"], &contact["custom"]), (&json!("003"), &json!(false)));
    let field = |name: &str| {
        contact["fields"].as_array().unwrap().iter().find(|field| field["name"] == name).unwrap()
    };
    for (name, key, value) in [
        ("Id", "type", json!("id")),
        ("LastName", "nillable", json!(false)),
        ("LastName", "length", json!(80)),
        ("ExternalId__c", "externalId", json!(true)),
        ("ExternalId__c", "unique", json!(true)),
        ("Family__c", "referenceTo", json!(["Family__c"])),
        ("Family__c", "relationshipName", json!("Family__r")),
        ("Birthdate", "soapType", json!("xsd:date")),
        ("Name", "createable", json!(false)),
        ("Version__c", "precision", json!(18)),
        ("LeadSource", "restrictedPicklist", json!(false)),
    ] {
        assert_eq!(field(name)[key], value, "{name}.{key}");
    }
}
