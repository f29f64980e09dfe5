//! What dipmo lets through of what a process decides, and what it refuses.

use std::time::Duration;

use dipmo_api::Stay;
use dipmo_api::testing::{Scenario, TestMessage, explore, given};
use serde_json::json;

use crate::obedient::{Memory, Obedient, Place};

fn order(act: &str, with: &str) -> TestMessage {
    TestMessage::new("Do", json!({ "act": act, "with": with })).version(3)
}

fn told(act: &str, with: &str) -> Scenario<Obedient> {
    given(Obedient::new()).instance("O-1").when_message(&order(act, with))
}

fn note(text: &str) -> Memory {
    Memory { note: Some(text.to_owned()) }
}

#[test]
fn every_edge_of_a_path_must_be_declared() {
    told("go", "").then_path(&[Place::Middle]).then_nothing();
    told("run", "").then_path(&[Place::Middle, Place::End]);
    told("jump", "").then_rejected("edge-undeclared");
    let at_the_end = || given(Obedient::new()).state(Place::End);
    at_the_end().when_message(&order("go", "")).then_rejected("edge-undeclared");
    at_the_end().when_message(&order("run", "")).then_rejected("edge-undeclared");
}

#[test]
fn to_act_without_moving_takes_an_edge_to_itself() {
    let turning = given(Obedient::new()).state(Place::Middle).when_message(&order("say", "hi"));
    turning
        .then_path(&[Place::Middle])
        .then_effects(&["INTERNAL Done"])
        .then_payload("Done", json!("hi"));
    let start = given(Obedient::new()).state(Place::Start).data(note("kept"));
    start.when_message(&order("go", "")).then_data(&note("kept"));
}

#[test]
fn what_no_database_takes_is_refused_with_its_code() {
    told("shout", "").then_rejected("effect-invalid");
    told("send", "").then_rejected("effect-invalid");
    told("write", "T-1").then_writes(&["upsert THINGS T-1"]);
    told("write", "too long").then_rejected("domain-write-invalid");
    told("hide", "T-1").then_rejected("domain-write-invalid");
    told("dream", "").then_rejected("timer-invalid");
    told("brood", "").then_rejected("timer-invalid");
    told("mumble", "").then_rejected("timer-invalid");
    told("note", &"é".repeat(200)).then_state(Place::Middle);
    told("note", &"é".repeat(201)).then_rejected("context-invalid");
    told("note", "a\0b").then_rejected("context-invalid");
    told("guess", "").then_rejected("fact-invalid");
    told("look", "a\0b").then_rejected("fact-invalid");
    told("be", "").then_rejected("correlation-missing");
}

#[test]
fn outcomes_that_move_nothing_pass_as_they_are() {
    told("retry", "").then_retried("TOLD_SO").then_nothing();
    told("reject", "").then_rejected("TOLD_SO").then_nothing();
    told("park", "").then_parked(4).then_nothing();
    told("whatever", "").then_stays(Stay::Duplicate).then_nothing();
}

#[test]
fn a_context_tells_all_that_a_decision_may_know() {
    let message = order("tell", "").source_version(7).attempts(2).header("trace", "t-1");
    told("go", "")
        .later(Duration::from_secs(5))
        .when_message(&message)
        .then_data(&note("Middle O-1 v2 seen None attempts 2 at 5s trace Some(\"t-1\")"))
        .when_message(&order("tell", ""))
        .then_data(&note("Middle O-1 v3 seen Some(7) attempts 0 at 5s trace None"));
}

#[test]
fn a_message_sees_the_facts_that_it_asked_for_and_no_others() {
    let things = || given(Obedient::new()).fact("thing", "T-1", []).fact("thing", "T-2", []);
    let known = || things().fact("twin", "T-1", []);
    known().when_message(&order("look", "T-1")).then_data(&note("1"));
    known().when_message(&order("look", "T-3")).then_data(&note("0"));
    known().when_message(&order("spy", "T-1")).then_data(&note("false"));
}

#[test]
fn a_timer_comes_back_to_its_instance() {
    told("wait", "").then_timers(&["set alarm"]).when_timer("alarm").then_stays(Stay::Nothing);
    told("wake", "").then_timers(&["cancel alarm"]);
    let elsewhere = TestMessage::new("Rest", json!(null)).topic("timer:OBEDIENT").aggregate("lane");
    let addressed = elsewhere.header("dipmo-instance", "O-1");
    told("go", "").when_message(&addressed).then_stays(Stay::Nothing);
}

#[test]
fn an_exploration_finds_what_is_not_declared() {
    let wild = || explore(given(Obedient::new()), &[order("go", "")]);
    let text = std::panic::catch_unwind(wild).unwrap_err().downcast::<String>().unwrap();
    assert!(text.starts_with("in state END, on Do: dipmo refused: [edge-undeclared]"), "{text}");
}

#[test]
#[should_panic(
    expected = "takes START --> MIDDLE: go(), MIDDLE --> MIDDLE: turn(), MIDDLE --> END"
)]
fn an_exploration_finds_what_nothing_takes() {
    let stay = explore(given(Obedient::new()), &[order("stay", "")]);
    assert_eq!(stay.decisions(), 4);
    stay.then_every_edge_was_taken();
}

#[test]
#[should_panic(expected = "in state START, on Do: it panicked: told to panic")]
fn an_exploration_says_where_it_panicked() {
    explore(given(Obedient::new()), &[order("panic", "")]);
}

#[test]
#[should_panic(expected = "after Do:\n  expected: it to advance\n      came: it stayed: Duplicate")]
fn a_failed_expectation_says_what_came_instead() {
    told("whatever", "").then_state(Place::Middle);
}

#[test]
#[should_panic(
    expected = "after Do, the effects:\n  expected: []\n      came: [\"INTERNAL Done\"]"
)]
fn a_failed_comparison_shows_both_sides() {
    told("say", "hi").then_effects(&[]);
}
