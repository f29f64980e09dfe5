//! Files that are not as they were written.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use dipmo_store::admin::{Archive as _, Lot, Wish};

use crate::site::{Site, entry, keeper};

/// What became of a wish.
async fn wished(site: &Site, wish: Wish) -> Lot {
    let lot = site.store.lots(None, 1).await.unwrap().remove(0);
    site.store.wish(lot.id, wish, &entry()).await.unwrap().unwrap();
    let keeper = keeper(site.store.clone(), site.folder(), "damage");
    site.until(keeper, async |store| {
        let lot = store.lots(None, 1).await.unwrap().remove(0);
        lot.wish.is_none().then_some(lot)
    })
    .await
}

/// A byte that is another, a file that is shorter or gone, another manifest: each is refused by its name, and nothing of
/// it is restored.
#[tokio::test(flavor = "multi_thread")]
async fn damage_is_named_and_refused() {
    let site = Site::with(40).await;
    site.round(site.folder()).await;
    let sound = wished(&site, Wish::Verify).await;
    assert_eq!(sound.problem, None);
    let directory = site.archive().join(sound.files.unwrap().directory);
    for name in ["messages-0001.ndjson.zst", "manifest.json"] {
        let path: PathBuf = directory.join(name);
        let good = fs::read(&path).unwrap();
        let mut flipped = good.clone();
        flipped[good.len() / 2] ^= 1;
        for bad in [Some(flipped), Some(good[..good.len() - 1].to_vec()), None] {
            match bad {
                Some(bad) => fs::write(&path, bad).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            for wish in [Wish::Verify, Wish::Restore { hold: Duration::from_secs(9) }] {
                let lot = wished(&site, wish).await;
                let problem = lot.problem.unwrap();
                assert!(problem.contains(name), "{problem}");
                assert_eq!((lot.restored_at, site.rows().await), (None, vec![]));
            }
        }
        fs::write(&path, &good).unwrap();
    }
    assert_eq!(wished(&site, Wish::Verify).await.problem, None);
}
