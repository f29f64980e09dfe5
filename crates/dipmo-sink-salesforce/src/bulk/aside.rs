//! What no row of CSV can say: it goes out by itself, in calls, once all rows are uploaded.
//!
//! A job of upserts deletes nothing, cannot write the text `#N/A`, and takes no text over 32,000
//! characters or with a NUL in it. Such units are few, and none of their records has a row in the job.
//! They go out after the upload, because that has a seat of the bulkhead which they may need, and
//! before the job is given, because then only its rows may be left in it.

use std::collections::HashSet;

use dipmo_domain::{OutboxId, SalesforceApi, StoreError};
use dipmo_outbox::{Delivery, Published};

use super::call::Run;
use super::settle;
use crate::slice;

/// Sends units by themselves, and answers for them.
pub(super) async fn send(run: &Run<'_>, aside: &HashSet<OutboxId>) -> Result<(), StoreError> {
    let mut next = (!aside.is_empty()).then_some(None);
    while let Some(behind) = next {
        let page = run.work.units(behind, run.org.bulk.page).await?;
        next = page.next.map(Some);
        let answers = of_page(run, aside, &page.units).await;
        settle::page(run, page.units, answers).await?;
    }
    Ok(())
}

async fn of_page(
    run: &Run<'_>,
    aside: &HashSet<OutboxId>,
    units: &[Delivery],
) -> Vec<Option<Published>> {
    let mut answers = vec![None; units.len()];
    let places: Vec<usize> =
        (0..units.len()).filter(|place| aside.contains(&units[*place].unit)).collect();
    if places.is_empty() {
        return answers;
    }
    let some: Vec<Delivery> = places.iter().map(|place| units[*place].clone()).collect();
    let api = SalesforceApi::Collections;
    let answered = slice::deliver(run.org, &run.destination, api, &some, &run.ending).await;
    for (place, answer) in places.into_iter().zip(answered) {
        answers[place] = Some(answer);
    }
    answers
}
