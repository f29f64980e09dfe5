//! Races for jobs: one begins it, one takes it, and who lost it writes nothing.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_outbox::{Owner, UnitResult};
use dipmo_store::{BeginJob, JobChange, Store};

use crate::Fixture;
use crate::support::{
    LONG, aggregates, begin, begin_for, dispatch_all, dispatched, intent, kafka, take, take_job,
    write_intents,
};

async fn in_lanes(store: &dyn Store, count: usize) {
    let names = aggregates(count);
    write_intents(store, names.iter().map(|name| intent(&kafka("t"), name, 1)).collect()).await;
}

fn is_fenced<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Fenced { .. }))
}

/// Many want a job at once: one of them gets it, with all its lanes.
pub async fn one_takes_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    in_lanes(&*stores[0], 8).await;
    begin(&*stores[0], &kafka("t"), "first").await.give_back(&*stores[0]).await;
    for _ in 0..10 {
        let tasks: Vec<_> = (0..8)
            .map(|place| {
                let store = Arc::clone(&stores[place % 2]);
                let owner = Owner(format!("owner-{place}"));
                tokio::spawn(async move {
                    let taken = store.take_job(&kafka("t"), &owner, LONG).await.unwrap();
                    taken.map(|taken| (owner, taken))
                })
            })
            .collect();
        let mut taken = Vec::new();
        for task in tasks {
            taken.extend(task.await.unwrap());
        }
        assert_eq!(taken.len(), 1, "{taken:?}");
        let (owner, job) = taken.remove(0);
        assert_eq!(job.leases.len(), 8);
        assert_eq!(stores[1].renew(&owner, &job.leases, LONG).await.unwrap().len(), 8);
        stores[0].give_back(&owner, &job.leases).await.unwrap();
    }
}

/// Two jobs and many takers: each goes to one of them.
pub async fn each_job_has_one_taker<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    for name in aggregates(3) {
        write_intents(&*stores[0], vec![intent(&kafka("t"), &name, 1)]).await;
        begin_for(&*stores[0], &kafka("t"), "first", Duration::ZERO).await;
    }
    fixture.tick().await;
    let tasks: Vec<_> = (0..8)
        .map(|place| {
            let store = Arc::clone(&stores[place % 2]);
            tokio::spawn(
                async move { take_job(&*store, &kafka("t"), &format!("owner-{place}")).await },
            )
        })
        .collect();
    let mut jobs = Vec::new();
    for task in tasks {
        jobs.extend(task.await.unwrap().map(|job| job.id()));
    }
    // One who lost a race may leave empty-handed, and comes again.
    while let Some(job) = take_job(&*stores[0], &kafka("t"), "last").await {
        jobs.push(job.id());
    }
    jobs.sort();
    let count = jobs.len();
    jobs.dedup();
    assert_eq!((count, jobs.len()), (3, 3), "each once");
}

/// Two begin a job of the same units at once: one of them does.
pub async fn one_begins_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for round in 1..=10 {
        in_lanes(&*store, 4).await;
        let hand = take(&*store, &kafka("t"), "o").await;
        let params = || BeginJob { leases: &hand.leases, least: 1, most: 100 };
        let (here, there) = tokio::join!(store.begin_job(params()), another.begin_job(params()));
        assert!(is_fenced(&here) != is_fenced(&there), "{here:?} and {there:?}");
        let begun = here.or(there).unwrap().unwrap();
        assert_eq!((begun.job.units, begun.leases.len()), (4, 4));
        assert_eq!(store.jobs(100).await.unwrap().len(), round);
        store.give_back(&hand.owner, &hand.leases).await.unwrap();
        take_job(&*store, &kafka("t"), "o").await.unwrap().deliver(&*store).await;
    }
}

/// A job is lost while its holder settles: all of it is settled, or nothing.
pub async fn settled_and_taken_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let destination = kafka("t");
    for _ in 0..20 {
        in_lanes(&*store, 4).await;
        let late = begin_for(&*store, &kafka("t"), "a", Duration::ZERO).await;
        let hand = late.hand(late.units(&*store).await);
        fixture.tick().await;
        let (settled, taken) = tokio::join!(
            hand.settle(&*store, |_| dispatched()),
            take_job(&*another, &destination, "b"),
        );
        assert!(settled.is_ok() || is_fenced(&settled), "{settled:?}");
        let job = match taken {
            Some(job) => job,
            // It may not have been to be had while the other one was inside.
            None => take_job(&*another, &kafka("t"), "b").await.unwrap(),
        };
        let left = job.units(&*another).await.len();
        assert_eq!(left, if settled.is_ok() { 0 } else { 4 });
        job.deliver(&*another).await;
    }
    assert!(dispatch_all(&*store, &kafka("t")).await.is_empty());
}

/// Units of a job are settled twice at once: one settlement is fenced.
pub async fn settled_twice_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for _ in 0..10 {
        in_lanes(&*store, 4).await;
        let job = begin(&*store, &kafka("t"), "o").await;
        let hand = job.hand(job.units(&*store).await);
        let (here, there) = tokio::join!(
            hand.settle(&*store, |_| dispatched()),
            hand.settle(&*another, |_| UnitResult::InJob(job.id())),
        );
        assert!(is_fenced(&here) != is_fenced(&there), "{here:?} and {there:?}");
        assert_eq!(job.units(&*store).await.len(), if here.is_ok() { 0 } else { 4 });
        job.deliver(&*store).await;
    }
}

/// A job ends while its holder loses it: it has ended once, or the next one ends it.
pub async fn ended_and_taken_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let destination = kafka("t");
    for _ in 0..10 {
        in_lanes(&*store, 4).await;
        let late = begin_for(&*store, &kafka("t"), "a", Duration::ZERO).await;
        late.settle(&*store, |_| dispatched()).await;
        fixture.tick().await;
        let (ended, taken) = tokio::join!(
            late.change(&*store, JobChange::Ended),
            take_job(&*another, &destination, "b"),
        );
        assert!(ended.is_ok() || is_fenced(&ended), "{ended:?}");
        assert_eq!(taken.is_some(), ended.is_err(), "{ended:?} and {taken:?}");
        if let Some(job) = taken {
            job.end(&*another).await;
        }
        assert_eq!(store.due_destinations().await, Ok(vec![]));
    }
}
