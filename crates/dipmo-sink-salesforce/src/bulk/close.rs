//! Given: Salesforce is told to begin.

use dipmo_outbox::JobStep;

use super::call::Run;

/// Closes the upload. Safe to repeat: a job is closed once, and one that was is left as it is.
pub(super) async fn close(run: &Run<'_>, remote: &str) -> JobStep {
    match run.call(run.org.client.bulk().close(remote)).await {
        Ok(_) => {
            run.moved();
            JobStep::Wait(run.next_wait())
        }
        // Whether it was closed or not is what the next question is about.
        Err(trouble) => run.wait_after(trouble),
    }
}
