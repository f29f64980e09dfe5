//! Calendar months, by which history is kept and dropped.

use std::fmt;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::Timestamp;

/// A calendar month, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(Date);

impl Month {
    /// `None` unless the month is 1 to 12 and the year 1 to 9999.
    #[must_use]
    pub fn new(year: i16, month: i8) -> Option<Self> {
        if year < 1 {
            return None;
        }
        Date::new(year, month, 1).ok().map(Self)
    }

    /// The month that a time falls in.
    #[must_use]
    pub fn of(time: Timestamp) -> Self {
        let time = jiff::Timestamp::from_microsecond(time.as_micros()).unwrap_or_default();
        Self(time.to_zoned(TimeZone::UTC).date().first_of_month())
    }

    /// The month after this one; the last month of 9999 stays.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.last_of_month().tomorrow().unwrap_or(self.0))
    }

    /// The first moment of the month.
    #[must_use]
    pub fn start(self) -> Timestamp {
        let midnight = TimeZone::UTC.to_timestamp(self.0.at(0, 0, 0, 0));
        let micros = midnight.map_or(0, jiff::Timestamp::as_microsecond);
        Timestamp::from_micros(micros).unwrap_or(Timestamp::EPOCH)
    }

    /// `YYYYMM`, as it ends the name of a partition.
    #[must_use]
    pub fn suffix(self) -> String {
        format!("{:04}{:02}", self.0.year(), self.0.month())
    }
}

/// `YYYY-MM`.
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0.year(), self.0.month())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_month_starts_and_ends_in_itself() {
        let mut month = Month::new(1899, 11).unwrap();
        for _ in 0..3_000 {
            assert_eq!(Month::of(month.start()), month);
            let last = month.next().start().as_micros() - 1;
            assert_eq!(Month::of(Timestamp::from_micros(last).unwrap()), month);
            month = month.next();
        }
    }

    #[test]
    fn is_written_as_people_and_partitions_do() {
        let month = Month::new(2026, 3).unwrap();
        assert_eq!((month.to_string(), month.suffix()), ("2026-03".into(), "202603".into()));
        assert!(Month::new(2026, 13).is_none() && Month::new(0, 1).is_none());
    }
}
