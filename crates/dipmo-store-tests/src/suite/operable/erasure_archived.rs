//! Erasing beside an archive: what stands aside is blanked, and what comes back from files later is as well.

use std::collections::BTreeSet;

use dipmo_store::admin::{Erase, HistoryRow, LotState};

use super::archive::{archive_all, read, restore_all, set_aside};
use super::duties::elected;
use super::erasure::{erased, found_in, wish};
use crate::OperableFixture;
use crate::support::{CANARY, ERASED, done, everywhere, stored, suite_key, telling, work_off};

/// Files are not rewritten: the proof names them, and what is restored of them is blank. What came after the erasure
/// and was archived comes back as it was.
pub async fn what_is_restored_is_blank<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    everywhere(&*store).await;
    let lease = elected(&*store, "a").await;
    let taken = archive_all(&*store, &lease, 1_000).await;
    // What named it is in the files only.
    let wish = Erase { instances: vec![suite_key("S-9")], ..wish(ERASED) };
    let proof = erased(&*store, &wish, false).await;
    let lots: Vec<_> = taken.iter().map(|(lot, _)| lot.id).rev().collect();
    assert_eq!(proof.lots.iter().map(|lot| lot.id).collect::<Vec<_>>(), lots);
    assert!(proof.lots.iter().all(|lot| lot.state == LotState::Dropped && lot.files.is_some()));
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::new());
    assert!(restore_all(&*store, &lease, &taken).await > 0);
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::new());
    fixture.tick().await;
    let new = stored(&*store, &[telling(7)]).await[0];
    work_off(&*store, |_| done()).await;
    let later = archive_all(&*store, &lease, 1_000).await;
    restore_all(&*store, &lease, &later).await;
    let row = store.message(new).await.unwrap().unwrap();
    assert!(row.message.payload.unwrap().as_str().contains(CANARY), "it came later");
}

/// Also when what a message caused comes back before the message.
pub async fn in_whatever_order_it_is_restored<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    everywhere(&*store).await;
    let lease = elected(&*store, "a").await;
    let mut taken = archive_all(&*store, &lease, 1_000).await;
    let wish = Erase { instances: vec![suite_key("S-9")], ..wish(ERASED) };
    erased(&*store, &wish, false).await;
    taken.reverse();
    assert!(restore_all(&*store, &lease, &taken).await > 0);
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::new());
}

/// What stands aside and is not in files yet is blanked, so that it comes into them blank.
pub async fn what_stands_aside_is_blanked<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    everywhere(&*store).await;
    let lease = elected(&*store, "a").await;
    let lot = set_aside(&*store, &lease, 1_000).await.unwrap();
    let before = read(&*store, &lot, 10).await;
    let says = |rows: &[(_, Vec<HistoryRow>)]| {
        rows.iter().flat_map(|(_, rows)| rows).any(|row| row.line.as_str().contains(CANARY))
    };
    assert!(says(&before));
    let proof = erased(&*store, &wish(ERASED), false).await;
    assert_eq!(proof.lots.iter().map(|lot| lot.id).collect::<Vec<_>>(), [lot.id]);
    assert_eq!(found_in(&fixture, CANARY).await, BTreeSet::new());
    let after = read(&*store, &lot, 10).await;
    assert!(!says(&after) && after[0].1.len() == before[0].1.len());
    let rest = archive_all(&*store, &lease, 1_000).await;
    assert!(rest.iter().all(|(_, parts)| !says(parts)));
}
