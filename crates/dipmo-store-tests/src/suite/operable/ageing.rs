//! How old what waits is, compared with what lists say.

use std::collections::BTreeMap;

use dipmo_domain::{InboxStatus, OutboxStatus, Timestamp};
use dipmo_store::Side;
use dipmo_store::admin::{AgeingRow, ByAge, MessageFilter, Operable, Page, UnitFilter, Waits};

use super::browse_units::written;
use crate::OperableFixture;
use crate::support::{event, every_message, stored};

/// What is alike: side, destination, status, and what it waits for.
type Way = (Side, String, String, Option<Waits>);

/// What the lists say: how many stand in which way, and the oldest of them.
async fn listed(store: &dyn Operable) -> BTreeMap<Way, (u64, Timestamp)> {
    let mut ways: BTreeMap<Way, (u64, Timestamp)> = BTreeMap::new();
    let mut count = |way: Way, at: Timestamp| {
        let (count, oldest) = ways.entry(way).or_insert((0, at));
        (*count, *oldest) = (*count + 1, at.min(*oldest));
    };
    let messages = store.messages(&MessageFilter::default(), Page::first(500)).await.unwrap();
    for line in messages.rows.iter().filter(|line| line.status != InboxStatus::Processed) {
        let parked = line.parked.then_some(Waits::Parked);
        let waits = line.held_behind.map(|_| Waits::Held).or(parked);
        let way = (Side::Inbox, String::new(), line.status.to_string(), waits);
        count(way, line.received_at);
    }
    let units = store.units(&UnitFilter::default(), Page::first(500)).await.unwrap();
    let waits = units.rows.iter().filter(|it| it.status != OutboxStatus::Dispatched && !it.skipped);
    for line in waits {
        let held = line.held_behind.map(|_| Waits::Held);
        let way = (Side::Outbox, line.destination.to_string(), line.status.to_string(), held);
        count(way, line.created_at);
    }
    ways
}

fn way(row: &AgeingRow) -> Way {
    (row.side, row.queue.clone(), row.status.clone(), row.waits)
}

/// All that waits is there, under the words that lists have for it, with its oldest; and nothing that has ended.
pub async fn what_stands_how<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let empty = store.ageing().await.unwrap();
    assert!(empty.complete && empty.rows.is_empty() && empty.lanes.is_empty(), "{empty:?}");
    every_message(&*store).await;
    written(&*store).await;
    // Whoever wrote the units has worked off what was ready.
    stored(&*store, &[event("ready", 1)]).await;
    let (before, ageing) = (store.now().await.unwrap(), store.ageing().await.unwrap());
    assert!(ageing.complete && ageing.at >= before);
    let young = |count| -> ByAge { [count, 0, 0, 0, 0] };
    let expected: Vec<_> = listed(&*store).await.into_iter().collect();
    assert!(expected.len() >= 10, "{expected:?}");
    let found: Vec<_> =
        ageing.rows.iter().map(|row| (way(row), (row.count(), row.oldest))).collect();
    assert_eq!(found, expected);
    assert!(ageing.rows.iter().all(|row| row.ages == young(row.count())), "{ageing:?}");
}

/// What waits for long counts as old, ready or not.
pub async fn every_age_has_its_place<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    every_message(&*store).await;
    written(&*store).await;
    stored(&*store, &[event("ready", 1)]).await;
    let young = store.ageing().await.unwrap();
    let mut age = 0;
    for (place, seconds) in [(0, 50), (1, 70), (2, 310), (3, 3_700), (4, 90_000)] {
        age_all(&fixture, seconds - age).await;
        age = seconds;
        let ageing = store.ageing().await.unwrap();
        assert_eq!(ageing.rows.len(), young.rows.len());
        for (row, young) in ageing.rows.iter().zip(&young.rows) {
            let mut ages = [0; 5];
            ages[place] = young.count();
            assert_eq!((way(row), row.ages), (way(young), ages), "after {seconds} s");
            assert!(ageing.at.since(row.oldest).as_secs() >= seconds, "{row:?}");
        }
    }
}

/// Makes all that waits older, in the words of one database or the other.
async fn age_all<F: OperableFixture>(fixture: &F, seconds: u64) {
    let tables = [
        ("inbox_exception", "logged_at", "logged_at"),
        ("outbox_exception", "logged_at", "logged_at"),
        ("inbox_ready", "logged_at", ""),
        ("outbox_ready", "logged_at", ""),
        ("inbox_log", "", "received_at"),
        ("outbox_log", "", "created_at"),
        ("outbox_record_log", "", "created_at"),
    ];
    for (table, spans, numbers) in tables {
        let span = format!("UPDATE {table} SET {spans} = {spans} - interval '{seconds} seconds'");
        let number = format!("UPDATE {table} SET {numbers} = {numbers} - {seconds}000000");
        let done = [(spans, span), (numbers, number)];
        for (_, change) in done.iter().filter(|(column, _)| !column.is_empty()) {
            // One of the two does not understand it.
            let _ = fixture.by_hand(change).await;
        }
    }
}

/// A lane has what is yet to be worked on in it, and the fullest comes first.
pub async fn a_lane_has_what_goes_on<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    every_message(&*store).await;
    written(&*store).await;
    stored(&*store, &(0..9).map(|number| event("full", number)).collect::<Vec<_>>()).await;
    let ageing = store.ageing().await.unwrap();
    let failed = |row: &&AgeingRow| ["FAILED", "SERDE_ERROR"].contains(&row.status.as_str());
    for side in Side::ALL {
        let rows = ageing.rows.iter().filter(|row| row.side == side && !failed(row));
        let lanes = ageing.lanes.iter().filter(|lane| lane.side == side);
        let waiting: u64 = lanes.map(|lane| lane.waiting).sum();
        assert_eq!(waiting, rows.map(AgeingRow::count).sum::<u64>(), "{side:?}");
    }
    let first = &ageing.lanes[0];
    let lane = dipmo_domain::OrderKey::new("full").lane();
    assert_eq!((first.side, first.lane), (Side::Inbox, lane));
    assert!(first.waiting >= 9 && ageing.lanes.is_sorted_by(|a, b| a.waiting >= b.waiting));
}

/// So much of a lane is read and no more, the oldest first: then all of it is at least so much.
pub async fn a_long_lane_is_not_read_to_its_end<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let oldest = stored(&*store, &[event("long", 0)]).await[0];
    for number in 1..=502 {
        stored(&*store, &[event("long", number)]).await;
    }
    let ageing = store.ageing().await.unwrap();
    let [row] = &ageing.rows[..] else { panic!("one way: {ageing:?}") };
    assert!(!ageing.complete && (500..503).contains(&row.count()), "{row:?}");
    let first = store.message(oldest).await.unwrap().unwrap();
    assert_eq!(row.oldest, first.message.received_at);
}
