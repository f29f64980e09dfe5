//! What Salesforce refuses, one case each: the request, and the status, the code, the words and the
//! fields of the refusal.
//!
//! A table per area; [`run`] asks all cases of a table, each of an org of its own, and also sees to it
//! that a refused request has written nothing.

mod collections;
mod composites;
mod fields;
mod queries;
mod records;
mod rules;

use std::sync::{Arc, LazyLock};

use serde_json::{Value as Json, json};

use super::fixture::Fixture;
use super::request::Method;
use crate::schema::Schema;

/// A request and its refusal.
pub(super) struct Case {
    /// Such as `PATCH sobjects/Contact/{contact}`; a name in braces is a record of the fixture.
    pub(super) request: &'static str,
    /// `Null` is no body.
    pub(super) body: Json,
    pub(super) status: u16,
    pub(super) code: &'static str,
    pub(super) message: &'static str,
    pub(super) fields: &'static [&'static str],
}

static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| Arc::new(Schema::parse(RULES).unwrap()));

const RULES: &str = "
objects:
  Contact:
    fields:
      Stage__c: { type: picklist, values: [New, Won], restricted: true }
      Colours__c: { type: multipicklist, values: [red, green, blue], restricted: true }
      Score__c: { type: int, precision: 3 }
      Rate__c: { type: percent, precision: 5, scale: 2 }
      Code__c: { type: string, length: 10, unique: true }
      Legacy__c: { type: string, external_id: true }
      Number__c: { type: double, external_id: true, unique: true }
      SeenAt__c: { type: datetime }
      Vip__c: { type: boolean }
      Locked__c: { type: string, read_only: true }
    validation:
      - { name: score, when: Score__c > 500, message: The score is too high., field: Score__c }
      - { name: nobody, when: 'LastName = \"Nobody\"', message: Somebody is needed. }
      - { name: once, when: 'AND(ISCHANGED(Title), PRIORVALUE(Title) = \"Boss\")', message: A boss stays one. }
      - { name: parent, when: 'Account.Industry = \"Banking\"', message: No banks., field: AccountId }
    duplicates:
      - { name: person, fields: [Email, LastName], action: alert }
      - { name: phone, fields: [MobilePhone], action: block, message: The phone is known. }
";

/// The records that a case can name.
struct Known {
    fixture: Fixture,
    names: Vec<(&'static str, String)>,
}

impl Known {
    fn new() -> Self {
        let mut fixture = Fixture::of(SCHEMA.clone());
        let mut names = Vec::new();
        let records = [
            ("account", "Account", json!({ "Name": "Acme", "ExternalId__c": "A-1" })),
            (
                "bank",
                "Account",
                json!({ "Name": "Bank", "ExternalId__c": "A-2", "Industry": "Banking" }),
            ),
            (
                "contact",
                "Contact",
                json!({
                    "LastName": "Doe", "ExternalId__c": "C-1", "Code__c": "one", "Legacy__c": "L", "Title": "Boss",
                    "Email": "jane@example.com", "MobilePhone": "1", "Number__c": 7,
                }),
            ),
            (
                "other",
                "Contact",
                json!({ "LastName": "Roe", "ExternalId__c": "C-2", "Code__c": "two", "Legacy__c": "l", "MobilePhone": "2" }),
            ),
            ("deleted", "Contact", json!({ "LastName": "Poe", "ExternalId__c": "C-3" })),
            ("closed", "Account", json!({ "Name": "Closed" })),
            ("family", "Family__c", json!({ "Name": "Does", "ExternalId__c": "F-1" })),
        ];
        for (name, object, record) in records {
            names.push((name, fixture.insert(object, &record)));
        }
        let block = json!({ "Name": "B-1", "Family__r": { "ExternalId__c": "F-1" } });
        names.push(("block", fixture.insert("Block__c", &block)));
        names.push(("user", fixture.transact(|tx| tx.id_text(tx.org().first_user()).to_string())));
        let mut known = Known { fixture, names };
        known.fixture.delete(&known.replace("{deleted}"));
        known.fixture.delete(&known.replace("{closed}"));
        known
    }

    fn replace(&self, text: &str) -> String {
        self.names
            .iter()
            .fold(text.to_owned(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id))
    }

    fn replace_json(&self, json: &Json) -> Json {
        serde_json::from_str(&self.replace(&json.to_string())).unwrap()
    }
}

impl Case {
    /// Whether the request could not be read or has no place. Salesforce names no fields then, not
    /// even an empty list of them.
    fn is_about_request(&self) -> bool {
        match self.code {
            _ if self.request.starts_with("GET query") => true,
            "JSON_PARSER_ERROR" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "EXCEEDED_ID_LIMIT"
            | "LIMIT_EXCEEDED" | "INVALID_TYPE" => true,
            "INVALID_FIELD" => !self.message.starts_with("Foreign key"),
            _ => false,
        }
    }
}

/// Asks every case.
fn run(cases: &[Case]) {
    for case in cases {
        let mut known = Known::new();
        let (method, path) = case.request.split_once(' ').unwrap();
        let path = known.replace(path);
        let body = known.replace_json(&case.body);
        let before = known.fixture.transact(|tx| tx.org().sequence());
        let answer =
            known.fixture.ask(method_of(method), &path, (!body.is_null()).then_some(&body));
        let context = format!("{} {}: {:?}", case.request, case.body, answer.body);
        assert_eq!(answer.status, case.status, "{context}");
        let (code, message, fields) = refusal(&answer.body.unwrap_or_default());
        assert_eq!(code, case.code, "{context}");
        assert_eq!(message, known.replace(case.message), "{context}");
        let expected = if case.is_about_request() { Json::Null } else { json!(case.fields) };
        assert_eq!(fields, expected, "{context}");
        let after = known.fixture.transact(|tx| tx.org().sequence());
        assert_eq!(before, after, "{context}");
    }
}

fn method_of(name: &str) -> Method {
    let all = [Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete, Method::Head];
    all.into_iter().find(|method| method.name() == name).unwrap()
}

/// The first refusal of the answer, in the words of REST or of Collections.
fn refusal(body: &Json) -> (String, String, Json) {
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let items = body.as_array().map(Vec::as_slice).unwrap_or_default();
    for item in items {
        if item["errorCode"].is_string() {
            return (text(&item["errorCode"]), text(&item["message"]), item["fields"].clone());
        }
        let rolled_back = "ALL_OR_NONE_OPERATION_ROLLED_BACK";
        if item["success"] == json!(false) && item["errors"][0]["statusCode"] != rolled_back {
            let error = &item["errors"][0];
            return (text(&error["statusCode"]), text(&error["message"]), error["fields"].clone());
        }
    }
    (String::new(), String::new(), Json::Null)
}
