//! A slice when the engine ends.

use std::time::Duration;

use dipmo_kafka::testing::{self, OwnBroker};
use dipmo_outbox::{Published, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};
use tokio::time::timeout;

use crate::support::{delivery, ending, is_delivered, publisher, until_in_flight};

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_for_an_engine_that_has_ended() {
    let topic = testing::topic("ended", 1).await;
    let (ending, begun, _due) = ending();
    begun.cancel();
    let answers = publisher().publish_until(&[delivery(&topic, "a", 1)], &ending).await;
    assert_eq!(answers, [Published::NotTried]);
    assert!(testing::read_to_end(&topic).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_22_what_is_on_the_wire_at_the_end_waits_until_it_cannot_be_there_any_more() {
    let broker = OwnBroker::start();
    let topic = testing::topic_with(&broker.options(), "wire", 1, &[]).await;
    let deadline = Duration::from_secs(60);
    let options = KafkaSinkOptions { deadline, ..KafkaSinkOptions::new(broker.options()) };
    let publisher = KafkaPublisher::new(options).unwrap();
    assert!(is_delivered(&publisher.publish(&[delivery(&topic, "a", 1)]).await[0]));
    broker.freeze();
    let (ending, begun, due) = ending();
    let slice = [delivery(&topic, "a", 2), delivery(&topic, "a", 3), delivery(&topic, "b", 4)];
    let stopping = async {
        until_in_flight(&publisher).await;
        begun.cancel();
        due.cancel();
    };
    let publishing = timeout(Duration::from_secs(15), publisher.publish_until(&slice, &ending));
    let (answers, ()) = tokio::join!(publishing, stopping);
    let answers = answers.expect("it waits for what nobody waits for");
    for place in [0, 2] {
        let Published::Unanswered { after, .. } = &answers[place] else { panic!("{answers:?}") };
        assert!((Duration::from_secs(40)..=deadline).contains(after), "{after:?}");
    }
    assert_eq!(answers[1], Published::NotTried, "nothing overtakes it");
}
