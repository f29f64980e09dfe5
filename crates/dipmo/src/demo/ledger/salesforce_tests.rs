//! The last stretch can fail: records are shown as they should be, and with one thing wrong.

use dipmo_domain::OutboxStatus;

use super::salesforce::judge;
use super::{Kind, SalesforceFigures};
use crate::demo::book::{Book, Ending, Promise, RecordPromise};
use crate::demo::facts::{Facts, IntentFact, RecordFact};
use crate::demo::org::Write;

const REFUSED: &str = "REQUIRED_FIELD_MISSING";

/// Two members, one of whom changed once, and one that Salesforce refuses.
fn book() -> Book {
    let record = |key: &str, version, refused| RecordPromise {
        object: "Contact",
        key: key.to_owned(),
        version,
        refused,
    };
    let records =
        vec![record("M-1", 3, None), record("M-2", 2, None), record("M-3", 2, Some(REFUSED))];
    let ending = Ending { state: Some("KNOWN"), records, ..Ending::default() };
    let aggregate = "F-1".to_owned();
    let (endings, kept) = (vec![ending], Vec::new());
    let promise = Promise { plot: "refused", process: "FAMILY", aggregate, endings, kept };
    Book { promises: vec![promise] }
}

fn intent(id: i64, keys: &[&str]) -> IntentFact {
    let record = |key: &&str| {
        let is_refused = *key == "M-3";
        let status = if is_refused { OutboxStatus::Failed } else { OutboxStatus::Dispatched };
        let code = is_refused.then(|| REFUSED.to_owned());
        RecordFact { key: (*key).to_owned(), status, code }
    };
    IntentFact {
        id,
        destination: "HTTP:SFDC:Auto:Contact".to_owned(),
        aggregate: "F-1".to_owned(),
        label: String::new(),
        status: OutboxStatus::Failed,
        records: keys.iter().map(record).collect(),
    }
}

fn write(version: i64) -> Write {
    Write { version, is_answered: true }
}

/// One that the sender never heard of.
fn lost(version: i64) -> Write {
    Write { version, is_answered: false }
}

fn facts() -> Facts {
    let outbox = vec![intent(1, &["M-1", "M-2", "M-3"]), intent(2, &["M-1"])];
    let mut facts = Facts { outbox, ..Facts::default() };
    for (key, version, writes) in
        [("M-1", 3, vec![write(2), write(3)]), ("M-2", 2, vec![write(2)]), ("M-3", 2, vec![])]
    {
        facts.rows.insert(("Contact", key.to_owned()), version);
        if !writes.is_empty() {
            facts.org.writes.insert(("Contact", key.to_owned()), writes);
        }
    }
    facts
}

fn settle(change: impl FnOnce(&mut Facts)) -> (SalesforceFigures, Vec<(Kind, String)>) {
    let mut facts = facts();
    change(&mut facts);
    let (figures, complaints) = judge(&book(), &facts);
    (figures, complaints.into_iter().map(|complaint| (complaint.kind, complaint.text)).collect())
}

