//! Salesforce out: the publisher for `HTTP:SFDC[@org]:<api>:<object>`.
//!
//! ```text
//!  publish(slice) ► shaping: read rows, map fields ► slice: chains per record, rounds, waves, passes
//!                                                      │ apis: Rest Collections Composite Graph
//!                                                      ▼
//!                                            resilience: a gate for each call ► org
//!                                                      │
//!            answers ◄── verdict: what Salesforce's answer means for unit and destination
//!  run_job(job)   ► bulk: create, upload, close, poll, results, a phase at a time
//! ```
//!
//! Start reading at [`SalesforcePublisher`] and `slice/mod.rs`.
//!
//! **Invariants:** of one record nothing goes out behind something that was not delivered; nothing
//! older than what its event announced is sent; no call passes a gate that is closed; whatever was not
//! answered is repeated only when its time has passed.

mod apis;
mod bulk;
mod check;
mod choose;
mod error;
#[cfg(test)]
mod fixture;
mod mapping;
mod metrics;
mod options;
mod org;
mod publisher;
mod resilience;
mod shaping;
mod slice;
mod verdict;

pub use bulk::BulkOptions;
pub use check::MappingProblem;
pub use error::SinkError;
pub use mapping::{
    ChildMapping, ChildSource, FieldMapping, Missing, ObjectMapping, Origin, Source, State,
};
pub use metrics::{Figures, GateFigures, Metrics, Snapshot, Way};
pub use options::{AutoOptions, OrgOptions, Patience, SalesforceSinkOptions, SendingOptions};
pub use publisher::SalesforcePublisher;
pub use resilience::{
    BreakerOptions, BreakerState, BreakerView, BulkheadOptions, BulkheadView, HeldView,
    LevelOptions, LevelView, OrgView, Quota, QuotaOptions, RateOptions, RateView, ResilienceError,
    ResilienceHandle, ResilienceOptions, ResilienceView, Target,
};
