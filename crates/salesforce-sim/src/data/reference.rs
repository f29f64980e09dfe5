//! References of a composite subrequest to the answers of earlier ones: `@{ref.records[0].Id}`.

use std::cell::Cell;
use std::collections::HashMap;

use serde_json::Value as Json;

use crate::refusal::Refusal;

/// From this version on a reference to a null is a null, and reference ids are checked.
pub(super) const STRICT_SINCE: u32 = 520;

/// A short reference can stand for a long text, so all of them together are limited: no request may
/// fill the memory.
const MAX_FILLED: usize = 10_000_000;

/// The answers that later subrequests can refer to.
#[derive(Debug)]
pub(super) struct References {
    bodies: HashMap<String, Json>,
    version: u32,
    /// The bytes that references were replaced by so far.
    filled: Cell<usize>,
}

/// The parts of a text: as it stands, or to be replaced.
enum Part<'a> {
    Plain(&'a str),
    Reference(&'a str),
}

impl References {
    /// None yet, in a request of this version.
    pub(super) fn new(version: u32) -> Self {
        References { bodies: HashMap::new(), version, filled: Cell::new(0) }
    }

    pub(super) fn remember(&mut self, reference: &str, body: Option<&Json>) {
        self.bodies.insert(reference.to_owned(), body.cloned().unwrap_or(Json::Null));
    }

    /// The text with what it refers to.
    pub(super) fn fill_text(&self, text: &str) -> Result<String, Refusal> {
        parts(text)
            .map(|part| match part {
                Part::Plain(plain) => Ok(plain.to_owned()),
                Part::Reference(path) => Ok(match self.find(path)? {
                    Json::String(text) => text.clone(),
                    Json::Null => String::new(),
                    other => other.to_string(),
                }),
            })
            .collect()
    }

    /// The body with what its texts refer to. A text that is nothing but a reference takes the type
    /// of what it refers to.
    pub(super) fn fill_body(&self, body: &Json) -> Result<Json, Refusal> {
        Ok(match body {
            Json::String(text) => match whole(text) {
                Some(path) => self.find(path)?.clone(),
                None => Json::String(self.fill_text(text)?),
            },
            Json::Array(items) => Json::Array(
                items.iter().map(|item| self.fill_body(item)).collect::<Result<_, _>>()?,
            ),
            Json::Object(fields) => Json::Object(
                fields
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), self.fill_body(value)?)))
                    .collect::<Result<_, Refusal>>()?,
            ),
            Json::Null | Json::Bool(_) | Json::Number(_) => body.clone(),
        })
    }

    fn find(&self, path: &str) -> Result<&Json, Refusal> {
        let mut steps = path.split(['.', '[']);
        let name = steps.next().unwrap_or_default();
        let found = steps.try_fold(self.bodies.get(name), |found, step| {
            let next = match step.strip_suffix(']') {
                Some(index) => found?.get(index.parse::<usize>().ok()?),
                None => found?.get(step),
            };
            next.map(Some)
        });
        match found.flatten() {
            Some(Json::Null) if self.version < STRICT_SINCE => Err(no_value(path, name)),
            Some(Json::Object(_) | Json::Array(_)) | None => Err(no_value(path, name)),
            Some(value) => self.spend(value),
        }
    }

    fn spend<'a>(&self, value: &'a Json) -> Result<&'a Json, Refusal> {
        self.filled.set(self.filled.get() + value.as_str().map_or(0, str::len));
        if self.filled.get() <= MAX_FILLED {
            return Ok(value);
        }
        Err(Refusal::new(
            "LIMIT_EXCEEDED",
            "The references of the request stand for too much text.",
        ))
    }
}

/// The reference ids that a text names.
pub(super) fn names_in(text: &str) -> Vec<&str> {
    parts(text)
        .filter_map(|part| match part {
            Part::Reference(path) => path.split(['.', '[']).next(),
            Part::Plain(_) => None,
        })
        .collect()
}

/// The path, if the text is one reference and nothing else.
fn whole(text: &str) -> Option<&str> {
    let mut parts = parts(text);
    match (parts.next(), parts.next()) {
        (Some(Part::Reference(path)), None) => Some(path),
        _ => None,
    }
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let start = rest.find("@{").unwrap_or(rest.len());
        let (plain, reference) = rest.split_at(start);
        if !plain.is_empty() {
            rest = reference;
            return Some(Part::Plain(plain));
        }
        match reference.find('}') {
            Some(end) => {
                rest = &reference[end + 1..];
                Some(Part::Reference(&reference[2..end]))
            }
            None => {
                rest = "";
                Some(Part::Plain(reference))
            }
        }
    })
}

fn no_value(path: &str, name: &str) -> Refusal {
    Refusal::new(
        "PROCESSING_HALTED",
        format!(
            "Invalid reference specified. No value for {path} found in {name}. {}",
            illegal_id(path)
        ),
    )
}

/// What Salesforce says of a reference id with other characters than those allowed.
pub(super) fn illegal_id(reference: &str) -> String {
    format!(
        "Provided referenceId ('{reference}') must start with a letter or a number, and it can \
         contain only letters, numbers and underscores ('_')."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn references(version: u32) -> References {
        let mut references = References::new(version);
        references.remember("new", Some(&json!({ "id": "003x", "count": 2, "none": null })));
        references.remember(
            "q",
            Some(&json!({ "records": [{ "Id": "001y", "Account": { "Name": "A" } }] })),
        );
        references.remember("gone", None);
        references
    }

    #[test]
    fn texts_are_filled_wherever_they_stand() {
        let references = references(620);
        for (text, filled) in [
            ("nothing", "nothing"),
            ("@{new.id}", "003x"),
            ("a@{new.id}b@{q.records[0].Id}", "a003xb001y"),
            ("@{q.records[0].Account.Name}", "A"),
            ("n=@{new.count}", "n=2"),
            ("@{new.none}", ""),
            ("@{open", "@{open"),
            ("a@b{c}", "a@b{c}"),
        ] {
            assert_eq!(references.fill_text(text).unwrap(), filled, "{text}");
        }
    }

    #[test]
    fn a_whole_reference_keeps_its_type() {
        let body =
            json!({ "a": ["@{new.count}", "x@{new.count}"], "b": { "c": "@{new.none}" }, "d": 1 });
        let filled = references(620).fill_body(&body).unwrap();
        assert_eq!(filled, json!({ "a": [2, "x2"], "b": { "c": null }, "d": 1 }));
    }

    #[test]
    fn what_is_not_there_cannot_be_referred_to() {
        for path in [
            "other.id",
            "new.Id",
            "new",
            "q.records[1].Id",
            "q.records[x].Id",
            "q.records",
            "gone.id",
            "q.records[0]",
            "",
            "new.id.x",
            "new..id",
        ] {
            let refusal = references(620).fill_text(&format!("@{{{path}}}")).unwrap_err();
            assert_eq!(refusal.code, "PROCESSING_HALTED", "{path}");
            let words = format!("Invalid reference specified. No value for {path} found in ");
            assert!(refusal.message.starts_with(&words), "{}", refusal.message);
        }
        assert!(references(510).fill_text("@{new.none}").is_err(), "an older version has no nulls");
    }

    #[test]
    fn references_cannot_fill_the_memory() {
        let mut references = References::new(620);
        references.remember("long", Some(&json!({ "text": "x".repeat(32_000) })));
        let refusal = references.fill_text(&"@{long.text}".repeat(1000)).unwrap_err();
        assert_eq!(refusal.code, "LIMIT_EXCEEDED");
    }
}
