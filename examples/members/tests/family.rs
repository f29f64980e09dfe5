//! What a family, its members and its blocks come to, in whatever order their states come.

use dipmo_api::Stay;
use dipmo_api::testing::{Scenario, TestMessage, explore, given};
use dipmo_domain::Value;
use members::{FamilyData, FamilyProcess, FamilyState, Tables};
use serde_json::json;

fn family() -> Scenario<FamilyProcess> {
    given(FamilyProcess::new(Tables::default())).instance("F-8842")
}

fn family_at(version: i64) -> Scenario<FamilyProcess> {
    family().state(FamilyState::Known).data(FamilyData { version: Some(version) })
}

/// With a row of MEMBERS or BLOCKS that is known as of a version.
fn with(
    scenario: Scenario<FamilyProcess>,
    fact: &'static str,
    id: &str,
    version: i64,
) -> Scenario<FamilyProcess> {
    let row = [("ID", Value::from(id)), ("VERSION", Value::from(version))];
    scenario.fact(fact, id, row)
}

fn changed(version: i64) -> TestMessage {
    let payload =
        json!({ "familyId": "F-8842", "version": version, "name": "Doe", "status": "Received" });
    TestMessage::new("FamilyChanged", payload)
}

fn members(version: i64) -> TestMessage {
    let members = json!([
        { "id": "M-1", "firstName": "Jane", "lastName": "Doe", "email": "jane@example.com" },
        { "id": "M-2", "firstName": "John" },
    ]);
    let payload = json!({ "familyId": "F-8842", "version": version, "members": members });
    TestMessage::new("MembersChanged", payload)
}

fn blocks(version: i64) -> TestMessage {
    let blocks = json!([{ "id": "B-1", "type": "RISK" }]);
    let payload = json!({ "familyId": "F-8842", "version": version, "blocks": blocks });
    TestMessage::new("BlocksChanged", payload)
}

#[test]
fn a_family_is_kept_and_sent() {
    family()
        .when_message(&changed(7))
        .then_path(&[FamilyState::Known])
        .then_data(&FamilyData { version: Some(7) })
        .then_writes(&["upsert FAMILIES F-8842"])
        .then_column("FAMILIES", "NAME", "Doe")
        .then_column("FAMILIES", "VERSION", 7)
        .then_effects(&["HTTP:SFDC:Collections:Family__c FamilyUpsertRequested"])
        .then_payload("FamilyUpsertRequested", json!({ "asOfVersion": 7 }))
        .when_message(&changed(8))
        .then_path(&[FamilyState::Known])
        .then_column("FAMILIES", "VERSION", 8);
}

#[test]
fn a_family_that_is_not_newer_changes_nothing() {
    family_at(7).when_message(&changed(7)).then_stays(Stay::Duplicate);
    family_at(7).when_message(&changed(6)).then_stays(Stay::Stale);
}

#[test]
fn new_members_are_kept_and_wait_for_their_announcement() {
    family()
        .when_message(&members(7))
        .then_path(&[FamilyState::Awaited])
        .then_writes(&["upsert MEMBERS M-1", "upsert MEMBERS M-2"])
        .then_column("MEMBERS", "FAMILY_ID", "F-8842")
        .then_column("MEMBERS", "FIRST_NAME", "John")
        .then_column("MEMBERS", "LAST_NAME", Value::Null)
        .then_column("MEMBERS", "VERSION", 7)
        .then_effects(&[]);
}

#[test]
fn a_change_of_known_members_is_sent_and_new_ones_with_them_wait() {
    with(family_at(7), "member", "M-1", 7)
        .when_message(&members(8))
        .then_writes(&["upsert MEMBERS M-1", "upsert MEMBERS M-2"])
        .then_effects(&["HTTP:SFDC:Auto:Contact MembersUpsertRequested"])
        .then_payload("MembersUpsertRequested", json!({ "familyId": "F-8842", "asOfVersion": 8 }));
}

#[test]
fn of_members_that_changed_together_only_those_that_are_newer_are_written() {
    let at =
        |first, second| with(with(family_at(7), "member", "M-1", first), "member", "M-2", second);
    at(9, 7).when_message(&members(8)).then_writes(&["upsert MEMBERS M-2"]);
    at(9, 8).when_message(&members(8)).then_stays(Stay::Stale);
    at(8, 8).when_message(&members(8)).then_stays(Stay::Duplicate);
}

#[test]
fn blocks_are_kept_and_sent_in_the_same_way() {
    family_at(7)
        .when_message(&blocks(8))
        .then_writes(&["upsert BLOCKS B-1"])
        .then_column("BLOCKS", "BLOCK_TYPE", "RISK")
        .then_column("BLOCKS", "ACTIVE", true)
        .then_effects(&[]);
    with(family_at(7), "block", "B-1", 8)
        .when_message(&blocks(9))
        .then_effects(&["HTTP:SFDC:BulkV2:Block__c BlocksUpsertRequested"]);
    with(family_at(7), "block", "B-1", 8).when_message(&blocks(8)).then_stays(Stay::Duplicate);
}

#[test]
fn a_change_of_nobody_is_none() {
    let nobody = json!({ "familyId": "F-8842", "version": 8, "members": [] });
    family_at(7).when("MembersChanged", nobody).then_stays(Stay::Nothing);
}

#[test]
fn a_member_without_an_id_is_rejected_before_a_database_sees_it() {
    let nameless = json!({ "familyId": "F-8842", "version": 8, "members": [{}] });
    family_at(7).when("MembersChanged", nameless).then_rejected("payload-unparsable");
    let long = "M".repeat(201);
    let long = json!({ "familyId": "F-8842", "version": 8, "members": [{ "id": long }] });
    family_at(7).when("MembersChanged", long).then_rejected("fact-invalid");
}

#[test]
fn whatever_comes_whenever_no_step_leaves_the_diagram() {
    let messages = [changed(7), changed(8), members(7), members(8), blocks(8)];
    explore(with(family(), "member", "M-1", 7), &messages).then_every_edge_was_taken();
}
