//! What the tests are written with: messages, intents, scripts for batches, gates, chance.

mod batch;
mod canary;
mod chance;
mod dispatcher;
mod dropped;
mod ear;
mod events;
mod gate;
mod inside;
mod intents;
mod jobs;
mod orderly;
mod pages;
mod script;
mod standing;
mod states;
mod tracker;
pub mod user_sql;

use std::time::Duration;

pub use batch::{Ran, batch, batch_at_last, batch_of, block_of, everything, row_of, rows, settle};
pub use canary::{CANARY, ERASED, Left, ended, everywhere, telling};
pub use chance::{Chance, is_full, seeds};
pub use dispatcher::{Hand, dispatch_all, dispatched, take};
pub use dropped::polled_at_most;
pub use ear::Ear;
pub use events::{
    aggregate_in, aggregates, alone, event, event_saying, inbox_id, marker, stored, with_record,
};
pub use gate::{Gate, Guard, gate};
pub use inside::{inside, only_lane};
pub use intents::{intent, internal, kafka, record_keys, write_intents};
pub use jobs::{JobHand, begin, begin_for, ids_of, take_job};
pub use orderly::{Orderly, work_off};
pub use pages::through;
pub use script::Script;
pub use standing::{every_message, every_unit, told};
pub use states::{changed_state, new_state, suite_key};
pub use tracker::Tracker;

use dipmo_domain::{Failure, Outcome};
use dipmo_store::SettlementKind;

/// Longer than any test runs: what is due after it is not due.
pub const LONG: Duration = Duration::from_secs(3_600);

/// Ended well.
#[must_use]
pub const fn done() -> SettlementKind {
    SettlementKind::Processed(Outcome::Done)
}

/// Due again after `after`.
#[must_use]
pub fn retry(after: Duration) -> SettlementKind {
    SettlementKind::Retry { after, failure: failure("try-again") }
}

/// Failed for good.
#[must_use]
pub fn failed(block: bool) -> SettlementKind {
    SettlementKind::Failed { failure: failure("refused"), block }
}

/// A failure with a code of our choice.
#[must_use]
pub fn failure(code: &str) -> Failure {
    Failure::new(code, "because the test says so")
}
