//! The ledger can fail: it is shown a good run, and the same run with one thing wrong.

use dipmo_domain::{InboxStatus, OutboxStatus, Outcome};
use serde_json::json;

use super::*;
use crate::demo::book::{Ending, Expected, Fate, Promise};
use crate::demo::facts::MessageFact;
use crate::demo::recorder::Arrival;

const KAFKA: &str = "KAFKA:hit-events";

/// One hit with two messages and two announcements, and the listener that heard of them.
fn book() -> Book {
    let done = Fate::Ended(Outcome::Done);
    let announced = ["HitQualified", "ReviewStarted"];
    let effects = announced.iter().flat_map(|event_type| {
        ["INTERNAL", KAFKA].map(|place| Expected::new(place, event_type, &json!({})))
    });
    let ending = Ending {
        state: Some("COMPLETED"),
        messages: vec![("H-1/1".to_owned(), done), ("H-1/2".to_owned(), done)],
        effects: effects.collect(),
        ..Ending::default()
    };
    let aggregate = "H-1".to_owned();
    let (endings, kept) = (vec![ending], Vec::new());
    let promise = Promise { plot: "reviewed", process: "HIT", aggregate, endings, kept };
    Book { promises: vec![promise] }
}

fn message(id: &str, source: &str, label: &str) -> MessageFact {
    MessageFact {
        id: id.to_owned(),
        source: source.to_owned(),
        aggregate: "H-1".to_owned(),
        label: label.to_owned(),
        status: InboxStatus::Processed,
        outcome: Some(Outcome::Done),
        code: None,
        is_held: false,
        kept: None,
    }
}

fn intent(id: i64, destination: &str, label: &str) -> IntentFact {
    IntentFact {
        id,
        destination: destination.to_owned(),
        aggregate: "H-1".to_owned(),
        label: label.to_owned(),
        status: OutboxStatus::Dispatched,
        records: Vec::new(),
    }
}

fn facts() -> Facts {
    let labels = ["HitQualified {}", "ReviewStarted {}"];
    let mut facts = Facts {
        inbox: vec![message("H-1/1", "ihub", ""), message("H-1/2", "ihub", "")],
        ..Facts::default()
    };
    let mut arrived = Vec::new();
    for (number, label) in (1..).zip(labels) {
        facts.inbox.push(message(&format!("outbox:{number}"), "internal", label));
        facts.outbox.push(intent(number, "INTERNAL", label));
        facts.outbox.push(intent(number + 10, KAFKA, label));
        arrived.push(Arrival { label: label.to_owned(), key: format!("dipmo-{number}") });
    }
    facts.arrived.insert((KAFKA.to_owned(), "H-1".to_owned()), arrived);
    facts.heard.insert("H-1".to_owned(), labels.map(str::to_owned).to_vec());
    facts.states.insert(("HIT", "H-1".to_owned()), "COMPLETED".to_owned());
    facts.hits.insert("H-1".to_owned(), "COMPLETED".to_owned());
    facts
}

/// The complaints about the run after a change.
fn wrong(change: impl FnOnce(&mut Facts)) -> Vec<(Kind, String)> {
    let mut facts = facts();
    change(&mut facts);
    let ledger = Ledger::settle(&book(), &facts);
    assert_eq!(ledger.is_clean(), ledger.complaints.is_empty());
    ledger.complaints.into_iter().map(|complaint| (complaint.kind, complaint.text)).collect()
}

fn arrivals(facts: &mut Facts) -> &mut Vec<Arrival> {
    facts.arrived.get_mut(&(KAFKA.to_owned(), "H-1".to_owned())).unwrap()
}

#[test]
fn a_good_run_balances() {
    assert_eq!(wrong(|_| {}), []);
}

#[test]
fn a_hit_that_nobody_promised_is_named() {
    let wrong = wrong(|facts| drop(facts.hits.insert("H-9".to_owned(), "COMPLETED".to_owned())));
    assert_eq!(wrong, [(Kind::Unexpected, "HITS H-9: is in no book".to_owned())]);
}

#[test]
fn a_lost_delivery_is_named() {
    let wrong = wrong(|facts| drop(arrivals(facts).pop()));
    let text = "KAFKA:hit-events H-1: ReviewStarted {} (reviewed)".to_owned();
    assert_eq!(wrong, [(Kind::Lost, text)]);
}

#[test]
fn a_doubled_delivery_is_named() {
    let wrong = wrong(|facts| {
        let again = Arrival { key: "dipmo-99".to_owned(), ..arrivals(facts)[0].clone() };
        arrivals(facts).push(again);
    });
    let text = "KAFKA:hit-events H-1: HitQualified {} (reviewed)".to_owned();
    assert_eq!(wrong, [(Kind::Doubled, text)]);
}

#[test]
fn a_reordered_delivery_is_named() {
    let wrong = wrong(|facts| arrivals(facts).reverse());
    let text = "KAFKA:hit-events H-1: ReviewStarted {} (reviewed)".to_owned();
    assert_eq!(wrong, [(Kind::Reordered, text)]);
}

