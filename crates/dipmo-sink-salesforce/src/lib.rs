//! Salesforce out: the publisher for `HTTP:SFDC[@org]:<api>:<object>`.

mod metrics;
mod resilience;

pub use metrics::{Figures, Metrics, Snapshot, Way};
pub use resilience::{
    BreakerOptions, BulkheadOptions, LevelOptions, QuotaOptions, RateOptions, ResilienceError,
    ResilienceOptions,
};
