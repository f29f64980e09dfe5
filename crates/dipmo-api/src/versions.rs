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
    /// Judges the version of a message by the last one of its source.
    #[must_use]
    pub const fn judge(self, last: Option<i64>, version: i64) -> Option<OutOfTurn> {
        if let (Self::Increasing | Self::Contiguous { .. }, Some(last)) = (self, last)
            && version <= last
        {
            return Some(OutOfTurn::Stale(Stay::Stale));
        }
        if let Self::Contiguous { first, wait } = self {
            let expected = match last {
                Some(last) => last.saturating_add(1),
                None => first,
            };
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

    #[test]
    fn trap_13_what_is_not_newer_is_stale() {
        for versions in [Versions::Increasing, CONTIGUOUS] {
            assert_eq!(versions.judge(Some(5), 5), STALE);
            assert_eq!(versions.judge(Some(5), 4), STALE);
            assert_eq!(versions.judge(Some(5), 6), None);
        }
        assert_eq!(Versions::Free.judge(Some(5), 4), None);
        assert_eq!(Versions::Increasing.judge(Some(5), 9), None);
    }

    #[test]
    fn trap_13_a_gap_waits_only_where_versions_are_contiguous() {
        let early = |until_version| Some(OutOfTurn::Early(Park { until_version, timeout: WAIT }));
        assert_eq!(CONTIGUOUS.judge(Some(5), 7), early(6));
        assert_eq!(CONTIGUOUS.judge(None, 2), early(1));
        assert_eq!(CONTIGUOUS.judge(None, 1), None);
    }
}
