//! Which records an intent names, and whether its outcome is wanted.

use dipmo_api::{
    ErasedOutcome, Evidence, FactRequest, FactRow, Facts, Intent, MessageView, Opened, Process,
    erase,
};
use dipmo_domain::{Headers, InboxId, Json, Timestamp, Value};
use members::{BlocksToCreateProcess, FamilyProcess, MembersCreatedProcess, TOPIC, Tables};
use serde_json::json;

/// The only intent of an event that comes to nobody yet.
fn intent<P: Process>(
    process: P,
    event_type: &str,
    payload: &serde_json::Value,
    facts: &Facts,
) -> Intent {
    let payload = Json::of(payload).expect("the payload can be stored");
    let message = MessageView {
        inbox_id: InboxId(1),
        message_id: "test-1",
        source_system: "test",
        topic: TOPIC,
        aggregate_id: Some("F-8842"),
        event_type: Some(event_type),
        event_version: None,
        source_version: None,
        payload: &payload,
        headers: &Headers::default(),
        event_ts: None,
        received_at: Timestamp::EPOCH,
        attempts: 0,
    };
    let Opened::Question(question) = erase(process).open(&message) else {
        panic!("{event_type} cannot be asked about");
    };
    let evidence = Evidence { message: &message, row: None, facts, now: Timestamp::EPOCH };
    match question.decide(&evidence) {
        ErasedOutcome::Advance(advanced) if advanced.intents.len() == 1 => {
            advanced.intents[0].clone()
        }
        other => panic!("after {event_type}: {other:?}"),
    }
}

fn records(intent: &Intent) -> Vec<&str> {
    intent.records.iter().map(|record| record.0.as_str()).collect()
}

#[test]
fn an_announcement_names_its_members_and_wants_the_outcome() {
    let payload = json!({
        "familyId": "F-8842", "memberIds": ["M-1", "M-2", "M-450"], "asOfVersion": 7, "eventVersion": 2,
    });
    let intent = intent(MembersCreatedProcess, "MembersCreated", &payload, &Facts::default());
    assert_eq!(records(&intent), ["M-1", "M-2", "M-450"]);
    assert!(intent.expects_outcome);
}

#[test]
fn an_order_of_two_thousand_blocks_is_one_intent() {
    let ids: Vec<String> = (1..=2_000).map(|number| format!("B-{number}")).collect();
    let payload = json!({ "familyId": "F-8842", "blockType": "RISK", "blockIds": ids });
    let intent = intent(BlocksToCreateProcess, "BlocksToCreate", &payload, &Facts::default());
    assert_eq!(records(&intent), ids);
    assert!(intent.expects_outcome);
}

#[test]
fn a_change_names_the_members_that_were_known_and_are_older() {
    let mut facts = Facts::default();
    for (id, version) in [("M-1", 7), ("M-2", 9)] {
        let request = FactRequest { name: "member", key: id.into() };
        let row = [("ID", Value::from(id)), ("VERSION", Value::from(version))];
        facts.add(request, FactRow::from(row));
    }
    let members = json!([{ "id": "M-1" }, { "id": "M-2" }, { "id": "M-3" }]);
    let payload = json!({ "familyId": "F-8842", "version": 8, "members": members });
    let family = FamilyProcess::new(Tables::default());
    let intent = intent(family, "MembersChanged", &payload, &facts);
    assert_eq!(records(&intent), ["M-1"], "M-2 is newer already, and M-3 will be announced");
    assert!(!intent.expects_outcome);
}

#[test]
fn a_family_is_one_record() {
    let payload =
        json!({ "familyId": "F-8842", "version": 7, "name": "Doe", "status": "Received" });
    let family = FamilyProcess::new(Tables::default());
    let intent = intent(family, "FamilyChanged", &payload, &Facts::default());
    assert_eq!(records(&intent), ["F-8842"]);
}