/// What a change of the writes of M-1 is found as.
fn kinds(writes: &[Write]) -> Vec<Kind> {
    let (_, wrong) = settle(|facts| {
        facts.org.writes.insert(("Contact", "M-1".to_owned()), writes.to_vec());
    });
    wrong.into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn records_as_promised_are_counted_and_right() {
    let (figures, wrong) = settle(|_| {});
    assert_eq!(wrong, []);
    assert_eq!((figures.intents, figures.asked, figures.records), (2, 4, 3));
    assert_eq!((figures.newest, figures.refused, figures.writes), (2, 1, 3));
    assert_eq!((figures.coalesced, figures.redelivered), (0, 0));
}

#[test]
fn a_row_that_nobody_promised_is_unexpected() {
    let (_, wrong) = settle(|facts| {
        facts.rows.insert(("Contact", "M-9".to_owned()), 1);
    });
    assert_eq!(wrong, [(Kind::Unexpected, "Contact M-9 is in no book".to_owned())]);
}

#[test]
fn one_write_may_answer_for_two_intents() {
    assert_eq!(kinds(&[write(3)]), []);
    let (figures, _) = settle(|facts| {
        facts.org.writes.insert(("Contact", "M-1".to_owned()), vec![write(3)]);
    });
    assert_eq!((figures.coalesced, figures.newest), (1, 2));
}

#[test]
fn a_record_that_is_not_there_or_ends_older_is_lost() {
    let (_, wrong) = settle(|facts| drop(facts.org.writes.remove(&("Contact", "M-1".to_owned()))));
    assert_eq!(wrong, [(Kind::Lost, "Contact M-1: was never written".to_owned())]);
    assert_eq!(kinds(&[write(2)]), [Kind::Lost]);
    assert_eq!(kinds(&[lost(3), lost(2)]), [Kind::Lost], "even if nobody could know");
    assert_eq!(kinds(&[write(2), write(4)]), [Kind::Unexpected], "nobody wrote version 4");
}

#[test]
fn an_older_version_behind_a_newer_one_is_reordered_unless_its_answer_was_lost() {
    assert_eq!(kinds(&[write(3), write(2), lost(3)]), [Kind::Reordered, Kind::Doubled]);
    assert_eq!(kinds(&[write(3), lost(2), write(3)]), []);
}

#[test]
fn a_write_that_came_again_is_a_redelivery_when_its_answer_was_lost_and_else_doubled() {
    assert_eq!(kinds(&[lost(2), write(2), write(3)]), []);
    assert_eq!(kinds(&[write(2), write(3), write(3)]), [Kind::Doubled]);
    let again = vec![lost(2), lost(2), write(2), write(3)];
    let (figures, wrong) =
        settle(|facts| drop(facts.org.writes.insert(("Contact", "M-1".to_owned()), again)));
    assert_eq!((figures.redelivered, wrong), (2, vec![]));
}

#[test]
fn what_was_to_be_refused_must_have_failed_with_that_code() {
    let written = |facts: &mut Facts| {
        facts.org.writes.insert(("Contact", "M-3".to_owned()), vec![lost(2)]);
    };
    assert_eq!(settle(written).1[0].0, Kind::Unexpected);
    let other = |facts: &mut Facts| facts.outbox[0].records[2].code = Some("OTHER".to_owned());
    let text = "Contact M-3: FAILED OTHER, not FAILED REQUIRED_FIELD_MISSING".to_owned();
    assert_eq!(settle(other).1, [(Kind::Unexpected, text)]);
}

#[test]
fn what_never_ended_is_lost_and_what_failed_is_unexpected() {
    let open = |facts: &mut Facts| facts.outbox[1].records[0].status = OutboxStatus::Pending;
    assert_eq!(settle(open).1[0].0, Kind::Doubled, "and it was written twice for one intent");
    assert_eq!(settle(open).1[1].0, Kind::Lost);
    let failed = |facts: &mut Facts| facts.outbox[0].records[1].status = OutboxStatus::Failed;
    assert_eq!(settle(failed).1.last().map(|it| it.0), Some(Kind::Unexpected));
}

#[test]
fn what_is_in_no_book_is_unexpected() {
    let stranger = |facts: &mut Facts| {
        facts.org.writes.insert(("Contact", "M-9".to_owned()), vec![write(1)]);
    };
    assert_eq!(settle(stranger).1, [(Kind::Unexpected, "Contact M-9 is in no book".to_owned())]);
    let row = |facts: &mut Facts| {
        facts.rows.insert(("Contact", "M-2".to_owned()), 1);
    };
    let text = "Contact M-2: its row is at 1, not at 2".to_owned();
    assert_eq!(settle(row).1, [(Kind::Unexpected, text)]);
}
