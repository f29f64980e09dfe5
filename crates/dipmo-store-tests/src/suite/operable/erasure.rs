//! Erasing what an aggregate left: everything of it is blank, nothing else changes, and nothing breaks.

use std::collections::{BTreeMap, BTreeSet};

use dipmo_domain::StoreError;
use dipmo_inbox::Stored;
use dipmo_store::admin::{
    Act, AuditFilter, AuditRow, Blanked, Erase, Erased, Operable, Page, Proof,
};
use dipmo_store::{Acted, BLANK, Changes, StateWrite, is_blank};

use super::actions::{begin, entry, items, perform_all, units};
use crate::OperableFixture;
use crate::support::{
    CANARY, ERASED, Script, batch, changed_state, ended, event, event_saying, everywhere, row_of,
    stored, suite_key, telling, work_off,
};

/// The tables that the word stands in.
const TABLES: [&str; 9] = [
    "dipmo_failure_group",
    "inbox_edit",
    "inbox_exception",
    "inbox_incident",
    "inbox_log",
    "outbox_exception",
    "outbox_log",
    "process_timer",
    "suite_process",
];

pub(super) fn wish(aggregate: &str) -> Erase {
    let ends = BTreeMap::from([("SUITE".to_owned(), vec!["ENDED".to_owned()])]);
    let entry = entry("aggregate.erase");
    Erase {
        aggregate: aggregate.to_owned(),
        instances: Vec::new(),
        ends,
        end_instances: false,
        entry,
    }
}

pub(super) async fn erased(store: &dyn Operable, wish: &Erase, dry_run: bool) -> Proof {
    match store.erase(wish, dry_run).await.unwrap() {
        Erased::Done(proof) => proof,
        Erased::Waits(waiting) => panic!("{waiting:?}"),
    }
}

/// The tables that a word stands in, whatever tables there are.
pub(super) async fn found_in(fixture: &impl OperableFixture, word: &str) -> BTreeSet<String> {
    let rows = fixture.dump().await;
    rows.into_iter().filter(|(_, row)| row.contains(word)).map(|(table, _)| table).collect()
}

async fn trail(store: &dyn Operable) -> Vec<AuditRow> {
    let filter =
        AuditFilter { action: Some("aggregate.erase".to_owned()), ..AuditFilter::default() };
    store.audit(&filter, Page::first(10)).await.unwrap().rows
}

fn counts(proof: &Proof, of: impl Fn(&Blanked) -> u64) -> BTreeMap<String, u64> {
    proof.tables.iter().map(|it| (it.table.to_lowercase(), of(it))).collect()
}

/// Nothing of it is found in any table that there is, its rows are there still, and the proof says so.
pub async fn nothing_of_it_is_left<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let left = everywhere(&*store).await;
    let before = found_in(&fixture, CANARY).await;
    let all: BTreeSet<String> = TABLES.map(str::to_owned).into();
    assert!(before.is_superset(&all), "{before:?}");
    let dry = erased(&*store, &wish(ERASED), true).await;
    let proof = erased(&*store, &wish(ERASED), false).await;
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::new());
    assert_eq!(proof.left(), 0);
    assert_eq!(counts(&proof, |it| it.blanked), counts(&dry, |it| it.left), "as it was told");
    let blanked = counts(&proof, |it| it.blanked);
    assert_eq!(blanked.keys().cloned().collect::<BTreeSet<_>>(), all, "every table is told");
    assert!(blanked.values().all(|count| *count > 0), "{blanked:?}");
    assert_eq!((blanked["inbox_log"], blanked["outbox_log"]), (3, 2), "{blanked:?}");
    assert_eq!(proof.instances, [suite_key(ERASED), suite_key("S-9")]);
    let row = row_of(&*store, left.skipped).await;
    assert_eq!(row.message.payload.unwrap().as_str(), BLANK);
    assert_eq!((row.message.aggregate_id.as_deref(), row.message.key_str), (Some(ERASED), None));
    let intent = store.intent(left.intents[0]).await.unwrap().unwrap();
    assert_eq!(intent.payload.as_str(), BLANK);
    let instance = store.instance(&suite_key(ERASED)).await.unwrap().unwrap();
    assert_eq!((instance.state.as_str(), instance.version), ("ENDED", 2));
    assert!(is_blank(&instance.context));
}

