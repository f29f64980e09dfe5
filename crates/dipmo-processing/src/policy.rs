//! What happens to a message or a delivery that fails.

use dipmo_domain::Backoff;

/// Whether what comes later waits for something that failed for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// Later ones of the same order key are held until a person decides.
    #[default]
    Block,
    /// Later ones go on without it.
    Skip,
}

/// What to do with a message that nobody subscribes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unrouted {
    /// It ends as IGNORED, and is counted.
    #[default]
    Ignore,
    /// It fails, for deployments where every message must have a taker.
    Fail,
}

/// How attempts are repeated, and what follows the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryPolicy {
    /// When to try again, and how often.
    pub backoff: Backoff,
    /// What happens to those behind.
    pub on_failure: OnFailure,
}
