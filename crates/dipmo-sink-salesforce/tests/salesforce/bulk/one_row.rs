//! A record has one row in a job, and rows that lock each other out stand together.

use dipmo_outbox::{Delivery, Published};
use dipmo_salesforce::{Client, Fields, RecordRef};
use dipmo_sink_salesforce::Origin;
use serde_json::json;

use super::rig::{announcement, contact};
use super::{DESTINATION, MemoryJob, Rig};
use crate::support::{carried, client, contacts, is_delivered, member, unit};

#[tokio::test]
async fn trap_23_several_units_of_a_record_are_sent_once_as_the_newest() {
    let mut rig = Rig::with(carried(), |options| options.bulk.page = 10).await;
    let units = [("a", 1), ("b", 1), ("a", 2), ("a", 3), ("b", 2)];
    let job = MemoryJob::new(units.map(|(key, version)| contact(key, version)));
    rig.finish(&job).await;
    assert!(job.answers().iter().flatten().all(is_delivered));
    assert_eq!(rig.world.versions("Contact", "a"), [3]);
    assert_eq!(rig.world.versions("Contact", "b"), [2]);
}

#[tokio::test]
async fn trap_23_a_newer_one_on_a_later_page_waits_for_the_next_job() {
    let mut rig = Rig::with(carried(), |options| options.bulk.page = 2).await;
    let units = [("a", 1), ("b", 1), ("a", 2), ("c", 1)];
    let job = MemoryJob::new(units.map(|(key, version)| contact(key, version)));
    rig.finish(&job).await;
    assert_eq!(job.answers()[2], Some(Published::NotTried));
    assert_eq!(rig.world.versions("Contact", "a"), [1]);
    rig.finish_all(&MemoryJob::new(job.rest())).await;
    assert_eq!(rig.world.versions("Contact", "a"), [1, 2]);
}

#[tokio::test]
async fn a_row_that_was_read_covers_what_was_announced_on_later_pages() {
    let mut rig = Rig::with(contacts(), |options| options.bulk.page = 1).await;
    rig.world.tables.put("MEMBERS", member("M-1", 5, "Ada"));
    let job = MemoryJob::new([3, 4, 5].map(|version| announcement("M-1", version)));
    rig.finish(&job).await;
    assert!(job.answers().iter().flatten().all(is_delivered));
    assert_eq!(rig.world.versions("Contact", "M-1"), [5], "one row for all three");
}

#[tokio::test]
async fn trap_23_a_row_that_was_read_does_not_cover_what_another_event_says() {
    let mapping = contacts().field("Title", Origin::AggregateId);
    let mut rig = Rig::with(mapping, |options| options.bulk.page = 1).await;
    rig.world.tables.put("MEMBERS", member("M-1", 5, "Ada"));
    let of_family = |family: &str| {
        let aggregate_id = family.to_owned();
        Delivery { aggregate_id, ..announcement("M-1", 5) }
    };
    let job = MemoryJob::new(["F-1", "F-2"].map(of_family));
    rig.finish(&job).await;
    assert_eq!(job.answers()[1], Some(Published::NotTried));
    rig.finish_all(&MemoryJob::new(job.rest())).await;
    assert_eq!(rig.world.record("Contact", "M-1")["Title"], "F-2", "the newest of both");
}

#[tokio::test]
async fn trap_23_partial_updates_go_one_after_the_other() {
    let mut rig = Rig::new(carried().partial()).await;
    let job = MemoryJob::new((1..=3).map(|version| contact("a", version)));
    rig.finish_all(&job).await;
    assert_eq!(rig.world.versions("Contact", "a"), [1, 2, 3]);
}

#[tokio::test]
async fn keys_that_salesforce_takes_for_one_are_not_in_one_job() {
    let mut rig = Rig::new(carried()).await;
    let job = MemoryJob::new(["C-1", "c-1"].map(|key| contact(key, 1)));
    rig.finish(&job).await;
    assert!(is_delivered(job.answers()[0].as_ref().unwrap()));
    assert_eq!(job.answers()[1], Some(Published::NotTried));
    rig.finish_all(&MemoryJob::new(job.rest())).await;
}

#[tokio::test]
async fn children_of_a_parent_stand_together() {
    let mapping = carried().pointer("Family__r.ExternalId__c", "/family");
    let mut rig = Rig::new(mapping).await;
    let other = Client::new(client(&rig.world.salesforce)).unwrap();
    for family in ["F-0", "F-1", "F-2"] {
        let at = RecordRef { object: "Family__c", field: "ExternalId__c", key: family };
        other.upsert(&at, &Fields::new()).await.unwrap();
    }
    let member = |n: i64| {
        let family = format!("F-{}", n % 3);
        let payload = json!({ "lastName": "Ada", "version": n % 3, "family": family });
        unit(DESTINATION, 1, &format!("C-{n}"), &payload)
    };
    let job = MemoryJob::new((0..60).map(member));
    rig.finish(&job).await;
    // The ledger has them in the order in which they were applied, which is that of the rows of 200.
    let ledger = rig.world.ledger("Contact");
    let families: Vec<f64> =
        ledger.iter().map(|entry| entry.tracked[0]["Version__c"].as_f64().unwrap()).collect();
    assert_eq!(families.len(), 60);
    assert!(families.is_sorted(), "{families:?}");
}
