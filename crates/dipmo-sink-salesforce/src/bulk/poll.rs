//! Given: Salesforce is asked how far it is, for as long as it takes.

use std::time::Duration;

use dipmo_domain::{Code, Failure, StoreError};
use dipmo_outbox::{JobStep, Published};
use dipmo_salesforce::{BulkState, Error};

use super::call::{self, Run, Trouble};
use super::{close, ending, settle};

/// Asks, and does what the answer calls for. There is no time after which a job counts as failed: the
/// org finishes it whether somebody waits or not.
pub(super) async fn poll(run: &Run<'_>, remote: &str) -> Result<JobStep, StoreError> {
    let job = match run.call(run.org.client.bulk().info(remote)).await {
        Ok(job) => job,
        Err(Trouble::Failed(error)) if call::is_gone(&error) => {
            return vanished(run, remote, &error).await;
        }
        Err(trouble) => return Ok(run.wait_after(trouble)),
    };
    match job.state {
        BulkState::Open => Ok(close::close(run, remote).await),
        BulkState::UploadComplete | BulkState::InProgress => Ok(JobStep::Wait(run.next_wait())),
        BulkState::JobComplete | BulkState::Failed | BulkState::Aborted => {
            ending::end(run, &job).await
        }
    }
}

/// Salesforce knows nothing of the job any more: somebody deleted it, or nobody asked for a week. It
/// may have been applied. An upsert is safe to repeat, with what is newest by then.
async fn vanished(run: &Run<'_>, remote: &str, error: &Error) -> Result<JobStep, StoreError> {
    let failure = run.failure(
        Code::new("salesforce-job-vanished").as_str(),
        remote,
        &format!("Salesforce knows nothing of it any more: {error}"),
    );
    tracing::warn!(code = failure.code(), "{}", failure.message());
    let after = Some(run.org.call_time());
    let all = settle::all(run, |_| Some(again(&failure, after))).await?;
    Ok(if all { JobStep::Ended } else { Run::for_the_next() })
}

fn again(failure: &Failure, after: Option<Duration>) -> Published {
    Published::Retry { failure: failure.clone(), after }
}
