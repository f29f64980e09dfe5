//! What goes wrong at the simulator.

use serde_json::{Value, json};

/// One of each for certain, soon, and more of them by chance: most calls and rows work, and nothing
/// fails for ever.
pub(super) fn rules(seed: u64) -> Value {
    // So long is more than any call waits: the answer never comes.
    let applied_and_lost = json!({ "kind": "timeout_after", "hold": "20s" });
    let never_applied = json!({ "kind": "timeout_before", "hold": "20s" });
    let faults = [
        ("collections", 0.02, json!({ "kind": "unavailable", "retry_after": 1 })),
        ("collections", 0.01, json!({ "kind": "too_many_requests" })),
        ("collections", 0.01, json!({ "kind": "revoke_token" })),
        ("collections", 0.02, applied_and_lost.clone()),
        ("collections", 0.01, never_applied),
        ("collections", 0.01, json!({ "kind": "drop", "after_bytes": 10 })),
        ("bulk.create", 0.02, json!({ "kind": "unavailable" })),
        ("bulk.close", 0.02, applied_and_lost.clone()),
        ("bulk.poll", 0.02, json!({ "kind": "bad_gateway" })),
        ("bulk.results", 0.02, json!({ "kind": "drop", "after_bytes": 100 })),
    ];
    // Families have no parents and are never refused: this call is applied for certain.
    let when = json!({ "api": "collections", "object": "Family__c" });
    let fault = &applied_and_lost;
    let mut rules = vec![json!({ "when": when, "skip": 1, "times": 1, "fault": fault })];
    for (number, (api, _, fault)) in faults.iter().enumerate() {
        let when = json!({ "api": api });
        rules.push(json!({ "when": when, "skip": number, "times": 1, "fault": fault }));
    }
    for (api, probability, fault) in faults {
        rules.push(json!({ "when": { "api": api }, "probability": probability, "fault": fault }));
    }
    for object in super::OBJECTS {
        let fault = json!({ "kind": "row_lock" });
        rules.push(json!({ "when": { "object": object }, "probability": 0.003, "fault": fault }));
    }
    let unprocessed = json!({ "kind": "job_unprocessed", "after_rows": 20 });
    rules.push(json!({ "when": {}, "skip": 1, "times": 1, "fault": unprocessed }));
    json!({ "seed": seed, "rules": rules })
}
