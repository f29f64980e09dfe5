//! Jobs that `Auto` began, and that their units need not be in.

use dipmo_outbox::{Delivery, JobPhase, JobStep, Published, Publisher as _, Readiness};
use dipmo_salesforce::{BulkState, Client};
use dipmo_sink_salesforce::{ChildMapping, ChildSource, ObjectMapping, Target};
use serde_json::json;

use super::job::Death;
use super::rig::{contact, readiness};
use super::{DESTINATION, MemoryJob, Rig};
use crate::support::{carried, client, is_delivered};

const AUTO: &str = "HTTP:SFDC:Auto:Contact";

fn units(destination: &str) -> impl Iterator<Item = Delivery> {
    let destination = destination.parse().unwrap();
    (0..20).map(move |n| Delivery {
        destination: Clone::clone(&destination),
        ..contact(&format!("C-{n}"), 1)
    })
}

/// Contact with children, which no row of a job can say.
fn with_children() -> ObjectMapping {
    let source = ChildSource::Payload { items: "/blocks".to_owned(), key: "/id".to_owned() };
    carried().child(ChildMapping::new("Block__c", "ExternalId__c", "Contact__c", source))
}

/// The allowance of jobs is used up; that of other calls is not.
async fn pause_jobs(rig: &mut Rig) {
    let failed = json!({ "kind": "job_failed", "after_rows": 0, "message": "ExceededQuota : no" });
    rig.fault(json!({ "object": "Contact" }), failed);
    let job = MemoryJob::new([contact("Other", 1)]);
    rig.finish(&job).await;
    let readiness = |to: &str| rig.world.publisher.readiness(&to.parse().unwrap());
    assert!(matches!(readiness(DESTINATION), Readiness::Later { .. }));
    assert_eq!(readiness(AUTO), Readiness::Ready);
}

/// A job whose maker died with the upload done, and before it was given.
async fn left_behind(rig: &mut Rig, destination: &str) -> MemoryJob {
    let job = MemoryJob::new(units(destination)).dies(Death::Before(2));
    tokio::select! {
        step = rig.step(&job) => panic!("{step:?}: it dies before given"),
        () = job.death() => {}
    }
    assert_eq!((job.phase(), job.len()), (JobPhase::Made, 20));
    job
}

#[tokio::test]
async fn a_job_that_may_not_begin_holds_nothing_that_calls_could_send() {
    let mut rig = Rig::new(carried()).await;
    let made = left_behind(&mut rig, AUTO).await;
    rig.restart();
    pause_jobs(&mut rig).await;
    let sealed = MemoryJob::new(units(AUTO));
    let before = rig.calls();
    for job in [&made, &sealed] {
        assert_eq!(rig.step(job).await, JobStep::Ended);
        assert_eq!(job.answers(), vec![None; 20], "released, and no attempt counted");
    }
    let mut now = rig.calls();
    *now.get_mut("bulk.close").unwrap() -= 1;
    assert_eq!(now, before, "the one that was made is aborted, and nothing else was asked");
    assert!(rig.world.publish(&sealed.rest()).await.iter().all(is_delivered));
    // Who wants jobs only waits for them.
    let fixed = MemoryJob::new(units(DESTINATION));
    assert!(matches!(rig.step(&fixed).await, JobStep::Wait(_)));
    assert_eq!((fixed.phase(), fixed.len()), (JobPhase::Sealed, 20));
}

/// How jobs stand at Salesforce.
async fn states(rig: &Rig, jobs: &[String]) -> Vec<BulkState> {
    let client = Client::new(client(&rig.world.salesforce)).unwrap();
    let mut states = Vec::new();
    for job in jobs {
        states.push(client.bulk().info(job).await.unwrap().state);
    }
    states
}

#[tokio::test]
async fn an_open_job_that_nobody_needs_is_aborted_when_there_is_a_chance() {
    let mut rig = Rig::new(carried()).await;
    let made = left_behind(&mut rig, AUTO).await;
    let left = [made.remote().unwrap()];
    rig.restart();
    pause_jobs(&mut rig).await;
    rig.fault(json!({ "api": "bulk.close" }), json!({ "kind": "unavailable" }));
    assert_eq!(rig.step(&made).await, JobStep::Ended, "it is not waited for");
    assert_eq!(states(&rig, &left).await, [BulkState::Open]);
    // Whatever else is done about jobs is a chance.
    rig.step(&MemoryJob::new(units(AUTO))).await;
    assert_eq!(states(&rig, &left).await, [BulkState::Aborted]);
    let closes = rig.calls()["bulk.close"];
    rig.step(&MemoryJob::new(units(AUTO))).await;
    assert_eq!(rig.calls()["bulk.close"], closes, "once");
}

