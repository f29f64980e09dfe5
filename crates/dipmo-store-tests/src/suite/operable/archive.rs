//! History that is archived: what is settled goes into lots, and comes back to the letter.

use std::time::Duration;

use dipmo_domain::{InboxStatus, Month, StoreError};
use dipmo_inbox::{InboxRow, Stored};
use dipmo_outbox::{Delivery, NewIntent, OutboxRow, RecordRow, UnitResult};
use dipmo_store::admin::{
    DutyLease, HistoryRow, Lot, LotAnswer, LotFiles, LotPart, LotState, Operable, Wish,
};
use dipmo_store::{ClaimedMessage, SettlementKind};

use super::duties::{elected, entries, entry};
use crate::OperableFixture;
use crate::support::{
    LONG, Script, alone, batch, dispatch_all, dispatched, done, event, event_saying, failed,
    failure, intent, kafka, record_keys, retry, rows, stored, suite_key, take, with_record,
    work_off, write_intents,
};

/// A lot, with all that is in it.
pub(super) type Taken = (Lot, Vec<(LotPart, Vec<HistoryRow>)>);

/// The month after the present one: everything that there is lies before it.
async fn next_month(store: &dyn Operable) -> Month {
    Month::of(store.now().await.unwrap()).next()
}

/// Sets the next lot aside, whole.
pub(super) async fn set_aside(store: &dyn Operable, lease: &DutyLease, limit: u32) -> Option<Lot> {
    let month = next_month(store).await;
    loop {
        let lot = store.set_aside(lease, month, limit).await.unwrap()?;
        if lot.state != LotState::Filling {
            return Some(lot);
        }
    }
}

/// All that is in a lot, page by page.
pub(super) async fn read(
    store: &dyn Operable,
    lot: &Lot,
    limit: u32,
) -> Vec<(LotPart, Vec<HistoryRow>)> {
    let mut parts = Vec::new();
    for part in LotPart::of(lot.side) {
        let (mut all, mut behind) = (Vec::new(), 0);
        loop {
            let page = store.lot_rows(lot.id, *part, behind, limit).await.unwrap();
            let Some(last) = page.last() else { break };
            behind = last.id;
            all.extend(page);
        }
        parts.push((*part, all));
    }
    parts
}

fn files(parts: &[(LotPart, Vec<HistoryRow>)]) -> LotFiles {
    let count = |index: usize| parts.get(index).map_or(0, |part| part.1.len() as u64);
    LotFiles {
        directory: "2026-01/inbox-1-1".to_owned(),
        manifest: "ab".repeat(32),
        rows: count(0),
        records: count(1),
        files: 1,
        bytes: 17,
    }
}

/// Archives and drops all that there is; answers what was in the lots.
pub(super) async fn archive_all(store: &dyn Operable, lease: &DutyLease, limit: u32) -> Vec<Taken> {
    let mut taken = Vec::new();
    while let Some(lot) = set_aside(store, lease, limit).await {
        let parts = read(store, &lot, limit).await;
        store.lot_archived(lease, lot.id, &files(&parts)).await.unwrap();
        while store.drop_lot(lease, lot.id, limit).await.unwrap().more {}
        taken.push((lot, parts));
    }
    let month = next_month(store).await;
    while store.tidy_history(lease, month, limit).await.unwrap().more {}
    taken
}

pub(super) async fn restore_all(store: &dyn Operable, lease: &DutyLease, taken: &[Taken]) -> u64 {
    let mut restored = 0;
    for (part, rows) in taken.iter().flat_map(|(_, parts)| parts) {
        for page in rows.chunks(3) {
            restored += store.restore_rows(lease, *part, page).await.unwrap();
        }
    }
    restored
}

/// All that can be looked at.
async fn everything(store: &dyn Operable) -> (Vec<InboxRow>, Vec<OutboxRow>, Vec<RecordRow>) {
    let intents = store.outbox_rows(1_000).await.unwrap();
    let mut records = Vec::new();
    for intent in &intents {
        records.extend(store.records(intent.id).await.unwrap());
    }
    (rows(store).await, intents, records)
}

fn verdict(claimed: &ClaimedMessage) -> SettlementKind {
    match claimed.message.offset {
        2 => retry(LONG),
        3 => failed(true),
        4 => retry(Duration::ZERO),
        _ => done(),
    }
}

