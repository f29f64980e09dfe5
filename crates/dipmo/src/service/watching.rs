//! Looks at a part of an instance again and again, and notes how it is.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How often to look.
const LOOK: Duration = Duration::from_millis(500);

/// Looks until it is stopped.
pub(super) async fn watch(stop: CancellationToken, look: impl Fn()) {
    while !stop.is_cancelled() {
        look();
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = sleep(LOOK) => {}
        }
    }
}
