//! Migrations: in one transaction, so that several instances may start at once.

use dipmo_domain::StoreError;
use dipmo_store::migration::{self, Applied, Migration};

use crate::tx::Tx;
use crate::{rows, sql};

macro_rules! migrations {
    ($($version:literal $name:literal),+ $(,)?) => {
        /// Every step of the schema, in order.
        pub(crate) const MIGRATIONS: &[Migration] = &[$(Migration {
            version: $version,
            name: $name,
            sql: include_str!(concat!("../migrations/000", $version, "_", $name, ".sql")),
            breaks_older: false,
        }),+];
    };
}

migrations! { 1 "settings", 2 "inbox", 3 "outbox", 4 "timers", 5 "views", 6 "operators", 7 "operators_release", 8 "jobs", 9 "definitions" }

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
