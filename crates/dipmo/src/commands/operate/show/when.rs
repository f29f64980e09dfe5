//! Points in time as people say and read them: three hours ago.

use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dipmo_domain::Timestamp;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Now, by the clock of whoever sits here: theirs is the clock that "two hours ago" is meant by.
#[expect(clippy::disallowed_methods, reason = "what is asked for and shown is told from here")]
pub(crate) fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::EPOCH.after(since_1970)
}

/// A time as an option says it: exact, or so long ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// At that time.
    At(Timestamp),
    /// So long before now.
    Ago(Duration),
}

impl Moment {
    /// The time that is meant.
    pub(crate) fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(time) => time,
            Self::Ago(span) => {
                let micros = i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
                let micros = now.as_micros().saturating_sub(micros);
                Timestamp::from_micros(micros).unwrap_or(Timestamp::EPOCH)
            }
        }
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(time) = Timestamp::from_rfc3339(text) {
            return Ok(Self::At(time));
        }
        let say =
            || "say a time, such as 2026-11-18T01:00:00Z, or how long ago: 30s, 15m, 2h, 3d, 1w";
        let (number, unit) =
            text.split_at(text.find(|it: char| !it.is_ascii_digit()).ok_or_else(say)?);
        let number: u64 = number.parse().map_err(|_| say())?;
        let seconds = match unit {
            "s" => 1,
            "m" => MINUTE,
            "h" => HOUR,
            "d" => DAY,
            "w" => 7 * DAY,
            _ => return Err(say().to_owned()),
        };
        let seconds = number.checked_mul(seconds).ok_or_else(say)?;
        Ok(Self::Ago(Duration::from_secs(seconds)))
    }
}

/// How long ago a time was, or how far ahead it is: `4m ago`, `in 2h`.
pub(crate) fn relative(time: Timestamp, now: Timestamp) -> String {
    if time > now {
        return format!("in {}", rough(time.since(now)));
    }
    format!("{} ago", rough(now.since(time)))
}

/// A time of the API, such as `2026-11-18T01:00:00Z`, as it is shown in a list.
pub(crate) fn relative_text(text: &str, now: Timestamp) -> String {
    match Timestamp::from_rfc3339(text) {
        Some(time) => relative(time, now),
        None => text.to_owned(),
    }
}

/// The same, exact and relative.
pub(crate) fn exact_text(text: &str, now: Timestamp) -> String {
    match Timestamp::from_rfc3339(text) {
        Some(time) => format!("{text} ({})", relative(time, now)),
        None => text.to_owned(),
    }
}

/// A span in its greatest unit.
pub(crate) fn rough(span: Duration) -> String {
    match span.as_secs() {
        seconds if seconds < 2 * MINUTE => format!("{seconds}s"),
        seconds if seconds < 2 * HOUR => format!("{}m", seconds / MINUTE),
        seconds if seconds < 2 * DAY => format!("{}h", seconds / HOUR),
        seconds => format!("{}d", seconds / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        Timestamp::from_rfc3339(text).unwrap()
    }

    #[test]
    fn a_moment_is_a_time_or_a_span_ago() {
        let now = time("2026-11-18T12:00:00Z");
        for (text, expected) in [
            ("2026-11-18T01:00:00+01:00", "2026-11-18T00:00:00Z"),
            ("30s", "2026-11-18T11:59:30Z"),
            ("15m", "2026-11-18T11:45:00Z"),
            ("2h", "2026-11-18T10:00:00Z"),
            ("3d", "2026-11-15T12:00:00Z"),
            ("1w", "2026-11-11T12:00:00Z"),
        ] {
            assert_eq!(text.parse::<Moment>().unwrap().at(now), time(expected), "{text}");
        }
        for wrong in ["", "2", "h", "2 h", "-2h", "2y", "yesterday", "99999999999999999999w"] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_time_is_told_from_now() {
        let now = time("2026-11-18T12:00:00Z");
        for (at, expected) in [
            ("2026-11-18T11:59:59.5Z", "0s ago"),
            ("2026-11-18T11:58:01Z", "119s ago"),
            ("2026-11-18T11:00:00Z", "60m ago"),
            ("2026-11-17T11:00:00Z", "25h ago"),
            ("2026-11-01T12:00:00Z", "17d ago"),
            ("2026-11-18T12:05:00Z", "in 5m"),
        ] {
            assert_eq!(relative_text(at, now), expected);
        }
        assert_eq!(relative_text("soon", now), "soon");
        let shown = exact_text("2026-11-18T11:00:00Z", now);
        assert_eq!(shown, "2026-11-18T11:00:00Z (60m ago)");
    }
}
