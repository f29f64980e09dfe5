//! Every step of an onboarding, and every event that comes twice, too late or too early.

use std::time::Duration;

use dipmo_api::Stay;
use dipmo_api::testing::{Scenario, TestMessage, explore, given};
use onboarding::{Blocking, OnboardingData, OnboardingProcess, OnboardingState};
use serde_json::json;

const QUALIFIED: [&str; 2] =
    ["INTERNAL CustomerQualified", "KAFKA:onboarding-events CustomerQualified"];
const BLOCK_CREATED: [&str; 2] = ["INTERNAL BlockCreated", "KAFKA:onboarding-events BlockCreated"];
const ALL_THE_WAY: [OnboardingState; 3] =
    [OnboardingState::Qualified, OnboardingState::BlockCreated, OnboardingState::Completed];

fn at_once() -> Scenario<OnboardingProcess> {
    given(OnboardingProcess::new(Blocking::Synchronous)).instance("O-1")
}

fn by_asking() -> Scenario<OnboardingProcess> {
    let within = Duration::from_secs(60 * 60);
    given(OnboardingProcess::new(Blocking::Asynchronous { within })).instance("O-1")
}

fn in_state(state: OnboardingState) -> Scenario<OnboardingProcess> {
    by_asking().state(state).data(data())
}

fn data() -> OnboardingData {
    OnboardingData { customer_id: "C-7".to_owned() }
}

fn request(papers_complete: bool) -> TestMessage {
    let payload = json!({ "customerId": "C-7", "name": "Ada", "papersComplete": papers_complete });
    TestMessage::new("OnboardingRequested", payload)
}

fn created() -> TestMessage {
    TestMessage::new("BlockCreated", json!({ "onboardingId": "O-1" })).aggregate("B-9")
}

fn refused() -> TestMessage {
    let payload = json!({ "onboardingId": "O-1", "reason": "no such customer" });
    TestMessage::new("BlockRefused", payload).aggregate("B-9")
}

fn overdue() -> TestMessage {
    TestMessage::new("BlockOverdue", json!({}))
}

#[test]
fn a_customer_is_qualified_and_blocked_at_once() {
    at_once()
        .when_message(&request(true))
        .then_path(&ALL_THE_WAY)
        .then_data(&data())
        .then_effects(&[QUALIFIED, BLOCK_CREATED].concat())
        .then_payload("BlockCreated", json!({ "onboardingId": "O-1", "customerId": "C-7" }))
        .then_writes(&["upsert CUSTOMERS C-7", "upsert BLOCKS C-7"])
        .then_column("CUSTOMERS", "STATUS", "BLOCKED")
        .then_timers(&[]);
}

#[test]
fn a_customer_is_qualified_and_the_block_is_asked_for() {
    let effects = [QUALIFIED.as_slice(), &["INTERNAL:blocks BlockRequested"]].concat();
    by_asking()
        .when_message(&request(true))
        .then_path(&[OnboardingState::Qualified])
        .then_effects(&effects)
        .then_payload("BlockRequested", json!({ "onboardingId": "O-1", "customerId": "C-7" }))
        .then_writes(&["upsert CUSTOMERS C-7"])
        .then_timers(&["set block-overdue"])
        .when_message(&created())
        .then_path(&[OnboardingState::BlockCreated, OnboardingState::Completed])
        .then_effects(&BLOCK_CREATED)
        .then_writes(&["upsert CUSTOMERS C-7"])
        .then_column("CUSTOMERS", "STATUS", "BLOCKED")
        .then_timers(&["cancel block-overdue"]);
}

#[test]
fn a_customer_who_is_blocked_already_gets_no_second_block() {
    for onboarding in [at_once(), by_asking()] {
        onboarding
            .fact("customer", "C-7", [("STATUS", "BLOCKED".into())])
            .when_message(&request(true))
            .then_path(&ALL_THE_WAY)
            .then_effects(&QUALIFIED)
            .then_writes(&["upsert CUSTOMERS C-7"]);
    }
    at_once()
        .fact("customer", "C-7", [("STATUS", "QUALIFIED".into())])
        .fact("customer", "C-8", [("STATUS", "BLOCKED".into())])
        .when_message(&request(true))
        .then_writes(&["upsert CUSTOMERS C-7", "upsert BLOCKS C-7"]);
}

#[test]
fn a_customer_without_papers_is_turned_down() {
    at_once()
        .when_message(&request(false))
        .then_path(&[OnboardingState::Failed])
        .then_failure("CUSTOMER_NOT_QUALIFIED")
        .then_effects(&[])
        .then_column("CUSTOMERS", "STATUS", "TURNED_DOWN");
}

#[test]
fn without_a_block_the_onboarding_fails() {
    let asked = || by_asking().when_message(&request(true));
    asked()
        .when_message(&refused())
        .then_path(&[OnboardingState::Failed])
        .then_failure("BLOCK_REFUSED")
        .then_timers(&["cancel block-overdue"]);
    asked()
        .when_timer("block-overdue")
        .then_path(&[OnboardingState::Failed])
        .then_failure("BLOCK_OVERDUE");
}

#[test]
fn a_row_that_rests_in_block_created_is_taken_up_there() {
    in_state(OnboardingState::BlockCreated)
        .when_message(&created())
        .then_path(&[OnboardingState::Completed]);
}

#[test]
fn an_event_that_comes_twice_changes_nothing_the_second_time() {
    let walks: [&[TestMessage]; 3] =
        [&[request(true), created()], &[request(true), refused()], &[request(false)]];
    for walk in walks {
        walk.iter().fold(by_asking(), |onboarding, message| {
            onboarding.when_message(message).when_message(message).then_stays(Stay::Duplicate)
        });
    }
    at_once().when_message(&request(true)).when_message(&request(true)).then_stays(Stay::Duplicate);
}

#[test]
fn an_event_of_the_past_is_stale() {
    for state in [OnboardingState::BlockCreated, OnboardingState::Completed] {
        in_state(state).when_message(&refused()).then_stays(Stay::Stale);
        in_state(state).when_message(&overdue()).then_stays(Stay::Stale);
    }
    in_state(OnboardingState::Failed).when_message(&overdue()).then_stays(Stay::Stale);
}

#[test]
fn an_answer_without_a_question_is_rejected() {
    by_asking().when_message(&created()).then_rejected("ONBOARDING_UNKNOWN");
    by_asking().when_message(&refused()).then_rejected("ONBOARDING_UNKNOWN");
}

#[test]
fn a_block_that_comes_after_the_failure_needs_a_person() {
    in_state(OnboardingState::Failed).when_message(&created()).then_rejected("BLOCK_TOO_LATE");
}

#[test]
fn another_customer_under_the_same_id_is_rejected() {
    let other = json!({ "customerId": "C-8", "name": "Bo", "papersComplete": true });
    in_state(OnboardingState::Qualified)
        .when("OnboardingRequested", other)
        .then_rejected("CUSTOMER_CHANGED");
}

#[test]
fn whatever_comes_whenever_no_step_leaves_the_diagram() {
    let messages = [request(true), request(false), created(), refused(), overdue()];
    for onboarding in [at_once(), by_asking()] {
        explore(onboarding.data(data()), &messages).then_every_edge_was_taken();
    }
}
