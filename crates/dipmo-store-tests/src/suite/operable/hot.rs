//! Keys and aggregates that stand out.

use dipmo_inbox::NewMessage;
use dipmo_outbox::UnitResult;
use dipmo_store::admin::{Hot, Operable};
use dipmo_store::{SettlementKind, Side};

use crate::OperableFixture;
use crate::support::{
    LONG, Script, batch, event, failure, intent, kafka, retry, stored, take, with_record,
    write_intents,
};

/// The first of each key is to be tried again, and the others wait behind it.
async fn wait_behind_the_first(store: &dyn Operable, messages: &[NewMessage]) -> Vec<i64> {
    let ids = stored(store, messages).await;
    let first = |offset: i64| if offset == 0 { retry(LONG) } else { SettlementKind::Held };
    batch(store, Script::settling(move |it| first(it.message.offset))).await.unwrap();
    ids.iter().map(|id| id.0).collect()
}

fn keys(hot: &Hot) -> Vec<(Side, &str, u64, Option<i64>)> {
    hot.keys.iter().map(|it| (it.side, it.key.as_str(), it.waiting, it.head)).collect()
}

/// The key of which the most waits comes first, with the head that the others wait for; on both sides, and no more of
/// them than asked.
pub async fn the_key_with_the_most_comes_first<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let nothing = store.hot(10).await.unwrap();
    assert_eq!((nothing.keys, nothing.recent, nothing.among), (vec![], vec![], 0));
    let messages: Vec<_> = [("few", 0), ("few", 1), ("many", 0), ("many", 1), ("many", 2)]
        .map(|(name, number)| event(name, number))
        .into();
    let ids = wait_behind_the_first(&*store, &messages).await;
    let units: Vec<_> = (0..4).map(|number| intent(&kafka("t"), "sent", number)).collect();
    let units = write_intents(&*store, units).await;
    let hand = take(&*store, &kafka("t"), "ann").await;
    let again = || UnitResult::Retry { after: LONG, failure: failure("later") };
    let settled = |unit| if unit == units[0] { again() } else { UnitResult::Held };
    hand.settle(&*store, |delivery| settled(delivery.unit)).await.unwrap();
    let hot = store.hot(10).await.unwrap();
    let expected = [
        (Side::Outbox, "sent", 4, Some(units[0].0)),
        (Side::Inbox, "many", 3, Some(ids[2])),
        (Side::Inbox, "few", 2, Some(ids[0])),
    ];
    assert_eq!(keys(&hot), expected);
    assert!(hot.complete && hot.keys.iter().all(|key| key.is_aggregate), "{hot:?}");
    assert_eq!(hot.keys[0].queue, "KAFKA:t");
    let recent: Vec<_> = hot.recent.iter().map(|it| (it.aggregate.as_str(), it.messages)).collect();
    // One more, without an aggregate, caused the units.
    assert_eq!((recent, hot.among), (vec![("many", 3), ("few", 2)], 6));
    let first = store.hot(1).await.unwrap();
    assert_eq!((keys(&first), first.recent.len()), (expected[..1].to_vec(), 1));
}

/// A key that Kafka had, of messages without an aggregate, is told as such: it is not for everybody to see.
pub async fn a_key_of_kafka_is_no_aggregate<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let keyed = |offset| {
        with_record(|record| (record.offset, record.key) = (offset, Some(b"jane".to_vec())))
    };
    wait_behind_the_first(&*store, &[keyed(0), keyed(1)]).await;
    let hot = store.hot(10).await.unwrap();
    assert_eq!(hot.keys.len(), 1);
    assert_eq!((hot.keys[0].key.as_str(), hot.keys[0].is_aggregate), ("jane", false));
    assert_eq!(hot.recent, vec![], "there is no aggregate");
}

/// What was settled is in no key's way any more.
pub async fn what_has_ended_is_not_hot<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = wait_behind_the_first(&*store, &[event("a", 0)]).await;
    assert_eq!(store.hot(10).await.unwrap().keys.len(), 1);
    store.skip(&[dipmo_domain::InboxId(ids[0])]).await.unwrap();
    let hot = store.hot(10).await.unwrap();
    assert_eq!((hot.keys.len(), hot.recent.len()), (0, 1));
}
