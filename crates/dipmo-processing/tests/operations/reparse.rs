//! Decoding again.

use std::sync::Arc;

use dipmo_domain::{InboxStatus, Json};
use dipmo_inbox::{Identity, Inbox as _, Message, NewMessage, Record};
use dipmo_processing::operations::{Conclusion, Redecode};
use dipmo_store::admin::{Act, Actions as _, MessageFilter, Operation, Target};
use dipmo_store::{Inspect as _, Side};
use tokio_util::sync::CancellationToken;

use crate::rig::{Rig, counted, quick};

/// Knows what the bytes are now, but for some offsets.
struct Mended;

const UNKNOWN: i64 = 3;
const STILL_POISON: i64 = 5;
const PANICS: i64 = 7;

impl Redecode for Mended {
    fn decode_again(&self, message: &Message) -> Option<NewMessage> {
        let record = message.record().unwrap();
        let identity = Identity {
            source_system: "test".to_owned(),
            aggregate_id: Some(format!("A-{}", record.offset)),
            ..Identity::default()
        };
        assert_ne!(record.offset, PANICS, "as the test wants");
        match record.offset {
            UNKNOWN => None,
            STILL_POISON => Some(NewMessage::from_record(&record, &identity)),
            _ => Some(NewMessage::decoded(&record, &identity, Json::empty_object())),
        }
    }
}

/// A database with so many messages that cannot be decoded; their ids are their offsets and one.
async fn poisoned(messages: i64) -> Rig {
    let rig = Rig::new().await;
    let poison = |n| {
        let topic = "script".to_owned();
        let record = Record { topic, offset: n, value: Some(vec![0xff]), ..Record::default() };
        NewMessage::from_record(&record, &Identity::default())
    };
    let poison: Vec<_> = (0..messages).map(poison).collect();
    rig.store.store(&poison, &[]).await.unwrap();
    rig
}

async fn reparse(rig: &Rig, target: Target) -> Operation {
    let id = rig.begin(Act::Reparse, target, None).await;
    let mut performer = rig.performer_with("one", quick(), Arc::new(Mended));
    let concluded = performer.perform_one(id, |_| {}, CancellationToken::new()).await.unwrap();
    let Conclusion::Over(operation) = concluded else { panic!("{concluded:?}") };
    operation
}

#[tokio::test]
async fn every_message_gets_its_result_also_where_the_decoder_panics() {
    let rig = poisoned(250).await;
    let operation = reparse(&rig, Target::Messages(MessageFilter::default())).await;
    assert_eq!((operation.items, operation.met, operation.done), (250, 250, 247));
    let results = counted([("DONE", 247), ("UNDECODABLE", 3)]);
    assert_eq!(rig.results(operation.id).await, results);
    let items = rig.store.operation_items(operation.id, Some("UNDECODABLE"), None, 10).await;
    let left: Vec<_> = items.unwrap().into_iter().map(|item| item.id - 1).collect();
    assert_eq!(left, [UNKNOWN, STILL_POISON, PANICS]);
    for row in rig.store.inbox_rows(1_000).await.unwrap() {
        let stays = left.contains(&row.message.offset);
        let expected = if stays { InboxStatus::SerdeError } else { InboxStatus::Received };
        assert_eq!(row.status, expected, "{}", row.message.offset);
    }
}

#[tokio::test]
async fn what_is_gone_or_was_decoded_already_is_met_as_well() {
    let rig = poisoned(3).await;
    reparse(&rig, Target::Ids { side: Side::Inbox, ids: vec![1] }).await;
    let target = Target::Ids { side: Side::Inbox, ids: vec![1, 2, 4_711] };
    let operation = reparse(&rig, target).await;
    assert_eq!((operation.met, operation.done), (3, 1));
    let results = counted([("DONE", 1), ("NOT_FOUND", 1), ("WRONG_STATUS", 1)]);
    assert_eq!(rig.results(operation.id).await, results);
}

#[tokio::test]
async fn a_unit_is_not_taken_for_the_message_of_the_same_number() {
    let rig = poisoned(2).await;
    let operation = reparse(&rig, Target::Ids { side: Side::Outbox, ids: vec![1, 2] }).await;
    assert_eq!(rig.results(operation.id).await, counted([("NOT_FOUND", 2)]));
    let rows = rig.store.inbox_rows(10).await.unwrap();
    assert!(rows.iter().all(|row| row.status == InboxStatus::SerdeError), "{rows:?}");
}
