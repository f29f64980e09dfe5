//! Holding: while the head of a key waits, nothing of that key overtakes it (trap 12).

use std::time::Duration;

use dipmo_domain::{InboxId, InboxStatus, OrderKey};
use dipmo_store::{Acted, Block, ClaimedMessage, SettlementKind};

use crate::Fixture;
use crate::support::{
    LONG, Script, aggregate_in, alone, batch, block_of, done, event, failed, retry, row_of, settle,
    stored, with_record, work_off,
};

fn ids(tried: &[ClaimedMessage]) -> Vec<InboxId> {
    tried.iter().map(|claimed| claimed.message.id).collect()
}

/// A head in RETRY is not overtaken by what comes later.
pub async fn trap_12_a_retry_is_not_overtaken<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let head = stored(&*store, &[event("F-1", 1)]).await[0];
    work_off(&*store, |_| retry(LONG)).await;
    let later = stored(&*store, &[event("F-1", 2), event("F-1", 3), event("F-2", 1)]).await;
    assert_eq!(ids(&work_off(&*store, |_| done()).await), [later[2]], "other keys go on");
    for id in &later[..2] {
        let row = row_of(&*store, *id).await;
        assert_eq!((row.status, row.attempts), (InboxStatus::Received, 0));
        assert_eq!((row.held_behind, row.next_attempt_at), (Some(head), None));
        assert_eq!((row.failure, row.error_stage), (None, None));
    }
    let block = block_of(&*store, &OrderKey::new("F-1")).await;
    assert_eq!(block, Some(Block { head, released_to: None }));
}

/// When the head ends, those behind it go on in order, and the block is gone.
pub async fn the_held_go_on_in_order<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let head = stored(&*store, &[event("F-1", 1)]).await[0];
    batch(&*store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    let later = stored(&*store, &[event("F-1", 2), event("F-1", 3)]).await;
    let is_head = move |claimed: &ClaimedMessage| claimed.message.id == head;
    let hold = move |claimed: &ClaimedMessage| {
        if is_head(claimed) { retry(Duration::ZERO) } else { SettlementKind::Held }
    };
    batch(&*store, Script::settling(hold)).await.unwrap();
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), [head], "the held ones are not claimed");
    assert!(!ran.report.releasing, "all of them were let go at once");
    for id in &later {
        let row = row_of(&*store, *id).await;
        assert_eq!((row.status, row.attempts), (InboxStatus::Received, 0));
        assert_eq!(row.held_behind, None);
    }
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), later);
    assert!(ran.messages.iter().all(|claimed| claimed.attempts == 0));
    assert_eq!(row_of(&*store, later[0]).await.attempts, 1);
    assert_eq!(block_of(&*store, &OrderKey::new("F-1")).await, None);
    assert_eq!(store.release(100).await, Ok(0));
}

/// A message that is held in the very batch that ends its head is let go with the others.
pub async fn held_in_the_batch_that_ends_the_head<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let first = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => retry(Duration::ZERO),
        _ => SettlementKind::Held,
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    let last = stored(&*store, &[event("F-1", 3)]).await[0];
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => done(),
        _ => SettlementKind::Held,
    };
    let ran = batch(&*store, Script::settling(verdict)).await.unwrap();
    assert_eq!(ran.ids(), [first[0], last]);
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), [first[1], last], "nobody is left behind");
    assert_eq!(block_of(&*store, &OrderKey::new("F-1")).await, None);
}

/// Nobody waits for nothing: without a block, `Held` is refused or the message stays ready.
pub async fn nobody_is_held_behind_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), alone(1)]).await;
    if let Err(error) = batch(&*store, Script::settling(|_| SettlementKind::Held)).await {
        assert!(matches!(error, dipmo_domain::StoreError::Unexpected { .. }), "{error:?}");
    }
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().ids(), ids);
}

