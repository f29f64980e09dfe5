//! Calls that fail, whether they were applied or not; and a gate that is shut.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_outbox::{JobPhase, JobStep, Published, Publisher as _, Readiness};
use dipmo_sink_salesforce::Target;
use serde_json::{Value as Json, json};

use super::rig::{announcement, contact, readiness};
use super::{MemoryJob, Rig};
use crate::support::{carried, contacts, is_delivered, member};

fn job() -> MemoryJob {
    MemoryJob::new((0..20).map(|n| contact(&format!("C-{n}"), 1)))
}

/// A job of which one call of a family meets a fault.
async fn with_fault(api: &str, fault: Json) -> (Rig, MemoryJob) {
    let mut rig = Rig::with(carried(), |options| {
        // A call that is not answered is given up soon.
        options.orgs[0].client.call_timeout = Duration::from_millis(150);
        options.orgs[0].client.transfer_timeout = Duration::from_millis(150);
    })
    .await;
    rig.fault(json!({ "api": api }), fault);
    let job = job();
    rig.finish(&job).await;
    (rig, job)
}

/// Every unit was delivered, and every record was applied once.
fn check(rig: &Rig, job: &MemoryJob, about: &str) {
    let answers = job.answers();
    assert!(answers.iter().flatten().filter(|it| is_delivered(it)).count() == 20, "{about}");
    let ledger = rig.world.ledger("Contact");
    assert_eq!(ledger.len(), 20, "{about}");
    assert!(ledger.iter().all(|entry| entry.applied == 1), "{about}");
}

#[tokio::test]
async fn trap_22_calls_that_were_applied_without_an_answer_are_asked_about() {
    for (api, creates, uploads, closes) in [
        // The job without an answer is left behind, open and empty.
        ("bulk.create", 2, 1, 1),
        // Nobody knows what was uploaded: that job is aborted, and another one is made. The abort is a
        // change of state, as closing is.
        ("bulk.upload", 2, 2, 2),
        // It was closed, and that is what a question tells.
        ("bulk.close", 1, 1, 1),
    ] {
        for kind in ["timeout_after", "drop"] {
            let fault = match kind {
                "drop" => json!({ "kind": "drop", "after_bytes": 0 }),
                kind => json!({ "kind": kind, "hold": "1s" }),
            };
            let (rig, job) = with_fault(api, fault).await;
            check(&rig, &job, &format!("{api} {kind}"));
            let calls = rig.calls();
            let told = (calls["bulk.create"], calls["bulk.upload"], calls["bulk.close"]);
            assert_eq!(told, (creates, uploads, closes), "{api} {kind}");
        }
    }
}

#[tokio::test]
async fn calls_that_fail_are_repeated_without_harm() {
    for api in ["bulk.create", "bulk.upload", "bulk.close", "bulk.poll", "bulk.results"] {
        for fault in [
            json!({ "kind": "timeout_before", "hold": "1s" }),
            json!({ "kind": "drop_request", "after_bytes": 10 }),
            json!({ "kind": "server_error" }),
            json!({ "kind": "bad_gateway" }),
            json!({ "kind": "too_many_requests" }),
            json!({ "kind": "forbidden_concurrent" }),
        ] {
            let (rig, job) = with_fault(api, fault.clone()).await;
            check(&rig, &job, &format!("{api} {fault}"));
        }
    }
}

#[tokio::test]
async fn a_session_that_ends_in_the_middle_is_renewed() {
    for api in ["bulk.create", "bulk.upload", "bulk.close", "bulk.poll", "bulk.results"] {
        for kind in ["session_expired", "revoke_token"] {
            let (rig, job) = with_fault(api, json!({ "kind": kind })).await;
            check(&rig, &job, &format!("{api} {kind}"));
            assert_eq!(rig.calls()["oauth"], 2, "{api} {kind}");
        }
    }
}

#[tokio::test]
async fn a_quota_that_is_used_up_before_the_job_is_made_gives_the_units_back() {
    let (rig, job) = with_fault("bulk.create", json!({ "kind": "forbidden_total" })).await;
    assert_eq!(job.answers(), vec![None; 20]);
    assert_eq!(rig.calls(), BTreeMap::from([("bulk.create", 1), ("oauth", 1)]));
}

