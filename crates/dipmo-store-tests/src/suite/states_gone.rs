//! Instances that stand in a state which their process does not have any more.

use dipmo_api::table::{Column, ColumnKind};
use dipmo_domain::{Coded as _, Failure, StoreError};
use dipmo_store::{Changes, StateMapping, StateWrite, Store, Stray, Tables};

use super::migrations::write_state;
use crate::support::{Script, batch, changed_state, marker, new_state, stored, suite_key};
use crate::{Fixture, items_table, suite_process, suite_tables};

/// The tables of the suite with other states of its process.
fn with_states(states: &[&'static str]) -> Tables {
    let mut process = (*suite_process()).clone();
    process.states = states.to_vec();
    Tables { processes: vec![process.checked().unwrap()], ..suite_tables() }
}

/// Without WAITING, and with a state that is new.
fn changed() -> Tables {
    with_states(&["STARTED", "PAUSED", "ENDED", "FAILED"])
}

fn waiting(id: &str) -> StateWrite {
    StateWrite { state: "WAITING".to_owned(), ..new_state(id) }
}

fn waiting_goes_to(state: &str) -> StateMapping {
    StateMapping::default().and("SUITE", "WAITING", state)
}

async fn state_of(store: &dyn Store, id: &str) -> (String, i64) {
    let row = store.instance(&suite_key(id)).await.unwrap().unwrap();
    (row.state, row.version)
}

async fn refusal(store: &dyn Store, state: StateWrite) -> StoreError {
    stored(store, &[marker()]).await;
    let changes = Changes { states: vec![state], ..Changes::default() };
    let error = batch(store, Script::writing(|_| changes)).await.unwrap_err();
    batch(store, Script::process_all()).await.unwrap();
    error
}

/// They are listed by state, and nobody is while the definition has all states.
pub async fn they_are_listed<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    for id in ["S-2", "S-1"] {
        write_state(&*store, waiting(id)).await;
    }
    write_state(&*store, new_state("S-3")).await;
    assert_eq!(store.strays(&suite_tables()).await, Ok(vec![]));
    let expected = Stray {
        process: "SUITE".to_owned(),
        state: "WAITING".to_owned(),
        count: 2,
        ids: vec!["S-1".to_owned(), "S-2".to_owned()],
        newer: false,
    };
    assert_eq!(store.strays(&changed()).await, Ok(vec![expected]));
    assert_eq!(store.strays(&Tables::default()).await, Ok(vec![]), "a process that is no more");
}

/// Of many, twenty are named and all are counted.
pub async fn many_are_counted<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[marker()]).await;
    let states = (0..31).map(|n| waiting(&format!("S-{n}"))).collect();
    let changes = Changes { states, ..Changes::default() };
    batch(&*store, Script::writing(|_| changes)).await.unwrap();
    let strays = store.strays(&changed()).await.unwrap();
    assert_eq!((strays.len(), strays[0].count, strays[0].ids.len()), (1, 31, 20));
}

/// Migrating is refused while they are not mapped, and nothing is changed.
pub async fn migrating_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_state(&*store, waiting("S-1")).await;
    let others = StateMapping::default().and("SUITE", "PARKED", "STARTED");
    for mapping in [StateMapping::default(), others] {
        let error =
            fixture.another().await.migrate_mapping(&changed(), &mapping).await.unwrap_err();
        let strays = "SUITE has 1 in WAITING (S-1)".to_owned();
        assert_eq!(error, StoreError::StatesGone { strays });
        assert_eq!(error.code().as_str(), "states-gone");
    }
    assert_eq!(state_of(&*store, "S-1").await, ("WAITING".to_owned(), 1));
    let paused = StateWrite { state: "PAUSED".to_owned(), ..new_state("S-2") };
    let error = refusal(&*store, paused).await;
    assert!(matches!(error, StoreError::RowRefused { .. }), "{error:?}");
    let plan = store.plan(&changed()).await.unwrap();
    assert_eq!(plan.states.len(), 1, "{plan:?}");
}

/// A mapping moves them, to a state that is new as well; VERSION goes up, and all else stays.
pub async fn a_mapping_moves_them<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let failure = Some(Failure::new("odd", "was odd"));
    write_state(&*store, StateWrite { attempts: 3, failure, ..waiting("S-1") }).await;
    write_state(&*store, new_state("S-2")).await;
    let before = store.instance(&suite_key("S-1")).await.unwrap().unwrap();
    let applied = store.migrate_mapping(&changed(), &waiting_goes_to("PAUSED")).await;
    assert_eq!(applied, Ok(vec![]));
    let after = store.instance(&suite_key("S-1")).await.unwrap().unwrap();
    assert_eq!((after.state.as_str(), after.version), ("PAUSED", 2));
    let rest = dipmo_store::StateRow { state: before.state.clone(), version: 1, ..after };
    assert_eq!(rest, before);
    assert_eq!(
        state_of(&*store, "S-2").await,
        ("STARTED".to_owned(), 1),
        "no other one is touched"
    );
    assert_eq!(store.strays(&changed()).await, Ok(vec![]));
    assert_eq!(store.migrate(&changed()).await, Ok(vec![]), "and it need not be said again");
}

