//! Made, by somebody who did not come to the end of the upload: what is there is given up.

use std::ops::ControlFlow;

use dipmo_domain::StoreError;
use dipmo_outbox::{JobPhase, JobStep};
use dipmo_salesforce::BulkState;

use super::call::{self, Run, Trouble};

/// Makes sure that a job can never take effect, and begins afresh.
///
/// Salesforce does not tell how much of an upload it has, and takes one upload a job: it cannot be gone
/// on with. It was not closed by us, because that comes after [`JobPhase::Given`]; where a person has
/// closed it, it is ended all the same, and what it has written by then is written again, from what
/// is newest.
pub(super) async fn abandon(
    run: &Run<'_>,
    remote: &str,
) -> Result<ControlFlow<JobStep>, StoreError> {
    let bulk = run.org.client.bulk();
    let over = match run.call(bulk.info(remote)).await {
        Ok(job) => job.state.is_over(),
        Err(Trouble::Failed(error)) if call::is_gone(&error) => true,
        Err(trouble) => return Ok(ControlFlow::Break(run.wait_or_leave(trouble).await?)),
    };
    if !over {
        match run.call(bulk.abort(remote)).await {
            Ok(job) if job.state == BulkState::Aborted => {}
            // It was closed, or ended, in this moment: then it is asked about again.
            Ok(_) => return Ok(ControlFlow::Break(JobStep::Wait(run.next_wait()))),
            Err(trouble) => return Ok(ControlFlow::Break(run.wait_or_leave(trouble).await?)),
        }
    }
    run.work.afresh().await?;
    run.reached(JobPhase::Sealed);
    Ok(ControlFlow::Continue(()))
}
