//! Every step of a hit, and every event that comes twice, too late or too early.

use std::time::Duration;

use dipmo_api::Stay;
use dipmo_api::testing::{Scenario, TestMessage, explore, given};
use hits::{HitData, HitProcess, HitState};
use serde_json::{Value, json};

const QUALIFIED: [&str; 2] = ["INTERNAL HitQualified", "KAFKA:hit-events HitQualified"];
const STARTED: [&str; 2] = ["INTERNAL ReviewStarted", "KAFKA:hit-events ReviewStarted"];

fn hit() -> Scenario<HitProcess> {
    given(HitProcess::new(Duration::from_secs(14 * 24 * 60 * 60))).instance("H-1")
}

fn hit_in(state: HitState) -> Scenario<HitProcess> {
    let positive = match state {
        HitState::Received | HitState::HitCreated => None,
        HitState::QualifiedNegative => Some(false),
        _ => Some(true),
    };
    hit().state(state).data(data(positive))
}

fn data(positive: Option<bool>) -> HitData {
    let customer_id = Some("C-7".to_owned());
    HitData { notification_id: "N-126".to_owned(), customer_id, positive }
}

fn notice(assessment: &Value) -> TestMessage {
    let payload =
        json!({ "notificationId": "N-126", "customerId": "C-7", "assessment": assessment });
    TestMessage::new("NotificationReceived", payload).version(2)
}

fn assessed(positive: bool) -> TestMessage {
    TestMessage::new("HitAssessed", json!({ "positive": positive }))
}

fn reviewed() -> TestMessage {
    TestMessage::new("ReviewCompleted", json!({ "outcome": "a namesake" }))
}

fn aborted() -> TestMessage {
    let payload = json!({ "notificationId": "N-126", "reason": "sent by mistake" });
    TestMessage::new("HitAborted", payload)
}

fn overdue() -> TestMessage {
    TestMessage::new("ReviewOverdue", json!({}))
}

#[test]
fn a_notification_creates_a_hit() {
    hit()
        .when_message(&notice(&Value::Null))
        .then_path(&[HitState::HitCreated])
        .then_data(&data(None))
        .then_effects(&[])
        .then_writes(&["upsert HITS H-1"])
        .then_column("HITS", "CUSTOMER_ID", "C-7")
        .then_column("HITS", "REVISION", 1);
}

#[test]
fn version_1_of_the_notification_is_still_read() {
    let old = json!({ "notificationId": "N-126", "clientNumber": "C-7" });
    hit().when("NotificationReceived", old).then_data(&data(None));
    hit().when("NotificationReceived", json!([])).then_rejected("upcast-failed");
}

#[test]
fn a_real_hit_is_qualified_and_its_review_starts_in_one_step() {
    hit_in(HitState::HitCreated)
        .when_message(&assessed(true))
        .then_path(&[HitState::QualifiedPositive, HitState::ReviewStarted])
        .then_data(&data(Some(true)))
        .then_effects(&[QUALIFIED, STARTED].concat())
        .then_payload("HitQualified", json!({ "hitId": "H-1", "positive": true }))
        .then_writes(&["upsert HITS H-1", "upsert REVIEWS H-1"])
        .then_column("HITS", "STATUS", "REVIEW_STARTED")
        .then_timers(&["set review-overdue"]);
}

#[test]
fn a_harmless_hit_is_qualified_and_closed_in_one_step() {
    hit_in(HitState::HitCreated)
        .when_message(&assessed(false))
        .then_path(&[HitState::QualifiedNegative, HitState::Completed])
        .then_data(&data(Some(false)))
        .then_effects(&QUALIFIED)
        .then_writes(&["upsert HITS H-1"])
        .then_timers(&[]);
}

#[test]
fn a_notification_with_its_assessment_goes_all_the_way() {
    hit()
        .when_message(&notice(&json!({ "positive": true })))
        .then_path(&[HitState::HitCreated, HitState::QualifiedPositive, HitState::ReviewStarted])
        .then_effects(&[QUALIFIED, STARTED].concat());
    hit()
        .when_message(&notice(&json!({ "positive": false })))
        .then_path(&[HitState::HitCreated, HitState::QualifiedNegative, HitState::Completed])
        .then_effects(&QUALIFIED);
}

#[test]
fn a_completed_review_completes_the_hit() {
    hit_in(HitState::ReviewStarted)
        .when_message(&reviewed())
        .then_path(&[HitState::Completed])
        .then_writes(&["upsert HITS H-1", "upsert REVIEWS H-1"])
        .then_column("REVIEWS", "OUTCOME", "a namesake")
        .then_timers(&["cancel review-overdue"]);
}

