//! How many there were within the last hour.

use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);
const MINUTES: usize = 60;

/// A count for each of the last sixty minutes.
#[derive(Debug)]
pub(super) struct Hourly {
    counts: [u64; MINUTES],
    /// When the newest minute began, and its place.
    since: Instant,
    newest: usize,
}

impl Hourly {
    pub(super) fn new(now: Instant) -> Self {
        Self { counts: [0; MINUTES], since: now, newest: 0 }
    }

    pub(super) fn add(&mut self, count: u64, now: Instant) {
        self.turn(now);
        self.counts[self.newest] += count;
    }

    /// Those of the last hour, up to a minute less.
    pub(super) fn sum(&mut self, now: Instant) -> u64 {
        self.turn(now);
        self.counts.iter().sum()
    }

    fn turn(&mut self, now: Instant) {
        let minutes = now.saturating_duration_since(self.since).as_secs() / MINUTE.as_secs();
        let minutes = u32::try_from(minutes).unwrap_or(u32::MAX);
        // After an hour of silence all places have been emptied.
        for _ in 0..minutes.min(60) {
            self.newest = (self.newest + 1) % MINUTES;
            self.counts[self.newest] = 0;
        }
        self.since += MINUTE.saturating_mul(minutes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_older_than_an_hour_is_forgotten() {
        let start = Instant::now();
        let mut hourly = Hourly::new(start);
        hourly.add(7, start);
        hourly.add(3, start + 30 * MINUTE);
        assert_eq!(hourly.sum(start + 59 * MINUTE), 10);
        assert_eq!(hourly.sum(start + 60 * MINUTE), 3);
        hourly.add(5, start + 61 * MINUTE);
        assert_eq!(hourly.sum(start + 89 * MINUTE), 8);
        assert_eq!(hourly.sum(start + 1_000 * MINUTE), 0);
        hourly.add(1, start + 1_000 * MINUTE);
        assert_eq!(hourly.sum(start + 1_001 * MINUTE), 1);
    }
}
