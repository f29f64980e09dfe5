//! What one instance does for all of them.

use std::time::Duration;

use dipmo_domain::{Json, StoreError};
use dipmo_store::admin::{AuditEntry, AuditFilter, DutyLease, Operable, Page, RETENTION};

use crate::OperableFixture;
use crate::support::LONG;

/// An entry of the audit that tells this action.
pub(super) fn entry(action: &str) -> AuditEntry {
    let text = |text: &str| text.to_owned();
    AuditEntry {
        actor: text("suite"),
        role: text("operator"),
        action: text(action),
        target: text("archive"),
        reason: text("a test"),
        detail: Json::empty_object(),
    }
}

/// How many entries tell this action.
pub(super) async fn entries(store: &dyn Operable, action: &str) -> usize {
    let filter = AuditFilter { action: Some(action.to_owned()), ..AuditFilter::default() };
    store.audit(&filter, Page { limit: 100, before: None }).await.unwrap().rows.len()
}

/// The duty, for longer than a test takes.
pub(super) async fn elected(store: &dyn Operable, owner: &str) -> DutyLease {
    store.take_duty(RETENTION, owner, LONG).await.unwrap().expect("nobody has it")
}

fn is_fenced<T: std::fmt::Debug>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Fenced { .. }))
}

/// One has a duty, until it gives it back; then it has nothing to say any more.
pub async fn one_has_it<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    assert_eq!(store.duty(RETENTION).await.unwrap().owner, None);
    let first = elected(&*store, "a").await;
    assert_eq!(another.take_duty(RETENTION, "b", LONG).await, Ok(None));
    assert_eq!(another.duty(RETENTION).await.unwrap().owner.as_deref(), Some("a"));
    let other = another.take_duty("another", "b", LONG).await.unwrap();
    assert!(other.is_some(), "each duty is for itself");
    let row = store.renew_duty(&first, LONG).await.unwrap();
    assert!(row.lease_until.unwrap() > store.now().await.unwrap());
    store.give_back_duty(&first).await.unwrap();
    let second = elected(&*another, "b").await;
    assert!(second.epoch > first.epoch);
    assert!(is_fenced(&store.renew_duty(&first, LONG).await));
    assert!(is_fenced(&store.end_round(&first, None, None).await));
    store.give_back_duty(&first).await.unwrap();
    assert_eq!(store.duty(RETENTION).await.unwrap().owner.as_deref(), Some("b"));
}

/// Who is not heard of loses it, and not before.
pub async fn a_lease_runs_out<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let first = store.take_duty(RETENTION, "a", Duration::ZERO).await.unwrap().unwrap();
    let second = elected(&*store, "b").await;
    assert!(is_fenced(&store.renew_duty(&first, LONG).await));
    assert_eq!(store.renew_duty(&second, LONG).await.unwrap().owner.as_deref(), Some("b"));
}

/// Of many who ask at once one gets it.
pub async fn one_of_many_gets_it<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    for _ in 0..20 {
        let (here, there) = tokio::join!(
            store.take_duty(RETENTION, "a", LONG),
            another.take_duty(RETENTION, "b", LONG)
        );
        let got: Vec<_> = [here.unwrap(), there.unwrap()].into_iter().flatten().collect();
        assert_eq!(got.len(), 1);
        store.give_back_duty(&got[0]).await.unwrap();
    }
}

/// Who asks for a round is heard by whoever has the duty, until a round ended that began after it.
pub async fn who_asks_is_heard<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let asked = store.ask_duty(RETENTION, &entry("archive.run")).await.unwrap().asked_at.unwrap();
    assert_eq!(entries(&*store, "archive.run").await, 1);
    let lease = elected(&*store, "a").await;
    assert_eq!(store.renew_duty(&lease, LONG).await.unwrap().asked_at, Some(asked));
    fixture.tick().await;
    store.ask_duty(RETENTION, &entry("archive.run")).await.unwrap();
    store.end_round(&lease, Some(asked), Some("the disk is full")).await.unwrap();
    let row = store.duty(RETENTION).await.unwrap();
    assert_eq!(row.trouble.as_deref(), Some("the disk is full"));
    let again = row.asked_at.expect("whoever asked during the round wants another");
    store.end_round(&lease, Some(again), None).await.unwrap();
    let row = store.duty(RETENTION).await.unwrap();
    assert_eq!((row.asked_at, row.trouble), (None, None));
}
