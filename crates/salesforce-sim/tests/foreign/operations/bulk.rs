//! Bulk jobs, of which all three results are read.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::script::Client;
use crate::simulator::Simulator;

pub(crate) fn runs_a_bulk_job_with_good_and_bad_rows(client: Client) {
    let simulator = Simulator::start();
    let understood = client.run(&simulator, "runs_a_bulk_job_with_good_and_bad_rows");
    assert_eq!(understood["counted"], json!({ "processed": 250, "failed": 2 }));
    let successful = by_key(&understood["successful"]);
    assert_eq!(successful.len(), 248);
    // It was there already, and every other one is new; what was sent comes back to the letter.
    assert_eq!(successful["C-0001"]["sf__Created"], "false");
    assert_eq!(successful["C-0250"]["sf__Created"], "true");
    assert_eq!(successful["C-0250"]["LastName"], "Name \"0250\", Zoë");
    let failed = by_key(&understood["failed"]);
    let error = |key: &str| failed[key]["sf__Error"].as_str().unwrap();
    assert_eq!(failed.len(), 2);
    assert!(error("C-0010").starts_with("REQUIRED_FIELD_MISSING:"), "{}", error("C-0010"));
    assert!(error("C-0020").starts_with("STRING_TOO_LONG:"), "{}", error("C-0020"));
    assert_eq!(understood["unprocessed"], json!([]));
    let ledger = simulator.ledger("Contact");
    assert_eq!(ledger.keys().len(), 248);
    assert_eq!(ledger.kinds("C-0001"), ["created", "updated"]);
    assert_eq!(ledger.kinds("C-0250"), ["created"]);
}

/// The three files together are what was sent, each row once.
pub(crate) fn reads_unprocessed_rows_of_a_bulk_job(client: Client) {
    let simulator = Simulator::start();
    let fault = json!({ "kind": "job_unprocessed", "after_rows": 200 });
    simulator.set_faults(&json!([{ "when": { "object": "Contact" }, "fault": fault }]));
    let understood = client.run(&simulator, "reads_unprocessed_rows_of_a_bulk_job");
    let successful = by_key(&understood["successful"]);
    let unprocessed = by_key(&understood["unprocessed"]);
    assert_eq!((successful.len(), unprocessed.len()), (200, 300));
    assert_eq!(understood["failed"], json!([]));
    assert!(successful.keys().all(|key| !unprocessed.contains_key(key)));
    let applied = simulator.ledger("Contact").keys();
    assert_eq!(applied, successful.into_keys().collect::<Vec<_>>());
}

/// The rows of a result by external id, as their order means nothing.
fn by_key(rows: &Value) -> BTreeMap<String, &Value> {
    let key = |row: &Value| row["ExternalId__c"].as_str().unwrap().to_owned();
    rows.as_array().unwrap().iter().map(|row| (key(row), row)).collect()
}
