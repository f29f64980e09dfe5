//! From an announcement to the answer for each record, and what comes twice, too late or unasked.

use dipmo_api::Stay;
use dipmo_api::testing::{Scenario, TestMessage, explore, given};
use members::{BlocksToCreateProcess, DeliveryData, DeliveryState, MembersCreatedProcess};
use serde_json::{Value, json};

fn members() -> Scenario<MembersCreatedProcess> {
    given(MembersCreatedProcess).instance("F-8842@7:M-1")
}

fn created(ids: &[&str]) -> TestMessage {
    let payload = json!({
        "type": "MembersCreated",
        "familyId": "F-8842",
        "memberIds": ids,
        "asOfVersion": 7,
        "eventVersion": 2,
    });
    TestMessage::new("MembersCreated", payload)
}

fn delivered(count: u64) -> TestMessage {
    TestMessage::new("Delivered", report(count, &[]))
}

fn failed(count: u64, ids: &[&str]) -> TestMessage {
    TestMessage::new("DeliveryFailed", report(count, ids))
}

fn report(dispatched: u64, failed: &[&str]) -> Value {
    let failure = |id: &&str| {
        let message = "Required fields are missing: [LastName]";
        json!({ "record": id, "code": "REQUIRED_FIELD_MISSING", "message": message })
    };
    json!({
        "eventType": "MembersUpsertRequested",
        "dispatched": dispatched,
        "failed": failed.len(),
        "failures": failed.iter().map(failure).collect::<Vec<_>>(),
    })
}

fn data(ids: &[&str], delivered: u64, failed: &[&str]) -> DeliveryData {
    let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    DeliveryData {
        family_id: "F-8842".to_owned(),
        ids: owned(ids),
        delivered,
        failed: failed.len() as u64,
        failed_ids: owned(failed),
    }
}

const IDS: [&str; 3] = ["M-1", "M-2", "M-450"];

#[test]
fn members_become_one_intent_for_all_of_them() {
    members()
        .when_message(&created(&IDS))
        .then_path(&[DeliveryState::Requested])
        .then_data(&data(&IDS, 0, &[]))
        .then_effects(&["HTTP:SFDC:Auto:Contact MembersUpsertRequested"])
        .then_payload("MembersUpsertRequested", json!({ "familyId": "F-8842", "asOfVersion": 7 }))
        .then_writes(&[]);
}

#[test]
fn an_order_of_blocks_is_sent_once_and_ends_with_the_answer_for_all() {
    let ids: Vec<String> = (1..=2_000).map(|number| format!("B-{number}")).collect();
    let payload = json!({
        "type": "BlocksToCreate",
        "familyId": "F-8842",
        "blockType": "RISK",
        "blockIds": ids,
        "eventVersion": 1,
    });
    given(BlocksToCreateProcess)
        .instance("F-8842:RISK:B-1")
        .when("BlocksToCreate", payload.clone())
        .then_path(&[DeliveryState::Requested])
        .then_effects(&["HTTP:SFDC:BulkV2:Block__c BlocksUpsertRequested"])
        .when("BlocksToCreate", payload)
        .then_stays(Stay::Duplicate)
        .when_message(&delivered(2_000))
        .then_path(&[DeliveryState::Delivered]);
}

#[test]
fn a_delivery_ends_with_the_answer_for_all() {
    members()
        .when_message(&created(&IDS))
        .when_message(&delivered(3))
        .then_path(&[DeliveryState::Delivered])
        .then_data(&data(&IDS, 3, &[]))
        .then_nothing();
}

#[test]
fn a_delivery_of_which_something_was_refused_tells_what_and_why() {
    members()
        .when_message(&created(&IDS))
        .when_message(&failed(2, &["M-2"]))
        .then_path(&[DeliveryState::PartlyFailed])
        .then_data(&data(&IDS, 2, &["M-2"]))
        .then_failure("RECORDS_REFUSED")
        .then_nothing();
}

#[test]
fn after_an_operators_retry_the_last_report_holds() {
    let partly =
        || members().when_message(&created(&IDS)).when_message(&failed(1, &["M-1", "M-2"]));
    partly()
        .when_message(&failed(2, &["M-2"]))
        .then_path(&[DeliveryState::PartlyFailed])
        .then_data(&data(&IDS, 2, &["M-2"]))
        .when_message(&delivered(3))
        .then_path(&[DeliveryState::Delivered])
        .then_data(&data(&IDS, 3, &[]));
}

#[test]
fn version_1_of_the_announcement_is_still_read() {
    let old = json!({ "familyId": "F-8842", "memberIds": ["M-1"] });
    given(MembersCreatedProcess)
        .instance("F-8842@0:M-1")
        .when("MembersCreated", old)
        .then_payload("MembersUpsertRequested", json!({ "familyId": "F-8842", "asOfVersion": 0 }));
    members().when("MembersCreated", json!([])).then_rejected("upcast-failed");
}

#[test]
fn an_announcement_that_comes_twice_is_sent_once() {
    for answer in [None, Some(delivered(3)), Some(failed(2, &["M-2"]))] {
        let requested = members().when_message(&created(&IDS));
        let answered = answer.iter().fold(requested, Scenario::when_message);
        answered.when_message(&created(&IDS)).then_stays(Stay::Duplicate);
    }
}

#[test]
fn other_members_under_a_known_announcement_are_rejected() {
    members()
        .when_message(&created(&IDS))
        .when_message(&created(&["M-1", "M-3"]))
        .then_rejected("ANNOUNCEMENT_CHANGED");
}

#[test]
fn an_announcement_of_nobody_sends_nothing() {
    let nobody = given(MembersCreatedProcess).instance("F-8842@7:");
    nobody.when_message(&created(&[])).then_stays(Stay::Nothing);
}

#[test]
fn a_report_that_nobody_asked_for_is_rejected() {
    members().when_message(&delivered(3)).then_rejected("DELIVERY_UNKNOWN");
}

#[test]
fn whatever_comes_whenever_no_step_leaves_the_diagram() {
    let messages =
        [created(&IDS), created(&["M-1"]), delivered(3), failed(2, &["M-2"]), failed(0, &IDS)];
    explore(members().data(data(&IDS, 0, &[])), &messages).then_every_edge_was_taken();
}
