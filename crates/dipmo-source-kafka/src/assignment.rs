//! Where to begin in a partition: the database says, and what differs is found out.
//!
//! Nothing here does I/O. The next offset is stored in the transaction that stores the messages,
//! so it is right whatever happened to the group's offset at the broker. The client tells no topic
//! ids; a topic that was made anew is recognised by a stored offset beyond its end, and counted: a
//! *life* stands where the id of the topic would, so that the stores let its offset begin again.

use std::fmt;

/// Where to begin in a partition that nobody knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// With the first record that the broker still has.
    #[default]
    Earliest,
    /// With what comes from now on. Partitions that are added to a known topic later are read
    /// from their beginning: they are new, not old.
    Latest,
}

/// What is known about a partition when it is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// What the database says: next offset and life.
    pub(crate) stored: Option<(i64, u128)>,
    /// Whether the database knows the group, or knew it while we read.
    pub(crate) group_known: bool,
    /// Whether the database knows other partitions of the topic, or knew this one while we read.
    pub(crate) topic_known: bool,
    /// What the group committed to the broker.
    pub(crate) committed: Option<i64>,
    /// The first offset that the broker has.
    pub(crate) low: i64,
    /// The offset after the last one that it has.
    pub(crate) high: i64,
}

/// The rules of the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    pub(crate) start: Start,
    pub(crate) adopt_committed: bool,
}

/// Where to begin, and what was found on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub(crate) offset: i64,
    pub(crate) life: u128,
    /// True when the database does not say so yet.
    pub(crate) to_store: bool,
    pub(crate) findings: Vec<Finding>,
}

impl Beginning {
    /// Where the database says, without asking the broker.
    pub(crate) const fn unchecked(offset: i64, life: u128) -> Self {
        Self { offset, life, to_store: false, findings: Vec::new() }
    }
}

/// Something that an operator should know about a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Normal after a crash: dedupe absorbs what comes again, and nothing does.
    CommittedBehind { next: i64, committed: i64 },
    /// The database was restored or failed over: what it lost is read again.
    CommittedAhead { next: i64, committed: i64 },
    /// The database does not know the group: it goes on where the broker says.
    Adopted { committed: i64 },
    /// The broker deleted records before they were read.
    RecordsLost { next: i64, low: i64 },
    /// The topic ends before what was read of it: it is another one.
    MadeAnew { next: i64, high: i64 },
}

/// Decides where to begin.
pub(crate) fn begin(facts: &Facts, policy: Policy) -> Beginning {
    let mut findings = Vec::new();
    let (wanted, life) = match facts.stored {
        Some((next, life)) => {
            match facts.committed {
                Some(committed) if committed > next => {
                    findings.push(Finding::CommittedAhead { next, committed });
                }
                Some(committed) if committed < next => {
                    findings.push(Finding::CommittedBehind { next, committed });
                }
                _ => {}
            }
            (next, life)
        }
        None => (first_time(facts, policy, &mut findings), 0),
    };
    let (offset, life) = if wanted > facts.high {
        findings.push(Finding::MadeAnew { next: wanted, high: facts.high });
        (facts.low, life + 1)
    } else if wanted < facts.low {
        findings.push(Finding::RecordsLost { next: wanted, low: facts.low });
        (facts.low, life)
    } else {
        (wanted, life)
    };
    Beginning { offset, life, to_store: facts.stored != Some((offset, life)), findings }
}

