//! What differs between inbox and outbox in everything that waits.

use dipmo_domain::{
    Destination, ErrorStage, InboxId, InboxStatus, Lane, OrderKey, OutboxId, OutboxStatus, Outcome,
    Timestamp,
};

/// One of the two sides of dipmo.
pub(crate) trait Side: Clone {
    /// What is tried: a message or a unit.
    type Id: Copy + Ord;
    /// What one worker works on at a time.
    type Lane: Clone + Ord;
    /// What waits for its head.
    type Key: Clone + Ord;
    /// The columns of an exception row that only this side has.
    type Columns: Clone;

    /// True when the columns say that it has ended: it waits for nobody, not even for a person.
    fn has_ended(columns: &Self::Columns) -> bool;

    /// True for what stands in the line of its key and is never let go: it cannot be decoded.
    fn is_barrier(columns: &Self::Columns) -> bool;

    /// True for what failed or was skipped: nobody waits for it, unless it heads its key.
    fn is_passed_over(columns: &Self::Columns) -> bool;

    /// The greatest id before this one.
    fn before(id: Self::Id) -> Self::Id;
}

/// Messages.
#[derive(Clone)]
pub(crate) enum InboxSide {}

impl Side for InboxSide {
    type Id = InboxId;
    type Lane = Lane;
    type Key = OrderKey;
    type Columns = InboxColumns;

    fn has_ended(columns: &InboxColumns) -> bool {
        columns.status == InboxStatus::Processed
    }

    fn is_barrier(columns: &InboxColumns) -> bool {
        columns.status == InboxStatus::SerdeError
    }

    fn is_passed_over(columns: &InboxColumns) -> bool {
        columns.status == InboxStatus::Failed || columns.outcome == Some(Outcome::Skipped)
    }

    fn before(id: InboxId) -> InboxId {
        InboxId(id.0 - 1)
    }
}

/// The columns of `inbox_exception` beside those that both sides have.
#[derive(Clone)]
pub(crate) struct InboxColumns {
    pub(crate) status: InboxStatus,
    pub(crate) stage: Option<ErrorStage>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) processed_at: Option<Timestamp>,
    pub(crate) parked_until: Option<Timestamp>,
}

impl InboxColumns {
    /// Those of a message that was not tried yet.
    pub(crate) const RECEIVED: Self = Self {
        status: InboxStatus::Received,
        stage: None,
        outcome: None,
        processed_at: None,
        parked_until: None,
    };
}

/// Units.
#[derive(Clone)]
pub(crate) enum OutboxSide {}

impl Side for OutboxSide {
    type Id = OutboxId;
    type Lane = OutboxLane;
    type Key = OutboxKey;
    type Columns = OutboxColumns;

    fn has_ended(columns: &OutboxColumns) -> bool {
        columns.status == OutboxStatus::Dispatched || columns.skipped
    }

    fn is_barrier(_: &OutboxColumns) -> bool {
        false
    }

    fn is_passed_over(columns: &OutboxColumns) -> bool {
        columns.status == OutboxStatus::Failed
    }

    fn before(id: OutboxId) -> OutboxId {
        OutboxId(id.0 - 1)
    }
}

/// Each destination has lanes of its own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OutboxLane {
    pub(crate) destination: Destination,
    pub(crate) lane: Lane,
}

/// An order key blocks at one destination, not at the others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OutboxKey {
    pub(crate) destination: Destination,
    pub(crate) key: OrderKey,
}

impl OutboxKey {
    /// The lane of all its units.
    pub(crate) fn lane(&self) -> OutboxLane {
        OutboxLane { destination: self.destination.clone(), lane: self.key.lane() }
    }
}

/// The columns of `outbox_exception` beside those that both sides have.
#[derive(Clone)]
pub(crate) struct OutboxColumns {
    pub(crate) status: OutboxStatus,
    pub(crate) external_ref: Option<String>,
    /// An operator gave it up after it had failed.
    pub(crate) skipped: bool,
}

impl OutboxColumns {
    /// Those of a unit that was not tried yet.
    pub(crate) const PENDING: Self =
        Self { status: OutboxStatus::Pending, external_ref: None, skipped: false };
}
