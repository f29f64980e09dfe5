//! Values that nobody may read in a print, an error or a log.

use std::fmt;

/// What stands where a secret was.
const HIDDEN: &str = "***";

/// A client secret, a private key or a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a text out of sight.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for whoever must send it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A text without it: who answers may repeat what it was sent.
    pub(crate) fn strike(&self, text: &str) -> String {
        // What is empty is no secret, and is everywhere.
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, HIDDEN) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_shown_and_struck_out_of_what_others_say() {
        let secret = Secret::new("hush");
        assert_eq!(format!("{secret} {secret:?}"), "*** ***");
        assert_eq!(secret.strike("you sent hush, hush"), "you sent ***, ***");
        assert_eq!(Secret::new("").strike("ab"), "ab");
        assert_eq!(secret.expose(), "hush");
    }
}
