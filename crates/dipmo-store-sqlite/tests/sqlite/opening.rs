//! Opening: every way to fail says what is wrong, and what to do next.

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use dipmo_domain::{Coded as _, StoreError};
use dipmo_store::Store as _;
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use dipmo_store_tests::suite_tables;
use dipmo_store_tests::support::{alone, stored};

use crate::folder::Folder;

async fn error_of(url: &str) -> StoreError {
    SqliteStore::open(SqliteOptions::new(url)).await.unwrap_err()
}

#[tokio::test]
async fn a_url_that_is_none() {
    assert_eq!(error_of("mysql://localhost/dipmo").await.code().as_str(), "store-url-invalid");
}

#[tokio::test]
async fn a_folder_that_does_not_exist() {
    let folder = Folder::new();
    let file = folder.file().with_file_name("missing").join("dipmo.db");
    let error = error_of(&format!("sqlite:{}", file.display())).await;
    let StoreError::Unreachable { place, problem } = error else { panic!("{error:?}") };
    assert_eq!(place, file.display().to_string());
    assert!(problem.starts_with("there is no folder "), "{problem}");
}

#[tokio::test]
async fn a_path_that_is_a_folder() {
    let folder = Folder::new();
    std::fs::create_dir(folder.file()).unwrap();
    let error = error_of(&folder.url()).await;
    assert_eq!(error.code().as_str(), "store-unreachable", "{error:?}");
}

#[tokio::test]
async fn a_file_that_is_no_database() {
    let folder = Folder::new();
    let text = "Dear diary, this is not a database but a long text.\n".repeat(100);
    std::fs::write(folder.file(), &text).unwrap();
    let error = error_of(&folder.url()).await;
    let StoreError::UrlInvalid { problem } = error else { panic!("{error:?}") };
    assert!(problem.ends_with("is not an SQLite database"), "{problem}");
    assert_eq!(std::fs::read_to_string(folder.file()).unwrap(), text, "nothing was written to it");
}

#[tokio::test]
async fn a_file_that_another_process_keeps_for_itself() {
    let folder = Folder::new();
    drop(folder.store().await);
    let look = folder.look();
    look.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").unwrap();
    let patience = Duration::from_millis(20);
    let options = SqliteOptions { patience, ..SqliteOptions::new(&folder.url()) };
    let error = SqliteStore::open(options).await.unwrap_err();
    assert_eq!(error.code().as_str(), "store-busy", "{error:?}");
}

/// Root may write what it likes, so the test runs itself again as somebody else.
#[test]
fn a_file_that_cannot_be_written() {
    const URL: &str = "DIPMO_READ_ONLY_URL";
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if let Ok(url) = std::env::var(URL) {
        let error = runtime.block_on(error_of(&url));
        let StoreError::ReadOnly { statement, problem } = error else { panic!("{error:?}") };
        assert_eq!(statement, "open");
        assert!(problem.ends_with("cannot be written by this user"), "{problem}");
        std::io::stdout().write_all(b"it was refused\n").unwrap();
        return;
    }
    let folder = Folder::new();
    runtime.block_on(async {
        drop(folder.store().await);
        closed(&folder).await;
    });
    std::fs::set_permissions(folder.file(), PermissionsExt::from_mode(0o444)).unwrap();
    // The folder of the build may be closed to others.
    let copy = folder.file().with_file_name("test");
    // By a process of its own: a file that this one has open for writing, if only in a child that
    // another test is about to start, cannot be run.
    let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&copy).status();
    assert!(copied.unwrap().success());
    let mut child = Command::new(copy);
    child.args(["--exact", "opening::a_file_that_cannot_be_written"]).env(URL, folder.url());
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        const NOBODY: u32 = 65_534;
        child.uid(NOBODY).gid(NOBODY);
    }
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("it was refused"), "{said}");
}

#[tokio::test]
async fn memory_is_for_one() {
    let memory = || SqliteStore::open(SqliteOptions::new("sqlite::memory:"));
    let first = memory().await.unwrap();
    first.migrate(&suite_tables()).await.unwrap();
    stored(&first, &[alone(1)]).await;
    assert_eq!(dipmo_store::Inspect::inbox_rows(&first, 10).await.unwrap().len(), 1);
    let error = memory().await.unwrap_err();
    assert_eq!(error.code().as_str(), "store-url-invalid", "{error:?}");
    drop(first.clone());
    assert!(memory().await.is_err(), "a clone is the same instance");
    drop(first);
    let second = memory().await.unwrap();
    assert!(second.check_schema().await.is_err(), "it is another database");
}

#[tokio::test]
async fn without_a_schema_it_says_so() {
    let folder = Folder::new();
    let store = SqliteStore::open(SqliteOptions::new(&folder.url())).await.unwrap();
    let error = dipmo_inbox::Inbox::store(&store, &[alone(1)], &[]).await.unwrap_err();
    assert_eq!(error.code().as_str(), "schema-missing", "{error:?}");
}

/// The write-ahead log goes when the last connection closes: that is when the threads have ended.
///
/// Many times, because both threads close at once.
#[tokio::test]
async fn the_last_handle_closes_the_file() {
    for _ in 0..50 {
        let folder = Folder::new();
        let store = folder.store().await;
        let clone = store.clone();
        drop(store);
        stored(&clone, &[alone(1)]).await;
        assert!(write_ahead_log(&folder).exists());
        drop(clone);
        closed(&folder).await;
    }
}

fn write_ahead_log(folder: &Folder) -> PathBuf {
    folder.file().with_file_name("dipmo.db-wal")
}

async fn closed(folder: &Folder) {
    let gone = async {
        while write_ahead_log(folder).exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.expect("the file is still open");
}
