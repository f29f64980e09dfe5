//! The key that a client gives a request, so that repeating it changes nothing.

use hyper::HeaderMap;

use crate::options::KeyRule;
use crate::refusal::Refusal;

/// The header that carries it.
pub(crate) const HEADER: &str = "idempotency-key";

/// The longest key.
const LONGEST: usize = 255;

/// A key, as the client gave it or as it was made here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) text: String,
    /// False for one that was made here: repeating the request makes another.
    pub(crate) given: bool,
}

impl Key {
    /// The key of a request. One in quotes, as the draft of the header wants it, is the same without.
    pub(crate) fn of(headers: &HeaderMap, rule: KeyRule) -> Result<Self, Refusal> {
        let mut all = headers.get_all(HEADER).iter();
        match (all.next(), all.next(), rule) {
            (Some(value), None, _) => {
                let text = value.to_str().ok().and_then(read).ok_or_else(Refusal::key_invalid)?;
                Ok(Self { text: text.to_owned(), given: true })
            }
            (Some(_), Some(_), _) => Err(Refusal::key_invalid()),
            (None, _, KeyRule::Optional) => Ok(Self::made()),
            (None, _, KeyRule::Required) => Err(Refusal::key_missing()),
        }
    }

    fn made() -> Self {
        Self { text: format!("{:032x}", fastrand::u128(..)), given: false }
    }
}

/// `MESSAGE_ID` of a request. A path and the name of a client have no colon, so that no two clients and
/// no two paths ever make the same.
pub(crate) fn message_id(path: &str, client: &str, key: &str) -> String {
    format!("{path}:{client}:{key}")
}

/// A key without its quotes, if it can be one.
pub(crate) fn read(value: &str) -> Option<&str> {
    let value = value.trim();
    let bare = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    // Clients leave out `.` and `..` where a path has them, and nobody could ask for such a key.
    let fits = (1..=LONGEST).contains(&bare.len()) && bare != "." && bare != "..";
    (fits && bare.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"')).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_text_with_or_without_quotes() {
        let long = "k".repeat(255);
        for (value, key) in [
            ("K-1", Some("K-1")),
            (" \"K-1\" ", Some("K-1")),
            ("a/b:c?d%20", Some("a/b:c?d%20")),
            (&long, Some(long.as_str())),
            (&format!("{long}k"), None),
            ("", None),
            ("\"\"", None),
            (".", None),
            ("\"..\"", None),
            ("...", Some("...")),
            ("a b", None),
            ("a\"b", None),
            ("schlüssel", None),
        ] {
            assert_eq!(read(value), key, "{value:?}");
        }
    }

    #[test]
    fn without_a_key_each_request_is_new() {
        let none = HeaderMap::new();
        assert!(Key::of(&none, KeyRule::Required).is_err());
        let (one, two) = (
            Key::of(&none, KeyRule::Optional).unwrap(),
            Key::of(&none, KeyRule::Optional).unwrap(),
        );
        assert_ne!(one.text, two.text);
        assert!(!one.given);
    }

    #[test]
    fn two_keys_at_once_are_none() {
        let mut headers = HeaderMap::new();
        headers.append(HEADER, "K-1".parse().unwrap());
        headers.append(HEADER, "K-1".parse().unwrap());
        assert!(Key::of(&headers, KeyRule::Optional).is_err());
    }
}
