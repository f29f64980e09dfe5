//! Text that must fit a column, without two texts ever becoming one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A text that fits its column, and the original where that had to differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// At most the asked number of characters, without NUL.
    pub text: String,
    /// What was given, if `text` is not the same.
    pub original: Option<String>,
}

/// How much of a shortened text is its hash: a mark and 22 characters for 128 bits.
const HASH_CHARS: usize = 23;

/// Makes `text` fit `max_chars` characters, all of them storable in every database.
///
/// What does not fit, or holds a NUL that PostgreSQL refuses, keeps its readable beginning and ends
/// in a 128-bit hash of the whole, so that two different texts stay different.
#[must_use]
pub fn fit(text: &str, max_chars: usize) -> Fitted {
    debug_assert!(max_chars > HASH_CHARS, "a column must be longer than the hash");
    if !text.contains('\0') && text.chars().count() <= max_chars {
        return Fitted { text: text.to_owned(), original: None };
    }
    let hash = blake3::hash(text.as_bytes());
    let head: String =
        text.chars().filter(|c| !c.is_control()).take(max_chars - HASH_CHARS).collect();
    let tail = URL_SAFE_NO_PAD.encode(&hash.as_bytes()[..16]);
    Fitted { text: format!("{head}~{tail}"), original: Some(text.to_owned()) }
}

/// The longest beginning of `text` within `max_bytes` bytes that ends at a character, without NUL.
#[must_use]
pub fn cut_to_bytes(text: &str, max_bytes: usize) -> String {
    let text = text.replace('\0', "\u{fffd}");
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_text_stays_as_it_is() {
        assert_eq!(fit("F-8842", 200), Fitted { text: "F-8842".into(), original: None });
    }

    #[test]
    fn long_texts_with_the_same_beginning_stay_different() {
        let (a, b) = (fit(&"x".repeat(300), 200), fit(&"x".repeat(301), 200));
        assert_eq!(a.text.chars().count(), 200);
        assert_ne!(a.text, b.text);
        assert_eq!(a.original.as_deref(), Some("x".repeat(300).as_str()));
    }

    #[test]
    fn a_nul_never_reaches_a_column() {
        assert!(!fit("a\0b", 200).text.contains('\0'));
        assert_ne!(fit("a\0b", 200).text, fit("ab", 200).text);
        assert_eq!(cut_to_bytes("a\0b", 10), "a\u{fffd}b");
    }

    proptest! {
        #[test]
        fn fitted_text_fits(text in ".{0,400}", max in 24usize..300) {
            let fitted = fit(&text, max);
            prop_assert!(fitted.text.chars().count() <= max);
            prop_assert_eq!(fitted.original.unwrap_or(fitted.text), text);
        }

        #[test]
        fn a_cut_is_a_beginning_that_fits(text in "[^\0]{0,100}", max in 0usize..120) {
            let cut = cut_to_bytes(&text, max);
            prop_assert!(cut.len() <= max && text.starts_with(&cut));
            prop_assert!(text.len() - cut.len() < 4 || cut.len() + 4 > max);
        }
    }
}