/// A batch that had read an instance before it was moved cannot write it.
pub async fn what_was_read_before_cannot_be_written<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_state(&*store, waiting("S-1")).await;
    store.migrate_mapping(&changed(), &waiting_goes_to("STARTED")).await.unwrap();
    let late = StateWrite { state: "ENDED".to_owned(), ..changed_state("S-1", 1) };
    let error = refusal(&*store, late).await;
    assert!(matches!(error, StoreError::VersionConflict { .. }), "{error:?}");
    assert_eq!(state_of(&*store, "S-1").await, ("STARTED".to_owned(), 2));
}

/// A state that was mapped is forgotten: nobody comes to it any more.
pub async fn a_state_that_was_mapped_is_forgotten<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_state(&*store, waiting("S-1")).await;
    store.migrate_mapping(&changed(), &waiting_goes_to("STARTED")).await.unwrap();
    let error = refusal(&*store, waiting("S-2")).await;
    assert!(matches!(error, StoreError::RowRefused { .. }), "{error:?}");
}

/// A state that is gone and was not mapped is still allowed: an older version may be running.
pub async fn a_state_that_is_only_gone_is_allowed<F: Fixture>() {
    let fixture = F::fresh().await;
    let (newer, older) = (fixture.store(), fixture.another().await);
    newer.migrate(&changed()).await.unwrap();
    write_state(&*older, waiting("S-1")).await;
    assert_eq!(newer.strays(&changed()).await.unwrap().len(), 1, "and it is found");
}

/// An older version starts while instances stand in a state of a newer one, and lets them be.
pub async fn a_state_of_a_newer_version_is_no_matter<F: Fixture>() {
    let fixture = F::fresh().await;
    let (newer, older) = (fixture.store(), fixture.another().await);
    let with_new = with_states(&["STARTED", "WAITING", "ENDED", "FAILED", "ARCHIVED"]);
    newer.migrate(&with_new).await.unwrap();
    let archived = |id: &str| StateWrite { state: "ARCHIVED".to_owned(), ..new_state(id) };
    write_state(&*newer, archived("S-1")).await;
    assert_eq!(older.migrate(&suite_tables()).await, Ok(vec![]));
    let strays = older.strays(&suite_tables()).await.unwrap();
    assert_eq!((strays.len(), strays[0].newer), (1, true), "it is told all the same");
    write_state(&*newer, archived("S-2")).await;
    assert_eq!(newer.migrate(&with_new).await, Ok(vec![]));
}

/// Whoever goes back for good says what becomes of the newer states.
pub async fn a_newer_state_can_be_mapped_back<F: Fixture>() {
    let fixture = F::fresh().await;
    let (newer, older) = (fixture.store(), fixture.another().await);
    newer
        .migrate(&with_states(&["STARTED", "WAITING", "ENDED", "FAILED", "ARCHIVED"]))
        .await
        .unwrap();
    write_state(&*newer, StateWrite { state: "ARCHIVED".to_owned(), ..new_state("S-1") }).await;
    let mapping = StateMapping::default().and("SUITE", "ARCHIVED", "ENDED");
    older.migrate_mapping(&suite_tables(), &mapping).await.unwrap();
    assert_eq!(state_of(&*older, "S-1").await, ("ENDED".to_owned(), 2));
}

/// An older version that starts again may use its states, and the newer one is told.
pub async fn an_older_version_gets_its_states_back<F: Fixture>() {
    let fixture = F::fresh().await;
    let (newer, older) = (fixture.store(), fixture.another().await);
    newer.migrate_mapping(&changed(), &waiting_goes_to("STARTED")).await.unwrap();
    older.migrate(&suite_tables()).await.unwrap();
    write_state(&*older, waiting("S-1")).await;
    let error = newer.migrate(&changed()).await.unwrap_err();
    assert!(matches!(error, StoreError::StatesGone { .. }), "{error:?}");
    newer.migrate_mapping(&changed(), &waiting_goes_to("PAUSED")).await.unwrap();
    assert_eq!(state_of(&*newer, "S-1").await, ("PAUSED".to_owned(), 2));
}

/// A mapping that does not fit the definitions is refused, and nothing is changed.
pub async fn a_mapping_that_does_not_fit_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_state(&*store, waiting("S-1")).await;
    let none = StateMapping::default;
    for mapping in [
        none().and("NOBODY", "WAITING", "STARTED"),
        none().and("SUITE", "WAITING", "NOWHERE"),
        none().and("SUITE", "WAITING", "STARTED").and("SUITE", "ENDED", "STARTED"),
    ] {
        let error = store.migrate_mapping(&changed(), &mapping).await.unwrap_err();
        assert!(matches!(error, StoreError::MappingInvalid { .. }), "{error:?}");
    }
    assert_eq!(state_of(&*store, "S-1").await, ("WAITING".to_owned(), 1));
}

/// A migration that fails after it has moved some leaves everything as it was.
pub async fn a_failed_migration_moves_nobody<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_state(&*store, waiting("S-1")).await;
    let mut tables = changed();
    let mut items = (*items_table()).clone();
    let other_kind = |column: &mut Column| column.kind = ColumnKind::Integer;
    items.columns.iter_mut().filter(|column| column.name == "SEEN_AT").for_each(other_kind);
    tables.domain = vec![items.checked().unwrap()];
    let error = store.migrate_mapping(&tables, &waiting_goes_to("PAUSED")).await.unwrap_err();
    assert!(matches!(error, StoreError::TableMismatch { .. }), "{error:?}");
    assert_eq!(state_of(&*store, "S-1").await, ("WAITING".to_owned(), 1));
    write_state(&*store, waiting("S-2")).await;
}
