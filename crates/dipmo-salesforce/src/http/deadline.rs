//! When a call must be over, with all that belongs to it.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

/// When a call must be over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    at: Instant,
    /// What the call was given, to say so.
    given: Duration,
}

/// A deadline has passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) given: Duration,
}

impl Deadline {
    pub(crate) fn after(given: Duration) -> Self {
        Self { at: Instant::now() + given, given }
    }

    /// What comes of a future, if it does so in time.
    pub(crate) async fn limit<F: Future>(self, future: F) -> Result<F::Output, Passed> {
        timeout_at(self.at, future).await.map_err(|_| Passed { given: self.given })
    }
}
