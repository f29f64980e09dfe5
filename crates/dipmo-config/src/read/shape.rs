//! What all sections and alternatives read in the same way.

use serde_json::Value;

use super::{Read, did_you_mean, wrong_type};
use crate::Place;
use crate::node::{Entry, Kind, Node};
use crate::problem::{Problem, Problems, codes};

/// A map that is being read as a section.
pub(crate) struct Open<'a> {
    entries: &'a [Entry],
    /// A scalar that stands for the map, and the key that it is the value of.
    short: Option<(&'static str, &'a Node)>,
    what: &'static str,
    head: Place,
}

impl<'a> Open<'a> {
    /// Names keys that nobody knows, and those of which exactly one may be there. Nothing at all is an
    /// empty map.
    pub(crate) fn new(
        node: &'a Node,
        what: &'static str,
        keys: &[&str],
        one_of: &[&str],
        short: Option<&'static str>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let head = node.head();
        let open = |entries, short| Self { entries, short, what, head };
        match (&node.kind, short) {
            (Kind::Map(entries), _) => {
                for entry in entries.iter().filter(|entry| !keys.contains(&entry.key.as_str())) {
                    problems.push_error(|| unknown_key(entry, what, keys));
                }
                one(entries, one_of, what, head, problems);
                Some(open(entries, None))
            }
            (Kind::Scalar(_), Some(key)) if !node.is_null() => Some(open(&[], Some((key, node)))),
            _ if node.is_null() => {
                one(&[], one_of, what, head, problems);
                Some(open(&[], None))
            }
            _ => {
                let first = keys.first().unwrap_or(&"key");
                wrong_type(
                    node,
                    &format!("a map with the keys of {what}"),
                    &format!("{first}: …"),
                    problems,
                );
                None
            }
        }
    }

    /// The value of a key. `None` after a problem.
    pub(crate) fn field<T: Read>(
        &self,
        key: &str,
        examples: fn() -> Vec<Value>,
        problems: &mut Problems,
    ) -> Option<T> {
        let short = self.short.filter(|(name, _)| *name == key).map(|(_, node)| node);
        let entry = || self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
        if let Some(node) = short.or_else(entry) {
            return T::read(node, problems);
        }
        let absent = T::absent();
        if absent.is_none() {
            let message = format!("{} needs the key `{key}`", self.what);
            // JSON is YAML as well.
            let hint = examples().first().map(|example| format!("such as `{key}: {example}`"));
            problems.push(Problem::error(codes::MISSING_KEY, self.head, message).maybe_hint(hint));
        }
        absent
    }
}

fn unknown_key(entry: &Entry, what: &str, keys: &[&str]) -> Problem {
    let message = format!("`{}` is no key of {what}", crate::node::cut(&entry.key));
    let hint = did_you_mean(&entry.key, keys.iter().copied());
    let known = || format!("known are {}", listed(keys));
    Problem::error(codes::UNKNOWN_KEY, entry.key_place, message).hint(hint.unwrap_or_else(known))
}

/// Exactly one of some keys must be there.
fn one(entries: &[Entry], keys: &[&str], what: &str, head: Place, problems: &mut Problems) {
    if keys.is_empty() {
        return;
    }
    let there = |entry: &&Entry| keys.contains(&entry.key.as_str()) && !entry.value.is_null();
    let there: Vec<&Entry> = entries.iter().filter(there).collect();
    let listed = listed(keys);
    match there[..] {
        [_] => {}
        [] => {
            let message = format!("{what} needs one of {listed}");
            problems.push(Problem::error(codes::ONE_OF, head, message));
        }
        [first, second, ..] => {
            let message = format!("{what} has only one of {listed}");
            problems.push(
                Problem::error(codes::ONE_OF, second.key_place, message)
                    .also(first.key_place, "this one is there as well"),
            );
        }
    }
}

/// Words in a sentence.
pub(crate) fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A word alone, or a map with one key: what [`choice!`](super::choice) reads.
pub(crate) struct Alternatives {
    /// What it is, in words.
    pub(crate) what: &'static str,
    /// Every alternative.
    pub(crate) words: &'static [&'static str],
    /// An example.
    pub(crate) example: &'static str,
}

/// The alternative that a node picks, by its number, and its value.
pub(crate) fn picked<'a>(
    node: &'a Node,
    of: &Alternatives,
    problems: &mut Problems,
) -> Option<(usize, std::borrow::Cow<'a, Node>)> {
    use std::borrow::Cow;
    let number = |word: &str| of.words.iter().position(|known| *known == word);
    match &node.kind {
        Kind::Scalar(scalar) if !node.is_null() => {
            if let Some(number) = number(&scalar.text) {
                return Some((number, Cow::Owned(Node::nothing(node.place))));
            }
            let message = format!("{} is not {}", scalar.shown(), of.what);
            problems.push(unknown_word(node.place, message, &scalar.text, of.words));
        }
        Kind::Map(entries) if entries.len() == 1 => {
            let entry = &entries[0];
            if let Some(number) = number(&entry.key) {
                return Some((number, Cow::Borrowed(&entry.value)));
            }
            problems.push(unknown_key(entry, of.what, of.words));
        }
        Kind::Map(entries) if entries.len() > 1 => {
            let message = format!("{} has one key, of {}", of.what, listed(of.words));
            problems.push(Problem::error(codes::ONE_OF, entries[1].key_place, message));
        }
        _ => wrong_type(node, of.what, of.example, problems),
    }
    None
}

/// True for a value that can be read from nothing, so that its word can stand alone.
pub(crate) fn stands_alone<T: Read>() -> bool {
    let mut problems = Problems::default();
    let value = T::read(&Node::nothing(Place { file: 0, start: 0, end: 0 }), &mut problems);
    value.is_some() && problems.is_empty()
}

/// A word that nobody knows.
pub(crate) fn unknown_word(place: Place, message: String, word: &str, known: &[&str]) -> Problem {
    let near = did_you_mean(word, known.iter().copied());
    let all = || format!("expected one of {}", listed(known));
    super::invalid(place, message).hint(near.unwrap_or_else(all))
}
