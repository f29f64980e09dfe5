//! Nothing is sent while a breaker is open, however much waits: as the org itself sees it.

use std::time::Duration;

use dipmo_domain::Timestamp;
use dipmo_outbox::{Delivery, JobPhase, JobStep};
use dipmo_sink_salesforce::{BreakerOptions, BreakerState, SalesforceSinkOptions, Target};
use futures_util::future::join_all;
use serde_json::json;
use tokio::time::sleep;

use crate::bulk::{MemoryJob, Rig, contact};
use crate::support::{carried, is_delivered, unit};

const OPEN: Duration = Duration::from_millis(800);
const PROBES: u32 = 3;

/// Nobody heeds how long to wait: whatever waits is tried again after this.
const AT_ONCE: Duration = Duration::from_millis(5);

fn touchy(options: &mut SalesforceSinkOptions) {
    options.resilience.object.breaker = BreakerOptions {
        window: 10,
        failure_rate: 0.5,
        minimum_calls: 4,
        minimum_objects: 1,
        open: OPEN,
        probes: PROBES,
    };
}

/// Contacts that are waited for by so many at once, each with some of its own.
fn waiting(api: &str, couriers: usize, each: usize) -> Vec<Vec<Delivery>> {
    let to = format!("HTTP:SFDC:{api}:Contact");
    let one = |courier: usize, number: usize| {
        let key = format!("{api}-{courier}-{number}");
        let id = i64::try_from(courier * each + number).unwrap();
        unit(&to, id, &key, &json!({ "lastName": "Ada", "version": 1 }))
    };
    (0..couriers).map(|courier| (0..each).map(|n| one(courier, n)).collect()).collect()
}

/// How often the breaker of Contact came into a state.
fn came(rig: &Rig, state: BreakerState) -> u64 {
    let gates = rig.world.publisher.metrics().snapshot().gates;
    gates[&Target::object("default", "Contact")].breaker.get(&state).copied().unwrap_or_default()
}

/// Tries to deliver, again and again, until that is enough; answers what is left.
async fn press(
    rig: &Rig,
    waiting: Vec<Vec<Delivery>>,
    enough: impl Fn() -> bool,
) -> Vec<Vec<Delivery>> {
    let enough = &enough;
    let courier = |mut waiting: Vec<Delivery>| async move {
        while !waiting.is_empty() && !enough() {
            let answers = rig.world.publish(&waiting).await;
            let mut answers = answers.iter();
            waiting.retain(|_| !answers.next().is_some_and(is_delivered));
            sleep(AT_ONCE).await;
        }
        waiting
    };
    join_all(waiting.into_iter().map(courier)).await
}

/// The same with a job.
async fn go_on(rig: &Rig, job: &MemoryJob, enough: impl Fn() -> bool) {
    while !enough() && rig.step(job).await != JobStep::Ended {
        sleep(AT_ONCE).await;
    }
}

fn outage(rig: &Rig) {
    rig.world.faults(json!([{ "fault": { "kind": "unavailable" } }]));
}

/// When calls came, in groups with a long silence between them.
fn groups(rig: &Rig) -> Vec<Vec<i64>> {
    let calls = rig.world.salesforce.calls();
    let failed = calls.iter().filter(|call| call.status == 503);
    let times = failed.map(|call| Timestamp::from_rfc3339(&call.at).unwrap().as_micros());
    let mut times: Vec<i64> = times.collect();
    times.sort_unstable();
    let together = |one: &i64, next: &i64| next - one < micros(OPEN) / 2;
    times.chunk_by(together).map(<[i64]>::to_vec).collect()
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap()
}

/// The breaker opened, and twice more after probes: between them was silence, and they were few.
fn check_silence(rig: &Rig) {
    let groups = groups(rig);
    assert_eq!(groups.len(), 3, "{groups:?}");
    for probes in &groups[1..] {
        assert!(probes.len() <= PROBES as usize, "{groups:?}");
    }
    for pair in groups.windows(2) {
        // The last of them had passed just before another one opened the breaker.
        let silence = pair[1][0] - pair[0].last().unwrap();
        assert!(silence >= micros(OPEN) * 9 / 10, "{groups:?}");
    }
}

#[tokio::test]
async fn nothing_comes_while_a_breaker_is_open_but_its_probes() {
    for api in ["Rest", "Collections"] {
        let rig = Rig::with(carried(), touchy).await;
        let login = contact("Login", 1);
        assert!(press(&rig, vec![vec![login]], || false).await.concat().is_empty());
        outage(&rig);
        let enough = || came(&rig, BreakerState::Open) >= 3;
        let left = press(&rig, waiting(api, 8, 20), enough).await;
        assert_eq!(left.concat().len(), 160, "{api}: nothing was taken");
        check_silence(&rig);

        // It recovers by itself, and everything is delivered once.
        rig.world.faults(json!([]));
        assert!(press(&rig, left, || false).await.concat().is_empty());
        assert_eq!(came(&rig, BreakerState::Closed), 1, "{api}");
        let ledger = rig.world.ledger("Contact");
        assert_eq!(ledger.len(), 161, "{api}");
        assert!(ledger.iter().all(|entry| entry.applied == 1), "{api}");
    }
}

#[tokio::test]
async fn a_job_under_way_is_not_asked_about_while_a_breaker_is_open() {
    let rig = Rig::with(carried(), touchy).await;
    let job = MemoryJob::new((0..50).map(|n| contact(&format!("J-{n}"), 1)));
    assert!(matches!(rig.step(&job).await, JobStep::Wait(_)));
    assert_eq!(job.phase(), JobPhase::Given);
    outage(&rig);
    let enough = || came(&rig, BreakerState::Open) >= 3;
    go_on(&rig, &job, enough).await;
    check_silence(&rig);
    assert_eq!((job.phase(), job.len()), (JobPhase::Given, 50), "it waits");

    rig.world.faults(json!([]));
    go_on(&rig, &job, || false).await;
    assert!(job.answers().iter().flatten().filter(|answer| is_delivered(answer)).count() == 50);
    assert!(rig.world.ledger("Contact").iter().all(|entry| entry.applied == 1));
    let calls = rig.calls();
    let told = (calls["bulk.create"], calls["bulk.upload"], calls["bulk.close"]);
    assert_eq!(told, (1, 1, 1), "it was not begun anew");
}

#[tokio::test]
async fn a_job_and_calls_of_an_object_have_one_breaker() {
    let rig = Rig::with(carried(), touchy).await;
    let job = MemoryJob::new((0..50).map(|n| contact(&format!("J-{n}"), 1)));
    assert!(matches!(rig.step(&job).await, JobStep::Wait(_)));
    outage(&rig);
    let enough = || came(&rig, BreakerState::Open) >= 3;
    let calls = press(&rig, waiting("Collections", 4, 20), enough);
    let (left, ()) = tokio::join!(calls, go_on(&rig, &job, enough));
    check_silence(&rig);

    rig.world.faults(json!([]));
    let (left, ()) = tokio::join!(press(&rig, left, || false), go_on(&rig, &job, || false));
    assert!(left.concat().is_empty());
    let ledger = rig.world.ledger("Contact");
    assert_eq!(ledger.len(), 130);
    assert!(ledger.iter().all(|entry| entry.applied == 1));
}
