//! Jobs when engines die, stop, or lose their leases: whoever is next goes on where the job stands.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dipmo_domain::OutboxStatus;
use dipmo_outbox::{JobPhase, JobPlan};
use dipmo_processing::DispatchOptions;
use dipmo_store::Jobs as _;
use tokio::time::Instant;

use crate::bulk::{Bulk, Holdup, State, TO};
use crate::jobs::{run, run_with, store};
use crate::rig::Rig;

/// Longer than leases last.
const LONG: Duration = Duration::from_secs(40);

/// A publisher that stands still for ever at the place with this number.
fn stopping_at(place: usize) -> (Arc<Bulk>, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let hook = move |_: &str| match counted.fetch_add(1, Ordering::Relaxed) {
        now if now == place => Holdup::ForEver,
        _ => Holdup::Nothing,
    };
    (Arc::new(Bulk { hook: Box::new(hook), waits: 1.into(), ..Bulk::new() }), count)
}

/// Waits until no job is left: also one without units must end.
async fn until_ended(rig: &Rig) {
    let ended = async {
        while rig.store.jobs(9).await.unwrap().iter().any(|job| job.phase != JobPhase::Ended) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(600), ended).await.expect("a job never ends");
    rig.until_quiet().await;
}

#[tokio::test(start_paused = true)]
async fn trap_22_a_crash_between_any_two_steps_loses_nothing_and_repeats_nothing() {
    let mut place = 0;
    loop {
        let rig = Rig::new().await;
        store(&rig, 5).await;
        let (bulk, count) = stopping_at(place);
        let running = run(&rig, &bulk);
        while count.load(Ordering::Relaxed) <= place
            && rig.outbox().await.iter().any(|row| row.status == OutboxStatus::Pending)
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let has_ended = count.load(Ordering::Relaxed) <= place;
        running.crash().await;
        // What takes over finds the job where it stands.
        let next = Arc::new(Bulk::beside(&bulk));
        let running = run(&rig, &next);
        until_ended(&rig).await;
        running.stop().await;
        assert_eq!(bulk.applied(), [1, 2, 3, 4, 5], "place {place}");
        assert_eq!(bulk.count(State::Deleted), 1, "place {place}");
        assert!(rig.outbox().await.iter().all(|row| row.status == OutboxStatus::Dispatched));
        if has_ended {
            break;
        }
        place += 1;
    }
    assert!(place > 15, "there are more steps than {place}");
}

#[tokio::test(start_paused = true)]
async fn a_crash_of_who_took_over_changes_nothing() {
    for second in 0..8 {
        let rig = Rig::new().await;
        store(&rig, 3).await;
        let first = Arc::new(Bulk { hook: Box::new(|at| stop_at(at, "uploaded")), ..Bulk::new() });
        let running = run(&rig, &first);
        first.reaches("uploaded").await;
        running.crash().await;
        let (mut next, _) = stopping_at(second);
        Arc::get_mut(&mut next).unwrap().service = Arc::clone(&first.service);
        let running = run(&rig, &next);
        tokio::time::sleep(LONG).await;
        running.crash().await;
        let last = Arc::new(Bulk::beside(&first));
        let running = run(&rig, &last);
        rig.until_quiet().await;
        running.stop().await;
        assert_eq!(first.applied(), [1, 2, 3], "place {second}");
    }
}

