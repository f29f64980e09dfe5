//! What failed alike: groups, what is told of them, and when they go.

use dipmo_domain::{ErrorStage, Failure, Fingerprint, InboxId};
use dipmo_store::admin::{FailureGroup, MessageFilter, Operable};
use dipmo_store::{ClaimedMessage, SettlementKind, Side};

use crate::OperableFixture;
use crate::support::{LONG, Script, batch, done, event, failed, retry, stored, through};

/// Checks which codes have how many that failed, and how many that are retried.
pub(super) async fn assert_counts(store: &dyn Operable, expected: &[(&str, u64, u64)]) {
    let groups = store.failure_groups(1_000).await.unwrap();
    let mut counts: Vec<_> =
        groups.iter().map(|group| (group.code.as_str(), group.failed, group.retrying)).collect();
    counts.sort_unstable();
    assert_eq!(counts, expected);
}

/// Failed for good, with words of our choice; its key goes on.
fn failing(code: &str, message: &str) -> SettlementKind {
    SettlementKind::Failed { failure: Failure::new(code, message), block: false }
}

/// Settles all that can be claimed in one way; answers what that was.
pub(super) async fn settle_all(store: &dyn Operable, kind: SettlementKind) -> Vec<InboxId> {
    batch(store, Script::settling(move |_| kind.clone())).await.unwrap().ids()
}

/// The only group that there is.
pub(super) async fn only_group(store: &dyn Operable) -> FailureGroup {
    let mut groups = store.failure_groups(10).await.unwrap();
    assert_eq!(groups.len(), 1, "{groups:?}");
    groups.remove(0)
}

/// A message that failed is in a group that says what it was, when, and names it.
pub async fn a_failure_has_a_group<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    assert_counts(&*store, &[]).await;
    let id = stored(&*store, &[event("F-1", 1)]).await[0];
    let before = store.now().await.unwrap();
    settle_all(&*store, failing("X", "order O-17 is unknown")).await;
    let after = store.now().await.unwrap();
    let group = only_group(&*store).await;
    let failure = Failure::new("X", "order O-17 is unknown");
    let stage = Some(ErrorStage::Business);
    assert_eq!(group.fingerprint, Fingerprint::of("inbox", stage, &failure));
    assert_eq!((group.side, group.stage), (Side::Inbox, stage));
    assert_eq!((&*group.code, &*group.pattern), ("X", "order # is unknown"));
    assert_eq!((group.failed, group.retrying, group.sample), (1, 0, id.0));
    let times = [before, group.first_seen, group.last_seen, after];
    assert!(times.is_sorted(), "{times:?}");
}

/// Failures that are alike share a group, whatever differs in their words; others have their own.
pub async fn alike_ones_share_a_group<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let messages: Vec<_> = (0..5).map(|number| event(&format!("F-{number}"), number)).collect();
    let ids = stored(&*store, &messages).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        0 => failing("X", "order O-17 is unknown"),
        1 => failing("X", "order O-99 is unknown"),
        2 => failing("X", "order O-17 is late"),
        _ => failing("Y", "order O-17 is unknown"),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    let groups = store.failure_groups(10).await.unwrap();
    let mut told: Vec<_> =
        groups.iter().map(|group| (&*group.code, &*group.pattern, group.failed)).collect();
    told.sort_unstable();
    let (unknown, late) = ("order # is unknown", "order # is late");
    assert_eq!(told, [("X", late, 1), ("X", unknown, 2), ("Y", unknown, 2)]);
    let shared = groups.iter().find(|group| group.failed == 2 && group.code == "X").unwrap();
    assert!([ids[0].0, ids[1].0].contains(&shared.sample), "{shared:?}");
}

/// The group with the newest failure comes first, and its times say when that was.
pub async fn the_newest_failures_first<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let codes = async || -> Vec<String> {
        let groups = store.failure_groups(10).await.unwrap();
        groups.into_iter().map(|group| group.code).collect()
    };
    for (number, code) in (0..).zip(["X", "Y"]) {
        stored(&*store, &[event(&format!("F-{number}"), number)]).await;
        settle_all(&*store, failing(code, "no")).await;
        fixture.tick().await;
    }
    assert_eq!(codes().await, ["Y", "X"]);
    let first = store.failure_groups(1).await.unwrap();
    assert_eq!((first.len(), &*first[0].code), (1, "Y"), "the limit is kept to");
    let before = store.failure_groups(2).await.unwrap().remove(1);
    let id = stored(&*store, &[event("F-9", 9)]).await[0];
    settle_all(&*store, failing("X", "no")).await;
    assert_eq!(codes().await, ["X", "Y"]);
    let after = store.failure_groups(1).await.unwrap().remove(0);
    assert_eq!((after.failed, after.sample), (2, id.0));
    assert_eq!(after.first_seen, before.first_seen);
    assert!(after.last_seen > before.last_seen, "{before:?} {after:?}");
}

