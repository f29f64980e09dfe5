//! Bulk API 2.0: many units as one job that Salesforce works through by itself.
//!
//! ```text
//!  Sealed ──create──► Made ──pages, upload──► Given ──close, poll──► results ──► Ended
//!    ▲                  │                       │ what Salesforce knows is asked for, never guessed
//!    └──abort, afresh───┘ after any trouble      └──► until the job is over there
//! ```
//!
//! **Invariants:** the id of a job is stored before anything is uploaded to it, and all of its units
//! that are not in the upload have left it before it is closed. So a job that is not closed never
//! takes effect, and one that was closed is reconciled, row by row, with what Salesforce says of it.
//! Nothing is repeated because an answer was lost.
//!
//! At no time are more than a few pages of units in memory: see [`pages`].

mod abandon;
mod aside;
mod call;
mod cells;
mod close;
mod create;
mod ending;
mod fates;
mod keys;
mod leftovers;
mod options;
mod outcomes;
mod pace;
mod pages;
mod poll;
mod results;
mod settle;
mod texts;
pub(crate) mod unfit;
mod upload;

use std::ops::ControlFlow;

use dipmo_domain::StoreError;
use dipmo_outbox::{JobPhase, JobStep, JobWork};

use crate::org::OrgContext;
use call::Run;
pub(crate) use leftovers::Leftovers;
pub use options::BulkOptions;
pub(crate) use pace::Jobs;

/// Goes on with a job from the phase that it is in, as far as it gets now.
pub(crate) async fn run(org: &OrgContext, work: &dyn JobWork) -> Result<JobStep, StoreError> {
    let run = Run::new(org, work);
    org.leftovers.sweep(&run).await;
    let step = go_on(&run).await?;
    if step == JobStep::Ended {
        run.ended();
    }
    Ok(step)
}

async fn go_on(run: &Run<'_>) -> Result<JobStep, StoreError> {
    let job = run.work.job();
    match (job.phase, job.remote) {
        (JobPhase::Ended, _) => Ok(JobStep::Ended),
        (JobPhase::Given, Some(remote)) => poll::poll(run, &remote).await,
        (JobPhase::Made, Some(remote)) => match abandon::abandon(run, &remote).await? {
            ControlFlow::Continue(()) => begin(run).await,
            ControlFlow::Break(step) => Ok(step),
        },
        // A job that was made has an id; without one there is nothing that could take effect.
        (JobPhase::Sealed | JobPhase::Made | JobPhase::Given, _) => begin(run).await,
    }
}

/// From the first call to the last before Salesforce has the word.
async fn begin(run: &Run<'_>) -> Result<JobStep, StoreError> {
    // No row can say what children are to be written with it. The mapping had none when the job was
    // sealed, or there would be no job.
    if !run.org.mapping.children.is_empty() {
        run.log_children();
        return run.leave().await;
    }
    let remote = match create::create(run).await? {
        ControlFlow::Continue(remote) => remote,
        ControlFlow::Break(step) => return Ok(step),
    };
    match upload::upload(run, &remote).await? {
        ControlFlow::Continue(()) => Ok(close::close(run, &remote).await),
        ControlFlow::Break(step) => Ok(step),
    }
}
