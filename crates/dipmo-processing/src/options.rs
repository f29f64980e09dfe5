//! What an engine can be told.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::Destination;
use dipmo_store::DeadLetters;

use crate::policy::{RetryPolicy, Unrouted};

/// No publisher takes longer for a slice, whatever it says: leases must fit the clock.
const LONGEST_DEADLINE: Duration = Duration::from_secs(24 * 3_600);

/// Options of the engine. The defaults suit a database on the same network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineOptions {
    /// The inbox side.
    pub worker: WorkerOptions,
    /// The outbox side.
    pub dispatch: DispatchOptions,
    /// Timers, releases, months and the backlog.
    pub upkeep: UpkeepOptions,
    /// Where random numbers begin; `None` is anywhere. A simulation gives the same one twice.
    pub seed: Option<u64>,
}

/// Options of the inbox workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerOptions {
    /// So many workers are always there.
    pub min: usize,
    /// No more than so many are there, however much there is to do. Each needs a connection.
    pub max: usize,
    /// A worker beyond `min` goes after so long without work.
    pub idle: Duration,
    /// How many messages a batch has; more are faster, and fail together more often.
    pub batch: u32,
    /// How often to look for work that nobody announced: retries that are due, and what was stored
    /// while the wake-up was lost.
    pub poll: Duration,
    /// What happens to a message that fails.
    pub retry: RetryPolicy,
    /// What happens to a message that nobody takes.
    pub unrouted: Unrouted,
    /// Mirrors a message that fails for good to a topic beside its own, in the transaction that
    /// fails it. Defaults to no.
    pub dead_letters: Option<DeadLetters>,
    /// Topics whose messages go on to a destination as they are, each as one intent in the transaction
    /// that ends it. No process hears of them. Defaults to none.
    pub forwards: BTreeMap<String, Destination>,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self {
            min: 1,
            max: 4,
            idle: Duration::from_secs(10),
            batch: 1_000,
            poll: Duration::from_millis(250),
            retry: RetryPolicy::default(),
            unrouted: Unrouted::default(),
            dead_letters: None,
            forwards: BTreeMap::new(),
        }
    }
}

/// Options of the outbox dispatcher, for each destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchOptions {
    /// How many couriers a destination has: each delivers lanes of its own, one slice at a time, or
    /// stays with a job until that has ended.
    pub couriers: usize,
    /// How many lanes a courier takes at once. One with room takes more; one that is full keeps no
    /// more than so many.
    pub lanes: u8,
    /// How many units it reads at once, at most. Where nothing is said, the publisher says it.
    pub units: Option<u32>,
    /// How long a publisher may take for a slice, unless it says so itself; what takes longer counts
    /// as not delivered.
    pub deadline: Duration,
    /// How long a lane is leased. A deadline that is longer than a third of it is cut to that, with
    /// a warning: what is on the wire must have ended when somebody else takes over. Where a
    /// publisher says its deadline itself, leases are made longer instead.
    pub lease: Duration,
    /// After so long a courier gives its lanes back, so that other instances get their share.
    pub turn: Duration,
    /// How often to look for work that nobody announced.
    pub poll: Duration,
    /// How long what is on the wire may take when the engine stops. What is not answered by then is
    /// sent again by whoever comes next, once the deadline of its slice has passed; no attempt is
    /// counted for it. Defaults to 6 s.
    pub ending: Duration,
    /// What happens to a delivery that fails.
    pub retry: RetryPolicy,
    /// What is delivered so long after its message was received, or earlier, counts as delivered in
    /// time. Defaults to no promise.
    pub promised: Option<Duration>,
}

impl DispatchOptions {
    /// With a deadline that has room in the lease: nothing could ever be sent otherwise.
    pub(crate) fn with_room(self) -> Self {
        let longest = self.lease / 3;
        if self.deadline <= longest {
            return self;
        }
        tracing::warn!(deadline = ?self.deadline, lease = ?self.lease, "the deadline is cut");
        Self { deadline: longest, ..self }
    }

    /// For a destination whose publisher says how long a slice may take: the lease is made long
    /// enough to outlive three of them.
    pub(crate) fn for_deadline(&self, deadline: Option<Duration>) -> Self {
        let mut options = self.clone();
        if let Some(deadline) = deadline {
            options.deadline = deadline.min(LONGEST_DEADLINE);
            options.lease = options.lease.max(options.deadline * 3);
        }
        options
    }
}

impl Default for DispatchOptions {
    fn default() -> Self {
        Self {
            couriers: 4,
            lanes: 16,
            units: None,
            deadline: Duration::from_secs(10),
            lease: Duration::from_secs(30),
            turn: Duration::from_secs(5),
            poll: Duration::from_millis(250),
            ending: Duration::from_secs(6),
            retry: RetryPolicy::default(),
            promised: None,
        }
    }
}

/// Options of what keeps the rest going.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpkeepOptions {
    /// How often to look for timers that are due and for held messages to let go.
    pub poll: Duration,
    /// How many of them at once.
    pub batch: u32,
    /// How often to make room for the months to come.
    pub months: Duration,
    /// How often to count what waits; less often when counting takes long.
    pub figures: Duration,
}

impl Default for UpkeepOptions {
    fn default() -> Self {
        Self {
            poll: Duration::from_millis(250),
            batch: 1_000,
            months: Duration::from_secs(3_600),
            figures: Duration::from_secs(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_always_has_room_in_the_lease() {
        let long = Duration::from_secs(60);
        let cut = DispatchOptions { deadline: long, ..DispatchOptions::default() }.with_room();
        assert_eq!(cut.deadline, Duration::from_secs(10));
        assert_eq!(DispatchOptions::default().with_room(), DispatchOptions::default());
    }

    #[test]
    fn a_lease_outlives_three_deadlines_of_a_publisher() {
        let seconds = Duration::from_secs;
        let options = DispatchOptions::default();
        let slow = options.for_deadline(Some(seconds(30)));
        assert_eq!((slow.deadline, slow.lease), (seconds(30), seconds(90)));
        let quick = options.for_deadline(Some(seconds(1)));
        assert_eq!((quick.deadline, quick.lease), (seconds(1), options.lease));
        assert_eq!(options.for_deadline(None), options);
        assert_eq!(options.for_deadline(Some(Duration::MAX)).lease, LONGEST_DEADLINE * 3);
        assert_eq!(slow.clone().with_room(), slow, "it has room");
    }
}
