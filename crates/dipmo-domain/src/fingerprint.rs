//! What failures have in common: a message without what differs from one to the next, and a short name for it.

use std::fmt;
use std::str::FromStr;

use crate::{ErrorStage, Failure, UnknownName, cut_to_bytes};

/// The most bytes that a pattern has.
const LONGEST: usize = 500;
/// What stands for a word that differs.
const WORD: &str = "#";
/// What stands for a passage in quotes.
const QUOTED: &str = "\"…\"";

/// The name of a group of failures: the same for failures of one side, stage, code and pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub i64);

impl Fingerprint {
    /// That of a failure on a side, `inbox` or `outbox`.
    #[must_use]
    pub fn of(side: &str, stage: Option<ErrorStage>, failure: &Failure) -> Self {
        let pattern = failure.pattern();
        let parts = [side, stage.map_or("", ErrorStage::as_str), failure.code(), &pattern];
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut bits = [0; 8];
        bits.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Self(i64::from_le_bytes(bits))
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0.cast_unsigned())
    }
}

impl FromStr for Fingerprint {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName { kind: "group of failures", name: text.to_owned() };
        if text.len() != 16 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(unknown());
        }
        let bits = u64::from_str_radix(text, 16).map_err(|_| unknown())?;
        Ok(Self(bits.cast_signed()))
    }
}

impl Failure {
    /// `ERROR_MESSAGE` without what differs from one failure to the next, and may be somebody's data: passages in
    /// quotes, addresses, and words with a digit in them, such as ids, numbers and times.
    #[must_use]
    pub fn pattern(&self) -> String {
        let (message, mut pattern, mut at) = (self.message(), String::new(), 0);
        while let Some(first) = message[at..].chars().next() {
            let rest = &message[at..];
            let before = message[..at].chars().next_back();
            if let Some(length) = quoted(rest, first, before) {
                pattern.push_str(QUOTED);
                at += length;
            } else if is_of_word(first) {
                let end = rest.find(|letter| !is_of_word(letter)).unwrap_or(rest.len());
                let word = rest[..end].trim_end_matches(['.', ':', '-', '/', ',']);
                let differs = word.contains('@') || word.contains(char::is_numeric);
                pattern.push_str(if differs { WORD } else { word });
                pattern.push_str(&rest[word.len()..end]);
                at += end;
            } else {
                pattern.push(first);
                at += first.len_utf8();
            }
        }
        cut_to_bytes(&pattern, LONGEST)
    }
}

/// How long a passage in quotes is that `text` begins with, quotes included. An apostrophe at or within a word is no
/// quote, and one behind a backslash ends nothing. What is never closed goes to the end: it may be cut off.
fn quoted(text: &str, first: char, before: Option<char>) -> Option<usize> {
    let closing: &[char] = match first {
        '"' => &['"'],
        '\'' => &['\''],
        '`' => &['`'],
        '“' => &['”'],
        '„' => &['“', '”'],
        '‘' => &['’'],
        '«' => &['»'],
        '»' => &['«'],
        _ => return None,
    };
    if matches!(first, '\'' | '`' | '‘' | '»') && before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let (mut escaped, mut letters) = (false, text.char_indices().skip(1).peekable());
    while let Some((at, letter)) = letters.next() {
        let is_in_word = letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        let is_apostrophe = matches!(letter, '\'' | '’') && is_in_word;
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if closing.contains(&letter) && !is_apostrophe => {
                return Some(at + letter.len_utf8());
            }
            _ => {}
        }
    }
    Some(text.len())
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':' | '/' | '@' | '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(message: &str) -> String {
        Failure::new("X", message).pattern()
    }

    #[test]
    fn what_differs_is_left_out() {
        for (message, expected) in [
            ("order O-17 is unknown", "order # is unknown"),
            ("no row \"Jane Doe\", try again", "no row \"…\", try again"),
            ("it doesn't fit 'a b' here", "it doesn't fit \"…\" here"),
            ("mail jane@example.com: bounced", "mail #: bounced"),
            ("at 2026-11-18T01:02:03Z.", "at #."),
            ("id 6f1c7d0e-0f3a-4d6e-9c55-3c0a3d1b2f10 (try 3)", "id # (try #)"),
            (r#"begins with "{\"name\":\"Jane Doe\"" here"#, "begins with \"…\" here"),
            (r#"a path "C:\\" and Jane"#, "a path \"…\" and Jane"),
            ("cut off \"Jane D", "cut off \"…\""),
            ("cut off 'Jane D", "cut off \"…\""),
            ("order O-17's customer 'Jane Doe' is late", "order #'s customer \"…\" is late"),
            ("no 'O'Brien, Jane' here", "no \"…\" here"),
            ("kein „Jane“ und kein «Doe» hier", "kein \"…\" und kein \"…\" hier"),
            ("in “Jane” it is ٣", "in \"…\" it is #"),
            ("", ""),
        ] {
            assert_eq!(pattern(message), expected, "{message}");
        }
        assert_eq!(pattern(&"wörter ".repeat(200)).len(), 500);
    }

    #[test]
    fn failures_that_are_alike_have_one_fingerprint() {
        let of = |side: &str, stage, code: &str, message: &str| {
            Fingerprint::of(side, stage, &Failure::new(code, message))
        };
        let business = Some(ErrorStage::Business);
        let one = of("inbox", business, "X", "order 1 is unknown");
        assert_eq!(one, of("inbox", business, "X", "order 22 is unknown"));
        for other in [
            of("outbox", business, "X", "order 1 is unknown"),
            of("inbox", None, "X", "order 1 is unknown"),
            of("inbox", business, "Y", "order 1 is unknown"),
            of("inbox", business, "X", "order 1 is late"),
        ] {
            assert_ne!(one, other);
        }
        for fingerprint in [one, Fingerprint(-1), Fingerprint(0)] {
            assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        }
        for wrong in ["", "12", "+00000000000000f", "zzzzzzzzzzzzzzzz"] {
            assert!(wrong.parse::<Fingerprint>().is_err(), "{wrong}");
        }
    }
}
