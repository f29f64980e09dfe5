//! Points in time, to the microsecond, as every database of ours keeps them.

use std::fmt;
use std::time::Duration;

/// Microseconds since 1970-01-01T00:00:00Z, within the years 1 to 9999.
///
/// Nothing in this crate asks a clock: a `Timestamp` is the database's or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

const MIN_MICROS: i64 = -62_135_596_800_000_000;
const MAX_MICROS: i64 = 253_402_300_799_999_999;

impl Timestamp {
    /// The start of 1970, useful as a fixed point in tests.
    pub const EPOCH: Self = Self(0);

    /// `None` outside the years 1 to 9999, which not every database can show.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Option<Self> {
        if micros < MIN_MICROS || micros > MAX_MICROS { None } else { Some(Self(micros)) }
    }

    /// A Kafka timestamp. `-1` is Kafka's "none"; what no database can show is `None` as well.
    #[must_use]
    pub fn from_kafka_millis(millis: i64) -> Option<Self> {
        if millis == -1 {
            return None;
        }
        millis.checked_mul(1_000).and_then(Self::from_micros)
    }

    /// A date, a time and an offset as RFC 3339 writes them, cut to the microsecond.
    #[must_use]
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let time: jiff::Timestamp = text.parse().ok()?;
        Self::from_micros(time.as_microsecond())
    }

    /// Microseconds since 1970.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// This time and a duration later; stops at the end of the year 9999.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(micros).min(MAX_MICROS))
    }

    /// How long ago `earlier` was; zero when it lies ahead.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(time) => write!(f, "{time}"),
            Err(_) => write!(f, "{}µs", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kafka_says_minus_one_for_no_timestamp() {
        assert_eq!(Timestamp::from_kafka_millis(-1), None);
        assert_eq!(Timestamp::from_kafka_millis(-2).map(Timestamp::as_micros), Some(-2_000));
    }

    #[test]
    fn times_that_no_database_can_show_are_refused() {
        assert_eq!(Timestamp::from_kafka_millis(i64::MAX), None);
        assert_eq!(Timestamp::from_kafka_millis(i64::MIN), None);
        assert!(Timestamp::from_micros(MAX_MICROS).is_some());
        assert!(Timestamp::from_micros(MAX_MICROS + 1).is_none());
    }

    #[test]
    fn text_with_an_offset_is_a_time() {
        let micros = |text| Timestamp::from_rfc3339(text).map(Timestamp::as_micros);
        assert_eq!(micros("1970-01-01T01:00:00.0000019+01:00"), Some(1));
        assert_eq!(micros("1969-12-31T23:59:59Z"), Some(-1_000_000));
        for text in ["1970-01-01T00:00:00", "1970-01-01", "10000-01-01T00:00:00Z", "now", ""] {
            assert_eq!(micros(text), None, "{text}");
        }
    }

    #[test]
    fn is_shown_as_people_write_it() {
        assert_eq!(Timestamp(1_700_000_000_123_456).to_string(), "2023-11-14T22:13:20.123456Z");
    }
}
