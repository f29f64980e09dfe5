//! The whole schema as one text, for who applies it by hand.

use std::fmt::Write as _;

use dipmo_store::Tables;
use dipmo_store::definitions::fingerprint;

use crate::ddl;
use crate::migrate::{CREATE_LEDGER, MIGRATIONS};
use crate::store::PostgresStore;

impl PostgresStore {
    /// All SQL that [`migrate`](dipmo_store::Store::migrate) runs in an empty database, as one
    /// transaction, but for the partitions of months, which the service makes as they come. A database
    /// that was made by it has nothing left to migrate.
    #[must_use]
    pub fn script(tables: &Tables) -> String {
        let mut text = "begin;\n".to_owned();
        let mut put = |part: &str| {
            // Writing to a text cannot fail.
            let _ = write!(text, "\n{}\n", part.trim());
        };
        put(&format!("{CREATE_LEDGER};"));
        for step in MIGRATIONS {
            put(&format!("-- Step {}: {}", step.version, step.name));
            put(step.sql);
            put(&format!(
                "insert into dipmo_migration (version, name, checksum, breaks_older)\n\
                 values ({}, '{}', '{}', {});",
                step.version,
                step.name,
                step.checksum(),
                step.breaks_older,
            ));
        }
        for table in &tables.processes {
            put(&format!("-- The process {}", table.process));
            put(&ddl::create_process(table));
            put(&format!(
                "insert into dipmo_definition (process, generation, states, settled)\n\
                 values ('{}', 1, '{}', true);",
                table.process,
                fingerprint(table),
            ));
        }
        tables.domain.iter().for_each(|table| put(&ddl::create_domain(table)));
        put("commit;");
        text
    }
}
