//! Jobs beside others: who waits for whom, who dies in the middle, and what people see.

use std::sync::Arc;
use std::time::Duration;

use dipmo_outbox::{Delivery, UnitResult};
use dipmo_store::{BeginJob, JobChange, Store};
use dipmo_store_tests::Fixture as _;
use dipmo_store_tests::support::{
    JobHand, aggregates, begin, dispatched, failure, ids_of, intent, kafka, record_keys, take,
    take_job, write_intents,
};
use tokio_postgres::Client;

use crate::support::fixture::Postgres;
use crate::support::waiting::kill_who_waits;

async fn one_each(store: &dyn Store, count: usize) {
    let intents = aggregates(count).iter().map(|name| intent(&kafka("t"), name, 1)).collect();
    write_intents(store, intents).await;
}

/// It locks lanes in whatever order it finds them, so it must not wait for one.
#[tokio::test]
async fn taking_a_job_waits_for_nobody() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    one_each(&*store, 3).await;
    let job = begin(&*store, &kafka("t"), "a").await;
    job.give_back(&*store).await;
    let other = fixture.client().await;
    let lock = "begin; select from outbox_lane where job_id is not null \
                order by lane desc limit 1 for no key update";
    other.batch_execute(lock).await.unwrap();
    assert!(take_job(&*store, &kafka("t"), "b").await.is_none(), "all lanes or none");
    other.batch_execute("rollback").await.unwrap();
    assert_eq!(take_job(&*store, &kafka("t"), "b").await.unwrap().leases.len(), 3);
}

async fn lock(client: &Client, table: &str) {
    client.batch_execute(&format!("begin; lock table {table} in exclusive mode")).await.unwrap();
}

/// The lanes are locked, but the job is not written yet.
#[tokio::test]
async fn who_dies_while_a_job_begins_leaves_none() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    one_each(&*store, 3).await;
    let hand = take(&*store, &kafka("t"), "a").await;
    let locker = fixture.client().await;
    lock(&locker, "outbox_job").await;
    let (doomed, leases) = (Arc::clone(&store), hand.leases.clone());
    let dying = tokio::spawn(async move {
        doomed.begin_job(BeginJob { leases: &leases, least: 1, most: 100 }).await
    });
    kill_who_waits(&locker).await;
    dying.await.unwrap().unwrap_err();
    locker.batch_execute("rollback").await.unwrap();
    assert_eq!(store.jobs(10).await, Ok(vec![]));
    hand.settle(&*store, |_| dispatched()).await.unwrap();
}

/// Units were released, or lanes freed, but the phase is not written yet.
#[tokio::test]
async fn who_dies_while_a_job_changes_leaves_it_as_it_was() {
    let fixture = Postgres::<15>::fresh().await;
    let (store, locker) = (fixture.store(), fixture.client().await);
    one_each(&*store, 3).await;
    let job = begin(&*store, &kafka("t"), "a").await;
    let units = job.units(&*store).await;
    lock(&locker, "outbox_exception").await;
    dies(&store, &job, JobChange::Released { behind: None }, &locker).await;
    assert_eq!(job.units(&*store).await, units);
    job.settle(&*store, |_| dispatched()).await;
    lock(&locker, "outbox_job").await;
    dies(&store, &job, JobChange::Ended, &locker).await;
    assert!(store.due_destinations().await.unwrap().is_empty(), "its lanes are its own");
    job.give_back(&*store).await;
    let job = take_job(&*store, &kafka("t"), "b").await.unwrap();
    assert_eq!(job.leases.len(), 3);
    job.end(&*store).await;
}

async fn dies(store: &Arc<dyn Store>, job: &JobHand, change: JobChange, locker: &Client) {
    let (doomed, job) = (Arc::clone(store), job.clone());
    let dying = tokio::spawn(async move { job.change(&*doomed, change).await });
    kill_who_waits(locker).await;
    dying.await.unwrap().unwrap_err();
    locker.batch_execute("rollback").await.unwrap();
}

/// OUTBOX and OUTBOX_RECORD say in which job a unit is: as long as it is.
#[tokio::test]
async fn the_views_tell_the_job() {
    let fixture = Postgres::<15>::fresh().await;
    let (store, client) = (fixture.store(), fixture.client().await);
    let mut with_records = intent(&kafka("t"), "F-1", 1);
    with_records.records = record_keys(4);
    write_intents(&*store, vec![with_records, intent(&kafka("t"), "F-2", 1)]).await;
    let job = begin(&*store, &kafka("t"), "a").await;
    let units = job.units(&*store).await;
    let count = async |view: &str| {
        let text = format!("select count(*) from {view} where job_id = $1 and status = 'PENDING'");
        client.query_one(&text, &[&job.id().0]).await.unwrap().get::<_, i64>(0)
    };
    assert_eq!((count("outbox").await, count("outbox_record").await), (1, 4));
    job.settle(&*store, |_| UnitResult::InJob(job.id())).await;
    assert_eq!(ids_of(&job.units(&*store).await), ids_of(&units));
    assert_eq!((count("outbox").await, count("outbox_record").await), (1, 4), "with rows");
    job.deliver(&*store).await;
    assert_eq!((count("outbox").await, count("outbox_record").await), (0, 0));
    let ended = "select phase, units, ended_at >= created_at from outbox_job";
    let row = client.query_one(ended, &[]).await.unwrap();
    assert_eq!((row.get(0), row.get(1), row.get(2)), ("ENDED", 5, true));
}

/// What is let go is ready, or due if it was tried: pages keep the order of a key across both.
#[tokio::test]
async fn pages_keep_the_order_of_what_was_let_go() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    let ids = write_intents(&*store, (0..4).map(|n| intent(&kafka("t"), "F-1", n)).collect()).await;
    let retry = UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") };
    let mut hand = take(&*store, &kafka("t"), "a").await;
    let tried = |unit: &Delivery| unit.unit == ids[0] || unit.unit == ids[2];
    let first = |unit: &Delivery| if tried(unit) { retry.clone() } else { UnitResult::Held };
    hand.settle(&*store, first).await.unwrap();
    hand.reads_again(&*store).await;
    let second = hand.in_order(|_| dispatched());
    hand.settle(&*store, |unit| second[&unit.unit].clone()).await.unwrap();
    hand.give_back(&*store).await;
    let job = begin(&*store, &kafka("t"), "a").await;
    let pages = job.pages(&*store, 1).await;
    let units: Vec<_> = pages.into_iter().flat_map(|page| page.units).collect();
    assert_eq!(ids_of(&units), ids[1..]);
}