/// Messages and intents that are settled in every way, and some that are not.
async fn world(store: &dyn Operable) {
    let odd =
        event_saying("F-5", 5, "{ \"a\" : 1.50, \"a\":\"\\u0000\\ud800\",\n\t\"é\": \"\\\\\" }");
    let binary = with_record(|record| {
        record.key = Some(vec![0, 255, 7]);
        record.offset = 6;
        record.value = None;
    });
    let poison =
        with_record(|record| (record.offset, record.value) = (7, Some(vec![255, 0, b'{'])));
    let mut messages: Vec<_> = (1..=4).map(|n| event(&format!("F-{n}"), n)).collect();
    messages.extend([odd, binary, poison]);
    let ids = stored(store, &messages).await;
    batch(store, Script::settling(verdict)).await.unwrap();
    batch(store, Script::process_all()).await.unwrap();
    store.skip(&[ids[6]]).await.unwrap();

    let many = NewIntent {
        records: record_keys(4),
        reply_to: Some(suite_key("S-1")),
        cause: Some(ids[0]),
        ..intent(&kafka("t"), "F-1", 1)
    };
    let units = vec![many, intent(&kafka("t"), "F-2", 1), intent(&kafka("t"), "F-3", 1)];
    let units = write_intents(store, units).await;
    let mut hand = take(store, &kafka("t"), "o").await;
    let result = |unit: &Delivery| match unit.record.as_ref().map(|record| record.0.as_str()) {
        Some("REC-2") => UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") },
        None if unit.intent == units[2] => {
            UnitResult::Failed { failure: failure("no"), block: true }
        }
        _ => dispatched(),
    };
    hand.settle(store, result).await.unwrap();
    hand.reads_again(store).await;
    hand.settle(store, |_| dispatched()).await.unwrap();
    hand.give_back(store).await;
}

/// Only what is settled is in a lot; what is not stays as it was, and what was dropped is gone.
pub async fn a_lot_is_what_is_settled<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    world(&*store).await;
    let before = everything(&*store).await;
    let lease = elected(&*store, "a").await;
    let taken = archive_all(&*store, &lease, 1_000).await;
    let sizes: Vec<Vec<usize>> =
        taken.iter().map(|(_, parts)| parts.iter().map(|part| part.1.len()).collect()).collect();
    assert_eq!(sizes, [vec![6], vec![2, 4]], "messages; intents and records");
    let left = everything(&*store).await;
    let stays = |row: &&InboxRow| row.status != InboxStatus::Processed;
    assert_eq!(left.0, before.0.iter().filter(stays).cloned().collect::<Vec<_>>());
    assert_eq!((left.0.len(), left.1.len(), left.2.len()), (2, 1, 0));
    assert_eq!(left.1[..], before.1[..1]);
    let lots = store.lots(None, 10).await.unwrap();
    assert!(lots.iter().all(|lot| lot.state == LotState::Dropped && lot.dropped_at.is_some()));
    assert_eq!(store.lots(Some(lots[0].id), 10).await.unwrap(), lots[1..]);
}

/// What is put back is there to the letter, once; nothing happens because of it, and nobody was forgotten.
pub async fn what_was_dropped_comes_back<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    world(&*store).await;
    let before = everything(&*store).await;
    let lease = elected(&*store, "a").await;
    let taken = archive_all(&*store, &lease, 1_000).await;
    let again = store.store(&[event("F-1", 1)], &[]).await.unwrap();
    assert!(matches!(again[..], [Stored::Duplicate(_)]), "{again:?}");
    assert_eq!(restore_all(&*store, &lease, &taken).await, 12);
    assert_eq!(everything(&*store).await, before);
    assert_eq!(restore_all(&*store, &lease, &taken).await, 0, "what is there stays");
    assert_eq!(everything(&*store).await, before);
    assert_eq!(store.store(&[event("F-1", 1)], &[]).await.unwrap(), again);
    assert!(batch(&*store, Script::process_all()).await.unwrap().ids().is_empty());
    assert!(dispatch_all(&*store, &kafka("t")).await.is_empty());
    let once_more = archive_all(&*store, &lease, 1_000).await;
    let lines = |taken: &[Taken]| -> Vec<_> { taken.iter().map(|it| it.1.clone()).collect() };
    assert_eq!(lines(&once_more), lines(&taken), "and it is archived as it was");
}

/// What ends after its month was archived comes in a lot of its own.
pub async fn what_ends_later_comes_later<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = stored(&*store, &[event("F-1", 1), event("F-4", 4)]).await;
    batch(&*store, Script::settling(verdict)).await.unwrap();
    let lease = elected(&*store, "a").await;
    let lot = set_aside(&*store, &lease, 1_000).await.unwrap();
    work_off(&*store, |_| done()).await;
    let parts = read(&*store, &lot, 10).await;
    let in_lot = |parts: &[(LotPart, Vec<HistoryRow>)]| -> Vec<i64> {
        parts[0].1.iter().map(|row| row.id).collect()
    };
    assert_eq!(in_lot(&parts), [ids[0].0], "it ended after the lot was set aside");
    store.lot_archived(&lease, lot.id, &files(&parts)).await.unwrap();
    while store.drop_lot(&lease, lot.id, 10).await.unwrap().more {}
    assert_eq!(rows(&*store).await.len(), 1, "so it is not dropped with it");
    let later = archive_all(&*store, &lease, 1_000).await;
    assert_eq!(in_lot(&later[0].1), [ids[1].0]);
    assert!(rows(&*store).await.is_empty());
}

