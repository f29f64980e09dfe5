//! Order around a job: what leaves it undelivered is not overtaken by what stays in it.

use std::time::Duration;

use dipmo_domain::OutboxId;
use dipmo_outbox::{Delivery, UnitResult};
use dipmo_store::{Acted, JobChange, Store};

use super::outbox_hold::{held_behind_a_head, retry};
use crate::Fixture;
use crate::support::{
    JobHand, LONG, begin, dispatch_all, dispatched, failure, ids_of, intent, kafka, take,
    write_intents,
};

/// Intents of the key F-1, a chunk each.
async fn chunks(store: &dyn Store, count: i64) -> Vec<OutboxId> {
    let mut ids = Vec::new();
    for number in 0..count {
        ids.extend(write_intents(store, vec![intent(&kafka("t"), "F-1", number)]).await);
    }
    ids
}

fn find(units: &[Delivery], id: OutboxId) -> Vec<Delivery> {
    units.iter().filter(|unit| unit.unit == id).cloned().collect()
}

/// Settles one unit of a job.
async fn settle_one(store: &dyn Store, job: &JobHand, id: OutboxId, result: UnitResult) {
    let one = find(&job.units(store).await, id);
    assert_eq!(one.len(), 1, "{id} is in the job");
    job.hand(one).settle(store, |_| result.clone()).await.unwrap();
}

async fn blocked_by(store: &dyn Store, job: &JobHand, id: OutboxId) -> Option<OutboxId> {
    find(&job.units(store).await, id)[0].blocked_by
}

async fn sent(store: &dyn Store) -> Vec<OutboxId> {
    ids_of(&dispatch_all(store, &kafka("t")).await)
}

/// A unit whose key waits for one outside of the job says so, and leaves the job to be held.
pub async fn blocked_units_are_held<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, mut ids) = held_behind_a_head(&*store, 1).await;
    hand.settle(&*store, |_| retry(LONG)).await.unwrap();
    hand.give_back(&*store).await;
    let new = ["F-1", "F-2"].map(|name| intent(&kafka("t"), name, 9));
    let new = write_intents(&*store, new.to_vec()).await;
    ids.push(new[0]);
    let job = begin(&*store, &kafka("t"), "o").await;
    let units = job.units(&*store).await;
    assert_eq!(ids_of(&units), new);
    assert_eq!((units[0].blocked_by, units[1].blocked_by), (Some(ids[0]), None));
    let results = job.hand(units).in_order(|_| dispatched());
    job.settle(&*store, |unit| results[&unit.unit].clone()).await;
    assert!(job.units(&*store).await.is_empty());
    job.end(&*store).await;
    let rows = store.outbox_rows(10).await.unwrap();
    let held = rows.iter().filter(|row| row.held_behind == Some(ids[0])).count();
    assert_eq!(held, 2);
    store.retry_units(&ids[..1], false).await.unwrap();
    assert_eq!(sent(&*store).await, ids);
}

/// A head in the job is delivered: those that it held come after the job, in order, and a later
/// one in the job waits for them.
pub async fn what_a_head_held_comes_after_the_job<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, ids) = held_behind_a_head(&*store, 2).await;
    hand.give_back(&*store).await;
    let later = chunks(&*store, 1).await[0];
    let job = begin(&*store, &kafka("t"), "o").await;
    assert_eq!(ids_of(&job.units(&*store).await), [ids[0], later]);
    settle_one(&*store, &job, ids[0], dispatched()).await;
    assert_eq!(blocked_by(&*store, &job, later).await, Some(ids[0]), "others go before it");
    assert_eq!(store.release_units(100).await, Ok(0), "nothing is let go beside the job");
    assert_eq!(blocked_by(&*store, &job, later).await, Some(ids[0]));
    settle_one(&*store, &job, later, UnitResult::Held).await;
    job.end(&*store).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(ids_of(&hand.units), [ids[1], ids[2], later], "let go with the end of the job");
    hand.give_back(&*store).await;
    assert_eq!(sent(&*store).await, [ids[1], ids[2], later]);
}

