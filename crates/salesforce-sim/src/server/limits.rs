//! `/limits`: what the org may do in a day, and what is left of it.

use serde_json::{Value as Json, json};

use crate::org::limits::Usage;
use crate::server::answer::Answer;
use crate::server::world::World;

/// The limits that mean something here with what is left of them, and others that clients read as
/// a new org has them.
pub(crate) fn answer(world: &World) -> Answer {
    let (requests, batches) = {
        let org = world.org();
        (org.limits.requests(), org.limits.batches())
    };
    let used = |usage: Usage| json!({ "Max": usage.max, "Remaining": usage.remaining() });
    let unused = |max: u64| -> Json { json!({ "Max": max, "Remaining": max }) };
    Answer::json(
        200,
        json!({
            "DailyApiRequests": used(requests),
            "DailyBulkApiBatches": used(batches),
            "DailyBulkV2QueryJobs": unused(10_000),
            "DailyBulkV2QueryFileStorageMB": unused(976_562),
            "DailyAsyncApexExecutions": unused(250_000),
            "DataStorageMB": unused(1_024),
            "FileStorageMB": unused(1_024),
            "HourlyTimeBasedWorkflow": unused(1_000),
        }),
    )
}
