//! How a message counts in the group of its last failure, whatever becomes of it.

use std::time::Duration;

use dipmo_domain::{ErrorStage, Failure, Month};
use dipmo_store::{ClaimedMessage, SettlementKind};

use super::failures::{assert_counts, only_group, settle_all};
use crate::OperableFixture;
use crate::suite::poison::poison;
use crate::support::{
    LONG, Script, batch, done, event, failed, retry, settle, stored, with_record,
};

/// What waits for its next attempt counts as retrying, what failed as failed, and what ended not at all.
pub async fn the_counts_follow_a_message<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    settle_all(&*store, retry(Duration::ZERO)).await;
    assert_counts(&*store, &[("try-again", 0, 1)]).await;
    settle_all(&*store, retry(Duration::ZERO)).await;
    assert_counts(&*store, &[("try-again", 0, 1)]).await;
    settle_all(&*store, failed(true)).await;
    assert_counts(&*store, &[("refused", 1, 0)]).await;
    store.retry(&ids, false).await.unwrap();
    assert_counts(&*store, &[("refused", 0, 1)]).await;
    settle_all(&*store, failed(true)).await;
    assert_counts(&*store, &[("refused", 1, 0)]).await;
    store.release_behind(&ids).await.unwrap();
    assert_counts(&*store, &[("refused", 1, 0)]).await;
    store.retry(&ids, false).await.unwrap();
    settle_all(&*store, done()).await;
    assert_counts(&*store, &[]).await;
}

/// What was skipped, failed or not, does not count any more; its neighbour in the group does.
pub async fn what_was_skipped_does_not_count<F: OperableFixture>() {
    for kind in [failed(false), retry(LONG)] {
        let fixture = F::fresh().await;
        let store = fixture.operable();
        let ids = stored(&*store, &[event("F-1", 1), event("F-2", 2)]).await;
        settle_all(&*store, kind).await;
        store.skip(&ids[..1]).await.unwrap();
        let group = only_group(&*store).await;
        assert_eq!(group.failed + group.retrying, 1);
        store.skip(&ids).await.unwrap();
        assert_counts(&*store, &[]).await;
    }
}

/// What cannot be decoded has failed, at the stage CONSUMER_SERDE, until it is skipped or decoded.
pub async fn what_cannot_be_decoded_has_failed<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let alone = with_record(|record| record.value = Some(b"\xff\xfe".to_vec()));
    let messages = [poison("F-1", 1), poison("F-2", 2), poison("F-3", 3), alone];
    let ids = stored(&*store, &messages).await;
    let group = only_group(&*store).await;
    assert_eq!((group.stage, group.failed), (Some(ErrorStage::ConsumerSerde), 4));
    assert!(ids.iter().any(|id| id.0 == group.sample), "{group:?}");
    store.skip(&ids[3..]).await.unwrap();
    assert_eq!(only_group(&*store).await.failed, 3);
    let decoded = [(ids[0], event("F-1", 1)), (ids[1], event("F-1", 1))];
    store.reparse(&decoded, false).await.unwrap();
    let group = only_group(&*store).await;
    assert_eq!((group.failed, group.retrying), (1, 0), "one was decoded, one is a duplicate");
    settle_all(&*store, failed(true)).await;
    store.skip(&ids[2..3]).await.unwrap();
    assert_counts(&*store, &[("refused", 1, 0)]).await;
}

/// A message that was tried and is held, or parked, counts as retrying while it has a failure.
pub async fn what_waits_with_a_failure_is_retrying<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 0), event("F-1", 1), event("F-2", 2)]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => SettlementKind::Retry { after: LONG, failure: Failure::new("head", "no") },
        _ => failed(false),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    store.retry(&[ids[0], ids[2]], true).await.unwrap();
    let wait = |claimed: &ClaimedMessage| match claimed.message.offset {
        2 => SettlementKind::Parked { at_most: LONG },
        _ => SettlementKind::Held,
    };
    assert_eq!(batch(&*store, Script::settling(wait)).await.unwrap().ids(), [ids[0], ids[2]]);
    assert_counts(&*store, &[("head", 0, 1), ("refused", 0, 2)]).await;
}

/// A batch that is rolled back counts nothing.
pub async fn a_batch_that_is_rolled_back_counts_nothing<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 1), event("F-2", 2)]).await;
    let first = ids[0];
    let leaves_one_out = Script::changing(move |claimed, _| {
        settle(claimed, |message| (message.message.id == first).then(|| failed(false)))
    });
    assert!(batch(&*store, leaves_one_out).await.is_err());
    assert_counts(&*store, &[]).await;
}

/// History takes ended rows away that do not count any more, and moves no count.
pub async fn history_moves_no_count<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 1), event("F-2", 2), event("F-3", 3)]).await;
    settle_all(&*store, failed(false)).await;
    store.skip(&ids[..1]).await.unwrap();
    store.retry(&ids[1..2], false).await.unwrap();
    settle_all(&*store, done()).await;
    assert_counts(&*store, &[("refused", 1, 0)]).await;
    let month = Month::of(store.now().await.unwrap()).next();
    while store.drop_before(month, 1_000).await.unwrap().more {}
    assert_eq!(store.inbox_rows(10).await.unwrap().len(), 1);
    assert_counts(&*store, &[("refused", 1, 0)]).await;
    store.skip(&ids[2..]).await.unwrap();
    while store.drop_before(month, 1_000).await.unwrap().more {}
    assert!(store.inbox_rows(10).await.unwrap().is_empty());
    assert_counts(&*store, &[]).await;
}
