//! From a message to an event: versions, upcasters, and payloads that do not parse.

use std::sync::LazyLock;

use dipmo_api::testing::{TestMessage, given};
use dipmo_api::{ErasedOutcome, Evidence, Facts, InstanceView, MessageView, Opened, Stay, erase};
use dipmo_domain::{Coded, Headers, InboxId, Json, Timestamp};
use serde_json::json;

use crate::obedient::{Obedient, Place};

fn sent(payload: serde_json::Value, version: Option<u16>) -> TestMessage {
    let message = TestMessage::new("Do", payload);
    match version {
        Some(version) => message.version(version),
        None => message,
    }
}

#[test]
fn the_version_is_that_of_the_message_else_of_the_payload_else_one() {
    let start = || given(Obedient::new());
    let now = json!({ "act": "go" });
    start().when_message(&sent(now.clone(), Some(3))).then_state(Place::Middle);
    start().when_message(&sent(now.clone(), None)).then_rejected("event-version-unknown");
    start().when_message(&sent(now, Some(4))).then_rejected("event-version-unknown");
    let told = json!({ "eventVersion": 3, "act": "go" });
    start().when_message(&sent(told.clone(), None)).then_state(Place::Middle);
    start().when_message(&sent(told, Some(0))).then_rejected("event-version-unknown");
    let odd = json!({ "eventVersion": "three", "act": "go" });
    start().when_message(&sent(odd, None)).then_rejected("payload-unparsable");
}

#[test]
fn an_older_version_is_lifted_before_it_is_read() {
    let start = || given(Obedient::new());
    start().when_message(&sent(json!({ "what": "go" }), Some(2))).then_state(Place::Middle);
    start().when_message(&sent(json!({ "act": "go" }), Some(2))).then_rejected("upcast-failed");
}

#[test]
fn an_event_without_a_payload_takes_whatever_comes() {
    for payload in [json!(null), json!([1]), json!({ "a": { "b": 1 } })] {
        given(Obedient::new()).when("Rest", payload).then_stays(Stay::Nothing);
    }
}

#[test]
fn what_nobody_reads_is_ignored_and_not_an_error() {
    given(Obedient::new()).when("Unheard", json!({})).then_ignored();
    let elsewhere = TestMessage::new("Rest", json!({})).topic("elsewhere");
    given(Obedient::new()).when_message(&elsewhere).then_ignored();
}

fn message(payload: &Json) -> MessageView<'_> {
    static HEADERS: LazyLock<Headers> = LazyLock::new(Headers::default);
    MessageView {
        inbox_id: InboxId(1),
        message_id: "m-1",
        source_system: "crm",
        topic: "orders",
        aggregate_id: Some("O-1"),
        event_type: Some("Do"),
        event_version: Some(3),
        source_version: None,
        payload,
        headers: &HEADERS,
        event_ts: None,
        received_at: Timestamp::EPOCH,
        attempts: 0,
    }
}

#[test]
fn a_payload_that_does_not_parse_says_what_and_where() {
    let process = erase(Obedient::new());
    let payload = Json::parse("{\n  \"act\": 7 }").unwrap();
    let Opened::Refused(refusal) = process.open(&message(&payload)) else { panic!("it was read") };
    assert_eq!(refusal.code().as_str(), "payload-unparsable");
    assert_eq!(
        refusal.to_string(),
        "the payload of Do v3 does not parse: invalid type: integer `7`, expected a string at \
         line 2 column 10; mend the producer or the event's type, then retry the message"
    );
    let without_type = MessageView { event_type: None, ..message(&payload) };
    assert!(matches!(process.open(&without_type), Opened::Ignored));
}

/// The outcome of `go` for a row, or the code of the refusal.
fn decided(state: &str, data: &str) -> Result<ErasedOutcome, &'static str> {
    let json = |text: &str| Json::parse(text).expect("the test writes JSON");
    let (payload, data) = (json(r#"{"act":"go"}"#), json(data));
    let message = message(&payload);
    let Opened::Question(question) = erase(Obedient::new()).open(&message) else {
        panic!("it was not read")
    };
    let row = InstanceView { state, data: &data, version: 6, last_source_version: None };
    let (facts, now) = (Facts::default(), Timestamp::EPOCH);
    let evidence = Evidence { message: &message, row: Some(&row), facts: &facts, now };
    question.try_decide(&evidence).map_err(|refusal| refusal.code().as_str())
}

#[test]
fn a_row_that_this_version_cannot_read_is_refused() {
    assert_eq!(decided("SOMEWHERE", "{}"), Err("state-unknown"));
    assert_eq!(decided("START", r#"{"note":7}"#), Err("context-invalid"));
}

#[test]
fn one_transition_is_one_version_and_leaves_the_document_as_it_is() {
    let Ok(ErasedOutcome::Advance(advanced)) = decided("START", r#"{ "note":"x" }"#) else {
        panic!("it did not advance")
    };
    assert_eq!((advanced.version, advanced.data.as_str()), (7, r#"{ "note":"x" }"#));
}
