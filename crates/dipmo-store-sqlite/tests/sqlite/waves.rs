//! A block that ends in one wave, as the next wave sees it.

use std::time::Duration;

use dipmo_domain::InboxId;
use dipmo_store::{Block, Changes, ClaimedBatch, Needs, SettlementKind};
use dipmo_store_sqlite::SqliteStore;
use dipmo_store_tests::support::{Script, batch, done, event, retry, settle, stored};

use crate::folder::Folder;

/// Ends the first message of F-1 in a wave, and settles the last one in the next, which reads the
/// block; answers the batch's ids and that block.
async fn in_two_waves(store: &SqliteStore, last: SettlementKind) -> (Vec<InboxId>, Option<Block>) {
    let key = event("F-1", 1).order_key.unwrap();
    let only = |batch: &ClaimedBatch, number: i64, kind: &SettlementKind| {
        settle(batch, |claimed| (claimed.message.offset == number).then(|| kind.clone()))
    };
    let reads = Needs { blocks: vec![key.clone()], ..Needs::default() };
    let script = Script::default()
        .wave(|_| Needs::default(), move |batch, _| only(batch, 1, &done()))
        .wave(|_| reads, move |batch, _| -> Changes { only(batch, 9, &last) });
    let ran = batch(store, script).await.unwrap();
    (ran.ids(), ran.found[1].blocks.get(&key).copied())
}

#[tokio::test]
async fn with_nobody_behind_it_a_block_is_gone_in_the_next_wave() {
    let folder = Folder::new();
    let store = folder.store().await;
    stored(&store, &[event("F-1", 1)]).await;
    batch(&store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    stored(&store, &[event("F-1", 9)]).await;
    let (ids, block) = in_two_waves(&store, done()).await;
    assert_eq!((ids.len(), block), (2, None));
}

#[tokio::test]
async fn with_somebody_behind_it_later_ones_are_still_held() {
    let folder = Folder::new();
    let store = folder.store().await;
    let ids = stored(&store, &[event("F-1", 1), event("F-1", 2)]).await;
    let first = ids[0];
    let script = Script::settling(move |claimed| {
        if claimed.message.id == first { retry(Duration::ZERO) } else { SettlementKind::Held }
    });
    batch(&store, script).await.unwrap();
    let last = stored(&store, &[event("F-1", 9)]).await;
    let (claimed, block) = in_two_waves(&store, SettlementKind::Held).await;
    assert_eq!(claimed, [ids[0], last[0]]);
    let block = block.unwrap();
    assert!(!block.lets_pass(last[0]), "{block:?}");
    let ran = batch(&store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), [ids[1], last[0]], "both were let go, in order");
}
