//! What the engine asks of a database.
//!
//! Ports take batches and speak our types, so that a driver without array binds, `RETURNING` or
//! `COPY`, and one that blocks, can implement them as well. The store owns every transaction:
//! deciding is synchronous and happens inside, as a [`BatchLogic`] that the store drives.
//!
//! **Invariant:** no claim outlives the call that made it. What lives longer, a lease on a lane of
//! the outbox, carries an epoch, and a settlement under an older epoch writes nothing.

pub mod admin;
mod backlog;
mod batch;
mod blank;
mod bring_back;
mod changes;
mod dead_letters;
pub mod definitions;
mod dispatch;
mod fold;
mod handler;
mod history;
mod inspect;
mod jobs;
mod lookup;
pub mod migration;
mod operate;
mod probe;
mod reparse;
pub mod schema;
mod standing;
mod state;
mod tables;
mod timers;
mod wake;
mod work;

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};
use dipmo_inbox::Inbox;

pub use dipmo_api::INSTANCE_HEADER;

pub use backlog::{Backlog, OpenJobs, Waiting};
pub use batch::{
    BatchLogic, Block, ClaimedBatch, ClaimedMessage, Found, MOST_PASSED_OVER, Needs, PassedOver,
};
pub use blank::{BLANK, BLANK_TEXT, is_blank};
pub use bring_back::bring_back;
pub use changes::{Changes, Settlement, SettlementKind, TimerWrite};
pub use dead_letters::{DeadLetters, serde_letters};
pub use definitions::{StateMapping, Stray};
pub use dispatch::{
    Dispatch, FailedUnit, IntentEnd, LeaseParams, ReadParams, Replies, Settle, SettleReport,
};
pub use fold::{StatementRuns, WriteGroup, WriteStep, fold_writes};
pub use handler::{HandlerCall, HandlerOutcome};
pub use history::{History, Pruned};
pub use inspect::{Incident, Inspect, Known};
pub use jobs::{BeginJob, JobChange, Jobs, LeasedJob};
pub use lookup::Lookup;
pub use operate::{Acted, BoxStatus, Failed, MOST_AT_ONCE, Operate, Operated};
pub use probe::{Complaint, Probe, Probed};
pub use reparse::{Decoded, Reparsed, objections};
pub use schema::Schema;
pub use standing::{Standing, check_count, judge};
pub use state::{StateRow, StateWrite};
pub use tables::Tables;
pub use timers::{DueTimer, timer_message};
pub use wake::{Arrivals, Side, Wake};
pub use work::{BatchReport, ClaimLimits, Work};

/// A database that holds the inbox, the processes and the outbox.
#[async_trait]
pub trait Store:
    Inbox + Work + Dispatch + Jobs + Lookup + Operate + History + Inspect + Probe + Schema + Wake
{
    /// Brings the schema up to what this version needs, then installs the tables of the processes.
    /// Safe to call from several instances at once; says which migrations it applied.
    ///
    /// # Errors
    /// When a migration was changed or made by a newer dipmo, a table does not fit its definition, or
    /// instances stand in states that are gone; nothing is changed then.
    async fn migrate(&self, tables: &Tables) -> Result<Vec<migration::Applied>, StoreError> {
        self.migrate_mapping(tables, &StateMapping::default()).await
    }

    /// Checks that the schema is one that this version can work with.
    ///
    /// # Errors
    /// When it is missing, behind, or too new.
    async fn check_schema(&self) -> Result<(), StoreError>;

    /// The time of the database, which is the only one that is compared in the database.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn now(&self) -> Result<Timestamp, StoreError>;
}
