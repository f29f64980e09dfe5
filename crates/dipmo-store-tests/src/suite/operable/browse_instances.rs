//! Instances of a process: by state, by how their ids begin, and those that failed.

use std::collections::BTreeSet;

use dipmo_domain::StoreError;
use dipmo_store::admin::{InstanceFilter, Operable};
use dipmo_store::{Changes, StateRow, StateWrite};

use crate::OperableFixture;
use crate::support::{Script, batch, failure, marker, new_state, stored, suite_key};

async fn write(store: &dyn Operable, states: Vec<StateWrite>) {
    stored(store, &[marker()]).await;
    let script = Script::writing(|_| Changes { states, ..Changes::default() });
    batch(store, script).await.unwrap();
}

/// Thirty instances: every third waits, every fifth has a failure.
async fn thirty(store: &dyn Operable) -> Vec<StateRow> {
    let state = |number: usize| StateWrite {
        state: if number.is_multiple_of(3) { "WAITING" } else { "STARTED" }.to_owned(),
        failure: number.is_multiple_of(5).then(|| failure("odd")),
        ..new_state(&format!("I-{number:02}"))
    };
    write(store, (0..30).map(state).collect()).await;
    let mut rows = Vec::new();
    for number in 0..30 {
        let key = suite_key(&format!("I-{number:02}"));
        rows.push(store.instance(&key).await.unwrap().unwrap());
    }
    rows
}

/// All that a filter finds, in pages of so many.
async fn through(store: &dyn Operable, filter: &InstanceFilter, limit: u32) -> Vec<StateRow> {
    let (mut rows, mut behind): (Vec<_>, Option<String>) = (Vec::new(), None);
    loop {
        let page = store.instances("SUITE", filter, behind.as_deref(), limit).await.unwrap();
        assert!(page.rows.len() <= usize::try_from(limit).unwrap());
        rows.extend(page.rows);
        let Some(next) = page.next else { return rows };
        assert!(behind.is_none_or(|behind| next > behind), "{next} does not lead on");
        behind = Some(next);
    }
}

/// Each filter finds its own, in the order of ids, in pages of any size.
pub async fn each_filter_finds_its_own<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let rows = thirty(&*store).await;
    let all = InstanceFilter::default();
    let waiting = InstanceFilter { state: Some("WAITING".to_owned()), ..all.clone() };
    let begins = InstanceFilter { id_prefix: Some("I-1".to_owned()), ..all.clone() };
    let failed = InstanceFilter { failed: true, ..all.clone() };
    let every = InstanceFilter { state: waiting.state.clone(), failed: true, ..begins.clone() };
    let nobody = InstanceFilter { state: Some("ENDED".to_owned()), ..all.clone() };
    for (filter, count) in
        [(all, 30), (waiting, 10), (begins, 10), (failed, 6), (every, 1), (nobody, 0)]
    {
        let fits = |row: &&StateRow| {
            filter.state.as_ref().is_none_or(|state| row.state == *state)
                && filter.id_prefix.as_ref().is_none_or(|prefix| row.key.id.starts_with(prefix))
                && (!filter.failed || row.failure.is_some())
        };
        let expected: Vec<_> = rows.iter().filter(fits).cloned().collect();
        assert_eq!(expected.len(), count, "{filter:?}");
        for limit in [1, 4, 100] {
            assert_eq!(through(&*store, &filter, limit).await, expected, "{filter:?} by {limit}");
        }
    }
}

/// A page begins behind an id, whether that is there or not.
pub async fn behind_an_id<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    thirty(&*store).await;
    let begins = InstanceFilter { id_prefix: Some("I-1".to_owned()), ..InstanceFilter::default() };
    let first = async |filter: &InstanceFilter, behind: &str| {
        let page = store.instances("SUITE", filter, Some(behind), 1).await.unwrap();
        page.rows.first().map(|row| row.key.id.clone())
    };
    for (behind, all, some) in [
        ("", Some("I-00"), Some("I-10")),
        ("I-05", Some("I-06"), Some("I-10")),
        ("I-055", Some("I-06"), Some("I-10")),
        ("I-10", Some("I-11"), Some("I-11")),
        ("I-19", Some("I-20"), None),
        ("I-29", None, None),
    ] {
        assert_eq!(first(&InstanceFilter::default(), behind).await.as_deref(), all, "{behind}");
        assert_eq!(first(&begins, behind).await.as_deref(), some, "{behind}");
    }
}

/// How an id begins is taken as it is written.
pub async fn a_prefix_is_no_pattern<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = ["a_b", "axb", "a%b", "ab", "a\\b", "A_b", "ü-1", "ü-2", "a_c"];
    write(&*store, ids.iter().map(|id| new_state(id)).collect()).await;
    for prefix in ["a_", "a%", "a\\", "a", "A", "ü", "ü-2", "a_b", "a_bc", "'", ""] {
        let id_prefix = Some(prefix.to_owned());
        let filter = InstanceFilter { id_prefix, ..InstanceFilter::default() };
        let page = store.instances("SUITE", &filter, None, 100).await.unwrap();
        let found: BTreeSet<_> = page.rows.iter().map(|row| row.key.id.as_str()).collect();
        let expected: BTreeSet<_> = ids.into_iter().filter(|id| id.starts_with(prefix)).collect();
        assert_eq!(found, expected, "{prefix}");
    }
}

/// A process without a table is an error that names it, whatever its name is.
pub async fn a_process_without_a_table<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    for name in ["NOBODY", "X\"; DROP TABLE inbox_log; --"] {
        let filter = InstanceFilter::default();
        let error = store.instances(name, &filter, None, 10).await.unwrap_err();
        let StoreError::TableMismatch { table, .. } = &error else { panic!("{error:?}") };
        assert_eq!(*table, format!("{name}_PROCESS"));
    }
}
