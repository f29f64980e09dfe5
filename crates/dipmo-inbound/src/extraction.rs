//! Places to look at one after the other, as a configuration writes them.

use std::fmt;
use std::str::FromStr;

use dipmo_domain::Coded as _;
use serde::{Deserialize, Deserializer, de};

use crate::{Extractor, RuleError};

/// The rule of a field: the first extractor that gives something wins.
///
/// ```text
/// header:message-id | json:/eventId | key
/// json:/familyId | required
/// ```
///
/// Parts are joined by `|`, with or without spaces. `required` at the end makes a record without the
/// field a `SERDE_ERROR`. A configuration may write a list of texts instead, one extractor each, for
/// a header or a name that has a `|`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    extractors: Vec<Extractor>,
    required: bool,
}

const REQUIRED: &str = "required";

impl Extraction {
    /// The extractors, in order.
    #[must_use]
    pub fn extractors(&self) -> &[Extractor] {
        &self.extractors
    }

    /// True when a record without the field cannot be taken.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// True when there is no rule.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.extractors.is_empty()
    }

    /// A rule from its parts.
    ///
    /// # Errors
    /// When a part is no extractor, or can never be reached.
    pub fn of_parts(parts: &[&str]) -> Result<Self, RuleError> {
        let wrong = |problem| RuleError::Extraction { text: parts.join(" | "), problem };
        let (required, places) = match parts {
            [places @ .., REQUIRED] => (true, places),
            places => (false, places),
        };
        if places.is_empty() {
            return Err(wrong("it says nowhere to look".to_owned()));
        }
        let mut extractors = Vec::with_capacity(places.len());
        for (at, part) in places.iter().enumerate() {
            let problem = |what: String| wrong(format!("part {}, {part:?}: {what}", at + 1));
            if *part == REQUIRED {
                return Err(problem("\"required\" stands at the end".to_owned()));
            }
            if let Some(Extractor::Const(_)) = extractors.last() {
                return Err(problem("a constant before it always wins".to_owned()));
            }
            extractors.push(part.parse().map_err(problem)?);
        }
        Ok(Self { extractors, required })
    }
}

impl FromStr for Extraction {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let parts: Vec<&str> = text.split('|').map(str::trim).collect();
        Self::of_parts(&parts)
    }
}

impl fmt::Display for Extraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, extractor) in self.extractors.iter().enumerate() {
            let joint = if at == 0 { "" } else { " | " };
            write!(f, "{joint}{extractor}")?;
        }
        f.write_str(if self.required { " | required" } else { "" })
    }
}

impl<'de> Deserialize<'de> for Extraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a rule such as \"header:message-id | key\"")]
        enum Written {
            Text(String),
            Parts(Vec<String>),
        }
        let read = match Written::deserialize(deserializer)? {
            Written::Text(text) => text.parse(),
            Written::Parts(parts) => {
                Self::of_parts(&parts.iter().map(String::as_str).collect::<Vec<_>>())
            }
        };
        // Only the text of an error gets through serde; the code tells where to read on.
        read.map_err(|error: RuleError| {
            de::Error::custom(format_args!("{error} [{}]", error.code()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["header:message-id | json:/eventId | key", "json:/familyId | required"] {
            assert_eq!(text.parse::<Extraction>().unwrap().to_string(), text);
        }
        let tight: Extraction = "header:a|key|required".parse().unwrap();
        assert_eq!(tight.to_string(), "header:a | key | required");
        assert!(tight.is_required());
    }

    #[test]
    fn a_broken_rule_says_what_where_and_what_would_be_right() {
        for (text, problem) in [
            ("", "part 1, \"\": \"\" is no place to look at"),
            ("header:a | ", "part 2, \"\": \"\" is no place to look at"),
            ("header:a | body:/x", "part 2, \"body:/x\": \"body\" is no place to look at"),
            ("required", "it says nowhere to look"),
            ("required | key", "part 1, \"required\": \"required\" stands at the end"),
            ("const:a | key", "part 2, \"key\": a constant before it always wins"),
            ("json:id", "part 1, \"json:id\": a JSON pointer begins with '/', as in json:/id"),
        ] {
            let error = text.parse::<Extraction>().unwrap_err();
            let said = error.to_string();
            assert!(said.contains(problem), "{text:?}: {said}");
            assert!(said.contains("expected header:<name>, json:/<path>, key or const:<text>"));
            assert_eq!(error.code().as_str(), "extraction-rule-invalid");
        }
    }

    #[test]
    fn a_configuration_writes_a_text_or_a_list() {
        let text: Extraction = serde_json::from_str(r#""header:a | key""#).unwrap();
        let list: Extraction = serde_json::from_str(r#"["header:a","key"]"#).unwrap();
        assert_eq!(text, list);
        let bar: Extraction = serde_json::from_str(r#"["json:/a|b","required"]"#).unwrap();
        assert_eq!(bar.to_string(), "json:/a|b | required");
        let error = serde_json::from_str::<Extraction>("\"jsn:/a\"").unwrap_err().to_string();
        assert!(
            error.contains("\"jsn\" is no place") && error.contains("[extraction-rule-invalid]")
        );
        assert!(
            serde_json::from_str::<Extraction>("7")
                .unwrap_err()
                .to_string()
                .contains("header:message-id | key")
        );
    }
}
