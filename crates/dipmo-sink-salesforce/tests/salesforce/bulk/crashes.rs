//! Whoever works on a job may die between any two steps: what it left is gone on with, never repeated
//! blindly.

use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_outbox::{Delivery, JobStep, Published, Publisher as _};
use dipmo_salesforce::Client;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::job::Death;
use super::rig::announcement;
use super::{MemoryJob, Rig};
use crate::support::{client, contacts, member};

const MEMBERS: i64 = 5;

fn key(n: i64) -> String {
    format!("M-{n}")
}

/// A rig whose tables have every member at a version, in pages of two.
async fn rig() -> Rig {
    let rig = Rig::with(contacts(), |options| options.bulk.page = 2).await;
    write(&rig, 1);
    rig
}

fn write(rig: &Rig, version: i64) {
    for n in 0..MEMBERS {
        rig.world.tables.put("MEMBERS", member(&key(n), version, "Ada"));
    }
}

/// Two announcements of each member, so that every record has two units.
fn announced(version: i64) -> Vec<Delivery> {
    (0..2 * MEMBERS).map(|n| announcement(&key(n % MEMBERS), version)).collect()
}

/// Everything was delivered, all records end with the newest version, and none went back.
fn check(rig: &Rig, job: &MemoryJob, newest: i64, about: &str) {
    let delivered =
        |answer: &Option<Published>| matches!(answer, Some(Published::Delivered { .. }));
    assert!(job.answers().iter().all(delivered), "{about}: {:?}", job.answers());
    let ledger = rig.world.ledger("Contact");
    assert_eq!(ledger.len() as i64, MEMBERS, "{about}");
    for n in 0..MEMBERS {
        let versions = rig.world.versions("Contact", &key(n));
        assert!(versions.is_sorted(), "{about}: {versions:?}");
        assert_eq!(versions.last(), Some(&newest), "{about}: {versions:?}");
    }
}

#[tokio::test]
async fn a_death_between_any_two_steps_of_the_database_loses_and_doubles_nothing() {
    let mut deaths = 0;
    for number in 0.. {
        let mut died = false;
        for death in [Death::Before(number), Death::After(number)] {
            let mut rig = rig().await;
            let job = MemoryJob::new(announced(1)).dies(death);
            rig.finish(&job).await;
            died |= job.died();
            check(&rig, &job, 1, &format!("{death:?} {:?}", job.calls()));
            // What the data are after that is sent by the next job.
            write(&rig, 2);
            let next = MemoryJob::new(announced(2));
            rig.finish(&next).await;
            check(&rig, &next, 2, &format!("after {death:?}"));
        }
        if !died {
            break;
        }
        deaths += 1;
    }
    assert!(deaths >= 14, "{deaths}: made, pages, given and settling have so many steps");
}

/// Lets the call of a number about jobs hang, kills whoever made it, and lets somebody else go on.
async fn die_at_call(number: u64, kind: &str) -> Option<(Rig, MemoryJob)> {
    let mut rig = rig().await;
    rig.world.faults(json!([{
        "when": { "api": "bulk" }, "skip": number, "times": 1,
        "fault": { "kind": kind, "hold": "1h" },
    }]));
    let job = MemoryJob::new(announced(1));
    let hangs = async {
        while !rig.world.salesforce.calls().iter().any(|call| call.fault.is_some()) {
            sleep(Duration::from_millis(1)).await;
        }
    };
    let ended = tokio::select! {
        () = hangs => false,
        () = run(&rig, &job) => true,
    };
    if ended {
        return None;
    }
    rig.restart();
    rig.finish(&job).await;
    Some((rig, job))
}

/// Goes on with a job without ever replacing who works on it.
async fn run(rig: &Rig, job: &MemoryJob) {
    while let JobStep::Wait(_) = rig.step(job).await {
        sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_death_in_any_call_whether_applied_or_not_loses_and_doubles_nothing() {
    for kind in ["timeout_before", "timeout_after"] {
        let mut deaths = 0;
        for number in 0.. {
            let died = timeout(Duration::from_secs(60), die_at_call(number, kind)).await.unwrap();
            let Some((rig, job)) = died else { break };
            check(&rig, &job, 1, &format!("{kind} in call {number}"));
            deaths += 1;
        }
        assert!(deaths >= 7, "{deaths}: three to begin, a question, three results");
    }
}

#[tokio::test]
async fn a_job_that_was_given_is_asked_about_and_not_sent_again() {
    let mut rig = rig().await;
    // made, three pages, given: it dies when given is written.
    let job = MemoryJob::new(announced(1)).dies(Death::After(6));
    rig.finish(&job).await;
    assert_eq!(job.calls()[6], "given");
    let calls = rig.calls();
    assert_eq!((calls["bulk.create"], calls["bulk.upload"], calls["bulk.close"]), (1, 1, 1));
    check(&rig, &job, 1, "given");
}

#[tokio::test]
async fn what_was_made_and_not_given_is_aborted_and_read_afresh() {
    let mut rig = rig().await;
    let job = MemoryJob::new(announced(1)).dies(Death::Before(6));
    tokio::select! {
        () = run(&rig, &job) => panic!("it dies before given"),
        () = job.death() => {}
    }
    let first = job.remote().unwrap();
    // Meanwhile everything became newer.
    write(&rig, 7);
    rig.restart();
    rig.finish(&job).await;
    assert_ne!(job.remote().unwrap(), first);
    assert!(job.calls().contains(&"afresh"));
    check(&rig, &job, 7, "afresh");
    for entry in rig.world.ledger("Contact") {
        assert_eq!(entry.applied, 1, "the first job never took effect");
    }
}

#[tokio::test]
async fn who_lost_the_job_stops_at_once_and_closes_nothing() {
    for number in 0..7 {
        let rig = rig().await;
        let job = MemoryJob::new(announced(1)).dies(Death::Fenced(number));
        let lost = rig.world.publisher.run_job(&job).await.unwrap_err();
        assert!(matches!(lost, StoreError::Fenced { .. }), "{lost:?}");
        assert_eq!(job.calls().len(), number + 1, "{:?}", job.calls());
        assert_eq!(rig.calls().get("bulk.close"), None);
        assert!(rig.world.ledger("Contact").is_empty());
    }
}

#[tokio::test]
async fn what_a_person_did_to_a_job_that_was_not_given_does_not_matter() {
    for wish in ["abort", "close"] {
        let mut rig = rig().await;
        let job = MemoryJob::new(announced(1)).dies(Death::Before(6));
        tokio::select! {
            () = run(&rig, &job) => panic!("it dies before given"),
            () = job.death() => {}
        }
        let person = Client::new(client(&rig.world.salesforce)).unwrap();
        let remote = job.remote().unwrap();
        match wish {
            "abort" => person.bulk().abort(&remote).await.unwrap(),
            _ => person.bulk().close(&remote).await.unwrap(),
        };
        write(&rig, 2);
        rig.restart();
        rig.finish(&job).await;
        check(&rig, &job, 2, wish);
    }
}
