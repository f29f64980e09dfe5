//! Whether the database is as it must be.

use crate::OperableFixture;

/// A database that lets somebody change the audit, or delete from it, is told; looking leaves no trace.
pub async fn the_audit_is_kept_until_somebody_opens_it<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let sound = store.soundness().await.unwrap();
    assert!(sound.audit_is_kept && sound.bytes > 0, "{sound:?}");
    for opened in [
        "DROP TRIGGER dipmo_audit_not_deleted",
        "ALTER TABLE dipmo_audit DISABLE TRIGGER dipmo_audit_append_only",
    ] {
        // One of the two is not of this database.
        let _ = fixture.by_hand(opened).await;
    }
    let open = store.soundness().await.unwrap();
    assert!(!open.audit_is_kept, "{open:?}");
}

/// A store that keeps months apart tells how many have room.
pub async fn months_have_room<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    store.prepare_months(3).await.unwrap();
    let before = store.soundness().await.unwrap().months;
    assert!([None, Some(4)].contains(&before), "{before:?}");
    store.prepare_months(5).await.unwrap();
    assert_eq!(store.soundness().await.unwrap().months, before.map(|_| 6));
}