/// A FAILED head that blocks keeps everything behind it until a person decides.
pub async fn a_failed_head_blocks<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages = [event("F-1", 1), event("F-1", 2), event("F-1", 3)];
    let all = stored(&*store, &messages).await;
    let tried = work_off(&*store, |_| failed(true)).await;
    assert_eq!(ids(&tried), [all[0]]);
    let more = stored(&*store, &[event("F-1", 4)]).await[0];
    assert!(work_off(&*store, |_| done()).await.is_empty());
    assert_eq!(store.release(100).await, Ok(0), "the head has not ended");
    for id in [all[1], all[2], more] {
        assert_eq!(row_of(&*store, id).await.held_behind, Some(all[0]));
    }
    assert_eq!(row_of(&*store, all[0]).await.held_behind, None, "the head waits for nobody");
}

/// A FAILED message that does not block lets its key go on.
pub async fn a_failed_message_without_block_goes_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let all = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let first = all[0];
    let tried = work_off(
        &*store,
        move |claimed| {
            if claimed.message.id == first { failed(false) } else { done() }
        },
    )
    .await;
    assert_eq!(ids(&tried), all);
    assert_eq!(block_of(&*store, &OrderKey::new("F-1")).await, None);
}

/// A head that fails without blocking, after retries, ends the block.
pub async fn a_head_that_fails_without_block_ends_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let all = stored(&*store, &[event("F-1", 1), event("F-1", 2), event("F-1", 3)]).await;
    let tried = work_off(&*store, |claimed| match (claimed.message.offset, claimed.attempts) {
        (1, 0 | 1) => retry(Duration::ZERO),
        (1, _) => failed(false),
        _ => done(),
    })
    .await;
    assert_eq!(ids(&tried), [all[0], all[0], all[0], all[1], all[2]]);
    assert_eq!(row_of(&*store, all[0]).await.status, InboxStatus::Failed);
}

/// A head that fails for good keeps the block that its retries made.
pub async fn a_head_that_fails_keeps_the_block<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let all = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let tried = work_off(&*store, |claimed| match claimed.attempts {
        0 => retry(Duration::ZERO),
        _ => failed(true),
    })
    .await;
    assert_eq!(ids(&tried), [all[0], all[0]]);
    assert_eq!(row_of(&*store, all[1]).await.held_behind, Some(all[0]));
    let block = block_of(&*store, &OrderKey::new("F-1")).await;
    assert_eq!(block, Some(Block { head: all[0], released_to: None }));
}

/// A message that is alone blocks nobody, and nobody blocks it.
pub async fn a_message_that_is_alone_blocks_nobody<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    // All of them in one lane: order is by key, not by lane.
    let lane = alone(0).lane;
    let in_lane: Vec<_> = (0..).map(alone).filter(|message| message.lane == lane).take(3).collect();
    let mut messages = in_lane.clone();
    messages.push(event(&aggregate_in(lane, 0), 1));
    let all = stored(&*store, &messages).await;
    let (first, second) = (all[0], all[1]);
    let tried = work_off(&*store, move |claimed| match claimed.message.id {
        id if id == first => retry(LONG),
        id if id == second => failed(true),
        _ => done(),
    })
    .await;
    assert_eq!(ids(&tried), all);
}

/// Without an aggregate, order is by the key of the record.
pub async fn order_is_by_key_without_an_aggregate<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let keyed = |key: &[u8], offset| {
        let key = Some(key.to_vec());
        with_record(move |record| (record.key, record.offset) = (key, offset))
    };
    let messages = [keyed(b"\xff\x00", 1), keyed(b"\xff\x00", 2), keyed(b"", 3), keyed(b"", 4)];
    let all = stored(&*store, &messages).await;
    let tried = work_off(&*store, |claimed| match claimed.message.offset {
        1 | 3 => failed(true),
        _ => done(),
    })
    .await;
    assert_eq!(ids(&tried), [all[0], all[2]]);
    assert_eq!(row_of(&*store, all[1]).await.held_behind, Some(all[0]));
    assert_eq!(row_of(&*store, all[3]).await.held_behind, Some(all[2]));
}

