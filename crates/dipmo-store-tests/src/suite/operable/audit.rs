//! Who did what: entries are added, found again, and never changed.

use dipmo_domain::{Json, StoreError};
use dipmo_store::admin::{AuditEntry, AuditFilter, AuditRow, Operable, Page};

use crate::OperableFixture;
use crate::support::through;

/// An entry about something that somebody did.
pub(super) fn entry(actor: &str, action: &str, target: &str) -> AuditEntry {
    AuditEntry {
        actor: actor.to_owned(),
        role: "operator".to_owned(),
        action: action.to_owned(),
        target: target.to_owned(),
        reason: "because the test says so".to_owned(),
        detail: Json::parse(r#"{"n":1}"#).unwrap(),
    }
}

/// All entries, the newest first.
pub(super) async fn trail(store: &dyn Operable) -> Vec<AuditRow> {
    through(100, async |page| store.audit(&AuditFilter::default(), page).await).await
}

/// Compares what a filter finds, in pages of any size, with the entries that fit; answers how many those are.
async fn finds(
    store: &dyn Operable,
    filter: &AuditFilter,
    fits: impl Fn(&AuditRow) -> bool,
) -> usize {
    let expected: Vec<_> = trail(store).await.into_iter().filter(|row| fits(row)).collect();
    for limit in [1, 2, 100] {
        let found = through(limit, async |page| store.audit(filter, page).await).await;
        assert_eq!(found, expected, "{filter:?} in pages of {limit}");
    }
    expected.len()
}

/// An entry comes back to the letter, with the database's time, also from another instance.
pub async fn an_entry_is_kept<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    assert_eq!(trail(&*store).await, []);
    let written = AuditEntry {
        reason: "it's \"odd\",\n ünlike the others".to_owned(),
        detail: Json::parse(r#"{ "z": 1.50, "a": [null], "a": "twice" }"#).unwrap(),
        ..entry("ann", "token.add", "token/1")
    };
    let before = store.now().await.unwrap();
    store.note(&written).await.unwrap();
    let rows = trail(&*fixture.another_operable().await).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].entry, written);
    assert!((before..=store.now().await.unwrap()).contains(&rows[0].at));
}

/// Entries come the newest first, in pages without gaps or doubles, also while some are added.
pub async fn the_newest_first<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    for number in 0..7 {
        store.note(&entry("ann", "act", &format!("inbox/{number}"))).await.unwrap();
    }
    let (mut found, mut page) = (Vec::new(), Page::first(2));
    loop {
        let listing = store.audit(&AuditFilter::default(), page).await.unwrap();
        assert_eq!(listing.next.is_some(), listing.searched_to.is_some());
        found.extend(listing.rows.into_iter().map(|row| row.entry.target));
        let Some(next) = listing.next else { break };
        store.note(&entry("bob", "act", "later")).await.unwrap();
        page.before = Some(next);
    }
    let expected: Vec<_> = (0..7).rev().map(|number| format!("inbox/{number}")).collect();
    assert_eq!(found, expected);
}

/// Actor, action and target, each by itself and together.
pub async fn each_filter_finds_its_own<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    for (actor, action, target) in [
        ("ann", "retry", "inbox/1"),
        ("bob", "retry", "inbox/1"),
        ("ann", "skip", "inbox/2"),
        ("ann", "retry", "inbox/11"),
    ] {
        store.note(&entry(actor, action, target)).await.unwrap();
    }
    let some = |text: &str| Some(text.to_owned());
    let all = AuditFilter::default();
    let actor = AuditFilter { actor: some("ann"), ..all.clone() };
    assert_eq!(finds(&*store, &actor, |row| row.entry.actor == "ann").await, 3);
    let action = AuditFilter { action: some("retry"), ..all.clone() };
    assert_eq!(finds(&*store, &action, |row| row.entry.action == "retry").await, 3);
    let target = AuditFilter { target: some("inbox/1"), ..all.clone() };
    assert_eq!(finds(&*store, &target, |row| row.entry.target == "inbox/1").await, 2);
    let every = AuditFilter { action: some("retry"), target: some("inbox/1"), ..actor };
    let fits = |row: &AuditRow| row.entry == entry("ann", "retry", "inbox/1");
    assert_eq!(finds(&*store, &every, fits).await, 1);
    let nobody = AuditFilter { actor: some("nobody"), ..all };
    finds(&*store, &nobody, |_| false).await;
}

/// `since` has its own moment, `until` has not.
pub async fn by_time<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    for number in 0..3 {
        store.note(&entry("ann", "act", &format!("inbox/{number}"))).await.unwrap();
        fixture.tick().await;
    }
    let [third, second, _] = trail(&*store).await.iter().map(|row| row.at).collect::<Vec<_>>()[..]
    else {
        panic!("three were noted")
    };
    let of = |since, until| AuditFilter { since, until, ..AuditFilter::default() };
    assert_eq!(finds(&*store, &of(Some(second), None), |row| row.at >= second).await, 2);
    assert_eq!(finds(&*store, &of(None, Some(second)), |row| row.at < second).await, 1);
    let between = of(Some(second), Some(third));
    assert_eq!(finds(&*store, &between, |row| row.at == second).await, 1);
    finds(&*store, &of(Some(second), Some(second)), |_| false).await;
}

/// The database refuses to change or delete an entry, whoever asks.
pub async fn an_entry_cannot_be_changed<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    store.note(&entry("ann", "retry", "inbox/1")).await.unwrap();
    store.note(&entry("bob", "skip", "inbox/2")).await.unwrap();
    let before = trail(&*store).await;
    for change in [
        "UPDATE dipmo_audit SET actor = 'eve'",
        "UPDATE dipmo_audit SET reason = 'none' WHERE actor = 'ann'",
        "DELETE FROM dipmo_audit",
        "DELETE FROM dipmo_audit WHERE actor = 'bob'",
    ] {
        let refused = fixture.by_hand(change).await.unwrap_err();
        assert!(refused.contains("only ever added to"), "{change}: {refused}");
    }
    assert_eq!(trail(&*store).await, before);
}

/// An entry that does not fit is refused, and none is kept.
pub async fn an_entry_that_is_too_long<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let long = AuditEntry { reason: "x".repeat(2_001), ..entry("ann", "retry", "inbox/1") };
    let refused = store.note(&long).await.unwrap_err();
    assert!(matches!(refused, StoreError::RowRefused { .. }), "{refused:?}");
    assert_eq!(trail(&*store).await, []);
    let fits = AuditEntry { reason: "ü".repeat(2_000), ..long };
    store.note(&fits).await.unwrap();
    assert_eq!(trail(&*store).await[0].entry, fits);
}
