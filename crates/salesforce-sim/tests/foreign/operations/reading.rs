//! What a client asks without changing anything.

use serde_json::{Value, json};

use crate::script::Client;
use crate::simulator::Simulator;

pub(crate) fn queries_more_than_one_page(client: Client) {
    let understood = client.run(&Simulator::start(), "queries_more_than_one_page");
    assert_eq!(understood, json!({ "total": 2500, "pages": [2000, 500], "distinct": 2500 }));
}

pub(crate) fn reads_limits(client: Client) {
    let understood = client.run(&Simulator::start(), "reads_limits");
    let number = |value: &Value| value.as_u64().unwrap();
    let (daily, header) = (&understood["daily"], &understood["header"]);
    assert_eq!(number(&daily["Max"]), number(&header["limit"]));
    assert_eq!(number(&daily["Max"]) - number(&daily["Remaining"]), number(&header["used"]));
    assert!(number(&header["used"]) > 0);
}

pub(crate) fn describes_objects_and_fields(client: Client) {
    let understood = client.run(&Simulator::start(), "describes_objects_and_fields");
    assert_eq!((&understood["name"], &understood["keyPrefix"]), (&json!("Contact"), &json!("003")));
    let objects = understood["objects"].as_array().unwrap();
    for object in ["Account", "Block__c", "Contact", "Family__c", "User"] {
        assert!(objects.contains(&json!(object)), "{object} is not in {objects:?}");
    }
    let fields = understood["fields"].as_array().unwrap();
    let field = |name: &str| fields.iter().find(|field| field["name"] == name).unwrap();
    for (name, what, expected) in [
        ("Id", "type", json!("id")),
        ("ExternalId__c", "externalId", json!(true)),
        ("ExternalId__c", "unique", json!(true)),
        ("LastName", "nillable", json!(false)),
        ("LastName", "length", json!(80)),
        ("AccountId", "referenceTo", json!(["Account"])),
        ("AccountId", "relationshipName", json!("Account")),
        ("Email", "type", json!("email")),
    ] {
        assert_eq!(field(name)[what], expected, "{what} of {name}");
    }
}
