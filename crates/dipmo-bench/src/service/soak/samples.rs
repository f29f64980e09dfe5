//! Depth and memory over time, and whether they stay where they are.

use std::time::Duration;

use crate::report::median;

/// What was there at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Messages and units on their way: in the topic, in the inbox and in the outbox.
    pub(super) depth: f64,
    /// Memory of the instance.
    pub(super) megabytes: f64,
    /// How long the oldest had waited that could be worked on.
    pub(super) oldest: Duration,
}

/// All samples of a run, in their order.
#[derive(Default)]
pub(super) struct Samples(Vec<Sample>);

impl Samples {
    pub(super) fn push(&mut self, sample: Sample) {
        self.0.push(sample);
    }

    /// The middle of a figure.
    pub(super) fn median(&self, of: fn(&Sample) -> f64) -> f64 {
        median(&self.0.iter().map(of).collect::<Vec<_>>())
    }

    /// The greatest of a figure.
    pub(super) fn greatest(&self, of: fn(&Sample) -> f64) -> f64 {
        self.0.iter().map(of).fold(0.0, f64::max)
    }

    /// The middle of a figure in the second fifth of the time and in the last: the first fifth is
    /// there to settle down.
    pub(super) fn early_and_late(&self, of: fn(&Sample) -> f64) -> (f64, f64) {
        let fifth = self.0.len() / 5;
        let middle = |some: &[Sample]| median(&some.iter().map(of).collect::<Vec<_>>());
        (middle(&self.0[fifth..2 * fifth]), middle(&self.0[self.0.len() - fifth..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_seen_and_what_swings_is_not() {
        let sample = |depth: f64| Sample { depth, megabytes: 1.0, oldest: Duration::ZERO };
        let of = |depth: fn(usize) -> f64| {
            let mut samples = Samples::default();
            (0..100).map(depth).for_each(|depth| samples.push(sample(depth)));
            samples.early_and_late(|sample| sample.depth)
        };
        assert_eq!(of(|at| (at % 4) as f64), (1.5, 1.5));
        assert_eq!(of(|at| at as f64), (29.5, 89.5));
    }
}
