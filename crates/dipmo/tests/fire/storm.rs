//! A Salesforce that fails in every way it knows, while the instances that deliver to it are killed.

use std::collections::BTreeMap;
use std::time::Duration;

use salesforce_sim::{Options, Simulator};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::parts::breakers::{Breakers, NOTES};
use crate::parts::child::Child;
use crate::parts::families::Families;
use crate::parts::look::until;
use crate::parts::org::{self, ORG};
use crate::parts::place::Place;
use crate::parts::worker::worked_as_child;
use crate::parts::{books, full};

const TEST: &str = "storm::trap_20_22_23_a_storm_at_salesforce_with_instances_that_are_killed";

/// How many families come: each is 125 records.
fn families() -> usize {
    if full() { 1_600 } else { 160 }
}

/// How often something of the families that are there changes.
const CHANGES: i64 = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_20_22_23_a_storm_at_salesforce_with_instances_that_are_killed() {
    if worked_as_child().await {
        return;
    }
    let salesforce = Simulator::start(Options::default()).await.unwrap();
    salesforce.faults(storm()).unwrap();
    let place = Place::postgres_of(&org::registry()).await;
    let breakers = Breakers::new();
    let start = || {
        let (number, instance) = breakers.instance();
        let address = org::address(&salesforce, &instance.version);
        let told = [(ORG, address.as_ref()), (NOTES, instance.notes.as_os_str())];
        (number, Child::start_with(TEST, &place, told))
    };
    let mut children = [start(), start()];
    for (_, child) in &mut children {
        child.says("ready").await;
    }

    let stop = CancellationToken::new();
    let killing = async {
        let mut victim = 0;
        while tokio::time::timeout(Duration::from_secs(4), stop.cancelled()).await.is_err() {
            let (number, child) = &mut children[victim];
            breakers.ends(*number);
            child.kill();
            children[victim] = start();
            victim = 1 - victim;
        }
    };
    let logging_out = async {
        while tokio::time::timeout(Duration::from_secs(5), stop.cancelled()).await.is_err() {
            salesforce.end_sessions();
        }
    };
    let telling = async {
        let told = tell(&place, &salesforce, &breakers).await;
        stop.cancel();
        told
    };
    let (told, (), ()) = tokio::join!(telling, killing, logging_out);
    for (_, child) in children {
        child.stop().await;
    }
    breakers.check(&salesforce.calls());
    check(&salesforce, &place, &told).await;
    salesforce.stop().await;
}

/// Tells of all families, and of changes while they are on their way; until all has arrived. Meanwhile
/// nobody is at home at Salesforce, until a breaker has opened and has let the first calls pass again.
async fn tell(place: &Place, salesforce: &Simulator, breakers: &Breakers) -> Families {
    let store = place.store_of(&org::registry()).await;
    let mut told = Families::default();
    for family in 0..families() {
        store.store(&told.come_up(family..family + 1), &[]).await.unwrap();
    }
    salesforce.faults(outage()).unwrap();
    until("a breaker opened", async || breakers.an_org_was_left_alone()).await;
    salesforce.faults(storm()).unwrap();
    for change in 0..CHANGES {
        tokio::time::sleep(Duration::from_secs(2)).await;
        for family in (0..families()).filter(|family| family % 4 != change as usize) {
            store.store(&told.change(family, change + 2), &[]).await.unwrap();
        }
    }
    books::until_drained(place).await;
    told
}

/// 10 % 503 and 429, 5 % time-outs after applying, 2 % dropped connections, 1 % row locks.
fn storm() -> serde_json::Value {
    json!({ "seed": 7, "rules": [
        { "probability": 0.05, "fault": { "kind": "unavailable" } },
        { "probability": 0.05, "fault": { "kind": "too_many_requests", "retry_after": 1 } },
        { "probability": 0.05, "fault": { "kind": "timeout_after", "hold": "3s" } },
        { "probability": 0.01, "fault": { "kind": "drop", "after_bytes": 20 } },
        { "probability": 0.01, "fault": { "kind": "drop_request", "after_bytes": 20 } },
        { "when": { "object": "Contact" }, "probability": 0.01, "fault": { "kind": "row_lock" } },
        { "when": { "object": "Block__c" }, "probability": 0.01, "fault": { "kind": "row_lock" } },
    ] })
}

/// Every call is answered by 503.
fn outage() -> serde_json::Value {
    json!({ "rules": [{ "fault": { "kind": "unavailable" } }] })
}

/// Every record ends with its newest version and never went back; what Salesforce refuses is FAILED
/// with its code; and every process has heard how its delivery went.
async fn check(salesforce: &Simulator, place: &Place, told: &Families) {
    for (object, newest) in &told.newest {
        let mut there = BTreeMap::new();
        for entry in salesforce.ledger(object).unwrap() {
            let versions: Vec<i64> = entry
                .tracked
                .iter()
                .map(|write| write["Version__c"].as_f64().unwrap() as i64)
                .collect();
            let key = entry.key.as_str().unwrap().to_owned();
            assert!(versions.is_sorted(), "{object} {key} went back: {versions:?}");
            there.insert(key, *versions.last().unwrap());
        }
        assert_eq!(there.len(), newest.len(), "records of {object}");
        assert_eq!(&there, newest, "versions of {object}");
    }
    let failed =
        "select RECORD_KEY, ERROR_CODE from OUTBOX_RECORD where STATUS = 'FAILED' order by 1";
    let failed = place.rows(failed).await;
    let refused: Vec<Vec<String>> = told
        .refused
        .iter()
        .map(|key| vec![key.clone(), "REQUIRED_FIELD_MISSING".to_owned()])
        .collect();
    assert_eq!(failed, refused);
    let unfinished = "select ID, STATE from MEMBERS_CREATED_PROCESS where STATE not in ('DELIVERED', 'PARTLY_FAILED') \
        union all select ID, STATE from BLOCKS_TO_CREATE_PROCESS where STATE <> 'DELIVERED'";
    assert!(place.rows(unfinished).await.is_empty());
    let unended = "select ID, PHASE from OUTBOX_JOB where PHASE <> 'ENDED'";
    assert!(place.rows(unended).await.is_empty());
    assert_eq!(told.len(), families() * 125);
}
