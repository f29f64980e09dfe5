//! Points in time as Salesforce writes them: `2026-01-31T10:00:00.000+0000`, always in UTC.
//!
//! The milliseconds are there, but they are always zero: an org knows seconds only.

use jiff::Timestamp;

/// The time as REST and a record have it.
pub(crate) fn write(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.000+0000").to_string()
}

/// The time in a text with `Z` or any offset from UTC, with or without a colon in it.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read_and_offsets_end_in_utc() {
        for (text, written) in [
            ("2026-01-31T10:00:00Z", "2026-01-31T10:00:00.000+0000"),
            ("2026-01-31T10:00:00.000+0000", "2026-01-31T10:00:00.000+0000"),
            ("2026-01-31T10:00:00.5-08:00", "2026-01-31T18:00:00.000+0000"),
            ("2026-01-31T10:00:00+0100", "2026-01-31T09:00:00.000+0000"),
        ] {
            assert_eq!(write(parse(text).unwrap()), written, "{text}");
        }
        for text in ["2026-01-31", "2026-02-30T10:00:00Z", "2026-01-31T10:00:00", "", "T"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
