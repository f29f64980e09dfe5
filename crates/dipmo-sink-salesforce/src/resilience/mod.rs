//! What protects an org from us and us from it: rate limiter, bulkhead, circuit breaker, time limiter
//! and the guard of the daily allowance, for each org and for each object of it.
//!
//! ```text
//!  enter ──► object: room, turn ──► org: room, turn ──► all at once: stopped? paused? open?
//!                                                          │ no            │ yes
//!                                                          ▼               ▼
//!                                                        Pass            Held: nothing was sent
//! ```
//!
//! Limiter, breaker and standing are values that decide and never wait; [`level`] and [`pass`] wait.
//! Time is tokio's, so that tests make it pass. Retries of a unit are the dispatcher's, by its
//! policy with jitter: a call that is held consumes none.

mod breaker;
mod bulkhead;
mod error;
mod gate;
mod gates;
mod handle;
mod held;
mod level;
mod limiter;
mod options;
mod org;
mod pass;
mod probe;
mod quota;
mod standing;
mod target;
#[cfg(test)]
mod tests;
mod view;
mod window;

pub(crate) use gate::Gate;
pub(crate) use gates::Gates;
pub(crate) use held::Held;
pub(crate) use pass::{How, Pass};
pub(crate) use quota::{Family, ProbeFailed, QuotaSource};

pub use breaker::BreakerState;
pub use error::ResilienceError;
pub use handle::ResilienceHandle;
pub use options::{
    BreakerOptions, BulkheadOptions, LevelOptions, QuotaOptions, RateOptions, ResilienceOptions,
};
pub use quota::Quota;
pub use target::Target;
pub use view::{BreakerView, BulkheadView, HeldView, LevelView, OrgView, RateView, ResilienceView};