/// Small portions come to the same, whoever goes on with a lot.
pub async fn small_portions_end<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    stored(&*store, &(0..50).map(alone).collect::<Vec<_>>()).await;
    batch(&*store, Script::process_all()).await.unwrap();
    write_intents(&*store, (1..20).map(|n| intent(&kafka("t"), &format!("F-{n}"), n)).collect())
        .await;
    dispatch_all(&*store, &kafka("t")).await;
    let first = elected(&*store, "a").await;
    let month = next_month(&*store).await;
    store.set_aside(&first, month, 7).await.unwrap().unwrap();
    store.give_back_duty(&first).await.unwrap();
    let lease = elected(&*another, "b").await;
    let taken = archive_all(&*another, &lease, 7).await;
    let count: usize = taken.iter().flat_map(|it| &it.1).map(|part| part.1.len()).sum();
    assert_eq!(count, 70);
    let (messages, intents, _) = everything(&*store).await;
    assert!(messages.is_empty() && intents.is_empty());
}

/// Nothing is dropped that was not archived.
pub async fn nothing_is_dropped_before_it_is_archived<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    let lease = elected(&*store, "a").await;
    let lot = set_aside(&*store, &lease, 10).await.unwrap();
    let refused = store.drop_lot(&lease, lot.id, 10).await;
    assert!(matches!(refused, Err(StoreError::Fenced { .. })), "{refused:?}");
    let month = next_month(&*store).await;
    store.tidy_history(&lease, month, 10).await.unwrap();
    let parts = read(&*store, &lot, 10).await;
    assert_eq!(parts[0].1.len(), 1);
    assert!(parts[0].1[0].line.as_str().contains("DONE"), "how it ended is still known");
    store.lot_archived(&lease, lot.id, &files(&parts)).await.unwrap();
    let twice = store.lot_archived(&lease, lot.id, &files(&parts)).await;
    assert!(matches!(twice, Err(StoreError::Fenced { .. })), "{twice:?}");
}

/// After somebody else took the duty nothing is changed under the old lease.
pub async fn who_lost_the_duty_changes_nothing<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    let old = elected(&*store, "a").await;
    let lot = set_aside(&*store, &old, 10).await.unwrap();
    let parts = read(&*store, &lot, 10).await;
    store.give_back_duty(&old).await.unwrap();
    let new = elected(&*store, "b").await;
    let month = next_month(&*store).await;
    let answers = [
        store.set_aside(&old, month, 10).await.map(drop),
        store.lot_archived(&old, lot.id, &files(&parts)).await,
        store.tidy_history(&old, month, 10).await.map(drop),
        store.restore_rows(&old, LotPart::Messages, &parts[0].1).await.map(drop),
        store.answer_wish(&old, lot.id, &LotAnswer::Sound).await,
    ];
    assert!(answers.iter().all(|it| matches!(it, Err(StoreError::Fenced { .. }))), "{answers:?}");
    store.lot_archived(&new, lot.id, &files(&parts)).await.unwrap();
    let dropped = store.drop_lot(&old, lot.id, 10).await;
    assert!(matches!(dropped, Err(StoreError::Fenced { .. })), "{dropped:?}");
    assert_eq!(read(&*store, &lot, 10).await, parts);
}

/// A wish is in the audit, is answered once, and holds the month when it is restored.
pub async fn wishes_are_kept_and_answered<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    let lease = elected(&*store, "a").await;
    let lot = set_aside(&*store, &lease, 10).await.unwrap();
    let wish = Wish::Restore { hold: LONG };
    assert_eq!(store.wish(lot.id, wish, &entry("archive.restore")).await, Ok(None), "no files yet");
    assert_eq!(entries(&*store, "archive.restore").await, 0);
    archive_all(&*store, &lease, 10).await;
    assert_eq!(store.held_month().await, Ok(None));
    let wished = store.wish(lot.id, wish, &entry("archive.restore")).await.unwrap().unwrap();
    assert_eq!((wished.wish, entries(&*store, "archive.restore").await), (Some(wish), 1));
    assert_eq!(store.wished_lots(10).await.unwrap(), [wished]);
    assert_eq!(store.held_month().await, Ok(Some(lot.month)));
    store.answer_wish(&lease, lot.id, &LotAnswer::Damaged("gone".to_owned())).await.unwrap();
    assert_eq!((store.held_month().await, store.wished_lots(10).await), (Ok(None), Ok(vec![])));
    assert_eq!(store.lots(None, 1).await.unwrap()[0].problem.as_deref(), Some("gone"));
    store.wish(lot.id, Wish::Verify, &entry("archive.verify")).await.unwrap().unwrap();
    assert_eq!(store.held_month().await, Ok(None));
    store.answer_wish(&lease, lot.id, &LotAnswer::Restored { hold: LONG }).await.unwrap();
    assert_eq!(store.held_month().await, Ok(Some(lot.month)));
    let held = store.lots(None, 1).await.unwrap().remove(0);
    assert_eq!((held.problem, held.wish), (None, None));
    assert!(held.restored_until > held.restored_at && held.checked_at.is_some());
    store.answer_wish(&lease, lot.id, &LotAnswer::Restored { hold: Duration::ZERO }).await.unwrap();
    fixture.tick().await;
    assert_eq!(store.held_month().await, Ok(None), "its time is over");
}