fn stop_at(at: &str, place: &str) -> Holdup {
    if at == place { Holdup::ForEver } else { Holdup::Nothing }
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_stops_while_a_job_waits_gives_it_to_the_next_at_once() {
    let rig = Rig::new().await;
    store(&rig, 3).await;
    let bulk = Arc::new(Bulk { waits: 1_000.into(), ..Bulk::new() });
    let running = run(&rig, &bulk);
    bulk.reaches("closed").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (began, metrics) = (Instant::now(), Arc::clone(&running.metrics));
    running.stop().await;
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    assert!(metrics.snapshot().outbox[TO].jobs.in_hand.is_empty());
    assert_eq!(rig.store.jobs(9).await.unwrap()[0].phase, JobPhase::Given);
    let next = Arc::new(Bulk::beside(&bulk));
    let running = run(&rig, &next);
    rig.until_quiet().await;
    let figures = running.metrics.snapshot().outbox[TO].clone();
    running.stop().await;
    assert!(began.elapsed() < Duration::from_secs(5), "no lease had to run out");
    let jobs = figures.jobs;
    assert_eq!((jobs.begun, jobs.taken_over, jobs.ended), (0, 1, 1));
    assert_eq!(bulk.applied(), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_stops_in_the_middle_of_a_run_does_not_wait_for_its_deadline() {
    let rig = Rig::new().await;
    store(&rig, 3).await;
    let bulk = Arc::new(Bulk { hook: Box::new(|at| stop_at(at, "uploaded")), ..Bulk::new() });
    let running = run(&rig, &bulk);
    bulk.reaches("uploaded").await;
    let began = Instant::now();
    running.stop().await;
    let DispatchOptions { deadline, ending, .. } = DispatchOptions::default();
    assert!(began.elapsed() >= ending && began.elapsed() < deadline, "{:?}", began.elapsed());
    // A call that was dropped may be under way: nobody goes on before the lease has run out.
    let (left, next) = (Instant::now(), Arc::new(Bulk::beside(&bulk)));
    let running = run(&rig, &next);
    next.reaches("created").await;
    assert!(left.elapsed() > deadline, "{:?}", left.elapsed());
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(bulk.applied(), [1, 2, 3]);
    assert_eq!(bulk.count(State::Aborted), 1, "its upload was given up");
}

#[tokio::test(start_paused = true)]
async fn an_upload_may_take_longer_than_any_lease() {
    let rig = Rig::new().await;
    store(&rig, 3).await;
    let hook = |at: &str| match at {
        "made" => Holdup::For(Duration::from_secs(3_600)),
        _ => Holdup::Nothing,
    };
    let bulk = Arc::new(Bulk { hook: Box::new(hook), ..Bulk::new() });
    let running = run(&rig, &bulk);
    bulk.reaches("made").await;
    let next = Arc::new(Bulk::beside(&bulk));
    let other = run(&rig, &next);
    rig.until_quiet().await;
    let figures = other.metrics.snapshot();
    running.stop().await;
    other.stop().await;
    assert!(!figures.outbox.contains_key(TO), "the other had nothing to do: {figures:?}");
    assert_eq!(bulk.service.lock().unwrap().jobs.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn trap_20_who_has_lost_the_leases_stops_at_once_and_settles_nothing() {
    let rig = Rig::new().await;
    store(&rig, 3).await;
    let hook = |at: &str| match at {
        "read a page" => Holdup::For(Duration::from_secs(3_600)),
        _ => Holdup::Nothing,
    };
    let first = Arc::new(Bulk { hook: Box::new(hook), ..Bulk::new() });
    let running = run(&rig, &first);
    first.reaches("read a page").await;
    // The database thinks that the leases have run out.
    rig.ahead.store(7_200, Ordering::Relaxed);
    let next = Arc::new(Bulk::beside(&first));
    let other = run(&rig, &next);
    rig.until_quiet().await;
    tokio::time::sleep(LONG).await;
    let figures = running.metrics.snapshot().outbox[TO].clone();
    assert_eq!((figures.fenced, figures.dispatched), (1, 0));
    assert!(figures.jobs.in_hand.is_empty(), "it was dropped: {figures:?}");
    running.stop().await;
    other.stop().await;
    assert_eq!(first.applied(), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn two_engines_share_jobs_and_each_unit_goes_out_once() {
    let rig = Rig::new().await;
    store(&rig, 40).await;
    let plan = JobPlan { most: 5, lanes: 8, ..Bulk::new().plan };
    let first = Arc::new(Bulk { plan, waits: 5.into(), ..Bulk::new() });
    let second = Arc::new(Bulk { plan, ..Bulk::beside(&first) });
    let options = || DispatchOptions { couriers: 2, ..DispatchOptions::default() };
    let running = [run_with(&rig, &first, options()), run_with(&rig, &second, options())];
    rig.until_quiet().await;
    let begun = running.each_ref().map(|it| it.metrics.snapshot().outbox[TO].jobs.begun);
    for running in running {
        running.stop().await;
    }
    assert!(begun.iter().all(|begun| *begun > 0), "{begun:?}");
    assert_eq!(first.applied(), (1..=40).collect::<Vec<_>>());
}
