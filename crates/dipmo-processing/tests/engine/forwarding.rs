//! Messages that go on to a destination as they are.

use dipmo_domain::{Headers, InboxStatus, OutboxStatus, Outcome};
use dipmo_inbox::{Identity, Inbox as _, NewMessage, Record, Stored};
use dipmo_processing::{EngineOptions, WorkerOptions};

use crate::rig::{Rig, start, step};
use crate::script::Step;

const TOPIC: &str = "http:/orders/publish";

fn forwarding() -> EngineOptions {
    let to = "KAFKA:order-requests".parse().unwrap();
    let forwards = [(TOPIC.to_owned(), to)].into();
    let worker = WorkerOptions { forwards, ..WorkerOptions::default() };
    EngineOptions { worker, ..EngineOptions::default() }
}

fn request(id: &str, aggregate: Option<&str>, value: &str) -> NewMessage {
    let record = Record {
        topic: TOPIC.to_owned(),
        headers: Headers::default().with("x-trace", "T-1"),
        value: Some(value.as_bytes().to_vec()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "shop".to_owned(),
        message_id: Some(id.to_owned()),
        aggregate_id: aggregate.map(str::to_owned),
        event_type: aggregate.map(|_| "OrderRequested".to_owned()),
        ..Identity::default()
    };
    NewMessage::from_record(&record, &identity)
}

#[tokio::test(start_paused = true)]
async fn a_message_of_such_a_topic_is_one_intent_and_no_process_hears_of_it() {
    let rig = Rig::new().await;
    let value = r#"{"orderId": "O-1",  "total": 1.50}"#;
    let messages = [request("K-1", Some("O-1"), value), request("K-2", None, "[]")];
    rig.store(&messages).await;
    rig.store(&[step("A", 1, Step::default())]).await;
    let running = start(rig.engine(forwarding()));
    rig.until(|row| row.status == InboxStatus::Processed).await;
    // Posted again, it is the message that it was.
    let again = rig.store.store(&messages, &[]).await.unwrap();
    assert!(again.iter().all(|it| matches!(it, Stored::Duplicate(_))), "{again:?}");
    running.stop().await;

    let inbox = rig.inbox().await;
    let outcomes: Vec<_> = inbox.iter().map(|row| row.outcome).collect();
    assert_eq!(outcomes, [Some(Outcome::Done); 3]);
    let mut rows = rig.outbox().await;
    rows.retain(|row| row.aggregate_type == "FORWARDED");
    // Two aggregates have no order.
    rows.sort_by_key(|row| row.cause.map(|cause| cause.0));
    let [first, second] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(first.destination.to_string(), "KAFKA:order-requests");
    assert_eq!((first.payload.as_str(), first.status), (value, OutboxStatus::Pending));
    assert_eq!((first.aggregate_id.as_str(), first.event_type.as_str()), ("O-1", "OrderRequested"));
    let headers = Headers::from_json(first.headers_json.as_ref().unwrap()).unwrap();
    assert_eq!(headers.text("x-trace"), Some("T-1"));
    assert_eq!((first.cause, second.cause), (Some(inbox[0].message.id), Some(inbox[1].message.id)));
    assert_eq!((second.aggregate_id.as_str(), second.event_type.as_str()), ("K-2", "Forwarded"));
}
