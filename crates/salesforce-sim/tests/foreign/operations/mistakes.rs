//! What is wrong reaches a program as the typed error of its client, with Salesforce's code.

use crate::script::Client;
use crate::simulator::Simulator;

/// The mistake, what jsforce and what simple-salesforce call it, its code, and words of its message.
const MISTAKES: [(&str, [&str; 2], &str, &str); 9] = [
    ("key", ["", "SalesforceAuthenticationFailed"], "invalid_grant", "invalid assertion"),
    (
        "secret",
        ["", "SalesforceAuthenticationFailed"],
        "invalid_client",
        "invalid client credentials",
    ),
    (
        "object",
        ["HttpApiError", "SalesforceResourceNotFound"],
        "NOT_FOUND",
        "The requested resource does not exist",
    ),
    ("field", ["HttpApiError", "SalesforceMalformedRequest"], "INVALID_FIELD", "Nothing__c"),
    (
        "value",
        ["HttpApiError", "SalesforceMalformedRequest"],
        "REQUIRED_FIELD_MISSING",
        "[LastName]",
    ),
    ("twins", ["HttpApiError", "SalesforceMoreThanOneRecord"], "", "record"),
    (
        "query",
        ["HttpApiError", "SalesforceMalformedRequest"],
        "INVALID_FIELD",
        "No such column 'Nothing__c'",
    ),
    (
        "job",
        ["HttpApiError", "SalesforceMalformedRequest"],
        "INVALIDJOB",
        "InvalidJob : Unable to find object: Nothing__c",
    ),
    (
        "column",
        ["Error", "SalesforceOperationError"],
        "",
        "InvalidBatch : Field name not found : Nothing__c",
    ),
];

pub(crate) fn is_told_its_mistakes(client: Client) {
    let simulator = Simulator::start();
    let understood = client.run(&simulator, "is_told_its_mistakes");
    for (mistake, kinds, code, words) in MISTAKES {
        let error = &understood[mistake];
        let kind = match client {
            Client::Jsforce => kinds[0],
            Client::SimpleSalesforce => kinds[1],
        };
        assert_eq!(error["kind"], kind, "{mistake}: {error}");
        // Two records of one key, and a job that fails later, have no code of Salesforce.
        if !code.is_empty() {
            assert_eq!(error["code"], code, "{mistake}: {error}");
        }
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words), "{mistake}: {error}");
    }
    assert_eq!(understood.as_object().map(serde_json::Map::len), Some(MISTAKES.len()));
    // Those two records were right; nothing else was applied.
    assert_eq!(simulator.ledger("Contact").keys(), ["C-0001", "C-0002"]);
}
