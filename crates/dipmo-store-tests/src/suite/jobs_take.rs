//! Taking a job over: when nobody holds its lanes, under new epochs, from the phase that it reached.

use std::time::Duration;

use dipmo_domain::OutboxStatus;
use dipmo_outbox::{Delivery, JobPhase, Lease, UnitResult};
use dipmo_store::{JobChange, Store};

use super::jobs::is_fenced;
use super::outbox_hold::retry;
use crate::Fixture;
use crate::support::{
    JobHand, LONG, aggregates, begin, begin_for, dispatch_all, dispatched, ids_of, intent, kafka,
    take_job, write_intents,
};

async fn two_lanes(store: &dyn Store, number: i64) {
    let of = |name: &String| [number, number + 1].map(|number| intent(&kafka("t"), name, number));
    write_intents(store, aggregates(2).iter().flat_map(of).collect()).await;
}

/// True when each lane of the first has a greater epoch in the second.
fn has_new_epochs(old: &JobHand, new: &JobHand) -> bool {
    let greater = |lease: &Lease| {
        new.leases.iter().any(|now| now.lane == lease.lane && now.epoch > lease.epoch)
    };
    old.leases.len() == new.leases.len() && old.leases.iter().all(greater)
}

/// Given back or run out, a job goes to the next one; as long as one lane is held it does not.
pub async fn when_nobody_holds_its_lanes<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    two_lanes(&*store, 1).await;
    let first = begin(&*store, &kafka("t"), "a").await;
    assert!(take_job(&*another, &kafka("t"), "b").await.is_none(), "somebody has it");
    store.give_back(&first.owner, &first.leases[..1]).await.unwrap();
    assert!(take_job(&*another, &kafka("t"), "b").await.is_none(), "and still has one lane");
    assert_eq!(store.due_destinations().await, Ok(vec![]), "which makes nothing due");
    store.give_back(&first.owner, &first.leases[1..]).await.unwrap();
    let second = take_job(&*another, &kafka("t"), "b").await.unwrap();
    assert_eq!(second.job, first.job, "as it was");
    assert!(has_new_epochs(&first, &second));
    assert!(take_job(&*store, &kafka("t"), "c").await.is_none());
    second.give_back(&*store).await;
    let short = store.take_job(&kafka("t"), &first.owner, Duration::ZERO).await.unwrap().unwrap();
    fixture.tick().await;
    let third = take_job(&*store, &kafka("t"), "c").await.unwrap();
    assert_eq!(third.job, short.job, "a lease that was taken with a job runs out as well");
    assert!(has_new_epochs(&second, &third));
}

/// Who lost a job writes nothing: no result and no phase, and keeps nothing alive.
pub async fn trap_20_the_old_holder_is_fenced<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    two_lanes(&*store, 1).await;
    let late = begin_for(&*store, &kafka("t"), "a", Duration::ZERO).await;
    let units = late.units(&*store).await;
    fixture.tick().await;
    let now = take_job(&*another, &kafka("t"), "b").await.unwrap();
    let made = JobChange::Made { remote: "late".to_owned() };
    let all = JobChange::Released { behind: None };
    for change in [made, JobChange::Afresh, JobChange::Given, all, JobChange::Ended] {
        is_fenced(&late.change(&*store, change).await);
    }
    for result in [dispatched(), retry(LONG), UnitResult::InJob(late.id())] {
        is_fenced(&late.hand(units.clone()).settle(&*store, |_| result.clone()).await);
    }
    assert_eq!(store.renew(&late.owner, &late.leases, LONG).await, Ok(vec![]));
    late.give_back(&*store).await;
    assert!(take_job(&*store, &kafka("t"), "c").await.is_none(), "it is not the old one's to give");
    assert_eq!(now.units(&*another).await, units, "nothing was written");
    assert_eq!(store.jobs(1).await, Ok(vec![now.job.clone()]));
    now.give(&*another).await;
    now.deliver(&*another).await;
}

/// Whoever dies, and wherever: the next one goes on from there, and no unit is lost or doubled.
pub async fn trap_22_a_crash_in_every_phase<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for phase in [JobPhase::Sealed, JobPhase::Made, JobPhase::Given] {
        two_lanes(&*store, 1).await;
        let crashed = begin_for(&*store, &kafka("t"), "a", Duration::ZERO).await;
        let all = crashed.units(&*store).await;
        if phase != JobPhase::Sealed {
            let made = JobChange::Made { remote: format!("{phase:?}") };
            crashed.change(&*store, made).await.unwrap();
        }
        if phase == JobPhase::Given {
            crashed.change(&*store, JobChange::Given).await.unwrap();
        }
        // It had answered for some of them.
        let answered = all[0].unit;
        let result = |unit: &Delivery| match unit.unit == answered {
            true => dispatched(),
            false => UnitResult::InJob(crashed.id()),
        };
        crashed.settle(&*store, result).await;
        fixture.tick().await;

        let job = take_job(&*another, &kafka("t"), "b").await.unwrap();
        assert_eq!((job.id(), job.job.phase, job.job.units), (crashed.id(), phase, 4));
        let remote = (phase != JobPhase::Sealed).then(|| format!("{phase:?}"));
        assert_eq!(job.job.remote, remote);
        assert_eq!(ids_of(&job.units(&*another).await), ids_of(&all[1..]));
        job.deliver(&*another).await;
        assert!(dispatch_all(&*store, &kafka("t")).await.is_empty(), "none is sent again");
        assert!(take_job(&*store, &kafka("t"), "c").await.is_none(), "it has ended");
    }
    let rows = store.outbox_rows(100).await.unwrap();
    assert!(rows.iter().all(|row| row.status == OutboxStatus::Dispatched));
}

/// Who died between two pages of a release or of answers: the rest is there for the next one.
pub async fn what_was_released_stays_released<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    two_lanes(&*store, 1).await;
    let crashed = begin_for(&*store, &kafka("t"), "a", Duration::ZERO).await;
    let page = crashed.page(&*store, None, 2).await;
    crashed.change(&*store, JobChange::Released { behind: page.next }).await.unwrap();
    fixture.tick().await;
    let job = take_job(&*store, &kafka("t"), "b").await.unwrap();
    assert_eq!(job.leases.len(), 2, "also of the lane of which nothing is left in it");
    assert_eq!(job.units(&*store).await, page.units);
    job.deliver(&*store).await;
    assert_eq!(dispatch_all(&*store, &kafka("t")).await.len(), 2);
}

/// Jobs of one destination are beside each other in lanes of their own; the oldest is taken first.
pub async fn the_oldest_first<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut jobs = Vec::new();
    for name in aggregates(3) {
        write_intents(&*store, vec![intent(&kafka("t"), &name, 1)]).await;
        jobs.push(begin(&*store, &kafka("t"), "a").await);
        fixture.tick().await;
    }
    for job in jobs.iter().rev() {
        assert_eq!(job.leases.len(), 1, "the lanes of the others were not to be had");
        job.give_back(&*store).await;
    }
    for job in &jobs {
        let taken = take_job(&*store, &kafka("t"), "b").await.unwrap();
        assert_eq!(taken.id(), job.id());
    }
    assert!(take_job(&*store, &kafka("t"), "b").await.is_none());
}
