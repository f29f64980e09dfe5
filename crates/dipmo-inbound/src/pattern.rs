//! Names of topics, with `*` for any run of characters.

use crate::RuleError;

/// A name, or a pattern of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TopicPattern(String);

impl TopicPattern {
    /// # Errors
    /// When it has a character that no topic can have.
    ///
    /// `:` and `/` are allowed beside those of Kafka: topics such as `internal:blocks` and
    /// `http:/orders` are dipmo's own.
    pub(crate) fn new(text: &str) -> Result<Self, RuleError> {
        let wrong = |problem| RuleError::Topic { text: text.to_owned(), problem };
        if text.is_empty() {
            return Err(wrong("it is empty".to_owned()));
        }
        let allowed =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':' | '/' | '*');
        match text.chars().find(|c| !allowed(*c)) {
            Some(bad) => Err(wrong(format!("no topic has {bad:?} in its name"))),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// The same behind a prefix.
    pub(crate) fn behind(&self, prefix: &str) -> Result<Self, RuleError> {
        Self::new(&format!("{prefix}{}", self.0))
    }

    pub(crate) fn matches(&self, topic: &str) -> bool {
        let Some((head, rest)) = self.0.split_once('*') else {
            return self.0 == topic;
        };
        let Some(mut left) = topic.strip_prefix(head) else {
            return false;
        };
        let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
        // The earliest place of a part leaves the most for those behind it.
        for part in middle.split('*') {
            let Some(at) = left.find(part) else {
                return false;
            };
            left = &left[at + part.len()..];
        }
        left.ends_with(tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, topic: &str) -> bool {
        TopicPattern::new(pattern).unwrap().matches(topic)
    }

    #[test]
    fn a_star_is_any_run() {
        for (pattern, topic) in [
            ("orders", "orders"),
            ("orders-*", "orders-eu"),
            ("orders-*", "orders-"),
            ("*", "anything"),
            ("*-events", "crm-events"),
            ("a*b*c", "a-b-b-c"),
            ("a**c", "abc"),
            ("*.dlt.*", "x.dlt.y"),
        ] {
            assert!(matches(pattern, topic), "{pattern} {topic}");
        }
        for (pattern, topic) in [
            ("orders", "orders-eu"),
            ("orders-*", "orders"),
            ("*-events", "events"),
            ("ab*ba", "aba"),
            ("a*b*c", "a-c"),
            ("a.c", "abc"),
        ] {
            assert!(!matches(pattern, topic), "{pattern} {topic}");
        }
    }

    #[test]
    fn a_pattern_that_no_topic_can_have_is_refused() {
        for text in ["", "a b", "orders[0-9]", "^orders.+"] {
            let said = TopicPattern::new(text).unwrap_err().to_string();
            assert!(said.contains("such as \"orders-*\""), "{said}");
        }
    }
}
