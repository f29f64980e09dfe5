//! A process hears once of an intent with thousands of records that went out in jobs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dipmo_domain::RecordKey;
use dipmo_outbox::{Delivery, NewIntent, UnitResult};
use dipmo_store::{IntentEnd, Replies, Store};

use super::outbox_hold::retry;
use crate::Fixture;
use crate::support::{
    JobHand, begin, dispatched, event, failure, intent, kafka, record_keys, suite_key, take_job,
    write_intents,
};

/// Settles page by page; keeps the ends that it hears of.
async fn settle(
    store: &dyn Store,
    job: &JobHand,
    heard: &Arc<Mutex<Vec<IntentEnd>>>,
    result: impl Fn(&Delivery) -> UnitResult,
) {
    let mut mark = None;
    loop {
        let page = job.page(store, mark, 300).await;
        mark = page.next;
        let heard = Arc::clone(heard);
        let replies: Replies = Box::new(move |ends| {
            heard.lock().unwrap().extend(ends.iter().cloned());
            ends.iter().map(|end| event("reply", end.intent.0)).collect()
        });
        job.hand(page.units).settle_with(store, &result, &[], replies).await.unwrap();
        if mark.is_none() {
            return;
        }
    }
}

fn number(unit: &Delivery) -> usize {
    unit.record.as_ref().unwrap().0[4..].parse().unwrap()
}

/// 2,000 records: some fail, some stay over a crash, some are tried again in a second job. The
/// answer comes with the last of them, with the failed ones by their keys.
pub async fn one_answer_for_thousands_of_records<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let many = NewIntent {
        records: record_keys(2_000),
        reply_to: Some(suite_key("S-1")),
        ..intent(&kafka("t"), "F-1", 1)
    };
    let id = write_intents(&*store, vec![many]).await[0];
    let heard = Arc::new(Mutex::new(Vec::new()));
    let job = begin(&*store, &kafka("t"), "a").await;
    assert_eq!((job.job.units, job.leases.len()), (2_000, 64));
    let refused = UnitResult::Failed { failure: failure("refused"), block: false };
    let first = |unit: &Delivery| match number(unit) {
        number if number % 400 == 7 => refused.clone(),
        number if number % 10 == 1 => retry(Duration::ZERO),
        number if number.is_multiple_of(3) => UnitResult::InJob(job.id()),
        _ => dispatched(),
    };
    settle(&*store, &job, &heard, first).await;
    job.give_back(&*store).await;
    let job = take_job(&*store, &kafka("t"), "b").await.unwrap();
    assert!(job.units(&*store).await.iter().all(|unit| number(unit).is_multiple_of(3)));
    settle(&*store, &job, &heard, |_| dispatched()).await;
    assert!(heard.lock().unwrap().is_empty(), "some are still to be tried again");
    job.end(&*store).await;

    let job = begin(&*store, &kafka("t"), "a").await;
    assert_eq!(job.job.units, 200);
    let second = |unit: &Delivery| match number(unit) {
        1_991 => refused.clone(),
        _ => dispatched(),
    };
    settle(&*store, &job, &heard, second).await;
    job.end(&*store).await;
    let heard = heard.lock().unwrap().clone();
    assert_eq!(heard.len(), 1, "one answer");
    let end = &heard[0];
    assert_eq!((end.intent, end.dispatched, end.failed, end.retried), (id, 1_994, 6, 0));
    let mut failed: Vec<_> = end.failures.iter().map(|unit| unit.record.clone().unwrap()).collect();
    failed.sort();
    let mut expected = [7, 407, 807, 1_207, 1_607, 1_991].map(|n| RecordKey(format!("REC-{n}")));
    expected.sort();
    assert_eq!(failed, expected);
}