fn first_time(facts: &Facts, policy: Policy, findings: &mut Vec<Finding>) -> i64 {
    if let Some(committed) = facts.committed
        && policy.adopt_committed
        && !facts.group_known
    {
        findings.push(Finding::Adopted { committed });
        return committed;
    }
    let next = match policy.start {
        Start::Latest if !facts.topic_known => facts.high,
        _ => facts.low,
    };
    // A commit follows the database, so a database that knows the group knew this partition.
    if let Some(committed) = facts.committed.filter(|committed| *committed > next) {
        findings.push(Finding::CommittedAhead { next, committed });
    }
    next
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommittedBehind { next, committed } => write!(
                f,
                "the group committed {committed}, the database has up to {next}: going on at {next}"
            ),
            Self::CommittedAhead { next, committed } => write!(
                f,
                "the group committed {committed}, the database has only up to {next}: \
                 reading {} again that the database lost",
                committed - next
            ),
            Self::Adopted { committed } => write!(
                f,
                "the database does not know this group: going on at {committed}, which it committed"
            ),
            Self::RecordsLost { next, low } => write!(
                f,
                "{} records from {next} on were deleted by the broker before they were read: \
                 going on at {low}",
                low - next
            ),
            Self::MadeAnew { next, high } => write!(
                f,
                "the topic ends at {high}, but {next} was next: it was made anew and is read from \
                 its beginning"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: Policy = Policy { start: Start::Earliest, adopt_committed: true };
    const LATEST: Policy = Policy { start: Start::Latest, adopt_committed: true };

    /// A partition with the offsets 10 to 99, that nobody knows.
    const NEW: Facts = Facts {
        stored: None,
        group_known: false,
        topic_known: false,
        committed: None,
        low: 10,
        high: 100,
    };

    fn known(next: i64, committed: i64) -> Facts {
        let stored = Some((next, 0));
        Facts { stored, committed: Some(committed), group_known: true, topic_known: true, ..NEW }
    }

    fn at(facts: &Facts, policy: Policy) -> (i64, Vec<Finding>) {
        let beginning = begin(facts, policy);
        assert_eq!(beginning.life, 0);
        (beginning.offset, beginning.findings)
    }

    #[test]
    fn trap_9_the_database_wins() {
        assert_eq!(at(&known(50, 50), POLICY), (50, vec![]));
        let behind = Finding::CommittedBehind { next: 50, committed: 40 };
        assert_eq!(at(&known(50, 40), POLICY), (50, vec![behind]));
        let ahead = Finding::CommittedAhead { next: 50, committed: 90 };
        assert_eq!(at(&known(50, 90), POLICY), (50, vec![ahead]));
        assert!(!begin(&known(50, 90), POLICY).to_store);
    }

    #[test]
    fn trap_9_a_restored_database_that_lost_a_whole_partition_reads_it_again() {
        let facts = Facts { group_known: true, committed: Some(90), ..NEW };
        let ahead = Finding::CommittedAhead { next: 10, committed: 90 };
        assert_eq!(at(&facts, POLICY), (10, vec![ahead]));
    }

    #[test]
    fn trap_9_a_topic_made_anew_begins_at_its_beginning_in_another_life() {
        let beginning = begin(&known(101, 101), POLICY);
        assert_eq!((beginning.offset, beginning.life, beginning.to_store), (10, 1, true));
        assert_eq!(beginning.findings, [Finding::MadeAnew { next: 101, high: 100 }]);
        assert_eq!(begin(&known(100, 100), POLICY).offset, 100);
    }

    #[test]
    fn what_retention_took_is_said() {
        let lost = Finding::RecordsLost { next: 4, low: 10 };
        assert_eq!(at(&known(4, 4), POLICY), (10, vec![lost]));
        assert_eq!(at(&known(10, 10), POLICY), (10, vec![]));
    }

    #[test]
    fn a_new_group_starts_where_it_is_told() {
        assert_eq!(at(&NEW, POLICY), (10, vec![]));
        assert_eq!(at(&NEW, LATEST), (100, vec![]));
        let added = Facts { group_known: true, topic_known: true, ..NEW };
        assert_eq!(at(&added, LATEST), (10, vec![]));
    }

    #[test]
    fn a_group_of_another_consumer_is_taken_over_by_choice() {
        let facts = Facts { committed: Some(60), ..NEW };
        assert_eq!(at(&facts, POLICY), (60, vec![Finding::Adopted { committed: 60 }]));
        let refuse = Policy { adopt_committed: false, ..POLICY };
        assert_eq!(at(&facts, refuse).0, 10);
    }
}
