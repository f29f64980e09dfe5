//! A job of any size: no more than a few pages of it are in memory, and what is too large is split.

use std::time::Duration;

use dipmo_outbox::Published;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::rig::{announcement, contact};
use super::{DESTINATION, MemoryJob, Rig};
use crate::support::{carried, contacts, is_delivered, member, unit};

#[tokio::test]
async fn what_does_not_fit_is_left_to_the_next_job() {
    let mut rig = Rig::with(carried(), |options| {
        options.bulk.page = 10;
        options.bulk.most_bytes = 1_000;
    })
    .await;
    let job = MemoryJob::new((0..100).map(|n| contact(&format!("C-{n:03}"), n)));
    rig.finish(&job).await;
    let answers = job.answers();
    let delivered = answers.iter().flatten().filter(|answer| is_delivered(answer)).count();
    let released = answers.iter().filter(|answer| answer.is_none()).count();
    let not_tried = answers.iter().filter(|it| **it == Some(Published::NotTried)).count();
    assert!(delivered > 20 && not_tried <= 10 && released > 40, "{answers:?}");
    assert_eq!(delivered + not_tried + released, 100);
    let uploads = |rig: &Rig| {
        let calls = rig.world.salesforce.calls();
        let bytes = calls.into_iter().filter(|call| call.api == "bulk.upload");
        bytes.map(|call| call.bytes_in).collect::<Vec<u64>>()
    };
    rig.finish_all(&MemoryJob::new(job.rest())).await;
    let ledger = rig.world.ledger("Contact");
    assert_eq!(ledger.len(), 100);
    assert!(ledger.iter().all(|entry| entry.applied == 1));
    let uploads = uploads(&rig);
    assert!(uploads.len() > 2 && uploads.iter().all(|bytes| *bytes <= 1_000), "{uploads:?}");
}

#[tokio::test]
async fn a_row_that_is_larger_than_the_limit_is_a_job_of_its_own() {
    let mut rig = Rig::with(carried(), |options| options.bulk.most_bytes = 100).await;
    let long = json!({ "lastName": "x".repeat(80), "version": 1 });
    let job = MemoryJob::new((0..3).map(|n| unit(DESTINATION, 1, &format!("C-{n}"), &long)));
    rig.finish_all(&job).await;
    assert_eq!(rig.calls()["bulk.create"], 3);
    assert_eq!(rig.world.ledger("Contact").len(), 3);
}

#[tokio::test]
async fn a_job_that_would_take_longer_than_an_upload_may_is_split() {
    let mut rig = Rig::with(contacts(), |options| {
        options.bulk.page = 2;
        options.orgs[0].client.transfer_timeout = Duration::from_secs(1);
    })
    .await;
    let key = |n: i64| format!("M-{n}");
    (0..40).for_each(|n| rig.world.tables.put("MEMBERS", member(&key(n), 1, "Ada")));
    // All 20 pages would take twice the time of an upload.
    rig.world.tables.slow_down(Duration::from_millis(100));
    let job = MemoryJob::new((0..40).map(|n| announcement(&key(n), 1)));
    timeout(Duration::from_secs(60), rig.finish_all(&job)).await.expect("it gets through");
    assert!(job.answers().iter().any(Option::is_none), "what was too much was released");
    assert!(is_delivered(job.answers()[0].as_ref().unwrap()));
    let ledger = rig.world.ledger("Contact");
    assert_eq!(ledger.len(), 40);
    assert!(ledger.iter().all(|entry| entry.applied == 1));
}

/// Salesforce takes nothing of the upload: pages are made for the connection's buffers, and then no
/// more.
#[tokio::test]
async fn no_more_pages_are_in_memory_than_the_connection_takes() {
    let rig = Rig::with(carried(), |options| options.bulk.page = 100).await;
    rig.fault(json!({ "api": "bulk.upload" }), json!({ "kind": "delay", "delay": "1h" }));
    // 400 pages of 1.6 MB.
    let long = "x".repeat(16_000);
    let payload = json!({ "lastName": "Ada", "email": long, "version": 1 });
    let one = unit(DESTINATION, 1, "C", &payload);
    let keyed = |n: usize| {
        let key = dipmo_domain::RecordKey(format!("C-{n}"));
        dipmo_outbox::Delivery { record: Some(key), ..one.clone() }
    };
    let job = MemoryJob::new((0..40_000).map(keyed));
    let quiet = async {
        let mut before = 0;
        loop {
            sleep(Duration::from_millis(300)).await;
            let pages = job.calls().len();
            if pages == before && pages > 1 {
                return pages;
            }
            before = pages;
        }
    };
    let pages = tokio::select! {
        pages = quiet => pages,
        step = rig.step(&job) => panic!("{step:?}: nobody takes the upload"),
    };
    assert!(pages < 20, "{pages} pages were made");
    assert_eq!(job.largest_page(), 100);
}
