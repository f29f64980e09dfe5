//! Made: the rows are made and uploaded, page by page.

use std::ops::ControlFlow;

use dipmo_domain::{Failure, StoreError};
use dipmo_outbox::{JobPhase, JobStep};
use futures_util::stream;
use tokio::time::Instant;

use super::aside;
use super::call::{Run, Trouble};
use super::pages::{Broken, BrokenOff, End, Pages};
use crate::verdict::Effect;

/// Uploads what is to be sent of a job. Breaks where the job cannot be closed now: then it is gone on
/// with as one that somebody left in the middle.
///
/// A page is read, mapped and written while the one before is on its way, so that the call is under
/// way for as long as the whole takes. No transaction is.
pub(super) async fn upload(
    run: &Run<'_>,
    remote: &str,
) -> Result<ControlFlow<JobStep>, StoreError> {
    let mut pages = Pages::new(run);
    let Ok(Some(first)) = pages.next().await else {
        return without_rows(run, remote, pages.end()).await;
    };
    let pass = match run.enter().await {
        Ok(pass) => pass,
        Err(trouble) => return Ok(ControlFlow::Break(run.wait_or_leave(trouble).await?)),
    };
    // The upload has one deadline, which begins now. Half of it is left for what is on its way then,
    // and for the answer: a job that is too slow for one would otherwise begin afresh for ever.
    pages.full_at(Instant::now() + run.org.client.transfer_timeout() / 2);
    let csv = stream::try_unfold((Some(first), &mut pages), |(first, pages)| async move {
        let piece = if first.is_some() { first } else { pages.next().await? };
        Ok::<_, BrokenOff>(piece.map(|piece| (piece, (None, pages))))
    });
    let uploaded = run.call_with(pass, run.org.client.bulk().upload(remote, csv)).await;
    match (pages.end(), uploaded) {
        (End::Complete { aside }, Ok(())) => {
            aside::send(run, &aside).await?;
            run.work.given().await?;
            run.reached(JobPhase::Given);
            Ok(ControlFlow::Continue(()))
        }
        (End::Broken(broken), _) => broken_off(run, remote, broken).await,
        (_, Err(trouble)) => not_uploaded(run, remote, trouble).await,
        (End::Early, Ok(())) => Ok(ControlFlow::Break(early(run))),
    }
}

/// A job without rows would fail.
async fn without_rows(
    run: &Run<'_>,
    remote: &str,
    end: End,
) -> Result<ControlFlow<JobStep>, StoreError> {
    match end {
        End::Complete { aside } => {
            aside::send(run, &aside).await?;
            run.abort(remote).await;
            Ok(ControlFlow::Break(JobStep::Ended))
        }
        End::Broken(broken) => broken_off(run, remote, broken).await,
        End::Early => Ok(ControlFlow::Break(early(run))),
    }
}

/// Salesforce did not wait for all rows.
fn early(run: &Run<'_>) -> JobStep {
    JobStep::Wait(run.next_wait())
}

/// Not all rows could be made.
async fn broken_off(
    run: &Run<'_>,
    remote: &str,
    broken: Broken,
) -> Result<ControlFlow<JobStep>, StoreError> {
    match broken {
        Broken::Store(error) => Err(error),
        Broken::Shape(error) => {
            run.abort(remote).await;
            let step = run.give_back(Effect::Stop(Failure::from(&error))).await?;
            Ok(ControlFlow::Break(step))
        }
    }
}

async fn not_uploaded(
    run: &Run<'_>,
    remote: &str,
    trouble: Trouble,
) -> Result<ControlFlow<JobStep>, StoreError> {
    let step = match run.lasting(&trouble) {
        None => run.wait_after(trouble),
        Some(effect) => {
            run.abort(remote).await;
            run.give_back(effect).await?
        }
    };
    Ok(ControlFlow::Break(step))
}
