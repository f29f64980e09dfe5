//! Moving an instance of a process by hand.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_api::TimerChange;
use dipmo_domain::{Json, StoreError};
use dipmo_store::admin::{AuditFilter, AuditRow, Move, Moved, Operable, Page};
use dipmo_store::{Changes, StateRow, StateWrite, TimerWrite};

use super::actions::entry;
use crate::OperableFixture;
use crate::support::{
    LONG, Script, batch, changed_state, failure, marker, new_state, stored, suite_key,
};

async fn write(store: &dyn Operable, states: Vec<StateWrite>, timers: Vec<TimerWrite>) {
    stored(store, &[marker()]).await;
    let script = Script::writing(|_| Changes { states, timers, ..Changes::default() });
    batch(store, script).await.unwrap();
}

async fn row(store: &dyn Operable, id: &str) -> StateRow {
    store.instance(&suite_key(id)).await.unwrap().unwrap()
}

async fn trail(store: &dyn Operable) -> Vec<AuditRow> {
    store.audit(&AuditFilter::default(), Page::first(10)).await.unwrap().rows
}

fn to(state: &str, version: i64) -> Move {
    Move { key: suite_key("S-1"), version, to: state.to_owned(), entry: entry("process.move") }
}

fn timer(instance: &str, name: &'static str, after: Duration) -> TimerWrite {
    let payload = Json::parse("{}").unwrap();
    TimerWrite {
        instance: suite_key(instance),
        aggregate_id: "F-1".to_owned(),
        change: TimerChange::Set { name, after, event_type: "TimedOut", payload },
    }
}

/// Only where it stands changes, what went wrong is over, and the audit has it.
pub async fn an_instance_is_moved<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let failed = StateWrite {
        failure: Some(failure("odd")),
        attempts: 3,
        event_versions: BTreeMap::from([("ihub".to_owned(), 7)]),
        ..new_state("S-1")
    };
    write(&*store, vec![failed, new_state("S-2")], Vec::new()).await;
    let (before, other) = (row(&*store, "S-1").await, row(&*store, "S-2").await);
    let moved = store.move_instance(&to("ENDED", 1)).await.unwrap();
    assert_eq!(moved, Moved::Done { timers: 0 });
    let expected =
        StateRow { state: "ENDED".to_owned(), version: 2, attempts: 0, failure: None, ..before };
    assert_eq!(row(&*store, "S-1").await, expected);
    assert_eq!(row(&*store, "S-2").await, other);
    let trail = trail(&*store).await;
    assert_eq!(trail.iter().map(|it| &it.entry).collect::<Vec<_>>(), [&entry("process.move")]);
    assert!(store.outbox_rows(10).await.unwrap().is_empty(), "no effect is sent");
}

/// Its timers never come; those of others do.
pub async fn its_timers_are_taken_away<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let timers = vec![
        timer("S-1", "late", LONG),
        timer("S-1", "due", Duration::ZERO),
        timer("S-2", "due", Duration::ZERO),
    ];
    write(&*store, vec![new_state("S-1"), new_state("S-2")], timers).await;
    let of = async |id: &str, limit| store.timers_of(&suite_key(id), limit).await.unwrap();
    let lines = of("S-1", 10).await;
    let told: Vec<_> = lines.iter().map(|it| (it.name.as_str(), it.event_type.as_str())).collect();
    assert_eq!(told, [("due", "TimedOut"), ("late", "TimedOut")]);
    assert!(lines[0].due_at < lines[1].due_at);
    assert_eq!(of("S-1", 1).await, lines[..1]);
    let moved = store.move_instance(&to("WAITING", 1)).await.unwrap();
    assert_eq!(moved, Moved::Done { timers: 2 });
    assert_eq!((of("S-1", 10).await.len(), of("S-2", 10).await.len()), (0, 1));
    assert_eq!(store.fire_timers(10).await, Ok(1));
}

/// What went on since somebody looked is left alone, with its timers, and leaves no entry.
pub async fn what_went_on_meanwhile_is_left_alone<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    write(&*store, vec![new_state("S-1")], vec![timer("S-1", "late", LONG)]).await;
    write(&*store, vec![changed_state("S-1", 1)], Vec::new()).await;
    let before = row(&*store, "S-1").await;
    assert_eq!(store.move_instance(&to("ENDED", 1)).await, Ok(Moved::Changed));
    assert_eq!(row(&*store, "S-1").await, before);
    assert_eq!(store.timers_of(&suite_key("S-1"), 10).await.unwrap().len(), 1);
    assert!(trail(&*store).await.is_empty());
}

/// A worker that read the instance before it was moved writes nothing. Of two who move it one does.
pub async fn a_worker_who_decides_at_the_same_moment_decides_again<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    write(&*store, vec![new_state("S-1")], Vec::new()).await;
    let (ended, waiting) = (to("ENDED", 1), to("WAITING", 1));
    let (one, two) = tokio::join!(store.move_instance(&ended), another.move_instance(&waiting));
    let (one, two) = (one.unwrap(), two.unwrap());
    let done = Moved::Done { timers: 0 };
    assert!([one, two] == [done, Moved::Changed] || [one, two] == [Moved::Changed, done]);
    let moved = row(&*store, "S-1").await;
    assert_eq!((moved.version, trail(&*store).await.len()), (2, 1));
    stored(&*store, &[marker()]).await;
    let late = |_: &_| Changes { states: vec![changed_state("S-1", 1)], ..Changes::default() };
    let refused = batch(&*store, Script::writing(late)).await.map(drop);
    assert!(matches!(refused, Err(StoreError::VersionConflict { .. })), "{refused:?}");
    assert_eq!(row(&*store, "S-1").await, moved);
}

/// A state that the process does not have is refused, and nothing is written.
pub async fn a_state_of_no_process<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    write(&*store, vec![new_state("S-1")], vec![timer("S-1", "late", LONG)]).await;
    let before = row(&*store, "S-1").await;
    let refused = store.move_instance(&to("NOWHERE", 1)).await;
    assert!(matches!(refused, Err(StoreError::RowRefused { .. })), "{refused:?}");
    assert_eq!(row(&*store, "S-1").await, before);
    assert_eq!(store.timers_of(&suite_key("S-1"), 10).await.unwrap().len(), 1);
    assert!(trail(&*store).await.is_empty());
}

/// What is not there is not made.
pub async fn nobody_is_moved<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    assert_eq!(store.move_instance(&to("ENDED", 1)).await, Ok(Moved::NotFound));
    assert_eq!(store.instance(&suite_key("S-1")).await, Ok(None));
    assert!(trail(&*store).await.is_empty());
}
