//! People and upkeep beside a job: retried, skipped, counted, and not swept away.

use std::time::Duration;

use dipmo_domain::{Month, OutboxId, OutboxStatus};
use dipmo_outbox::{Attempt, Delivery, UnitResult};
use dipmo_store::{Acted, OpenJobs, Store, Waiting};

use super::jobs::chunks_in_a_lane;
use super::outbox_hold::{held_behind_a_head, retry};
use crate::Fixture;
use crate::support::{
    JobHand, LONG, aggregates, begin, dispatch_all, dispatched, failure, ids_of, intent, kafka,
    take, write_intents,
};

fn refused(block: bool) -> UnitResult {
    UnitResult::Failed { failure: failure("refused"), block }
}

/// A job of which the first unit has failed already.
async fn one_failed(store: &dyn Store, block: bool) -> (JobHand, Vec<OutboxId>) {
    let ids = chunks_in_a_lane(store, 3).await;
    let job = begin(store, &kafka("t"), "o").await;
    let result = |unit: &Delivery| match unit.unit == ids[0] {
        true => refused(block),
        false => UnitResult::InJob(job.id()),
    };
    job.settle(store, result).await;
    (job, ids)
}

async fn waiting(store: &dyn Store) -> Waiting {
    store.backlog().await.unwrap().outbox.get("KAFKA:t").copied().unwrap_or_default()
}

/// What failed and is retried is not in the job; it is sent when that has ended.
pub async fn a_retried_unit_comes_after_the_job<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (job, ids) = one_failed(&*store, true).await;
    assert_eq!(store.retry_units(&ids[..1], false).await.unwrap().acts, [Acted::Done]);
    assert_eq!(store.due_destinations().await, Ok(vec![]), "it waits for the job");
    assert_eq!(ids_of(&job.units(&*store).await), ids[1..]);
    job.deliver(&*store).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(ids_of(&hand.units), ids[..1]);
    assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 0, retried: 1 });
}

/// What failed is given up while the job goes on.
pub async fn a_failed_unit_is_skipped<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (job, ids) = one_failed(&*store, true).await;
    assert_eq!(store.skip_units(&ids[..1]).await.unwrap().acts, [Acted::Done]);
    assert_eq!(ids_of(&job.units(&*store).await), ids[1..]);
    job.deliver(&*store).await;
    let rows = store.outbox_rows(10).await.unwrap();
    let failed: Vec<_> = rows.iter().filter(|row| row.status == OutboxStatus::Failed).collect();
    assert_eq!(
        failed.iter().map(|row| (row.id, row.skipped)).collect::<Vec<_>>(),
        [(ids[0], true)]
    );
    assert!(dispatch_all(&*store, &kafka("t")).await.is_empty());
}

/// A unit that is in the job stays there when somebody retries it, and is settled as it was read.
pub async fn a_unit_in_a_job_stays_in_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, ids) = held_behind_a_head(&*store, 0).await;
    hand.give_back(&*store).await;
    let ready = chunks_in_a_lane(&*store, 1).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    let units = job.units(&*store).await;
    let both = [ids[0], ready[0]];
    assert_eq!(ids_of(&units), both);
    let acts = store.retry_units(&both, false).await.unwrap().acts;
    assert_eq!(acts, [Acted::Done, Acted::WrongStatus(OutboxStatus::Pending)]);
    let skipped = store.skip_units(&both).await.unwrap().acts;
    assert_eq!(skipped, [Acted::WrongStatus(OutboxStatus::Pending); 2]);
    assert_eq!(ids_of(&job.units(&*store).await), both);
    assert_eq!(store.due_destinations().await, Ok(vec![]));
    job.hand(units).settle(&*store, |_| UnitResult::InJob(job.id())).await.unwrap();
    assert_eq!(store.retry_units(&both, false).await.unwrap().acts, [Acted::AlreadyDone; 2]);
    assert_eq!(ids_of(&job.units(&*store).await), both);
    job.deliver(&*store).await;
    assert!(dispatch_all(&*store, &kafka("t")).await.is_empty(), "none is sent again");
}

