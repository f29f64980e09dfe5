//! Salesforce out: the publisher for `HTTP:SFDC[@org]:<api>:<object>`.

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
