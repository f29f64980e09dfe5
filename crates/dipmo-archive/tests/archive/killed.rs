//! A process that dies in the middle: at every step of writing, and while it drops.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dipmo_archive::Folder;
use dipmo_store::admin::{Archive as _, LotState, Wish};
use tokio_util::sync::CancellationToken;

use crate::site::{Site, entry, keeper, open};

const WHERE: &str = "DIPMO_ARCHIVE_TEST_SITE";
const STEP: &str = "DIPMO_ARCHIVE_TEST_STEP";

/// Not a test by itself: the process that dies. Alone it has nothing to do.
#[tokio::test(flavor = "multi_thread")]
async fn the_process_that_dies() {
    let Some(site) = std::env::var_os(WHERE).map(std::path::PathBuf::from) else { return };
    let last: usize = std::env::var(STEP).unwrap().parse().unwrap();
    let steps = AtomicUsize::new(0);
    let folder = Folder::new(site.join("archive")).asking(move |_| {
        if steps.fetch_add(1, Ordering::Relaxed) == last {
            std::process::abort();
        }
        Ok(())
    });
    let store = Arc::new(open(&site).await);
    keeper(store, folder, &format!("child-{}", std::process::id()))
        .run(CancellationToken::new())
        .await;
}

fn start(site: &Site, last: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::the_process_that_dies"])
        .env(WHERE, site.path())
        .env(STEP, last.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The duty of who died runs out.
fn outlive(site: &Site) {
    site.by_hand("UPDATE dipmo_duty SET lease_until = 0");
}

async fn restored(site: &Site) {
    for lot in site.store.lots(None, 10).await.unwrap() {
        let wish = Wish::Restore { hold: std::time::Duration::from_secs(60) };
        site.store.wish(lot.id, wish, &entry()).await.unwrap().unwrap();
    }
    site.until(keeper(site.store.clone(), site.folder(), "r"), async |store| {
        let lots = store.lots(None, 10).await.unwrap();
        lots.iter().all(|lot| lot.restored_at.is_some()).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_at_any_step_of_writing_loses_nothing() {
    let site = Site::with(20).await;
    let before = site.rows().await;
    for last in 0..12 {
        site.ask().await;
        let status = start(&site, last).wait().unwrap();
        assert!(!status.success(), "it died at step {last}");
        assert_eq!(site.rows().await, before, "it died at step {last}");
        outlive(&site);
    }
    assert_eq!(site.round(site.folder()).await.trouble, None);
    assert!(site.rows().await.is_empty());
    restored(&site).await;
    assert_eq!(site.rows().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_while_rows_are_dropped_loses_nothing() {
    let site = Site::with(3_500).await;
    let before = site.rows().await;
    site.ask().await;
    let mut child = start(&site, usize::MAX);
    loop {
        let lots = site.store.lots(None, 1).await.unwrap();
        let dropping = lots.first().is_some_and(|lot| lot.state == LotState::Archived);
        if dropping && site.rows().await.len() < before.len() {
            break;
        }
        assert!(child.try_wait().unwrap().is_none(), "it works");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let left = site.rows().await.len();
    assert!(left > 0, "it was in the middle");
    outlive(&site);
    assert_eq!(site.round(site.folder()).await.trouble, None);
    assert!(site.rows().await.is_empty());
    let lots = site.store.lots(None, 10).await.unwrap();
    let archived: u64 = lots.iter().filter_map(|lot| lot.files.as_ref()).map(|it| it.rows).sum();
    assert_eq!(archived, 3_500, "each once");
    restored(&site).await;
    assert_eq!(site.rows().await, before);
}