/// A message that was tried before can be held as well: it keeps its attempts, and comes back due.
pub async fn a_tried_message_is_held_and_comes_back<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let first = stored(&*store, &[event("F-1", 1)]).await[0];
    let parked = || SettlementKind::Parked { at_most: Duration::ZERO };
    batch(&*store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    batch(&*store, Script::settling(move |_| parked())).await.unwrap();
    let second = stored(&*store, &[event("F-1", 2)]).await[0];
    // The first one is parked, so its key goes on without it; the second one fails.
    let verdict = move |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => parked(),
        _ => retry(Duration::ZERO),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => SettlementKind::Held,
        _ => retry(Duration::ZERO),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    let row = row_of(&*store, first).await;
    assert_eq!((row.held_behind, row.attempts, row.next_attempt_at), (Some(second), 1, None));

    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().ids(), [second]);
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!((ran.ids(), ran.messages[0].attempts), (vec![first], 1));
    assert_eq!(row_of(&*store, first).await.attempts, 2);
}

/// What is not tried keeps its status: RETRY says that it was tried before, whatever it waits for.
pub async fn what_is_not_tried_keeps_its_status<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let id = stored(&*store, &[event("F-1", 1)]).await[0];
    let head = stored(&*store, &[event("F-1", 2)]).await[0];
    let tried = move |claimed: &ClaimedMessage| {
        if claimed.message.id == id { retry(Duration::ZERO) } else { SettlementKind::Held }
    };
    batch(&*store, Script::settling(tried)).await.unwrap();
    let parked = SettlementKind::Parked { at_most: Duration::ZERO };
    batch(&*store, Script::settling(move |_| parked.clone())).await.unwrap();
    let row = row_of(&*store, id).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Retry, 1), "parked");
    assert!(row.next_attempt_at.is_some());
    // It was the head: its key goes on without it, and has another one soon.
    let held = move |claimed: &ClaimedMessage| {
        if claimed.message.id == head { retry(LONG) } else { SettlementKind::Held }
    };
    let ran = batch(&*store, Script::settling(held)).await.unwrap();
    assert_eq!(ran.ids(), [id, head]);
    let row = row_of(&*store, id).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Retry, 1), "held");
    assert_eq!((row.held_behind, row.next_attempt_at), (Some(head), None));
    assert_eq!(store.skip(&[head]).await.unwrap().acts, [Acted::Done]);
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!((ran.ids(), ran.messages[0].attempts), (vec![id], 1));
    assert!(ran.messages[0].parked_until.is_some(), "it keeps its first deadline");
}

/// Of two messages that fail at once, the key waits for the earlier one.
pub async fn a_key_waits_for_the_earlier_head<F: Fixture>() {
    for backwards in [false, true] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let all = stored(&*store, &[event("F-1", 1), event("F-1", 2), event("F-1", 3)]).await;
        let script = Script::changing(move |batch, _| {
            let mut changes = settle(batch, |claimed| match claimed.message.offset {
                3 => Some(SettlementKind::Held),
                _ => Some(retry(Duration::ZERO)),
            });
            if backwards {
                changes.settlements.reverse();
            }
            changes
        });
        batch(&*store, script).await.unwrap();
        assert_eq!(row_of(&*store, all[2]).await.held_behind, Some(all[0]));
        assert_eq!(ids(&work_off(&*store, |_| done()).await), all);
    }
}

/// A message that ends without being the head leaves the block where it is.
pub async fn who_is_not_the_head_ends_no_block<F: Fixture>() {
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => retry(LONG),
        2 => SettlementKind::Parked { at_most: Duration::ZERO },
        _ => SettlementKind::Held,
    };
    for kind in [done(), failed(false)] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let messages = [event("F-1", 1), event("F-1", 2), event("F-1", 3)];
        let all = stored(&*store, &messages).await;
        batch(&*store, Script::settling(verdict)).await.unwrap();
        let ran = batch(&*store, Script::settling(move |_| kind.clone())).await.unwrap();
        assert_eq!(ran.ids(), [all[1]]);
        assert_eq!(row_of(&*store, all[2]).await.held_behind, Some(all[0]));
        assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
    }
}
