//! The phases of a job: each change from where it may come, and nothing changed where it may not.

use dipmo_domain::StoreError;
use dipmo_outbox::{Delivery, Job, JobId, JobPhase, UnitResult};
use dipmo_store::{JobChange, Store};

use super::jobs::is_fenced;
use crate::Fixture;
use crate::support::{JobHand, aggregates, begin, dispatched, intent, kafka, write_intents};

async fn a_job(store: &dyn Store) -> JobHand {
    let intents = aggregates(2).iter().map(|name| intent(&kafka("t"), name, 1)).collect();
    write_intents(store, intents).await;
    begin(store, &kafka("t"), "o").await
}

fn made() -> JobChange {
    JobChange::Made { remote: "750xx0000000001".to_owned() }
}

async fn shown(store: &dyn Store, job: JobId) -> Job {
    store.jobs(100).await.unwrap().into_iter().find(|shown| shown.id == job).unwrap()
}

async fn bring_to(store: &dyn Store, job: &JobHand, phase: JobPhase) {
    let steps = match phase {
        JobPhase::Sealed => vec![],
        JobPhase::Made => vec![made()],
        JobPhase::Given => vec![made(), JobChange::Given],
        JobPhase::Ended => vec![JobChange::Released { behind: None }, JobChange::Ended],
    };
    for step in steps {
        job.change(store, step).await.unwrap();
    }
    assert_eq!(shown(store, job.id()).await.phase, phase);
}

/// Made comes before Given, afresh is only what was made, and the end is the end.
pub async fn each_change_has_its_phase<F: Fixture>() {
    use JobPhase::{Ended, Given, Made, Sealed};
    let released = JobChange::Released { behind: None };
    for (from, allowed) in [
        (Sealed, [Some(Made), None, None, Some(Sealed)]),
        (Made, [None, Some(Sealed), Some(Given), Some(Made)]),
        (Given, [None, None, None, Some(Given)]),
        (Ended, [None, None, None, None]),
    ] {
        let changes = [made(), JobChange::Afresh, JobChange::Given, released.clone()];
        for (change, to) in changes.into_iter().zip(allowed) {
            let fixture = F::fresh().await;
            let store = fixture.store();
            let job = a_job(&*store).await;
            bring_to(&*store, &job, from).await;
            let before = shown(&*store, job.id()).await;
            let result = job.change(&*store, change.clone()).await;
            match to {
                Some(phase) => {
                    assert_eq!(result.clone().unwrap().phase, phase, "{from:?}: {change:?}");
                    assert_eq!(Ok(shown(&*store, job.id()).await), result, "as it was answered");
                }
                None => {
                    is_fenced(&result);
                    assert_eq!(shown(&*store, job.id()).await, before, "{from:?}: {change:?}");
                }
            }
        }
    }
}

/// The id at the destination is kept as long as the thing there counts, and then forgotten.
pub async fn the_remote_id_is_kept_and_forgotten<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let job = a_job(&*store).await;
    let remote = Some("750xx0000000001".to_owned());
    assert_eq!(job.change(&*store, made()).await.unwrap().remote, remote);
    assert_eq!(job.change(&*store, JobChange::Afresh).await.unwrap().remote, None);
    let other = JobChange::Made { remote: "750xx0000000002".to_owned() };
    let remote = Some("750xx0000000002".to_owned());
    assert_eq!(job.change(&*store, other).await.unwrap().remote, remote);
    assert_eq!(job.change(&*store, JobChange::Given).await.unwrap().remote, remote);
    job.deliver(&*store).await;
    assert_eq!(shown(&*store, job.id()).await.remote, remote, "for people");
}

/// PHASE_AT says since when it is in its phase; releasing units changes no phase.
pub async fn a_phase_has_its_time<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let job = a_job(&*store).await;
    let mut last = job.job.phase_at;
    let released = JobChange::Released { behind: None };
    for (change, changes) in [
        (made(), true),
        (JobChange::Afresh, true),
        (made(), true),
        (released, false),
        (JobChange::Given, true),
        (JobChange::Ended, true),
    ] {
        fixture.tick().await;
        let now = job.change(&*store, change.clone()).await.unwrap();
        assert_eq!((now.created_at, now.units), (job.job.created_at, 2));
        assert_eq!(now.phase_at > last, changes, "{change:?}");
        last = now.phase_at;
    }
}

/// A job does not end while a unit is left in it, in a chunk or with a row of its own.
pub async fn no_unit_is_left_behind<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let two = (1..=2).map(|number| intent(&kafka("t"), "F-1", number)).collect();
    let ids = write_intents(&*store, two).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    let refused = || async {
        let before = shown(&*store, job.id()).await;
        let error = job.change(&*store, JobChange::Ended).await.unwrap_err();
        assert!(matches!(error, StoreError::RowRefused { .. }), "{error:?}");
        assert_eq!(shown(&*store, job.id()).await, before);
        assert_eq!(store.due_destinations().await, Ok(vec![]), "it holds its lanes");
    };
    refused().await;
    let stays = UnitResult::InJob(job.id());
    let first = |unit: &Delivery| if unit.unit == ids[0] { dispatched() } else { stays.clone() };
    job.settle(&*store, first).await;
    refused().await;
    job.settle(&*store, |_| dispatched()).await;
    let ended = job.change(&*store, JobChange::Ended).await.unwrap();
    assert_eq!(ended.phase, JobPhase::Ended);
}

/// Whoever has not all the lanes of a job, or means another job, changes nothing.
pub async fn a_job_is_changed_under_all_its_leases<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let job = a_job(&*store).await;
    for leases in [&job.leases[..1], &job.leases[1..], &[]] {
        is_fenced(&store.change_job(job.id(), leases, made()).await);
    }
    let mut forged = job.leases.clone();
    forged[0].epoch.0 += 1;
    is_fenced(&store.change_job(job.id(), &forged, made()).await);
    is_fenced(&store.change_job(JobId(job.id().0 + 1), &job.leases, made()).await);
    assert_eq!(shown(&*store, job.id()).await, job.job);
}

/// Unfinished jobs come first, then the newest of those that ended.
pub async fn jobs_are_listed<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ended = Vec::new();
    for _ in 0..3 {
        let job = a_job(&*store).await;
        job.deliver(&*store).await;
        ended.insert(0, job.id());
    }
    let open = a_job(&*store).await;
    let listed = |jobs: Vec<Job>| jobs.iter().map(|job| job.id).collect::<Vec<_>>();
    assert_eq!(listed(store.jobs(100).await.unwrap()), [vec![open.id()], ended.clone()].concat());
    assert_eq!(listed(store.jobs(2).await.unwrap()), [open.id(), ended[0]]);
    open.deliver(&*store).await;
    ended.insert(0, open.id());
    assert_eq!(listed(store.jobs(2).await.unwrap()), ended[..2]);
}
