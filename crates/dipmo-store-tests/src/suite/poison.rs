//! Messages that cannot be decoded and block their key: everything later waits for a person.

use std::time::Duration;

use dipmo_domain::{InboxId, InboxStatus, OrderKey, Outcome};
use dipmo_inbox::{Identity, NewMessage, Record, Stored};
use dipmo_store::{Acted, ClaimedMessage, Store};

use crate::Fixture;
use crate::support::{
    Script, block_of, done, event, everything, failed, inside, retry, row_of, rows, stored,
    work_off,
};

/// Bytes that nobody can read, with the key of an aggregate, which waits for them.
pub(super) fn poison(aggregate: &str, number: i64) -> NewMessage {
    let record = Record {
        topic: "suite".to_owned(),
        offset: number,
        key: Some(aggregate.as_bytes().to_vec()),
        timestamp_millis: -1,
        value: Some(b"\xff\xfe".to_vec()),
        ..Record::default()
    };
    let identity = Identity { source_system: "suite".to_owned(), ..Identity::default() };
    NewMessage::from_record(&record, &identity).blocking_its_key()
}

fn key() -> OrderKey {
    OrderKey::new("F-1")
}

async fn tried(store: &dyn Store) -> Vec<i64> {
    let tried = work_off(store, |_| done()).await;
    tried.iter().map(|claimed| claimed.message.offset).collect()
}

async fn held_behind(store: &dyn Store, id: InboxId) -> Option<InboxId> {
    row_of(store, id).await.held_behind
}

/// What comes later waits for it; what came before it does not; skipping it lets go.
pub async fn what_comes_later_waits<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages = [event("F-1", 1), poison("F-1", 2), event("F-1", 3), event("F-2", 4)];
    let mut ids = stored(&*store, &messages).await;
    assert_eq!(tried(&*store).await, [1, 4]);
    let row = row_of(&*store, ids[1]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::SerdeError, 0));
    assert_eq!((row.held_behind, row.next_attempt_at), (None, None), "it waits for a person");
    ids.extend(stored(&*store, &[event("F-1", 5)]).await);
    assert!(tried(&*store).await.is_empty());
    for id in [ids[2], ids[4]] {
        assert_eq!(held_behind(&*store, id).await, Some(ids[1]));
    }
    assert_eq!(store.backlog().await.unwrap().inbox.failed, 1);
    assert_eq!(store.skip(&ids[1..2]).await.unwrap().acts, [Acted::Done]);
    assert_eq!(tried(&*store).await, [3, 5]);
    assert_eq!(block_of(&*store, &key()).await, None);
}

/// One that came before it fails for now: the key waits for that, and then for the poison.
pub async fn an_earlier_message_is_retried<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), poison("F-1", 2), event("F-1", 3)]).await;
    let mut first = true;
    let verdict = move |_: &ClaimedMessage| {
        if std::mem::replace(&mut first, false) { retry(Duration::ZERO) } else { done() }
    };
    let seen = work_off(&*store, verdict).await;
    assert_eq!(seen.iter().map(|it| it.message.offset).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(held_behind(&*store, ids[2]).await, Some(ids[1]));
    store.skip(&ids[1..2]).await.unwrap();
    assert_eq!(tried(&*store).await, [3]);
}

/// A key that waits already goes on waiting for its head; the poison comes after it, in order.
pub async fn a_key_that_waits_already<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = stored(&*store, &[event("F-1", 1)]).await;
    work_off(&*store, |_| failed(true)).await;
    let more = [event("F-1", 2), poison("F-1", 3), event("F-1", 4)];
    ids.extend(stored(&*store, &more).await);
    assert!(tried(&*store).await.is_empty());
    assert_eq!(held_behind(&*store, ids[2]).await, Some(ids[0]), "it stands in line");
    store.skip(&ids[..1]).await.unwrap();
    assert_eq!(tried(&*store).await, [2]);
    assert_eq!(held_behind(&*store, ids[2]).await, None, "it is the head now");
    assert_eq!(held_behind(&*store, ids[3]).await, Some(ids[2]));
    store.skip(&ids[2..3]).await.unwrap();
    assert_eq!(tried(&*store).await, [4]);
    assert_eq!(block_of(&*store, &key()).await, None);
}

