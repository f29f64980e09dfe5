//! Claiming: which lanes and messages a batch gets.

use std::time::Duration;

use dipmo_domain::Lane;
use dipmo_store::ClaimLimits;

use crate::Fixture;
use crate::support::{
    LONG, Script, aggregate_in, aggregates, alone, batch, batch_of, done, event, everything, retry,
    stored,
};

fn lane(index: i64) -> Lane {
    Lane::from_index(index).unwrap()
}

/// With nothing to do the logic is not called.
pub async fn nothing_to_do_calls_nobody<F: Fixture>() {
    let fixture = F::fresh().await;
    let ran = batch(&*fixture.store(), Script::process_all()).await.unwrap();
    assert_eq!((ran.now, ran.report), (None, dipmo_store::BatchReport::default()));
}

/// A batch has everything that is ready, sorted by id.
pub async fn a_batch_is_sorted_by_id<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut messages = Vec::new();
    for number in 1..=5 {
        messages.extend(aggregates(8).iter().map(|name| event(name, number)));
    }
    let ids = stored(&*store, &messages).await;
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), ids);
    let mut lanes = ran.report.lanes.clone();
    lanes.sort();
    assert_eq!(lanes, (0..8).map(lane).collect::<Vec<_>>());
    assert!(ran.messages.iter().all(|claimed| claimed.attempts == 0));
}

/// The logic is told the time of the database.
pub async fn the_logic_is_told_the_time<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[alone(1)]).await;
    let before = store.now().await.unwrap();
    let now = batch(&*store, Script::process_all()).await.unwrap().now.unwrap();
    let after = store.now().await.unwrap();
    assert!(before <= now && now <= after, "{before} <= {now} <= {after}");
}

/// What was processed is not claimed again, by nobody.
pub async fn a_processed_message_is_gone<F: Fixture>() {
    let fixture = F::fresh().await;
    stored(&*fixture.store(), &[event("F-1", 1), alone(2)]).await;
    batch(&*fixture.store(), Script::process_all()).await.unwrap();
    for store in [fixture.store(), fixture.another().await] {
        assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
    }
}

/// A batch locks no more lanes than it may.
pub async fn no_more_lanes_than_asked<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages: Vec<_> = aggregates(10).iter().map(|name| event(name, 1)).collect();
    stored(&*store, &messages).await;
    let limits = ClaimLimits { lanes: 3, ..everything() };
    let ran = batch_of(&*store, limits, Script::process_all()).await.unwrap();
    assert_eq!((ran.report.lanes.len(), ran.messages.len()), (3, 3));
}

/// Looking for lanes begins at `start` and wraps.
pub async fn lanes_are_looked_for_from_the_start<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let with_work = [3, 20, 40];
    let store_all = async |number: i64| {
        let of = |index: &i64| event(&aggregate_in(lane(*index), 0), number);
        stored(&*store, &with_work.iter().map(of).collect::<Vec<_>>()).await;
    };
    let cases = [
        (0, 1, vec![3]),
        (4, 1, vec![20]),
        (20, 1, vec![20]),
        (41, 1, vec![3]),
        (30, 2, vec![3, 40]),
    ];
    for (number, (start, lanes, expected)) in (1..).zip(cases) {
        store_all(number).await;
        let limits = ClaimLimits { lanes, start: lane(start), ..everything() };
        let ran = batch_of(&*store, limits, Script::process_all()).await.unwrap();
        let mut locked: Vec<_> =
            ran.report.lanes.iter().map(|lane| i64::from(lane.index())).collect();
        locked.sort_unstable();
        assert_eq!(locked, expected, "start {start}, {lanes} lane(s)");
        batch(&*store, Script::process_all()).await.unwrap();
    }
}

/// The number of messages is kept to, where messages came one by one.
pub async fn no_more_messages_than_asked<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = Vec::new();
    for number in 1..=6 {
        ids.extend(stored(&*store, &[event("F-1", number)]).await);
    }
    let limits = ClaimLimits { messages: 2, ..everything() };
    for expected in ids.chunks(2) {
        let ran = batch_of(&*store, limits, Script::process_all()).await.unwrap();
        assert_eq!(ran.ids(), expected, "the first ones of the lane come first");
    }
}

/// The number of messages is for all lanes together.
pub async fn no_more_messages_than_asked_over_many_lanes<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = Vec::new();
    for name in aggregates(7) {
        ids.extend(stored(&*store, &[event(&name, 1)]).await);
    }
    let limits = ClaimLimits { messages: 3, ..everything() };
    let (mut seen, mut counts) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        let ran = batch_of(&*store, limits, Script::process_all()).await.unwrap();
        counts.push(ran.messages.len());
        seen.extend(ran.ids());
    }
    seen.sort();
    assert_eq!((counts, seen), (vec![3, 3, 1, 0], ids));
}

/// What came together may come over the limit together, but never with a gap.
pub async fn a_limit_never_leaves_a_gap<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = Vec::new();
    for call in 0..5 {
        let messages: Vec<_> = (1..=4).map(|number| event("F-1", call * 10 + number)).collect();
        ids.extend(stored(&*store, &messages).await);
    }
    let limits = ClaimLimits { messages: 6, ..everything() };
    let mut seen = Vec::new();
    while seen.len() < ids.len() {
        let ran = batch_of(&*store, limits, Script::process_all()).await.unwrap();
        assert!(ran.messages.len() >= 6.min(ids.len() - seen.len()), "the limit is used");
        seen.extend(ran.ids());
    }
    assert_eq!(seen, ids);
}

/// Due retries do not starve behind a stream of new messages.
pub async fn due_retries_come_with_the_ready_ones<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let lane_of_both = lane(7);
    let (first, other) = (aggregate_in(lane_of_both, 0), aggregate_in(lane_of_both, 1));
    let ids = stored(&*store, &[event(&first, 1)]).await;
    batch(&*store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    for number in 1..=5 {
        stored(&*store, &[event(&other, number)]).await;
    }
    let limits = ClaimLimits { messages: 1, ..everything() };
    let ran = batch_of(&*store, limits, Script::process_all()).await.unwrap();
    assert_eq!(ran.messages.len(), 2, "one ready message, and one that is due");
    assert_eq!(ran.ids()[0], ids[0]);
}

/// A lane whose only message is not due yet is not locked.
pub async fn a_lane_with_nothing_due_is_left_alone<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(2);
    stored(&*store, &[event(&names[0], 1)]).await;
    batch(&*store, Script::settling(|_| retry(LONG))).await.unwrap();
    stored(&*store, &[event(&names[1], 1)]).await;
    let ran = batch(&*store, Script::settling(|_| done())).await.unwrap();
    assert_eq!(ran.report.lanes, [lane(1)]);
}

/// Due retries keep to the number of messages as well.
pub async fn due_retries_keep_to_the_limit<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = Vec::new();
    for number in 1..=9 {
        ids.extend(stored(&*store, &[event(&format!("F-{number}"), 1)]).await);
    }
    batch(&*store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    let limits = ClaimLimits { messages: 4, ..everything() };
    let (mut seen, mut counts) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        let ran = batch_of(&*store, limits, Script::process_all()).await.unwrap();
        assert!(ran.ids().is_sorted());
        counts.push(ran.messages.len());
        seen.extend(ran.ids());
    }
    seen.sort();
    assert_eq!((counts, seen), (vec![4, 4, 1, 0], ids));
}
