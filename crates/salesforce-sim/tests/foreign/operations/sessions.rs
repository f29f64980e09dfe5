//! Logging in, and losing the session.

use serde_json::json;

use crate::script::Client;
use crate::simulator::{ORG_NAME, Simulator, USERNAME};

pub(crate) fn authenticates_with_client_credentials(client: Client) {
    let understood = client.run(&Simulator::start(), "authenticates_with_client_credentials");
    assert_eq!(understood, json!({ "name": ORG_NAME, "same_id": true }));
}

pub(crate) fn authenticates_with_jwt_bearer(client: Client) {
    let understood = client.run(&Simulator::start(), "authenticates_with_jwt_bearer");
    assert_eq!(understood, json!({ "name": ORG_NAME, "same_id": true }));
}

pub(crate) fn learns_who_it_is(client: Client) {
    let understood = client.run(&Simulator::start(), "learns_who_it_is");
    assert_eq!(understood, json!({ "username": USERNAME, "active": true }));
}

pub(crate) fn refreshes_a_session_that_was_revoked(client: Client) {
    let simulator = revoking("sobject");
    let understood = client.run(&simulator, "refreshes_a_session_that_was_revoked");
    assert_eq!(understood, json!({ "created": true }));
    assert_eq!(simulator.logins(), 2);
    // What was refused was not applied, and what was repeated was applied once.
    assert_eq!(simulator.ledger("Contact").kinds("C-0001"), ["created"]);
}

pub(crate) fn refreshes_a_session_inside_a_bulk_job(client: Client) {
    let simulator = revoking("bulk.poll");
    let understood = client.run(&simulator, "refreshes_a_session_inside_a_bulk_job");
    assert_eq!(understood, json!({ "counted": { "processed": 3, "failed": 0 } }));
    assert_eq!(simulator.logins(), 2);
    assert_eq!(simulator.ledger("Contact").kinds("C-0001"), ["created"]);
}

/// The org goes on with a job whose client gives up.
pub(crate) fn loses_its_session_inside_a_bulk_job(client: Client) {
    let simulator = revoking("bulk.poll");
    let understood = client.run(&simulator, "loses_its_session_inside_a_bulk_job");
    assert_eq!(
        understood,
        json!({
            "kind": "SalesforceExpiredSession",
            "code": "INVALID_SESSION_ID",
            "message": "Session expired or invalid",
        })
    );
    assert_eq!(simulator.logins(), 1);
}

/// A simulator that ends the session of the first call to this API, before the call is done.
fn revoking(api: &str) -> Simulator {
    let simulator = Simulator::start();
    let fault = json!({ "kind": "revoke_token" });
    simulator.set_faults(&json!([{ "when": { "api": api }, "times": 1, "fault": fault }]));
    simulator
}
