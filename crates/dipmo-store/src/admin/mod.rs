//! What people ask of a store: to look, to find what failed alike, and to act, with a trail.
//!
//! | port | what it is for |
//! |---|---|
//! | [`Browse`] | lists that stay fast whatever the history, and one message, unit or instance whole |
//! | [`Failures`] | what failed or is retried, grouped by cause |
//! | [`Actions`] | operations: acts on many messages or units, which survive a crash and touch each once |
//! | [`Edits`] | a message that failed says something else, and is tried again |
//! | [`Steer`] | moving an instance of a process by hand |
//! | [`Audit`] | who did what, when and why; nobody can change it afterwards |
//! | [`Access`] | tokens, of which only hashes are kept |
//! | [`Fleet`] | the instances that work on this database |
//! | [`Controls`] | what is paused or steered, by whom and why |
//! | [`Duties`] | what one of them does for all |
//! | [`Archive`] | history in files: set aside, written, dropped, restored |
//! | [`Erasure`] | everything that holds something of an aggregate is blanked |
//! | [`Reports`] | how old what waits is, what is hot, whether the database is as it must be |
//! | [`Slo`] | what was promised, and how often it was kept |
//!
//! None of this is on the path of a message. The store in memory has none of it: what lives as long as one
//! process needs no operators.

mod access;
mod actions;
mod ageing;
mod archive;
mod audit;
mod browse;
mod controls;
mod duties;
mod edits;
mod ended;
mod erase;
mod failures;
mod filter;
mod fleet;
mod lines;
mod lot;
mod operation;
mod page;
mod replay;
mod reports;
mod slo;
mod steer;

use crate::Store;

pub use access::{Access, NewToken, TokenHash, TokenId, TokenRow};
pub use actions::Actions;
pub use ageing::{AGES, Aged, Ageing, AgeingLane, AgeingRow, ByAge};
pub use archive::Archive;
pub use audit::{Audit, AuditEntry, AuditFilter, AuditRow};
pub use browse::Browse;
pub use controls::{
    Control, ControlChange, ControlChanged, Controls, LONGEST_NAME, Setting, SettingKind, Steered,
    SteeredThing,
};
pub use duties::{Duties, DutyLease, DutyRow, RETENTION};
pub use edits::{Edit, Edits, Original};
pub use ended::{MOST_ENDED_PAGES, ended_units};
pub use erase::{Blanked, Erase, Erased, Erasure, MOST_LOTS, Proof, Unended};
pub use failures::{FailureGroup, Failures};
pub use filter::{InstanceFilter, MessageFilter, UnitFilter, Waits};
pub use fleet::{Fleet, InstanceReport, InstanceRow};
pub use lines::{LaneLine, MessageLine, UnitLine};
pub use lot::{HistoryRow, Lot, LotAnswer, LotFiles, LotId, LotPart, LotState, Wish};
pub use operation::{
    Act, Begun, MOST_IN_OPERATION, NewOperation, Operation, OperationChange, OperationId,
    OperationItem, OperationLease, OperationState, Performed, Preview, Seen, Target,
};
pub use page::{InstancePage, Listing, MOST_ON_A_PAGE, Page};
pub use replay::{ProcessedMessages, processed_messages, replayable, replayed};
pub use reports::{Hot, HotAggregate, HotKey, RECENT, Reports, Soundness};
pub use slo::{LONGEST_WINDOW, Objective, Slo, SloCount, SloHour};
pub use steer::{Move, Moved, Steer, TimerLine};

/// A store that people can operate.
pub trait Operable:
    Store
    + Browse
    + Failures
    + Actions
    + Edits
    + Steer
    + Audit
    + Access
    + Fleet
    + Controls
    + Duties
    + Archive
    + Erasure
    + Reports
    + Slo
{
}

impl<T> Operable for T where
    T: Store
        + Browse
        + Failures
        + Actions
        + Edits
        + Steer
        + Audit
        + Access
        + Fleet
        + Controls
        + Duties
        + Archive
        + Erasure
        + Reports
        + Slo
{
}
