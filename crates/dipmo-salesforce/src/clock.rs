//! The one place that asks what time it is.

use jiff::Timestamp;

/// The time of this machine. An assertion has to say when it ends, and `Retry-After` may be a date.
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
