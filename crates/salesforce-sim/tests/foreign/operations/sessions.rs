//! Logging in, and losing the session.

use serde_json::json;

use crate::script::Client;
use crate::simulator::{ORG_NAME, Simulator};

pub(crate) fn authenticates_with_client_credentials(client: Client) {
    let understood = client.run(&Simulator::start(), "authenticates_with_client_credentials");
    assert_eq!(understood, json!({ "name": ORG_NAME, "same_id": true }));
}

pub(crate) fn authenticates_with_jwt_bearer(client: Client) {
    let understood = client.run(&Simulator::start(), "authenticates_with_jwt_bearer");
    assert_eq!(understood, json!({ "name": ORG_NAME, "same_id": true }));
}

/// Once before anything was done, and once while a bulk job is waited for.
pub(crate) fn refreshes_a_session_that_was_revoked(client: Client) {
    let simulator = Simulator::start();
    let fault = json!({ "kind": "revoke_token" });
    simulator.set_faults(&json!([{ "when": { "api": "bulk.poll" }, "times": 1, "fault": fault }]));
    let understood = client.run(&simulator, "refreshes_a_session_that_was_revoked");
    let counted = json!({ "processed": 3, "failed": 0 });
    assert_eq!(understood, json!({ "created": true, "counted": counted, "refreshed": 2 }));
    // What was refused because of the session was not applied, and what was repeated was applied once.
    let ledger = simulator.ledger("Contact");
    assert_eq!(ledger.kinds("C-0001"), ["created", "updated"]);
    assert_eq!(ledger.kinds("C-0002"), ["created"]);
}

pub(crate) fn is_told_that_its_session_was_revoked(client: Client) {
    let simulator = Simulator::start();
    let rule = json!({ "when": { "api": "sobject" }, "fault": { "kind": "revoke_token" } });
    simulator.set_faults(&json!([rule]));
    let understood = client.run(&simulator, "is_told_that_its_session_was_revoked");
    assert_eq!(
        understood,
        json!({
            "kind": "SalesforceExpiredSession",
            "code": "INVALID_SESSION_ID",
            "message": "Session expired or invalid",
        })
    );
    assert_eq!(simulator.ledger("Contact").keys(), Vec::<String>::new());
}
