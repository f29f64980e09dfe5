//! What failed alike on the way out: groups whose counts follow every change of a unit.

use std::time::Duration;

use dipmo_domain::{Failure, Fingerprint, OutboxId};
use dipmo_outbox::{Delivery, NewIntent, UnitResult};
use dipmo_store::Side;
use dipmo_store::admin::{Operable, Page, UnitFilter};

use super::failures::assert_counts;
use crate::OperableFixture;
use crate::support::{
    LONG, dispatched, event, failed, failure, intent, kafka, record_keys, stored, take, work_off,
    write_intents,
};

fn refused(block: bool) -> UnitResult {
    UnitResult::Failed { failure: failure("refused"), block }
}

fn busy(after: Duration) -> UnitResult {
    UnitResult::Retry { after, failure: failure("busy") }
}

/// Settles all that can be read, in the order of its keys, as the closure says.
async fn settle(store: &dyn Operable, result: impl Fn(&Delivery) -> UnitResult) -> Vec<OutboxId> {
    let hand = take(store, &kafka("t"), "o").await;
    let results = hand.in_order(&result);
    hand.settle(store, |unit| results[&unit.unit].clone()).await.unwrap();
    hand.give_back(store).await;
    hand.units.iter().map(|unit| unit.unit).collect()
}

/// A unit that failed has a group of its own side, also where a message failed alike.
pub async fn a_unit_has_a_group<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let id = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await[0];
    settle(&*store, |_| refused(true)).await;
    let groups = store.failure_groups(10).await.unwrap();
    let [group] = &groups[..] else { panic!("{groups:?}") };
    let expected = Fingerprint::of("outbox", None, &failure("refused"));
    assert_eq!((group.fingerprint, group.side, group.stage), (expected, Side::Outbox, None));
    assert_eq!((&*group.code, &*group.pattern), ("refused", failure("refused").message()));
    assert_eq!((group.failed, group.retrying, group.sample), (1, 0, id.0));
    stored(&*store, &[event("F-1", 1)]).await;
    work_off(&*store, |_| failed(true)).await;
    let sides: Vec<_> =
        store.failure_groups(10).await.unwrap().iter().map(|group| group.side).collect();
    assert!(sides.contains(&Side::Inbox) && sides.contains(&Side::Outbox), "{sides:?}");
}

/// What is tried again counts as retrying, what failed as failed, and what was sent not at all.
pub async fn the_counts_follow_a_unit<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    let lost = || Failure::new("lost", "no answer");
    settle(&*store, |_| UnitResult::Unanswered { after: Duration::ZERO, failure: lost() }).await;
    assert_counts(&*store, &[("lost", 0, 1)]).await;
    settle(&*store, |_| UnitResult::Later).await;
    assert_counts(&*store, &[("lost", 0, 1)]).await;
    settle(&*store, |_| busy(Duration::ZERO)).await;
    assert_counts(&*store, &[("busy", 0, 1)]).await;
    settle(&*store, |_| refused(true)).await;
    assert_counts(&*store, &[("refused", 1, 0)]).await;
    store.retry_units(&ids, false).await.unwrap();
    assert_counts(&*store, &[("refused", 0, 1)]).await;
    settle(&*store, |_| refused(true)).await;
    store.release_behind_units(&ids).await.unwrap();
    assert_counts(&*store, &[("refused", 1, 0)]).await;
    store.retry_units(&ids, false).await.unwrap();
    settle(&*store, |_| dispatched()).await;
    assert_counts(&*store, &[]).await;
}

/// What had no answer, was held and is let go as if it had never been tried, does not count any more.
pub async fn what_is_let_go_untried_does_not_count<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let intents = (1..=2).map(|number| intent(&kafka("t"), "F-1", number)).collect();
    let ids = write_intents(&*store, intents).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    let unanswered = || UnitResult::Unanswered { after: Duration::ZERO, failure: failure("lost") };
    let either = |head: UnitResult, other: UnitResult| {
        let first = ids[0];
        move |unit: &Delivery| if unit.unit == first { head.clone() } else { other.clone() }
    };
    hand.settle(&*store, either(busy(Duration::ZERO), unanswered())).await.unwrap();
    assert_counts(&*store, &[("busy", 0, 1), ("lost", 0, 1)]).await;
    hand.reads_again(&*store).await;
    hand.settle(&*store, either(dispatched(), UnitResult::Held)).await.unwrap();
    hand.give_back(&*store).await;
    assert_counts(&*store, &[]).await;
    assert_eq!(settle(&*store, |_| dispatched()).await, ids[1..]);
}

/// What was given up stays FAILED and does not count any more, nor what goes with history.
pub async fn what_was_given_up_does_not_count<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let intents = ["F-1", "F-2"].map(|name| intent(&kafka("t"), name, 1));
    let ids = write_intents(&*store, intents.to_vec()).await;
    settle(&*store, |_| refused(true)).await;
    store.skip_units(&ids[..1]).await.unwrap();
    assert_counts(&*store, &[("refused", 1, 0)]).await;
    let month = dipmo_domain::Month::of(store.now().await.unwrap()).next();
    while store.drop_before(month, 1_000).await.unwrap().more {}
    assert_eq!(store.outbox_rows(10).await.unwrap().len(), 1, "the other one is history");
    assert_counts(&*store, &[("refused", 1, 0)]).await;
}

/// Each record of an intent counts, and a list of units by group has exactly those that do.
pub async fn records_count_each<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let intent = NewIntent { records: record_keys(4), ..intent(&kafka("t"), "F-1", 1) };
    let intent = write_intents(&*store, vec![intent]).await[0];
    let result = |unit: &Delivery| match unit.record.as_ref().unwrap().0.as_str() {
        "REC-0" => dispatched(),
        "REC-1" => UnitResult::Retry { after: LONG, failure: failure("refused") },
        _ => refused(true),
    };
    settle(&*store, result).await;
    assert_counts(&*store, &[("refused", 2, 1)]).await;
    let records: Vec<_> = store.records(intent).await.unwrap().iter().map(|row| row.id).collect();
    store.skip_units(&records[3..]).await.unwrap();
    assert_counts(&*store, &[("refused", 1, 1)]).await;
    let failure = Some(Fingerprint::of("outbox", None, &failure("refused")));
    let filter = UnitFilter { failure, ..UnitFilter::default() };
    let listing = store.units(&filter, Page::first(100)).await.unwrap();
    let listed: Vec<_> = listing.rows.iter().map(|line| line.id).collect();
    assert_eq!(listed, [records[2], records[1]], "the newest first");
}