/// Folding changes nothing that is read, and may be repeated, by any instance and in steps.
pub async fn folding_changes_nothing<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    for number in 0..6 {
        let ids = stored(&*store, &[event(&format!("F-{number}"), number)]).await;
        settle_all(&*store, if number % 2 == 0 { failed(false) } else { retry(LONG) }).await;
        if number > 3 {
            store.skip(&ids).await.unwrap();
        }
        fixture.tick().await;
    }
    let before = store.failure_groups(10).await.unwrap();
    assert_counts(&*store, &[("refused", 2, 0), ("try-again", 0, 2)]).await;
    loop {
        let folded = another.fold_failures(1).await.unwrap();
        assert_eq!(store.failure_groups(10).await.unwrap(), before);
        if folded == 0 {
            break;
        }
    }
    assert_eq!(store.fold_failures(1_000).await.unwrap(), 0);
    assert_eq!(another.failure_groups(10).await.unwrap(), before);
    stored(&*store, &[event("F-9", 9)]).await;
    settle_all(&*store, failed(false)).await;
    assert_counts(&*store, &[("refused", 3, 0), ("try-again", 0, 2)]).await;
}

/// Groups in which nothing counts are forgotten, those in which something does stay, and what was forgotten
/// comes back as new when it fails again.
pub async fn forgotten_groups_come_back<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let fold = async || while store.fold_failures(1_000).await.unwrap() > 0 {};
    let fail_once = async |number: i64, code: &str| {
        let ids = stored(&*store, &[event(&format!("F-{number}"), number)]).await;
        settle_all(&*store, failing(code, "no")).await;
        ids
    };
    let start = store.now().await.unwrap();
    fail_once(0, "stays").await;
    let first = fail_once(1, "goes").await;
    let seen = async || {
        let groups = store.failure_groups(10).await.unwrap();
        groups.into_iter().find(|group| group.code == "goes").unwrap().first_seen
    };
    let first_seen = seen().await;
    store.skip(&first).await.unwrap();
    fold().await;
    assert_eq!(store.forget_failures(start).await.unwrap(), 0, "it failed after that");
    fixture.tick().await;
    let second = fail_once(2, "goes").await;
    assert_eq!(seen().await, first_seen, "it was not forgotten");
    store.skip(&second).await.unwrap();
    fold().await;
    let later = store.now().await.unwrap().after(LONG);
    assert_eq!(store.forget_failures(later).await.unwrap(), 1);
    assert_eq!(store.forget_failures(later).await.unwrap(), 0);
    assert_counts(&*store, &[("stays", 1, 0)]).await;
    fixture.tick().await;
    fail_once(3, "goes").await;
    assert!(seen().await > first_seen, "it is new");
    assert_counts(&*store, &[("goes", 1, 0), ("stays", 1, 0)]).await;
}

/// A list of messages by group has exactly those that count in it.
pub async fn a_list_by_group_has_those_that_count<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let messages: Vec<_> = (0..6).map(|number| event(&format!("F-{number}"), number)).collect();
    let ids = stored(&*store, &messages).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        5 => failing("Y", "no"),
        _ => failing("X", "no"),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    store.skip(&ids[..1]).await.unwrap();
    store.retry(&ids[1..3], false).await.unwrap();
    let first = ids[1];
    let ends_one = move |claimed: &ClaimedMessage| match claimed.message.id {
        id if id == first => done(),
        _ => SettlementKind::Retry { after: LONG, failure: Failure::new("X", "no") },
    };
    batch(&*store, Script::settling(ends_one)).await.unwrap();
    let groups = store.failure_groups(10).await.unwrap();
    let group = groups.into_iter().find(|group| group.code == "X").unwrap();
    assert_eq!((group.failed, group.retrying), (2, 1));
    let failure = Some(group.fingerprint);
    let filter = MessageFilter { failure, ..MessageFilter::default() };
    let lines = through(2, async |page| store.messages(&filter, page).await).await;
    let listed: Vec<_> = lines.iter().map(|line| line.id).collect();
    assert_eq!(listed, [ids[4], ids[3], ids[2]], "the newest first");
}
