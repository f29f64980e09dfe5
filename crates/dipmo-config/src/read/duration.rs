//! Durations such as `250ms`, `30s`, `1h30m` and `14d`.

use std::time::Duration;

use serde_json::Value;

use super::{Read, invalid, scalar};
use crate::Problems;
use crate::node::Node;
use crate::schema::{self, Schemas};

const UNITS: [(&str, u64); 5] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// What is longer does not fit every clock.
const LONGEST_DAYS: u64 = 36_500;

impl Read for Duration {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let scalar = scalar(node, "a duration", "30s", problems)?;
        match parse(&scalar.text) {
            Ok(duration) => Some(duration),
            Err(problem) => {
                let message = format!("{} is no duration: {problem}", scalar.shown());
                problems.push(invalid(node.place, message).hint(
                    "write numbers with units, such as `250ms`, `30s`, `5m`, `1h30m` or `14d`",
                ));
                None
            }
        }
    }

    fn schema(_: &mut Schemas) -> Value {
        schema::text("^([0-9]+(ms|s|m|h|d))+$", "30s")
    }
}

fn parse(text: &str) -> Result<Duration, String> {
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    let mut rest = text;
    let mut millis = 0_u64;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, behind) = rest.split_at(digits);
        let letters = behind.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, behind) = behind.split_at(letters);
        let number: u64 = number.parse().map_err(|_| "a number is expected".to_owned())?;
        let known = UNITS.iter().find(|(name, _)| *name == unit);
        let (_, each) = known.ok_or_else(|| match unit {
            "" => "a unit is missing".to_owned(),
            unit => format!("there is no unit `{unit}`"),
        })?;
        millis = millis.saturating_add(number.saturating_mul(*each));
        rest = behind;
    }
    if millis > LONGEST_DAYS * 86_400_000 {
        return Err("it is longer than a hundred years".to_owned());
    }
    Ok(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_add_up() {
        for (text, millis) in [
            ("250ms", 250),
            ("30s", 30_000),
            ("1h30m", 5_400_000),
            ("14d", 1_209_600_000),
            ("0s", 0),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_says_why() {
        for (text, problem) in [
            ("30", "a unit is missing"),
            ("s", "a number is expected"),
            ("1 h", "a unit is missing"),
            ("5min", "there is no unit `min`"),
            ("99999999999999999999s", "a number is expected"),
            ("9999999999d", "it is longer than a hundred years"),
        ] {
            assert_eq!(parse(text).unwrap_err(), problem, "{text}");
        }
    }
}
