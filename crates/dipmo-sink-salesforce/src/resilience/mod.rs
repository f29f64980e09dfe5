//! What protects an org from us and us from it: rate limiter, bulkhead, circuit breaker, time limiter
//! and the guard of the daily allowance, for each org and for each object of it.

mod error;
mod gate;
mod gates;
mod options;
mod quota;

pub(crate) use gate::{Gate, Held, How, Pass};
pub(crate) use gates::Gates;
pub(crate) use quota::{Family, ProbeFailed, Quota, QuotaSource};

pub use error::ResilienceError;
pub use options::{
    BreakerOptions, BulkheadOptions, LevelOptions, QuotaOptions, RateOptions, ResilienceOptions,
};