/// What a change is found as.
fn kinds(change: impl FnOnce(&mut Facts)) -> Vec<Kind> {
    wrong(change).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn a_message_that_is_gone_or_never_ends_is_lost() {
    assert_eq!(kinds(|facts| drop(facts.inbox.remove(0))), [Kind::Lost]);
    let stuck = |facts: &mut Facts| {
        facts.inbox[1].status = InboxStatus::Received;
        facts.inbox[1].outcome = None;
    };
    assert_eq!(kinds(stuck), [Kind::Lost]);
    assert_eq!(kinds(|facts| facts.states.clear()), [Kind::Lost]);
}

#[test]
fn a_record_that_kafka_lost_is_named() {
    let wrong = wrong(|facts| facts.lost_on_the_wire.push("H-1/2 at t[0]@7".to_owned()));
    assert_eq!(wrong, [(Kind::Lost, "record H-1/2 at t[0]@7: was never stored".to_owned())]);
    assert_eq!(
        kinds(|facts| facts.found_on_the_wire.push("t[0]@8".to_owned())),
        [Kind::Unexpected]
    );
}

#[test]
fn bytes_that_are_not_kept_as_they_came_are_named() {
    let mut book = book();
    let bytes = b"{\"id\": \"H-1".to_vec();
    book.promises[0].kept.push(("H-1/3".to_owned(), bytes.clone()));
    book.promises[0].endings[0].messages.push(("H-1/3".to_owned(), Fate::Undecodable));
    let mut facts = facts();
    let row = message("H-1/3", "ihub", "");
    let (status, kept) = (InboxStatus::SerdeError, Some(bytes));
    facts.inbox.push(MessageFact { status, outcome: None, kept, ..row });
    assert!(Ledger::settle(&book, &facts).is_clean());
    facts.inbox.last_mut().unwrap().kept = Some(b"{".to_vec());
    let complaints = Ledger::settle(&book, &facts).complaints;
    let text = "message H-1/3: is not kept as it came (reviewed)".to_owned();
    assert_eq!(complaints, [Complaint { kind: Kind::Unexpected, text }]);
}

#[test]
fn a_step_that_was_taken_twice_is_doubled() {
    let twice = |facts: &mut Facts| {
        facts.inbox.push(message("H-1/1", "ihub", ""));
    };
    assert_eq!(kinds(twice), [Kind::Doubled]);
    let heard_twice = |facts: &mut Facts| {
        let heard = facts.heard.get_mut("H-1").unwrap();
        heard.push(heard[1].clone());
    };
    assert_eq!(kinds(heard_twice), [Kind::Doubled]);
    let written_twice = |facts: &mut Facts| {
        facts.outbox.push(intent(30, KAFKA, "HitQualified {}"));
        let arrival = arrivals(facts)[0].clone();
        arrivals(facts).push(arrival);
    };
    assert_eq!(kinds(written_twice), [Kind::Doubled]);
}

#[test]
fn a_listener_that_heard_it_the_other_way_round_is_found() {
    let swapped = |facts: &mut Facts| facts.heard.get_mut("H-1").unwrap().reverse();
    assert_eq!(kinds(swapped), [Kind::Reordered]);
}

#[test]
fn what_is_in_no_book_is_unexpected() {
    let failed = |facts: &mut Facts| {
        facts.inbox[0].status = InboxStatus::Failed;
        facts.inbox[0].outcome = None;
        facts.inbox[0].code = Some("process-panicked".to_owned());
    };
    assert_eq!(kinds(failed), [Kind::Unexpected]);
    let stranger = |facts: &mut Facts| facts.inbox[0].aggregate = "H-2".to_owned();
    assert_eq!(kinds(stranger), [Kind::Lost, Kind::Unexpected]);
    let incident = |facts: &mut Facts| facts.incidents = 1;
    assert_eq!(kinds(incident), [Kind::Unexpected]);
    let answer = |facts: &mut Facts| facts.sent.wrong_answers.push("H-1/1".to_owned());
    assert_eq!(kinds(answer), [Kind::Unexpected]);
}

#[test]
fn either_ending_is_right_but_not_a_bit_of_both() {
    let mut book = book();
    let other = book.promises[0].endings[0].clone().timed_out("FAILED");
    let stale = Fate::Ended(Outcome::Stale);
    book.promises[0].endings.push(other.but("H-1/2", stale));
    let mut facts = facts();
    assert!(Ledger::settle(&book, &facts).is_clean());
    facts.states.insert(("HIT", "H-1".to_owned()), "FAILED".to_owned());
    facts.hits.insert("H-1".to_owned(), "FAILED".to_owned());
    assert!(!Ledger::settle(&book, &facts).is_clean());
    facts.inbox[1].outcome = Some(Outcome::Stale);
    facts.inbox.push(message("HIT:review-overdue:1", "timer", "ReviewOverdue {}"));
    assert!(Ledger::settle(&book, &facts).is_clean());
}
