//! What a job costs, and what it brings when nothing goes wrong.

use std::collections::BTreeMap;

use dipmo_outbox::{JobPhase, JobStep, Published, Publisher as _};
use serde_json::json;

use super::rig::contact;
use super::{DESTINATION, MemoryJob, Rig};
use crate::support::carried;

/// All calls of a job but those that ask how far it is, and the login.
fn counted(mut calls: BTreeMap<&'static str, usize>) -> BTreeMap<&'static str, usize> {
    assert_eq!(calls.remove("oauth"), Some(1));
    assert!(calls.remove("bulk.poll").unwrap() >= 1);
    calls
}

#[tokio::test]
async fn five_thousand_units_are_delivered_by_six_calls() {
    let mut rig = Rig::new(carried()).await;
    let job = MemoryJob::new((0..5_000).map(|n| contact(&format!("C-{n}"), n)));
    rig.finish(&job).await;

    let calls = counted(rig.calls());
    let six = [("bulk.close", 1), ("bulk.create", 1), ("bulk.results", 3), ("bulk.upload", 1)];
    assert_eq!(calls, BTreeMap::from(six));

    let ledger = rig.world.ledger("Contact");
    let ids: BTreeMap<&str, &str> =
        ledger.iter().map(|entry| (entry.key.as_str().unwrap(), &*entry.ids[0])).collect();
    assert_eq!(ids.len(), 5_000);
    for (n, answer) in job.answers().into_iter().enumerate() {
        let external_ref = Some(ids[&*format!("C-{n}")].to_owned());
        assert_eq!(answer, Some(Published::Delivered { external_ref }));
    }
    for entry in &ledger {
        let number = entry.key.as_str().unwrap().strip_prefix("C-").unwrap();
        assert_eq!(entry.applied, 1);
        assert_eq!(entry.tracked[0]["Version__c"], number.parse::<f64>().unwrap());
    }
}

#[tokio::test]
async fn the_id_is_stored_before_anything_is_uploaded_and_settled_page_by_page() {
    let mut rig = Rig::with(carried(), |options| options.bulk.page = 2).await;
    let job = MemoryJob::new((0..5).map(|n| contact(&format!("C-{n}"), n)));
    rig.finish(&job).await;
    let pages = ["units", "units", "units"];
    let settled = ["units", "answer", "units", "answer", "units", "answer"];
    let expected = [&["made"], &pages[..], &["given"], &settled].concat();
    assert_eq!(job.calls(), expected);
    assert_eq!(job.phase(), JobPhase::Given);
    assert_eq!(job.remote().unwrap().len(), 18);
}

#[tokio::test]
async fn a_job_is_deleted_where_that_is_wanted() {
    let mut rig = Rig::with(carried(), |options| options.bulk.delete = true).await;
    let job = MemoryJob::new([contact("C-1", 1)]);
    rig.finish(&job).await;
    let calls = counted(rig.calls());
    assert_eq!((calls["bulk.delete"], calls.values().sum::<usize>()), (1, 7));
}

#[tokio::test]
async fn a_job_without_anything_to_send_is_not_uploaded() {
    let mut rig = Rig::new(carried()).await;
    let mut blocked = contact("C-1", 1);
    blocked.blocked_by = Some(dipmo_domain::OutboxId(99));
    let job = MemoryJob::new([blocked]);
    rig.finish(&job).await;
    assert_eq!(job.answers(), [Some(Published::NotTried)]);
    assert_eq!(rig.calls().get("bulk.upload"), None);
    assert!(rig.world.ledger("Contact").is_empty());
}

#[tokio::test]
async fn several_jobs_run_at_once() {
    let rig = Rig::with(carried(), |options| options.resilience.object.bulkhead.calls = 2).await;
    rig.fault(json!({ "object": "Contact" }), json!({ "kind": "job_stuck", "hold": "300ms" }));
    let job = |n: i64| MemoryJob::new((0..50).map(move |m| contact(&format!("C-{n}-{m}"), 1)));
    let jobs = [job(1), job(2), job(3)];
    // The first waits for Salesforce, and the others do not wait for it.
    assert!(matches!(rig.step(&jobs[0]).await, JobStep::Wait(_)));
    for other in &jobs[1..] {
        while let JobStep::Wait(_) = rig.step(other).await {
            tokio::task::yield_now().await;
        }
        assert_eq!((other.len(), jobs[0].len()), (0, 50));
    }
    while let JobStep::Wait(_) = rig.step(&jobs[0]).await {
        tokio::task::yield_now().await;
    }
    assert_eq!(rig.world.ledger("Contact").len(), 150);
}

#[tokio::test]
async fn the_figures_tell_of_records_phases_and_calls() {
    let mut rig = Rig::new(carried()).await;
    let job = MemoryJob::new([contact("C-1", 1), contact("C-1", 2), contact("C-2", 1)]);
    rig.finish(&job).await;
    let snapshot = rig.world.publisher.metrics().snapshot();
    let (way, figures) = snapshot.ways.first_key_value().unwrap();
    assert_eq!(format!("HTTP:SFDC:{}:{}", way.api, way.object), DESTINATION);
    assert_eq!((figures.records, figures.units, figures.retries), (2, 3, 0));
    assert_eq!(figures.calls as usize + 1, rig.calls().values().sum::<usize>());
    let phases = [("ENDED", 1), ("GIVEN", 1), ("MADE", 1)];
    assert_eq!(figures.job_phases, BTreeMap::from(phases));
    assert!(rig.world.publisher.job_plan(&DESTINATION.parse().unwrap()).is_some());
}
