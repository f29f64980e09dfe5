//! A length of time as people write it: `200ms`, `30s`, `5m`, `2h`, `7d`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A length of time in a schema or in a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span(pub(crate) Duration);

/// The units, the smallest first, in milliseconds.
const UNITS: [(&str, u64); 5] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no length of time such as 200ms, 30s, 5m, 2h or 7d");
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        number.checked_mul(factor).map(|ms| Span(Duration::from_millis(ms))).ok_or_else(wrong)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        let whole = |factor: u64| ms > 0 && ms.is_multiple_of(factor);
        let (unit, factor) =
            UNITS.into_iter().rev().find(|(_, factor)| whole(*factor)).unwrap_or(("ms", 1));
        write!(f, "{}{unit}", ms / factor)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_read_and_written() {
        for (text, ms) in
            [("0ms", 0), ("1500ms", 1_500), ("30s", 30_000), ("2h", 7_200_000), ("7d", 604_800_000)]
        {
            let span: Span = text.parse().unwrap();
            assert_eq!((span.0.as_millis(), span.to_string()), (ms, text.to_owned()));
        }
        for text in
            ["", "5", "s", "-1s", "1.5s", "99999999999999999999s", "18446744073709551615d", "1 s"]
        {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }
}
