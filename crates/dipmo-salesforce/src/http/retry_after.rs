//! `Retry-After`, in both its forms.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

static DATES: DateTimeParser = DateTimeParser::new();

/// How long to wait: seconds, or a date that is compared with `now`.
pub(crate) fn parse(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = date(header)?;
    // A date that has passed asks for no wait.
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

/// A date as headers have it.
pub(crate) fn date(header: &str) -> Option<Timestamp> {
    DATES.parse_timestamp(header.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let now = date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (header, seconds) in [
            ("5", Some(5)),
            (" 120 ", Some(120)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:48:37 GMT", Some(0)),
            ("-5", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(parse(header, now), seconds.map(Duration::from_secs), "{header}");
        }
    }
}