/// Several of them wait for each other, and can be skipped in any order.
pub async fn several_in_line<F: Fixture>() {
    for last_first in [false, true] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let messages = [poison("F-1", 1), event("F-1", 2), poison("F-1", 3), event("F-1", 4)];
        let ids = stored(&*store, &messages).await;
        assert!(tried(&*store).await.is_empty());
        let (first, second) = if last_first { (ids[2], ids[0]) } else { (ids[0], ids[2]) };
        assert_eq!(store.skip(&[first]).await.unwrap().acts, [Acted::Done]);
        let expected: &[i64] = if last_first { &[] } else { &[2] };
        assert_eq!(tried(&*store).await, expected, "last first: {last_first}");
        store.skip(&[second]).await.unwrap();
        let expected: &[i64] = if last_first { &[2, 4] } else { &[4] };
        assert_eq!(tried(&*store).await, expected, "last first: {last_first}");
        assert_eq!(block_of(&*store, &key()).await, None);
    }
}

/// Many behind one are let go in steps, up to the next one.
pub async fn many_go_up_to_the_next<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut messages = vec![poison("F-1", 0)];
    messages.extend((1..=720).map(|n| event("F-1", n)));
    messages[650] = poison("F-1", 650);
    let ids = stored(&*store, &messages).await;
    assert!(tried(&*store).await.is_empty());
    assert!(store.skip(&ids[..1]).await.unwrap().releasing);
    assert_eq!(tried(&*store).await, (1..650).collect::<Vec<_>>());
    assert_eq!(held_behind(&*store, ids[700]).await, Some(ids[650]));
    store.skip(&ids[650..=650]).await.unwrap();
    assert_eq!(tried(&*store).await, (651..=720).collect::<Vec<_>>());
}

/// Trap 3: the same record again changes nothing, before a person has decided and after.
pub async fn trap_3_redelivered<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let messages = [poison("F-1", 1), event("F-1", 2)];
    let ids = stored(&*store, &messages).await;
    work_off(&*store, |_| done()).await;
    let before = rows(&*store).await;
    let again = another.store(&messages, &[]).await.unwrap();
    assert_eq!(again, [Stored::Duplicate(ids[0]), Stored::Duplicate(ids[1])]);
    assert_eq!(rows(&*store).await, before);
    store.skip(&ids[..1]).await.unwrap();
    assert_eq!(another.store(&messages[..1], &[]).await, Ok(vec![Stored::Duplicate(ids[0])]));
    assert_eq!(tried(&*store).await, [2]);
    assert_eq!(row_of(&*store, ids[0]).await.outcome, Some(Outcome::Skipped));
    assert_eq!(block_of(&*store, &key()).await, None);
}

/// Without a key, and without the word, it blocks nobody; nor does a message that can be read.
pub async fn who_blocks_nobody<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let alone = Record { value: Some(b"\xff".to_vec()), ..Record::default() };
    let alone = NewMessage::from_record(&alone, &Identity::default()).blocking_its_key();
    let silent = NewMessage { blocks_key: false, ..poison("F-1", 1) };
    let readable = event("F-1", 2).blocking_its_key();
    stored(&*store, &[alone, silent, readable, event("F-1", 3)]).await;
    assert_eq!(tried(&*store).await, [2, 3]);
}

/// It comes while a batch ends the block of its key: nobody is forgotten, and nobody overtakes.
pub async fn it_comes_while_a_block_ends<F: Fixture>() {
    for _ in 0..5 {
        let fixture = F::fresh().await;
        let (store, another) = (fixture.store(), fixture.another().await);
        let first = stored(&*store, &[event("F-1", 1)]).await;
        let seen = crate::support::batch(&*store, Script::settling(|_| retry(Duration::ZERO)));
        assert_eq!(seen.await.unwrap().ids(), first);
        let (gate, task) = inside(&store, everything(), Script::process_all()).await;
        let storing =
            tokio::spawn(
                async move { stored(&*another, &[poison("F-1", 2), event("F-1", 3)]).await },
            );
        gate.open();
        assert_eq!(task.await.unwrap().unwrap().ids(), first);
        let ids = storing.await.unwrap();
        assert!(tried(&*store).await.is_empty());
        assert_eq!(held_behind(&*store, ids[1]).await, Some(ids[0]));
        store.skip(&ids[..1]).await.unwrap();
        assert_eq!(tried(&*store).await, [3]);
    }
}