#[test]
fn a_review_that_is_not_completed_in_time_fails_the_hit() {
    hit_in(HitState::HitCreated)
        .when_message(&assessed(true))
        .when_timer("review-overdue")
        .then_path(&[HitState::Failed])
        .then_failure("REVIEW_OVERDUE")
        .then_column("REVIEWS", "STATUS", "ABORTED");
}

#[test]
fn trap_18_an_abort_fails_the_hit_wherever_the_diagram_allows_it() {
    use HitState::{Completed, HitCreated, QualifiedNegative, QualifiedPositive, Received};
    for state in [Received, HitCreated, QualifiedPositive, HitState::ReviewStarted] {
        hit_in(state)
            .when_message(&aborted())
            .then_path(&[HitState::Failed])
            .then_failure("HIT_ABORTED");
    }
    hit()
        .when_message(&aborted())
        .then_state(HitState::Failed)
        .then_column("HITS", "STATUS", "FAILED");
    hit_in(HitState::ReviewStarted)
        .when_message(&aborted())
        .then_writes(&["upsert HITS H-1", "upsert REVIEWS H-1"])
        .then_timers(&["cancel review-overdue"]);
    for state in [QualifiedNegative, Completed] {
        hit_in(state).when_message(&aborted()).then_stays(Stay::Stale);
    }
}

#[test]
fn a_row_that_rests_in_a_qualified_state_is_taken_up_there() {
    hit_in(HitState::QualifiedPositive)
        .when_message(&assessed(true))
        .then_path(&[HitState::ReviewStarted])
        .then_effects(&STARTED);
    hit_in(HitState::QualifiedNegative)
        .when_message(&assessed(false))
        .then_path(&[HitState::Completed])
        .then_effects(&[]);
}

#[test]
fn an_event_that_comes_twice_changes_nothing_the_second_time() {
    let walks: [&[TestMessage]; 4] = [
        &[notice(&Value::Null), assessed(true), reviewed()],
        &[notice(&Value::Null), assessed(false)],
        &[notice(&json!({ "positive": true }))],
        &[aborted()],
    ];
    for walk in walks {
        walk.iter().fold(hit(), |hit, message| {
            hit.when_message(message).when_message(message).then_stays(Stay::Duplicate)
        });
    }
}

#[test]
fn an_event_of_the_past_is_stale() {
    for message in [assessed(true), reviewed(), overdue()] {
        hit_in(HitState::Failed).when_message(&message).then_stays(Stay::Stale);
    }
    hit_in(HitState::Completed).when_message(&overdue()).then_stays(Stay::Stale);
}

#[test]
fn an_event_that_comes_too_early_waits_for_the_version_before_it() {
    hit().when_message(&assessed(true).source_version(2)).then_parked(1);
    let created = hit().when_message(&notice(&Value::Null).source_version(1));
    let early = created.when_message(&reviewed().source_version(3)).then_parked(2);
    early.when_message(&reviewed().source_version(2)).then_rejected("HIT_OUT_OF_ORDER");
}

#[test]
fn an_event_that_comes_too_early_and_has_no_version_is_rejected() {
    hit().when_message(&assessed(true)).then_rejected("HIT_OUT_OF_ORDER");
    hit().when_message(&reviewed()).then_rejected("HIT_OUT_OF_ORDER");
    hit_in(HitState::HitCreated).when_message(&reviewed()).then_rejected("HIT_OUT_OF_ORDER");
}

#[test]
fn an_event_that_contradicts_what_was_said_before_is_rejected() {
    let other = json!({ "notificationId": "N-127" });
    let other = TestMessage::new("NotificationReceived", other).version(2);
    hit_in(HitState::HitCreated).when_message(&other).then_rejected("NOTIFICATION_CHANGED");
    hit_in(HitState::ReviewStarted)
        .when_message(&assessed(false))
        .then_rejected("ASSESSMENT_CHANGED");
    hit_in(HitState::QualifiedNegative).when_message(&reviewed()).then_rejected("REVIEW_UNKNOWN");
}

#[test]
fn a_hit_without_a_notification_never_gets_a_row() {
    hit()
        .when("HitAborted", json!({ "notificationId": "", "reason": "" }))
        .then_rejected("context-invalid");
}

#[test]
fn whatever_comes_whenever_no_step_leaves_the_diagram() {
    let positive = json!({ "positive": true });
    let messages = [
        notice(&Value::Null),
        notice(&positive),
        assessed(true),
        assessed(false),
        reviewed(),
        aborted(),
        overdue(),
    ];
    let explored = explore(hit().data(data(Some(true))), &messages);
    explored.then_every_edge_was_taken();
    assert!(explored.decisions() > 7 * 8, "{}", explored.decisions());
}