/// The audit has who, why and how much, and no word of it; and erasing again finds nothing.
pub async fn the_audit_has_the_counts<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    everywhere(&*store).await;
    let proof = erased(&*store, &wish(ERASED), false).await;
    let again = erased(&*store, &wish(ERASED), false).await;
    assert!(again.tables.iter().all(|it| (it.blanked, it.left) == (0, 0)), "{again:?}");
    let rows = trail(&*store).await;
    let entries: Vec<_> = rows.iter().map(|row| row.entry.clone()).collect();
    let wish = wish(ERASED);
    assert_eq!(entries, [wish.entry(&again), wish.entry(&proof)]);
    assert!(entries[1].detail.as_str().contains(r#""inbox_log":{"blanked":3,"left":0}"#));
}

/// A dry run changes nothing, and leaves no entry.
pub async fn a_dry_run_changes_nothing<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    everywhere(&*store).await;
    let before = fixture.dump().await;
    let proof = erased(&*store, &wish(ERASED), true).await;
    assert!(proof.left() > 0 && proof.tables.iter().all(|it| it.blanked == 0), "{proof:?}");
    assert_eq!(fixture.dump().await, before);
    assert!(trail(&*store).await.is_empty());
}

/// What is of others says what it said.
pub async fn others_are_left_alone<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let other = stored(&*store, &[event_saying("H-1", 1, r#"{"a":"Heronhans"}"#)]).await[0];
    let states = vec![StateWrite { failure: None, ..ended("H-1") }];
    let changes = Changes { states, ..Changes::default() };
    batch(&*store, Script::writing(|_| changes)).await.unwrap();
    let (message, instance) =
        (row_of(&*store, other).await, store.instance(&suite_key("H-1")).await);
    everywhere(&*store).await;
    erased(&*store, &wish(ERASED), false).await;
    assert_eq!(row_of(&*store, other).await, message);
    assert_eq!(store.instance(&suite_key("H-1")).await, instance);
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::from(["suite_process".to_owned()]));
}

/// Its ids are known: what came comes again as a duplicate, and what comes new is processed.
pub async fn what_comes_again_is_a_duplicate<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let left = everywhere(&*store).await;
    erased(&*store, &wish(ERASED), false).await;
    let again = store.store(&[telling(2)], &[]).await.unwrap();
    assert_eq!(again, [Stored::Duplicate(left.processed)]);
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::new());
    let new = stored(&*store, &[event(ERASED, 9)]).await;
    let worked = work_off(&*store, |_| crate::support::done()).await;
    assert_eq!(worked.iter().map(|it| it.message.id).collect::<Vec<_>>(), new);
}

/// What came since it was erased is erased when it is asked for again.
pub async fn what_came_since_is_erased_again<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    everywhere(&*store).await;
    erased(&*store, &wish(ERASED), false).await;
    stored(&*store, &[telling(3)]).await;
    work_off(&*store, |_| crate::support::done()).await;
    assert!(!found_in(&fixture, CANARY).await.is_empty());
    let proof = erased(&*store, &wish(ERASED), false).await;
    assert_eq!(counts(&proof, |it| it.blanked)["inbox_log"], 1);
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::new());
}

/// A unit that was delivered is not sent a second time: it would tell nothing.
pub async fn what_was_erased_is_not_sent_again<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let left = everywhere(&*store).await;
    erased(&*store, &wish(ERASED), false).await;
    let record = store.records(left.intents[0]).await.unwrap()[0].id;
    let wanted = [left.intents[1], record];
    let operation = begin(&*store, Act::Resend, units(&wanted)).await;
    assert_eq!(perform_all(&*store, &operation).await.done, 0);
    let results: Vec<_> =
        items(&*store, operation.id).await.into_iter().filter_map(|item| item.result).collect();
    let word = Acted::<dipmo_domain::OutboxStatus>::Erased.word();
    assert_eq!(results, [word, word]);
    assert_eq!(store.outbox_rows(10).await.unwrap().len(), 2);
}

/// A worker that read an instance before it was erased cannot write its context back.
pub async fn a_worker_does_not_bring_it_back<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    everywhere(&*store).await;
    erased(&*store, &wish(ERASED), false).await;
    stored(&*store, &[crate::support::marker()]).await;
    let late = |_: &_| Changes { states: vec![changed_state(ERASED, 1)], ..Changes::default() };
    let refused = batch(&*store, Script::writing(late)).await.map(drop);
    assert!(matches!(refused, Err(StoreError::VersionConflict { .. })), "{refused:?}");
}

/// An instance that goes by another id, and that nothing names, is erased when somebody names it.
pub async fn an_instance_that_is_named<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    stored(&*store, &[telling(1)]).await;
    let changes = Changes { states: vec![ended("S-7")], ..Changes::default() };
    batch(&*store, Script::writing(|_| changes)).await.unwrap();
    erased(&*store, &wish(ERASED), false).await;
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::from(["suite_process".to_owned()]));
    let wish = Erase { instances: vec![suite_key("S-7"), suite_key("S-0")], ..wish(ERASED) };
    let proof = erased(&*store, &wish, false).await;
    assert_eq!(proof.instances, [suite_key("S-7")], "what is not there is not made");
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::new());
}
