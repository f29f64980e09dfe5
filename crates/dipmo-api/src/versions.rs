//! What the producer's version of an aggregate says about a message.

use std::time::Duration;

use crate::{Park, Stay};

/// How the engine reads the producer's versions before it asks the process.
///
/// They are compared with the last one that the instance took from the same source, never with its
/// own `VERSION`, which moves with timers and internal messages too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// The process looks at them itself, or there are none.
    #[default]
    Free,
    /// They grow: a message that is not newer than the last one ends as stale.
    Increasing,
    /// They grow by one: in addition, a message that comes too early waits for those before it.
    Contiguous {
        /// The version that an instance begins with.
        first: i64,
        /// How long to wait for what is missing; after that the message fails.
        wait: Duration,
    },
}

/// A message that the process is not asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfTurn {
    /// It comes too late.
    Stale(Stay),
    /// It comes too early.
    Early(Park),
}

impl Versions {
    /// Judges the version of a message by the last one of its source. `passed_over` knows the
    /// versions that nobody waits for any more: their messages failed or were skipped, and their
    /// aggregate goes on without them.
    pub fn judge(
        self,
        last: Option<i64>,
        version: i64,
        passed_over: impl Fn(i64) -> bool,
    ) -> Option<OutOfTurn> {
        if let (Self::Increasing | Self::Contiguous { .. }, Some(last)) = (self, last)
            && version <= last
        {
            return Some(OutOfTurn::Stale(Stay::Stale));
        }
        if let Self::Contiguous { first, wait } = self {
            let mut expected = last.map_or(first, |last| last.saturating_add(1));
            while expected < version && passed_over(expected) {
                expected += 1;
            }
            if version > expected {
                let until_version = version.saturating_sub(1);
                return Some(OutOfTurn::Early(Park { until_version, timeout: wait }));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: Duration = Duration::from_secs(60);
    const CONTIGUOUS: Versions = Versions::Contiguous { first: 1, wait: WAIT };
    const STALE: Option<OutOfTurn> = Some(OutOfTurn::Stale(Stay::Stale));

    const NONE: fn(i64) -> bool = |_| false;

    #[test]
    fn trap_13_what_is_not_newer_is_stale() {
        for versions in [Versions::Increasing, CONTIGUOUS] {
            assert_eq!(versions.judge(Some(5), 5, NONE), STALE);
            assert_eq!(versions.judge(Some(5), 4, NONE), STALE);
            assert_eq!(versions.judge(Some(5), 6, NONE), None);
        }
        assert_eq!(Versions::Free.judge(Some(5), 4, NONE), None);
        assert_eq!(Versions::Increasing.judge(Some(5), 9, NONE), None);
    }

    #[test]
    fn trap_13_a_gap_waits_only_where_versions_are_contiguous() {
        let early = |until_version| Some(OutOfTurn::Early(Park { until_version, timeout: WAIT }));
        assert_eq!(CONTIGUOUS.judge(Some(5), 7, NONE), early(6));
        assert_eq!(CONTIGUOUS.judge(None, 2, NONE), early(1));
        assert_eq!(CONTIGUOUS.judge(None, 1, NONE), None);
    }

    #[test]
    fn trap_13_what_was_passed_over_is_not_missed() {
        let six_and_eight = |version| version == 6 || version == 8;
        assert_eq!(CONTIGUOUS.judge(Some(5), 7, six_and_eight), None);
        let early = Some(OutOfTurn::Early(Park { until_version: 8, timeout: WAIT }));
        assert_eq!(CONTIGUOUS.judge(Some(5), 9, six_and_eight), early, "7 is missing");
        assert_eq!(CONTIGUOUS.judge(None, 2, |version| version == 1), None);
        assert_eq!(CONTIGUOUS.judge(Some(5), 5, |_| true), STALE);
    }
}
