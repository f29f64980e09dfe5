//! The whole schema as one text, for who applies it by hand.

use std::fmt::Write as _;

use dipmo_store::Tables;
use dipmo_store::definitions::fingerprint;

use crate::migrate::MIGRATIONS;
use crate::{SqliteStore, ddl, sql};

impl SqliteStore {
    /// All SQL that [`migrate`](dipmo_store::Store::migrate) runs in an empty database, as one
    /// transaction. A database that was made by it has nothing left to migrate.
    #[must_use]
    pub fn script(tables: &Tables) -> String {
        let mut text = format!("BEGIN IMMEDIATE;\n\n{};\n", sql::migration_table().text.trim_end());
        let mut put = |part: &str| {
            // Writing to a text cannot fail.
            let _ = write!(text, "\n{}\n", part.trim_end());
        };
        for step in MIGRATIONS {
            put(&format!("-- Step {}: {}", step.version, step.name));
            put(step.sql);
            put(&format!(
                "INSERT INTO dipmo_migration (version, name, checksum, breaks_older, applied_at)\n\
                 VALUES ({}, {}, {}, {}, {});",
                step.version,
                ddl::literal(step.name),
                ddl::literal(&step.checksum()),
                i32::from(step.breaks_older),
                ddl::NOW,
            ));
        }
        for table in &tables.processes {
            put(&format!("-- The process {}", table.process));
            put(&ddl::process_table(table));
            put(&format!(
                "INSERT INTO dipmo_definition (process, generation, states, settled, installed_at)\n\
                 VALUES ({}, 1, {}, 1, {});",
                ddl::literal(table.process),
                ddl::literal(&fingerprint(table)),
                ddl::NOW,
            ));
        }
        tables.domain.iter().for_each(|table| put(&ddl::domain_table(table)));
        tables.facts.iter().filter_map(ddl::fact_index).for_each(|index| put(&index.sql));
        put("COMMIT;");
        text
    }
}
