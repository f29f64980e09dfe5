//! Times and durations as text.

use std::fmt;

use jiff::SignedDuration;
use jiff::civil::DateTime;

/// The years 1 to 9999, which is what CEL and every database can show.
const FIRST: i64 = -62_135_596_800_000_000;
const LAST: i64 = 253_402_300_799_999_999;

/// The microseconds, if they are within the years 1 to 9999.
pub(crate) const fn timestamp(micros: i64) -> Option<i64> {
    if micros < FIRST || micros > LAST { None } else { Some(micros) }
}

/// The start of 1970. Times are kept as the distance from it: jiff's own ends a day before the year 9999 does,
/// and the last second of that year is how many say "for ever".
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// A date, a time and an offset, cut to the microsecond.
pub(crate) fn parse_timestamp(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() < 20 || !text.is_ascii() || !matches!(bytes[10], b'T' | b't') {
        return None;
    }
    let (local, offset) = match text.strip_suffix(['Z', 'z']) {
        Some(local) => (local, 0),
        None => (&text[..text.len() - 6], offset_seconds(&text[text.len() - 6..])?),
    };
    // jiff takes other forms of ISO 8601 too: only digits and the signs between them are left to it.
    let plain = local.bytes().all(|byte| byte.is_ascii_digit() || b"-:.Tt".contains(&byte));
    let local: DateTime = (plain && local.len() >= 19).then(|| local.parse().ok()).flatten()?;
    let micros = i64::try_from(local.duration_since(EPOCH).as_micros()).ok()?;
    timestamp(micros.checked_sub(offset * 1_000_000)?)
}

/// `+01:30`.
fn offset_seconds(text: &str) -> Option<i64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let number =
        |digits: &str, most: i64| digits.parse::<u8>().ok().map(i64::from).filter(|n| *n <= most);
    Some(sign * (number(hours, 23)? * 3_600 + number(minutes, 59)? * 60))
}

/// The calendar and the clock of UTC.
pub(crate) fn civil(micros: i64) -> Option<DateTime> {
    EPOCH.checked_add(SignedDuration::from_micros(micros)).ok()
}

/// `1h30m`, `-1.5s`, `14d`; a zero needs no unit. Cut to the microsecond.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut nanos: i128 = 0;
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let unit = rest[number..]
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .map_or(rest.len(), |n| number + n);
        nanos = nanos.checked_add(part(&rest[..number], nanos_of(&rest[number..unit])?)?)?;
        rest = &rest[unit..];
    }
    i64::try_from(sign * nanos / 1_000).ok()
}

fn nanos_of(unit: &str) -> Option<i128> {
    Some(match unit {
        "d" => 86_400_000_000_000,
        "h" => 3_600_000_000_000,
        "m" => 60_000_000_000,
        "s" => 1_000_000_000,
        "ms" => 1_000_000,
        "us" | "µs" => 1_000,
        "ns" => 1,
        _ => return None,
    })
}

/// A number with or without a fraction, times a unit.
fn part(number: &str, unit: i128) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || number.len() > 30 {
        return None;
    }
    let mut nanos =
        if whole.is_empty() { 0 } else { whole.parse::<i128>().ok()?.checked_mul(unit)? };
    let mut scale = unit;
    for digit in fraction.bytes() {
        if !digit.is_ascii_digit() {
            return None;
        }
        scale /= 10;
        nanos = nanos.checked_add(i128::from(digit - b'0') * scale)?;
    }
    Some(nanos)
}

/// A time as RFC 3339 writes it in UTC.
pub(crate) struct ShownTimestamp(pub(crate) i64);

impl fmt::Display for ShownTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match civil(self.0) {
            Some(time) => write!(f, "{time}Z"),
            None => write!(f, "{}us", self.0),
        }
    }
}

/// A duration in seconds, such as `12.5s`.
pub(crate) struct ShownDuration(pub(crate) i64);

impl fmt::Display for ShownDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) =
            (self.0.unsigned_abs() / 1_000_000, self.0.unsigned_abs() % 1_000_000);
        let sign = if self.0 < 0 { "-" } else { "" };
        if micros == 0 {
            return write!(f, "{sign}{seconds}s");
        }
        let fraction = format!("{micros:06}");
        write!(f, "{sign}{seconds}.{}s", fraction.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_shown() {
        for (text, shown) in [
            ("1h30m", "5400s"),
            ("-1.5s", "-1.5s"),
            ("14d", "1209600s"),
            ("250ms", "0.25s"),
            ("1us", "0.000001s"),
            ("999ns", "0s"),
            ("0", "0s"),
            (".5s", "0.5s"),
            ("1m0.000001s", "60.000001s"),
        ] {
            assert_eq!(ShownDuration(parse_duration(text).unwrap()).to_string(), shown, "{text}");
        }
        for text in
            ["", "-", "5", "s", "1x", "1h-3m", "1.2.3s", ".s", "1 s", "99999999999999999999h"]
        {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_read_and_shown() {
        for (text, shown) in [
            ("2024-02-29T12:30:00Z", "2024-02-29T12:30:00Z"),
            ("2024-02-29T12:30:00.1239999+01:30", "2024-02-29T11:00:00.123999Z"),
            ("1969-12-31t23:59:59.5z", "1969-12-31T23:59:59.5Z"),
            ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ] {
            assert_eq!(ShownTimestamp(parse_timestamp(text).unwrap()).to_string(), shown);
        }
        for text in [
            "2024-02-30T00:00:00Z",
            "2024-02-01 00:00:00Z",
            "2024-02-01",
            "2024-02-01T00:00:00",
            "",
        ] {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
    }
}
