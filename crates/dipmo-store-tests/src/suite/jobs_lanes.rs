//! A job holds its lanes: nothing of them goes another way until it has ended.

use std::time::Duration;

use dipmo_outbox::Owner;
use dipmo_store::{LeaseParams, ReadParams, Store};

use crate::Fixture;
use crate::support::{
    LONG, aggregates, begin, begin_for, dispatch_all, dispatched, ids_of, intent, kafka, take,
    take_job, write_intents,
};

async fn one_each(store: &dyn Store, names: &[String], number: i64) {
    let intents = names.iter().map(|name| intent(&kafka("t"), name, number));
    write_intents(store, intents.collect()).await;
}

/// Whether or not somebody has leased them, `lease` passes over lanes of a job.
pub async fn they_are_leased_with_the_job_only<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(3);
    one_each(&*store, &names[..2], 1).await;
    let job = begin_for(&*store, &kafka("t"), "a", Duration::ZERO).await;
    fixture.tick().await;
    one_each(&*store, &names, 2).await;
    let params = LeaseParams {
        owner: Owner("b".to_owned()),
        destination: kafka("t"),
        lanes: 64,
        duration: LONG,
    };
    let leases = store.lease(&params).await.unwrap();
    assert_eq!(leases.len(), 1, "the leases of the others have run out, but they have a job");
    assert!(job.leases.iter().all(|lease| lease.lane != leases[0].lane));
    let renewed = store.renew(&job.owner, &job.leases, LONG).await.unwrap();
    assert_eq!(renewed.len(), 2, "a job is kept like any lease");
    job.give_back(&*store).await;
    assert!(store.lease(&params).await.unwrap().is_empty(), "given back, but they have a job");
}

/// Whoever leases the lanes of a job reads nothing of them: not its units, and no new ones.
pub async fn nothing_is_read_of_them<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    one_each(&*store, &aggregates(2), 1).await;
    let job = begin(&*store, &kafka("t"), "a").await;
    one_each(&*store, &aggregates(2), 2).await;
    let read = ReadParams { leases: &job.leases, in_flight: &[], units: 100 };
    assert_eq!(store.read(read).await, Ok(vec![]));
}

/// A destination is due for a job that nobody holds, and not for what waits behind one.
pub async fn what_waits_in_them_is_not_due<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    one_each(&*store, &aggregates(2), 1).await;
    let job = begin(&*store, &kafka("t"), "a").await;
    assert_eq!(store.due_destinations().await, Ok(vec![]), "somebody has the job");
    one_each(&*store, &aggregates(2), 2).await;
    assert_eq!(store.due_destinations().await, Ok(vec![]), "new units wait");
    job.give_back(&*store).await;
    assert_eq!(store.due_destinations().await, Ok(vec![kafka("t")]), "somebody is to take it");
    let job = take_job(&*store, &kafka("t"), "b").await.unwrap();
    assert_eq!(store.due_destinations().await, Ok(vec![]));
    job.deliver(&*store).await;
    assert_eq!(store.due_destinations().await, Ok(vec![kafka("t")]), "for what waited");
    dispatch_all(&*store, &kafka("t")).await;
    assert_eq!(store.due_destinations().await, Ok(vec![]), "an ended job is nothing to do");
}

/// A job whose leases ran out makes its destination due, even with nothing left in it.
pub async fn a_job_that_is_all_answered_is_still_due<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    one_each(&*store, &aggregates(1), 1).await;
    let job = begin_for(&*store, &kafka("t"), "a", Duration::ZERO).await;
    job.settle(&*store, |_| dispatched()).await;
    fixture.tick().await;
    assert_eq!(store.due_destinations().await, Ok(vec![kafka("t")]));
    let job = take_job(&*store, &kafka("t"), "b").await.unwrap();
    assert!(job.units(&*store).await.is_empty());
    job.end(&*store).await;
    assert_eq!(store.due_destinations().await, Ok(vec![]));
}

/// What is written while a job holds the lanes comes after it, in order.
pub async fn new_units_wait_for_its_end<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(2);
    one_each(&*store, &names, 1).await;
    let job = begin(&*store, &kafka("t"), "a").await;
    let mut new = Vec::new();
    for number in 2..5 {
        let intents = names.iter().map(|name| intent(&kafka("t"), name, number));
        new.extend(write_intents(&*store, intents.collect()).await);
    }
    assert!(dispatch_all(&*store, &kafka("t")).await.is_empty());
    assert_eq!(job.units(&*store).await.len(), 2, "the job takes no more");
    job.deliver(&*store).await;
    assert_eq!(ids_of(&dispatch_all(&*store, &kafka("t")).await), new);
}

/// The same lanes of another destination know nothing of the job.
pub async fn other_destinations_are_untouched<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(2);
    one_each(&*store, &names, 1).await;
    let job = begin(&*store, &kafka("t"), "a").await;
    job.give_back(&*store).await;
    let elsewhere = names.iter().map(|name| intent(&kafka("u"), name, 1)).collect();
    let elsewhere = write_intents(&*store, elsewhere).await;
    assert_eq!(store.due_destinations().await.unwrap().len(), 2);
    assert!(take_job(&*store, &kafka("u"), "b").await.is_none(), "it has no job");
    assert_eq!(ids_of(&take(&*store, &kafka("u"), "b").await.units), elsewhere);
    let job = take_job(&*store, &kafka("t"), "b").await.unwrap();
    assert_eq!(job.units(&*store).await.len(), 2);
}

/// A job over all lanes: held as one, taken over as one, freed as one.
pub async fn a_job_across_all_lanes<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(64);
    let mut ids = Vec::new();
    for number in 0..3 {
        let intents = names.iter().map(|name| intent(&kafka("t"), name, number));
        ids.extend(write_intents(&*store, intents.collect()).await);
    }
    let first = begin(&*store, &kafka("t"), "a").await;
    assert_eq!((first.leases.len(), first.job.units), (64, 192));
    first.give_back(&*store).await;
    assert!(take(&*store, &kafka("t"), "b").await.leases.is_empty());
    let job = take_job(&*store, &kafka("t"), "b").await.unwrap();
    assert_eq!(job.leases.len(), 64);
    assert_eq!(ids_of(&job.units(&*store).await), ids);
    let new = names.iter().map(|name| intent(&kafka("t"), name, 9)).collect();
    let new = write_intents(&*store, new).await;
    job.deliver(&*store).await;
    let hand = take(&*store, &kafka("t"), "c").await;
    assert_eq!((hand.leases.len(), ids_of(&hand.units)), (64, new));
}
