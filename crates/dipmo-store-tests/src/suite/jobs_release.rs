//! Units that leave a job as if they had never been in it.

use std::time::Duration;

use dipmo_domain::Lane;
use dipmo_outbox::{Attempt, Delivery, JobMark, JobPhase, UnitResult};
use dipmo_store::{JobChange, ReadParams, Store};

use super::jobs::chunks_in_a_lane;
use super::outbox_hold::{held_behind_a_head, retry};
use crate::Fixture;
use crate::support::{
    JobHand, aggregate_in, aggregates, begin, dispatch_all, dispatched, ids_of, intent, kafka,
    take, write_intents,
};

async fn release(store: &dyn Store, job: &JobHand, behind: Option<JobMark>) {
    let phase = job.change(store, JobChange::Released { behind }).await.unwrap().phase;
    assert_eq!(phase, JobPhase::Sealed, "the phase stays");
}

/// All of it is given back: read as before, each once, in order.
pub async fn all_are_ready_again<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(3);
    for number in 0..3 {
        let two = [number * 2, number * 2 + 1];
        let of = |name: &String| two.map(|number| intent(&kafka("t"), name, number));
        write_intents(&*store, names.iter().flat_map(of).collect()).await;
    }
    let before = take(&*store, &kafka("t"), "o").await;
    before.give_back(&*store).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    release(&*store, &job, None).await;
    assert!(job.units(&*store).await.is_empty());
    assert!(take(&*store, &kafka("t"), "o").await.leases.is_empty(), "the job has its lanes");
    job.end(&*store).await;
    let again = take(&*store, &kafka("t"), "o").await;
    assert_eq!(again.units, before.units, "to the letter");
    again.give_back(&*store).await;
    assert_eq!(ids_of(&dispatch_all(&*store, &kafka("t")).await), ids_of(&before.units));
}

/// What is behind a mark goes, what is before it stays.
pub async fn those_behind_a_mark<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = chunks_in_a_lane(&*store, 6).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    let page = job.page(&*store, None, 2).await;
    release(&*store, &job, page.next).await;
    assert_eq!(job.units(&*store).await, page.units);
    assert_eq!(job.page(&*store, page.next, 2).await.units, []);
    job.give(&*store).await;
    job.deliver(&*store).await;
    assert_eq!(ids_of(&page.units), ids[..2]);
    assert_eq!(ids_of(&dispatch_all(&*store, &kafka("t")).await), ids[2..]);
}

/// What was due is due, with the attempts that it had, and its key waits for it as before.
pub async fn what_was_due_is_due<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, ids) = held_behind_a_head(&*store, 2).await;
    hand.give_back(&*store).await;
    for stays in [false, true] {
        let job = begin(&*store, &kafka("t"), "o").await;
        assert_eq!(job.units(&*store).await, hand.units);
        if stays {
            job.settle(&*store, |_| UnitResult::InJob(job.id())).await;
        }
        release(&*store, &job, None).await;
        job.end(&*store).await;
        let again = take(&*store, &kafka("t"), "o").await;
        assert_eq!(again.units, hand.units, "stayed: {stays}");
        assert_eq!(again.units[0].attempt, Attempt::Again { attempts: 1, retried: 0 });
        again.give_back(&*store).await;
    }
    assert_eq!(ids_of(&dispatch_all(&*store, &kafka("t")).await), ids);
}

/// A head that was put off and stayed in a job goes on, and its key behind it.
pub async fn a_head_without_attempts_goes_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let two = (1..=2).map(|number| intent(&kafka("t"), "F-1", number)).collect();
    let ids = write_intents(&*store, two).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let results = hand.in_order(|_| UnitResult::Later);
    hand.settle(&*store, |unit| results[&unit.unit].clone()).await.unwrap();
    hand.give_back(&*store).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    assert_eq!(ids_of(&job.units(&*store).await), ids[..1]);
    job.settle(&*store, |_| UnitResult::InJob(job.id())).await;
    release(&*store, &job, None).await;
    job.end(&*store).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(ids_of(&hand.units), ids[..1]);
    assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 0, retried: 0 }, "as it was");
    hand.give_back(&*store).await;
    assert_eq!(ids_of(&dispatch_all(&*store, &kafka("t")).await), ids);
}

/// A unit that had stayed while others of its chunk left goes to its place: it overtakes nothing
/// of its key that is ready, however few units are read at a time.
pub async fn what_had_stayed_takes_its_place<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let lanes: Vec<_> = Lane::all().take(2).collect();
    let (busy, name) = (aggregate_in(lanes[0], 0), aggregate_in(lanes[1], 0));
    let other = aggregate_in(lanes[1], 1);
    let key = |number| intent(&kafka("t"), &name, number);
    let some = (0..3).map(|number| intent(&kafka("t"), &busy, number));
    write_intents(&*store, some.collect()).await;
    let mut ids = write_intents(&*store, vec![key(1)]).await;
    let two = write_intents(&*store, vec![key(2), intent(&kafka("t"), &other, 1)]).await;
    ids.push(two[0]);
    ids.extend(write_intents(&*store, vec![key(3)]).await);
    let job = begin(&*store, &kafka("t"), "o").await;
    let chunk: Vec<_> =
        job.units(&*store).await.into_iter().filter(|unit| two.contains(&unit.unit)).collect();
    let result = |unit: &Delivery| match unit.unit == two[0] {
        true => UnitResult::InJob(job.id()),
        false => dispatched(),
    };
    job.hand(chunk).settle(&*store, result).await.unwrap();
    release(&*store, &job, None).await;
    job.end(&*store).await;

    let mut hand = take(&*store, &kafka("t"), "o").await;
    hand.leases.sort_by_key(|lease| lease.lane);
    let mut sent = Vec::new();
    loop {
        let read = ReadParams { leases: &hand.leases, in_flight: &[], units: 1 };
        hand.units = store.read(read).await.unwrap();
        if hand.units.is_empty() {
            break;
        }
        sent.extend(hand.units.iter().filter(|unit| unit.aggregate_id == name).map(|u| u.unit));
        hand.settle(&*store, |_| dispatched()).await.unwrap();
    }
    assert_eq!(sent, ids);
}

/// A job that was released in part goes on with the rest in every phase.
pub async fn the_rest_goes_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = chunks_in_a_lane(&*store, 4).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    job.change(&*store, JobChange::Made { remote: "r".to_owned() }).await.unwrap();
    let behind = job.page(&*store, None, 3).await.next;
    job.change(&*store, JobChange::Released { behind }).await.unwrap();
    job.change(&*store, JobChange::Given).await.unwrap();
    let behind = job.page(&*store, None, 2).await.next;
    job.change(&*store, JobChange::Released { behind }).await.unwrap();
    job.settle(&*store, |_| retry(Duration::ZERO)).await;
    job.end(&*store).await;
    let again = take(&*store, &kafka("t"), "o").await;
    assert_eq!(ids_of(&again.units), ids);
    let tried = again.units.iter().filter(|unit| matches!(unit.attempt, Attempt::Again { .. }));
    assert_eq!(tried.count(), 2);
}
