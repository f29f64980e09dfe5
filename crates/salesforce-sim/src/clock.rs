//! Time and chance: the one place that asks for either.
//!
//! A test can move the time forward, so that a session ends without anybody waiting for it. Every
//! purpose has a stream of random numbers of its own: what one part draws never changes what
//! another part gets, so that a seed means the same whatever else happens.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};

/// The time and the seed of a simulator.
#[derive(Debug)]
pub(crate) struct Clock {
    seed: u64,
    /// What the machine's clock said when this one began. It is asked once: whoever sets it right in the
    /// meantime ends no lock and no session by that.
    began: Timestamp,
    since: Instant,
    /// How far a test has moved the time.
    ahead_ms: AtomicI64,
}

impl Clock {
    pub(crate) fn new(seed: u64) -> Self {
        Clock { seed, began: Timestamp::now(), since: Instant::now(), ahead_ms: AtomicI64::new(0) }
    }

    /// The time in the org, in whole milliseconds as Salesforce has it.
    pub(crate) fn now(&self) -> Timestamp {
        let ahead = SignedDuration::from_millis(self.ahead_ms.load(Ordering::Relaxed));
        let now = self.began.checked_add(self.since.elapsed()).unwrap_or(self.began);
        let moved = now.checked_add(ahead).unwrap_or(now);
        Timestamp::from_millisecond(moved.as_millisecond()).unwrap_or(moved)
    }

    /// When all of a time from now on will be over, if that can be said. The millisecond that has begun does
    /// not count: `now` is up to that much behind.
    pub(crate) fn after(&self, time: Duration) -> Option<Timestamp> {
        let time =
            SignedDuration::try_from(time).ok()?.checked_add(SignedDuration::from_millis(1))?;
        self.now().checked_add(time).ok()
    }

    /// Moves the time forward. Whoever sleeps at the moment sleeps on: only what is compared with
    /// the time changes.
    pub(crate) fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        // A century is enough for every session and keeps the year at four digits.
        let moved = |ahead: i64| Some(ahead.saturating_add(by).min(100 * 365 * 86_400_000));
        // It never fails: `moved` always has an answer.
        let _ = self.ahead_ms.fetch_update(Ordering::Relaxed, Ordering::Relaxed, moved);
    }

    /// Back to the real time.
    pub(crate) fn reset(&self) {
        self.ahead_ms.store(0, Ordering::Relaxed);
    }

    /// The random numbers of one purpose, such as the `number`th job's order of rows.
    pub(crate) fn rng(&self, purpose: &str, number: u64) -> Rng {
        seeded(self.seed, purpose, number)
    }
}

/// A stream of random numbers that depends on all three.
pub(crate) fn seeded(seed: u64, purpose: &str, number: u64) -> Rng {
    // FNV-1a: the hash of the standard library may change with its version, and a seed must not.
    let bytes = seed.to_le_bytes().into_iter().chain(number.to_le_bytes()).chain(purpose.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Rng::with_seed(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_purpose_and_number_alone() {
        let draw = |seed, purpose, number| Clock::new(seed).rng(purpose, number).u64(..);
        assert_eq!(draw(1, "shuffle", 2), draw(1, "shuffle", 2));
        assert_ne!(draw(1, "shuffle", 2), draw(2, "shuffle", 2));
        assert_ne!(draw(1, "shuffle", 2), draw(1, "latency", 2));
        assert_ne!(draw(1, "shuffle", 2), draw(1, "shuffle", 3));
    }

    #[test]
    fn time_moves_forward_and_never_out_of_range() {
        let clock = Clock::new(0);
        let before = clock.now();
        clock.advance(Duration::from_secs(7200));
        assert!(clock.now().duration_since(before) >= SignedDuration::from_hours(2));
        clock.advance(Duration::MAX);
        assert!(clock.now() > before);
    }

    #[test]
    fn what_lasts_a_time_lasts_all_of_it() {
        let clock = Clock::new(0);
        for micros in 0..2_000 {
            let (asked, time) = (clock.since.elapsed(), Duration::from_micros(micros));
            let over = clock.after(time).unwrap().duration_since(clock.began);
            assert!(
                over >= SignedDuration::try_from(asked + time).unwrap(),
                "{asked:?} {time:?} {over:?}"
            );
        }
        assert_eq!(clock.after(Duration::MAX), None);
    }
}
