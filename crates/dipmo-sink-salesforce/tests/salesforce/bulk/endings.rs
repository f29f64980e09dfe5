//! Jobs that Salesforce ends before their time.

use std::time::Duration;

use dipmo_outbox::{JobPhase, JobStep, Published, Readiness};
use serde_json::{Value as Json, json};

use super::rig::{contact, readiness};
use super::{DESTINATION, MemoryJob, Rig};
use crate::support::{carried, is_delivered, retried};

fn job(count: i64) -> MemoryJob {
    MemoryJob::new((0..count).map(|n| contact(&format!("C-{n}"), 1)))
}

fn count(job: &MemoryJob, of: fn(&Option<Published>) -> bool) -> usize {
    job.answers().iter().filter(|answer| of(answer)).count()
}

fn delivered(answer: &Option<Published>) -> bool {
    answer.as_ref().is_some_and(is_delivered)
}

/// A job whose end at Salesforce a rule decides.
async fn ended_by(fault: Json, units: i64) -> (Rig, MemoryJob) {
    let mut rig = Rig::new(carried()).await;
    rig.fault(json!({ "object": "Contact" }), fault);
    let job = job(units);
    rig.finish(&job).await;
    (rig, job)
}

#[tokio::test]
async fn an_unknown_column_stops_the_destination_and_touches_no_unit() {
    let mut rig = Rig::new(carried().pointer("Nickname__c", "/nick")).await;
    let job = job(500);
    rig.finish(&job).await;
    assert_eq!(job.answers(), vec![None; 500], "released, and no attempt counted");
    let Readiness::Stopped { why } = readiness(&rig) else { panic!("{:?}", readiness(&rig)) };
    assert_eq!(why.code(), "InvalidBatch");
    assert!(why.message().contains(DESTINATION), "{}", why.message());
    assert!(why.message().contains("Nickname__c"), "{}", why.message());
    // The next job finds the destination stopped: nothing is sent.
    let calls = rig.world.salesforce.calls().len();
    let next = MemoryJob::new(job.rest());
    assert!(matches!(rig.step(&next).await, JobStep::Wait(_)));
    assert_eq!(rig.world.salesforce.calls().len(), calls);
    assert_eq!((next.len(), next.phase()), (500, JobPhase::Sealed));
}

#[tokio::test]
async fn an_unknown_object_or_external_id_stops_the_destination_before_anything_is_made() {
    let mut mapping = carried();
    mapping.external_id = "Title".to_owned();
    let mut rig = Rig::new(mapping).await;
    let job = job(3);
    rig.finish(&job).await;
    assert_eq!(job.answers(), [None, None, None]);
    assert_eq!(job.calls(), ["release"]);
    let Readiness::Stopped { why } = readiness(&rig) else { panic!("{:?}", readiness(&rig)) };
    assert!(why.message().contains(DESTINATION), "{}", why.message());
    assert!(why.message().contains("Title"), "{}", why.message());
}

#[tokio::test]
async fn an_admin_who_aborts_a_job_loses_nothing() {
    let (mut rig, job) = ended_by(json!({ "kind": "job_aborted", "after_rows": 600 }), 1_000).await;
    assert_eq!(count(&job, delivered), 600);
    assert_eq!(count(&job, |answer| *answer == Some(Published::NotTried)), 400);
    assert_eq!(readiness(&rig), Readiness::Ready);
    rig.finish_all(&MemoryJob::new(job.rest())).await;
    let ledger = rig.world.ledger("Contact");
    assert_eq!(ledger.len(), 1_000);
    assert!(ledger.iter().all(|entry| entry.applied == 1), "nothing that was done is repeated");
}

