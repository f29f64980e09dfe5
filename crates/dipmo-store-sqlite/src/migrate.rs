//! Migrations: in one transaction, so that several instances may start at once.

use dipmo_domain::StoreError;
use dipmo_store::migration::{self, Applied, Migration};

use crate::tx::Tx;
use crate::{rows, sql};

macro_rules! migrations {
    ($($version:literal $file:literal $name:literal),+ $(,)?) => {
        /// The steps of the schema, oldest first. A step that was released is never changed.
        pub const MIGRATIONS: &[Migration] = &[$(Migration {
            version: $version,
            name: $name,
            sql: include_str!(concat!("../migrations/", $file, "_", $name, ".sql")),
            breaks_older: false,
        }),+];
    };
}

migrations! {
    1 "0001" "settings", 2 "0002" "inbox", 3 "0003" "outbox", 4 "0004" "timers", 5 "0005" "views",
    6 "0006" "operators", 7 "0007" "operators_release", 8 "0008" "jobs", 9 "0009" "definitions",
    10 "0010" "admin", 11 "0011" "controls", 12 "0012" "resend", 13 "0013" "edits", 14 "0014" "archive",
    15 "0015" "slo", 16 "0016" "erased",
}

/// Applies what is left to do; answers what that was.
pub(crate) fn apply(tx: &Tx<'_>) -> Result<Vec<Applied>, StoreError> {
    tx.run(&sql::migration_table(), ())?;
    let pending = migration::pending(MIGRATIONS, &applied(tx)?)?;
    pending.iter().map(|migration| apply_one(tx, migration)).collect()
}

/// Checks that nothing is left to do, and that what was done is ours.
pub(crate) fn check(tx: &Tx<'_>) -> Result<(), StoreError> {
    migration::check(MIGRATIONS, &found(tx)?)
}

/// What was applied; nothing in a database in which nothing ever was.
pub(crate) fn found(tx: &Tx<'_>) -> Result<Vec<Applied>, StoreError> {
    let columns = tx.all(&sql::table_columns(), ["dipmo_migration"], |_| Ok(()))?;
    if columns.is_empty() { Ok(Vec::new()) } else { applied(tx) }
}

fn applied(tx: &Tx<'_>) -> Result<Vec<Applied>, StoreError> {
    tx.all(&sql::migration_list(), (), |row| {
        Ok(Applied {
            version: row.get(0)?,
            name: row.get(1)?,
            checksum: row.get(2)?,
            breaks_older: row.get(3)?,
            applied_at: rows::time(row, 4)?,
        })
    })
}

fn apply_one(tx: &Tx<'_>, migration: &Migration) -> Result<Applied, StoreError> {
    tx.run_script("migrate", migration.sql)?;
    let applied = Applied {
        version: migration.version,
        name: migration.name.to_owned(),
        checksum: migration.checksum(),
        breaks_older: migration.breaks_older,
        applied_at: tx.now(),
    };
    let params = (
        applied.version,
        &applied.name,
        &applied.checksum,
        applied.breaks_older,
        applied.applied_at.as_micros(),
    );
    tx.run(&sql::migration_insert(), params)?;
    Ok(applied)
}
