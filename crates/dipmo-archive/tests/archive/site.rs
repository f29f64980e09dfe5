//! A database with history that is too old, and a directory for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use dipmo_archive::{Folder, Keeper, Policy};
use dipmo_domain::Json;
use dipmo_inbox::InboxRow;
use dipmo_store::Store as _;
use dipmo_store::admin::{AuditEntry, Duties as _, DutyRow, Operable, RETENTION};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use dipmo_store_tests::suite_tables;
use dipmo_store_tests::support::{Script, batch, event, rows, stored};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub(crate) struct Site {
    pub(crate) store: Arc<SqliteStore>,
    folder: TempDir,
}

impl Site {
    /// So many messages of January 2020, all of them processed.
    pub(crate) async fn with(messages: i64) -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(open(folder.path()).await);
        store.migrate(&suite_tables()).await.unwrap();
        let events: Vec<_> = (0..messages).map(|n| event(&format!("F-{}", n % 7), n)).collect();
        for some in events.chunks(500) {
            stored(&*store, some).await;
            batch(&*store, Script::process_all()).await.unwrap();
        }
        let site = Self { store, folder };
        site.by_hand("UPDATE inbox_log SET received_at = 1577880000000000 + id");
        site
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The directory of the archive.
    pub(crate) fn archive(&self) -> PathBuf {
        self.path().join("archive")
    }

    pub(crate) fn by_hand(&self, sql: &str) {
        let connection = rusqlite::Connection::open(self.path().join("dipmo.db")).unwrap();
        connection.busy_timeout(Duration::from_secs(30)).unwrap();
        connection.execute_batch(sql).unwrap();
    }

    pub(crate) async fn rows(&self) -> Vec<InboxRow> {
        rows(&*self.store).await
    }

    /// Asks for a round, and lets a keeper do it; answers how the duty stood when it had ended.
    pub(crate) async fn round(&self, folder: Folder) -> DutyRow {
        self.ask().await;
        let keeper = keeper(Arc::clone(&self.store) as _, folder, "site");
        self.until(keeper, async |store| {
            let duty = store.duty(RETENTION).await.unwrap();
            duty.asked_at.is_none().then_some(duty)
        })
        .await
    }

    /// Lets a keeper work until something is so.
    pub(crate) async fn until<T>(
        &self,
        keeper: Keeper,
        mut seen: impl AsyncFnMut(&SqliteStore) -> Option<T>,
    ) -> T {
        let stop = CancellationToken::new();
        let running = tokio::spawn(keeper.run(stop.clone()));
        let found = loop {
            if let Some(found) = seen(&self.store).await {
                break found;
            }
            tokio::task::yield_now().await;
        };
        stop.cancel();
        running.await.unwrap();
        found
    }

    pub(crate) async fn ask(&self) {
        self.store.ask_duty(RETENTION, &entry()).await.unwrap();
    }

    pub(crate) fn folder(&self) -> Folder {
        Folder::new(self.archive())
    }
}

/// The database in a directory.
pub(crate) async fn open(path: &Path) -> SqliteStore {
    let url = format!("sqlite:{}", path.join("dipmo.db").display());
    SqliteStore::open(SqliteOptions::new(&url)).await.unwrap()
}

/// Whoever drops all that is older than a year.
pub(crate) fn keeper(store: Arc<dyn Operable>, folder: Folder, owner: &str) -> Keeper {
    let history = Some(Duration::from_secs(365 * 24 * 3_600));
    let policy = Policy { history, message_ids: None, archive: Some(folder) };
    Keeper::new(store, policy, owner.to_owned())
}

pub(crate) fn entry() -> AuditEntry {
    let text = |text: &str| text.to_owned();
    AuditEntry {
        actor: text("test"),
        role: text("operator"),
        action: text("archive.run"),
        target: text("archive"),
        reason: text("a test"),
        detail: Json::empty_object(),
    }
}
