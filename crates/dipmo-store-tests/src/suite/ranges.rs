//! Ranges: stored with their messages, and only on top of what is before them (trap 9).

use dipmo_domain::StoreError;
use dipmo_inbox::{NewMessage, SourceOffset, SourceRange, Stored};

use super::offsets::{NEW, OLD, offset};
use crate::Fixture;
use crate::support::{event, polled_at_most, rows};

fn range(topic_id: Option<[u8; 16]>, from: i64, next_offset: i64) -> SourceRange {
    SourceRange { from, to: offset(topic_id, next_offset) }
}

/// The same range of another partition.
fn elsewhere(partition: i32, range: SourceRange) -> SourceRange {
    SourceRange { to: SourceOffset { partition, ..range.to }, ..range }
}

/// What a refusal says.
fn refusal(answer: Result<Vec<Stored>, StoreError>) -> String {
    let Err(StoreError::OffsetBehind { what }) = answer else { panic!("taken: {answer:?}") };
    what
}

/// The next offset after ranges of one call, on a database that stands at 5; `None` when refused.
async fn together<F: Fixture>(ranges: &[(i64, i64)]) -> Option<i64> {
    let fixture = F::fresh().await;
    let store = fixture.store();
    store.begin(&[offset(OLD, 5)]).await.unwrap();
    let ranges: Vec<_> = ranges.iter().map(|(from, next)| range(OLD, *from, *next)).collect();
    let answer = store.store(&[], &ranges).await;
    let next = store.offsets("suite").await.unwrap()[0].next_offset;
    match answer {
        Ok(_) => Some(next),
        Err(error) => {
            assert!(matches!(error, StoreError::OffsetBehind { .. }), "{error}");
            assert_eq!(next, 5, "refused, and moved all the same");
            None
        }
    }
}

/// A range moves its partition on, and the next one goes on from there.
pub async fn move_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    store.begin(&[offset(OLD, 5)]).await.unwrap();
    store.store(&[event("F-1", 5)], &[range(OLD, 5, 9)]).await.unwrap();
    store.store(&[event("F-1", 9)], &[range(OLD, 9, 10)]).await.unwrap();
    let another = fixture.another().await;
    assert_eq!(another.offsets("suite").await.unwrap(), [offset(OLD, 10)]);
}

/// A database that stands before the range takes nothing of the call, and says where it stands.
pub async fn trap_9_beyond_the_database<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    store.begin(&[offset(OLD, 40)]).await.unwrap();
    let what = refusal(store.store(&[event("F-1", 50)], &[range(OLD, 50, 51)]).await);
    assert_eq!(what, "orders[3]: 50 was next, the database has 40");
    assert!(rows(&*store).await.is_empty());
    assert_eq!(store.offsets("suite").await.unwrap(), [offset(OLD, 40)]);
    let again = store.store(&[event("F-1", 50)], &[range(OLD, 40, 51)]).await.unwrap();
    assert!(matches!(again[0], Stored::New(_)), "nor is its id remembered: {again:?}");
}

/// A partition that the database does not know has lost everything.
pub async fn trap_9_of_an_unknown_partition<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let what = refusal(store.store(&[event("F-1", 0)], &[range(OLD, 0, 1)]).await);
    assert_eq!(what, "orders[3]: 0 was next, the database has nothing");
    assert!(rows(&*store).await.is_empty());
    assert!(store.offsets("suite").await.unwrap().is_empty());
}

/// A topic of the same name is another topic, whichever of the two is the older one.
pub async fn trap_9_of_another_topic<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    store.begin(&[offset(OLD, 40)]).await.unwrap();
    let what = refusal(store.store(&[], &[range(NEW, 2, 3)]).await);
    assert_eq!(what, "orders[3]: 2 was next, the database has another topic of this name");
    store.begin(&[offset(NEW, 2)]).await.unwrap();
    refusal(store.store(&[], &[range(OLD, 1, 41)]).await);
    assert_eq!(store.offsets("suite").await.unwrap(), [offset(NEW, 2)]);
}

