//! What the one that is elected does.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dipmo_archive::{Manifest, Step};
use dipmo_inbox::{Inbox as _, Stored};
use dipmo_store::admin::{Archive as _, LotState, Wish};
use dipmo_store_tests::support::{Script, batch, event};

use crate::site::{Site, entry, keeper};

/// History goes into files, out of the database, and back to the letter; nobody is forgotten meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn history_goes_and_comes_back() {
    let site = Site::with(450).await;
    let before = site.rows().await;
    let duty = site.round(site.folder()).await;
    assert_eq!(duty.trouble, None);
    assert!(site.rows().await.is_empty());
    let lot = site.store.lots(None, 10).await.unwrap().remove(0);
    assert_eq!((lot.state, lot.month.to_string()), (LotState::Dropped, "2020-01".to_owned()));
    let files = lot.files.unwrap();
    let manifest = std::fs::read(site.archive().join(&files.directory).join("manifest.json"));
    let manifest: Manifest = serde_json::from_slice(&manifest.unwrap()).unwrap();
    assert_eq!((manifest.files[0].rows, files.rows), (450, 450));
    let again = site.store.store(&[event("F-1", 1)], &[]).await.unwrap();
    assert!(matches!(again[..], [Stored::Duplicate(_)]), "{again:?}");

    let wish = Wish::Restore { hold: std::time::Duration::from_secs(60) };
    site.store.wish(lot.id, wish, &entry()).await.unwrap().unwrap();
    let restored = async |store: &dipmo_store_sqlite::SqliteStore| {
        store.lots(None, 1).await.unwrap().remove(0).restored_at
    };
    site.until(keeper(site.store.clone(), site.folder(), "b"), restored).await;
    assert_eq!(site.rows().await, before);
    assert!(batch(&*site.store, Script::process_all()).await.unwrap().ids().is_empty());
    let duty = site.round(site.folder()).await;
    assert_eq!((duty.trouble, site.rows().await), (None, before), "it is held");
}

/// Whatever the disk refuses, nothing is dropped, it is told, and the next round makes it good.
#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_fails_costs_nothing() {
    let site = Site::with(30).await;
    let before = site.rows().await;
    let mut tries = 0;
    loop {
        let steps = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&steps);
        let failing = site.folder().asking(move |_| {
            let full = || io::Error::new(io::ErrorKind::StorageFull, "no space left");
            let step = counted.fetch_add(1, Ordering::Relaxed);
            if step >= tries { Err(full()) } else { Ok(()) }
        });
        let duty = site.round(failing).await;
        if steps.load(Ordering::Relaxed) <= tries {
            assert_eq!(duty.trouble, None);
            break;
        }
        let trouble = duty.trouble.unwrap();
        assert!(
            trouble.starts_with("archive-unwritable") && trouble.contains("no space"),
            "{trouble}"
        );
        assert_eq!(site.rows().await, before, "after {tries} steps");
        tries += 1;
    }
    assert!(tries >= 10, "a directory, two files and their names: {tries}");
    assert!(site.rows().await.is_empty());
    let left = std::fs::read_dir(site.archive().join("2020-01")).unwrap().count();
    assert_eq!(left, 1, "what the attempts left is gone");
}

/// Of two at once one keeps history, and each lot is written once.
#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_does_it() {
    let site = Site::with(300).await;
    site.ask().await;
    let made = Arc::new(AtomicUsize::new(0));
    let counting = |made: &Arc<AtomicUsize>| {
        let made = Arc::clone(made);
        site.folder().asking(move |step| {
            made.fetch_add(usize::from(step == Step::Directory), Ordering::Relaxed);
            Ok(())
        })
    };
    let other = keeper(site.store.clone(), counting(&made), "b");
    let stop = tokio_util::sync::CancellationToken::new();
    let running = tokio::spawn(other.run(stop.clone()));
    let duty = site.round(counting(&made)).await;
    stop.cancel();
    running.await.unwrap();
    assert_eq!((duty.trouble, made.load(Ordering::Relaxed)), (None, 1));
    assert!(site.rows().await.is_empty());
}
