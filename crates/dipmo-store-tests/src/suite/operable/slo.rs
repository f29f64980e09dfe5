//! What was promised, and how often it was kept.

use std::time::Duration;

use dipmo_domain::Timestamp;
use dipmo_store::admin::{Operable, SloCount};

use crate::OperableFixture;

const HOUR: Duration = Duration::from_secs(3_600);

fn count(name: &str, good: u64, total: u64) -> SloCount {
    SloCount { name: name.to_owned(), good, total }
}

/// All that was counted, whatever the hour: one may end while a test runs.
async fn sums(store: &dyn Operable) -> Vec<(String, u64, u64)> {
    let mut sums: Vec<(String, u64, u64)> = Vec::new();
    for row in store.slo_hours(Timestamp::EPOCH).await.unwrap() {
        let SloCount { name, good, total } = row.count;
        match sums.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, all_good, all)) => (*all_good, *all) = (*all_good + good, *all + total),
            None => sums.push((name, good, total)),
        }
    }
    sums.sort();
    sums
}

fn told(name: &str, good: u64, total: u64) -> (String, u64, u64) {
    (name.to_owned(), good, total)
}

/// What several instances count adds up, each objective for itself, in the hour that runs.
pub async fn what_is_counted_adds_up<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    assert_eq!(store.slo_hours(Timestamp::EPOCH).await, Ok(vec![]));
    let before = store.now().await.unwrap();
    store.add_slo(&[count("latency 60000ms", 8, 10), count("delivered", 10, 10)]).await.unwrap();
    another.add_slo(&[count("delivered", 4, 5)]).await.unwrap();
    store.add_slo(&[]).await.unwrap();
    assert_eq!(sums(&*another).await, [told("delivered", 14, 15), told("latency 60000ms", 8, 10)]);
    for row in store.slo_hours(before).await.unwrap() {
        assert!(row.hour <= store.now().await.unwrap());
        assert!(before.since(row.hour) < HOUR, "it is the hour that runs");
        assert_eq!(row.hour.as_micros() % 3_600_000_000, 0, "an hour begins when it begins");
    }
}

/// Who adds at once loses nothing, in whatever order they name objectives.
pub async fn adding_at_once_loses_nothing<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (one, two) = (fixture.operable(), fixture.another_operable().await);
    let add = async |store: &dyn Operable, names: [&str; 2]| {
        for _ in 0..20 {
            store.add_slo(&names.map(|name| count(name, 1, 2))).await.unwrap();
        }
    };
    tokio::join!(add(&*one, ["a", "b"]), add(&*two, ["b", "a"]));
    assert_eq!(sums(&*one).await, [told("a", 40, 80), told("b", 40, 80)]);
}

/// Hours that ended before a time are not told, and can be forgotten.
pub async fn old_hours_are_left_out_and_forgotten<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    store.add_slo(&[count("delivered", 1, 1)]).await.unwrap();
    let now = store.now().await.unwrap();
    let counted = store.slo_hours(now).await.unwrap();
    assert_eq!(store.slo_hours(now.after(HOUR)).await, Ok(vec![]));
    let first = store.slo_hours(Timestamp::EPOCH).await.unwrap()[0].hour;
    assert_eq!(counted.first().map(|row| row.hour), Some(first));
    assert_eq!(store.forget_slo(first).await, Ok(0), "it began at that time");
    assert_eq!(store.forget_slo(first.after(Duration::from_micros(1))).await, Ok(1));
    assert_eq!(store.slo_hours(Timestamp::EPOCH).await, Ok(vec![]));
}
