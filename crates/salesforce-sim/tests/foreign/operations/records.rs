//! Records one at a time and in collections.

use serde_json::{Value, json};

use crate::script::Client;
use crate::simulator::Simulator;

pub(crate) fn upserts_one_record(client: Client) {
    let simulator = Simulator::start();
    let understood = client.run(&simulator, "upserts_one_record");
    let id = &understood["results"][0]["id"];
    let result = |created| json!({ "id": id, "success": true, "errors": [], "created": created });
    assert_eq!(understood["results"], json!([result(true), result(false)]));
    assert_eq!(understood["read"]["LastName"], "Ames");
    assert_eq!(understood["read"]["Version__c"].as_f64(), Some(2.0));
    let ledger = simulator.ledger("Contact");
    assert_eq!(ledger.versions("C-1"), [1.0, 2.0]);
    assert_eq!(ledger.kinds("C-1"), ["created", "updated"]);
}

pub(crate) fn upserts_a_collection_with_a_bad_row(client: Client) {
    let simulator = Simulator::start();
    let understood = client.run(&simulator, "upserts_a_collection_with_a_bad_row");
    let good = |row: usize| json!({ "id": understood[row]["id"], "success": true, "errors": [], "created": true });
    let error = json!({
        "statusCode": "REQUIRED_FIELD_MISSING",
        "message": "Required fields are missing: [LastName]",
        "fields": ["LastName"],
    });
    assert_eq!(understood[0], good(0));
    assert_eq!(understood[1]["success"], false);
    assert_eq!(understood[1]["errors"], json!([error]));
    assert_eq!(understood[2], good(2));
    assert_eq!(simulator.ledger("Contact").keys(), ["C-1", "C-3"]);
}

pub(crate) fn runs_a_composite_with_references(client: Client) {
    let simulator = Simulator::start();
    let understood = client.run(&simulator, "runs_a_composite_with_references");
    let answers = understood["compositeResponse"].as_array().unwrap();
    let statuses: Vec<&Value> = answers.iter().map(|answer| &answer["httpStatusCode"]).collect();
    assert_eq!(statuses, [201, 201, 200]);
    assert_eq!(answers[2]["body"]["AccountId"], answers[0]["body"]["id"]);
    assert_eq!(simulator.ledger("Contact").kinds("C-1"), ["created"]);
}

pub(crate) fn deletes_one_by_one_and_in_bulk(client: Client) {
    let simulator = Simulator::start();
    let understood = client.run(&simulator, "deletes_one_by_one_and_in_bulk");
    assert_eq!(understood, json!({ "deleted": [true, true, true], "bulk": 1, "left": 0 }));
    let ledger = simulator.ledger("Contact");
    for key in ["C-0001", "C-0002", "C-0003", "C-0004"] {
        assert_eq!(ledger.kinds(key), ["created", "deleted"], "{key}");
    }
}
