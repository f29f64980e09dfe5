//! Lanes that are leased, or held by a job.

use std::time::Duration;

use dipmo_store::admin::{LaneLine, Operable};

use crate::OperableFixture;
use crate::support::{
    Hand, LONG, aggregates, begin, dispatched, intent, kafka, take, write_intents,
};

/// Intents in so many lanes of a topic.
async fn write(store: &dyn Operable, topic: &str, lanes: usize) {
    let names = aggregates(lanes);
    let intents = names.iter().map(|name| intent(&kafka(topic), name, 0));
    write_intents(store, intents.collect()).await;
}

/// Who has which lane, and until when; nobody else is shown.
pub async fn a_leased_lane_names_its_owner<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    write(&*store, "b", 3).await;
    write(&*store, "a", 2).await;
    assert_eq!(store.lanes().await, Ok(vec![]));
    let now = store.now().await.unwrap();
    let (b, a) = (take(&*store, &kafka("b"), "bob").await, take(&*store, &kafka("a"), "ann").await);
    let lanes = store.lanes().await.unwrap();
    assert!(lanes.is_sorted_by_key(|line| (line.destination.clone(), line.lane)), "{lanes:?}");
    for (hand, topic, name, count) in [(&b, "KAFKA:b", "bob", 3), (&a, "KAFKA:a", "ann", 2)] {
        let of: Vec<_> = lanes.iter().filter(|line| line.destination == topic).collect();
        assert_eq!(of.len(), count);
        assert!(of.iter().all(|line| hand.leases.iter().any(|lease| lease.lane == line.lane)));
        assert!(of.iter().all(|line| line.owner.as_deref() == Some(name) && line.job.is_none()));
        assert!(of.iter().all(|line| line.lease_until.unwrap() >= now.after(LONG)));
    }
    b.give_back(&*store).await;
    let left = store.lanes().await.unwrap();
    assert_eq!(left, lanes[..2]);
}

/// A lease that has run out still says whose it was.
pub async fn a_lease_that_ran_out<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    write(&*store, "t", 1).await;
    Hand::leasing(&*store, &kafka("t"), "gone", Duration::ZERO).await;
    let [LaneLine { owner, lease_until, .. }] = &store.lanes().await.unwrap()[..] else {
        panic!("one lane is leased")
    };
    assert_eq!(owner.as_deref(), Some("gone"));
    assert!(lease_until.unwrap() <= store.now().await.unwrap());
}

/// A lane that a job holds is shown until the job ends, whoever has it.
pub async fn a_job_holds_lanes<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    write(&*store, "t", 2).await;
    let job = begin(&*store, &kafka("t"), "ann").await;
    let shown = async || -> Vec<_> {
        let lanes = store.lanes().await.unwrap();
        lanes.into_iter().map(|line| (line.owner, line.job)).collect()
    };
    assert_eq!(shown().await, vec![(Some("ann".to_owned()), Some(job.id())); 2]);
    job.give_back(&*store).await;
    assert_eq!(shown().await, vec![(None, Some(job.id())); 2]);
    let job = crate::support::take_job(&*store, &kafka("t"), "bob").await.unwrap();
    assert_eq!(shown().await, vec![(Some("bob".to_owned()), Some(job.id())); 2]);
    job.settle(&*store, |_| dispatched()).await;
    job.end(&*store).await;
    assert_eq!(shown().await, []);
}