/// One partition that is behind refuses all the others with it, and all that are behind are named.
pub async fn trap_9_one_of_many<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let at = |partition| SourceOffset { partition, ..offset(OLD, 5) };
    store.begin(&[at(0), at(1), at(2)]).await.unwrap();
    let ranges = [(0, 5, 6), (1, 7, 8), (2, 5, 6)]
        .map(|(partition, from, next)| elsewhere(partition, range(OLD, from, next)));
    let what = refusal(store.store(&[event("F-1", 1)], &ranges).await);
    assert!(what.contains("orders[1]: 7 was next, the database has 5"), "{what}");
    assert_eq!(store.offsets("suite").await.unwrap(), [at(0), at(1), at(2)]);
    assert!(rows(&*store).await.is_empty());
}

/// What is further along already stays there: what comes again is recognised by its id.
pub async fn a_database_that_is_further_along<F: Fixture>() {
    assert_eq!(together::<F>(&[(2, 4)]).await, Some(5));
    assert_eq!(together::<F>(&[(2, 9)]).await, Some(9));
}

/// A topic id that one of the two does not know says nothing, and is learnt.
pub async fn a_topic_id_is_learnt<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    store.begin(&[offset(None, 5)]).await.unwrap();
    store.store(&[], &[range(OLD, 5, 6)]).await.unwrap();
    store.store(&[], &[range(None, 6, 7)]).await.unwrap();
    assert_eq!(store.offsets("suite").await.unwrap(), [offset(OLD, 7)]);
    refusal(store.store(&[], &[range(NEW, 7, 8)]).await);
}

/// Ranges of one partition in a call are as if they came one after the other.
pub async fn the_same_partition_twice_in_a_call<F: Fixture>() {
    assert_eq!(together::<F>(&[(5, 9), (9, 12)]).await, Some(12));
    assert_eq!(together::<F>(&[(5, 9), (7, 8)]).await, Some(9));
    assert_eq!(together::<F>(&[(5, 9), (10, 12)]).await, None, "9 is missing");
    assert_eq!(together::<F>(&[(9, 12), (5, 9)]).await, None, "not in this order");
    let fixture = F::fresh().await;
    let store = fixture.store();
    store.begin(&[offset(None, 5)]).await.unwrap();
    refusal(store.store(&[], &[range(OLD, 5, 6), range(NEW, 6, 7)]).await);
    assert_eq!(store.offsets("suite").await.unwrap(), [offset(None, 5)]);
}

/// A call that the database refuses stores nothing at all: no neighbour, no offset.
pub async fn a_refused_call_stores_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    // No constructor makes such a message. A store may refuse it, but not by halves.
    let odd = NewMessage { message_id: "a\0b".to_owned(), ..event("F-1", 2) };
    let messages = [event("F-1", 1), odd, event("F-1", 3)];
    store.begin(&[offset(OLD, 1)]).await.unwrap();
    let answers = store.store(&messages, &[range(OLD, 1, 4)]).await;
    let expected = if answers.is_ok() { 3 } else { 0 };
    assert_eq!(rows(&*store).await.len(), expected, "{answers:?}");
    let next = if answers.is_ok() { 4 } else { 1 };
    assert_eq!(store.offsets("suite").await.unwrap(), [offset(OLD, next)], "{answers:?}");
    let again = store.store(&[event("F-1", 1)], &[]).await.unwrap();
    assert_eq!(matches!(again[0], Stored::New(_)), answers.is_err(), "nor is its id remembered");
}

/// Offsets are in the transaction of the messages: a call that is cut off leaves both or none.
pub async fn are_stored_with_the_messages_or_not_at_all<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, looker) = (fixture.store(), fixture.another().await);
    store.begin(&[offset(OLD, 0)]).await.unwrap();
    for polls in 0..30 {
        let next = i64::try_from(polls).unwrap() + 1;
        let (messages, ranges) = ([event("F-1", next)], [range(OLD, 0, next)]);
        polled_at_most(polls, store.store(&messages, &ranges)).await;
        // What is cut off may still end elsewhere, so each is looked for after the other was seen.
        let offset_first = looker.offsets("suite").await.unwrap();
        let stands = rows(&*looker).await;
        let offset_then = looker.offsets("suite").await.unwrap();
        let has_offset = |seen: &[SourceOffset]| seen.iter().any(|o| o.next_offset >= next);
        let has_message = stands.iter().any(|row| row.message.offset == next);
        assert!(!has_offset(&offset_first) || has_message, "offset {next} without its message");
        assert!(!has_message || has_offset(&offset_then), "message {next} without its offset");
    }
}