/// The same when an operator ends the head, which is not in the job.
pub async fn operators_let_nothing_go_beside_a_job<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, ids) = held_behind_a_head(&*store, 1).await;
    let refused = UnitResult::Failed { failure: failure("refused"), block: true };
    hand.settle(&*store, |_| refused.clone()).await.unwrap();
    hand.give_back(&*store).await;
    let later = chunks(&*store, 1).await[0];
    let job = begin(&*store, &kafka("t"), "o").await;
    assert_eq!(store.skip_units(&ids[..1]).await.unwrap().acts, [Acted::Done]);
    assert_eq!(store.release_units(100).await, Ok(0));
    assert_eq!(blocked_by(&*store, &job, later).await, Some(ids[0]));
    settle_one(&*store, &job, later, UnitResult::Held).await;
    job.end(&*store).await;
    assert_eq!(sent(&*store).await, [ids[1], later]);
}

/// A unit that was read as blocked is held after its block went: those behind it wait for it.
pub async fn held_behind_nothing_it_is_the_head<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = chunks(&*store, 1).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let refused = UnitResult::Failed { failure: failure("refused"), block: true };
    hand.settle(&*store, |_| refused.clone()).await.unwrap();
    hand.give_back(&*store).await;
    let new = chunks(&*store, 3).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    let units = job.units(&*store).await;
    assert!(units.iter().all(|unit| unit.blocked_by == Some(ids[0])));
    store.skip_units(&ids).await.unwrap();
    job.hand(units[..2].to_vec()).settle(&*store, |_| UnitResult::Held).await.unwrap();
    assert_eq!(blocked_by(&*store, &job, new[2]).await, Some(new[0]));
    settle_one(&*store, &job, new[2], UnitResult::Held).await;
    job.end(&*store).await;
    assert_eq!(sent(&*store).await, new);
}

/// A later unit that leaves the job waits for an earlier one that stays, not the other way round.
pub async fn who_leaves_does_not_block_who_stays<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    for result in [UnitResult::Later, UnitResult::Held, retry(Duration::ZERO)] {
        let ids = chunks(&*store, 3).await;
        let job = begin(&*store, &kafka("t"), "o").await;
        settle_one(&*store, &job, ids[1], result.clone()).await;
        assert_eq!(blocked_by(&*store, &job, ids[0]).await, None, "{result:?}");
        assert_eq!(blocked_by(&*store, &job, ids[2]).await, Some(ids[1]), "{result:?}");
        settle_one(&*store, &job, ids[0], UnitResult::InJob(job.id())).await;
        assert_eq!(blocked_by(&*store, &job, ids[0]).await, None, "{result:?}");
        settle_one(&*store, &job, ids[2], UnitResult::Held).await;
        settle_one(&*store, &job, ids[0], dispatched()).await;
        job.end(&*store).await;
        assert_eq!(sent(&*store).await, ids[1..], "{result:?}");
    }
}

/// And when the one that stayed is released, it still goes first.
pub async fn who_stayed_and_is_released_goes_first<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    for stays in [false, true] {
        let ids = chunks(&*store, 2).await;
        let job = begin(&*store, &kafka("t"), "o").await;
        settle_one(&*store, &job, ids[1], UnitResult::Later).await;
        if stays {
            settle_one(&*store, &job, ids[0], UnitResult::InJob(job.id())).await;
        }
        job.change(&*store, JobChange::Released { behind: None }).await.unwrap();
        job.end(&*store).await;
        assert_eq!(sent(&*store).await, ids, "stayed: {stays}");
    }
}

/// The earlier of two that fail in a job is the one that its key waits for, in whatever order they
/// are settled.
pub async fn the_earlier_of_two_is_the_head<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = chunks(&*store, 2).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    settle_one(&*store, &job, ids[1], retry(Duration::ZERO)).await;
    settle_one(&*store, &job, ids[0], retry(Duration::ZERO)).await;
    job.end(&*store).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let blocked: Vec<_> = hand.units.iter().map(|unit| (unit.unit, unit.blocked_by)).collect();
    assert_eq!(blocked, [(ids[0], None), (ids[1], Some(ids[0]))]);
}
