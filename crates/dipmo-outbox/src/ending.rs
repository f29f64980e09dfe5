//! The end of an engine, as those see it who deliver for it.

use tokio_util::sync::CancellationToken;

/// Two moments: from the first on nothing more is sent, and at the second whoever waits for an answer
/// waits no longer.
///
/// The default never comes.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    begun: CancellationToken,
    due: CancellationToken,
}

impl Ending {
    /// One that comes when somebody cancels these tokens, the first one first.
    #[must_use]
    pub const fn new(begun: CancellationToken, due: CancellationToken) -> Self {
        Self { begun, due }
    }

    /// True once nothing more is to be sent.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    /// Waits until nothing more is to be sent.
    pub async fn begun(&self) {
        self.begun.cancelled().await;
    }

    /// True once nobody is to wait for an answer any more.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.due.is_cancelled()
    }

    /// Waits until nobody is to wait for an answer any more.
    pub async fn due(&self) {
        self.due.cancelled().await;
    }
}
