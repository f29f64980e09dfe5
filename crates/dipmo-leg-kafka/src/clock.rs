//! The one place where a leg asks what time it is.

use std::time::UNIX_EPOCH;

/// Milliseconds since 1970. Instances of a leg share no database that could tell them the time; what
/// is due is due to the second.
pub(crate) fn now_millis() -> i64 {
    let since = UNIX_EPOCH.elapsed().unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
