//! Masks a JSON text without reading it into values: keys that are there twice, numbers that no machine can hold and
//! halves of characters are valid JSON as well.

use serde::de::IgnoredAny;

use super::MASKED;
use super::pointer::Pointer;

/// No payload is nested deeper; see `dipmo_domain::MAX_JSON_DEPTH`.
const DEEPEST: usize = dipmo_domain::MAX_JSON_DEPTH;

/// The text with its structure, nulls and what the rules show; `None` when it is no JSON or too deep.
pub(crate) fn mask(text: &str, rules: &[Pointer]) -> Option<String> {
    let mut masker = Masker { rest: text, rules, steps: Vec::new(), out: String::new() };
    masker.value()?;
    masker.rest.trim_start().is_empty().then_some(masker.out)
}

struct Masker<'a> {
    rest: &'a str,
    rules: &'a [Pointer],
    /// Where it is.
    steps: Vec<String>,
    out: String,
}

impl<'a> Masker<'a> {
    fn value(&mut self) -> Option<()> {
        if self.rules.iter().any(|rule| rule.is_at(&self.steps)) {
            let shown = self.take()?;
            self.out.push_str(shown);
            return Some(());
        }
        match self.peek()? {
            '{' => self.all_in('}', Self::field),
            '[' => self.all_in(']', Self::value),
            _ => {
                let hidden = self.take()?;
                if hidden == "null" {
                    self.out.push_str(hidden);
                } else {
                    self.out.extend(["\"", MASKED, "\""]);
                }
                Some(())
            }
        }
    }

    /// What is between two brackets, with commas between.
    fn all_in(&mut self, close: char, each: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        if self.steps.len() >= DEEPEST {
            return None;
        }
        let open = self.peek()?;
        self.sign(open)?;
        let mut count = 0_usize;
        while self.peek()? != close {
            if count > 0 {
                self.sign(',')?;
            }
            self.steps.push(count.to_string());
            each(self)?;
            self.steps.pop();
            count += 1;
        }
        self.sign(close)
    }

    fn field(&mut self) -> Option<()> {
        let name = self.take()?;
        self.out.push_str(name);
        // A name with half of a character in it is named by no rule.
        let step = serde_json::from_str(name).unwrap_or_else(|_| name.to_owned());
        *self.steps.last_mut()? = step;
        self.sign(':')?;
        self.value()
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.rest.chars().next()
    }

    /// One of the signs of JSON.
    fn sign(&mut self, sign: char) -> Option<()> {
        self.peek()?;
        self.rest = self.rest.strip_prefix(sign)?;
        self.out.push(sign);
        Some(())
    }

    /// The next value as it is written.
    fn take(&mut self) -> Option<&'a str> {
        self.peek()?;
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        let (value, rest) = self.rest.split_at(values.byte_offset());
        self.rest = rest;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str, rules: &[&str]) -> Option<String> {
        let rules: Vec<Pointer> = rules.iter().map(|rule| Pointer::parse(rule).unwrap()).collect();
        mask(text, &rules)
    }

    #[test]
    fn structure_and_nulls_stay() {
        let text = r#" { "a" : "x", "b": [1, -2.5e3, true, null, {}], "c": {"d": []} } "#;
        let expected = r#"{"a":"•••","b":["•••","•••","•••",null,{}],"c":{"d":[]}}"#;
        assert_eq!(masked(text, &[]).as_deref(), Some(expected));
        assert_eq!(masked("null", &[]).as_deref(), Some("null"));
        assert_eq!(masked("7", &[]).as_deref(), Some("\"•••\""));
    }

    #[test]
    fn a_rule_shows_a_place_and_all_below_it() {
        let text = r#"{"id":"O-1","items":[{"sku":"S","who":"Jane"},{"sku":2,"who":"Joe"}],"to":{"x":{"y":1}}}"#;
        let expected = r#"{"id":"O-1","items":[{"sku":"S","who":"•••"},{"sku":2,"who":"•••"}],"to":{"x":{"y":1}}}"#;
        assert_eq!(masked(text, &["/id", "/items/*/sku", "/to"]).as_deref(), Some(expected));
        assert_eq!(masked(text, &[""]).as_deref(), Some(text));
        assert_eq!(masked(text, &["/items/1/who"]).unwrap().matches("Joe").count(), 1);
    }

    #[test]
    fn odd_but_valid_json_is_masked_as_well() {
        for (text, expected) in [
            (r#"{"a":1,"a":"secret"}"#, r#"{"a":"•••","a":"•••"}"#),
            (r#"["\ud800", 1e400, 123456789012345678901234567890.5]"#, r#"["•••","•••","•••"]"#),
            (r#"{"\ud800":"secret"}"#, r#"{"\ud800":"•••"}"#),
            (r#"{"a\"}b":"se\"cret"}"#, r#"{"a\"}b":"•••"}"#),
        ] {
            assert_eq!(masked(text, &["/b"]).as_deref(), Some(expected));
        }
        assert_eq!(masked(r#"{"a\u0062":1}"#, &["/ab"]).as_deref(), Some(r#"{"a\u0062":1}"#));
    }

    #[test]
    fn what_is_no_json_or_too_deep_gives_nothing() {
        for text in ["", "secret", "{\"a\":\"secret\"", "[1] secret", "{\"a\" \"secret\"}", "[1 2]"]
        {
            assert_eq!(masked(text, &[]), None, "{text}");
        }
        let deep = |levels| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        assert!(masked(&deep(128), &[]).is_some());
        assert_eq!(masked(&deep(100_000), &[]), None);
    }
}
