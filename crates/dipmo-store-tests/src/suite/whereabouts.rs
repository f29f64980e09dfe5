//! Where a message stands, for whoever sent it: told by its dedupe id, without its payload.

use dipmo_domain::{DedupeKey, InboxStatus, Month, Outcome};
use dipmo_inbox::Whereabouts;

use crate::Fixture;
use crate::support::{LONG, Script, alone, batch, done, event, failed, retry, stored, with_record};

/// Each key is answered for in its place: ready, ended, to be tried again, failed, undecodable, unknown.
pub async fn every_place_is_told<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let broken = with_record(|record| (record.offset, record.value) = (4, Some(b"{oops".to_vec())));
    let messages = [event("F-1", 1), event("F-2", 2), event("F-3", 3), broken];
    let mut ids = stored(&*store, &messages).await;
    let script = Script::settling(|claimed| match claimed.message.offset {
        1 => done(),
        2 => retry(LONG),
        _ => failed(true),
    });
    batch(&*store, script).await.unwrap();
    ids.extend(stored(&*store, &[alone(5)]).await);
    let mut keys: Vec<DedupeKey> = messages.iter().map(|message| message.dedupe_key).collect();
    keys.extend([alone(5).dedupe_key, alone(6).dedupe_key, messages[0].dedupe_key]);

    let told = store.whereabouts(&keys).await.unwrap();
    let at = |place: usize, status, attempts, outcome, code: Option<&str>| {
        let error_code = code.map(str::to_owned);
        Some(Whereabouts { message: ids[place], status, outcome, attempts, error_code })
    };
    let ended = at(0, InboxStatus::Processed, 1, Some(Outcome::Done), None);
    assert_eq!(
        told,
        [
            ended.clone(),
            at(1, InboxStatus::Retry, 1, None, Some("try-again")),
            at(2, InboxStatus::Failed, 1, None, Some("refused")),
            at(3, InboxStatus::SerdeError, 0, None, Some("json-malformed")),
            at(4, InboxStatus::Received, 0, None, None),
            None,
            ended,
        ]
    );
    assert_eq!(store.whereabouts(&[]).await.unwrap(), []);
}

/// A message that was tried again and ended keeps its attempts.
pub async fn what_ended_after_a_retry<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::settling(|_| retry(std::time::Duration::ZERO))).await.unwrap();
    batch(&*store, Script::process_all()).await.unwrap();
    let told = store.whereabouts(&[event("F-1", 1).dedupe_key]).await.unwrap().remove(0).unwrap();
    assert_eq!((told.message, told.status), (ids[0], InboxStatus::Processed));
    assert_eq!((told.attempts, told.outcome), (2, Some(Outcome::Done)));
}

/// A message whose row is history has ended; one whose id is forgotten is not known.
pub async fn history_has_ended<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    let now = store.now().await.unwrap();
    while store.drop_before(Month::of(now).next(), 1_000).await.unwrap().more {}
    let keys = [event("F-1", 1).dedupe_key];
    let told = store.whereabouts(&keys).await.unwrap();
    assert_eq!(told, [Some(Whereabouts::of_history(ids[0]))]);
    while store.forget_ids_before(now.after(LONG), 1_000).await.unwrap().more {}
    assert_eq!(store.whereabouts(&keys).await.unwrap(), [None]);
}
