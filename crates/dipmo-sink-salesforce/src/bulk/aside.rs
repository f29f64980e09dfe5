//! What no row of CSV can say: it goes out by itself, in calls, while the rows are made.
//!
//! A job of upserts deletes nothing, cannot write the text `#N/A`, and takes no text over 32,000
//! characters or with a NUL in it. Such units are few, and none of their records has a row in the job.

use dipmo_domain::SalesforceApi;
use dipmo_outbox::{Delivery, Published};

use super::call::Run;
use super::fates::Fate;
use crate::slice;

/// Sends the units of a page that go aside, and answers for them in their places.
pub(super) async fn send(
    run: &Run<'_>,
    units: &[Delivery],
    fates: &[Fate],
) -> Vec<Option<Published>> {
    let mut answers = vec![None; units.len()];
    let aside = |place: &usize| matches!(fates[*place], Fate::AsideOf(_));
    let places: Vec<usize> = (0..units.len()).filter(aside).collect();
    if places.is_empty() {
        return answers;
    }
    let some: Vec<Delivery> = places.iter().map(|place| units[*place].clone()).collect();
    // Their records are read once more: that is what a slice does, and it is only newer.
    let api = SalesforceApi::Collections;
    let answered = slice::deliver(run.org, &run.destination, api, &some).await;
    for (place, answer) in places.into_iter().zip(answered) {
        answers[place] = Some(answer);
    }
    answers
}
