//! Made: the rows are made and uploaded, page by page.

use std::ops::ControlFlow;

use dipmo_domain::{Failure, StoreError};
use dipmo_outbox::{JobPhase, JobStep};
use futures_util::stream;

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
    let first = match pages.next().await {
        Ok(Some(first)) => first,
        // A job without rows would fail.
        Ok(None) => return nothing(run, remote).await,
        Err(_) => return stop_here(run, remote, pages.end()).await,
    };
    let pass = match run.enter().await {
        Ok(pass) => pass,
        Err(trouble) => return Ok(ControlFlow::Break(run.wait_after(trouble))),
    };
    let csv = stream::try_unfold((Some(first), &mut pages), |(first, pages)| async move {
        let piece = if first.is_some() { first } else { pages.next().await? };
        Ok::<_, BrokenOff>(piece.map(|piece| (piece, (None, pages))))
    });
    let uploaded = run.call_with(pass, run.org.client.bulk().upload(remote, csv)).await;
    match (pages.end(), uploaded) {
        (End::Complete, Ok(())) => {
            run.work.given().await?;
            run.reached(JobPhase::Given);
            Ok(ControlFlow::Continue(()))
        }
        (End::Complete | End::Early, Err(trouble)) => not_uploaded(run, remote, trouble).await,
        (end, _) => stop_here(run, remote, end).await,
    }
}

/// No unit is left that is to be sent.
async fn nothing(run: &Run<'_>, remote: &str) -> Result<ControlFlow<JobStep>, StoreError> {
    abort(run, remote).await;
    Ok(ControlFlow::Break(JobStep::Ended))
}

/// Not all rows were made, or Salesforce did not wait for them.
async fn stop_here(
    run: &Run<'_>,
    remote: &str,
    end: End,
) -> Result<ControlFlow<JobStep>, StoreError> {
    match end {
        End::Complete | End::Early => Ok(ControlFlow::Break(JobStep::Wait(run.next_wait()))),
        End::Broken(Broken::Store(error)) => Err(error),
        End::Broken(Broken::Shape(error)) => {
            abort(run, remote).await;
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
            abort(run, remote).await;
            run.give_back(effect).await?
        }
    };
    Ok(ControlFlow::Break(step))
}

/// Ends a job that was not closed. Nothing hangs on it: only who has its id stored would close it.
async fn abort(run: &Run<'_>, remote: &str) {
    if let Err(trouble) = run.call(run.org.client.bulk().abort(remote)).await {
        tracing::debug!(job = remote, ?trouble, "an open job was left behind");
    }
}
