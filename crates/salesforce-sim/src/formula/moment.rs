//! Arithmetic on dates, which are texts in records.
//!
//! A day is the unit: a date plus 1 is the next one, and the difference of two is a number of days.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use crate::datetime;
use crate::value::Value;

const SECONDS_OF_A_DAY: f64 = 86_400.0;

enum Moment {
    Date(Date),
    Time(Timestamp),
}

/// `DATE(year, month, day)`; null if there is no such day.
pub(super) fn date(year: f64, month: f64, day: f64) -> Value {
    // `as` saturates, and what is saturated is no date.
    Date::new(year as i16, month as i8, day as i8).map_or(Value::Null, write_date)
}

/// The day in UTC.
pub(super) fn today(now: Timestamp) -> Value {
    write_date(day_of(now))
}

/// The time as a record holds it.
pub(super) fn write_time(time: Timestamp) -> Value {
    Value::Text(datetime::write(time).into())
}

/// The date in a text: that of a date, or of a datetime.
pub(super) fn date_value(text: &str) -> Value {
    match read(text) {
        Some(Moment::Date(date)) => write_date(date),
        Some(Moment::Time(time)) => write_date(day_of(time)),
        None => Value::Null,
    }
}

/// That many days later, which may be a fraction for a datetime.
pub(super) fn later(text: &str, days: f64) -> Value {
    if !days.is_finite() {
        return Value::Null;
    }
    match read(text) {
        Some(Moment::Date(date)) => {
            let whole = SignedDuration::from_hours(24).checked_mul(days.floor() as i32);
            whole.and_then(|whole| date.checked_add(whole).ok()).map_or(Value::Null, write_date)
        }
        Some(Moment::Time(time)) => SignedDuration::try_from_secs_f64(days * SECONDS_OF_A_DAY)
            .ok()
            .and_then(|duration| time.checked_add(duration).ok())
            .map_or(Value::Null, write_time),
        None => Value::Null,
    }
}

/// The days from the second to the first.
pub(super) fn days_between(end: &str, start: &str) -> Value {
    match (read(end), read(start)) {
        (Some(Moment::Date(end)), Some(Moment::Date(start))) => {
            Value::Number(end.duration_since(start).as_secs_f64() / SECONDS_OF_A_DAY)
        }
        (Some(Moment::Time(end)), Some(Moment::Time(start))) => {
            Value::Number(end.duration_since(start).as_secs_f64() / SECONDS_OF_A_DAY)
        }
        _ => Value::Null,
    }
}

fn read(text: &str) -> Option<Moment> {
    if text.len() == "2026-01-31".len() {
        return text.parse().ok().map(Moment::Date);
    }
    datetime::parse(text).map(Moment::Time)
}

fn day_of(time: Timestamp) -> Date {
    time.to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn write_date(date: Date) -> Value {
    Value::Text(date.to_string().into())
}