/// Units in a job wait like any others: in chunks they are ready, with rows they are retrying.
pub async fn units_in_jobs_count<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let two = (1..=2).map(|number| intent(&kafka("t"), "F-1", number)).collect();
    write_intents(&*store, two).await;
    chunks_in_a_lane(&*store, 3).await;
    let before = waiting(&*store).await;
    assert_eq!(before.ready, 5);
    let job = begin(&*store, &kafka("t"), "o").await;
    assert_eq!(waiting(&*store).await, before, "a job is no delivery");
    let units = job.units(&*store).await;
    let result = |unit: &Delivery| match unit.unit == units[0].unit {
        true => dispatched(),
        false => UnitResult::InJob(job.id()),
    };
    job.hand(units[..2].to_vec()).settle(&*store, result).await.unwrap();
    let now = waiting(&*store).await;
    assert_eq!((now.ready, now.retrying, now.held, now.failed), (3, 1, 0, 0));
    job.deliver(&*store).await;
    assert_eq!(waiting(&*store).await, Waiting::default());
}

/// A job counts from its beginning to its end, whatever its phase, with the time of the oldest; also
/// when none of its units could be worked on by anybody here.
pub async fn a_job_that_has_not_ended_shows_its_age<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let open = async || store.backlog().await.unwrap().jobs;
    let of = |topic: &str, jobs, oldest| (format!("KAFKA:{topic}"), OpenJobs { jobs, oldest });
    let mut jobs = Vec::new();
    assert!(open().await.is_empty());
    let names = aggregates(2);
    for (topic, name) in [("t", &names[0]), ("t", &names[1]), ("u", &names[0])] {
        fixture.tick().await;
        write_intents(&*store, vec![intent(&kafka(topic), name, 1)]).await;
        jobs.push(begin(&*store, &kafka(topic), "o").await);
    }
    let began: Vec<_> = jobs.iter().map(|job| job.job.created_at).collect();
    assert!(began.is_sorted_by(|one, next| one < next), "{began:?}");
    fixture.tick().await;
    jobs[0].give(&*store).await;
    jobs[0].settle(&*store, |_| UnitResult::InJob(jobs[0].id())).await;
    assert_eq!(open().await, [of("t", 2, began[0]), of("u", 1, began[2])].into());
    let backlog = store.backlog().await.unwrap();
    assert_eq!(backlog.oldest_job_age(), Some(backlog.at.since(began[0])));
    jobs[0].deliver(&*store).await;
    assert_eq!(open().await, [of("t", 1, began[1]), of("u", 1, began[2])].into());
    jobs[1].deliver(&*store).await;
    jobs[2].deliver(&*store).await;
    assert!(open().await.is_empty(), "history does not count");
}

/// History drops what is settled, and nothing that is in a job; jobs that ended go with it.
pub async fn history_keeps_what_is_in_a_job<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    chunks_in_a_lane(&*store, 1).await;
    let ended = begin(&*store, &kafka("t"), "o").await;
    ended.deliver(&*store).await;
    let ids = chunks_in_a_lane(&*store, 2).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let result = |unit: &Delivery| match unit.unit == ids[0] {
        true => retry(Duration::ZERO),
        false => UnitResult::Later,
    };
    hand.settle(&*store, result).await.unwrap();
    hand.give_back(&*store).await;
    let three = (1..=3).map(|number| intent(&kafka("t"), "F-1", number)).collect();
    let three = write_intents(&*store, three).await;
    let ready = chunks_in_a_lane(&*store, 1).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    let units = job.units(&*store).await;
    let part: Vec<_> = units.iter().filter(|unit| three.contains(&unit.unit)).cloned().collect();
    let result = |unit: &Delivery| match unit.unit == three[0] {
        true => dispatched(),
        false => UnitResult::InJob(job.id()),
    };
    job.hand(part).settle(&*store, result).await.unwrap();

    let before = job.units(&*store).await;
    let month = Month::of(store.now().await.unwrap()).next();
    while store.drop_before(month, 2).await.unwrap().more {}
    assert_eq!(job.units(&*store).await, before, "to the letter");
    let expected = [ids, three[1..].to_vec(), ready].concat();
    assert_eq!(ids_of(&before), expected);
    let left: Vec<_> = store.jobs(10).await.unwrap().iter().map(|job| job.id).collect();
    assert_eq!(left, [job.id()], "the ended one is history");
    job.settle(&*store, |_| retry(LONG)).await;
    job.end(&*store).await;
    let rows = store.outbox_rows(10).await.unwrap();
    let waits = rows.iter().filter(|row| row.status == OutboxStatus::Pending).count();
    assert_eq!(waits, 5);
}
