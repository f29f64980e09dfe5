//! How long something takes: a distribution, so that a test meets the slow case too.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use crate::span::Span;

/// A distribution of lengths of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Distribution {
    Fixed(Duration),
    Uniform(Duration, Duration),
    Normal {
        mean: Duration,
        deviation: Duration,
    },
    /// Pairs of a share (0 to 1) and the length that this share does not exceed, both rising.
    Percentiles(Vec<(f64, Duration)>),
}

impl Distribution {
    /// No time at all.
    pub(crate) const NONE: Distribution = Distribution::Fixed(Duration::ZERO);

    /// One length of time.
    pub(crate) fn sample(&self, rng: &mut fastrand::Rng) -> Duration {
        match self {
            Distribution::Fixed(length) => *length,
            Distribution::Uniform(from, to) => *from + to.saturating_sub(*from).mul_f64(rng.f64()),
            Distribution::Normal { mean, deviation } => {
                let seconds = mean.as_secs_f64() + deviation.as_secs_f64() * standard_normal(rng);
                Duration::from_secs_f64(seconds.max(0.0))
            }
            Distribution::Percentiles(points) => at_share(points, rng.f64()),
        }
    }
}

/// The polar method needs no table and no more than the uniform numbers at hand.
fn standard_normal(rng: &mut fastrand::Rng) -> f64 {
    loop {
        let (x, y) = (rng.f64() * 2.0 - 1.0, rng.f64() * 2.0 - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// Between two points the lengths rise evenly; beyond the last one they stay.
fn at_share(points: &[(f64, Duration)], share: f64) -> Duration {
    let mut before = (0.0, Duration::ZERO);
    for &(to, length) in points {
        if share < to {
            let part = (share - before.0) / (to - before.0);
            return before.1 + length.saturating_sub(before.1).mul_f64(part);
        }
        before = (to, length);
    }
    before.1
}

/// As the file says it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum DistributionPart {
    Fixed(Span),
    Uniform([Span; 2]),
    Normal { mean: Span, deviation: Span },
    Percentiles(BTreeMap<String, Span>),
}

impl DistributionPart {
    /// What the file means, or what is wrong with it.
    pub(super) fn build(&self) -> Result<Distribution, String> {
        Ok(match self {
            DistributionPart::Fixed(length) => Distribution::Fixed(length.0),
            DistributionPart::Uniform([from, to]) if from.0 <= to.0 => {
                Distribution::Uniform(from.0, to.0)
            }
            DistributionPart::Uniform(_) => return Err("uniform: the first is the shorter".into()),
            DistributionPart::Normal { mean, deviation } => {
                Distribution::Normal { mean: mean.0, deviation: deviation.0 }
            }
            DistributionPart::Percentiles(points) => {
                Distribution::Percentiles(percentiles(points)?)
            }
        })
    }
}

fn percentiles(points: &BTreeMap<String, Span>) -> Result<Vec<(f64, Duration)>, String> {
    let mut shares = Vec::with_capacity(points.len());
    for (name, length) in points {
        let percent = name.strip_prefix('p').and_then(|number| number.parse::<f64>().ok());
        match percent {
            Some(percent) if percent > 0.0 && percent <= 100.0 => {
                shares.push((percent / 100.0, length.0));
            }
            Some(_) | None => {
                return Err(format!("percentiles: {name:?} is none; expected p50, p99, p99.9"));
            }
        }
    }
    shares.sort_by(|left, right| left.0.total_cmp(&right.0));
    if shares.is_empty() || !shares.is_sorted_by_key(|&(_, length)| length) {
        return Err("percentiles: expected lengths that rise with the share".into());
    }
    Ok(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn average(distribution: &Distribution) -> f64 {
        let mut rng = fastrand::Rng::with_seed(7);
        (0..10_000).map(|_| distribution.sample(&mut rng).as_secs_f64() * 1_000.0).sum::<f64>()
            / 10_000.0
    }

    #[test]
    fn averages_are_what_the_names_say() {
        let cases = [
            (Distribution::Fixed(MS(5)), 5.0),
            (Distribution::Uniform(MS(20), MS(80)), 50.0),
            (Distribution::Normal { mean: MS(100), deviation: MS(10) }, 100.0),
            (Distribution::Percentiles(vec![(0.5, MS(10)), (1.0, MS(30))]), 12.5),
        ];
        for (distribution, expected) in cases {
            let average = average(&distribution);
            assert!((average - expected).abs() < 1.0, "{distribution:?}: {average}");
        }
    }

    #[test]
    fn beyond_the_last_percentile_the_length_stays() {
        let points = [(0.5, MS(10)), (0.9, MS(20))];
        assert_eq!(at_share(&points, 0.25), MS(5));
        assert_eq!(at_share(&points, 0.95), MS(20));
    }

    #[test]
    fn the_file_is_checked() {
        let build = |yaml: &str| serde_saphyr::from_str::<DistributionPart>(yaml).unwrap().build();
        assert_eq!(build("fixed: 5ms"), Ok(Distribution::Fixed(MS(5))));
        assert_eq!(build("uniform: [20ms, 80ms]"), Ok(Distribution::Uniform(MS(20), MS(80))));
        assert!(build("uniform: [80ms, 20ms]").is_err());
        assert!(build("percentiles: {p50: 20ms, p99: 5ms}").is_err());
        assert!(build("percentiles: {median: 20ms}").is_err());
        assert!(build("percentiles: {p9: 2ms, p50: 20ms, p99: 50ms}").is_ok());
    }
}
