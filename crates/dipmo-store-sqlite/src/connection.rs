//! Opens connections: pragmas, and errors that say what to do.

use std::path::Path;
use std::time::{Duration, Instant};

use dipmo_domain::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::failed;
use crate::tx::guard_commits;
use crate::url::Place;
use crate::{Durability, SqliteOptions};

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Write,
    Read,
}

/// A connection with the settings of the options.
pub(crate) fn open(
    options: &SqliteOptions,
    place: &Place,
    purpose: Purpose,
) -> Result<Connection, StoreError> {
    let mut connection = match place {
        Place::Memory => Connection::open_in_memory().map_err(|e| failed("open", &e))?,
        Place::File(path) => open_file(path)?,
    };
    // Asked first: in a file that is read-only everything else fails for odder reasons.
    if connection.is_readonly("main").map_err(|e| failed("open", &e))? {
        let problem = format!("{place} cannot be written by this user");
        return Err(StoreError::ReadOnly { statement: "open", problem });
    }
    connection.busy_timeout(options.patience).map_err(|e| failed("open", &e))?;
    connection.set_prepared_statement_cache_capacity(256);
    write_ahead(&connection, options.patience).map_err(|e| cannot_use(place, &e))?;
    settings(&connection, options, purpose).map_err(|e| cannot_use(place, &e))?;
    guard_commits(&mut connection).map_err(|e| failed("open", &e))?;
    Ok(connection)
}

fn open_file(path: &Path) -> Result<Connection, StoreError> {
    let unreachable =
        |problem: String| StoreError::Unreachable { place: path.display().to_string(), problem };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(unreachable(format!("there is no folder {}", folder.display())));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| unreachable(error.to_string()))
}

/// Write-ahead logging: readers do not wait for the writer. The switch is written into the file
/// once; SQLite does not wait by itself when another process is at the same switch.
fn write_ahead(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let began = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && began.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

fn settings(
    connection: &Connection,
    options: &SqliteOptions,
    purpose: Purpose,
) -> rusqlite::Result<()> {
    let synchronous = match options.durability {
        Durability::Full => "FULL",
        Durability::Normal => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    // macOS calls it durable before the disk does, unless it is asked for more.
    connection.pragma_update(None, "fullfsync", options.durability == Durability::Full)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // A batch of 1,000 messages fits the cache, and the file is brought up to date after 16 MiB of
    // log: up to half more messages a second than with SQLite's own 2 and 4 MiB.
    connection.pragma_update(None, "cache_size", -32 * 1_024)?;
    connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1_024 * 1_024)?;
    if let Some(pages) = options.max_pages {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    connection.pragma_update(None, "query_only", purpose == Purpose::Read)
}

/// Whatever goes wrong on the first look into the file.
fn cannot_use(place: &Place, error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        // Waiting does not help, another URL does.
        Some(ErrorCode::NotADatabase) => {
            StoreError::UrlInvalid { problem: format!("{place} is not an SQLite database") }
        }
        Some(ErrorCode::CannotOpen) => {
            StoreError::Unreachable { place: place.to_string(), problem: error.to_string() }
        }
        _ => failed("open", error),
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
