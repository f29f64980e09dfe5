//! Where partitions begin: never back, except when the topic was made anew.

use dipmo_inbox::SourceOffset;

use crate::Fixture;

pub(super) const OLD: Option<[u8; 16]> = Some([1; 16]);
pub(super) const NEW: Option<[u8; 16]> = Some([2; 16]);

pub(super) fn offset(topic_id: Option<[u8; 16]>, next_offset: i64) -> SourceOffset {
    SourceOffset {
        group: "suite".to_owned(),
        topic: "orders".to_owned(),
        partition: 3,
        topic_id,
        next_offset,
    }
}

async fn after<F: Fixture>(steps: &[(Option<[u8; 16]>, i64)]) -> i64 {
    let fixture = F::fresh().await;
    for (topic_id, next) in steps {
        fixture.store().begin(&[offset(*topic_id, *next)]).await.unwrap();
    }
    let stored = fixture.another().await.offsets("suite").await.unwrap();
    assert_eq!(stored.len(), 1);
    stored[0].next_offset
}

/// An offset comes back as it went in.
pub async fn come_back_sorted<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let of = |topic: &str, partition| SourceOffset {
        topic: topic.to_owned(),
        partition,
        ..offset(OLD, 5)
    };
    let other_group = SourceOffset { group: "other".to_owned(), ..of("a", 0) };
    let given = [of("b", 0), of("a", 10), of("a", 9), other_group];
    store.begin(&given).await.unwrap();
    assert_eq!(store.offsets("suite").await.unwrap(), [of("a", 9), of("a", 10), of("b", 0)]);
    assert!(store.offsets("nobody").await.unwrap().is_empty());
}

/// A lower offset changes nothing.
pub async fn never_go_back<F: Fixture>() {
    assert_eq!(after::<F>(&[(OLD, 5), (OLD, 9), (OLD, 7)]).await, 9);
    assert_eq!(after::<F>(&[(None, 9), (None, 7)]).await, 9);
}

/// A topic that was made anew starts again.
pub async fn a_topic_made_anew_starts_again<F: Fixture>() {
    assert_eq!(after::<F>(&[(OLD, 9), (NEW, 2)]).await, 2);
    assert_eq!(after::<F>(&[(OLD, 9), (NEW, 2), (NEW, 1)]).await, 2, "and never goes back again");
}

/// An id that one of the two does not know says nothing.
pub async fn an_unknown_topic_id_says_nothing<F: Fixture>() {
    assert_eq!(after::<F>(&[(OLD, 9), (None, 2)]).await, 9);
    assert_eq!(after::<F>(&[(None, 9), (OLD, 2)]).await, 9);
}

/// A topic id is learnt when it comes, and not forgotten when it is missing.
pub async fn a_topic_id_is_learnt_and_kept<F: Fixture>() {
    assert_eq!(after::<F>(&[(None, 9), (OLD, 8), (NEW, 2)]).await, 2, "learnt");
    assert_eq!(after::<F>(&[(OLD, 9), (None, 8), (NEW, 2)]).await, 2, "kept");
}

/// The same partition twice in a call is as if it were given one after the other.
pub async fn the_same_partition_twice_in_a_call<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    store.begin(&[offset(OLD, 9), offset(OLD, 4)]).await.unwrap();
    assert_eq!(store.offsets("suite").await.unwrap(), [offset(OLD, 9)]);
}
