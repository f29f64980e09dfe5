//! How long to wait before the next attempt, and when to give up.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::{Code, Coded};

/// A policy for attempts that failed for now.
///
/// Written as `exponential(1s, 5m, 10)` (first delay, longest delay, retries), `fixed(5s, 3)`
/// (delay, retries) or `none`. Three retries are four attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// Doubles from `first` to `longest`, with full jitter: any delay from nothing to that, so
    /// that those who failed together do not come back together.
    Exponential {
        /// The delay before the first retry, before jitter.
        first: Duration,
        /// No delay is longer.
        longest: Duration,
        /// How many attempts may follow the first.
        retries: u32,
    },
    /// Always the same delay.
    Fixed {
        /// The delay.
        delay: Duration,
        /// How many attempts may follow the first.
        retries: u32,
    },
    /// The first attempt is the last.
    None,
}

impl Backoff {
    /// The delay after an attempt that `attempts` others failed before; `None` gives up.
    ///
    /// `random` is any number; the caller draws it, so that a decision can be repeated.
    #[must_use]
    pub fn delay(&self, attempts: u32, random: u64) -> Option<Duration> {
        match *self {
            Self::Exponential { first, longest, retries } => (attempts < retries).then(|| {
                let grown = first.saturating_mul(2_u32.saturating_pow(attempts));
                jitter(grown.min(longest), random)
            }),
            Self::Fixed { delay, retries } => (attempts < retries).then_some(delay),
            Self::None => None,
        }
    }
}

impl Default for Backoff {
    /// `exponential(1s, 5m, 10)`: about a quarter of an hour in all.
    fn default() -> Self {
        let (first, longest) = (Duration::from_secs(1), Duration::from_secs(300));
        Self::Exponential { first, longest, retries: 10 }
    }
}

/// A part of `whole` that is as large as `random` is among all numbers.
fn jitter(whole: Duration, random: u64) -> Duration {
    let micros = (whole.as_micros() * u128::from(random)) >> 64;
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

/// A text that is no policy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{text:?} is no retry policy: {problem}; \
     expected exponential(first, longest, retries), fixed(delay, retries) or none, \
     such as exponential(1s, 5m, 10)"
)]
pub struct BackoffError {
    /// What was read.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Coded for BackoffError {
    fn code(&self) -> Code {
        Code::new("retry-policy-invalid")
    }
}

impl FromStr for Backoff {
    type Err = BackoffError;

    fn from_str(text: &str) -> Result<Self, BackoffError> {
        parse(text.trim()).map_err(|problem| BackoffError { text: text.to_owned(), problem })
    }
}

fn parse(text: &str) -> Result<Backoff, String> {
    if text == "none" {
        return Ok(Backoff::None);
    }
    let (name, rest) = text.split_once('(').ok_or("it has no (")?;
    let inside = rest.strip_suffix(')').ok_or("it does not end with )")?;
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    match (name.trim(), &parts[..]) {
        ("exponential", [first, longest, retries]) => {
            let (first, longest) = (duration(first)?, duration(longest)?);
            if first > longest {
                return Err("the first delay is longer than the longest".to_owned());
            }
            Ok(Backoff::Exponential { first, longest, retries: count(retries)? })
        }
        ("fixed", [delay, retries]) => {
            Ok(Backoff::Fixed { delay: duration(delay)?, retries: count(retries)? })
        }
        ("exponential" | "fixed", _) => Err(format!("{name} has {} values", parts.len())),
        _ => Err(format!("nobody knows {name:?}")),
    }
}

fn count(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("{text:?} is no number of retries"))
}

const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let millis = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, millis)| *millis);
    let number: Option<u64> = number.parse().ok();
    match (number, millis) {
        (Some(number), Some(millis)) => Ok(Duration::from_millis(number.saturating_mul(millis))),
        _ => Err(format!("{text:?} is no duration such as 200ms, 5s, 5m or 1h")),
    }
}

impl fmt::Display for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exponential { first, longest, retries } => {
                write!(f, "exponential({}, {}, {retries})", shown(*first), shown(*longest))
            }
            Self::Fixed { delay, retries } => write!(f, "fixed({}, {retries})", shown(*delay)),
            Self::None => f.write_str("none"),
        }
    }
}

/// In the largest unit that loses nothing.
fn shown(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let whole = |(_, unit): &&(&str, u64)| millis != 0 && millis % unit == 0;
    let (name, unit) = UNITS.iter().rev().find(whole).unwrap_or(&UNITS[0]);
    format!("{}{name}", millis / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_retries_are_four_attempts() {
        let policy: Backoff = "fixed(5s, 3)".parse().unwrap();
        let delays: Vec<_> = (0..5).map(|attempts| policy.delay(attempts, 0)).collect();
        let five = Some(Duration::from_secs(5));
        assert_eq!(delays, [five, five, five, None, None]);
        assert_eq!(Backoff::None.delay(0, 0), None);
    }

    #[test]
    fn jitter_is_full_and_growth_is_capped() {
        let policy: Backoff = "exponential(1s, 5m, 100)".parse().unwrap();
        let longest = |attempts| policy.delay(attempts, u64::MAX).unwrap().as_secs_f64().round();
        let grown: Vec<_> = [0, 1, 2, 8, 9, 99].into_iter().map(longest).collect();
        assert_eq!(grown, [1.0, 2.0, 4.0, 256.0, 300.0, 300.0]);
        assert_eq!(policy.delay(50, 0), Some(Duration::ZERO));
        assert_eq!(policy.delay(50, u64::MAX / 2).unwrap().as_secs_f64().round(), 150.0);
    }

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["exponential(200ms, 5m, 10)", "fixed(90s, 0)", "fixed(0ms, 1)", "none"] {
            assert_eq!(text.parse::<Backoff>().unwrap().to_string(), text);
        }
        assert_eq!(
            " fixed( 1h ,2 ) ".parse(),
            Ok(Backoff::Fixed { delay: Duration::from_secs(3_600), retries: 2 })
        );
    }

    #[test]
    fn what_is_no_policy_says_why() {
        for (text, problem) in [
            ("linear(1s)", "nobody knows \"linear\""),
            ("fixed", "it has no ("),
            ("fixed(5s, 3", "it does not end with )"),
            ("fixed(5s)", "fixed has 1 values"),
            ("fixed(5, 3)", "\"5\" is no duration such as 200ms, 5s, 5m or 1h"),
            ("fixed(5s, many)", "\"many\" is no number of retries"),
            ("exponential(5m, 1s, 3)", "the first delay is longer than the longest"),
        ] {
            assert_eq!(text.parse::<Backoff>().unwrap_err().problem, problem);
        }
    }
}
