//! What a seed makes of a world: its size, its policies, and how often what goes wrong.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::Backoff;
use dipmo_outbox::JobPlan;
use dipmo_processing::{
    DispatchOptions, EngineOptions, OnFailure, RetryPolicy, Unrouted, UpkeepOptions, WorkerOptions,
};

use dipmo_store::DeadLetters;

use crate::chance::Chance;

/// How often a message is tried again before it fails.
pub(crate) const RETRIES: u32 = 5;

/// The options of one run, all of them from its seed.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where all chance begins.
    pub seed: u64,
    /// How many engines run.
    pub instances: usize,
    /// How many operators decide about what does not go on.
    pub operators: usize,
    /// How many messages the producer sends, duplicates not counted.
    pub messages: usize,
    /// How many aggregates they are about.
    pub aggregates: usize,
    /// How long things go wrong; after that everything must come to an end.
    pub faulty: Duration,
    /// What happens behind a message that failed.
    pub on_failure: OnFailure,
    /// What happens behind a delivery that failed.
    pub on_refusal: OnFailure,
    /// How often a delivery is tried again.
    pub delivery_retries: u32,
    /// One message in so many is one that fails.
    pub bad_messages: u32,
    /// What jobs are like.
    pub jobs: JobPlan,
    /// How many of their units are read at once.
    pub job_page: u32,
    /// How long a slice may take where there are jobs, if not as everywhere.
    pub job_deadline: Option<Duration>,
    /// How often what goes wrong.
    pub faults: Faults,
    /// The options of every engine, but for their seeds.
    pub engine: EngineOptions,
}

/// Each is `one in`; 0 is never.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// A call fails, and nothing happened.
    pub error_before: u32,
    /// A call fails, and it happened.
    pub error_after: u32,
    /// A call takes a while.
    pub delay: u32,
    /// A call takes longer than a lease lasts.
    pub hang: u32,
    /// Something else happens in the middle of a batch.
    pub interrupt: u32,
    /// A destination does not do as it is asked.
    pub destination: u32,
    /// Chance of a crash, a stop, a fail-over or a jump of the clock, for each half second.
    pub chaos: u32,
    /// A wake-up is lost.
    pub deaf: u32,
}

impl Options {
    /// The options of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        // A stream of its own, so that the options do not change when the run does.
        let chance = Chance::new(seed ^ 0x5EED);
        let policy = [OnFailure::Block, OnFailure::Skip];
        let instances = chance.number(1..=3);
        let messages = chance.number(20..=80);
        let aggregates = chance.number(2..=8);
        let mut options = Self {
            seed,
            instances: usize::try_from(instances).unwrap_or(1),
            operators: 0,
            messages: usize::try_from(messages).unwrap_or(1),
            aggregates: usize::try_from(aggregates).unwrap_or(1),
            faulty: chance.millis(4_000..=15_000),
            on_failure: chance.pick(&policy),
            on_refusal: chance.pick(&policy),
            delivery_retries: chance.pick(&[3, 8, 40]),
            bad_messages: chance.pick(&[0, 8, 15, 40]),
            jobs: JobPlan { least: 1, most: 1, lanes: 1, gather: Duration::ZERO, enough: 1 },
            job_page: 1,
            job_deadline: None,
            faults: Faults::of(&chance),
            engine: EngineOptions::default(),
        };
        options.engine = options.engine(&chance);
        options.operators = chance.pick(&[0, 1, 2]);
        options.engine.worker.dead_letters = chance.one_in(2).then(DeadLetters::default);
        // Who waits for more before each job takes more into one, or a world never ends.
        let (most, gather, enough) =
            chance.pick(&[(2, 0, 1), (4, 50, 3), (50, 0, 1), (50, 1_500, 20)]);
        options.jobs = JobPlan {
            least: chance.pick(&[1, 1, 2, 4]),
            most,
            lanes: chance.pick(&[1, 8, 32, 64]),
            gather: Duration::from_millis(gather),
            enough,
        };
        options.job_page = chance.pick(&[1, 2, 5, 50]);
        let longer = options.engine.dispatch.lease.mul_f64(0.5);
        options.job_deadline = chance.one_in(2).then_some(longer);
        options
    }

    fn engine(&self, chance: &Chance) -> EngineOptions {
        let policy = |retries, on_failure| RetryPolicy {
            backoff: Backoff::Exponential {
                first: Duration::from_millis(30),
                longest: Duration::from_millis(600),
                retries,
            },
            on_failure,
        };
        let lease = chance.millis(3_000..=6_000);
        EngineOptions {
            worker: WorkerOptions {
                min: chance.pick(&[1, 2]),
                max: chance.pick(&[2, 3, 4]),
                idle: Duration::from_secs(2),
                batch: chance.pick(&[1, 2, 4, 8, 16]),
                poll: chance.millis(200..=700),
                retry: policy(RETRIES, self.on_failure),
                unrouted: Unrouted::Ignore,
                dead_letters: None,
                forwards: BTreeMap::new(),
            },
            dispatch: DispatchOptions {
                couriers: chance.pick(&[1, 2, 3]),
                lanes: chance.pick(&[1, 4, 32, 64]),
                units: Some(chance.pick(&[1, 2, 4, 10])),
                deadline: lease / 3,
                lease,
                turn: chance.millis(200..=9_000),
                poll: chance.millis(200..=700),
                // What takes as long as its deadline is cut short by a stop.
                ending: lease / 6,
                retry: policy(self.delivery_retries, self.on_refusal),
                promised: None,
            },
            upkeep: UpkeepOptions {
                poll: chance.millis(100..=500),
                batch: chance.pick(&[1, 3, 20]),
                months: Duration::from_secs(3_600),
                figures: Duration::from_secs(5),
            },
            seed: None,
        }
    }
}

impl Faults {
    fn of(chance: &Chance) -> Self {
        Self {
            error_before: chance.pick(&[0, 10, 40]),
            error_after: chance.pick(&[0, 10, 40]),
            delay: chance.pick(&[0, 2, 5]),
            hang: chance.pick(&[0, 60, 200]),
            interrupt: chance.pick(&[0, 3, 8]),
            destination: chance.pick(&[0, 3, 8]),
            chaos: chance.pick(&[0, 3, 8]),
            deaf: chance.pick(&[0, 2, 4]),
        }
    }
}
