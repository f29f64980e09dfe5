//! Durations in buckets.

use std::time::Duration;

/// Upper ends of the buckets in milliseconds; the last bucket has none.
pub const BOUNDS_MS: [u64; 15] =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];

/// How many durations were how long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// A count for each of [`BOUNDS_MS`], and one for what is longer.
    pub counts: [u64; BOUNDS_MS.len() + 1],
    /// All of them together.
    pub sum: Duration,
}

impl Histogram {
    /// Adds one.
    pub fn add(&mut self, duration: Duration) {
        let place = BOUNDS_MS.partition_point(|end| Duration::from_millis(*end) < duration);
        self.counts[place] += 1;
        self.sum = self.sum.saturating_add(duration);
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The end of the bucket below which a share of them lies, such as 0.99; `None` when there are
    /// none, or it is beyond the last end.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let total = self.count();
        if total == 0 {
            return None;
        }
        let mut seen = 0;
        for (count, end) in self.counts.iter().zip(BOUNDS_MS) {
            seen += count;
            #[expect(clippy::cast_precision_loss, reason = "counts of messages fit a double")]
            if seen as f64 >= share * total as f64 {
                return Some(Duration::from_millis(end));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_end_of_its_bucket() {
        let mut histogram = Histogram::default();
        for millis in 0..100 {
            histogram.add(Duration::from_millis(millis));
        }
        assert_eq!(histogram.count(), 100);
        assert_eq!(histogram.quantile(0.5), Some(Duration::from_millis(50)));
        assert_eq!(histogram.quantile(0.99), Some(Duration::from_millis(100)));
        histogram.add(Duration::from_secs(600));
        assert_eq!(histogram.quantile(1.0), None);
        assert_eq!(Histogram::default().quantile(0.5), None);
    }
}