#[tokio::test]
async fn a_job_that_gives_up_on_locks_or_by_time_keeps_what_it_did() {
    for (message, code) in [
        ("TooManyLockFailure : (200) Too many lock failures", Some("TooManyLockFailure")),
        ("InternalServerError : oops", Some("InternalServerError")),
        ("Timeout : it took too long", None),
    ] {
        let fault = json!({ "kind": "job_failed", "after_rows": 200, "message": message });
        let (mut rig, job) = ended_by(fault, 500).await;
        assert_eq!(count(&job, delivered), 200, "{message}");
        for answer in job.answers().iter().flatten().filter(|answer| !is_delivered(answer)) {
            match code {
                Some(code) => assert_eq!(retried(answer).0, code),
                None => assert_eq!(*answer, Published::NotTried),
            }
        }
        assert_eq!(readiness(&rig), Readiness::Ready, "{message}");
        rig.finish_all(&MemoryJob::new(job.rest())).await;
        assert!(rig.world.ledger("Contact").iter().all(|entry| entry.applied == 1), "{message}");
    }
}

#[tokio::test]
async fn a_quota_that_is_used_up_pauses_and_counts_no_attempt() {
    let fault =
        json!({ "kind": "job_failed", "after_rows": 200, "message": "ExceededQuota : no more" });
    let (rig, job) = ended_by(fault, 500).await;
    assert_eq!(count(&job, delivered), 200);
    assert_eq!(count(&job, Option::is_none), 300);
    let Readiness::Later { why, .. } = readiness(&rig) else { panic!("{:?}", readiness(&rig)) };
    assert_eq!(why.code(), "ExceededQuota");
}

#[tokio::test]
async fn a_job_that_takes_long_is_waited_for_and_never_given_up() {
    let mut rig = Rig::new(carried()).await;
    rig.fault(json!({ "object": "Contact" }), json!({ "kind": "job_stuck", "hold": "400ms" }));
    let job = job(10);
    rig.finish(&job).await;
    assert_eq!(count(&job, delivered), 10);
    let calls = rig.calls();
    assert!(calls["bulk.poll"] > 10, "{calls:?}");
    assert_eq!((calls["bulk.create"], calls["bulk.upload"]), (1, 1));
}

#[tokio::test]
async fn waits_grow_while_a_job_takes_long() {
    let rig = Rig::with(carried(), |options| {
        options.bulk.first_poll = Duration::from_secs(1);
        options.bulk.longest_poll = Duration::from_secs(30);
    });
    let rig = rig.await;
    rig.fault(json!({ "object": "Contact" }), json!({ "kind": "job_stuck", "hold": "1h" }));
    let job = job(10);
    let mut waits = Vec::new();
    for _ in 0..15 {
        let JobStep::Wait(wait) = rig.step(&job).await else { panic!("it has not ended") };
        waits.push(wait);
    }
    assert!(waits[0] <= Duration::from_secs(1), "{waits:?}");
    assert!(waits[14] > Duration::from_secs(20) && waits[14] <= Duration::from_secs(30));
    assert_eq!((job.phase(), job.len()), (JobPhase::Given, 10));
}

#[tokio::test]
async fn a_job_that_salesforce_forgot_is_sent_again_and_counts_as_an_attempt() {
    let (mut rig, job) = ended_by(json!({ "kind": "job_vanished", "after_rows": 200 }), 500).await;
    for answer in job.answers() {
        let answer = answer.unwrap();
        let (code, after) = retried(&answer);
        assert_eq!(code, "salesforce-job-vanished");
        assert!(after.is_some_and(|after| after >= crate::support::CALL_TIME), "{after:?}");
    }
    rig.finish_all(&MemoryJob::new(job.rest())).await;
    assert_eq!(rig.world.ledger("Contact").len(), 500);
}

#[tokio::test]
async fn a_job_that_is_aborted_before_its_upload_is_begun_afresh() {
    let mut rig = Rig::new(carried()).await;
    let job = job(3).dies(super::job::Death::After(0));
    tokio::select! {
        _ = rig.step(&job) => panic!("it dies when the id is stored"),
        () = job.death() => {}
    }
    assert_eq!(job.phase(), JobPhase::Made);
    rig.finish(&job).await;
    assert_eq!(count(&job, delivered), 3);
    assert_eq!(rig.calls()["bulk.create"], 2);
}
