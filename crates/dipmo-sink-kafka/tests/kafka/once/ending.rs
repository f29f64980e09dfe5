//! Jobs that an engine leaves because it stops.

use std::time::Duration;

use dipmo_kafka::testing::{self, OwnBroker};
use dipmo_outbox::{JobPhase, JobStep, Publisher as _};
use tokio::time::timeout;

use super::desk::{Desk, Point};
use super::{committed, deliveries, publisher, publisher_of, until_ended};
use crate::support::{ending, expected, ids_by_key, until_in_flight};

#[tokio::test(flavor = "multi_thread")]
async fn no_transaction_is_begun_once_the_engine_stops() {
    let topic = testing::topic("stops", 1).await;
    let all = deliveries(&topic, 50);
    let desk = Desk::new(&all);
    let (publisher, (ending, begun, _due)) = (publisher(), ending());
    let hand = desk.take_and_stop_at(Point::Made).until(ending);
    let stopping = async {
        hand.stopped().await;
        begun.cancel();
        hand.go_on();
    };
    let (step, ()) = tokio::join!(publisher.run_job(&hand), stopping);
    assert!(matches!(step.unwrap(), JobStep::Wait(_)));
    assert_eq!(desk.job().phase, JobPhase::Made, "it is left as it is");
    assert!(committed(&topic).is_empty());
    until_ended(&publisher, &desk.take()).await;
    assert_eq!(committed(&topic), expected(&all));
}

/// Whoever waited for a broker that does not answer would be dropped, and keep the lanes for a lease.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_a_broker_when_the_end_is_due() {
    let broker = OwnBroker::start();
    let topic = testing::topic_with(&broker.options(), "due", 1, &[]).await;
    let (publisher, all) = (publisher_of(broker.options()), deliveries(&topic, 50));
    let desk = Desk::new(&all);
    let (ending, begun, due) = ending();
    let hand = desk.take_and_stop_at(Point::Made).until(ending);
    let stopping = async {
        hand.stopped().await;
        broker.freeze();
        hand.go_on();
        until_in_flight(&publisher).await;
        begun.cancel();
        due.cancel();
    };
    // A call would wait for more than 20 s.
    let running = timeout(Duration::from_secs(15), publisher.run_job(&hand));
    let (step, ()) = tokio::join!(running, stopping);
    assert!(matches!(step.expect("it waits").unwrap(), JobStep::Wait(_)));
    broker.thaw();
    until_ended(&publisher, &desk.take()).await;
    assert!(desk.undelivered().is_empty(), "{:?}", desk.answers());
    let kafka = broker.options().with("isolation.level", "read_committed");
    assert_eq!(ids_by_key(&testing::read_to_end_of(&kafka, &topic)), expected(&all));
}
