//! What goes wrong at a destination, the same for the same seed, key and attempt.

use std::time::Duration;

use dipmo_domain::Failure;
use dipmo_outbox::Published;

/// No delivery fails more often: the demo is about what recovers.
const MOST_FAILURES: u32 = 3;

/// Decides what goes wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mischief {
    seed: u64,
}

/// What happens to one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Luck {
    /// It works.
    Works,
    /// It does not arrive.
    NotNow,
    /// It arrives, and the answer is lost: it will come again.
    AnswerLost,
}

impl Mischief {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The luck of an attempt at a delivery that so many failed before.
    pub(crate) fn luck(self, key: &str, attempts: u32) -> Luck {
        if attempts >= MOST_FAILURES {
            return Luck::Works;
        }
        match self.random(key, attempts).u32(0..100) {
            0..3 => Luck::NotNow,
            3..5 => Luck::AnswerLost,
            _ => Luck::Works,
        }
    }

    /// How long a call takes; now and then very long, though not as long as the deadline.
    pub(crate) fn delay(self, key: &str) -> Duration {
        let mut random = self.random(key, u32::MAX);
        let millis = if random.u32(0..100) == 0 { 150 } else { random.u64(0..4) };
        Duration::from_millis(millis)
    }

    fn random(self, key: &str, attempts: u32) -> fastrand::Rng {
        // FNV-1a: the same on every machine and in every version of Rust.
        let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        fastrand::Rng::with_seed(self.seed ^ hash ^ (u64::from(attempts) << 32))
    }
}

/// The answer to a delivery that did not arrive.
pub(crate) fn not_now() -> Published {
    let failure = Failure::new("DEMO_NOT_NOW", "the destination is busy");
    Published::Retry { failure, after: None }
}

/// The answer that is given when the real one was lost.
pub(crate) fn answer_lost() -> Published {
    let failure = Failure::new("DEMO_ANSWER_LOST", "no answer came; it may have arrived");
    Published::Retry { failure, after: None }
}