#[tokio::test]
async fn an_upload_that_is_refused_for_good_stops_the_destination() {
    let fault = json!({ "kind": "refuse", "status": 413, "code": "BULK_API_ERROR", "message": "too large" });
    let (rig, job) = with_fault("bulk.upload", fault).await;
    assert_eq!(job.answers(), vec![None; 20]);
    let Readiness::Stopped { why } = readiness(&rig) else { panic!("{:?}", readiness(&rig)) };
    assert_eq!(why.code(), "BULK_API_ERROR");
    assert_eq!(rig.calls()["bulk.close"], 1, "it was aborted");
    assert!(rig.world.ledger("Contact").is_empty());
}

#[tokio::test]
async fn an_upload_to_a_job_that_somebody_ended_is_begun_afresh() {
    let fault =
        json!({ "kind": "refuse", "status": 400, "code": "INVALIDJOBSTATE", "message": "Aborted" });
    let (rig, job) = with_fault("bulk.upload", fault).await;
    check(&rig, &job, "afresh");
    assert_eq!(readiness(&rig), Readiness::Ready);
}

#[tokio::test]
async fn what_is_refused_for_good_after_the_upload_calls_a_person_and_keeps_the_job() {
    let refusal =
        json!({ "kind": "refuse", "status": 400, "code": "MALFORMED_ID", "message": "no" });
    for api in ["bulk.close", "bulk.poll", "bulk.results"] {
        let mut rig = Rig::new(carried()).await;
        rig.fault(json!({ "api": api }), refusal.clone());
        let job = job();
        while readiness(&rig) == Readiness::Ready {
            assert!(matches!(rig.step(&job).await, JobStep::Wait(_)), "{api}");
        }
        let Readiness::Stopped { why } = readiness(&rig) else { panic!("{:?}", readiness(&rig)) };
        assert_eq!(why.code(), "MALFORMED_ID");
        assert_eq!((job.phase(), job.len()), (JobPhase::Given, 20), "{api}");
        let object = Target::object("default", "Contact");
        assert!(rig.world.publisher.resilience().start(&object).unwrap());
        rig.finish(&job).await;
        check(&rig, &job, api);
    }
}

#[tokio::test]
async fn a_table_that_cannot_be_read_fails_the_step_and_one_that_does_not_fit_stops_all() {
    let mut rig = Rig::new(contacts()).await;
    rig.world.tables.put("MEMBERS", member("M-1", 1, "Ada"));
    let job = MemoryJob::new([announcement("M-1", 1)]);
    let away = StoreError::Unreachable { place: "there".to_owned(), problem: "gone".to_owned() };
    rig.world.tables.break_with(away.clone());
    assert_eq!(rig.world.publisher.run_job(&job).await.unwrap_err(), away);
    assert_eq!(readiness(&rig), Readiness::Ready);

    let (table, problem) = ("MEMBERS".to_owned(), "no column VERSION".to_owned());
    rig.world.tables.break_with(StoreError::TableMismatch { table, problem });
    rig.finish(&job).await;
    assert_eq!(job.answers(), [None]);
    let Readiness::Stopped { why } = readiness(&rig) else { panic!("{:?}", readiness(&rig)) };
    assert_eq!(why.code(), "hydration-failed");
    assert!(why.message().contains("no column VERSION"), "{}", why.message());
    assert_eq!(rig.calls().get("bulk.upload"), None);
}

#[tokio::test]
async fn nothing_is_sent_while_the_gate_is_shut() {
    let mut rig = Rig::new(carried()).await;
    let handle = rig.world.publisher.resilience();
    let target = Target::org("default");
    let job = job();
    for phase in [JobPhase::Sealed, JobPhase::Given] {
        handle.open_breaker(&target).unwrap();
        let calls = rig.world.salesforce.calls().len();
        for _ in 0..3 {
            assert!(matches!(rig.step(&job).await, JobStep::Wait(_)));
        }
        assert_eq!(rig.world.salesforce.calls().len(), calls);
        assert_eq!((job.phase(), job.len()), (phase, 20));
        handle.close_breaker(&target).unwrap();
        if phase == JobPhase::Sealed {
            assert!(matches!(rig.step(&job).await, JobStep::Wait(_)));
        }
    }
    rig.finish(&job).await;
    check(&rig, &job, "after all");
    assert!(job.answers().iter().all(|answer| *answer != Some(Published::NotTried)));
}