#[tokio::test]
async fn an_abort_that_fails_is_tried_a_few_times_only() {
    let mut rig = Rig::new(carried()).await;
    let made = left_behind(&mut rig, AUTO).await;
    rig.restart();
    pause_jobs(&mut rig).await;
    let before = rig.calls()["bulk.close"];
    let refuse = json!({ "kind": "server_error" });
    rig.world.faults(json!([{ "when": { "api": "bulk.close" }, "fault": refuse }]));
    assert_eq!(rig.step(&made).await, JobStep::Ended);
    for _ in 0..20 {
        rig.step(&MemoryJob::new(units(AUTO))).await;
    }
    assert_eq!(rig.calls()["bulk.close"] - before, 5);
}

#[tokio::test]
async fn a_job_stays_where_calls_could_send_nothing_either() {
    let mut rig = Rig::new(carried()).await;
    let handle = rig.world.publisher.resilience();
    handle.open_breaker(&Target::org("default")).unwrap();
    let job = MemoryJob::new(units(AUTO));
    assert!(matches!(rig.step(&job).await, JobStep::Wait(_)));
    assert_eq!((job.phase(), job.len()), (JobPhase::Sealed, 20));
    handle.close_breaker(&Target::org("default")).unwrap();
    rig.finish(&job).await;
    assert!(job.answers().iter().flatten().all(is_delivered));
}

#[tokio::test]
async fn a_job_of_before_the_mapping_got_children_is_given_up() {
    let mut rig = Rig::new(carried()).await;
    let made = left_behind(&mut rig, AUTO).await;
    rig.deploy(with_children());
    let sealed = MemoryJob::new(units(AUTO));
    for job in [&made, &sealed] {
        rig.finish(job).await;
        assert_eq!(job.answers(), vec![None; 20]);
    }
    let calls = rig.calls();
    let told = (calls["bulk.create"], calls["bulk.upload"], calls["bulk.close"]);
    assert_eq!(told, (1, 1, 1), "the one that was made was aborted");
    assert!(rig.world.ledger("Contact").is_empty(), "nothing goes out without its children");
}

#[tokio::test]
async fn a_job_that_was_given_before_the_mapping_got_children_is_read_to_its_end() {
    for destination in [AUTO, DESTINATION] {
        let mut rig = Rig::new(carried()).await;
        let job = MemoryJob::new(units(destination));
        assert!(matches!(rig.step(&job).await, JobStep::Wait(_)));
        assert_eq!(job.phase(), JobPhase::Given);
        rig.deploy(with_children());
        rig.finish(&job).await;
        let delivered = |answer: &Option<Published>| answer.as_ref().is_some_and(is_delivered);
        assert!(job.answers().iter().all(delivered));
    }
}

#[tokio::test]
async fn a_destination_of_jobs_whose_mapping_got_children_lets_jobs_go_and_then_stops() {
    let mut rig = Rig::new(carried()).await;
    let made = left_behind(&mut rig, DESTINATION).await;
    let left = [made.remote().unwrap()];
    rig.deploy(with_children());
    let to = DESTINATION.parse().unwrap();
    assert_eq!(readiness(&rig), Readiness::Ready, "jobs of before are gone on with");
    let plan = rig.world.publisher.job_plan(&to).unwrap();
    assert_eq!(plan.least, u32::MAX, "and none is begun");
    let sealed = MemoryJob::new(units(DESTINATION));
    for job in [&made, &sealed] {
        rig.finish(job).await;
        assert_eq!(job.answers(), vec![None; 20]);
    }
    assert_eq!(states(&rig, &left).await, [BulkState::Aborted]);
    let answers = rig.world.publish(&sealed.rest()).await;
    assert_eq!(answers, vec![Published::NotTried; 20]);
    let Readiness::Stopped { why } = readiness(&rig) else { panic!("{:?}", readiness(&rig)) };
    assert_eq!(why.code(), "salesforce-children-unsupported");
    assert!(rig.world.ledger("Contact").is_empty(), "nothing goes out without its children");
}
