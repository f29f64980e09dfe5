//! The end of a job at Salesforce: what it did is settled, and what it did not do is told why.

use dipmo_domain::{Code, Failure, StoreError};
use dipmo_outbox::{Delivery, JobStep, Published};
use dipmo_salesforce::{BulkJob, BulkState, Class, RowError};

use super::call::Run;
use super::outcomes::{Outcome, Outcomes};
use super::{results, settle};
use crate::mapping::key_of;
use crate::verdict::Effect;

/// Ends a job that is over at Salesforce.
pub(super) async fn end(run: &Run<'_>, job: &BulkJob) -> Result<JobStep, StoreError> {
    let rest = Rest::of(run, job);
    // A job that was refused as a whole has no results.
    if job.processed > 0 || !matches!(rest, Rest::Leaves(_)) {
        let outcomes = match results::read(run, &job.id).await {
            Ok(outcomes) => outcomes,
            Err(trouble) => return Ok(run.wait_after(trouble)),
        };
        let progress = outcomes.any_processed();
        if !settle::all(run, |unit| answer(run, &outcomes, &rest, progress, unit)).await? {
            return Ok(Run::for_the_next());
        }
    }
    match rest {
        Rest::Leaves(effect) => return run.give_back(effect).await,
        Rest::Complete { .. } => delete(run, job).await,
        Rest::Again(_) | Rest::Fails(_) => {}
    }
    Ok(JobStep::Ended)
}

/// What becomes of rows that Salesforce did not decide.
enum Rest {
    /// The job was done: such rows were passed over, or there is no result of them.
    Complete { passed_over: Failure, missing: Failure },
    /// The job was ended before them.
    Again(Failure),
    /// The job gave up, and that may have to do with the rows.
    Fails(Failure),
    /// No job of this destination would do any better: they leave it untouched.
    Leaves(Effect),
}

impl Rest {
    fn of(run: &Run<'_>, job: &BulkJob) -> Self {
        let Some(error) = job.error() else {
            let failure = |code: Code, message| run.failure(code.as_str(), &job.id, message);
            return Self::Complete {
                passed_over: failure(
                    Code::new("salesforce-row-unprocessed"),
                    "Salesforce ended it without looking at any of its rows",
                ),
                missing: failure(
                    Code::new("salesforce-result-missing"),
                    "none of its results tells what became of the row",
                ),
            };
        };
        let failure = run.failure(&error.code, &job.id, &told(job.state, &error));
        tracing::warn!(code = failure.code(), "{}", failure.message());
        match error.class() {
            Class::Misconfigured | Class::Unauthorized => Self::Leaves(Effect::Stop(failure)),
            Class::QuotaExhausted | Class::OrgUnavailable => Self::Leaves(Effect::Pause(failure)),
            Class::Unprocessed | Class::Innocent => Self::Again(failure),
            _ => Self::Fails(failure),
        }
    }
}

fn told(state: BulkState, error: &RowError) -> String {
    match state {
        BulkState::Aborted => "it was aborted at Salesforce".to_owned(),
        _ => format!("Salesforce gave it up: {} : {}", error.code, error.message),
    }
}

fn answer(
    run: &Run<'_>,
    outcomes: &Outcomes,
    rest: &Rest,
    progress: bool,
    unit: &Delivery,
) -> Option<Published> {
    let again = |failure: &Failure| Published::Retry { failure: failure.clone(), after: None };
    // A job that did nothing at all might do so for ever, so that it counts as an attempt.
    let not_tried = |failure| if progress { Published::NotTried } else { again(failure) };
    match (outcomes.of(key_of(unit)), rest) {
        (Some(Outcome::Applied(id)), _) => {
            Some(Published::Delivered { external_ref: Some(id.to_owned()) })
        }
        (Some(Outcome::Failed(error)), _) => Some(run.org.refused(unit, error)),
        (_, Rest::Leaves(_)) => None,
        (_, Rest::Fails(failure)) => Some(again(failure)),
        (_, Rest::Again(failure)) => Some(not_tried(failure)),
        (Some(Outcome::Unprocessed), Rest::Complete { passed_over, .. }) => {
            Some(not_tried(passed_over))
        }
        (None, Rest::Complete { missing, .. }) => Some(again(missing)),
    }
}

/// Removes a job that was read to its end, where that is wanted. Nothing hangs on it: Salesforce does
/// the same after a week. One that failed is left for people to look at.
async fn delete(run: &Run<'_>, job: &BulkJob) {
    if !run.org.bulk.delete {
        return;
    }
    if let Err(trouble) = run.call(run.org.client.bulk().delete(&job.id)).await {
        tracing::debug!(job = job.id, ?trouble, "the job was not deleted");
    }
}
