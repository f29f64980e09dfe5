//! The schema, looked at before it is changed: what `migrate` would do, what it did, and who stands
//! in its way.

use async_trait::async_trait;
use dipmo_domain::StoreError;

use crate::Tables;
use crate::definitions::{StateMapping, Stray};
use crate::migration::{self, Applied, Migration};

/// What `migrate` would do now. The partitions of months are not in it: a running service makes them
/// as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Steps of the schema that were not applied, in order.
    pub steps: Vec<Migration>,
    /// Tables, and indexes of them, that would be made.
    pub tables: Vec<PlannedTable>,
    /// Process tables whose CHECK on STATE would grow.
    pub states: Vec<PlannedStates>,
}

impl Plan {
    /// True when there is nothing to do.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.tables.is_empty() && self.states.is_empty()
    }
}

/// A table that is missing, or an index of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTable {
    /// Its name, as its definition writes it.
    pub table: String,
    /// What would make it; nothing in a store that has no SQL.
    pub sql: String,
}

/// States that a process table does not allow yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStates {
    /// The process.
    pub process: String,
    /// The states, in the order of the definition.
    pub adds: Vec<String>,
    /// What would allow them; nothing in a store that has no SQL.
    pub sql: String,
}

/// How a schema and this version of dipmo stand to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The steps that were applied, in order.
    pub applied: Vec<Applied>,
    /// Those that this version would still apply.
    pub pending: Vec<Migration>,
    /// Versions of applied steps that this version does not know: a newer one made them.
    pub unknown: Vec<u32>,
    /// Whether this version may run on this schema, and why not. A newer schema is no reason by itself.
    pub may_run: Result<(), StoreError>,
    /// Tables of processes that no definition names.
    pub orphans: Vec<Orphan>,
}

impl Status {
    /// Puts together what stands in a database and what this version knows.
    #[must_use]
    pub fn of(known: &[Migration], applied: Vec<Applied>, orphans: Vec<Orphan>) -> Self {
        let last = applied.iter().map(|done| done.version).max().unwrap_or(0);
        let is_known = |version| known.iter().any(|step| step.version == version);
        let unknown = applied.iter().map(|done| done.version).filter(|it| !is_known(*it)).collect();
        let pending = known.iter().filter(|step| step.version > last).copied().collect();
        Self { may_run: migration::check(known, &applied), unknown, pending, applied, orphans }
    }

    /// True when a newer version of dipmo has changed the schema since.
    #[must_use]
    pub const fn is_newer_than_this_binary(&self) -> bool {
        !self.unknown.is_empty()
    }
}

/// A table `*_PROCESS` that no definition names. It stays, with its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// Its name in capitals.
    pub table: String,
    /// About how many rows it has; `None` when the database never counted.
    pub rows: Option<u64>,
}

/// Changes of the schema, and looks at it that change nothing. No look waits for a batch or lets one
/// wait.
#[async_trait]
pub trait Schema: Send + Sync {
    /// As [`Store::migrate`](crate::Store::migrate), and moves instances out of states that their
    /// process does not have any more. Their VERSION goes up, so that a batch that has read them loses
    /// its race and is tried again. A state that was mapped is forgotten by the CHECK once nobody
    /// stands in it.
    ///
    /// # Errors
    /// - As `migrate`, and nothing is changed then;
    /// - [`StoreError::StatesGone`] while instances stand in a state that is gone and not mapped;
    ///   nothing is changed then;
    /// - [`StoreError::MappingInvalid`] when the mapping does not fit the definitions.
    async fn migrate_mapping(
        &self,
        tables: &Tables,
        mapping: &StateMapping,
    ) -> Result<Vec<Applied>, StoreError>;

    /// What [`migrate`](crate::Store::migrate) would do now, without doing it.
    ///
    /// # Errors
    /// As `migrate`, for what can be seen without changing anything; strays are none of it, see
    /// [`strays`](Self::strays).
    async fn plan(&self, tables: &Tables) -> Result<Plan, StoreError>;

    /// Says what the tables of the processes are, which `migrate` says as well: for an instance that must
    /// not change the schema. Asks nobody and changes nothing; whether they are there is for
    /// [`plan`](Self::plan) to say.
    fn learn(&self, tables: &Tables);

    /// What was applied, what is left, and whether this version may run.
    ///
    /// # Errors
    /// When the database does not answer. A schema that does not fit is an answer.
    async fn status(&self, tables: &Tables) -> Result<Status, StoreError>;

    /// Instances that stand in a state which the definition of their process does not have. A table is
    /// read only when it allows such a state.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn strays(&self, tables: &Tables) -> Result<Vec<Stray>, StoreError>;
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Timestamp;

    use super::*;

    const KNOWN: [Migration; 2] = [
        Migration { version: 1, name: "first", sql: "a", breaks_older: false },
        Migration { version: 2, name: "second", sql: "b", breaks_older: false },
    ];

    fn applied(version: u32, breaks_older: bool) -> Applied {
        let known = KNOWN.iter().find(|step| step.version == version);
        Applied {
            version,
            name: "step".to_owned(),
            checksum: known.map(Migration::checksum).unwrap_or_default(),
            breaks_older,
            applied_at: Timestamp::EPOCH,
        }
    }

    #[test]
    fn a_newer_schema_is_told_and_no_reason_to_stop_unless_it_breaks_us() {
        let status = |done: Vec<Applied>| Status::of(&KNOWN, done, vec![]);
        let behind = status(vec![applied(1, false)]);
        assert_eq!((&behind.pending[..], behind.is_newer_than_this_binary()), (&KNOWN[1..], false));
        assert!(behind.may_run.is_err());
        let newer = status(vec![applied(1, false), applied(2, false), applied(3, false)]);
        assert_eq!((newer.unknown, newer.pending, newer.may_run), (vec![3], vec![], Ok(())));
        let broken = status(vec![applied(1, false), applied(2, false), applied(3, true)]);
        assert!(broken.may_run.is_err());
    }
}
