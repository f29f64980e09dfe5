//! Erasing what an aggregate left: everything that holds something of it is blanked, and it is counted that nothing
//! was left over.

use std::collections::BTreeMap;

use async_trait::async_trait;
use dipmo_domain::{InboxStatus, Json, OutboxStatus, ProcessKey, StoreError};
use serde_json::json;

use super::audit::AuditEntry;
use super::lot::Lot;
use crate::StateRow;

/// So many lots a proof names.
pub const MOST_LOTS: u32 = 1_000;

/// An aggregate that is to be erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erase {
    /// `AGGREGATE_ID`.
    pub aggregate: String,
    /// Instances that belong to it and go by another id.
    pub instances: Vec<ProcessKey>,
    /// The processes that are known, and the states in which each has ended.
    pub ends: BTreeMap<String, Vec<String>>,
    /// Also instances that have not ended: what comes for them later is ignored.
    pub end_instances: bool,
    /// Who and why. The store adds what was blanked.
    pub entry: AuditEntry,
}

impl Erase {
    /// The entry of the audit: what was blanked, and never what it said.
    #[must_use]
    pub fn entry(&self, proof: &Proof) -> AuditEntry {
        let tables: BTreeMap<&str, _> = proof
            .tables
            .iter()
            .map(|it| (it.table.as_str(), json!({"blanked": it.blanked, "left": it.left})))
            .collect();
        let lots: Vec<i64> = proof.lots.iter().map(|lot| lot.id.0).collect();
        let detail = Json::from_store(json!({"tables": tables, "lots": lots}).to_string());
        AuditEntry { detail, ..self.entry.clone() }
    }

    /// The instance, if it has not ended and is not to end here: what is in flight needs its context. Of a process that
    /// nobody knows here nobody can tell.
    #[must_use]
    pub fn waits(&self, row: &StateRow) -> Option<Unended> {
        let ends = self.ends.get(&row.key.process);
        // One of another aggregate, which only asked about this one, goes on.
        let is_meant = row.key.id == self.aggregate || self.instances.contains(&row.key);
        let ends_here = self.end_instances && is_meant;
        let has_ended = ends.is_some_and(|ends| ends_here || ends.contains(&row.state));
        let waits = || Unended::Instance {
            key: row.key.clone(),
            state: row.state.clone(),
            known: ends.is_some(),
        };
        (!has_ended).then(waits)
    }
}

/// Something of an aggregate that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unended {
    /// Messages.
    Messages {
        /// `STATUS`.
        status: InboxStatus,
        /// How many.
        count: u64,
        /// The first of them.
        first: i64,
    },
    /// Intents of which not every unit was delivered or given up.
    Intents {
        /// `STATUS`.
        status: OutboxStatus,
        /// `DESTINATION`.
        destination: String,
        /// How many.
        count: u64,
        /// The first of them.
        first: i64,
    },
    /// An instance of a process.
    Instance {
        /// Which.
        key: ProcessKey,
        /// Where it stands.
        state: String,
        /// The process is one of those that are known.
        known: bool,
    },
}

/// What was blanked in a table, and what is not blank in it after that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blanked {
    /// The table.
    pub table: String,
    /// How many rows were blanked; of timers, taken away; of groups of failures, forgotten.
    pub blanked: u64,
    /// How many rows of the aggregate hold something.
    pub left: u64,
}

/// What an erasure did, counted in its own transaction. After a dry run nothing is blanked, and `left` is what would be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Every table that can hold something, also those without a row of the aggregate.
    pub tables: Vec<Blanked>,
    /// Instances of processes that belong to it.
    pub instances: Vec<ProcessKey>,
    /// Lots whose files may hold something still, the newest first, at most [`MOST_LOTS`].
    pub lots: Vec<Lot>,
}

impl Proof {
    /// How many rows hold something.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.tables.iter().map(|it| it.left).sum()
    }
}

/// What became of a wish to erase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Erased {
    /// Everything is blank; or would be, after a dry run.
    Done(Proof),
    /// Something has not ended. Nothing changed.
    Waits(Vec<Unended>),
}

/// Aggregates that are to be forgotten.
#[async_trait]
pub trait Erasure: Send + Sync {
    /// Blanks everything that holds something of an aggregate, with the entry of the audit, in one transaction; and
    /// remembers that it was erased, so that what is restored from an archive later is blanked as well. Done again, it
    /// blanks what came since.
    ///
    /// Rows, ids and statuses stay, so that nothing else changes: a duplicate is known again, and counts add up.
    ///
    /// # Errors
    /// [`StoreError::VersionConflict`] when a worker wrote an instance at the same moment. When nothing was changed.
    async fn erase(&self, wish: &Erase, dry_run: bool) -> Result<Erased, StoreError>;
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Timestamp;

    use super::*;

    fn wish() -> Erase {
        let ends = [("ORDER".to_owned(), vec!["PAID".to_owned()])];
        let entry = AuditEntry {
            actor: "ann".to_owned(),
            role: "admin".to_owned(),
            action: "aggregate.erase".to_owned(),
            target: "aggregate/O-1".to_owned(),
            reason: "a test".to_owned(),
            detail: Json::null(),
        };
        Erase {
            aggregate: "O-1".to_owned(),
            instances: vec![],
            ends: ends.into(),
            end_instances: false,
            entry,
        }
    }

    #[test]
    fn what_has_not_ended_waits() {
        let row = |process: &str, state: &str| StateRow {
            key: ProcessKey { process: process.to_owned(), id: "O-1".to_owned() },
            state: state.to_owned(),
            version: 1,
            context: Json::null(),
            event_versions: BTreeMap::new(),
            attempts: 0,
            last_event_ts: Timestamp::EPOCH,
            failure: None,
        };
        assert_eq!(wish().waits(&row("ORDER", "PAID")), None);
        let ends = Erase { end_instances: true, ..wish() };
        assert_eq!(ends.waits(&row("ORDER", "NEW")), None);
        let mut of_another = row("ORDER", "NEW");
        of_another.key.id = "O-2".to_owned();
        assert!(ends.waits(&of_another).is_some(), "it only asked about this one");
        let named = Erase { instances: vec![of_another.key.clone()], ..ends };
        assert_eq!(named.waits(&of_another), None);
        let known = |row| match wish().waits(&row) {
            Some(Unended::Instance { known, .. }) => known,
            other => panic!("{other:?}"),
        };
        assert!(known(row("ORDER", "NEW")));
        assert!(!known(row("OTHER", "PAID")));
        let all = Erase { end_instances: true, ..wish() };
        assert_eq!(all.waits(&row("ORDER", "NEW")), None);
        assert!(all.waits(&row("OTHER", "PAID")).is_some());
    }

    #[test]
    fn the_audit_has_the_counts() {
        let table = Blanked { table: "inbox_log".to_owned(), blanked: 2, left: 0 };
        let proof = Proof { tables: vec![table], ..Proof::default() };
        let entry = wish().entry(&proof);
        let detail = r#"{"lots":[],"tables":{"inbox_log":{"blanked":2,"left":0}}}"#;
        assert_eq!((entry.detail.as_str(), entry.reason.as_str()), (detail, "a test"));
    }
}
