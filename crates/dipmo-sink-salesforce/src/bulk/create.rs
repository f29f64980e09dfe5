//! Sealed: the job is made at Salesforce, and its id is stored before anything is uploaded.

use std::ops::ControlFlow;

use dipmo_domain::StoreError;
use dipmo_outbox::{JobPhase, JobStep};
use dipmo_salesforce::BulkSpec;

use super::call::Run;

/// Makes the job, and tells its id.
///
/// Whoever gets no answer, or dies before the id is stored, may leave an open job behind. It can never
/// take effect: nothing was uploaded to it, and only who has its id stored closes it. Salesforce
/// removes it after a week.
pub(super) async fn create(run: &Run<'_>) -> Result<ControlFlow<JobStep, String>, StoreError> {
    let mapping = &run.org.mapping;
    let spec = BulkSpec::upsert(&mapping.object, &mapping.external_id);
    match run.call(run.org.client.bulk().create(&spec)).await {
        Ok(job) => {
            run.work.made(&job.id).await?;
            run.reached(JobPhase::Made);
            Ok(ControlFlow::Continue(job.id))
        }
        // Nothing exists at Salesforce.
        Err(trouble) => Ok(ControlFlow::Break(match run.lasting(&trouble) {
            None => run.wait_or_leave(trouble).await?,
            Some(effect) => run.give_back(effect).await?,
        })),
    }
}
