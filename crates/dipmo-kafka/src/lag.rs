//! How far behind the end of a partition a reader of committed records is, from the client's own
//! statistics.

use rdkafka::statistics::Partition;

/// Records that are not dealt with yet, where `next` is the first of them as far as the reader
/// knows, and `open` says whether it has taken any that it has not dealt with. `None` is unknown.
#[must_use]
pub fn lag(seen: &Partition, next: i64, open: bool) -> Option<i64> {
    // The end for a reader of committed records; the broker's end until that is known.
    let end = if seen.ls_offset >= 0 { seen.ls_offset } else { seen.hi_offset };
    if end < 0 {
        return None;
    }
    // Aborted records and the markers of transactions have offsets too, and are never delivered;
    // the client counts them as taken.
    let all_taken = seen.app_offset >= end && !open;
    Some(if all_taken { 0 } else { (end - next).max(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_counts_what_is_not_dealt_with() {
        let seen =
            Partition { ls_offset: 100, hi_offset: 120, app_offset: 90, ..Partition::default() };
        assert_eq!(lag(&seen, 60, true), Some(40));
        let taken = Partition { app_offset: 100, ..seen };
        assert_eq!(lag(&taken, 60, true), Some(40));
        assert_eq!(lag(&taken, 99, false), Some(0), "offset 99 is a marker");
        let unknown = Partition { ls_offset: -1001, hi_offset: -1001, ..taken };
        assert_eq!(lag(&unknown, 99, false), None);
    }
}
