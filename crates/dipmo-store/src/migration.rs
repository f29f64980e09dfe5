//! Migrations: numbered, checksummed, and checked before one of them runs.

use dipmo_domain::{StoreError, Timestamp};

/// One step of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// Counts up from 1 without gaps.
    pub version: u32,
    /// A few words.
    pub name: &'static str,
    /// What runs, in one transaction.
    pub sql: &'static str,
    /// True when a version of dipmo that does not know this step cannot work with its result.
    /// Steps add before they remove, so this is rare, and never true within a minor version.
    pub breaks_older: bool,
}

impl Migration {
    /// What tells whether an applied migration is this one. White space at the ends of lines does
    /// not count, so that a checkout with other line endings is the same.
    #[must_use]
    pub fn checksum(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for line in self.sql.lines() {
            hasher.update(line.trim_end().as_bytes());
            hasher.update(b"\n");
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

/// A migration that stands in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Its number.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// Its checksum.
    pub checksum: String,
    /// Whether older versions can work with it.
    pub breaks_older: bool,
    /// When it was applied.
    pub applied_at: Timestamp,
}

/// What is left to do, after checking what was done.
///
/// # Errors
/// [`StoreError::MigrationChanged`] when an applied migration has another content, and
/// [`StoreError::SchemaNewer`] when one that we do not know breaks older versions. Unknown ones
/// that do not are fine: that is a rolling upgrade.
pub fn pending<'a>(
    known: &'a [Migration],
    applied: &[Applied],
) -> Result<&'a [Migration], StoreError> {
    let last_known = known.last().map_or(0, |migration| migration.version);
    for done in applied {
        match known.iter().find(|migration| migration.version == done.version) {
            Some(migration) if migration.checksum() != done.checksum => {
                let (version, name) = (done.version, done.name.clone());
                return Err(StoreError::MigrationChanged { version, name });
            }
            None if done.breaks_older => {
                return Err(StoreError::SchemaNewer { applied: done.version, known: last_known });
            }
            _ => {}
        }
    }
    let last_applied = applied.iter().map(|done| done.version).max().unwrap_or(0);
    let from = known.iter().position(|m| m.version > last_applied).unwrap_or(known.len());
    Ok(&known[from..])
}

/// As [`pending`], for an instance that must not change the schema.
///
/// # Errors
/// As [`pending`], and [`StoreError::SchemaMissing`] when something is left to do.
pub fn check(known: &[Migration], applied: &[Applied]) -> Result<(), StoreError> {
    match pending(known, applied)? {
        [] => Ok(()),
        [next, ..] => Err(StoreError::SchemaMissing {
            problem: format!("migration {} ({}) was not applied", next.version, next.name),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Migration; 2] = [
        Migration { version: 1, name: "first", sql: "create table a(x int);", breaks_older: false },
        Migration {
            version: 2,
            name: "second",
            sql: "create table b(x int);",
            breaks_older: false,
        },
    ];

    fn applied(migration: &Migration) -> Applied {
        Applied {
            version: migration.version,
            name: migration.name.to_owned(),
            checksum: migration.checksum(),
            breaks_older: migration.breaks_older,
            applied_at: Timestamp::EPOCH,
        }
    }

    #[test]
    fn what_is_left_comes_after_what_was_done() {
        assert_eq!(pending(&KNOWN, &[]).unwrap().len(), 2);
        assert_eq!(pending(&KNOWN, &[applied(&KNOWN[0])]).unwrap()[0].version, 2);
        assert!(check(&KNOWN, &[applied(&KNOWN[0])]).is_err());
        assert!(check(&KNOWN, &[applied(&KNOWN[0]), applied(&KNOWN[1])]).is_ok());
    }

    #[test]
    fn a_changed_migration_is_refused() {
        let changed = Applied { checksum: "0".repeat(32), ..applied(&KNOWN[0]) };
        let error = StoreError::MigrationChanged { version: 1, name: "first".into() };
        assert_eq!(pending(&KNOWN, &[changed]), Err(error));
    }

    #[test]
    fn a_newer_schema_is_refused_only_when_it_breaks_us() {
        let done = [applied(&KNOWN[0]), applied(&KNOWN[1])];
        let adds = Applied { version: 3, ..applied(&KNOWN[1]) };
        let breaks = Applied { breaks_older: true, ..adds.clone() };
        assert_eq!(pending(&KNOWN, &[&done[..], &[adds]].concat()), Ok(&[][..]));
        let error = StoreError::SchemaNewer { applied: 3, known: 2 };
        assert_eq!(pending(&KNOWN, &[&done[..], &[breaks]].concat()), Err(error));
    }

    #[test]
    fn line_endings_do_not_change_a_migration() {
        let windows = Migration { sql: "create table a(x int);\r\n", ..KNOWN[0] };
        assert_eq!(windows.checksum(), KNOWN[0].checksum());
    }
}
