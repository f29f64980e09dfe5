//! The hint at the end of a sentence about an unknown word.

use crate::did_you_mean::nearest;

/// `; did you mean "x"?` if a known word is near, else nothing.
pub(super) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |meant| format!("; did you mean {meant:?}?"))
}
