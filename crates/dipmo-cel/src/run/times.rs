//! The parts of times, in UTC, and of durations.

use crate::flaw::Trouble;
use crate::function::TimePart;
use crate::value::{Value, time};

pub(super) fn part(part: TimePart, value: &Value) -> Result<i64, Trouble> {
    match value {
        Value::Timestamp(micros) => of_time(part, *micros),
        Value::Duration(micros) => of_duration(part, *micros),
        _ => Err(Trouble::Types),
    }
}

/// Months and days count from zero, but for `getDate`: CEL took this over from JavaScript.
fn of_time(part: TimePart, micros: i64) -> Result<i64, Trouble> {
    let time = time::civil(micros)
        .ok_or_else(|| Trouble::said("this time is not within the years 1 to 9999"))?;
    Ok(i64::from(match part {
        TimePart::FullYear => time.year(),
        TimePart::Month => i16::from(time.month()) - 1,
        TimePart::Date => i16::from(time.day()),
        TimePart::DayOfMonth => i16::from(time.day()) - 1,
        TimePart::DayOfWeek => i16::from(time.weekday().to_sunday_zero_offset()),
        TimePart::DayOfYear => time.day_of_year() - 1,
        TimePart::Hours => i16::from(time.hour()),
        TimePart::Minutes => i16::from(time.minute()),
        TimePart::Seconds => i16::from(time.second()),
        TimePart::Milliseconds => time.millisecond(),
    }))
}

/// All hours, minutes or seconds of it; but only the milliseconds beside its seconds.
fn of_duration(part: TimePart, micros: i64) -> Result<i64, Trouble> {
    Ok(match part {
        TimePart::Hours => micros / 3_600_000_000,
        TimePart::Minutes => micros / 60_000_000,
        TimePart::Seconds => micros / 1_000_000,
        TimePart::Milliseconds => micros / 1_000 % 1_000,
        _ => return Err(Trouble::Types),
    })
}
