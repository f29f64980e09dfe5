//! Answers for the units of a job, page by page.

use std::collections::HashSet;

use dipmo_domain::StoreError;
use dipmo_outbox::{Delivery, Published};

use super::call::Run;
use crate::mapping::key_of;

/// Answers for all units that are left; those that get no answer stay in the job. False when the engine
/// ended before the last page: whoever goes on with the job answers for the rest.
pub(super) async fn all(
    run: &Run<'_>,
    mut answer_for: impl FnMut(&Delivery) -> Option<Published> + Send,
) -> Result<bool, StoreError> {
    let mut behind = None;
    while !run.ending.is_due() {
        let page = run.work.units(behind, run.org.bulk.page).await?;
        let answers = page.units.iter().map(&mut answer_for).collect();
        self::page(run, page.units, answers).await?;
        match page.next {
            Some(next) => behind = Some(next),
            None => return Ok(true),
        }
    }
    Ok(false)
}

/// Answers for units of a page, and counts what became of them.
pub(super) async fn page(
    run: &Run<'_>,
    units: Vec<Delivery>,
    answers: Vec<Option<Published>>,
) -> Result<(), StoreError> {
    if answers.iter().all(Option::is_none) {
        return Ok(());
    }
    count(run, &units, &answers);
    run.work.answer(units, answers).await
}

fn count(run: &Run<'_>, units: &[Delivery], answers: &[Option<Published>]) {
    let (mut delivered, mut retried) = (0, 0);
    let mut records = HashSet::new();
    for (unit, answer) in units.iter().zip(answers) {
        match answer {
            Some(Published::Delivered { .. }) => {
                delivered += 1;
                records.insert(key_of(unit));
            }
            Some(Published::Retry { failure, .. }) => {
                retried += 1;
                run.meter.row_failed(failure.code());
            }
            Some(Published::Refused(failure)) => run.meter.row_failed(failure.code()),
            Some(Published::Unanswered { .. } | Published::NotTried) | None => {}
        }
    }
    run.meter.delivered(records.len() as u64, delivered);
    run.meter.retried(retried);
}
