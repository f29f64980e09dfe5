//! Releasing: many held messages are let go in bounded steps, in order, the block lifted last.

use std::time::Duration;

use dipmo_domain::{InboxId, InboxStatus, OrderKey};
use dipmo_store::{BatchReport, ClaimedMessage, SettlementKind, Store};

use crate::Fixture;
use crate::support::{
    Orderly, Script, batch, block_of, done, event, everything, retry, row_of, rows, stored,
    work_off,
};

/// How many the contract lets go in the transaction that ends a head.
const AT_ONCE: usize = 500;

fn key() -> OrderKey {
    OrderKey::new("F-1")
}

fn numbers(tried: &[ClaimedMessage]) -> Vec<i64> {
    tried.iter().map(|claimed| claimed.message.offset).collect()
}

/// A head in retry, due at once, with so many messages held behind it.
async fn held_behind_a_head(store: &dyn Store, held: usize) -> Vec<InboxId> {
    let last = i64::try_from(held).unwrap();
    let messages: Vec<_> = (0..=last).map(|number| event("F-1", number)).collect();
    let ids = stored(store, &messages).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        0 => retry(Duration::ZERO),
        _ => SettlementKind::Held,
    };
    assert_eq!(batch(store, Script::settling(verdict)).await.unwrap().messages.len(), held + 1);
    ids
}

/// One batch in order, everything processed.
async fn step(store: &dyn Store) -> (BatchReport, Vec<ClaimedMessage>) {
    Orderly::new(|_| done()).run(store, everything()).await.unwrap()
}

async fn still_held(store: &dyn Store) -> usize {
    rows(store).await.iter().filter(|row| row.held_behind.is_some()).count()
}

/// As many as may go at once go at once, and the block with them.
pub async fn five_hundred_go_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    held_behind_a_head(&*store, AT_ONCE).await;
    let (report, tried) = step(&*store).await;
    assert_eq!((report.releasing, tried.len()), (false, 1));
    assert_eq!(still_held(&*store).await, 0);
    assert_eq!(store.release(100).await, Ok(0));
    let (_, tried) = step(&*store).await;
    assert_eq!(numbers(&tried), (1..=500).collect::<Vec<_>>());
    assert_eq!(block_of(&*store, &key()).await, None);
}

/// More go in steps: the report says so, and `release` goes on within its limit.
pub async fn more_go_in_bounded_steps<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = held_behind_a_head(&*store, 720).await;
    let (report, _) = step(&*store).await;
    assert!(report.releasing, "held messages remain");
    assert_eq!(still_held(&*store).await, 220);
    assert_eq!(row_of(&*store, ids[720]).await.held_behind, Some(ids[0]));

    assert_eq!(store.release(100).await, Ok(100));
    assert_eq!(still_held(&*store).await, 120);
    let (_, tried) = step(&*store).await;
    assert_eq!(numbers(&tried), (1..=600).collect::<Vec<_>>(), "the let go ones, in order");
    let block = block_of(&*store, &key()).await.unwrap();
    assert_eq!((block.head, block.released_to), (ids[0], Some(ids[600])));

    assert_eq!(store.release(1_000).await, Ok(120));
    assert_eq!(store.release(1_000).await, Ok(0));
    let (_, tried) = step(&*store).await;
    assert_eq!(numbers(&tried), (601..=720).collect::<Vec<_>>());
    assert_eq!(block_of(&*store, &key()).await, None, "the block goes with the last of them");
}

/// What comes while a block is being lifted waits for its turn.
pub async fn new_ones_wait_while_a_block_is_lifted<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    held_behind_a_head(&*store, 510).await;
    step(&*store).await;
    stored(&*store, &[event("F-1", 511)]).await;
    let (_, tried) = step(&*store).await;
    assert_eq!(numbers(&tried), (1..=500).collect::<Vec<_>>(), "511 is held");
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), (501..=511).collect::<Vec<_>>());
    assert_eq!(block_of(&*store, &key()).await, None);
}

/// A released message that fails is the new head: everything later waits for it.
pub async fn a_released_message_fails<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = held_behind_a_head(&*store, 600).await;
    step(&*store).await;
    let bad = ids[250];
    let verdict = move |claimed: &ClaimedMessage| {
        if claimed.message.id == bad { retry(Duration::ZERO) } else { done() }
    };
    let (report, tried) = Orderly::new(verdict).run(&*store, everything()).await.unwrap();
    assert_eq!(numbers(&tried), (1..=250).collect::<Vec<_>>(), "251 and later are held again");
    assert!(!report.releasing, "the block is not being lifted any more");
    assert_eq!(store.release(1_000).await, Ok(0), "nothing is let go past the new head");
    for id in [ids[251], ids[499], ids[550], ids[600]] {
        assert_eq!(row_of(&*store, id).await.held_behind, Some(bad), "{id}");
    }
    let tried = work_off(&*store, |_| done()).await;
    assert_eq!(numbers(&tried), (250..=600).collect::<Vec<_>>());
    assert!(rows(&*store).await.iter().all(|row| row.status == InboxStatus::Processed));
    assert_eq!(block_of(&*store, &key()).await, None);
}

/// Many keys are released within the limit of a call, and none is forgotten.
pub async fn many_keys_share_the_limit<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = ["F-1", "F-2", "F-3"];
    let mut messages = Vec::new();
    for number in 0..=520 {
        messages.extend(names.iter().map(|name| event(name, number)));
    }
    stored(&*store, &messages).await;
    work_off_first(&*store).await;
    let mut let_go = 0;
    loop {
        let now = store.release(7).await.unwrap();
        assert!(now <= 7, "{now} were let go, 7 were asked for");
        if now == 0 {
            break;
        }
        let_go += now;
    }
    assert!(let_go <= 3 * 520);
    assert_eq!(still_held(&*store).await, 0);
    let (_, tried) = step(&*store).await;
    for name in names {
        let of_name =
            |claimed: &&ClaimedMessage| claimed.message.aggregate_id.as_deref() == Some(name);
        let seen: Vec<_> =
            tried.iter().filter(of_name).map(|claimed| claimed.message.offset).collect();
        assert_eq!(seen, (1..=520).collect::<Vec<_>>(), "{name}");
        assert_eq!(block_of(&*store, &OrderKey::new(name)).await, None);
    }
}

/// Heads of all keys fail once, then end.
async fn work_off_first(store: &dyn Store) {
    for kind in [retry(Duration::ZERO), done()] {
        let verdict = move |claimed: &ClaimedMessage| match claimed.message.offset {
            0 => kind.clone(),
            _ => SettlementKind::Held,
        };
        batch(store, Script::settling(verdict)).await.unwrap();
    }
}

/// With nothing to let go, nothing is let go.
pub async fn nothing_to_release<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    assert_eq!(store.release(10).await, Ok(0));
    held_behind_a_head(&*store, 3).await;
    assert_eq!(store.release(10).await, Ok(0), "the head has not ended");
    assert_eq!(still_held(&*store).await, 3);
}
